"""Geometry of sliding windows (pooling, convolution): their number, positions and transpose.

A window of 3 elements with stride 2 over 7 elements, padded by 1 on both sides:

    . x0 x1 x2 x3 x4 x5 x6 .    ->    [. x0 x1] [x1 x2 x3] [x3 x4 x5] [x5 x6 .]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from myia.ir.avals import Shape
from myia.primitives.arrays.shaping import pad
from myia.primitives.core.define import require


def dilated(n: int, step: int) -> int:
    """The length of `n` elements with a distance of `step` between them."""
    return 0 if n == 0 else 1 + (n - 1) * step


class Sliding(NamedTuple):
    """Along each axis: a window of `sizes` elements moves by `strides` over a padded operand.

    The operand has `base_dilation - 1` holes between adjacent elements. A window reads elements
    that are `window_dilation` apart. Negative padding (low, high) removes elements.
    """

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    base_dilation: tuple[int, ...]
    window_dilation: tuple[int, ...]

    def dilated_sizes(self) -> list[int]:
        """The lengths of a window, holes included."""
        return [dilated(n, step) for n, step in zip(self.sizes, self.window_dilation)]

    def padded_shape(self, shape: Shape) -> list[int]:
        """The shape of the dilated and padded operand."""
        return [
            low + dilated(n, step) + high
            for n, step, (low, high) in zip(shape, self.base_dilation, self.padding)
        ]

    def output_shape(self, shape: Shape) -> tuple[int, ...]:
        """The number of windows along each axis of an operand of `shape`."""
        message = f"windows {tuple(self)} over an array of shape {tuple(shape)}"
        require(all(len(field) == len(shape) for field in self), message)
        steps = (*self.strides, *self.base_dilation, *self.window_dilation)
        require(all(step >= 1 for step in steps), message)
        room = [n - size for n, size in zip(self.padded_shape(shape), self.dilated_sizes())]
        return tuple(max(0, n // stride + 1) for n, stride in zip(room, self.strides))

    def exact_padding(self, shape: Shape) -> tuple[tuple[int, int], ...]:
        """The padding with which the last window ends at the last element.

        Strides that do not divide the length leave elements unread: those are cut off here.
        """
        windows = zip(self.dilated_sizes(), self.strides, self.output_shape(shape))
        return tuple(
            (low, high + size + (m - 1) * stride - n)
            for (low, high), n, (size, stride, m) in zip(
                self.padding, self.padded_shape(shape), windows
            )
        )

    def transposed(self, shape: Shape) -> Sliding:
        """The windows over the result, with a reversed kernel, that compute the transpose.

        y[i] = sum_k w[k] x[(i s + k d - low) / b]  has the transpose
        x[j] = sum_k w[k] y[(j b - k d + low) / s]: strides and base dilation are swapped.
        """
        padding = []
        windows = zip(self.dilated_sizes(), self.strides, self.output_shape(shape))
        axes = zip(shape, self.base_dilation, self.padding, windows)
        for n, step, (low, _), (size, stride, m) in axes:
            new_low = size - 1 - low
            new_high = dilated(n, step) + size - 1 - dilated(m, stride) - new_low
            padding.append((new_low, new_high))
        return self._replace(
            strides=self.base_dilation, padding=tuple(padding), base_dilation=self.strides
        )

    def windows(self, x: np.ndarray, fill: complex | None) -> np.ndarray:
        """All windows of `x`, of shape (*output_shape, *sizes); padding and holes hold `fill`."""
        low, high = ([side[i] for side in self.padding] for i in (0, 1))
        holes = [step - 1 for step in self.base_dilation]
        shape = self.output_shape(x.shape)
        if 0 in shape:
            return np.empty((*shape, *self.sizes), x.dtype)
        assert pad.evaluate is not None
        x = pad.evaluate(x, np.asarray(fill, x.dtype), low=low, high=high, interior=holes)
        windows = np.lib.stride_tricks.sliding_window_view(x, self.dilated_sizes())
        steps = (*self.strides, *self.window_dilation)
        return windows[tuple(slice(None, None, step) for step in steps)]
