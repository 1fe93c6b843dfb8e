"""Views: how a part of an array is read and written.

A *step* maps an array to a view of it. `aval` gives the type of the view, `read(x)` emits the view
of `x`, and `write(x, v)` emits the array that `x` becomes when the view is set to `v`.

A view of a view is a chain of steps (each `ViewObject` names its base). `composed_slice` folds two
steps into one where it can: an element of a row of a matrix is then read and written at the cost of
an element, not of a row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.arrays import dynamic_slices, shaping
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic


@dataclass(frozen=True, eq=False)
class StridedSlice:
    """`x[start : start + size*stride : stride, ...]`, reshaped to `shape`.

    A start is a static int or an `i64[]` value (then the stride is 1). A negative stride walks
    down from `start`. Starts are in range: `infer/indexing/indexing.py` checks them.
    """

    starts: tuple[int | Value, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    shape: tuple[int, ...]

    def aval(self, x: Aval) -> Aval:
        return x.with_shape(self.shape)

    def values(self) -> tuple[Value, ...]:
        """The starts that are known at run time."""
        return tuple(s for s in self.starts if isinstance(s, Value))

    def with_values(self, values: Iterable[Value]) -> StridedSlice:
        """The same slice with other values for these."""
        rest = iter(values)
        starts = (next(rest) if isinstance(s, Value) else s for s in self.starts)
        return replace(self, starts=tuple(starts))

    def read(self, x: Value) -> Value:
        if 0 in self.sizes:
            return constant(0, x.dtype, self.shape)
        low = tuple(start for start in self._lowest() if not isinstance(start, Value))
        if len(low) < len(self.starts):
            x, low = self._box(x), (0,) * len(self.starts)
        return reshape(self._flipped(_slice(x, low, self._spans(), self._steps())), self.shape)

    def write(self, x: Value, v: Value) -> Value:
        if 0 in self.sizes:
            return x
        v = self._flipped(reshape(v, self.sizes))
        if any(step != 1 for step in self._steps()):
            v = _interleave(v, self._box(x), self._steps())
        return dynamic_slices.dynamic_update_slice(x, v, *self._start_values())

    def _box(self, x: Value) -> Value:
        """The box from the first to the last element of the slice."""
        return dynamic_slices.dynamic_slice(x, *self._start_values(), sizes=self._spans())

    def _flipped(self, x: Value) -> Value:
        reversed_axes = tuple(i for i, stride in enumerate(self.strides) if stride < 0)
        return shaping.flip(x, axes=reversed_axes) if reversed_axes else x

    def _steps(self) -> tuple[int, ...]:
        return tuple(map(abs, self.strides))

    def _spans(self) -> tuple[int, ...]:
        """The sizes of the box."""
        return tuple((n - 1) * abs(s) + 1 for n, s in zip(self.sizes, self.strides))

    def _lowest(self) -> tuple[int | Value, ...]:
        """The lowest index of the slice along each axis."""
        return tuple(
            start + (n - 1) * stride if stride < 0 else start
            for start, n, stride in zip(self.starts, self.sizes, self.strides)
        )

    def _start_values(self) -> tuple[Value, ...]:
        return tuple(s if isinstance(s, Value) else constant(s, np.int64) for s in self._lowest())


def _slice(
    x: Value, low: tuple[int, ...], spans: tuple[int, ...], strides: tuple[int, ...]
) -> Value:
    limit = tuple(a + n for a, n in zip(low, spans))
    if all(a == 0 for a in low) and limit == x.shape and all(s == 1 for s in strides):
        return x
    return shaping.slice(x, start=tuple(low), limit=limit, stride=tuple(strides))


def _interleave(v: Value, old: Value, strides: tuple[int, ...]) -> Value:
    """The elements of `v` at every `strides`-th index, those of `old` between them."""
    none = (0,) * len(strides)
    params = {"low": none, "high": none, "interior": tuple(s - 1 for s in strides)}
    spread = shaping.pad(v, constant(0, v.dtype), **params)
    here = shaping.pad(constant(True, bool, v.shape), constant(False, bool), **params)
    return logic.select(here, spread, old)


@dataclass(frozen=True, eq=False)
class Permute:
    """`x.transpose(permutation)`."""

    permutation: tuple[int, ...]

    def aval(self, x: Aval) -> Aval:
        return x.with_shape(tuple(x.shape[i] for i in self.permutation))

    def read(self, x: Value) -> Value:
        return shaping.transpose(x, permutation=self.permutation)

    def write(self, x: Value, v: Value) -> Value:
        inverse = tuple(int(i) for i in np.argsort(self.permutation))
        return shaping.transpose(v, permutation=inverse)


@dataclass(frozen=True, eq=False)
class Reshape:
    """`x.reshape(shape)` of a contiguous array."""

    shape: tuple[int, ...]

    def aval(self, x: Aval) -> Aval:
        return x.with_shape(self.shape)

    def read(self, x: Value) -> Value:
        return reshape(x, self.shape)

    def write(self, x: Value, v: Value) -> Value:
        return reshape(v, x.shape)


def reshape(x: Value, shape: tuple[int, ...]) -> Value:
    return x if x.shape == tuple(shape) else shaping.reshape(x, shape=tuple(shape))


# ----- Views of views


def composed_slice(first: object, then: object, shape: tuple[int, ...]) -> StridedSlice | None:
    """The slice of an array of `shape` that equals `then` of its view `first`, if there is one."""
    if not isinstance(then, StridedSlice):
        return None
    if isinstance(first, Permute):
        return _slice_of_permuted(first, then)
    if isinstance(first, StridedSlice):
        return _slice_of_slice(first, then)
    if isinstance(first, Reshape):
        whole = StridedSlice((0,) * len(shape), shape, (1,) * len(shape), first.shape)
        return _slice_of_slice(whole, then)
    return None


def _slice_of_permuted(first: Permute, then: StridedSlice) -> StridedSlice | None:
    """The axes in their old order, if the permutation keeps the order of axes of size > 1."""
    order = [int(i) for i in np.argsort(first.permutation)]
    moved = [axis for axis in first.permutation if then.sizes[order[axis]] != 1]
    if moved != sorted(moved):
        return None
    starts = tuple(then.starts[i] for i in order)
    sizes = tuple(then.sizes[i] for i in order)
    return StridedSlice(starts, sizes, tuple(then.strides[i] for i in order), then.shape)


def _slice_of_slice(first: StridedSlice, then: StridedSlice) -> StridedSlice | None:
    """The slice of a slice, if `first` is only reshaped by axes of size 1."""
    kept_axes = [axis for axis, n in enumerate(first.sizes) if n != 1]
    view_axes = [axis for axis, n in enumerate(first.shape) if n != 1]
    kept = [first.sizes[i] for i in kept_axes]
    if kept != [first.shape[i] for i in view_axes] or 0 in then.sizes:
        return None
    starts, sizes, strides = list(first.starts), list(first.sizes), list(first.strides)
    for i, j in zip(kept_axes, view_axes):
        start = composed_start(starts[i], strides[i], then.starts[j])
        starts[i], sizes[i], strides[i] = start, then.sizes[j], strides[i] * then.strides[j]
        if sizes[i] == 1:
            strides[i] = 1
        if strides[i] != 1 and isinstance(start, Value):
            return None
    return StridedSlice(tuple(starts), tuple(sizes), tuple(strides), then.shape)


def composed_start(start: int | Value, stride: int, offset: int | Value) -> int | Value:
    """`start + stride * offset`"""
    if not isinstance(offset, Value):
        if isinstance(start, int):
            return start + stride * offset
        return arithmetic.add(start, stride * offset) if offset else start
    step = offset if stride == 1 else arithmetic.mul(offset, stride)
    return step if isinstance(start, int) and start == 0 else arithmetic.add(step, start)
