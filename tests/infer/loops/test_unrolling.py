"""Loops of few iterations over slices of long arrays: unrolled code, with static sizes."""

import re

import numpy as np
import pytest

import myia
from myia.infer.indexing import dynamic_slices

X = np.random.default_rng(0).uniform(0.5, 1.0, 40)


@pytest.fixture
def short_arrays_are_long(monkeypatch):
    """Short arrays are long: compiled in no time."""
    monkeypatch.setattr(dynamic_slices, "MIN_LONG_SLICE_ELEMENTS", 30)


def haar(x):
    length = len(x)
    while length > 1:
        half = length // 2
        even, odd = x[: 2 * half : 2].copy(), x[1 : 2 * half : 2].copy()
        x[:half] = (even + odd) * np.sqrt(0.5)
        x[half : 2 * half] = (even - odd) * odd
        length = half
    return x @ x


def running_sums(x):
    width = 1
    while width < len(x):
        x[width:] = x[width:] + x[:-width]
        width <<= 1
    return np.sum(np.sin(x))


def taps(x, c):
    y = np.zeros_like(x)
    for k in range(5):
        y[k:] += c[k] * x[: len(x) - k]
    return y @ y


def static_sizes_in_a_nest(x):
    """A nest: the inner loop stays one."""
    n = len(x)
    while n > 10:
        for _ in range(20):
            x[:n] *= np.cos(x[:n])
        n //= 3
    return np.sum(x)


def until(x, tolerance):
    """The trip count is known only at run time."""
    n, error = len(x), 1.0
    while n > 1 and error > tolerance:
        n //= 2
        x[:n] += x[n : 2 * n] * x[:n]
        error *= 0.5
    return np.sum(x) + error


def one_less(x):
    """Too many iterations."""
    n = len(x)
    while n > 2:
        x[:n] = x[:n] * 0.999
        n -= 1
    return np.sum(x)


def slow_to_halve(x):
    """Many iterations, though the length is divided."""
    n = len(x)
    while n > 2:
        x[:n] = x[:n] * 0.999
        n = (2 * n - 2) // 2
    return np.sum(x)


def counted(x):
    for k in range(17):
        x[k:] *= 1.01
    return np.sum(x)


def checked(f, args) -> None:
    """Values, gradients, and second derivatives in a direction, against NumPy's."""
    given = lambda: [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]  # noqa: E731
    np.testing.assert_allclose(myia.jit(f)(*given()), f(*given()), rtol=1e-13)
    x, *rest = given()
    d = np.random.default_rng(1).normal(size=x.shape)

    def slope(g, h=1e-6):
        ahead, behind = (g(x + s * d, *given()[1:]) for s in (h, -h))
        return np.sum((ahead - behind) * (d if np.ndim(ahead) else 1.0)) / (2 * h)

    gradient = myia.grad(f)
    np.testing.assert_allclose(np.sum(gradient(*given()) * d), slope(f), rtol=1e-6)
    curvature = np.sum(myia.hvp(f)(x, *rest, d) * d) if len(args) == 1 else None
    if curvature is not None:
        np.testing.assert_allclose(curvature, slope(gradient), rtol=1e-5, atol=1e-5)


def loops(f, args) -> int:
    return len(re.findall("= (?:for|while) ", str(myia.jit(f).ir(*args)["typed"])))


@pytest.mark.parametrize(
    ("f", "args", "number"),
    [
        (haar, (X,), 0),
        (running_sums, (X,), 0),
        (taps, (X, np.arange(5.0)), 0),
        (static_sizes_in_a_nest, (X,), 2),
        (until, (X, 0.01), 1),
        (one_less, (X,), 1),
        (slow_to_halve, (X,), 1),
        (counted, (X,), 1),
        (haar, (X[:29],), 1),
    ],
)
def test_straight_code_where_that_takes_less(short_arrays_are_long, f, args, number):
    assert loops(f, args) == number
    checked(f, args)


def test_work_is_in_proportion_to_the_length():
    """Not to the length times the trip count; and the array is copied once, not in each."""
    n = 4096
    gradient = myia.grad(haar).lower(np.ones(n)).compile()
    assert gradient.cost_analysis()["flops"] <= 30 * n
    assert len(re.findall(rf"= f64\[{n}\]\S* copy\(", gradient.as_text())) <= 2
