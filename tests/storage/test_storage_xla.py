"""Lowered reversals compiled by XLA: the numbers of the reference, and the memory."""

import numpy as np
import pytest

import myia
from myia.backends.xla.executable import compile_function
from myia.passes.pipeline import optimize
from myia.primitives.core.emit_structured import loop
from myia.primitives.pointwise.transcendental import sin
from myia.storage import Limits
from myia.storage.lower_rev import lower_rev
from tests.transforms.derivative_checks import expanded, function, gradient, run
from tests.transforms.derivative_zoo import ZOO

NAMES = ["while_loop", "updates_array", "nest", "newton_nest", "loop_if_loop", "two_dimensional"]


def lowered(f, limits: Limits | None = None):
    f = lower_rev(optimize(f), limits or Limits())
    return optimize(f, "finish")


@pytest.mark.parametrize("name", NAMES)
def test_zoo(name):
    body, args = ZOO[name]
    f = expanded(gradient(function(body, *args)))
    limits = Limits(strategy="trail", block_length_range=(2, 2), snapshot_count_range=(4, 4))
    for got, want in zip(compile_function(lowered(f, limits))(*args), run(f, args), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-11)


def scalar(x, p, n):
    return loop([x], lambda k, y: [sin(y) * p + 0.1], count=n)


def test_one_program_for_all_counts():
    f = expanded(gradient(function(scalar, 0.7, 0.8, 1)))
    program = compile_function(
        lowered(f, Limits(block_length_range=(8, 8), snapshot_count_range=(8, 8)))
    )
    for n in (0, 1, 2, 7, 8, 9, 16, 17, 64, 65, 500):
        for got, want in zip(program(0.7, 0.8, n), run(f, [0.7, 0.8, n]), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-11, err_msg=f"{n} iterations")


def test_a_million_iterations_in_eight_megabytes():
    f = expanded(gradient(function(scalar, 0.7, 0.8, 1)))
    program = compile_function(lowered(f))
    assert program.compile().stage.memory_analysis().temp_size_in_bytes <= 8 << 20

    x, p = 0.7, 0.8
    dx, dp = 1.0, 0.0
    for _ in range(1000):  # by then the iteration has settled
        x, dx, dp = np.sin(x) * p + 0.1, dx * np.cos(x) * p, dp * np.cos(x) * p + np.sin(x)
    np.testing.assert_allclose(program(0.7, 0.8, 1_000_000), [dx, dp], rtol=1e-9, atol=1e-30)


def largest_of_sums_of_products(x, y, a):
    w = np.cos(y)
    m = np.zeros((5, len(x)))
    m[0] = x
    m[1] = y
    for k in range(2, -1, -1):
        v = (w * 0.4 + a * m[k])[::-1] * 0.9 * 0.4 + a * m[k]
        z = np.exp(-(v**2))
        m[k + 1] += z * 0.1
        m[k + 1] += np.arctan(y) * a * 0.1
        m[k + 1] += (z * 0.3 + np.max(v) * 0.1) * 0.1
        x = np.where(m[k] < 0.5, z, -z) * 0.5 + x * np.min(v) * 0.4
    return np.sum(x * w) * 0.1 + np.sum(m * m)


@pytest.mark.parametrize("seed", range(10, 14))
def test_extrema_are_found_among_what_is_computed_again(seed):
    """Which may be rounded in another way than what was computed first."""
    f, (x, y, dx, dy) = (
        largest_of_sums_of_products,
        np.random.default_rng(seed).normal(size=(4, 1000)),
    )
    gx, gy, ga = myia.grad(f, argnums=(0, 1, 2))(x, y, 0.7)
    h = 1e-6
    difference = f(x + h * dx, y + h * dy, 0.7 + h) - f(x - h * dx, y - h * dy, 0.7 - h)
    np.testing.assert_allclose(gx @ dx + gy @ dy + ga, difference / (2 * h), rtol=1e-5)
