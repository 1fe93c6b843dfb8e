"""Convolutions of batches of arrays, as in XLA: strided, dilated, padded and grouped."""

from __future__ import annotations

from typing import Any

import numpy as np
from jax import lax

from myia.ir.avals import Aval, Shape
from myia.ir.core import Value
from myia.primitives.arrays.shaping import flip, reshape, transpose
from myia.primitives.arrays.window_geometry import Sliding
from myia.primitives.core.define import linear, require, require_kind, zeros

# `dims` gives the positions of the axes of operand, kernel and result. Their order is (batch,
# feature, *spatial); in the kernel (output feature, input feature, *spatial).
Dims = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def _windows(
    kernel: Value | Aval | np.ndarray,
    dims: Dims,
    strides: Shape,
    padding: Any,
    lhs_dilation: Shape,
    rhs_dilation: Shape,
) -> Sliding:
    sizes = tuple(kernel.shape[axis] for axis in dims[1][2:])
    return Sliding(sizes, strides, padding, lhs_dilation, rhs_dilation)


def _spatial(x: Value | Aval, axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(x.shape[axis] for axis in axes[2:])


def _conv_avals(
    x: Aval, kernel: Aval, *, dims: Any, feature_groups: int, batch_groups: int, **window: Any
) -> tuple[Aval]:
    message = f"convolution: {x} by {kernel}, dims {dims}, groups {feature_groups}, {batch_groups}"
    require(x.dtype == kernel.dtype and x.ndim == kernel.ndim >= 2, message)
    require_kind("convolution", x, "iufc")
    require(all(sorted(axes) == list(range(x.ndim)) for axes in dims), message)
    batch, features = (x.shape[axis] for axis in dims[0][:2])
    made, read = (kernel.shape[axis] for axis in dims[1][:2])
    require(min(feature_groups, batch_groups) == 1, message)
    require(features == read * feature_groups and made % feature_groups == 0, message)
    require(batch % batch_groups == 0 and made % batch_groups == 0, message)
    spatial_shape = _windows(kernel, dims, **window).output_shape(_spatial(x, dims[0]))
    result = (batch // batch_groups, made, *spatial_shape)
    return (x.with_shape(tuple(result[i] for i in np.argsort(dims[2]))),)


def _evaluate_conv(
    x: np.ndarray,
    kernel: np.ndarray,
    *,
    dims: Any,
    feature_groups: int,
    batch_groups: int,
    **window: Any,
) -> Any:
    windows = _windows(kernel, dims, **window)
    sliding = Sliding(
        (1, 1, *windows.sizes),
        (1, 1, *windows.strides),
        ((0, 0), (0, 0), *windows.padding),
        (1, 1, *windows.base_dilation),
        (1, 1, *windows.window_dilation),
    )
    n = x.ndim
    read = sliding.windows(np.transpose(x, dims[0]), 0)
    read = np.reshape(read, read.shape[:n] + windows.sizes)
    kernels = np.split(np.transpose(kernel, dims[1]), feature_groups * batch_groups, 0)
    parts = np.split(read, feature_groups, 1) if batch_groups == 1 else np.split(read, batch_groups)
    axes = ((1, *range(n, 2 * n - 2)), range(1, n))
    ys = [np.tensordot(part, k, axes) for part, k in zip(parts, kernels)]
    y = np.moveaxis(np.concatenate(ys, -1), -1, 1)
    return np.transpose(y, np.argsort(dims[2])).astype(x.dtype)


def _move_groups(x: Value, groups: int, source: int, target: int) -> Value:
    """`x` with its axis `source` split into groups; the group axis is merged into `target`."""
    if groups == 1:
        return x
    parted = list(x.shape)
    parted[source : source + 1] = [groups, parted[source] // groups]
    parts = reshape(x, shape=tuple(parted))
    order = [axis for axis in range(len(parted)) if axis != source]
    order.insert(order.index(target + (target > source)), source)
    joined = list(x.shape)
    joined[source] //= groups
    joined[target] *= groups
    return reshape(transpose(parts, permutation=tuple(order)), shape=tuple(joined))


def _by_operand(
    ct: Value, x: Value, kernel: Value, sliding: Sliding, dims: Any, groups: tuple[int, int]
) -> Value:
    """`ct` convolved with the reversed kernel, its input and output features swapped."""
    (batch, features), (made, read) = dims[0][:2], dims[1][:2]
    feature_groups, batch_groups = groups
    together = feature_groups * batch_groups
    turned = flip(kernel, axes=dims[1][2:]) if dims[1][2:] else kernel
    back = sliding.transposed(_spatial(x, dims[0]))
    y = convolution(
        ct,
        _move_groups(turned, together, made, read),
        strides=back.strides,
        padding=back.padding,
        lhs_dilation=back.base_dilation,
        rhs_dilation=back.window_dilation,
        dims=(dims[2], (read, made, *dims[1][2:]), dims[0]),
        feature_groups=together,
        batch_groups=1,
    )
    return _move_groups(y, batch_groups, features, batch)


def _by_kernel(
    ct: Value, x: Value, kernel: Value, sliding: Sliding, dims: Any, groups: tuple[int, int]
) -> Value:
    """The operand convolved with `ct`; the sum is over the batch instead of the input features."""

    def exchanged(axes: tuple[int, ...]) -> tuple[int, ...]:
        return (axes[1], axes[0], *axes[2:])

    return convolution(
        x,
        ct,
        strides=sliding.window_dilation,
        padding=sliding.exact_padding(_spatial(x, dims[0])),
        lhs_dilation=sliding.base_dilation,
        rhs_dilation=sliding.strides,
        dims=(exchanged(dims[0]), exchanged(dims[2]), exchanged(dims[1])),
        feature_groups=groups[1],
        batch_groups=groups[0],
    )


def _transpose_conv(
    i: int,
    ct: Value,
    x: Value,
    kernel: Value,
    *,
    dims: Any,
    feature_groups: int,
    batch_groups: int,
    **window: Any,
) -> Value:
    like = (x, kernel)[i]
    if 0 in (*ct.shape, *x.shape, *kernel.shape):
        return zeros(like.aval)
    sliding = _windows(kernel, dims, **window)
    rule = (_by_operand, _by_kernel)[i]
    return rule(ct, x, kernel, sliding, dims, (feature_groups, batch_groups))


# Without reversal of the kernel. Full precision, as in matrix products.
convolution = linear(
    "convolution",
    _conv_avals,
    lambda x, kernel, *, strides, dims, feature_groups, batch_groups, **window: (
        lax.conv_general_dilated(
            x,
            kernel,
            window_strides=strides,
            dimension_numbers=lax.ConvDimensionNumbers(*dims),
            feature_group_count=feature_groups,
            batch_group_count=batch_groups,
            precision=lax.Precision.HIGHEST,
            **window,
        )
    ),
    _evaluate_conv,
    groups=((0,), (1,)),
    transpose=_transpose_conv,
)
