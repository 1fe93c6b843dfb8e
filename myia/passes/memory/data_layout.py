"""The axes of an array are in the order in which its windows lie close together.

    %t = 0.0: f64[98,4]                                  %t = 0.0: f64[4,98]
    %t = for %k < 4 (%t = %t) {                          %t = for %k < 4 (%t = %t) {
      %1 = reshape %u {shape=(98, 1)}             ->       %1 = reshape %u {shape=(1, 98)}
      %t' = dynamic_update_slice %t, %1, %z, %k            %t' = dynamic_update_slice %t, %1, %k, %z
      yield %t'                                            yield %t'
    }                                                    }

Such are the tapes of a nest whose outer trips are made at once (`outer_loop.py`), and what a user
computes column by column. One column after the other, each element is in another line of the
cache; where the rows are as long as a power of two, all these lines are in one place of it.

Such an array starts as a constant, and nothing is done with any of its versions but to read and to
store windows and to pass it on. Axes along which the windows in its innermost loops are one element
come first; no window has its own elements in another order then. (Others would have to be moved
before and after their loops. That costs as much as three accesses, and was not faster.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from myia.ir.builder import Builder, append, at, emit1
from myia.ir.core import Function, Op, Region, Value, walk
from myia.passes.analysis.accesses import STORES, slice_sizes, start_indices
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.arrays.shaping import reshape
from myia.primitives.core.define import constant_p, empty_p
from myia.primitives.core.region_dataflow import dataflow_edges
from myia.primitives.core.structured import Loop, call_p, if_p, loop_p
from myia.rewriting.walk import with_region

Order = tuple[int, ...]  # at each place of the new shape the old axis

_FILLS = (constant_p, empty_p)
_WINDOWS = (dynamic_slice, *STORES)


def choose_data_layout(function: Function) -> Function:
    """`function` with arrays of its own laid out as their windows are."""
    region = function.region
    fills = {op.results[0]: op for op in walk(region) if op.primitive in _FILLS}
    orders = _Arrays(region, fills).orders()
    if not orders:
        return function
    return with_region(function, _Rewrite(orders, fills).region(region, region.yields))


# ----- What is done with arrays


class _Window(NamedTuple):
    array: Value
    sizes: tuple[int, ...]
    depth: int  # of loops


class _Arrays:
    """Values in classes (union-find), each the versions of an array, and what is done with them."""

    def __init__(self, region: Region, fills: Mapping[Value, Op]):
        self.fills = fills  # not joined: one constant may be the start of many arrays
        self.parent: dict[Value, Value] = {}
        self.windows: list[_Window] = []
        self.others = [*region.args, *region.yields]  # of which something else is done
        self._visit(region, 0)

    def orders(self) -> dict[Value, Order]:
        """Of the versions of arrays whose axes are to be in another order."""
        found = {root: _order(windows) for root, windows in self._classes().items()}
        orders = {root: order for root, order in found.items() if order is not None}
        return {x: orders[self._root(x)] for x in self._values() if self._root(x) in orders}

    def _classes(self) -> dict[Value, list[_Window]]:
        barred = set(map(self._root, self.others))
        classes: dict[Value, list[_Window]] = {}
        for window in self.windows:
            root = self._root(window.array)
            if root not in barred:
                classes.setdefault(root, []).append(window)
        return classes

    def _values(self) -> set[Value]:
        """Those that are of some array; a constant itself never is."""
        accessed = {window.array for window in self.windows}
        return {*self.parent, *self.parent.values(), *accessed} - self.fills.keys()

    def _root(self, x: Value) -> Value:
        while x in self.parent:
            above = self.parent[x]
            self.parent[x] = x = self.parent.get(above, above)
        return x

    def _join(self, x: Value, y: Value) -> None:
        x, y = self._root(x), self._root(y)
        if x is not y and x not in self.fills and y not in self.fills:
            self.parent[x] = y

    def _visit(self, region: Region, depth: int) -> None:
        for op in region.ops:
            self._use(op, depth)
            for inner in op.regions:
                self._visit(inner, depth + (op.primitive is loop_p))

    def _use(self, op: Op, depth: int) -> None:
        if op.primitive in _WINDOWS:
            array, *others = op.operands
            if op.primitive in STORES:  # into a constant, which is of no array, perhaps
                self._join(array, *op.results)
                (array,) = op.results
            else:
                others += op.results
            self.windows.append(_Window(array, slice_sizes(op), depth))
            self.others += others
        elif op.primitive in (loop_p, if_p, call_p):
            for x, y in dataflow_edges(op):
                self._join(x, y)
            if op.primitive is loop_p:  # also where all that becomes the two are constants
                for x, y in zip(Loop.of(op).body.args[1:], op.results):
                    self._join(x, y)
        elif op.primitive not in _FILLS:
            self.others += (*op.operands, *op.results)
            self.others += (x for r in op.regions for x in (*r.args, *r.yields))


def _order(windows: Sequence[_Window]) -> Order | None:
    """Axes along which the windows in the innermost loops are one element, then the others; None
    where the elements are in this order already, or those of a window would not be."""
    shape, deepest = windows[0].array.shape, max(window.depth for window in windows)
    inner = [window.sizes for window in windows if window.depth == deepest]
    wide = {i for sizes in inner for i, size in enumerate(sizes) if size > 1}
    order = tuple(sorted(range(len(shape)), key=lambda axis: axis in wide))
    if _same_elements(order, shape):
        return None
    return order if all(_same_elements(order, window.sizes) for window in windows) else None


def _same_elements(order: Order, shape: Sequence[int]) -> bool:
    """Does an array of `shape` have its elements in the same order with its axes in another?"""
    long = [axis for axis in order if shape[axis] != 1]
    return long == sorted(long) or 0 in shape


# ----- What it becomes


class _Rewrite:
    """Ops with the axes of the given values in other orders."""

    def __init__(self, orders: Mapping[Value, Order], fills: Mapping[Value, Op]):
        self.orders, self.fills = orders, fills
        self.new: dict[Value, Value] = {}

    def region(self, region: Region, like: Sequence[Value | None]) -> Region:
        """`like`: the values that what it yields is, or becomes."""
        args = tuple(map(self._new, region.args))
        with Builder() as b:
            for op in region.ops:
                with at(op.span):
                    self._op(op)
            yields = self._read(region.yields, like)
        return Region(args, tuple(b.ops), yields)

    def _op(self, op: Op) -> None:
        array = op.results[0] if op.primitive in STORES else (*op.operands, None)[0]
        if op.primitive in _WINDOWS and array in self.orders:
            self._window(op, self.orders[array])
            return
        operands, yields = _becoming(op)
        operands = self._read(op.operands, operands)
        regions = tuple(map(self.region, op.regions, yields))
        results = tuple(map(self._new, op.results))
        append(Op(op.primitive, operands, op.params, regions, results, op.span))

    def _window(self, op: Op, order: Order) -> None:
        place, sizes = (_permuted(xs, order) for xs in (start_indices(op), slice_sizes(op)))
        place = tuple(map(self._new, place))
        if op.primitive is dynamic_slice:
            window = dynamic_slice(self._new(op.operands[0]), *place, sizes=sizes)
            self.new[op.results[0]] = reshape(window, shape=slice_sizes(op))
            return
        (array,) = self._read(op.operands[:1], op.results)
        update = reshape(self._new(op.operands[1]), shape=sizes)
        self.new[op.results[0]] = op.primitive(array, update, *place)

    def _read(self, xs: Sequence[Value], like: Sequence[Value | None]) -> tuple[Value, ...]:
        """What `xs` have become, in the orders of the values that they become."""
        return tuple(self._as(*pair) for pair in zip(xs, like, strict=True))

    def _as(self, x: Value, like: Value | None) -> Value:
        if x not in self.fills or like not in self.orders:
            return self._new(x)
        fill, shape = self.fills[x], _permuted(x.shape, self.orders[like])
        return emit1(fill.primitive, **{**fill.params, "shape": shape})

    def _new(self, x: Value) -> Value:
        if x in self.orders and x not in self.new:
            self.new[x] = Value(x.aval.with_shape(_permuted(x.shape, self.orders[x])), x.name)
        return self.new.get(x, x)


def _becoming(op: Op) -> tuple[Sequence[Value | None], Sequence[Sequence[Value | None]]]:
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


def _permuted(xs: Sequence, order: Order) -> tuple:
    return tuple(xs[axis] for axis in order)
