"""Discrete Fourier transforms over the last axes, complex and real.

rfft(x), x of n real numbers      ->      n // 2 + 1 complex frequencies
"""

from __future__ import annotations

import math

import numpy as np
from jax import lax

from myia.ir.avals import Aval, Shape
from myia.ir.core import Value
from myia.ir.primitive import Formula
from myia.primitives.arrays.shaping import broadcast
from myia.primitives.core.define import (
    CallablePrimitive,
    array_constant,
    linear,
    require,
    require_kind,
)
from myia.primitives.pointwise.arithmetic import mul
from myia.primitives.pointwise.transcendental import conj


def _transform(
    name: str, evaluate: Formula, avals: Formula, transpose: Formula
) -> CallablePrimitive:
    """`lengths` are those of the transformed axes; of `rfft` and `irfft`, on the real side."""

    def shape_rule(x: Aval, *, lengths: Shape) -> tuple[Aval]:
        require(1 <= len(lengths) <= min(x.ndim, 3) and 0 not in lengths, f"{name}: {x}, {lengths}")
        return (avals(x, lengths),)

    return linear(
        name,
        shape_rule,
        lambda x, *, lengths: lax.fft(x, name, lengths),
        lambda x, *, lengths: evaluate(x, lengths, range(-len(lengths), 0)),
        transpose=(transpose,),
    )


def _halved(lengths: Shape) -> tuple[int, ...]:
    return (*lengths[:-1], lengths[-1] // 2 + 1)


def _replaced(x: Aval, dtype: np.dtype, now: Shape, after: Shape) -> Aval:
    """`x` in `dtype`, with the lengths `now` of its last axes replaced by `after`."""
    batch = x.shape[: -len(now)]
    require(x.shape == (*batch, *now), f"Fourier transform: {x} does not end in {now}")
    return Aval(np.dtype(dtype), (*batch, *after))


def _complex_avals(x: Aval, lengths: Shape) -> Aval:
    require_kind("Fourier transform", x, "c")
    return _replaced(x, x.dtype, lengths, lengths)


def _rfft_avals(x: Aval, lengths: Shape) -> Aval:
    require_kind("rfft", x, "f")
    return _replaced(x, np.result_type(x.dtype, np.complex64), lengths, _halved(lengths))


def _irfft_avals(x: Aval, lengths: Shape) -> Aval:
    require_kind("irfft", x, "c")
    return _replaced(x, np.zeros((), x.dtype).real.dtype, _halved(lengths), lengths)


def _scaled(x: Value, weights: np.ndarray) -> Value:
    """`x` times `weights` along its last axis."""
    rows = array_constant(np.asarray(weights, x.dtype))
    return mul(x, broadcast(rows, shape=x.shape, dims=(len(x.shape) - 1,)))


def _multiplicity(n: int) -> np.ndarray:
    """The multiplicity (1 or 2) of each frequency that `rfft` keeps, of `n` in all.

    A frequency counts twice because of its conjugate; frequencies 0 and n/2 have none."""
    k = np.arange(n // 2 + 1)
    return np.where((k == 0) | (2 * k == n), 1, 2)


def _transpose_rfft(ct: Value, x: Value, *, lengths: Shape) -> Value:
    """x_j = Re sum_k ct_k w^jk, which is irfft of the conjugate up to the weights."""
    weights = math.prod(lengths) / _multiplicity(lengths[-1])
    return irfft(_scaled(conj(ct), weights), lengths=lengths)


def _transpose_irfft(ct: Value, x: Value, *, lengths: Shape) -> Value:
    """ct_k = m_k / n sum_j x_j w^-jk, m_k being the multiplicity of frequency k."""
    weights = _multiplicity(lengths[-1]) / math.prod(lengths)
    return _scaled(conj(rfft(ct, lengths=lengths)), weights)


# The matrices of the transform and of its inverse are symmetric.
fft: CallablePrimitive = _transform(
    "fft", np.fft.fftn, _complex_avals, lambda ct, x, *, lengths: fft(ct, lengths=lengths)
)
ifft: CallablePrimitive = _transform(
    "ifft", np.fft.ifftn, _complex_avals, lambda ct, x, *, lengths: ifft(ct, lengths=lengths)
)
rfft = _transform("rfft", np.fft.rfftn, _rfft_avals, _transpose_rfft)
irfft = _transform("irfft", np.fft.irfftn, _irfft_avals, _transpose_irfft)
