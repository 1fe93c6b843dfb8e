"""Where a generator goes on: a point of its code with the values that are live there.

    def g(n):                    entry(n)
        while n > 0:
            yield n      ->      after_yield(n)      goes on at `n -= 1`
            n -= 1
                                 ended(None)

A continuation is a function value, as a closure is. So branches and loops merge continuations as
they merge functions (`infer/paths/choice.py`): two at one point have the merged values, two at
different points are a choice, whose index is known at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from myia.infer.domain.values import Abstract, Choice, Partial, Scalar, Static, Tuple
from myia.infer.loops.iterators import no_call
from myia.infer.paths.choice import options_of
from myia.infer.recursion.blocks import Block, blocks_of
from myia.infer.unsupported import UnsupportedGenerator
from myia.ir.avals import I64
from myia.ir.code import Code
from myia.ir.core import Op, Region, Value, walk
from myia.primitives.core import py
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.source.diagnostics import MyiaError


@dataclass(frozen=True)
class Point:
    """A place in the code of a generator; `block` None: its start.

    `names`: the variables of the Python closure of the code. `is_yield`: the generator rests here;
    `delegates`: in a `yield from`. `may_weave`: a loop may take the items from the start without a
    continuation.
    """

    code: Code
    block: Block | None
    names: tuple[str, ...]
    is_yield: bool = False
    may_weave: bool = False
    delegates: bool = False


def continuation(point: Point, cells: dict[str, Abstract], values: Iterable[Abstract]) -> Partial:
    return Partial(no_call, (Tuple(tuple(cells.values())), *values), point)


def point_of(k: Abstract) -> Point | None:
    """The point of a continuation that is known; None: it has ended, or is lost, or is a choice."""
    point = k.meta if isinstance(k, Partial) else None
    return point if isinstance(point, Point) else None


def cells_of(k: Partial) -> dict[str, Abstract]:
    cells, point = k.items[0], k.meta
    return dict(zip(point.names, cells.children()))


def has_ended(k: Abstract) -> bool:
    return isinstance(k, Partial) and k.meta == "ended"


def is_lost(k: Abstract) -> bool:
    return isinstance(k, Partial) and k.meta == "lost"


def is_at_start(k: Abstract) -> bool:
    point = point_of(k)
    return point is not None and point.block is None


def at_rest(k: Abstract) -> bool:
    """Is it one that a generator has between two items?"""
    point = point_of(k)
    return point is None or point.is_yield or point.block is None


# ----- Code as blocks

_entries: WeakKeyDictionary[Region, Block] = WeakKeyDictionary()


def entry_block(code: Code) -> Block:
    """The first block of a generator, which is cut where it yields."""
    if code.region not in _entries:
        _refuse_in_try(code.region)
        _entries[code.region] = blocks_of(code, frozenset(yields_of(code.region)))
    return _entries[code.region]


def cleans_up(region: Region) -> Op | None:
    """The first `yield` inside `with` or `finally`."""
    parts = [r for op in walk(region) if op.primitive is py.finally_ for r in op.regions]
    return next((op for part in parts for op in yields_of(part)), None)


def _refuse_in_try(region: Region) -> None:
    tries = [r for op in walk(region) if op.primitive is py.try_ for r in op.regions]
    in_try = next((op for part in tries for op in yields_of(part)), None)
    for op, where in ((cleans_up(region), "`with` or `finally`"), (in_try, "`try`")):
        if op is not None:
            what = f"taking items one by one of a generator that yields inside {where}"
            help_text = "write one loop over the call of the generator"
            raise MyiaError(UnsupportedGenerator(span=op.span, what=what, help_text=help_text))


def yields_of(region: Region) -> list[Op]:
    return [op for op in walk(region) if op.primitive is py.yield_]


def is_cyclic(block: Block | None) -> bool:
    """Does a path without `yield` lead from a block to itself?"""
    if block is None:
        return False
    found, waiting = set[Block](), list(block.end.jumps_to)
    while waiting:
        other = waiting.pop()
        if other is block:
            return True
        if other not in found:
            found.add(other)
            waiting += other.end.jumps_to
    return False


# ----- One of several, at run time


def index_is_among(k: Abstract, numbers: Sequence[int]) -> Value:
    """Whether the run-time index of a choice is one of these."""
    assert isinstance(k, Choice)
    index = k.index.value
    found = constant(False, bool)
    for i in numbers:
        found = logic.or_(found, logic.eq(index, constant(i, index.dtype)))
    return found


def holds(k: Abstract, test: Callable[[Abstract], bool]) -> Abstract:
    """Whether the continuation is one for which `test` holds: a truth value."""
    found = [test(option) for option in options_of(k)]
    if all(found) or not any(found):
        return Static(found[0])
    return Scalar(index_is_among(k, [i for i, x in enumerate(found) if x]), weak=True)


def restricted(k: Abstract, test: Callable[[Abstract], bool]) -> Abstract:
    """The same, where it is known to be one for which `test` holds."""
    if not isinstance(k, Choice):
        return k
    kept = [i for i, option in enumerate(k.options) if test(option)]
    if len(kept) in (0, len(k.options)):
        return k
    if len(kept) == 1:
        return k.options[kept[0]]
    index, old = constant(0, np.int64), k.index.value
    for new, i in enumerate(kept[1:], 1):
        chosen = logic.eq(old, constant(i, old.dtype))
        index = logic.select(chosen, constant(new, I64.dtype), index)
    return Choice(Scalar(index, True, 0, len(kept) - 1), tuple(k.options[i] for i in kept))
