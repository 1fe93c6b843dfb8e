"""Calls of functions that are being called already: which recursions become a state machine.

Calls are inlined, so a recursion is unrolled. That ends if compile-time values bound it. It does
not if a call under a run-time condition has the arguments of a call around it, but for numbers
known at run time: then the outermost of these calls is inferred again, as a machine (`machine.py`).
So it is where the calls are many, if the machine can be compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from myia.infer.domain.context import Context, Frame
from myia.infer.domain.errors import CertainError
from myia.infer.domain.facts import Answer
from myia.infer.domain.heap import ListObject
from myia.infer.domain.heap_arrays import STATIC_ARRAYS, array_aval
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, Tuple, same_static
from myia.infer.recursion.machine import Machine, Reached
from myia.infer.unsupported import UnsupportedRecursion
from myia.ir.code import Code
from myia.ir.core import Op
from myia.source.diagnostics import MyiaError
from myia.source.process import recursion_limit

MANY_CALLS = 64  # of a function inside itself, under run-time conditions
MAX_GROWN = 2**20  # elements of its arguments, if the outermost call has fewer
MAX_GROWN_ITEMS = 2**12  # of its lists, tuples and texts: inference looks at each
MANY_IN_ALL = 256  # of the same, one after the other too

SEQUENCES = (str, bytes, tuple)

Arguments = tuple[Abstract, ...]
Cells = dict[str, Abstract]


class Recursion(Exception):
    """The frame with the number `base` begins a recursion through the calls `sites`.

    `is_certain`: it has no end at compile time.
    """

    def __init__(self, base: int, sites: set[Op], codes: set[Code], is_certain: bool) -> None:
        super().__init__()
        self.base, self.sites, self.codes, self.is_certain = base, sites, codes, is_certain


def stop(ctx: Context, code: Code, arguments: Arguments, cells: Cells | None) -> None:
    """Stop the inference of a call that belongs to a recursion."""
    for machine in reversed(ctx.machines):
        if code in machine.codes:
            innermost = machine is ctx.machines[-1] and len(ctx.frames) == machine.depth
            if innermost and machine.awaits_call:
                raise Reached(code, arguments, ctx.cells_of(code) if cells is None else cells)
            machine.cut(*_calls_since(ctx, machine.depth))
    found = [i for i, frame in enumerate(ctx.frames) if _is_call(frame, code, arguments)]
    if not found or code in ctx.unrolled:
        return
    here = len(ctx.frames)
    first = ctx.frames[found[0]]
    if ctx.open_paths + ctx.loop_depth == first.open_paths:
        return
    _refuse_growth(ctx, first.arguments or (), arguments)
    first.calls += 1
    certain = any(_same_kind(ctx, ctx.frames[i].arguments or (), arguments) for i in found)
    if certain or len(found) >= MANY_CALLS or first.calls >= MANY_IN_ALL:
        sites, codes = _calls_since(ctx, found[0] + 1)
        assert here > found[0]
        raise Recursion(found[0], sites, codes, certain)


def _is_call(frame: Frame, code: Code, arguments: Arguments) -> bool:
    """Whether a frame is a call of the same code with the same captured variables."""
    n = len(code.captured)
    return (
        frame.code is code and frame.arguments is not None and frame.arguments[:n] == arguments[:n]
    )


def _refuse_growth(ctx: Context, first: Arguments, arguments: Arguments) -> None:
    """Refuse a recursion that doubles its arguments until nothing can hold them."""
    size = _elements(ctx, arguments)
    if size > MAX_GROWN > _elements(ctx, first):
        ctx.fail(
            UnsupportedRecursion,
            what=f"a recursion on run-time values whose arrays grow to {size:,} elements",
            help_text="give the array its greatest size before, and pass how much of it is used",
        )
    size = _items(ctx, arguments)
    if size > MAX_GROWN_ITEMS > _items(ctx, first):
        ctx.fail(
            UnsupportedRecursion,
            what=f"a recursion on run-time values whose lists or tuples grow to {size:,} items",
            help_text="bound the recursion by a compile-time number",
        )


def _elements(ctx: Context, xs: Sequence[Abstract]) -> int:
    """How many elements the arrays among arguments have."""
    arrays = (x.id for x in xs if isinstance(x, Ref) and x.id in ctx.heap)
    static = (i for i in arrays if isinstance(ctx.heap[i], STATIC_ARRAYS))
    return sum(prod(array_aval(ctx.heap, i).shape) for i in static)


def _items(ctx: Context, xs: Sequence[Abstract]) -> int:
    """How many items tuples, lists and compile-time values have, with those inside them."""
    sizes: dict[int, int] = {}  # by `id`: a tuple that holds one twice has it twice

    def size(x: Abstract) -> int:
        if id(x) not in sizes:
            sizes[id(x)] = 0  # of a list that holds itself
            sizes[id(x)] = of(x)
        return sizes[id(x)]

    def of(x: Abstract) -> int:
        if isinstance(x, Tuple):
            return 1 + sum(map(size, x.items))
        if isinstance(x, Ref) and isinstance(ctx.heap.objects.get(x.id), ListObject):
            return 1 + sum(map(size, ctx.contents_as(x, ListObject).items))
        return len(x.value) if isinstance(x, Static) and isinstance(x.value, SEQUENCES) else 1

    return sum(map(size, xs))


def _same_kind(ctx: Context, xs: Sequence[Abstract], ys: Sequence[Abstract]) -> bool:
    """Whether two groups of arguments differ in numbers known at run time only."""
    return len(xs) == len(ys) and all(_is_alike(ctx, x, y) for x, y in zip(xs, ys))


def _is_alike(ctx: Context, x: Abstract, y: Abstract) -> bool:
    if isinstance(x, Ref) and isinstance(y, Ref) and x != y:
        arrays = all(r.id in ctx.heap and isinstance(ctx.heap[r.id], STATIC_ARRAYS) for r in (x, y))
        return arrays and array_aval(ctx.heap, x.id) == array_aval(ctx.heap, y.id)
    if isinstance(x, Scalar) and isinstance(y, Scalar):
        return x.value.aval == y.value.aval and x.weak == y.weak
    if isinstance(x, Static) and isinstance(y, Static):
        return same_static(x.value, y.value)
    return x.key() == y.key() and _same_kind(ctx, x.children(), y.children())


def _calls_since(ctx: Context, start: int) -> tuple[set[Op], set[Code]]:
    """The calls by which frames from number `start` on and the present one came to be."""
    sites = {frame.call for frame in ctx.frames[start:]} | {ctx.calling}
    codes = {frame.code for frame in ctx.frames[start - 1 :]}
    for machine in ctx.machines:
        if machine.depth > start:
            sites |= machine.sites
            codes |= machine.codes
    known = {op for op in sites if op is not None}
    if len(known) < len(sites):
        ctx.fail(
            UnsupportedRecursion,
            what="a recursion on run-time values through an operator, an attribute or a function "
            "of a library",
        )
    return known, codes


def call(
    ctx: Context,
    code: Code,
    arguments: Arguments,
    cells: Cells | None,
    plain: Callable[[], Abstract],
) -> Abstract:
    """The result of `plain()`, or of the machine if the call begins a recursion that needs one."""
    here, op = len(ctx.frames), ctx.calling
    saved = ctx.heap.copy()
    mark = ctx.mark()
    while True:
        try:
            return plain()
        except Recursion as found:
            if found.base != here:
                raise
            recursion = found
        ctx.rewind(saved, mark)
        limit = ctx.fact(Answer(recursion_limit))
        machine = Machine(ctx, limit, recursion.sites, {code, *recursion.codes})
        machines = ctx.machines
        ctx.machines, ctx.calling = [*machines, machine], op
        try:
            return machine.run(code, arguments, ctx.cells_of(code) if cells is None else cells)
        except MyiaError as error:
            if recursion.is_certain or isinstance(error, CertainError):
                raise
            ctx.unrolled.add(code)
        finally:
            ctx.machines = machines
            ctx.calling = op
        ctx.rewind(saved, mark)
