"""Sums of slice cotangents: the cotangent of an array that was read in slices at constant indices.

    %a = slice %x {0:2}                            %x_ct = concatenate %a_ct, %b_ct
    %b = slice %x {2:5}      ->   in reverse

    %a = slice %x {0:4}                            %1 = pad %a_ct {high=1}
    %b = slice %x {1:5}      ->   in reverse       %2 = pad %b_ct {low=1}
                                                   %x_ct = add %1, %2

Disjoint slices form a *layer*, one array of the shape of `x`; layers are added. A layer costs as
much as the array. One that covers little of the array is therefore added in place instead, slice by
slice: n reads of single elements cost O(n), wherever they are. Overlapping slices of a large array
are added in place, too.
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

# XLA fuses a sum of padded slices into one loop, but without vector instructions. With it the
# gradient of a stencil takes 0.8 to 1.0 times as long on arrays that the first cache holds, 1.3
# times as long on larger ones.
MAX_PADDED_BYTES = 32_768


@dataclass(frozen=True, slots=True)
class SliceCotangent:
    """`ct` is the cotangent of the slice at `start`; `span` is where the source reads the slice."""

    start: tuple[int, ...]
    ct: Value
    span: Span | None

    def partial_axes(self, x: Aval) -> list[int]:
        """The axes along which the slice is shorter than `x`."""
        return [axis for axis, n in enumerate(x.shape) if self.ct.shape[axis] != n]

    def interval(self, axis: int) -> tuple[int, int]:
        return self.start[axis], self.start[axis] + self.ct.shape[axis]


def sum_of_slice_cotangents(
    x: Aval, total: Value | None, slices: Sequence[SliceCotangent]
) -> Value:
    """The sum of `total` (None: zero) and the slice cotangents `slices`, as one array like `x`."""
    layers: list[list[SliceCotangent]] = []
    rest: list[list[SliceCotangent]] = []
    for layer in _layers(x, slices):
        (layers if _is_worth_an_array(x, layer) else rest).append(layer)
    # Slices can be added in place only to an array that exists: the first layer makes it.
    if total is None and not layers:
        layers.append(rest.pop(0))
    for layer in layers:
        with at(layer[0].span):
            ct = _array(x, layer)
            total = ct if total is None else add(total, ct)
    assert total is not None
    for part in (part for layer in rest for part in layer):
        with at(part.span):
            total = add_to_slice(total, part.ct, static_indices(part.start))
    return total


def _is_worth_an_array(x: Aval, layer: Sequence[SliceCotangent]) -> bool:
    """Whether a layer is worth an array of its own."""
    dense = MAX_ELEMENTS_PER_COVERED * sum(part.ct.aval.size for part in layer) >= x.size
    return dense and (len(layer) > 1 or x.nbytes <= MAX_PADDED_BYTES)


# ----- Layers


def _layers(x: Aval, slices: Sequence[SliceCotangent]) -> Iterator[list[SliceCotangent]]:
    """The slices in groups: disjoint ones to concatenate along one axis, or one slice alone."""
    along: dict[int, list[SliceCotangent]] = {}
    for part in slices:
        axes = part.partial_axes(x)
        if len(axes) == 1:
            along.setdefault(axes[0], []).append(part)
        else:
            yield [part]
    for axis, group in along.items():
        yield from _disjoint(group, axis)


def _disjoint(slices: Sequence[SliceCotangent], axis: int) -> list[list[SliceCotangent]]:
    """The slices in as few groups of disjoint ones as possible, each in ascending order."""
    layers: list[list[SliceCotangent]] = []
    # First fit, in the order of the starts, gives the least number of groups for intervals.
    for part in sorted(slices, key=lambda part: part.interval(axis)):
        start, _ = part.interval(axis)
        free = (layer for layer in layers if layer[-1].interval(axis)[1] <= start)
        layer = next(free, None)
        if layer is None:
            layers.append([part])
        else:
            layer.append(part)
    return layers


def _array(x: Aval, layer: Sequence[SliceCotangent]) -> Value:
    """The slices of a layer as an array like `x`, zero elsewhere."""
    if len(layer) == 1:
        return _padded(x, layer[0])
    (axis,) = layer[0].partial_axes(x)
    parts, end = [], 0
    for part in layer:
        start, after = part.interval(axis)
        parts += [*_gap(x, axis, start - end), part.ct]
        end = after
    return concatenate(*parts, *_gap(x, axis, x.shape[axis] - end), axis=axis)


def _gap(x: Aval, axis: int, length: int) -> list[Value]:
    """Zeros of this length along `axis`; none if it is zero."""
    shape = (*x.shape[:axis], length, *x.shape[axis + 1 :])
    return [zeros(x.with_shape(shape))] if length else []


def _padded(x: Aval, part: SliceCotangent) -> Value:
    if part.ct.shape == x.shape:
        return part.ct
    high = tuple(n - a - m for n, a, m in zip(x.shape, part.start, part.ct.shape))
    none = (0,) * x.ndim
    return pad(part.ct, constant(0, x.dtype), low=part.start, high=high, interior=none)
