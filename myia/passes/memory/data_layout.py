"""Data layout: the axes of an array are permuted so that the elements of its slices are contiguous.

    %t = 0.0: f64[98,4]                                  %t = 0.0: f64[4,98]
    %t = for %k < 4 (%t = %t) {                          %t = for %k < 4 (%t = %t) {
      %1 = reshape %u {shape=(98, 1)}             ->       %1 = reshape %u {shape=(1, 98)}
      %t' = dynamic_update_slice %t, %1, %z, %k            %t' = dynamic_update_slice %t, %1, %k, %z
      yield %t'                                            yield %t'
    }                                                    }

Examples are the tapes of a nest whose outer loop is vectorized (`outer_loop.py`), and what a user
computes column by column. In a column each element is on another cache line; if the rows are as
long as a power of two, all these lines fall into the same cache set.

An array is eligible if all that is done with its versions in loops is to load and store slices and
to pass them on. Axes along which the slices of its innermost loops have one element come first,
then the others. The array is left alone if one of its slices would have its elements in another
order in memory. (Such slices would have to be transposed before and after their loops. That costs
as much as three accesses, and was measured not to be faster.)

Where the array comes from, or goes to, something else, it is transposed there, outside of loops or
in each iteration of a loop around the nest. This pays if the nest accesses each of its elements
several times: the columns of a matrix in elimination, or the state of a block of examples under
`vmap`, of which each iteration changes an element.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from myia.analysis.array_classes import ArrayClasses
from myia.ir.builder import Builder, append, at, emit1
from myia.ir.core import Function, Op, Region, Value, walk
from myia.primitives.arrays.dynamic_slices import STORES, dynamic_slice, slice_sizes, start_indices
from myia.primitives.arrays.shaping import inverse, reshape, transpose
from myia.primitives.core.define import constant_p, empty_p
from myia.primitives.core.structured import Loop, call_p, if_p, loop_p
from myia.rewriting.walk import rewrite_loop_bodies, with_region

T = TypeVar("T")
AxisOrder = tuple[int, ...]  # the old axis at each position of the new shape

# An array is transposed if its elements are accessed so often. (Transposing costs as much as three
# accesses; the bound of a loop in a triangle is twice its mean, and six times in a pyramid.)
MIN_ACCESSES = 8

# A smaller array is not transposed: half of an L1 cache holds it. (Measured on sides of 12 to 240:
# from 60 x 60 float64 on it is up to 2.3 times as fast; below, 0.7 to 1.1 times.)
MIN_BYTES = 1 << 14

_FILLS = (constant_p, empty_p)  # a whole array without operands: may be made in another shape
_ACCESSES = (dynamic_slice, *STORES)


def data_layout(function: Function) -> Function:
    """`function` with arrays whose slices in loops are contiguous."""
    function = with_region(function, _laid_out(function.region, _fills(function)))
    fills = _fills(function)
    return rewrite_loop_bodies(function, lambda region: _laid_out(region, fills))


def _fills(function: Function) -> dict[Value, Op]:
    return {op.results[0]: op for op in walk(function.region) if op.primitive in _FILLS}


def _laid_out(region: Region, fills: Mapping[Value, Op]) -> Region:
    """`region` with arrays transposed outside of its loops."""
    if not any(op.primitive is loop_p for op in region.ops):
        return region
    arrays = _Arrays(region, fills)
    orders = arrays.orders()
    return _Rewrite(orders, fills, arrays.borders).whole(region) if orders else region


# ----- How arrays are accessed


class _Nest(NamedTuple):
    """The loops around an op."""

    depth: int = 0
    # Of all of them, at most; a loop without a bound counts as one. In a branch outside of loops 0:
    # what is transposed before the branch is transposed in vain if the branch does not run.
    iterations: int = 1

    def inside(self, op: Op) -> _Nest:
        if op.primitive is if_p and not self.depth:
            return _Nest(0, 0)
        if op.primitive is not loop_p:
            return self
        return _Nest(self.depth + 1, self.iterations * (Loop.of(op).bound or 1))


class _Slice(NamedTuple):
    """A slice that is loaded or stored."""

    array: Value
    sizes: tuple[int, ...]
    nest: _Nest


class _Arrays:
    """The arrays that a region makes: classes of versions (union-find), and how these are used."""

    def __init__(self, region: Region, fills: Mapping[Value, Op]):
        self.fills = fills  # not in a class: one constant may be the start of many arrays
        self.classes = ArrayClasses(region, STORES, apart=fills)
        self.slices: list[_Slice] = []
        self.made: set[Value] = set()
        self.in_loops: set[Value] = set()  # what is defined in a loop, or passed to other regions
        self.borders = dict.fromkeys((*region.args, *region.yields))  # values with any other use
        self._visit(region, _Nest())

    def orders(self) -> dict[Value, AxisOrder]:
        """The new order of axes for each version of the arrays that get one."""
        borders = self._by_class(self.borders, self.borders)
        accessed = {each.array for each in self.slices}
        members = (self.classes.members() | accessed) - self.fills.keys()
        outside = {self.classes.of(x) for x in members - self.made}
        orders: dict[Value, AxisOrder] = {}
        arrays = [each.array for each in self.slices]
        for root, slices in self._by_class(self.slices, arrays).items():
            order, others = _axis_order(slices), borders.get(root, [])
            if order is None or root in outside or not self.in_loops.isdisjoint(others):
                continue
            if not others or _pays(slices, order, len(others)):
                orders[root] = order
        return {x: orders[self.classes.of(x)] for x in members if self.classes.of(x) in orders}

    def _by_class(self, items: Iterable[T], arrays: Iterable[Value]) -> dict[Value, list[T]]:
        classes: dict[Value, list[T]] = {}
        for item, array in zip(items, arrays, strict=True):
            classes.setdefault(self.classes.of(array), []).append(item)
        return classes

    def _visit(self, region: Region, nest: _Nest) -> None:
        self.made.update(region.args)
        for op in region.ops:
            self.made.update(op.results)
            self._use(op, nest)
            for inner in op.regions:
                inside = nest.inside(op)
                if inside.depth:
                    self.in_loops.update(inner.args)
                self._visit(inner, inside)

    def _use(self, op: Op, nest: _Nest) -> None:
        if nest.depth:
            self.in_loops.update(op.results)
        others: Sequence[Value] = ()
        if op.primitive in _ACCESSES:
            array, *others = op.operands
            if op.primitive in STORES:  # of the result: the operand may be a constant, in no class
                (array,) = op.results
            else:
                others += op.results
            self.slices.append(_Slice(array, slice_sizes(op), nest))
        elif op.primitive not in (loop_p, if_p, call_p, *_FILLS):
            others = [x for r in op.regions for x in (*r.args, *r.yields)]
            self.in_loops.update(others)
            others += (*op.operands, *op.results)
        self.borders.update(dict.fromkeys(others))


def _pays(slices: Sequence[_Slice], order: AxisOrder, transposes: int) -> bool:
    """Is so much less read and written element by element that transposing the array pays?"""
    aval, saved = slices[0].array.aval, 0
    shape, elements = aval.shape, math.prod(aval.shape)
    if elements * aval.dtype.itemsize < MIN_BYTES:
        return False
    for each in slices:
        before = _is_strided(each.sizes, shape)
        after = _is_strided(_permuted(each.sizes, order), _permuted(shape, order))
        saved += (before - after) * each.nest.iterations * math.prod(each.sizes)
    return saved >= MIN_ACCESSES * transposes * elements


def _is_strided(sizes: Sequence[int], shape: Sequence[int]) -> bool:
    """Are the elements of a slice apart from each other in memory?"""
    innermost = next((i for i in reversed(range(len(shape))) if shape[i] != 1), None)
    return innermost is not None and sizes[innermost] == 1 and math.prod(sizes) > 1


def _axis_order(slices: Sequence[_Slice]) -> AxisOrder | None:
    """First the axes along which all slices of the innermost loops have one element.

    None if this changes nothing in memory, or if it would reorder the elements of a slice.
    """
    shape, max_depth = slices[0].array.shape, max(each.nest.depth for each in slices)
    innermost = [each.sizes for each in slices if each.nest.depth == max_depth]
    contiguous = {i for sizes in innermost for i, size in enumerate(sizes) if size > 1}
    # A stable sort: within each of the two groups, axes stay in order.
    order = tuple(sorted(range(len(shape)), key=lambda axis: axis in contiguous))
    if _keeps_element_order(order, shape):
        return None
    return order if all(_keeps_element_order(order, each.sizes) for each in slices) else None


def _keeps_element_order(order: AxisOrder, shape: Sequence[int]) -> bool:
    """Are the elements of an array of `shape` in the same order in memory with permuted axes?

    They are if only axes of length 1 move.
    """
    other_axes = [axis for axis in order if shape[axis] != 1]
    return other_axes == sorted(other_axes) or 0 in shape


# ----- What it becomes


class _Rewrite:
    """The rewriting of a program with the axes of the given values in new orders.

    A constant has no order of its own. Where one is used, it is made in the shape of the value that
    it becomes: the argument, result or version of an array at that position (`becomes`).
    """

    def __init__(
        self,
        orders: Mapping[Value, AxisOrder],
        fills: Mapping[Value, Op],
        borders: Container[Value],
    ):
        self.orders, self.fills, self.borders = orders, fills, borders
        self.new: dict[Value, Value] = {}
        self.old: dict[Value, Value] = {}  # with axes in the old order

    def whole(self, region: Region) -> Region:
        with Builder() as b:
            self._transpose(region.args)
        rest = self.region(Region((), region.ops, region.yields), (None,) * len(region.yields))
        return Region(region.args, (*b.ops, *rest.ops), rest.yields)

    def region(self, region: Region, becomes: Sequence[Value | None]) -> Region:
        """`becomes`: the values that its yields become."""
        args = tuple(map(self._new, region.args))
        with Builder() as b:
            self._transpose_back(region.args)
            for op in region.ops:
                with at(op.span):
                    self._op(op)
            yields = self._converted(region.yields, becomes)
        return Region(args, tuple(b.ops), yields)

    def _op(self, op: Op) -> None:
        if op.primitive in _ACCESSES:
            array = (op.results if op.primitive in STORES else op.operands)[0]
            if array in self.orders:
                self._access(op, self.orders[array])
                return
        operands, yields = _what_becomes(op)
        operands = self._converted(op.operands, operands)
        regions = tuple(map(self.region, op.regions, yields))
        if op.primitive in (loop_p, if_p, call_p):
            results = tuple(map(self._new, op.results))
            append(Op(op.primitive, operands, op.params, regions, results, op.span))
            self._transpose_back(op.results)
        else:
            append(Op(op.primitive, operands, op.params, regions, op.results, op.span))
            self._transpose(op.results)

    def _transpose(self, xs: Sequence[Value]) -> None:
        """From what another op has made."""
        for x in xs:
            if x in self.orders:
                self.new[x] = transpose(self._old(x), permutation=self.orders[x])

    def _transpose_back(self, xs: Sequence[Value]) -> None:
        """For other uses; where there are none, the transposes are dead code."""
        for x in xs:
            if x in self.borders and x in self.orders:
                back = inverse(self.orders[x])
                self.old[x] = transpose(self.new[x], permutation=back)

    def _access(self, op: Op, order: AxisOrder) -> None:
        starts = map(self._old, _permuted(start_indices(op), order))
        sizes = _permuted(slice_sizes(op), order)
        if op.primitive is dynamic_slice:
            loaded = dynamic_slice(self._new(op.operands[0]), *starts, sizes=sizes)
            self.old[op.results[0]] = reshape(loaded, shape=slice_sizes(op))
            self._transpose(op.results)
            return
        (array,) = self._converted(op.operands[:1], op.results)
        update = reshape(self._old(op.operands[1]), shape=sizes)
        self.new[op.results[0]] = emit1(op.primitive, array, update, *starts)
        self._transpose_back(op.results)

    def _converted(self, xs: Sequence[Value], becomes: Sequence[Value | None]) -> tuple[Value, ...]:
        """The new values of `xs`; constants in the axis orders of the values that they become."""
        return tuple(self._converted_one(*pair) for pair in zip(xs, becomes, strict=True))

    def _converted_one(self, x: Value, becomes: Value | None) -> Value:
        if becomes is None or becomes not in self.orders:
            return self._old(x)
        if x not in self.fills:
            return self._new(x)
        fill, shape = self.fills[x], _permuted(x.shape, self.orders[becomes])
        return emit1(fill.primitive, **{**fill.params, "shape": shape})

    def _new(self, x: Value) -> Value:
        if x in self.orders and x not in self.new:
            self.new[x] = Value(x.aval.with_shape(_permuted(x.shape, self.orders[x])), x.name)
        return self.new[x] if x in self.orders else self._old(x)

    def _old(self, x: Value) -> Value:
        return self.old.get(x, x)


def _what_becomes(op: Op) -> tuple[Sequence[Value | None], Sequence[Sequence[Value | None]]]:
    """The values that the operands of `op` become, and those that its regions yield."""
    if op.primitive is loop_p:
        args = Loop.of(op).body.args[1:]
        conds = [(None,)] * op.params["conditional"]
        return (None,) * op.params["counted"] + args, [*conds, args]
    if op.primitive is call_p:
        return op.regions[0].args, [op.results]
    if op.primitive is if_p:
        return op.operands, [op.results] * 2
    return (None,) * len(op.operands), [(None,) * len(region.yields) for region in op.regions]


def _permuted(xs: Sequence[T], order: AxisOrder) -> tuple[T, ...]:
    return tuple(xs[axis] for axis in order)
