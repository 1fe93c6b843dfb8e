"""Windows that slide over an array: where they lie, how many fit, and the same map transposed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from myia.primitives.arrays.shaping import pad
from myia.primitives.core.define import require


def dilated(n: int, step: int) -> int:
    """The extent of `n` elements that stand `step` apart."""
    return 0 if n == 0 else 1 + (n - 1) * step


class Sliding(NamedTuple):
    """Along each axis: a window of `sizes` elements moves by `strides` over a padded operand.

    Between neighbours of the operand lie `base_dilation - 1` holes; the window reads elements that
    are `window_dilation` apart; padding (low, high) may be negative, which cuts.
    """

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    base_dilation: tuple[int, ...]
    window_dilation: tuple[int, ...]

    def spans(self) -> list[int]:
        return [dilated(n, step) for n, step in zip(self.sizes, self.window_dilation)]

    def padded(self, shape) -> list[int]:
        """The extents of the operand once it is dilated and padded."""
        return [
            low + dilated(n, step) + high
            for n, step, (low, high) in zip(shape, self.base_dilation, self.padding)
        ]

    def extents(self, shape) -> tuple[int, ...]:
        """How many windows fit along each axis of an operand of `shape`."""
        message = f"windows {tuple(self)} over an array of shape {tuple(shape)}"
        require(all(len(field) == len(shape) for field in self), message)
        steps = (*self.strides, *self.base_dilation, *self.window_dilation)
        require(all(step >= 1 for step in steps), message)
        room = [n - span for n, span in zip(self.padded(shape), self.spans())]
        return tuple(max(0, n // stride + 1) for n, stride in zip(room, self.strides))

    def exact_padding(self, shape) -> tuple[tuple[int, int], ...]:
        """The padding under which no element at the end is left unread, because strides skip it."""
        return tuple(
            (low, high + span + (m - 1) * stride - n)
            for (low, high), span, m, stride, n in zip(
                self.padding, self.spans(), self.extents(shape), self.strides, self.padded(shape)
            )
        )

    def transposed(self, shape) -> Sliding:
        """The windows over the result, read backwards, whose sums are those of the transpose.

        y[i] = sum_k w[k] x[(i s + k d - low) / b]  has the transpose
        x[j] = sum_k w[k] y[(j b - k d + low) / s]: strides and base dilation change places.
        """
        padding = []
        for n, span, low_high, step, m, stride in zip(
            shape, self.spans(), self.padding, self.base_dilation, self.extents(shape), self.strides
        ):
            low = span - 1 - low_high[0]
            high = dilated(n, step) + span - 1 - dilated(m, stride) - low
            padding.append((low, high))
        return self._replace(
            strides=self.base_dilation, padding=tuple(padding), base_dilation=self.strides
        )

    def read(self, x: np.ndarray, fill) -> np.ndarray:
        """All windows of `x`: an array of shape (*extents, *sizes), `fill` in padding and holes."""
        low, high = ([side[i] for side in self.padding] for i in (0, 1))
        holes = [step - 1 for step in self.base_dilation]
        extents = self.extents(x.shape)
        if 0 in extents:
            return np.empty((*extents, *self.sizes), x.dtype)
        x = pad.evaluate(x, np.asarray(fill, x.dtype), low=low, high=high, interior=holes)
        windows = np.lib.stride_tricks.sliding_window_view(x, self.spans())
        steps = (*self.strides, *self.window_dilation)
        return windows[tuple(slice(None, None, step) for step in steps)]
