"""Widening: the ops of a loop's body for many iterations, one row of each array per iteration.

    %1 = dynamic_slice %a, %k, %0 {sizes=(1, 5)}        %1 = dynamic_slice %a, %0, %0 {sizes=(9, 5)}
    %2 = reshape %1 {shape=(5,)}                  ->
    %3 = dot_general %2, %m                             %3 = dot_general %1, %m

A value that varies becomes a *batch*: an array with a new first axis, along which the iterations
lie. `outer_loop.py` says which loops are widened, `batching_rules.py` what an op is on batches.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at, emit1
from myia.ir.core import Op, Region, Value, walk
from myia.ir.rewrite import Env, clone_op, inline
from myia.passes.analysis.accesses import slice_sizes, start_indices
from myia.passes.analysis.array_reductions import ArrayReduction, ReductionStep, Stride
from myia.passes.analysis.loop_dependence import LoopSummary
from myia.passes.vectorize.batching_rules import batch, repeated
from myia.passes.vectorize.nest_dependence import NestSummary
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import flip, iota, reduce_sum, reshape, slice, transpose
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import add, mul, sub


def widen_iterations(
    loop: Loop,
    summary: LoopSummary | NestSummary,
    base: Value,
    carries: Sequence[Value],
    width: int,
) -> tuple[Value, ...]:
    """Emit `width` iterations of `loop`, beginning with `base`; returns the carries after them."""
    if width == 1:
        return inline(loop.body, (base, *carries))
    widener = _RowWidener(loop.body, summary, base, carries, width)
    for op in loop.body.ops:
        with at(op.span):
            widener.emit(op)
    return tuple(widener.yielded(y, x) for x, y in zip(loop.body.args[1:], loop.body.yields))


def _i64(n: int) -> Value:
    return constant(n, I64.dtype)


def _contraction(total: Op, product: Op) -> Op:
    """`reduce_sum(mul(x, y))` as a product of `x` and `y` that contracts the summed axes."""
    axes = total.params["axes"]
    kept = tuple(i for i in range(len(product.results[0].shape)) if i not in axes)
    params = {"contract": (axes, axes), "batch": (kept, kept)}
    return Op(dot_general, product.operands, params, (), total.results, total.span)


def _is_leading(axis: int, sizes: Sequence[int]) -> bool:
    """Are consecutive slices along `axis` consecutive in memory, so that no transpose is needed?

    XLA copies the whole array into another layout even for a transpose that changes nothing.
    """
    return all(n == 1 for n in sizes[:axis])


class _RowWidener:
    """Emits the ops of a loop's body for `width` iterations.

    The rows of a batch lie in the order in which most accesses go through memory. So if they go
    backwards, the first row is that of the last iteration.
    """

    def __init__(
        self,
        body: Region,
        summary: LoopSummary | NestSummary,
        base: Value,
        carries: Sequence[Value],
        width: int,
    ):
        self.summary, self.width = summary, width
        self.definitions = {y: op for op in walk(body) for y in op.results}
        self.carried = dict(zip(body.args[1:], carries))
        self.batches: Env = {}
        # Values of the first row: indices, arrays, and values that all iterations share.
        self.first: Env = {}
        for arg, carry in self.carried.items():
            self._set_carry(arg, carry)
        self._set_index(body.args[0], base)

    def _set_carry(self, arg: Value, carry: Value) -> None:
        """Each iteration gets a private partial sum, to be added to the carried sum at the end."""
        if arg in self.summary.partial_sums:
            self.batches[arg] = constant(0, arg.dtype, (self.width, *arg.shape))
        else:
            self.first[arg] = carry

    def _set_index(self, k: Value, base: Value) -> None:
        forwards, last = self.summary.direction > 0, _i64(self.width - 1)
        self.first[k] = base if forwards else add(base, last)
        steps = iota(shape=(self.width,), axis=0, dtype=I64.dtype)
        start = repeated(self.first[k], self.width)
        self.batches[k] = add(start, steps) if forwards else sub(start, steps)

    def emit(self, op: Op) -> None:
        """Emit `op` for all iterations. The ops of reductions are emitted by `yielded`."""
        if op in self.summary.reduction_ops:
            return
        stride = self.summary.strides.get(op)
        if op.primitive is loop_p:
            self._emit_loop(op)
        elif stride is None:
            self._emit_compute(op)
        elif op.primitive is dynamic_slice:
            array = self._array(op.operands[0])
            self.batches[op.results[0]] = self._load_rows(array, op, stride)
        elif op in self.summary.reduced_stores:
            array = self.first[op.operands[0]]
            reduction = self.summary.reduced_stores[op]
            self.first[op.results[0]] = self._apply_array_reduction(array, reduction)
        else:
            array, update = self.first[op.operands[0]], self._batch_of(op.operands[1])
            self.first[op.results[0]] = self._store_rows(array, update, op, stride)

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
                with at(each.span):
                    self.emit(each)
            yields = [self._widened_carry(y, arg) for y, arg in zip(loop.body.yields, args[1:])]
        # `nest_dependence.py`: the trip count is the same in all outer iterations.
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
        batch = self._batch_of(x)
        return reshape(batch, shape=(self.width, *(n for n in x.shape if n != 1)))

    def _set_widened(self, old: Sequence[Value], new: Sequence[Value], args: Sequence[Value]):
        """Record that `new` are the widened values of `old`, which belong to the carries `args`."""
        for x, y, arg in zip(old, new, args):
            if arg in self.summary.varying:
                self.batches[x] = reshape(y, shape=(self.width, *x.shape))
            else:
                self.first[x] = y

    def _emit_compute(self, op: Op) -> None:
        shared = [x not in self.batches for x in op.operands]
        # A load without a stride has the same slice in all iterations, even if its start indices
        # are batches, as `k + i - k` is.
        loads_shared_slice = op.primitive is dynamic_slice and shared[0]
        if loads_shared_slice or all(shared):
            self._emit_once(op)
            return
        if self._sums_products_with_shared_factor(op):
            # One matrix product; unless it has other uses, the batch of the product is dead code.
            op = _contraction(op, self.definitions[op.operands[0]])
            shared = [x not in self.batches for x in op.operands]
        (y,) = op.results
        operands = [self.batches.get(x) or self.first.get(x, x) for x in op.operands]
        self.batches[y] = batch(op, operands, shared, self.width)
        # An index is also computed as a scalar for the first row: accesses start there.
        if y.aval == I64 and all(x in self.first for x in op.operands if x in self.batches):
            append(clone_op(op, self.first))

    def _emit_once(self, op: Op) -> None:
        env = {x: self._in_first_row(x) for x in op.operands}
        append(clone_op(op, env))
        self.first.update((y, env[y]) for y in op.results)

    def _sums_products_with_shared_factor(self, op: Op) -> bool:
        product = self.definitions.get(op.operands[0]) if op.primitive is reduce_sum else None
        if product is None or product.primitive is not mul:
            return False
        return sum(x in self.batches for x in product.operands) == 1

    def _batch_of(self, x: Value) -> Value:
        """`x` in all iterations."""
        return self.batches.get(x) or repeated(self.first.get(x, x), self.width)

    # ----- Accesses

    def _array(self, x: Value) -> Value:
        """The array from which a load reads.

        If `x` is a version inside an array reduction, this is the array before the reduction: loads
        find elements to which nothing has been added yet.
        """
        while x not in self.first and x in self.definitions:
            x = self.definitions[x].operands[0]
        return self.first.get(x, x)

    def _load_rows(self, array: Value, op: Op, stride: Stride) -> Value:
        """The slices of `array` at which `op` loads or stores, one row per iteration."""
        sizes = slice_sizes(op)
        starts, widened = self._widened_starts(op, stride), self._widened_sizes(stride, sizes)
        rows = dynamic_slice(array, *starts, sizes=widened)
        if not _is_leading(stride.axis, sizes):
            axes = (stride.axis, *(axis for axis in range(len(sizes)) if axis != stride.axis))
            rows = transpose(rows, permutation=axes)
        return self._in_memory_order(reshape(rows, shape=(self.width, *sizes)), stride)

    def _store_rows(self, array: Value, rows: Value, op: Op, stride: Stride) -> Value:
        sizes, rows = slice_sizes(op), self._in_memory_order(rows, stride)
        if not _is_leading(stride.axis, sizes):
            # The transpose of `_load_rows`, undone.
            others = (n for axis, n in enumerate(sizes) if axis != stride.axis)
            axes = (*range(1, stride.axis + 1), 0, *range(stride.axis + 1, len(sizes)))
            rows = transpose(reshape(rows, shape=(self.width, *others)), permutation=axes)
        update = reshape(rows, shape=self._widened_sizes(stride, sizes))
        stored = dynamic_update_slice(array, update, *self._widened_starts(op, stride))
        stored.name = op.results[0].name
        return stored

    def _widened_starts(self, op: Op, stride: Stride) -> list[Value]:
        """The start indices of the slice that covers the accesses of all iterations."""
        starts = [self._in_first_row(x) for x in start_indices(op)]
        if not self._is_in_order(stride):
            starts[stride.axis] = sub(starts[stride.axis], _i64(self.width - 1))
        return starts

    def _in_first_row(self, x: Value) -> Value:
        """`x` in the first row; taken from its batch if it has not been computed as a scalar."""
        if x in self.first or x not in self.batches:
            return self.first.get(x, x)
        return reshape(slice(self.batches[x], start=(0,), limit=(1,), stride=(1,)), shape=())

    def _widened_sizes(self, stride: Stride, sizes: Sequence[int]) -> tuple[int, ...]:
        return tuple(self.width if i == stride.axis else n for i, n in enumerate(sizes))

    def _is_in_order(self, stride: Stride) -> bool:
        return stride.step == self.summary.direction

    def _in_memory_order(self, x: Value, stride: Stride) -> Value:
        """Rows from the order of batches to the order of this access, or back."""
        return x if self._is_in_order(stride) else flip(x, axes=(0,))

    # ----- What the loop yields

    def yielded(self, y: Value, arg: Value) -> Value:
        """The carry `arg` after all iterations, of which each yields `y` for it."""
        if arg in self.summary.partial_sums:
            total = reduce_sum(self.batches[y], axes=(0,))
            return add(self.carried[arg], total, reassoc=True)
        if y in self.summary.reductions:
            return self._apply_reduction(self.summary.reductions[y], self.carried[arg])
        if y in self.summary.array_reductions:
            return self._apply_array_reductions(self.summary.array_reductions[y], self.carried[arg])
        return self.first[y]

    def _apply_reduction(self, steps: Sequence[ReductionStep], carry: Value) -> Value:
        """The carried sum plus the sums of the contributions of all iterations."""
        for step in steps:
            with at(step.op.span):
                total = self._sum_over_iterations(step.op.operands[step.term_position])
                carry = add(carry, reshape(total, shape=carry.shape), reassoc=True)
        return carry

    def _sum_over_iterations(self, x: Value) -> Value:
        """The sum of `x`; of a product, it is a product that contracts the iterations too."""
        op = self.definitions.get(x)
        product = op is not None and op.primitive is dot_general
        if product and all(factor in self.batches for factor in op.operands):
            # Unless it has other uses, the batch of the products is dead code.
            return self._contract_iterations(op)
        return reduce_sum(self._batch_of(x), axes=(0,))

    def _contract_iterations(self, op: Op) -> Value:
        axes = {name: tuple(tuple(i + 1 for i in xs) for xs in op.params[name])
                for name in ("contract", "batch")}  # fmt: skip
        axes["contract"] = tuple((0, *xs) for xs in axes["contract"])
        return dot_general(*(self.batches[x] for x in op.operands), **axes)

    def _apply_array_reductions(self, reductions: Sequence[ArrayReduction], array: Value) -> Value:
        for reduction in reductions:
            with at(reduction.store.span):
                array = self._apply_array_reduction(array, reduction)
        return array

    def _apply_array_reduction(self, array: Value, reduction: ArrayReduction) -> Value:
        """The array plus all that the iterations add at the start indices of one store."""
        store = reduction.store
        stride = self.summary.strides[store]
        rows = self._load_rows(array, store, stride)
        for step in reduction.steps:
            term = reshape(self._batch_of(step.op.operands[step.term_position]), shape=rows.shape)
            operands = (rows, term) if step.term_position else (term, rows)
            rows = emit1(step.op.primitive, *operands, **step.op.params)
        return self._store_rows(array, rows, store, stride)
