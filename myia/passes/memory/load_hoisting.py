"""What a loop reads in one place and leaves alone is read before it.

    %a = for %i < %n (%a = %x) {                    %r = read row %k of %x
      %1 = read %a at %k, %k                        %1 = read %r at 0, %k
      %a = for %j < %n (%a = %a) {                  %a = for %i < %n (%a = %x) {
        %2 = read %a at %k, %j                ->      %a = for %j < %n (%a = %a) {
        %3 = mul %1, %2                                 %2 = read %r at 0, %j
        %4 = write %3 into %a at %k + 1 + %i, %j        %3 = mul %1, %2
        yield %4                                        %4 = write %3 into %a at %k + 1 + %i, %j
      }                                                 yield %4
      yield %a                                        }
    }                                                 yield %a
                                                    }

As in elimination, where all rows below are changed by multiples of row k. Before derivatives are
taken: what the trips read is then recorded once, and not in every trip of the nest, and the
cotangent of a number that all trips read is a number.

Of an array that the loop changes, the part is what the read's indices that do not vary in the loop
say; it must lie apart from all stores (`linear_indices.py`), and must be read about once in every
trip.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod

from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value, walk
from myia.ir.rewrite import Env, rematerialize
from myia.passes.analysis.accesses import slice_sizes, start_indices
from myia.passes.analysis.array_versions import VersionChain, chains_by_version
from myia.passes.analysis.def_use import loop_variant_values
from myia.passes.analysis.linear_indices import IndexRanges, LinearForm
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.walk import look_up, rebuilt, rewrite_loops, substituted

MAX_UNUSED_ELEMENTS = 16  # elements that may be read in vain


def hoist_loads(function: Function) -> Function:
    """`function` with reads of what loops leave alone before these loops."""
    return rewrite_loops(function, partial(_emit_reading, ranges=IndexRanges(function.region)))


def _emit_reading(op: Op, ranges: IndexRanges) -> None:
    """Emit what can be read before the loop, and the loop without these reads."""
    loop = Loop.of(op)
    parts = list(_parts(loop, ranges))
    if not parts:
        append(op)
        return
    early: dict[Op, tuple[Value, _Part]] = {}
    for part in parts:
        value = part.emit(loop.body)
        early.update((read, (value, part)) for read in part.reads)
    regions = (*op.regions[:-1], _reading(loop.body, early, {}))
    append(Op(op.primitive, op.operands, op.params, regions, op.results, op.span))


# ----- What can be read before


@dataclass
class _Part:
    """A part of `array`: along each axis what starts at an index, or (None) all of it."""

    array: Value
    starts: tuple[Value | None, ...]
    sizes: tuple[int, ...]
    reads: list[Op]

    @property
    def is_window(self) -> bool:
        """Is this what the reads read, and not more?"""
        return None not in self.starts

    def emit(self, body: Region) -> Value:
        """Emit the read of this part, its indices as `body` computes them."""
        ops = [op for op in walk(body) if not op.primitive.structured]
        starts = iter(rematerialize([x for x in self.starts if x is not None], ops))
        with at(self.reads[0].span):
            place = [_zero() if x is None else next(starts) for x in self.starts]
            return dynamic_slice(self.array, *place, sizes=self.sizes)

    def read_again(self, read: Op, value: Value) -> None:
        """Emit the read of `value`, this part, in the place of `read`."""
        indices = zip(self.starts, read.operands[1:])
        place = [x if start is None else _zero() for start, x in indices]
        append(Op(dynamic_slice, (value, *place), read.params, (), read.results, read.span))

    def place(self, ranges: IndexRanges) -> tuple[LinearForm, ...]:
        return tuple(LinearForm() if x is None else ranges.linear_form(x) for x in self.starts)


def _parts(loop: Loop, ranges: IndexRanges) -> Iterable[_Part]:
    varying = loop_variant_values(loop.body)
    known = chains_by_version(loop)
    parts: dict[Hashable, _Part] = {}
    for read, times in _reads(loop.body, 1):
        array = read.operands[0]
        history = known.get(array, VersionChain(array))
        part = _part(read, history.origin, varying)
        if _worth_it(part, read, times, history) and _apart(part, history, ranges):
            place = tuple(frozenset(start.items()) for start in part.place(ranges))
            parts.setdefault((history.origin, part.sizes, place), part).reads.append(read)
    inside = _defined(loop.body)
    return [part for part in parts.values() if part.array not in inside]


def _defined(region: Region) -> set[Value]:
    """All values that are defined in a region, at any depth."""
    ops = list(walk(region))
    args = {x for op in ops for inner in op.regions for x in inner.args}
    return {*region.args, *args, *(y for op in ops for y in op.results)}


def _worth_it(part: _Part, read: Op, times: int, history: VersionChain) -> bool:
    """Does a trip read about as much as there is, at least if no store makes it worth more?"""
    size, whole = prod(part.sizes), part.array.aval.size
    if size >= whole:
        return False
    if part.is_window:
        return times > 0 or size <= MAX_UNUSED_ELEMENTS
    return bool(history.stores) and 2 * times * prod(read.params["sizes"]) >= size


def _part(read: Op, before: Value, varying: set[Value]) -> _Part:
    array, *starts = read.operands
    fixed = tuple(None if x in varying else x for x in starts)
    axes = zip(fixed, read.params["sizes"], array.shape)
    sizes = tuple(extent if x is None else size for x, size, extent in axes)
    return _Part(before, fixed, sizes, [])


def _apart(part: _Part, history: VersionChain, ranges: IndexRanges) -> bool:
    place, shape = part.place(ranges), part.array.shape
    windows = ((ranges.linear_forms(start_indices(op)), slice_sizes(op)) for op in history.stores)
    return all(ranges.are_disjoint(place, part.sizes, *window, shape) for window in windows)


def _reads(region: Region, times: int) -> Iterator[tuple[Op, int]]:
    """The reads of windows in a region, and how often they are made in inner loops.

    (At most; 0 of branches, which may never be taken.)
    """
    for op in region.ops:
        if op.primitive is dynamic_slice:
            yield op, times
        inner = (Loop.of(op).bound or 1) if op.primitive is loop_p else 0
        for nested in op.regions:
            yield from _reads(nested, times * inner)


# ----- What it becomes


def _zero() -> Value:
    return constant(0, I64.dtype)


def _reading(region: Region, early: Mapping[Op, tuple[Value, _Part]], env: Env) -> Region:
    """`region` with these reads made of the parts read before."""
    with Builder() as b:
        for op in region.ops:
            if op not in early:
                append(substituted(op, env, partial(_reading, early=early, env=env)))
                continue
            value, part = early[op]
            if part.is_window:
                env[op.results[0]] = value
            else:
                part.read_again(op, value)
    return rebuilt(region, b.ops, look_up(region.yields, env))
