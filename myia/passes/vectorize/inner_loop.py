"""Vectorization of innermost loops over elements, strip-mined by the vector width 8.

    %a, %s = for %k < %n (...) bound 90 {               %m = truncdiv %n, 8
      %1 = dynamic_slice %b, %k {sizes=(1,)}            %a, %s = for %q < %m (...) bound 11 {
      %2 = dynamic_slice %a, %k {sizes=(1,)}              %k = mul %q, 8
      %3 = mul %1, %2                                     %1 = dynamic_slice %b, %k {sizes=(8,)}
      %4 = dynamic_update_slice %a, %3, %k                %2 = dynamic_slice %a, %k {sizes=(8,)}
      %5 = add %s, %3                             ->      %3 = mul %1, %2
      yield %4, %5                                        %4 = dynamic_update_slice %a, %3, %k
    }                                                     %5 = slice %3 {start=(0,), limit=(1,)}
                                                          %6 = add %s, %5      and so on, in the
                                                          yield %4, %20        order of the loop
                                                        }
                                                        then a remainder loop, one by one

Eight independent iterations become one on vectors. An iteration on one element mostly pays for
other things than arithmetic: it keeps carries in memory, compares indices with the bounds of axes,
and is stalled by loads from an array that it stores into. A processor computes eight elements in
one or two instructions.

Each element is computed from the same numbers as before, and sums are made in the same order. The
exceptions are disjunctions and sums of cotangents, which have no order that a user wrote
(`reassoc`): eight contributions are summed first, and that does not depend on earlier iterations.

Runs after derivatives. `loop_dependence.py` says which loops qualify.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at, emit1
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env, clone_op, inline
from myia.passes.analysis.accesses import start_indices
from myia.passes.analysis.array_reductions import (
    SHAPE_CHANGES,
    ArrayReduction,
    ReductionStep,
    Stride,
)
from myia.passes.analysis.linear_indices import ONE, IndexRanges
from myia.passes.analysis.loop_dependence import LoopSummary, summary_if_independent
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import broadcast, concatenate, flip, iota, reshape, slice
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise.arithmetic import add, mul, sub, truncdiv
from myia.primitives.pointwise.logic import or_
from myia.rewriting.walk import rewrite_loops

VECTOR_WIDTH = 8  # of float64: one AVX-512 register, or two of AVX2
MIN_TRIP_COUNT = 2 * VECTOR_WIDTH  # compared with the bound, as trip counts may be dynamic


def vectorize_inner_loops(function: Function) -> Function:
    """`function` with innermost loops over elements strip-mined by `VECTOR_WIDTH` and widened."""
    ranges = IndexRanges(function.region)
    return rewrite_loops(function, lambda op: _emit_loop(op, ranges))


def _emit_loop(op: Op, ranges: IndexRanges) -> None:
    loop = Loop.of(op)
    summary = _vectorizable_summary(loop, ranges)
    if summary is None:
        append(op)
        return
    with at(op.span):
        width = _i64(VECTOR_WIDTH)
        strips = truncdiv(loop.count, width)
        results = op.results if _has_no_remainder(loop, ranges) else _fresh(op.results)
        vector_body = _vector_body(loop, summary)
        bound = loop.bound // VECTOR_WIDTH
        append(_loop_like(op, strips, loop.carries, bound, vector_body, results))
        if results is not op.results:
            done = mul(strips, width)
            remainder_body = _remainder_body(loop, done)
            remaining = sub(loop.count, done)
            append(_loop_like(op, remaining, results, VECTOR_WIDTH - 1, remainder_body, op.results))


def _vectorizable_summary(loop: Loop, ranges: IndexRanges) -> LoopSummary | None:
    """The summary of a loop that is long enough, if `VECTOR_WIDTH` iterations are independent."""
    is_long = loop.bound is not None and loop.bound >= MIN_TRIP_COUNT
    return summary_if_independent(loop, ranges, VECTOR_WIDTH, gathers=True) if is_long else None


def _has_no_remainder(loop: Loop, ranges: IndexRanges) -> bool:
    count = ranges.linear_form(loop.count)
    return set(count) <= {ONE} and count[ONE] % VECTOR_WIDTH == 0


def _loop_like(op: Op, count: Value, carries, bound: int, body: Region, results) -> Op:
    """A loop with the parameters and the span of `op`, but other iterations."""
    params = {**op.params, "bound": bound}
    return Op(loop_p, (count, *carries), params, (body,), tuple(results), op.span)


def _fresh(values: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(Value(x.aval, x.name) for x in values)


def _i64(n: int) -> Value:
    return constant(n, I64.dtype)


# ----- The bodies


def _remainder_body(loop: Loop, done: Value) -> Region:
    """One iteration, where the index starts after the first `done`."""
    k, *args = _fresh(loop.body.args)
    with Builder() as b:
        yields = inline(loop.body, (add(done, k), *args))
    return Region((k, *args), tuple(b.ops), yields)


def _vector_body(loop: Loop, summary: LoopSummary) -> Region:
    """`VECTOR_WIDTH` iterations."""
    strip, *args = _fresh(loop.body.args)
    with Builder() as b:
        widener = _VectorWidener(loop.body, summary, mul(strip, _i64(VECTOR_WIDTH)), args)
        for op in loop.body.ops:
            with at(op.span):
                widener.emit(op)
        yields = [widener.yielded(y, x) for x, y in zip(loop.body.args[1:], loop.body.yields)]
    return Region((strip, *args), tuple(b.ops), tuple(yields))


class _VectorWidener:
    """Emits the ops of a loop's body for `VECTOR_WIDTH` iterations.

    A value that varies becomes a vector with one element for each iteration, in the order in which
    most accesses go through memory. So if they go backwards, the first is that of the last
    iteration.
    """

    def __init__(self, body: Region, summary: LoopSummary, base: Value, args: list[Value]):
        self.summary = summary
        self.definitions = {y: op for op in body.ops for y in op.results}
        self.carried = dict(zip(body.args[1:], args))
        self.done: set[Op] = set(summary.reduction_ops)  # `yielded` emits these
        self.vectors: Env = {}
        # Values of the vector's first iteration: indices, arrays, values that all of them share.
        self.first: Env = dict(self.carried)
        self.forwards = summary.direction > 0
        self._set_index(body.args[0], base)

    def _set_index(self, k: Value, base: Value) -> None:
        steps, last = iota(shape=(VECTOR_WIDTH,), axis=0, dtype=I64.dtype), _i64(VECTOR_WIDTH - 1)
        first = base if self.forwards else add(base, last)
        self.first[k] = first
        start = broadcast(first, shape=(VECTOR_WIDTH,), dims=())
        self.vectors[k] = add(start, steps) if self.forwards else sub(start, steps)

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
        stride = self.summary.strides.get(op)
        # Such a load varies only because its array is carried: no iteration stores into its slice.
        is_shared = op in self.summary.strides and stride is None
        if op.results[0] not in self.summary.varying or is_shared:
            self._emit_once(op)
        elif op in self.summary.gathers:
            self._gather(op)
        elif op.primitive is dynamic_slice:
            self._load(op, stride)
        elif op.primitive is dynamic_update_slice:
            self._store(op, stride)
        else:
            self._emit_compute(op)

    def _emit_once(self, op: Op) -> None:
        env = {x: self._in_first(x) for x in op.operands}
        append(clone_op(op, env))
        self.first.update((y, env[y]) for y in op.results)

    def _emit_definition(self, x: Value) -> None:
        x = self.summary.recurrences.get(x, x)
        if x in self.definitions:
            self.emit(self.definitions[x])

    def _vector_of(self, x: Value) -> Value:
        """`x` in all iterations."""
        if x not in self.vectors:
            is_recurrence = x in self.summary.recurrences
            self.vectors[x] = self._shifted(x) if is_recurrence else self._splat(x)
        return self.vectors[x]

    def _splat(self, x: Value) -> Value:
        """A value that is the same in all iterations."""
        return broadcast(reshape(self.first.get(x, x), shape=()), shape=(VECTOR_WIDTH,), dims=())

    def _shifted(self, x: Value) -> Value:
        """The vector of a recurrence: what each iteration's predecessor yields."""
        before = reshape(self.carried[x], shape=(1,))
        yielded = self._vector_of(self.summary.recurrences[x])
        if self.forwards:
            return concatenate(before, _part(yielded, 0, VECTOR_WIDTH - 1), axis=0)
        return concatenate(_part(yielded, 1, VECTOR_WIDTH), before, axis=0)

    def _emit_compute(self, op: Op) -> None:
        (y,) = op.results
        operands = map(self._vector_of, op.operands)
        no_op = op.primitive in SHAPE_CHANGES  # vectors have one shape
        self.vectors[y] = next(operands) if no_op else emit1(op.primitive, *operands, **op.params)
        # An index is also computed as a scalar for the first iteration: accesses start there.
        varying = [x for x in op.operands if x in self.summary.varying]
        if y.aval == I64 and all(x in self.first for x in varying):
            append(clone_op(op, self.first))

    # ----- Accesses

    def _load(self, op: Op, stride: Stride) -> None:
        (y,) = op.results
        self.vectors[y] = self._load_vector(self._array(op.operands[0]), op, stride)

    def _gather(self, op: Op) -> None:
        """One load for each iteration, as each computes its own index."""
        (y,) = op.results
        starts = [self._vector_of(x) for x in start_indices(op)]
        elements = [self._gathered_element(op, starts, i) for i in range(VECTOR_WIDTH)]
        self.vectors[y] = concatenate(*elements, axis=0)

    def _gathered_element(self, op: Op, starts: Sequence[Value], i: int) -> Value:
        start = [reshape(_part(x, i, i + 1), shape=()) for x in starts]
        element = dynamic_slice(op.operands[0], *start, sizes=op.params["sizes"])
        return reshape(element, shape=(1,))

    def _array(self, x: Value) -> Value:
        """The array from which a load reads.

        If `x` is a version inside an array reduction, this is the array before the reduction: loads
        find elements to which nothing has been added yet.
        """
        while x not in self.first and x in self.definitions:
            x = self.definitions[x].operands[0]
        return self.first.get(x, x)

    def _load_vector(self, array: Value, op: Op, stride: Stride) -> Value:
        """The elements of `array` at which `op` loads or stores in all iterations."""
        sizes = _vector_sizes(stride.axis, op.operands[0].shape)
        elements = dynamic_slice(array, *self._widened_starts(op, stride), sizes=sizes)
        return self._in_memory_order(reshape(elements, shape=(VECTOR_WIDTH,)), stride)

    def _store(self, op: Op, stride: Stride) -> None:
        update = self._vector_of(op.operands[1])
        array = self._store_vector(self.first[op.operands[0]], update, op, stride)
        array.name = op.results[0].name
        self.first[op.results[0]] = array

    def _store_vector(self, array: Value, vector: Value, op: Op, stride: Stride) -> Value:
        sizes = _vector_sizes(stride.axis, op.operands[0].shape)
        update = reshape(self._in_memory_order(vector, stride), shape=sizes)
        return dynamic_update_slice(array, update, *self._widened_starts(op, stride))

    def _widened_starts(self, op: Op, stride: Stride) -> list[Value]:
        """The start indices of the slice that covers the accesses of all iterations."""
        starts = [self._in_first(x) for x in start_indices(op)]
        if not self._is_in_order(stride):
            starts[stride.axis] = sub(starts[stride.axis], _i64(VECTOR_WIDTH - 1))
        return starts

    def _in_first(self, x: Value) -> Value:
        """`x` in the first element; taken from its vector if it is not computed as a scalar."""
        if x in self.first or x not in self.vectors:
            return self.first.get(x, x)
        return reshape(_part(self.vectors[x], 0, 1), shape=())

    def _is_in_order(self, stride: Stride) -> bool:
        return stride.step == self.summary.direction

    def _in_memory_order(self, x: Value, stride: Stride) -> Value:
        """Elements from the order of vectors to the order of this access, or back."""
        return x if self._is_in_order(stride) else flip(x, axes=(0,))

    # ----- What the loop yields

    def yielded(self, y: Value, arg: Value) -> Value:
        """The carry `arg` after all iterations, of which each yields `y` for it."""
        if y in self.summary.reductions:
            return self._apply_reduction(self.summary.reductions[y], self.carried[arg])
        if y in self.summary.array_reductions:
            return self._apply_array_reductions(self.summary.array_reductions[y], self.carried[arg])
        if arg in self.summary.recurrences:
            last = VECTOR_WIDTH - 1 if self.forwards else 0
            return reshape(_part(self._vector_of(y), last, last + 1), shape=arg.shape)
        return self.first[y]

    def _apply_reduction(self, steps: Sequence[ReductionStep], carry: Value) -> Value:
        """The sum in the order of the loop, or as a tree if it has no order."""
        terms = [self._vector_of(step.op.operands[step.term_position]) for step in steps]
        with at(steps[0].op.span):
            if _may_be_reordered(steps):
                total = _tree_reduction(steps[0], terms)
                return _combine(steps[0], carry, reshape(total, shape=carry.shape))
            # All terms of an iteration come before those of the next one: the order of the user.
            for i in range(VECTOR_WIDTH) if self.forwards else reversed(range(VECTOR_WIDTH)):
                for step, term in zip(steps, terms):
                    element = reshape(_part(term, i, i + 1), shape=carry.shape)
                    carry = _combine(step, carry, element)
        return carry

    def _apply_array_reductions(self, reductions: Sequence[ArrayReduction], array: Value) -> Value:
        """The array plus all that the iterations add to it, one store after the other."""
        for reduction in reductions:
            store = reduction.store
            stride = self.summary.strides[store]
            with at(store.span):
                elements = self._load_vector(array, store, stride)
                for step in reduction.steps:
                    term = self._vector_of(step.op.operands[step.term_position])
                    elements = _combine(step, elements, term)
                array = self._store_vector(array, elements, store, stride)
        return array


def _combine(step: ReductionStep, running_sum: Value, term: Value) -> Value:
    operands = (running_sum, term) if step.term_position else (term, running_sum)
    return emit1(step.op.primitive, *operands, **step.op.params)


def _may_be_reordered(steps: Sequence[ReductionStep]) -> bool:
    """May the reduction be made in any order? That is so for disjunctions, too."""
    disjunction = all(step.op.primitive is or_ for step in steps)
    return disjunction or all(step.is_reassociable for step in steps)


def _tree_reduction(step: ReductionStep, terms: Sequence[Value]) -> Value:
    """The sum of all elements of all terms, which does not depend on earlier iterations."""
    combine, half = functools.partial(_combine, step), VECTOR_WIDTH // 2
    total = functools.reduce(combine, terms)
    while half:
        total = combine(_part(total, 0, half), _part(total, half, 2 * half))
        half //= 2
    return total


def _part(vector: Value, start: int, limit: int) -> Value:
    return slice(vector, start=(start,), limit=(limit,), stride=(1,))


def _vector_sizes(axis: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes of the slice with the elements of all iterations, in an array of this shape."""
    return tuple(VECTOR_WIDTH if i == axis else 1 for i in range(len(shape)))
