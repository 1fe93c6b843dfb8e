"""Translation of convolutions, reductions of sliding windows, and Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from jax import lax

from myia.infer.jax.rules.elementwise import broadcast_to_shape
from myia.infer.jax.rules.reductions import single_operation
from myia.infer.jax.tracing.rules import as_ints, translation_rule
from myia.infer.jax.tracing.translate import translate_pointwise, unsupported
from myia.ir.core import Value
from myia.primitives.arrays import fft
from myia.primitives.arrays.convolution import convolution
from myia.primitives.arrays.pooling import (
    add_at_positions,
    read_positions,
    reduce_window_max,
    reduce_window_min,
    reduce_window_sum,
    window_argmax,
    window_argmin,
)
from myia.primitives.arrays.shaping import pad, slice
from myia.primitives.arrays.window_geometry import Sliding
from myia.primitives.core.define import CallablePrimitive, array_constant, zeros
from myia.primitives.pointwise import arithmetic
from myia.primitives.pointwise.logic import convert, select

# ----- Convolutions


@translation_rule("conv_general_dilated")
def _convolution(
    x: Value,
    kernel: Value,
    *,
    window_strides: Any,
    padding: Any,
    lhs_dilation: Any,
    rhs_dilation: Any,
    dimension_numbers: Any,
    feature_group_count: Any,
    batch_group_count: Any,
    preferred_element_type: Any = None,
    **_: Any,
) -> Value:
    """Computed in the wider of the operands' and the result's dtypes."""
    result = np.dtype(preferred_element_type or x.dtype)
    wide = np.result_type(x.dtype, kernel.dtype, result)
    y = convolution(
        convert(x, dtype=wide),
        convert(kernel, dtype=wide),
        strides=as_ints(window_strides),
        padding=_pairs(padding),
        lhs_dilation=as_ints(lhs_dilation),
        rhs_dilation=as_ints(rhs_dilation),
        dims=_pairs(dimension_numbers),
        feature_groups=feature_group_count,
        batch_groups=batch_group_count,
    )
    return convert(y, dtype=result)


def _pairs(rows: Iterable[Sequence[int]]) -> Any:
    return tuple(map(as_ints, rows))


# ----- Windows


def _sliding(
    x: Value,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
    base_dilation: Sequence[int] | None = None,
    window_dilation: Sequence[int] | None = None,
) -> Sliding:
    ones = (1,) * len(x.shape)
    fields = (window_strides, base_dilation or ones, window_dilation or ones)
    strides, base, dilation = map(as_ints, fields)
    return Sliding(as_ints(window_dimensions), strides, _pairs(padding), base, dilation)


for _reduction in (reduce_window_sum, reduce_window_max, reduce_window_min):

    @translation_rule(_reduction.name)
    def _reduced_windows(
        x: Value, *, reduction: CallablePrimitive = _reduction, **window: Any
    ) -> Value:
        return reduction(x, window=tuple(_sliding(x, **window)))


def _selected_indices(x: Value, select_prim: Any, window: dict[str, Any]) -> Value:
    """The index, in each window, of the element that `select_prim` prefers to all others."""
    position = {"ge": window_argmax, "le": window_argmin}.get(select_prim.name)
    if position is None:
        raise unsupported(f"windows that select by `{select_prim.name}`")
    return position(x, window=tuple(_sliding(x, **window)))


@translation_rule("select_and_scatter_add")
def _select_and_scatter_add(source: Value, x: Value, *, select_prim: Any, **window: Any) -> Value:
    return add_at_positions(zeros(x.aval), _selected_indices(x, select_prim, window), source)


@translation_rule("select_and_gather_add")
def _select_and_gather_add(t: Value, x: Value, *, select_prim: Any, **window: Any) -> Value:
    return read_positions(t, _selected_indices(x, select_prim, window))


# ----- Windows reduced by any function

_MAX_WINDOW_ELEMENTS = 256  # each element of a window is one operation
_WINDOW_REDUCTIONS = {
    "add": (reduce_window_sum, arithmetic.add),
    "max": (reduce_window_max, arithmetic.max),
    "min": (reduce_window_min, arithmetic.min),
}


@translation_rule("reduce_window")
def _reduce_window(*operands: Value, jaxpr: Any, consts: Any, **window: Any) -> Sequence[Value]:
    xs, inits = operands[: len(operands) // 2], operands[len(operands) // 2 :]
    operation = single_operation(jaxpr)
    sliding = _sliding(xs[0], **window)
    if operation in _WINDOW_REDUCTIONS and xs[0].dtype.kind in "iuf":
        reduction, combine = _WINDOW_REDUCTIONS[operation]
        y = reduction(xs[0], window=tuple(sliding))
        return [combine(y, broadcast_to_shape(inits[0], y.shape))]
    if math.prod(sliding.sizes) > _MAX_WINDOW_ELEMENTS:
        raise unsupported(
            f"windows of {math.prod(sliding.sizes)} elements, reduced by this function",
            f"at most {_MAX_WINDOW_ELEMENTS} are, unless the function is +, max or min",
        )
    return _reduce_offsets(xs, inits, sliding, lambda *ys: translate_pointwise(jaxpr, consts, ys))


def _reduce_offsets(
    xs: Sequence[Value],
    inits: Sequence[Value],
    sliding: Sliding,
    combine: Callable[..., Sequence[Value]],
) -> Sequence[Value]:
    """Combine, one after another, the arrays of all windows' elements at each offset.

    As on XLA's devices, padding and holes are skipped, although `init` may not be neutral.
    """
    low, high = (tuple(pair[i] for pair in sliding.padding) for i in (0, 1))
    interior = tuple(step - 1 for step in sliding.base_dilation)
    output_shape = sliding.output_shape(xs[0].shape)
    ys = [broadcast_to_shape(init, output_shape) for init in inits]
    if 0 in output_shape:
        return ys
    inside = sliding.windows(np.ones(xs[0].shape, bool), False)
    padded = [pad(x, v, low=low, high=high, interior=interior) for x, v in zip(xs, inits)]
    covered = [(n - 1) * stride + 1 for n, stride in zip(output_shape, sliding.strides)]
    for offset in np.ndindex(sliding.sizes):
        start = tuple(k * step for k, step in zip(offset, sliding.window_dilation))
        limit = tuple(k + n for k, n in zip(start, covered))
        parts = [slice(x, start=start, limit=limit, stride=sliding.strides) for x in padded]
        here = array_constant(inside[(..., *offset)])
        ys = [select(here, after, y) for after, y in zip(combine(*ys, *parts), ys)]
    return ys


# ----- Fourier transforms

_TRANSFORMS = {
    lax.FftType.FFT: fft.fft,
    lax.FftType.IFFT: fft.ifft,
    lax.FftType.RFFT: fft.rfft,
    lax.FftType.IRFFT: fft.irfft,
}


@translation_rule("fft")
def _fft(x: Value, *, fft_type: Any, fft_lengths: Any) -> Value:
    return _TRANSFORMS[lax.FftType(fft_type)](x, lengths=as_ints(fft_lengths))
