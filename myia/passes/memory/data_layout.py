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

An array is eligible if it starts as a constant and all that is done with its versions is to load
and store slices and to pass them on. Axes along which the slices of its innermost loops have one
element come first, then the others. The array is left alone if one of its slices would have its
elements in another order in memory. (Such slices would have to be transposed before and after their
loops. That costs as much as three accesses, and was measured not to be faster.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from myia.analysis.array_classes import ArrayClasses
from myia.ir.builder import Builder, append, at, emit1
from myia.ir.core import Function, Op, Region, Value, walk
from myia.primitives.arrays.dynamic_slices import STORES, dynamic_slice, slice_sizes, start_indices
from myia.primitives.arrays.shaping import reshape
from myia.primitives.core.define import constant_p, empty_p
from myia.primitives.core.structured import Loop, call_p, if_p, loop_p
from myia.rewriting.walk import with_region

T = TypeVar("T")
AxisOrder = tuple[int, ...]  # the old axis at each position of the new shape

_FILLS = (constant_p, empty_p)  # a whole array without operands: may be made in another shape
_ACCESSES = (dynamic_slice, *STORES)


def data_layout(function: Function) -> Function:
    """`function` with local arrays whose slices are contiguous."""
    region = function.region
    fills = {op.results[0]: op for op in walk(region) if op.primitive in _FILLS}
    orders = _Arrays(region, fills).orders()
    if not orders:
        return function
    return with_region(function, _Rewrite(orders, fills).region(region, region.yields))


# ----- How arrays are accessed


class _Slice(NamedTuple):
    """A slice that is loaded or stored."""

    array: Value
    sizes: tuple[int, ...]
    depth: int  # of the nest of loops


class _Arrays:
    """The arrays of a program: classes of versions (union-find), and how these are used."""

    def __init__(self, region: Region, fills: Mapping[Value, Op]):
        self.fills = fills  # not in a class: one constant may be the start of many arrays
        self.classes = ArrayClasses(region, STORES, apart=fills)
        self.slices: list[_Slice] = []
        self.others = [*region.args, *region.yields]  # values with any other use
        self._visit(region, 0)

    def orders(self) -> dict[Value, AxisOrder]:
        """The new order of axes for each version of the arrays that get one."""
        found = {root: _axis_order(slices) for root, slices in self._slices_of_classes().items()}
        orders = {root: order for root, order in found.items() if order is not None}
        accessed = {each.array for each in self.slices}
        members = (self.classes.members() | accessed) - self.fills.keys()
        return {x: orders[self.classes.of(x)] for x in members if self.classes.of(x) in orders}

    def _slices_of_classes(self) -> dict[Value, list[_Slice]]:
        excluded = set(map(self.classes.of, self.others))
        classes: dict[Value, list[_Slice]] = {}
        for each in self.slices:
            root = self.classes.of(each.array)
            if root not in excluded:
                classes.setdefault(root, []).append(each)
        return classes

    def _visit(self, region: Region, depth: int) -> None:
        for op in region.ops:
            self._use(op, depth)
            for inner in op.regions:
                self._visit(inner, depth + (op.primitive is loop_p))

    def _use(self, op: Op, depth: int) -> None:
        if op.primitive in _ACCESSES:
            array, *others = op.operands
            if op.primitive in STORES:  # of the result: the operand may be a constant, in no class
                (array,) = op.results
            else:
                others += op.results
            self.slices.append(_Slice(array, slice_sizes(op), depth))
            self.others += others
        elif op.primitive not in (loop_p, if_p, call_p, *_FILLS):
            self.others += (*op.operands, *op.results)
            self.others += (x for r in op.regions for x in (*r.args, *r.yields))


def _axis_order(slices: Sequence[_Slice]) -> AxisOrder | None:
    """First the axes along which all slices of the innermost loops have one element.

    None if this changes nothing in memory, or if it would reorder the elements of a slice.
    """
    shape, max_depth = slices[0].array.shape, max(each.depth for each in slices)
    innermost = [each.sizes for each in slices if each.depth == max_depth]
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

    def __init__(self, orders: Mapping[Value, AxisOrder], fills: Mapping[Value, Op]):
        self.orders, self.fills = orders, fills
        self.new: dict[Value, Value] = {}

    def region(self, region: Region, becomes: Sequence[Value | None]) -> Region:
        """`becomes`: the values that its yields become."""
        args = tuple(map(self._new, region.args))
        with Builder() as b:
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
        results = tuple(map(self._new, op.results))
        append(Op(op.primitive, operands, op.params, regions, results, op.span))

    def _access(self, op: Op, order: AxisOrder) -> None:
        starts = map(self._new, _permuted(start_indices(op), order))
        sizes = _permuted(slice_sizes(op), order)
        if op.primitive is dynamic_slice:
            loaded = dynamic_slice(self._new(op.operands[0]), *starts, sizes=sizes)
            self.new[op.results[0]] = reshape(loaded, shape=slice_sizes(op))
            return
        (array,) = self._converted(op.operands[:1], op.results)
        update = reshape(self._new(op.operands[1]), shape=sizes)
        self.new[op.results[0]] = emit1(op.primitive, array, update, *starts)

    def _converted(self, xs: Sequence[Value], becomes: Sequence[Value | None]) -> tuple[Value, ...]:
        """The new values of `xs`; constants in the axis orders of the values that they become."""
        return tuple(self._converted_one(*pair) for pair in zip(xs, becomes, strict=True))

    def _converted_one(self, x: Value, becomes: Value | None) -> Value:
        if x not in self.fills or becomes is None or becomes not in self.orders:
            return self._new(x)
        fill, shape = self.fills[x], _permuted(x.shape, self.orders[becomes])
        return emit1(fill.primitive, **{**fill.params, "shape": shape})

    def _new(self, x: Value) -> Value:
        if x in self.orders and x not in self.new:
            self.new[x] = Value(x.aval.with_shape(_permuted(x.shape, self.orders[x])), x.name)
        return self.new.get(x, x)


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
    return op.operands, [region.yields for region in op.regions]


def _permuted(xs: Sequence[T], order: AxisOrder) -> tuple[T, ...]:
    return tuple(xs[axis] for axis in order)
