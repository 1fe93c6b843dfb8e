"""The widener: the ops of a region, each value with one more axis.

    %1 = dynamic_slice %a, %k, %0 {sizes=(1, 5)}        %1 = dynamic_slice %a, %0, %0 {sizes=(9, 5)}
    %2 = reshape %1 {shape=(5,)}                  ->
    %3 = dot_general %2, %m                             %3 = dot_general %1, %m

The axis is a range of iterations of a loop (`widen_iterations`), or the examples of a batch
(`widen_examples`). Iterations share the arrays that the loop carries, and stores change them for
all. Examples share only what does not vary: a store at a place that does not depend on the axis
changes each example's own array.

Iterations lie along the axis in the order in which most accesses go through memory: if they go
backwards, the first entry is the last iteration.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.avals import I64
from myia.ir.builder import append, at
from myia.ir.core import Op, Region, Value, reads, walk
from myia.ir.rewrite import clone_op, inline
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_slice,
    slice_sizes,
    start_indices,
)
from myia.primitives.arrays.shaping import reduce_sum, reshape
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, call_p, if_p, loop_p
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import add, mul
from myia.source.diagnostics import InternalError
from myia.widening.accesses import gather, load, store
from myia.widening.batching_rules import batch, can_batch
from myia.widening.one_by_one import emit_one_by_one
from myia.widening.reductions import apply_reduction, combine, sum_over_iterations
from myia.widening.regions import emit_branches, emit_loop
from myia.widening.summary import (
    SHAPE_CHANGES,
    ArrayReduction,
    LoopSummary,
    Stride,
    varying_values,
)
from myia.widening.wide_values import Axis, Layout, WideValues


def widen_iterations(
    loop: Loop,
    summary: LoopSummary,
    base: Value,
    carries: Sequence[Value],
    width: int,
    layout: Layout,
    mask: Value | None = None,
) -> tuple[Value, ...]:
    """Emit `width` iterations of `loop`, beginning with `base`; returns the carries after them.

    With a `mask`, only these iterations run.
    """
    if width == 1 and mask is None:
        return inline(loop.body, (base, *carries))
    widener = Widener(summary, Axis(width, summary.direction), mask, layout)
    widener.values.set_index(loop.body.args[0], base)
    widener.set_carries(loop.body.args[1:], carries)
    widener.run(loop.body)
    return tuple(map(widener.yielded, loop.body.yields, loop.body.args[1:]))


def widen_examples(
    region: Region,
    args: Sequence[Value],
    varies: Sequence[bool],
    width: int,
    mask: Value | None = None,
) -> tuple[Value, ...]:
    """Emit `region` for `width` examples; returns what it yields for each of them.

    Only tests call it: the examples of `vmap` are iterations of a loop, which `passes/vectorize/`
    widens by `widen_iterations`.

    The arguments that vary have the new axis, and so have all results. With a `mask`, the results
    of the other examples are unspecified.
    """
    sources = [arg for arg, varying in zip(region.args, varies, strict=True) if varying]
    widener = Widener(LoopSummary(varying_values(region, sources)), Axis(width), mask, "rows")
    for arg, x, varying in zip(region.args, args, varies, strict=True):
        (widener.wide if varying else widener.first)[arg] = x
    widener.run(region)
    return tuple(map(widener.values.widened, region.yields))


class Widener:
    """Emits the ops of regions for all entries of an axis that run."""

    def __init__(self, summary: LoopSummary, axis: Axis, mask: Value | None, layout: Layout):
        if mask is not None and summary.recurrences:
            raise InternalError("a recurrence under a mask")
        self.summary, self.axis = summary, axis
        self.values = WideValues(summary.varying, axis, mask, layout)
        self.wide, self.first = self.values.wide, self.values.first
        self.carried: dict[Value, Value] = {}
        self.definitions: dict[Value, Op] = {}
        self.done: set[Op] = set()

    def set_carries(self, args: Sequence[Value], carries: Sequence[Value]) -> None:
        """What the loop carries before the iterations."""
        self.carried.update(zip(args, carries))
        for arg, carry in self.carried.items():
            if arg in self.summary.partial_sums:
                # Each iteration gets a private partial sum, to be added to the carried one.
                self.wide[arg] = constant(0, arg.dtype, (self.axis.width, *arg.shape))
            elif arg not in self.summary.recurrences:
                self.first[arg] = carry

    def run(self, region: Region) -> None:
        """Emit the ops of a region, whose arguments have been bound; also once more."""
        ops = list(walk(region))
        if any(op.primitive.effect for op in ops):
            raise InternalError("an op with an effect cannot be widened")
        self.definitions.update((y, op) for op in ops for y in op.results)
        self.done.difference_update(ops)
        self.done |= self.summary.reduction_ops  # `yielded` emits these
        for op in region.ops:
            self.emit(op)

    def emit(self, op: Op) -> None:
        """Emit `op`, after the ops on which it depends, unless that has been done.

        A recurrence makes an op depend on what comes later in the body: the value that the previous
        iteration yields.
        """
        if op in self.done:
            return
        self.done.add(op)
        for x in op.operands:
            self._emit_definition(x)
        with at(op.span):
            self._emit(op, self.summary.strides.get(op))

    def _emit_definition(self, x: Value) -> None:
        last = self.summary.recurrences.get(x, x)
        if last in self.definitions:
            self.emit(self.definitions[last])
        if last is not x and x not in self.wide:
            self.wide[x] = self.values.shifted(last, self.carried[x])

    def _emit(self, op: Op, stride: Stride | None) -> None:
        if op.primitive.structured:
            self._emit_structured(op)
        elif op in self.summary.gathers:
            self.wide[op.results[0]] = gather(self.values, op)
        elif op not in self.summary.strides:
            self._emit_compute(op)
        elif op in self.summary.reduced_stores:
            array = self.first[op.operands[0]]
            reduction = self.summary.reduced_stores[op]
            self.first[op.results[0]] = self._apply_array_reduction(array, reduction)
        elif op.primitive is not dynamic_slice:
            array, update = self.first[op.operands[0]], self.values.widened(op.operands[1])
            self.first[op.results[0]] = self._store(array, update, op)
        elif stride is not None:
            array = self._array(op.operands[0])
            self.wide[op.results[0]] = load(self.values, array, op, stride)
        else:
            # The same slice in all iterations, even if start indices are wide, as `k + i - k` is.
            self._emit_once(op)

    def _store(self, array: Value, update: Value, op: Op) -> Value:
        array = store(self.values, array, update, op, self.summary.strides[op])
        array.name = op.results[0].name
        return array

    def _emit_structured(self, op: Op) -> None:
        adds = any(x in self.summary.reduced_stores for r in op.regions for x in walk(r))
        if not adds and all(x not in self.wide for x in reads(op)):
            self._emit_once(op)
        elif op.primitive is if_p:
            emit_branches(self.values, op, self.run)
        elif op.primitive is loop_p:
            emit_loop(self.values, op, self.run)
        elif op.primitive is call_p:
            self._emit_call(op)
        else:
            emit_one_by_one(self.values, op)

    def _emit_call(self, op: Op) -> None:
        (body,) = op.regions
        self._rename(op.operands, body.args)
        self.run(body)
        self._rename(body.yields, op.results)

    def _rename(self, old: Sequence[Value], new: Sequence[Value]) -> None:
        for x, y in zip(old, new):
            if x in self.wide:
                self.wide[y] = self.wide[x]
            else:
                self.first[y] = self.first.get(x, x)

    def _array(self, x: Value) -> Value:
        """The array from which a load reads.

        If `x` is a version inside an array reduction, this is the array before the reduction: loads
        find elements to which nothing has been added yet.
        """
        while x not in self.first and x in self.definitions:
            x = self.definitions[x].operands[0]
        return self.first.get(x, x)

    # ----- Ops that compute

    def _emit_compute(self, op: Op) -> None:
        if all(x not in self.wide for x in op.operands):
            self._emit_once(op)
            return
        if self._sums_products_with_shared_factor(op):
            # One matrix product; unless it has other uses, the wide product is dead code.
            op = _contraction(op, self.definitions[op.operands[0]])
        if not can_batch(op, self.wide.keys()):
            emit_one_by_one(self.values, op)
            return
        operands = [self.wide.get(x) or self.values.shared(x) for x in op.operands]
        if self.values.layout == "vector" and op.primitive in SHAPE_CHANGES:
            found = tuple(operands)
        else:
            shared = [x not in self.wide for x in op.operands]
            found = batch(op, operands, shared, self.axis.width)
        self.wide.update(zip(op.results, found))
        y = op.results[0]
        # An index is also computed as a scalar for the first entry: accesses start there.
        if y.aval == I64 and all(x in self.first for x in op.operands if x in self.wide):
            append(clone_op(op, self.first))

    def _emit_once(self, op: Op) -> None:
        env = {x: self.values.in_first(x) for x in reads(op)}
        append(clone_op(op, env))
        self.first.update((y, env[y]) for y in op.results)

    def _sums_products_with_shared_factor(self, op: Op) -> bool:
        product = self.definitions.get(op.operands[0]) if op.primitive is reduce_sum else None
        if product is None or product.primitive is not mul:
            return False
        return sum(x in self.wide for x in product.operands) == 1

    # ----- What the loop yields

    def yielded(self, y: Value, arg: Value) -> Value:
        """The carry `arg` after all iterations, of which each yields `y` for it."""
        if arg in self.summary.partial_sums:
            total = reduce_sum(self.values.where_run(self.wide[y], 0), axes=(0,))
            return add(self.carried[arg], total, reassoc=True)
        if y in self.summary.reductions:
            steps = self.summary.reductions[y]
            return apply_reduction(self.values, self.definitions, steps, self.carried[arg])
        if y in self.summary.array_reductions:
            array = self.carried[arg]
            for reduction in self.summary.array_reductions[y]:
                array = self._apply_array_reduction(array, reduction)
            return array
        return self.values.after_last(y) if arg in self.summary.recurrences else self.first[y]

    def _apply_array_reduction(self, array: Value, reduction: ArrayReduction) -> Value:
        """The array plus all that the iterations add at the start indices of one store."""
        into = reduction.store
        stride = self.summary.strides[into]
        with at(into.span):
            if stride is None:
                return self._add_to_one_slice(array, reduction)
            elements = load(self.values, array, into, stride)
            for step in reduction.steps:
                term = reshape(self.values.widened(step.term), shape=elements.shape)
                elements = combine(step, elements, term)
            return self._store(array, elements, into)

    def _add_to_one_slice(self, array: Value, reduction: ArrayReduction) -> Value:
        """All iterations add to the same slice."""
        into = reduction.store
        starts = [self.values.in_first(x) for x in start_indices(into)]
        elements = dynamic_slice(array, *starts, sizes=slice_sizes(into))
        for step in reduction.steps:
            total = sum_over_iterations(self.values, self.definitions, step)
            elements = combine(step, elements, reshape(total, shape=elements.shape))
        return dynamic_update_slice(array, elements, *starts)


def _contraction(total: Op, product: Op) -> Op:
    """`reduce_sum(mul(x, y))` as a product of `x` and `y` that contracts the summed axes."""
    axes = total.params["axes"]
    kept = tuple(i for i in range(len(product.results[0].shape)) if i not in axes)
    params = {"contract": (axes, axes), "batch": (kept, kept)}
    return Op(dot_general, product.operands, params, (), total.results, total.span)
