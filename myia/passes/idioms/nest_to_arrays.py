"""Loop nests as array operations: a value of the body becomes an array over the loop indices.

    for %i < 60 {
      for %j < 40 {
        %1 = dynamic_slice %a, %i, %j {sizes=(1, 1)}        %1: %a over (%i, %j)
        %2 = dynamic_slice %b, %j, 7 {sizes=(1, 1)}         %2: slice of %b over (%j)
        %3 = mul %1, %2                                     %3: product of %1 and %2
        %s = add %s, %3 {reassoc=True}                      %s: their contraction over %j, over (%i)

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

from myia.ir.avals import I64
from myia.ir.builder import at, emit1
from myia.ir.core import Op, Value
from myia.passes.analysis.accesses import start_indices
from myia.passes.analysis.array_reductions import SHAPE_CHANGES
from myia.passes.analysis.linear_indices import ONE, LinearForm, constant_form, minus
from myia.passes.analysis.nest_effects import (
    Addition,
    Assignment,
    Effect,
    LoopNest,
    NoWholeArrayForm,
    Path,
)
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import broadcast, flip, iota, reduce_sum, reshape, transpose
from myia.primitives.core.define import PointwisePrimitive, constant, constant_p
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import add, mul, sub


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

    # ----- The effect of the iterations on a carried value

    def after_nest(self, carry: Value, changes: Sequence[Effect]) -> Value:
        """The value of `carry` after the nest. It is emitted change by change, each one for all
        iterations: so any two changes must commute."""
        if not all(self._commute(*pair) for pair in combinations(changes, 2)):
            raise NoWholeArrayForm
        for change in changes:
            with at(change.op.span):
                if change.store is not None:
                    carry = self._stored(carry, change)
                else:
                    total = self._array(self._summed(change, ()), ())
                    carry = _plus(carry, reshape(total, shape=carry.shape))
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
        pairs = list(zip(self._axes(one.store), self._axes(other.store)))
        return all(any(x == y and x[1] is k for x, y in pairs) for k in one.path if k in other.path)

    def _axes(self, store: Op) -> list[tuple[LinearForm, Value | None, int]]:
        return [self._axis(self.nest.ranges.linear_form(x)) for x in start_indices(store)]

    def _stored(self, array: Value, change: Effect) -> Value:
        window = self._window(array, start_indices(change.store))
        if window.sizes == array.shape:
            return self._after(array, window, change)
        place = self._place(window)
        before = dynamic_slice(array, *place, sizes=window.sizes)
        return dynamic_update_slice(array, self._after(before, window, change), *place)

    def _after(self, before: Value, window: _Window, change: Effect) -> Value:
        """What a window becomes."""
        if isinstance(change, Assignment):
            if set(change.path) != set(window.dims):
                raise NoWholeArrayForm
            for read in change.reads:
                factor = Factor(self._along(before, window), window.dims)
                self.terms[read.results[0]] = _one(factor)
        found = self._array(self._summed(change, window.dims), window.dims)
        if window.flips:
            found = flip(found, axes=window.flips)
        found = reshape(found, shape=window.sizes)
        return found if isinstance(change, Assignment) else _plus(before, found)

    def _summed(self, change: Effect, dims: Path) -> Terms:
        terms = self._of(change.term)
        for index in reversed(change.path):
            if index not in dims:
                terms = tuple(self._sum(product, index) for product in terms)
        return terms

    # ----- Values

    def _of(self, x: Value) -> Terms:
        if x not in self.terms:
            self.terms[x] = self._found(x)
        return self.terms[x]

    def _found(self, x: Value) -> Terms:
        if x in self.nest.trip_counts:
            return _one(self._index(x))
        if x in self.nest.carried:
            raise NoWholeArrayForm
        if x not in self.nest.definitions:
            return _one(Factor(reshape(x, shape=()), ()))
        op = self.nest.definitions[x]
        with at(op.span):
            return self._made(op, x)

    def _made(self, op: Op, x: Value) -> Terms:
        if op.primitive is dynamic_slice:
            return _one(self._read(op))
        if op.primitive is loop_p:
            return self._total(op, op.results.index(x))
        if x.aval.size != 1:
            raise NoWholeArrayForm
        if op.primitive is constant_p:
            return _one(Factor(constant(op.params["value"], x.dtype), ()))
        if op.primitive in SHAPE_CHANGES:
            return self._of(op.operands[0])
        if not isinstance(op.primitive, PointwisePrimitive):
            raise NoWholeArrayForm
        operands = [self._of(y) for y in op.operands]
        if op.primitive is mul and x.dtype.kind in "fc":
            return (self._factors(*operands),)
        return _one(self._pointwise(op, operands))

    def _index(self, k: Value) -> Factor:
        n = self.nest.trip_counts[k]
        steps = iota(shape=(n,), axis=0, dtype=I64.dtype)
        if self.directions.setdefault(k, 1) < 0:
            steps = sub(constant(n - 1, I64.dtype, (n,)), steps)
        return Factor(steps, (k,))

    def _factors(self, x: Terms, y: Terms) -> Product:
        """Of a product: those of one operand, and the other one, which is multiplied first."""
        if len(x) > 1 or (len(y) == 1 and len(y[0]) > len(x[0])):
            x, y = y, x
        first = x[0] if len(x) == 1 else (self._factor(x),)
        return (*first, self._factor(y))

    def _pointwise(self, op: Op, operands: Sequence[Terms]) -> Factor:
        dims = self._union(f.dims for terms in operands for product in terms for f in product)
        arrays = [self._array(terms, dims) for terms in operands]
        return Factor(emit1(op.primitive, *arrays, **op.params), dims)

    def _total(self, op: Op, i: int) -> Terms:
        """What a loop within the nest makes of a number."""
        total = self._of(Loop.of(op).carries[i])
        for change in self.nest.effects_on_carry(op, i):
            if change.store is not None:
                raise NoWholeArrayForm
            total += self._summed(change, ())
        return total

    # ----- Reads

    def _read(self, op: Op) -> Factor:
        array = op.operands[0]
        known = array in self.nest.definitions or array in self.nest.carried
        if known or op.results[0].aval.size != 1:
            raise NoWholeArrayForm
        window = self._window(array, start_indices(op))
        whole = window.sizes == array.shape
        part = array if whole else dynamic_slice(array, *self._place(window), sizes=window.sizes)
        return Factor(self._along(part, window), window.dims)

    def _along(self, part: Value, window: _Window) -> Value:
        """What a window holds, over its indices."""
        part = reshape(part, shape=self._shape(window.dims))
        return flip(part, axes=window.flips) if window.flips else part

    def _window(self, array: Value, place: Sequence[Value]) -> _Window:
        """What is accessed at `place` in all trips."""
        axes = [self._axis(self.nest.ranges.linear_form(x)) for x in place]
        dims = tuple(index for _, index, _ in axes if index is not None)
        sizes = tuple(1 if k is None else self.nest.trip_counts[k] for _, k, _ in axes)
        start = tuple(n for n, _, _ in axes)
        ends = zip(start, sizes, array.shape)
        if len(set(dims)) < len(dims) or not all(self._is_inside(*end) for end in ends):
            raise NoWholeArrayForm
        along = [
            step == self.directions.setdefault(k, step) for _, k, step in axes if k is not None
        ]
        flips = [i for i, same in enumerate(along) if not same]
        return _Window(start, sizes, dims, tuple(flips))

    def _is_inside(self, start: LinearForm, size: int, extent: int) -> bool:
        ends = (start, minus(constant_form(extent - size), start))
        return all(map(self.nest.ranges.is_nonnegative, ends))

    def _place(self, window: _Window) -> list[Value]:
        return [_emit_index(start) for start in window.start]

    def _axis(self, start: LinearForm) -> tuple[LinearForm, Value | None, int]:
        """The least place along an axis, and the index along or against which it moves."""
        moving = [atom for atom in start if atom in self.nest.trip_counts]
        rest = LinearForm({atom: n for atom, n in start.items() if atom not in moving})
        if any(atom in self.nest.definitions for atom in rest):
            raise NoWholeArrayForm
        if not moving:
            return rest, None, 0
        (k, *others) = moving
        if others or abs(start[k]) != 1:
            raise NoWholeArrayForm
        back = self.nest.trip_counts[k] - 1 if start[k] < 0 else 0
        return minus(rest, constant_form(back)), k, start[k]

    # ----- Sums of products

    def _sum(self, product: Product, index: Value) -> Product:
        """The sum over all trips of the loop of `index`.

        What is multiplied first stays so: only factors behind all that have the index leave the
        sum, and one before them if the last alone has it.
        """
        having = [i for i, f in enumerate(product) if index in f.dims]
        if not having:
            count = constant(self.nest.trip_counts[index], product[0].value.dtype)
            return (*product, Factor(count, ()))
        end = having[-1] + 1
        key = (product[:end], index)
        if key not in self.contracted:
            self.contracted[key] = self._contract(product[:end], index)
        return (*self.contracted[key], *product[end:])

    def _contract(self, factors: Product, index: Value) -> Product:
        *before, last = factors
        if not before:
            return (self._reduced(last, index),)
        first = self._product(tuple(before))
        if index not in first.dims:
            return (first, self._reduced(last, index))
        if len(set(first.dims) & set(last.dims)) > 1:  # a product for each of the others
            return (self._reduced(self._times(first, last), index),)
        return (self._dot(first, last, index),)

    def _reduced(self, factor: Factor, index: Value) -> Factor:
        rest = tuple(k for k in factor.dims if k is not index)
        return Factor(reduce_sum(factor.value, axes=(factor.dims.index(index),)), rest)

    def _dot(self, x: Factor, y: Factor, index: Value) -> Factor:
        """The sum over `index`, the only one that both have."""
        dims = self._checked(tuple(k for f in (x, y) for k in f.dims if k is not index))
        contract = ((x.dims.index(index),), (y.dims.index(index),))
        return Factor(dot_general(x.value, y.value, contract=contract, batch=((), ())), dims)

    def _product(self, factors: Product) -> Factor:
        """All factors as one, the first two multiplied first."""
        return functools.reduce(self._times, factors)

    def _times(self, x: Factor, y: Factor) -> Factor:
        dims = self._union((x.dims, y.dims))
        return Factor(mul(self._spread(x, dims), self._spread(y, dims)), dims)

    # ----- Arrays

    def _factor(self, terms: Terms) -> Factor:
        dims = self._union(f.dims for product in terms for f in product)
        return Factor(self._array(terms, dims), dims)

    def _array(self, terms: Terms, dims: Path) -> Value:
        """The sum of `terms` over these indices."""
        self._checked(dims)
        return functools.reduce(_plus, (self._multiplied(product, dims) for product in terms))

    def _multiplied(self, product: Product, dims: Path) -> Value:
        if not all(set(f.dims) <= set(dims) for f in product):
            raise NoWholeArrayForm
        return self._spread(self._product(product), dims)

    def _spread(self, factor: Factor, dims: Path) -> Value:
        """The array of a factor over all of `dims`, in their order."""
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
        return self._checked(tuple(sorted(found, key=self.order.index)))

    def _checked(self, dims: Path) -> Path:
        """`dims`, if an array over them is not larger than those that there are."""
        if prod(self._shape(dims)) > self.max_elements:
            raise NoWholeArrayForm
        return dims


@dataclass(frozen=True)
class _Window:
    """What the trips of a nest access of an array; `flips`: axes that are against the indices."""

    start: tuple[LinearForm, ...]
    sizes: tuple[int, ...]
    dims: Path
    flips: tuple[int, ...]


def _emit_index(index: LinearForm) -> Value:
    """Emit a sum of multiples of integers."""
    total = constant(index[ONE], I64.dtype)
    for atom, factor in index.items():
        if atom is not ONE:
            total = add(total, mul(atom, constant(factor, I64.dtype)))
    return total


def _one(factor: Factor) -> Terms:
    return ((factor,),)


def _plus(x: Value, y: Value) -> Value:
    return add(x, y, reassoc=True)
