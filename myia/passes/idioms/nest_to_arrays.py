"""Loop nests as array operations: a value of the body becomes an array over the loop indices.

    for %i < 60 {
      for %j < 40 {
        %1 = dynamic_slice %a, %i, %j {sizes=(1, 1)}        -> %a over (%i, %j)
        %2 = dynamic_slice %b, %j, 7 {sizes=(1, 1)}         -> slice of %b over (%j)
        %3 = mul %1, %2                                     -> product of both
        %s = add %s, %3 {reassoc=True}                      -> their contraction over %j, over (%i)

A product is kept as its factors until it is summed over an index. Factors that come after all
factors with that index are common factors of the sum; two factors with the index make a
`dot_general`. All other ops are computed elementwise, as they stand. It gives up
(`NoWholeArrayForm`) where an array would be larger than those that the nest reads or adds to, and
where a value does not depend on the loop indices alone.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

from myia.analysis.linear_indices import ONE, LinearForm, constant_form, minus
from myia.analysis.nest_effects import (
    Addition,
    Assignment,
    Effect,
    LoopNest,
    NoWholeArrayForm,
    Path,
)
from myia.ir.avals import I64
from myia.ir.builder import at, emit1
from myia.ir.core import Op, Value
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice, start_indices
from myia.primitives.arrays.shaping import broadcast, flip, iota, reduce_sum, reshape, transpose
from myia.primitives.core.define import PointwisePrimitive, constant, constant_p
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import add, mul, sub
from myia.widening.summary import SHAPE_CHANGES


@dataclass(frozen=True)
class Factor:
    """An array, and for each of its axes the loop index that runs along it."""

    value: Value
    dims: Path


Product = tuple[Factor, ...]  # multiplied from left to right
Terms = tuple[Product, ...]  # a sum, in any order


class NestArrays:
    """Emits arrays for the values of a nest. Raises `NoWholeArrayForm` where that is impossible, or
    takes arrays of more than `max_elements` elements."""

    def __init__(self, nest: LoopNest, max_elements: int):
        self.nest, self.max_elements = nest, max_elements
        self.order = list(nest.trip_counts)  # outer loops first
        self.directions: dict[Value, int] = {}  # by index: do axes ascend (1) or descend (-1)
        self.terms: dict[Value, Terms] = {}
        self.contracted: dict[tuple[Product, Value], Product] = {}
        self.multiply_adds = 0  # of the products that are emitted

    # ----- The effect of the iterations on a carried value

    def contracted_product(self, values: Sequence[Value], index: Value) -> Factor:
        """The product of values of the nest, summed over the loop of `index`."""
        first, *others = map(self._terms_of, values)
        for other in others:
            first = (self._multiply_terms(first, other),)
        return self._as_factor(tuple(self._sum_over(product, index) for product in first))

    def after_nest(self, carry: Value, changes: Sequence[Effect]) -> Value:
        """The value of `carry` after the nest. It is emitted change by change, each one for all
        iterations: so any two changes must commute."""
        if not all(self._commute(*pair) for pair in combinations(changes, 2)):
            raise NoWholeArrayForm
        for change in changes:
            with at(change.op.span):
                if change.store is not None:
                    carry = self._store(carry, change.store, change)
                else:
                    total = self._array(self._summed_contribution(change, ()), ())
                    carry = _add(carry, reshape(total, shape=carry.shape))
        return carry

    def _commute(self, one: Effect, other: Effect) -> bool:
        """Whether each element is changed as in the order of the iterations, if the first change is
        made in all iterations before the second one.

        This holds if both only add to the element. It also holds if all iterations that change an
        element are the same iteration of the loops that the two changes have in common.
        """
        if isinstance(one, Addition) and isinstance(other, Addition):
            return True
        if one.store is None or other.store is None:
            return False
        pairs = list(zip(self._axis_accesses(one.store), self._axis_accesses(other.store)))
        # Along an axis that k moves equally in both, the same element means the same k.
        return all(any(x == y and x[1] is k for x, y in pairs) for k in one.path if k in other.path)

    def _axis_accesses(self, store: Op) -> list[tuple[LinearForm, Value | None, int]]:
        return [self.nest.axis_access(x) for x in start_indices(store)]

    def _store(self, array: Value, store: Op, change: Effect) -> Value:
        if store.operands[1].aval.size != 1:
            raise NoWholeArrayForm
        part = self._slice(array, start_indices(store))
        if part.sizes == array.shape:
            return self._slice_after(array, part, change)
        start = self._emit_start(part)
        before = dynamic_slice(array, *start, sizes=part.sizes)
        return dynamic_update_slice(array, self._slice_after(before, part, change), *start)

    def _slice_after(self, before: Value, part: _NestSlice, change: Effect) -> Value:
        """The elements of a slice after the change, from those `before`."""
        if isinstance(change, Assignment):
            # Else several iterations assign to one element, and only the last of them counts.
            if set(change.path) != set(part.dims):
                raise NoWholeArrayForm
            for read in change.reads:
                factor = Factor(self._over_indices(before, part), part.dims)
                self.terms[read.results[0]] = _single(factor)
        new = self._array(self._summed_contribution(change, part.dims), part.dims)
        if part.flips:
            new = flip(new, axes=part.flips)
        new = reshape(new, shape=part.sizes)
        return new if isinstance(change, Assignment) else _add(before, new)

    def _summed_contribution(self, change: Effect, dims: Path) -> Terms:
        """What the iterations assign or add, over the indices `dims`: summed over the others."""
        terms = self._terms_of(change.term)
        for index in reversed(change.path):
            if index not in dims:
                terms = tuple(self._sum_over(product, index) for product in terms)
        return terms

    # ----- Values

    def _terms_of(self, x: Value) -> Terms:
        """The value `x` of the nest, in all iterations, as a sum of products of arrays."""
        if x not in self.terms:
            self.terms[x] = self._find_terms(x)
        return self.terms[x]

    def _find_terms(self, x: Value) -> Terms:
        if x in self.nest.trip_counts:
            return _single(self._index(x))
        if x in self.nest.carried:
            raise NoWholeArrayForm
        if x not in self.nest.definitions:  # the same number in all iterations
            return _single(Factor(reshape(x, shape=()), ()))
        op = self.nest.definitions[x]
        with at(op.span):
            return self._terms_of_result(op, x)

    def _terms_of_result(self, op: Op, x: Value) -> Terms:
        if op.primitive is dynamic_slice:
            return _single(self._read(op))
        if op.primitive is loop_p:
            return self._total_of_inner_loop(op, op.results.index(x))
        if x.aval.size != 1:
            raise NoWholeArrayForm
        if op.primitive is constant_p:
            return _single(Factor(constant(op.params["value"], x.dtype), ()))
        if op.primitive in SHAPE_CHANGES:
            return self._terms_of(op.operands[0])
        if not isinstance(op.primitive, PointwisePrimitive):
            raise NoWholeArrayForm
        operands = [self._terms_of(y) for y in op.operands]
        if op.primitive is mul and x.dtype.kind in "fc":
            return (self._multiply_terms(*operands),)
        return _single(self._pointwise(op, operands))

    def _index(self, k: Value) -> Factor:
        n = self.nest.trip_counts[k]
        steps = iota(shape=(n,), axis=0, dtype=I64.dtype)
        if self.directions.setdefault(k, 1) < 0:
            if k in self.nest.varying_counts:
                raise NoWholeArrayForm
            steps = sub(constant(n - 1, I64.dtype, (n,)), steps)
        return Factor(steps, (k,))

    def _multiply_terms(self, x: Terms, y: Terms) -> Product:
        """The factors of `x * y`. One operand keeps its factors, the other becomes one factor: it
        was multiplied as a whole, and rounding should stay the same."""
        if len(x) > 1 or (len(y) == 1 and len(y[0]) > len(x[0])):
            x, y = y, x
        first = x[0] if len(x) == 1 else (self._as_factor(x),)
        return (*first, self._as_factor(y))

    def _pointwise(self, op: Op, operands: Sequence[Terms]) -> Factor:
        dims = self._union(f.dims for terms in operands for product in terms for f in product)
        arrays = [self._array(terms, dims) for terms in operands]
        return Factor(emit1(op.primitive, *arrays, **op.params), dims)

    def _total_of_inner_loop(self, op: Op, i: int) -> Terms:
        """Result `i` of a loop within the nest, a number that the loop only adds to."""
        total = self._terms_of(Loop.of(op).carries[i])
        for change in self.nest.effects_on_carry(op, i):
            if change.store is not None:
                raise NoWholeArrayForm
            total += self._summed_contribution(change, ())
        return total

    # ----- Reads

    def _read(self, op: Op) -> Factor:
        array = op.operands[0]
        changes = array in self.nest.definitions or array in self.nest.carried
        if changes or op.results[0].aval.size != 1:
            raise NoWholeArrayForm
        part = self._slice(array, start_indices(op))
        if part.sizes != array.shape:
            array = dynamic_slice(array, *self._emit_start(part), sizes=part.sizes)
        return Factor(self._over_indices(array, part), part.dims)

    def _over_indices(self, elements: Value, part: _NestSlice) -> Value:
        """The `elements` of a slice as an array over its loop indices, in their direction."""
        elements = reshape(elements, shape=self._shape(part.dims))
        return flip(elements, axes=part.flips) if part.flips else elements

    def _slice(self, array: Value, start: Sequence[Value]) -> _NestSlice:
        """The slice of `array` that all iterations together access at the start indices `start`."""
        axes = [self.nest.axis_access(x) for x in start]
        dims = tuple(index for _, index, _ in axes if index is not None)
        sizes = tuple(1 if k is None else self.nest.trip_counts[k] for _, k, _ in axes)
        least = tuple(n for n, _, _ in axes)
        inside = all(map(self._is_inside, least, sizes, array.shape))
        if len(set(dims)) < len(dims) or not inside:  # two axes with one index: a diagonal
            raise NoWholeArrayForm
        # The first access with an index decides its direction; later ones are flipped to it.
        same_direction = [
            stride == self.directions.setdefault(k, stride)
            for _, k, stride in axes
            if k is not None
        ]
        flips = [i for i, same in enumerate(same_direction) if not same]
        if any(dims[i] in self.nest.varying_counts for i in flips):
            raise NoWholeArrayForm
        return _NestSlice(least, sizes, dims, tuple(flips))

    def _is_inside(self, start: LinearForm, size: int, length: int) -> bool:
        margins = (start, minus(constant_form(length - size), start))
        return all(map(self.nest.ranges.is_nonnegative, margins))

    def _emit_start(self, part: _NestSlice) -> list[Value]:
        return [emit_index(start) for start in part.start]

    def position(self, k: Value) -> LinearForm:
        """Where along the axis of its loop the elements of an iteration are."""
        index = LinearForm({k: 1})
        return index if self.directions.get(k, 1) > 0 else minus(self.nest.last_index(k), index)

    # ----- Sums of products

    def _sum_over(self, product: Product, index: Value) -> Product:
        """The sum of `product` over all iterations of the loop of `index`.

        The order of multiplication stays: only factors after the last one with the index leave the
        sum, and those before it if they do not have the index.
        """
        if index in self.nest.varying_counts:
            raise NoWholeArrayForm
        dependent = [i for i, f in enumerate(product) if index in f.dims]
        if not dependent:
            trip_count = constant(self.nest.trip_counts[index], product[0].value.dtype)
            return (*product, Factor(trip_count, ()))
        end = dependent[-1] + 1
        key = (product[:end], index)
        if key not in self.contracted:
            self.contracted[key] = self._contract(product[:end], index)
        return (*self.contracted[key], *product[end:])

    def _contract(self, factors: Product, index: Value) -> Product:
        *before, last = factors
        if not before:
            return (self._reduce_sum(last, index),)
        first = self._as_one_factor(tuple(before))
        if index not in first.dims:
            return (first, self._reduce_sum(last, index))
        common = set(first.dims) & set(last.dims)
        if len(common) > 1 and common in (set(first.dims), set(last.dims)):
            return (self._reduce_sum(self._times(first, last), index),)
        return (self._dot(first, last, index),)

    def _reduce_sum(self, factor: Factor, index: Value) -> Factor:
        rest = tuple(k for k in factor.dims if k is not index)
        return Factor(reduce_sum(factor.value, axes=(factor.dims.index(index),)), rest)

    def _dot(self, x: Factor, y: Factor, index: Value) -> Factor:
        """The sum over `index`: a product for each of the other indices that both factors have."""
        batch = tuple(k for k in x.dims if k in y.dims and k is not index)
        free = tuple(k for f in (x, y) for k in f.dims if k not in (*batch, index))
        dims = self._check_size((*batch, *free))
        self.multiply_adds += prod(self._shape((*dims, index)))
        axes = tuple(tuple(f.dims.index(k) for k in batch) for f in (x, y))
        contract = ((x.dims.index(index),), (y.dims.index(index),))
        return Factor(dot_general(x.value, y.value, contract=contract, batch=axes), dims)

    def _as_one_factor(self, factors: Product) -> Factor:
        """The product as one factor, multiplied from left to right."""
        return functools.reduce(self._times, factors)

    def _times(self, x: Factor, y: Factor) -> Factor:
        dims = self._union((x.dims, y.dims))
        return Factor(mul(self._broadcast_over(x, dims), self._broadcast_over(y, dims)), dims)

    # ----- Arrays

    def _as_factor(self, terms: Terms) -> Factor:
        dims = self._union(f.dims for product in terms for f in product)
        return Factor(self._array(terms, dims), dims)

    def _array(self, terms: Terms, dims: Path) -> Value:
        """The sum of `terms`, as an array over the indices `dims`."""
        self._check_size(dims)
        return functools.reduce(_add, (self._product_array(product, dims) for product in terms))

    def _product_array(self, product: Product, dims: Path) -> Value:
        if not all(set(f.dims) <= set(dims) for f in product):
            raise NoWholeArrayForm
        return self._broadcast_over(self._as_one_factor(product), dims)

    def _broadcast_over(self, factor: Factor, dims: Path) -> Value:
        """The array of a factor, transposed and broadcast to all indices `dims`, in their order."""
        order = sorted(range(len(factor.dims)), key=lambda i: dims.index(factor.dims[i]))
        value = factor.value
        if order != list(range(len(order))):
            value = transpose(value, permutation=tuple(order))
        if len(order) == len(dims):
            return value
        axes = tuple(dims.index(factor.dims[i]) for i in order)
        return broadcast(value, shape=self._shape(dims), dims=axes)

    def _shape(self, dims: Path) -> tuple[int, ...]:
        return tuple(self.nest.trip_counts[k] for k in dims)

    def _union(self, all_dims: Iterable[Path]) -> Path:
        found = {k for dims in all_dims for k in dims}
        return self._check_size(tuple(sorted(found, key=self.order.index)))

    def _check_size(self, dims: Path) -> Path:
        """`dims`, if an array over them has at most `max_elements` elements."""
        if prod(self._shape(dims)) > self.max_elements:
            raise NoWholeArrayForm
        return dims


@dataclass(frozen=True)
class _NestSlice:
    """The slice of an array that all iterations of a nest access.

    start    its least indices
    sizes    its lengths
    dims     the loop indices that run along its axes; an axis without one has one element
    flips    the positions in `dims` where it runs against the direction chosen for the index
    """

    start: tuple[LinearForm, ...]
    sizes: tuple[int, ...]
    dims: Path
    flips: tuple[int, ...]


def emit_index(index: LinearForm) -> Value:
    """Emit a linear form."""
    total = constant(index[ONE], I64.dtype)
    for symbol, factor in index.items():
        if symbol is not ONE:
            total = add(total, mul(symbol, constant(factor, I64.dtype)))
    return total


def _single(factor: Factor) -> Terms:
    return ((factor,),)


def _add(x: Value, y: Value) -> Value:
    return add(x, y, reassoc=True)
