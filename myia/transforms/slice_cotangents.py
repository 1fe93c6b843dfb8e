"""Sums of windows: the cotangent of an array that was read in parts, of which the places are known.

    %a = slice %x {0:2}                            %x_ct = concatenate %a_ct, %b_ct
    %b = slice %x {2:5}      ->   in reverse

    %a = slice %x {0:4}                            %1 = pad %a_ct {high=1}
    %b = slice %x {1:5}      ->   in reverse       %2 = pad %b_ct {low=1}
                                                   %x_ct = add %1, %2

Windows that do not overlap make up one layer, an array of the size of `x`; layers are added. A
layer costs as much as the array, so one that covers little of it is added in place instead, window
by window: n reads of single elements cost O(n), wherever they are. So are the windows of a large
array which overlap others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from myia.ir.avals import Aval
from myia.ir.builder import at
from myia.ir.core import Value
from myia.primitives.arrays.dynamic_slices import add_to_slice, static_indices
from myia.primitives.arrays.shaping import concatenate, pad
from myia.primitives.core.define import constant, zeros
from myia.primitives.pointwise.arithmetic import add
from myia.source.span import Span

MAX_ELEMENTS_PER_COVERED = 2  # of an array, for each element that a layer covers

# Sums of padded windows are one fused loop, but no vector instructions: a stencil's gradient takes
# 0.8 to 1.0 times as long by them on arrays that the first cache holds, 1.3 times on larger ones.
MAX_PADDED_BYTES = 32_768


@dataclass(frozen=True, slots=True)
class SliceCotangent:
    """`ct`, the cotangent of the part of an array that begins at `start`; `span` reads the part."""

    start: tuple[int, ...]
    ct: Value
    span: Span | None

    def partial(self, x: Aval) -> list[int]:
        """The axes of which the window is not all."""
        return [axis for axis, n in enumerate(x.shape) if self.ct.shape[axis] != n]

    def interval(self, axis: int) -> tuple[int, int]:
        return self.start[axis], self.start[axis] + self.ct.shape[axis]


def sum_of_slice_cotangents(
    x: Aval, total: Value | None, windows: Sequence[SliceCotangent]
) -> Value:
    """`total` (None: zero) and the windows, as one array like `x`."""
    layers, rest = [], []
    for layer in _layers(x, windows):
        (layers if _worth_an_array(x, layer) else rest).append(layer)
    if total is None and not layers:
        layers.append(rest.pop(0))
    for layer in layers:
        with at(layer[0].span):
            ct = _array(x, layer)
            total = ct if total is None else add(total, ct)
    for window in (window for layer in rest for window in layer):
        with at(window.span):
            total = add_to_slice(total, window.ct, static_indices(window.start))
    return total


def _worth_an_array(x: Aval, layer: Sequence[SliceCotangent]) -> bool:
    dense = MAX_ELEMENTS_PER_COVERED * sum(w.ct.aval.size for w in layer) >= x.size
    return dense and (len(layer) > 1 or x.nbytes <= MAX_PADDED_BYTES)


# ----- Layers


def _layers(x: Aval, windows: Sequence[SliceCotangent]) -> Iterator[list[SliceCotangent]]:
    """The windows, in groups which do not overlap and can be laid side by side along one axis."""
    along: dict[int, list[SliceCotangent]] = {}
    for window in windows:
        axes = window.partial(x)
        if len(axes) == 1:
            along.setdefault(axes[0], []).append(window)
        else:
            yield [window]
    for axis, group in along.items():
        yield from _disjoint(group, axis)


def _disjoint(windows: Sequence[SliceCotangent], axis: int) -> list[list[SliceCotangent]]:
    """As few groups without overlaps as possible, each in order."""
    layers: list[list[SliceCotangent]] = []
    for window in sorted(windows, key=lambda w: w.interval(axis)):
        start, _ = window.interval(axis)
        free = (layer for layer in layers if layer[-1].interval(axis)[1] <= start)
        layer = next(free, None)
        if layer is None:
            layers.append([window])
        else:
            layer.append(window)
    return layers


def _array(x: Aval, layer: Sequence[SliceCotangent]) -> Value:
    """The windows of a layer in an array like `x`, zero elsewhere."""
    if len(layer) == 1:
        return _padded(x, layer[0])
    (axis,) = layer[0].partial(x)
    parts, end = [], 0
    for window in layer:
        start, after = window.interval(axis)
        parts += [*_gap(x, axis, start - end), window.ct]
        end = after
    return concatenate(*parts, *_gap(x, axis, x.shape[axis] - end), axis=axis)


def _gap(x: Aval, axis: int, extent: int) -> list[Value]:
    shape = (*x.shape[:axis], extent, *x.shape[axis + 1 :])
    return [zeros(x.with_shape(shape))] if extent else []


def _padded(x: Aval, window: SliceCotangent) -> Value:
    if window.ct.shape == x.shape:
        return window.ct
    high = tuple(n - a - m for n, a, m in zip(x.shape, window.start, window.ct.shape))
    none = (0,) * x.ndim
    return pad(window.ct, constant(0, x.dtype), low=window.start, high=high, interior=none)
