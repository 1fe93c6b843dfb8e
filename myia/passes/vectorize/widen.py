"""Widening: the ops of a loop's body for many iterations together, each value with one more axis.

    %1 = dynamic_slice %a, %k, %0 {sizes=(1, 5)}        %1 = dynamic_slice %a, %0, %0 {sizes=(9, 5)}
    %2 = reshape %1 {shape=(5,)}                  ->
    %3 = dot_general %2, %m                             %3 = dot_general %1, %m

Entries of the new axis lie in the order in which most accesses go through memory: if they go
backwards, the first is that of the last iteration.

`inner_loop.py` and `outer_loop.py` say which loops are widened.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at
from myia.ir.core import Op, Region, Value, walk
from myia.ir.rewrite import clone_op, inline
from myia.passes.analysis.accesses import Stride
from myia.passes.analysis.loop_summary import LoopSummary
from myia.passes.analysis.reductions import SHAPE_CHANGES, ArrayReduction
from myia.passes.vectorize.batching_rules import batch
from myia.passes.vectorize.wide_values import Axis, Layout, WideValues
from myia.passes.vectorize.widened_accesses import gather, load, store
from myia.passes.vectorize.widened_reductions import apply_reduction, combine
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.arrays.shaping import reduce_sum, reshape
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import add, mul


def widen_iterations(
    loop: Loop,
    summary: LoopSummary,
    base: Value,
    carries: Sequence[Value],
    width: int,
    layout: Layout,
) -> tuple[Value, ...]:
    """Emit `width` iterations of `loop`, beginning with `base`; returns the carries after them."""
    if width == 1:
        return inline(loop.body, (base, *carries))
    widener = Widener(loop.body, summary, Axis(width, summary.direction), layout)
    widener.values.set_index(loop.body.args[0], base)
    widener.set_carries(carries)
    for op in loop.body.ops:
        widener.emit(op)
    return tuple(map(widener.yielded, loop.body.yields, loop.body.args[1:]))


class Widener:
    """Emits the ops of a loop's body for all entries of an axis."""

    def __init__(self, body: Region, summary: LoopSummary, axis: Axis, layout: Layout):
        self.summary, self.axis = summary, axis
        self.values = WideValues(axis, layout)
        self.wide, self.first = self.values.wide, self.values.first
        self.args = body.args[1:]
        self.carried: dict[Value, Value] = {}
        self.definitions = {y: op for op in walk(body) for y in op.results}
        self.done: set[Op] = set(summary.reduction_ops)  # `yielded` emits these

    def set_carries(self, carries: Sequence[Value]) -> None:
        """What the loop carries before the iterations."""
        self.carried.update(zip(self.args, carries))
        for arg, carry in self.carried.items():
            if arg in self.summary.partial_sums:
                # Each iteration gets a private partial sum, to be added to the carried one.
                self.wide[arg] = constant(0, arg.dtype, (self.axis.width, *arg.shape))
            elif arg not in self.summary.recurrences:
                self.first[arg] = carry

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
        if op.primitive is loop_p:
            self._emit_loop(op)
        elif op in self.summary.gathers:
            self.wide[op.results[0]] = gather(self.values, op)
        elif stride is None:
            self._emit_compute(op)
        elif op.primitive is dynamic_slice:
            array = self._array(op.operands[0])
            self.wide[op.results[0]] = load(self.values, array, op, stride)
        elif op in self.summary.reduced_stores:
            array = self.first[op.operands[0]]
            reduction = self.summary.reduced_stores[op]
            self.first[op.results[0]] = self._apply_array_reduction(array, reduction)
        else:
            array, update = self.first[op.operands[0]], self.values.widened(op.operands[1])
            self.first[op.results[0]] = store(self.values, array, update, op, stride)

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
        shared = [x not in self.wide for x in op.operands]
        # A load without a stride has the same slice in all iterations, even if its start indices
        # are wide, as `k + i - k` is.
        loads_shared_slice = op.primitive is dynamic_slice and shared[0]
        if loads_shared_slice or all(shared):
            self._emit_once(op)
            return
        if self._sums_products_with_shared_factor(op):
            # One matrix product; unless it has other uses, the wide product is dead code.
            op = _contraction(op, self.definitions[op.operands[0]])
            shared = [x not in self.wide for x in op.operands]
        (y,) = op.results
        operands = [self.wide.get(x) or self.values.shared(x) for x in op.operands]
        if self.values.layout == "vector" and op.primitive in SHAPE_CHANGES:
            (self.wide[y],) = operands
        else:
            self.wide[y] = batch(op, operands, shared, self.axis.width)
        # An index is also computed as a scalar for the first entry: accesses start there.
        if y.aval == I64 and all(x in self.first for x in op.operands if x in self.wide):
            append(clone_op(op, self.first))

    def _emit_once(self, op: Op) -> None:
        env = {x: self.values.in_first(x) for x in op.operands}
        append(clone_op(op, env))
        self.first.update((y, env[y]) for y in op.results)

    def _sums_products_with_shared_factor(self, op: Op) -> bool:
        product = self.definitions.get(op.operands[0]) if op.primitive is reduce_sum else None
        if product is None or product.primitive is not mul:
            return False
        return sum(x in self.wide for x in product.operands) == 1

    # ----- Inner loops

    def _emit_loop(self, op: Op) -> None:
        """An inner loop: each of its iterations runs for all outer iterations together."""
        loop = Loop.of(op)
        args = loop.body.args
        carries = [self._widened_carry(x, arg) for x, arg in zip(loop.carries, args[1:])]
        k, *inner = (Value(x.aval, arg.name) for x, arg in zip((args[0], *carries), args))
        self.first[args[0]] = k
        with Builder() as b:
            self._set_widened(args[1:], inner, args[1:])
            for each in loop.body.ops:
                self.emit(each)
            yields = [self._widened_carry(y, arg) for y, arg in zip(loop.body.yields, args[1:])]
        # `loop_summary.py`: the trip count is the same in all outer iterations.
        count = self.first.get(loop.count, loop.count)
        results = tuple(Value(x.aval, y.name) for x, y in zip(carries, op.results))
        body = Region((k, *inner), tuple(b.ops), tuple(yields))
        append(Op(loop_p, (count, *carries), op.params, (body,), results, op.span))
        self._set_widened(op.results, results, args[1:])

    def _widened_carry(self, x: Value, arg: Value) -> Value:
        """`x`, which becomes the carry `arg` of an inner loop, for all iterations.

        Axes of one element are removed: XLA would copy arrays that have them into another layout in
        every iteration.
        """
        if arg not in self.summary.varying:
            return self.first.get(x, x)
        shape = (self.axis.width, *(n for n in x.shape if n != 1))
        return reshape(self.values.widened(x), shape=shape)

    def _set_widened(self, old: Sequence[Value], new: Sequence[Value], args: Sequence[Value]):
        """Record that `new` are the widened values of `old`, which belong to the carries `args`."""
        for x, y, arg in zip(old, new, args):
            if arg in self.summary.varying:
                self.wide[x] = reshape(y, shape=(self.axis.width, *x.shape))
            else:
                self.first[x] = y

    # ----- What the loop yields

    def yielded(self, y: Value, arg: Value) -> Value:
        """The carry `arg` after all iterations, of which each yields `y` for it."""
        if arg in self.summary.partial_sums:
            total = reduce_sum(self.wide[y], axes=(0,))
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
            elements = load(self.values, array, into, stride)
            for step in reduction.steps:
                term = self.values.widened(step.op.operands[step.term_position])
                elements = combine(step, elements, reshape(term, shape=elements.shape))
            return store(self.values, array, elements, into, stride)


def _contraction(total: Op, product: Op) -> Op:
    """`reduce_sum(mul(x, y))` as a product of `x` and `y` that contracts the summed axes."""
    axes = total.params["axes"]
    kept = tuple(i for i in range(len(product.results[0].shape)) if i not in axes)
    params = {"contract": (axes, axes), "batch": (kept, kept)}
    return Op(dot_general, product.operands, params, (), total.results, total.span)
