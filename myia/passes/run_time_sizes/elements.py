"""One element of an array, or one row, computed from what the array is computed from.

    %1 = pad %x, 0.0 {high=(9,)}                           %j = add %k, %i
    %2 = dynamic_slice %1, %i {sizes=(9,)}         ->      %6 = dynamic_slice %x, %j {sizes=(1,)}
    %3 = gather %y, %2                                     %7 = dynamic_slice %y, %6 {sizes=(1,)}
    %4 = select %mask, %3, 0.0                             %8 = mul %7, 2.0
    %5 = mul %4, 2.0                                       %8 is %5[%k], where %k is in the mask

The element of an elementwise op is the op of elements, that of a slice or gather is an element at
another index. Comparisons of indices that the bounds of loops decide vanish. What is none of these
is computed as a whole, and the element is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from myia.analysis.linear_indices import (
    IndexRanges,
    LinearForm,
    constant_form,
    minus,
    plus,
    times,
)
from myia.ir.avals import I64
from myia.ir.builder import emit1
from myia.ir.core import Op, Value
from myia.passes.run_time_sizes.valid_ranges import index_constant
from myia.primitives.arrays import shaping
from myia.primitives.arrays.dynamic_slices import dynamic_slice, start_indices
from myia.primitives.arrays.gather import IndexDims, gather
from myia.primitives.core.define import PointwisePrimitive, constant, constant_p
from myia.primitives.pointwise import arithmetic, logic
from myia.rewriting.axes import moved_axes

# Along an axis: the index of one element, or None for all of them.
Index = tuple[Value | None, ...]
COMPARISONS = (logic.lt, logic.ge, logic.le, logic.gt)


class Elements:
    """Emits elements of arrays. `is_local`: may a value be computed again, element by element?"""

    def __init__(
        self,
        definitions: Mapping[Value, Op],
        ranges: IndexRanges,
        is_local: Callable[[Value], bool],
    ):
        self.definitions, self.ranges, self.is_local = definitions, ranges, is_local
        self.known: dict[tuple[Value, Index], Value] = {}

    def at(self, x: Value, index: Index) -> Value:
        """The element of `x`, without the axes along which it is single."""
        if all(i is None for i in index):
            return self.whole(x)
        if (x, index) not in self.known:
            self.known[x, index] = self._element(x, index)
        return self.known[x, index]

    def whole(self, x: Value) -> Value:
        """All elements."""
        return x

    def add(self, x: Value, y: Value) -> Value:
        """The sum of two indices, with its linear form."""
        form = plus(self.ranges.linear_form(x), self.ranges.linear_form(y))
        for known in (x, y):
            if form == self.ranges.linear_form(known):
                return known
        return self._with_form(arithmetic.add(x, y), form)

    def _with_form(self, x: Value, form: LinearForm) -> Value:
        self.ranges.forms[x] = form
        return x

    def _constant(self, n: int) -> Value:
        return index_constant(n, self.ranges)

    def _element(self, x: Value, index: Index) -> Value:
        op = self.definitions.get(x)
        emit = None if op is None else _RULES.get(op.primitive)
        if op is None:
            return self._load(x, index)
        if emit is not None:
            return emit(self, op, index) or self._load(x, index)
        axes = moved_axes(op)
        if axes is not None:
            return self._moved(op, index, axes)
        if isinstance(op.primitive, PointwisePrimitive) and self.is_local(x):
            return emit1(op.primitive, *(self.at(y, index) for y in op.operands), **op.params)
        return self._load(x, index)

    def _is_loaded(self, x: Value) -> bool:
        """Is an element of `x` surely loaded?"""
        op = self.definitions.get(x)
        if op is None:
            return True
        computed = isinstance(op.primitive, PointwisePrimitive) or op.primitive in _RULES
        return not computed and moved_axes(op) is None

    def _load(self, x: Value, index: Index) -> Value:
        sizes = tuple(n if i is None else 1 for i, n in zip(index, x.shape))
        starts = [self._constant(0) if i is None else i for i in index]
        return shaping.reshape(self.read(x, starts, sizes), shape=_kept(x.shape, index))

    def read(self, x: Value, starts: Sequence[Value], sizes: tuple[int, ...]) -> Value:
        """A slice of an array that is not computed element by element."""
        return dynamic_slice(x, *starts, sizes=sizes)

    def _moved(self, op: Op, index: Index, axes: Mapping[int, int]) -> Value:
        """An element of a broadcast, a transpose, a reshape that adds axes of one element."""
        (x,) = op.operands
        zero = self._constant(0)
        inner = tuple(index[axes[i]] if i in axes else zero for i in range(len(x.shape)))
        found = self.at(x, inner)
        shape = _kept(op.results[0].shape, index)
        whole = [j for j, i in enumerate(index) if i is None]
        places = [axes[i] for i, given in enumerate(inner) if given is None]
        if places != sorted(places):
            order = sorted(range(len(places)), key=places.__getitem__)
            found, places = shaping.transpose(found, permutation=tuple(order)), sorted(places)
        if found.shape == shape:
            return found
        dims = tuple(whole.index(j) for j in places)
        return shaping.broadcast(found, shape=shape, dims=dims)

    # ----- What is known of comparisons

    def decided(self, x: Value, index: Index) -> bool | None:
        """Whether the element of a mask is surely true or surely false."""
        op = self.definitions.get(x)
        if op is None:
            return None
        if op.primitive is logic.and_:
            found = [self.decided(y, index) for y in op.operands]
            return False if False in found else None if None in found else True
        if op.primitive is constant_p:
            return bool(op.params["value"])
        if op.primitive in COMPARISONS and op.operands[0].dtype == I64.dtype:
            return self._compared(op, index)
        axes = moved_axes(op)
        if axes is None or any(i is None for i in index):
            return None
        (y,) = op.operands
        inner = tuple(index[axes[i]] if i in axes else None for i in range(len(y.shape)))
        return self.decided(y, inner)

    def _compared(self, op: Op, index: Index) -> bool | None:
        x, y = (self.form_at(x, index) for x in op.operands)
        if x is None or y is None:
            return None
        x, y = (x, y) if op.primitive in (logic.ge, logic.lt) else (y, x)
        # Now x >= y is `ge` or `le`, and x < y is `lt` or `gt`.
        is_at_least = self.ranges.is_nonnegative(minus(x, y))
        is_less = not is_at_least and self._is_less(x, y)
        if not (is_at_least or is_less):
            return None
        return is_at_least == (op.primitive in (logic.ge, logic.le))

    def _is_less(self, x: LinearForm, y: LinearForm) -> bool:
        return self.ranges.is_nonnegative(minus(minus(y, x), constant_form(1)))

    def is_within(self, x: Value, n: int) -> bool:
        """Is 0 <= x < n known?"""
        form = self.ranges.linear_form(x)
        return self.ranges.is_nonnegative(form) and self._is_less(form, constant_form(n))

    def form_at(self, x: Value, index: Index) -> LinearForm | None:
        """The linear form of an element of an array of indices, if it is known."""
        op = self.definitions.get(x)
        if not index:
            return self.ranges.linear_form(x)
        if op is None:
            return None
        if op.primitive is constant_p:
            return constant_form(int(op.params["value"]))
        if op.primitive is shaping.iota:
            at = index[op.params["axis"]]
            return None if at is None else self.ranges.linear_form(at)
        if op.primitive in (arithmetic.add, arithmetic.sub):
            x_form, y_form = (self.form_at(y, index) for y in op.operands)
            if x_form is None or y_form is None:
                return None
            return plus(x_form, times(y_form, 1 if op.primitive is arithmetic.add else -1))
        axes = moved_axes(op)
        if axes is None:
            return None
        (y,) = op.operands
        inner = tuple(index[axes[i]] if i in axes else None for i in range(len(y.shape)))
        return self.form_at(y, inner)

    # ----- Elements of single ops: None where they are loaded

    def _constant_element(self, op: Op, index: Index) -> Value:
        shape = _kept(op.results[0].shape, index)
        return constant(op.params["value"], op.results[0].dtype, shape)

    def _iota(self, op: Op, index: Index) -> Value:
        (y,) = op.results
        at = index[op.params["axis"]]
        shape = _kept(y.shape, index)
        if at is None:
            axis = sum(i is None for i in index[: op.params["axis"]])
            return shaping.iota(shape=shape, axis=axis, dtype=y.dtype)
        found = logic.convert(at, dtype=y.dtype)
        return shaping.broadcast(found, shape=shape, dims=()) if shape else found

    def _select(self, op: Op, index: Index) -> Value | None:
        mask, x, y = op.operands
        decided = self.decided(mask, index)
        if decided is not None:
            return self.at(x if decided else y, index)
        if not self.is_local(op.results[0]):
            return None
        return logic.select(*(self.at(z, index) for z in op.operands))

    def _pad(self, op: Op, index: Index) -> Value | None:
        """Inside: an element; where that is not known, selected by a comparison."""
        x, value = op.operands
        low, interior = op.params["low"], op.params["interior"]
        inner = list(index)
        outside = []
        for i, at in enumerate(index):
            if low[i] == 0 == op.params["high"][i]:
                continue
            if at is None or interior[i] or low[i] < 0 or x.shape[i] == 0:
                return None
            at = inner[i] = self.add(at, self._constant(-low[i]))
            outside += [] if self.is_within(at, x.shape[i]) else [i]
        if any(interior):
            return None
        found: Value | None = None
        for i in outside:
            at = inner[i]
            assert at is not None
            end = constant(x.shape[i], I64.dtype)
            here = logic.and_(logic.ge(at, 0), logic.lt(at, end))
            found = here if found is None else logic.and_(found, here)
            inner[i] = arithmetic.max(arithmetic.min(at, x.shape[i] - 1), 0)
        element = self.at(x, tuple(inner))
        if found is None:
            return element
        mask, padding = found, value
        if element.shape:
            mask = shaping.broadcast(found, shape=element.shape, dims=())
            padding = shaping.broadcast(value, shape=element.shape, dims=())
        return logic.select(mask, element, padding)

    def _slice(self, op: Op, index: Index) -> Value | None:
        (x,) = op.operands
        start, stride = op.params["start"], op.params["stride"]
        inner: list[Value | None] = []
        for i, at in enumerate(index):
            if at is None:
                if op.results[0].shape[i] != x.shape[i]:
                    return None
                inner.append(None)
                continue
            form = plus(times(self.ranges.linear_form(at), stride[i]), constant_form(start[i]))
            if stride[i] != 1:
                at = arithmetic.mul(at, stride[i])
            if start[i]:
                at = arithmetic.add(at, start[i])
            inner.append(self._with_form(at, form) if at is not index[i] else at)
        return self.at(x, tuple(inner))

    def _flip(self, op: Op, index: Index) -> Value:
        (x,) = op.operands
        inner = list(index)
        flipped = [i for i in op.params["axes"] if index[i] is not None]
        for i in flipped:
            at = index[i]
            assert at is not None
            last = x.shape[i] - 1
            form = minus(constant_form(last), self.ranges.linear_form(at))
            inner[i] = self._with_form(arithmetic.sub(self._constant(last), at), form)
        found = self.at(x, tuple(inner))
        whole = [i for i, at in enumerate(index) if at is None]
        axes = tuple(whole.index(i) for i in op.params["axes"] if i in whole)
        return shaping.flip(found, axes=axes) if axes else found

    def _dynamic_slice(self, op: Op, index: Index) -> Value | None:
        """As XLA does, the start indices are clamped so that the slice fits."""
        x = op.operands[0]
        inner: list[Value | None] = []
        for at, start, size, n in zip(index, start_indices(op), op.params["sizes"], x.shape):
            if at is None and size == n:
                inner.append(None)
            elif at is None:
                return self._part(op, index)
            else:
                inner.append(self.add(self.fitting(start, n - size), at))
        return self.at(x, tuple(inner))

    def _part(self, op: Op, index: Index) -> Value:
        """A row of a slice that is not all of the row."""
        x, sizes = op.operands[0], op.params["sizes"]
        starts = [
            start if at is None else self.add(self.fitting(start, n - size), at)
            for at, start, size, n in zip(index, start_indices(op), sizes, x.shape)
        ]
        own = tuple(n if at is None else 1 for at, n in zip(index, sizes))
        return shaping.reshape(self.read(x, starts, own), shape=_kept(sizes, index))

    def fitting(self, start: Value, last: int) -> Value:
        """A start index clamped to 0 .. `last`."""
        if last == 0:
            return self._constant(0)
        if self.is_within(start, last + 1):
            return start
        return arithmetic.max(arithmetic.min(start, last), 0)

    def _gather(self, op: Op, index: Index) -> Value | None:
        """Of rows along one axis: a row at an index that is an element of the indices."""
        x, indices = op.operands
        dims = IndexDims(*op.params["dims"])
        simple = len(dims.start_index_map) == 1 and dims.hidden == dims.start_index_map
        if not simple or dims.operand_batching_dims or op.params["mode"] != "clip":
            return None
        if not self.is_local(op.results[0]):
            return None
        (axis,) = dims.start_index_map
        own = tuple(at for i, at in enumerate(index) if i not in dims.offset_dims)
        rest = [index[i] for i in dims.offset_dims]
        whole_rows = all(op.params["sizes"][i] == n for i, n in enumerate(x.shape) if i != axis)
        if any(at is None for at in own) or not whole_rows:
            return None
        at = logic.convert(self.at(indices, (*own, self._constant(0))), dtype=I64.dtype)
        if not self._is_loaded(x):  # a load clamps its index itself
            at = self.fitting(at, x.shape[axis] - 1)
        return self.at(x, (*rest[:axis], at, *rest[axis:]))


def _kept(shape: tuple[int, ...], index: Index) -> tuple[int, ...]:
    return tuple(n for n, i in zip(shape, index) if i is None)


_RULES: dict[object, Callable[[Elements, Op, Index], Value | None]] = {
    constant_p: Elements._constant_element,
    shaping.iota: Elements._iota,
    logic.select: Elements._select,
    shaping.pad: Elements._pad,
    shaping.slice: Elements._slice,
    shaping.flip: Elements._flip,
    dynamic_slice: Elements._dynamic_slice,
    gather: Elements._gather,
}
