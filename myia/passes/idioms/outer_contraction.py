"""Contraction of an outer loop: what a nest adds up over it is a product, made before the nest.

    %g = for %i < 1000 (%g = %g0) {                 %b = for %i < 1000 { row %i is %y }
      %y = ... a recurrence                         %p = dot_general %b, %x, contracting %i
      %g = for %j < 50 (%g = %g) {            ->    %g = for %j < 50 (%g = %g0) {
        %g = for %k < %j (%g = %g) {                  %g = for %k < %j (%g = %g) {
          %g at f(%j, %k) += %y at %j * %x at (%i, %k)     %g at f(%j, %k) += %p at (%j, %k)

The adjoint of a loop over the points of a data set has this form: each point adds to all elements
of a cotangent. Where these are does not depend on the point, so the inner loops need not be
rectangles, and may store at any index: of a packed triangle, for example. The products are of the
rectangle around them, in which a nest of triangles reads only what it needs; no other element of
them is ever used.

What the iterations compute before they add (`%y`) is recorded for all of them: fission. Long loops
are strip-mined, so that the records stay in the caches. Only sums in any order (`reassoc`) are
contracted; factors that are the same for all points leave the sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from myia.analysis.linear_indices import ONE, IndexRanges, LinearForm, constant_form
from myia.analysis.nest_effects import Addition, Effect, LoopNest, NoWholeArrayForm
from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value, has_effect, reads, walk
from myia.ir.dependence import needed, with_dependents
from myia.ir.rewrite import Env, clone_op, inline
from myia.passes.idioms.nest_to_arrays import Factor, NestArrays, emit_index
from myia.passes.memory.slice_composition import slice_composition
from myia.primitives.arrays.dynamic_slices import dynamic_slice, start_indices
from myia.primitives.arrays.rows import read_row, rows_aval, write_row
from myia.primitives.arrays.shaping import reshape
from myia.primitives.core.define import constant, constant_p, empty
from myia.primitives.core.emit_structured import loop as emit_counted_loop
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise.arithmetic import add, mul, neg
from myia.rewriting.liveness import eliminate_dead_values
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region
from myia.widening.summary import SHAPE_CHANGES

MIN_ITERATIONS = 64
MAX_STRIP_ELEMENTS = 1 << 20  # of an array that is recorded for a strip of iterations
MAX_ELEMENTS = 1 << 21  # of any other array
# Multiply-adds of the products: of an iteration, and by numbers that it records. With less the loop
# is as fast.
MIN_MULTIPLY_ADDS = 256
MIN_WORK_BY_NUMBER = 12


def outer_contraction(function: Function) -> Function:
    """`function` with products in place of outer loops whose iterations a nest only adds up."""
    if not any(map(_is_candidate, function.region.ops)):
        return function
    region = eliminate_dead_values(function.region)
    ranges = IndexRanges(region)
    env: Env = {}
    with Builder() as b:
        for op in region.ops:
            op = substituted(op, env)
            results = _contracted(op, function, ranges) if _is_candidate(op) else None
            if results is None:
                append(op)
            else:
                env.update(zip(op.results, results, strict=True))
    if not env:
        return function
    return with_region(function, rebuilt(region, b.ops, look_up(region.yields, env)))


def _is_candidate(op: Op) -> bool:
    """Is `op` a loop of many iterations, with loops of two levels inside that add in any order?"""
    if op.primitive is not loop_p or has_effect(op):
        return False
    loop = Loop.of(op)
    if loop.cond is not None or (loop.bound or 0) < MIN_ITERATIONS or not loop.carries:
        return False
    inner = [each for each in walk(loop.body) if each.primitive is loop_p]
    return any(
        x.primitive is loop_p and any(y.params.get("reassoc") for y in walk(Loop.of(x).body))
        for each in inner
        for x in Loop.of(each).body.ops
    )


def _contracted(op: Op, function: Function, ranges: IndexRanges) -> list[Value] | None:
    """Emit the loop with its outermost index contracted, and return its results.

    None, and nothing is emitted, if it has another form or makes too few multiply-adds.
    """
    try:
        with Builder() as b, at(op.span):
            results = _Contraction(Loop.of(op), function, ranges).emit()
    except NoWholeArrayForm:
        return None
    for new in b.ops:
        append(new)
    return results


class _Contraction:
    """A loop whose iterations first compute values (`before`), then add them up (`adding`).

    Of what the second part reads of the first one, `recorded` is recorded for a strip of
    iterations. `shared` is the same in all iterations. The rest is recomputed.
    """

    def __init__(self, loop: Loop, function: Function, ranges: IndexRanges):
        self.loop, self.function, self.ranges = loop, function, ranges
        self.index, *args = loop.body.args
        sums = with_dependents(args, loop.body.ops)
        self.before = [op for op in loop.body.ops if sums.isdisjoint(reads(op))]
        self.adding = [op for op in loop.body.ops if not sums.isdisjoint(reads(op))]
        self.recorded: list[Value] = []
        self.shared: dict[Value, Region] = {}
        defined = {y for op in self.before for y in op.results}
        for x in dict.fromkeys(x for op in self.adding for x in reads(op)):
            if x in defined:
                self._classify(x)

    def _classify(self, x: Value) -> None:
        ops = needed(self.before, [x])
        if all(map(_is_cheap, ops)):
            return
        region = eliminate_dead_values(Region((), tuple(ops), (x,)))
        if self.index in region.captured:
            self.recorded.append(x)
        else:
            self.shared[x] = region

    def emit(self) -> list[Value]:
        count = self.ranges.linear_form(self.loop.trip_count)
        if not set(count) <= {ONE} or count[ONE] < MIN_ITERATIONS:
            raise NoWholeArrayForm
        self.env: Env = {x: inline(region, ())[0] for x, region in self.shared.items()}
        strips, length = _strips(count[ONE], max([x.aval.size for x in self.recorded], default=1))
        carries: Sequence[Value] = self.loop.carries
        if strips == 1:
            return self._strip(self._known(0), length, carries)

        def body(strip: Value, *args: Value) -> list[Value]:
            self.ranges.upper_bounds[strip], self.ranges.depths[strip] = [constant_form(strips)], 1
            base = mul(strip, _i64(length))
            self.ranges.forms[base] = LinearForm({strip: length})
            return self._strip(base, length, args)

        carries = emit_counted_loop(carries, body, count=_i64(strips), bound=strips)
        remaining = count[ONE] - strips * length
        if remaining:
            carries = self._strip(self._known(strips * length), remaining, carries)
        return list(carries)

    def _known(self, n: int) -> Value:
        index = _i64(n)
        self.ranges.forms[index] = constant_form(n)
        return index

    def _strip(self, base: Value, length: int, carries: Sequence[Value]) -> list[Value]:
        """The sums after the iterations from `base` on."""
        rows = self._rows(base, length)
        nest = self._nest(base, length, rows, carries)
        self.ranges.visit(nest, 2)
        (op,) = (op for op in nest.ops if op.primitive is loop_p)
        numbers = sum(x.aval.size for x in self.recorded)
        least_work = max(MIN_MULTIPLY_ADDS, MIN_WORK_BY_NUMBER * numbers)
        return _SumsOfNest(op, self.ranges, least_work).emit()

    def _rows(self, base: Value, length: int) -> dict[Value, Value]:
        """Arrays with what is recorded, a row for each iteration."""

        def body(k: Value, *arrays: Value) -> list[Value]:
            env = {**self.env, self.index: add(base, k)}
            for op in needed(self.before, self.recorded, env):
                append(clone_op(op, env))
            return [write_row(array, env[x], k) for array, x in zip(arrays, self.recorded)]

        if not self.recorded:
            return {}
        arrays = [empty(rows_aval(x.aval, length)) for x in self.recorded]
        arrays = list(emit_counted_loop(arrays, body, count=_i64(length), bound=length))
        return dict(zip(self.recorded, arrays))

    def _nest(
        self, base: Value, length: int, rows: dict[Value, Value], carries: Sequence[Value]
    ) -> Region:
        """The loop that only adds, which reads slices of the arrays of rows."""

        def body(k: Value, *args: Value) -> list[Value]:
            env = {**self.env, self.index: add(base, k)}
            env.update((x, read_row(array, k)) for x, array in rows.items())
            env.update(zip(self.loop.body.args[1:], args))
            wanted = [x for op in self.adding for x in reads(op)]
            for op in needed(self.before, wanted, env):
                append(clone_op(op, env))
            for op in self.adding:
                append(clone_op(op, env))
            return list(look_up(self.loop.body.yields, env))

        with Builder() as b:
            results = emit_counted_loop(carries, body, count=_i64(length), bound=length)
        nest = self.function.with_region(Region((), tuple(b.ops), tuple(results)))
        return eliminate_dead_values(slice_composition(nest).region)


def _is_cheap(op: Op) -> bool:
    """Is `op` as fast as a load of what it computes?"""
    is_pure = not op.regions and not has_effect(op)
    return is_pure and (op.primitive is constant_p or all(y.aval.size == 1 for y in op.results))


def _strips(count: int, elements: int) -> tuple[int, int]:
    """How many strips of how many iterations; few may remain.

    `elements`: of the largest array that an iteration records.
    """
    longest = min(count, max(MIN_ITERATIONS, MAX_STRIP_ELEMENTS // elements))
    strips = math.ceil(count / longest)
    even = (n for n in range(strips, 2 * strips) if count % n == 0)
    strips = next(even, strips)
    return strips, count // strips


@dataclass(frozen=True)
class _Term:
    """What an addition adds: a product of values of the nest, negated or not, and then `reshaped`.

    `summed` are the factors that differ between the iterations of the outer loop.
    """

    value: Value
    summed: Sequence[Value]
    common: Sequence[Value]
    is_negative: bool
    reshaped: Sequence[Op]


class _SumsOfNest:
    """Emits what a nest adds to its carries, without its outermost loop.

    `least_work`: the multiply-adds of an iteration from which this pays.
    """

    def __init__(self, op: Op, ranges: IndexRanges, least_work: int):
        self.op, self.body, self.least_work = op, Loop.of(op).body, least_work
        self.index = self.body.args[0]
        self.nest = LoopNest(op, ranges, triangles=True)
        self.length = self.nest.trip_counts[self.index]
        self.arrays = NestArrays(self.nest, MAX_ELEMENTS)
        counts = [symbol for form in self.nest.varying_counts.values() for symbol in form]
        if not self.varying.isdisjoint(counts):
            raise NoWholeArrayForm

    @cached_property
    def varying(self) -> set[Value]:
        """The values that may differ between the iterations of the outer loop."""
        found = {self.index, *self.nest.carried}
        for op in walk(self.body):
            if op.primitive is loop_p or not found.isdisjoint(op.operands):
                found.update(op.results)
        return found

    def emit(self) -> list[Value]:
        carries = Loop.of(self.op).carries
        terms: dict[Op, _Term] = {}
        totals: dict[Op, Factor | None] = {}
        for i in range(len(carries)):
            for change in self.nest.effects_on_carry(self.op, i):
                terms[change.op] = term = self._term(change)
                with at(change.op.span):
                    totals[change.op] = self._total(term.summed)
        if self.arrays.multiply_adds < self.least_work * self.length:
            raise NoWholeArrayForm

        def without_outer_loop(region: Region) -> Region:
            with Builder() as b:
                for op in region.ops:
                    op = substituted(op, {}, without_outer_loop)
                    if op in terms:
                        with at(op.span):
                            op = self._adding_total(op, terms[op], totals[op])
                    append(op)
            return rebuilt(region, b.ops, region.yields)

        body = without_outer_loop(self.body)
        body = eliminate_dead_values(Region(body.args[1:], body.ops, body.yields))
        if self.index in body.captured:
            raise NoWholeArrayForm
        return list(inline(body, carries))

    def _term(self, change: Effect) -> _Term:
        """What a change adds, if all iterations of the outer loop add to the same slice."""
        store = change.store
        is_fixed = store is None or self.varying.isdisjoint(start_indices(store))
        if not isinstance(change, Addition) or not is_fixed:
            raise NoWholeArrayForm
        x, reshaped = change.term, list[Op]()
        while x in self.nest.definitions and self.nest.definitions[x].primitive in SHAPE_CHANGES:
            reshaped.append(self.nest.definitions[x])
            (x,) = reshaped[-1].operands
        if x.aval.size != 1 or x.dtype.kind not in "fc":
            raise NoWholeArrayForm
        factors, is_negative = self._factors(x)
        summed = [y for y in factors if y in self.varying]
        common = [y for y in factors if y not in self.varying]
        return _Term(change.term, summed, common, is_negative, reshaped[::-1])

    def _factors(self, x: Value) -> tuple[list[Value], bool]:
        """The factors of `x`, and whether their product is negated."""
        op = self.nest.definitions.get(x)
        if op is None or x not in self.varying:
            return [x], False
        if op.primitive in SHAPE_CHANGES:
            return self._factors(op.operands[0])
        if op.primitive is neg:
            factors, is_negative = self._factors(op.operands[0])
            return factors, not is_negative
        if op.primitive is mul:
            (xs, x_sign), (ys, y_sign) = map(self._factors, op.operands)
            return xs + ys, x_sign != y_sign
        return [x], False

    def _total(self, factors: Sequence[Value]) -> Factor | None:
        """The product of these values, summed over the outer loop; None: of no values."""
        return self.arrays.contracted_product(factors, self.index) if factors else None

    def _adding_total(self, op: Op, term: _Term, total: Factor | None) -> Op:
        """The addition `op` of what all iterations of the outer loop add."""
        if total is None:
            x = constant(self.length, term.value.dtype)
        else:
            position = [emit_index(self.arrays.position(k)) for k in total.dims]
            x = dynamic_slice(total.value, *position, sizes=(1,) * len(position))
        for y in term.common:
            x = mul(reshape(x, shape=()), reshape(y, shape=()))
        x = neg(x) if term.is_negative else x
        env: Env = {}
        if term.reshaped:
            start = term.reshaped[0].operands[0]
            env[start] = reshape(x, shape=start.shape)
            for each in term.reshaped:
                append(clone_op(each, env))
        else:
            env[term.value] = reshape(x, shape=term.value.shape)
        return substituted(op, {term.value: env[term.value]})


def _i64(n: int) -> Value:
    return constant(n, I64.dtype)
