"""Rows of the sampled table: convolutions, sliding windows, Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tests.lax.sampled_case import COMPLEXES, INEXACT, row

IMAGES, KERNELS = (2, 3, 5, 4), (4, 3, 2, 3)
SIGNAL = (2, 8)
CHANNELS_LAST = ("NHWC", "HWIO", "NHWC")


def conv(*args, **options) -> Callable:
    return lambda x, k: lax.conv_general_dilated(x, k, *args, **options)


name = "conv_general_dilated"
CONVOLUTIONS = [
    *row(name, conv((1,), "VALID"), (1, 2, 5), (3, 2, 2), dtypes=INEXACT),
    *row(name, conv((1, 2), "SAME"), IMAGES, KERNELS),
    *row(name, conv((2, 1), ((1, 2), (2, 0)), (1, 2), (2, 1)), IMAGES, KERNELS),
    *row(name, conv((1, 1), ((-1, 0), (1, -1))), IMAGES, KERNELS),
    *row(
        name,
        conv((1, 1), "VALID", dimension_numbers=CHANNELS_LAST),
        (2, 5, 4, 3),
        (2, 3, 3, 4),
    ),
    *row(name, conv((1, 1), "VALID", feature_group_count=3), IMAGES, (6, 1, 2, 2)),
    *row(name, conv((1, 2), "SAME", batch_group_count=2), IMAGES, KERNELS),
    *row(name, conv((), ()), (2, 3), (4, 3)),
    *row(name, conv((1, 2), "VALID"), (2, 3, 1, 4), KERNELS),
]


def window(init: float, operation: Callable, *args) -> Callable:
    return lambda x: lax.reduce_window(x, x.dtype.type(init), operation, *args)


def selected(select: Callable) -> Callable:
    """The adjoint of pooling: what `jax.vjp` of it traces."""
    init, operation = (-np.inf, lax.max) if select is lax.ge else (np.inf, lax.min)
    pool = window(init, operation, (2, 2), (1, 1), "VALID")
    return lambda x, ct: jax.vjp(pool, x)[1](ct)[0]


def read_at_extrema(select: Callable) -> Callable:
    """The tangent of pooling: what `jax.jvp` of it traces."""
    init, operation = (-np.inf, lax.max) if select is lax.ge else (np.inf, lax.min)
    pool = window(init, operation, (2, 2), (1, 1), "VALID")
    return lambda x, t: jax.jvp(pool, (x,), (t,))[1]


IMAGE, POOLED = (4, 5), (3, 4)

WINDOWS = [
    *row("reduce_window_sum", window(0, lax.add, (2, 3), (1, 2), "SAME"), IMAGE, dtypes=INEXACT),
    *row(
        "reduce_window_sum",
        window(0, lax.add, (3, 2), (2, 1), ((1, 2), (0, 1)), (2, 1), (1, 3)),
        IMAGE,
    ),
    *row("reduce_window_sum", window(0, lax.add, (5, 1), (1, 2), "VALID"), IMAGE),
    *row("reduce_window_max", window(-np.inf, lax.max, (2, 2), (1, 1), "VALID"), IMAGE),
    *row("reduce_window_max", window(-np.inf, lax.max, (2, 3), (2, 1), "SAME"), IMAGE),
    *row("reduce_window_min", window(np.inf, lax.min, (2, 2), (1, 1), "VALID"), IMAGE),
    *row("reduce_window_min", window(np.inf, lax.min, (2, 3), (2, 1), "SAME"), IMAGE),
    *row("select_and_scatter_add", selected(lax.ge), IMAGE, POOLED),
    *row("select_and_scatter_add", selected(lax.le), IMAGE, POOLED),
    *row("select_and_gather_add", read_at_extrema(lax.ge), IMAGE, IMAGE),
    *row("select_and_gather_add", read_at_extrema(lax.le), IMAGE, IMAGE),
    *row(
        "reduce_window", window(1, lax.mul, (2, 2), (1, 1), "VALID"), IMAGE, forward=True, order=1
    ),
]

TRANSFORMS = [
    *row("fft", jnp.fft.fft, SIGNAL, dtypes=INEXACT),
    *row("fft", lambda x: jnp.fft.ifft(x, n=5), SIGNAL, dtypes=INEXACT),
    *row("fft", lambda x: jnp.fft.rfft(x), SIGNAL),
    *row("fft", lambda x: jnp.fft.rfft(x, n=7), SIGNAL),
    *row("fft", lambda x: jnp.fft.irfft(x), (2, 4), dtypes=COMPLEXES),
    *row("fft", lambda x: jnp.fft.irfft(x, n=7), (2, 4), dtypes=COMPLEXES),
    *row("fft", jnp.fft.fft2, (3, 4), dtypes=INEXACT),
    *row("fft", jnp.fft.rfft2, (3, 4)),
    *row("fft", jnp.fft.irfft2, (3, 4), dtypes=COMPLEXES),
]

TABLE = [*CONVOLUTIONS, *WINDOWS, *TRANSFORMS]
