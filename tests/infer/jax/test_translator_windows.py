"""Convolutions, sliding windows and Fourier transforms of JAX, translated."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.scipy.fft
import jax.scipy.signal
import numpy as np
import pytest
from jax import lax

from myia.backends.reference.interpreter import evaluate
from myia.infer.jax.tracing.trace import trace
from myia.infer.jax.tracing.translate import translate
from myia.ir.avals import aval_of
from myia.ir.builder import build_region
from myia.source.diagnostics import MyiaError
from myia.transforms.expand import expand_derivatives
from tests.infer.jax.translated import (
    difference_of_gradients,
    gradient_by_jax,
    gradient_by_us,
    second_by_us,
    translated,
)
from tests.infer.jax.translated_table import Table, assert_equal


def sample(*shape: int) -> np.ndarray:
    """Numbers of which no two are equal."""
    rng = np.random.default_rng([7, *shape])
    size = int(np.prod(shape))
    return (rng.permutation(size) + rng.random(size) / 2).reshape(shape) * 3 / size - 1


V, K = sample(7), sample(3)
X = sample(2, 3, 5, 4)
W = sample(4, 3, 2, 3)
SIGNAL = sample(2, 8)
IMAGE = sample(5, 6)
SINGLE = sample(2, 3, 5).astype(np.float32)
INTEGERS = np.arange(12).reshape(1, 2, 6)


def conv(*args, **options):
    return lambda x, k: lax.conv_general_dilated(x, k, *args, **options)


def window(init, f, *args, **options):
    return lambda x: lax.reduce_window(x, init, f, *args, **options) ** 2


CHANNELS_LAST = ("NHWC", "HWIO", "NHWC")

DIFFERENTIABLE = {
    # ----- Convolutions
    "convolve": (lambda x, k: jnp.convolve(x, k) ** 2, V, K),
    "convolve same": (lambda x, k: jnp.convolve(x, k, "same") ** 2, V, K),
    "convolve valid": (lambda x, k: jnp.convolve(k, x, "valid") ** 2, V, K),
    "correlate": (lambda x, k: jnp.correlate(x, k, "full") ** 2, V, K),
    "convolve in 2d": (lambda x, k: jax.scipy.signal.convolve2d(x, k, "same"), IMAGE, K[:, None]),
    "by transform": (lambda x, k: jax.scipy.signal.fftconvolve(x, k) ** 2, V, K),
    "correlate in 2d": (
        lambda x: jax.scipy.signal.correlate2d(x, x[1:3, :2], mode="valid"),
        IMAGE,
    ),
    "same": (lambda x, k: conv((1, 2), "SAME")(x, k) ** 2, X, W),
    "dilated": (conv((2, 1), ((1, 2), (2, 0)), (1, 2), (2, 1)), X, W),
    "cut": (conv((1, 1), ((-1, 0), (1, -1))), X, W),
    "channels last": (
        conv((1, 1), "VALID", dimension_numbers=CHANNELS_LAST),
        X.transpose(0, 2, 3, 1),
        W.transpose(2, 3, 1, 0),
    ),
    "depthwise": (conv((1, 1), "VALID", feature_group_count=3), X, sample(6, 1, 2, 2)),
    "batch groups": (conv((1, 2), "SAME", batch_group_count=2), X, W),
    "transposed": (
        lambda x, k: lax.conv_transpose(x, k, (2, 2), "SAME", dimension_numbers=CHANNELS_LAST),
        X.transpose(0, 2, 3, 1),
        sample(2, 3, 3, 2),
    ),
    "patches": (lambda x: lax.conv_general_dilated_patches(x, (2, 2), (1, 2), "SAME") ** 2, X),
    "local": (
        lambda x, k: lax.conv_general_dilated_local(x, k, (1,), "VALID", (2,)),
        sample(2, 3, 4),
        sample(2, 6, 3),
    ),
    "one by one": (lambda x, k: lax.conv(x, k, (1, 1), "VALID") ** 2, X, sample(2, 3, 1, 1)),
    "single": (lambda x, k: lax.conv(x, k, (2,), "SAME"), SINGLE, W[:, :, 0].astype("f4")),
    "wider": (
        conv((1,), "SAME", preferred_element_type=np.float64),
        SINGLE,
        W[:, :, 0].astype("f4"),
    ),
    "complex": (lambda x, k: abs(jnp.convolve(jnp.exp(1j * x), k + 2j * k)) ** 2, V, K),
    # ----- Windows
    "average": (window(0.0, lax.add, (1, 1, 2, 2), (1, 1, 2, 1), "SAME"), X),
    "dilated sum": (
        window(0.0, lax.add, (3, 2), (2, 1), ((1, 2), (0, 1)), (2, 1), (1, 3)),
        IMAGE,
    ),
    "largest": (window(-np.inf, lax.max, (1, 1, 2, 3), (1, 1, 1, 2), "VALID"), X),
    "overlapping": (window(-np.inf, lax.max, (3, 2), (2, 1), "SAME"), IMAGE),
    "smallest": (window(np.inf, lax.min, (3, 3), (1, 2), ((1, 1), (0, 2))), IMAGE),
    # ----- Fourier transforms
    "fft": (lambda x: abs(jnp.fft.fft(x) + 1) ** 2, SIGNAL),
    "fft of complex": (lambda x: jnp.fft.fft(jnp.exp(1j * x), axis=0) * x, SIGNAL),
    "fft of a part": (lambda x: abs(jnp.fft.fft(x, n=5) + 1), SIGNAL),
    "orthonormal": (lambda x: jnp.fft.fft(x, norm="ortho") * jnp.exp(1j * x), SIGNAL),
    "ifft": (lambda x: jnp.fft.ifft(x**2 + 1j * x, n=10) ** 2, SIGNAL),
    "rfft": (lambda x: jnp.fft.rfft(x) ** 2, SIGNAL),
    "odd rfft": (lambda x: jnp.fft.rfft(x, n=7) ** 2, SIGNAL),
    "irfft": (lambda x: jnp.fft.irfft(x + 1j * x**2) ** 2, SIGNAL),
    "odd irfft": (lambda x: jnp.fft.irfft(x + 1j * x**2, n=9) ** 2, SIGNAL),
    "two axes": (lambda x: jnp.fft.ifft2(jnp.fft.fft2(x) ** 2) * x, IMAGE),
    "real, two axes": (lambda x: jnp.fft.irfft2(jnp.fft.rfft2(x) ** 2) ** 2, IMAGE),
    "all axes": (lambda x: abs(jnp.fft.fftn(x)) ** 2 + jnp.fft.ifftn(x).real, X[0]),
    "real, all axes": (lambda x: jnp.fft.irfftn(jnp.fft.rfftn(x) ** 2, (3, 5, 3)), X[0]),
    "four axes": (lambda x: abs(jnp.fft.fftn(x) + 2) ** 2, X[:, :2, :2, :2]),
    "hermitian": (lambda x: jnp.fft.hfft(x * 1j + x**2) + jnp.fft.ihfft(x, n=14).sum(), SIGNAL),
    "shifted": (lambda x: jnp.fft.fftshift(x) * jnp.fft.ifftshift(x) * jnp.fft.fftfreq(8), SIGNAL),
    "cosines": (lambda x: jax.scipy.fft.dct(x, norm="ortho") ** 2 * jax.scipy.fft.idct(x), SIGNAL),
    "spectrogram": (lambda x: abs(jax.scipy.signal.stft(x, nperseg=4)[2]) ** 2, SIGNAL),
}

# JAX has no derivative of these: the same, said otherwise.
COMBINED = {
    "at least": (
        lambda x: lax.reduce_window(x, 0.5, lax.max, (3,), (2,), "VALID"),
        lambda x: jnp.maximum(0.5, jnp.maximum(jnp.maximum(x[:-2:2], x[1:-1:2]), x[2::2])),
    ),
    "product": (
        lambda x: lax.reduce_window(x, 1.0, lax.mul, (3,), (2,), ((1, 0),)),
        lambda x: jnp.array([x[0] * x[1], x[1] * x[2] * x[3], x[3] * x[4] * x[5]]),
    ),
    "sum from a start": (
        lambda x: lax.reduce_window(x, x[0], lax.add, (3,), (2,), ((1, 0),)),
        lambda x: x[0] + jnp.array([x[0] + x[1], x[1] + x[2] + x[3], x[3] + x[4] + x[5]]),
    ),
    "of any function": (
        lambda x: lax.reduce_window(x, -np.inf, jnp.logaddexp, (2,), (2,), ((0, 2),), (2,), (2,)),
        lambda x: jnp.append(jnp.logaddexp(x[:-1], x[1:]), x[-1]),
    ),
    "from a start": (
        lambda x: lax.reduce_window(x, x[0], lambda a, b: a * b, (2,), (1,), ((0, 1),)),
        lambda x: x[0] * x * jnp.append(x[1:], 1.0),
    ),
}

OTHERS = {
    "integers": (
        conv((1,), "SAME", preferred_element_type=np.int32),
        INTEGERS.astype(np.int8),
        INTEGERS[:, :, :3].astype(np.int8),
    ),
    "integer products": (lambda i: jnp.convolve(i[0, 0], i[0, 1]), INTEGERS),
    "integer pools": (
        lambda i: [
            lax.reduce_window(i, 0, lax.add, (1, 1, 2), (1, 1, 2), "SAME"),
            lax.reduce_window(i, np.iinfo(int).min, lax.max, (1, 2, 2), (1, 1, 2), "SAME"),
            lax.reduce_window(i > 4, False, lax.bitwise_or, (1, 1, 3), (1, 1, 1), "SAME"),
        ],
        INTEGERS,
    ),
    "pairs": (
        lambda x: lax.reduce_window(
            (x, -x), (0.0, 1.0), lambda a, b: (a[0] + b[0], a[1] * b[1]), (2, 3), (1, 1), "SAME"
        ),
        IMAGE,
    ),
    "no window": (window(0.0, lax.add, (9, 2), (1, 1), "VALID"), IMAGE),
    "no batch": (conv((1, 1), "VALID"), X[:0], W),
}

TABLE = Table(DIFFERENTIABLE, OTHERS)


@pytest.mark.parametrize("name", TABLE.all)
def test_values(name):
    TABLE.check_value(name)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients(name):
    TABLE.check_gradient(name)


@pytest.mark.parametrize("name", TABLE.twice_differentiable)
def test_second_derivatives(name):
    TABLE.check_second_derivative(name)


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_on_xla(every):
    TABLE.check_on_xla(every)


@pytest.mark.parametrize("name", COMBINED)
def test_windows_combined_by_any_function(name):
    f, same = COMBINED[name]
    with jax.enable_x64(True):
        wanted = [np.asarray(same(V)), np.asarray(gradient_by_jax(same, [V])(V)[0])]
        assert_equal([wanted[0]], [np.asarray(f(V))])
    functions = [translated(f, [V]), gradient_by_us(f, [V]), second_by_us(f, [V])]
    got = [evaluate(expand_derivatives(g), [V])[0] for g in functions]
    assert_equal(got[:2], wanted)
    assert_equal(got[2:], difference_of_gradients(f, [V]), rtol=1e-7)


def test_windows_reduced_by_any_function_are_small():
    staged = trace(
        lambda x: lax.reduce_window(x, 1.0, lax.mul, (20, 20), (1, 1), "VALID"),
        [aval_of(np.zeros((30, 30)))],
    )
    with pytest.raises(MyiaError, match="windows of 400 elements"):
        build_region([aval_of(np.zeros((30, 30)))], lambda x: translate(staged, [x]))
