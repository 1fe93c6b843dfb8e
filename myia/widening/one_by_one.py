"""One entry after the other: ops without a batching rule, and accesses at any indices.

%y = sort %x    ->    for %i < width: the sort of entry %i of %x becomes entry %i of %y
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from myia.ir.avals import I64, Aval
from myia.ir.builder import append, emit1
from myia.ir.core import Op, Value, reads
from myia.ir.rewrite import clone_op
from myia.primitives.arrays.dynamic_slices import (
    STORES,
    dynamic_slice,
    dynamic_update_add,
    dynamic_update_slice,
    slice_sizes,
    start_indices,
)
from myia.primitives.arrays.shaping import broadcast, reshape
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.pointwise.arithmetic import sub
from myia.primitives.pointwise.logic import select
from myia.widening.wide_values import WideValues, entry_at


def emit_one_by_one(values: WideValues, op: Op) -> None:
    """Emit `op` for one entry after the other."""
    if op.primitive is dynamic_slice:
        x = op.operands[0]
        array = values.wide.get(x) or values.first.get(x, x)
        values.wide[op.results[0]] = load_one_by_one(values, array, op)
    elif op.primitive in STORES:
        array, update = (values.widened(x) for x in op.operands[:2])
        values.wide[op.results[0]] = store_one_by_one(values, array, update, op)
    else:
        values.wide.update(zip(op.results, _any_op_one_by_one(values, op)))


def _any_op_one_by_one(values: WideValues, op: Op) -> Sequence[Value]:
    """One with regions does not run for entries that do not run: it might never end."""
    operands, mask = list(dict.fromkeys(reads(op))), values.mask

    def run(i: Value) -> list[Value]:
        env = {x: values.at(x, i) for x in operands}
        append(clone_op(op, env))
        return [env[y] for y in op.results]

    def run_if_running(i: Value) -> Sequence[Value]:
        if not op.regions or mask is None:
            return run(i)
        runs = reshape(entry_at(mask, i), shape=())
        return if_(runs, lambda: run(i), lambda: [zeros(y.aval) for y in op.results])

    return _stacked(values, [y.aval for y in op.results], run_if_running)


def load_one_by_one(values: WideValues, array: Value, op: Op) -> Value:
    """The slices of `array` at which `op` loads or stores; each entry may have an array itself."""
    sizes = slice_sizes(op)

    def loaded(i: Value) -> list[Value]:
        start, widened = _slice_of_entry(values, array, op, i)
        return [dynamic_slice(array, *start, sizes=widened)]

    (y,) = _stacked(values, [Aval(array.dtype, sizes)], loaded)
    return y


def store_one_by_one(values: WideValues, array: Value, update: Value, op: Op) -> Value:
    """`array` after the stores of all entries that run, in the order of the iterations."""

    def body(k: Value, array: Value) -> list[Value]:
        i = k if values.axis.is_forwards else sub(values.last(), k)
        start, sizes = _slice_of_entry(values, array, op, i)
        new = reshape(entry_at(update, i), shape=sizes)
        if values.mask is not None:
            # What adds, adds zero; what stores, stores what was there.
            old = dynamic_slice(array, *start, sizes=sizes)
            runs = reshape(entry_at(values.mask, i), shape=())
            old = zeros(old.aval) if op.primitive is dynamic_update_add else old
            new = select(broadcast(runs, shape=sizes, dims=()), new, old)
        return [emit1(op.primitive, array, new, *start)]

    (array,) = _for_each_entry(values, [array], body)
    return array


def _slice_of_entry(
    values: WideValues, array: Value, op: Op, i: Value
) -> tuple[list[Value], tuple[int, ...]]:
    """Start indices and sizes of the access of entry `i`, in its own array or a shared one."""
    start, sizes = [values.at(x, i) for x in start_indices(op)], slice_sizes(op)
    has_own_array = len(array.shape) > len(sizes)
    return ([i, *start], (1, *sizes)) if has_own_array else (start, sizes)


def _stacked(
    values: WideValues, avals: Sequence[Aval], compute: Callable[[Value], Sequence[Value]]
) -> Sequence[Value]:
    """What `compute` returns for each entry, as wide values; `avals` are those of one entry."""

    def body(i: Value, *stacks: Value) -> list[Value]:
        new = [reshape(y, shape=(1, *s.shape[1:])) for y, s in zip(compute(i), stacks)]
        zero = constant(0, I64.dtype)
        return [
            dynamic_update_slice(s, y, i, *(zero for _ in s.shape[1:])) for s, y in zip(stacks, new)
        ]

    shapes = [(values.axis.width, *values.row_shape(a.shape)) for a in avals]
    init = [constant(0, a.dtype, shape) for a, shape in zip(avals, shapes)]
    return _for_each_entry(values, init, body)


def _for_each_entry(
    values: WideValues, init: Sequence[Value], body: Callable[..., Sequence[Value]]
) -> Sequence[Value]:
    width = values.axis.width
    return loop(init, body, count=constant(width, I64.dtype), bound=width)
