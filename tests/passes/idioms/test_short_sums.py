"""Sums along short axes of spanned arrays: unrolled, with the same values and derivatives."""

import numpy as np
import pytest

import myia
from myia.passes.idioms import short_sums as this
from myia.pipeline import Options

N, K, D = 9, 7, 3


@pytest.fixture(autouse=True)
def small_arrays(monkeypatch):
    monkeypatch.setattr(this, "MIN_ELEMENTS", 1)
    monkeypatch.setattr(this, "MIN_VECTOR_LENGTH", 1)
    monkeypatch.setattr(this, "MIN_GROWTH", 2)


def squares(p, c):
    return np.sum((p[:, None, :] - c[None, :, :]) ** 2, axis=2)


def absolutes(p, c):
    return np.abs(p[:, None, :] - c[None, :, :]).sum(-1)


def norms(p, c):
    return np.linalg.norm(p[:, None, :] - c[None, :, :], axis=-1)


def weighted(p, c):
    return np.sum(c[0] * (p[:, None, :] - 2.0 * c[None, :, :]), axis=2)


def middle(p, c):  # the summed axis is not the last one
    return np.sum((p.T[None, :, :] - c[:, :, None]) ** 2, axis=1)


def one_wide(p, c):  # an operand of length 1 along the summed axis
    return np.sum(np.maximum(p[:, None, :1], c[None, :, :]) * c, axis=2)


def read_again(p, c):
    d = p[:, None, :] - c[None, :, :]
    return np.sum(d * d, axis=2) + d[:, :, 1]


def nearest(p, c):
    return np.sum(np.min(squares(p, c), axis=1))


def of_loops(p, c):
    total = np.zeros((N, K))
    for i in range(3):
        total = total + np.sum((p[:, None, :] - (i + 1.0) * c[None, :, :]) ** 2, axis=2)
    return total


FORMS = [squares, absolutes, norms, weighted, middle, one_wide, read_again, nearest, of_loops]


def arrays(dtype="f8", d=D):
    rng = np.random.default_rng(0)
    return rng.normal(size=(N, d)).astype(dtype), rng.normal(size=(K, d)).astype(dtype)


def disabled(f):
    return myia.jit(f, pipeline=Options(disable=frozenset({"short_sums"})))


def sums(f, p, c, stage="finish"):
    return str(myia.jit(f).ir(p, c)[stage]).count("reduce_sum")


CASES = [(f, "f8") for f in FORMS] + [(squares, "f4")]


@pytest.mark.parametrize(("f", "dtype"), CASES)
def test_values_are_those_of_numpy(f, dtype):
    p, c = arrays(dtype)
    ours = myia.jit(f)(p, c)
    assert ours.dtype == f(p, c).dtype
    np.testing.assert_allclose(ours, f(p, c), rtol=1e-12 if dtype == "f8" else 1e-5, atol=1e-6)


@pytest.mark.parametrize("f", [absolutes, norms, weighted, middle, one_wide, read_again])
def test_there_is_no_sum_left(f):
    assert sums(f, *arrays()) == 0


@pytest.mark.parametrize("f", [squares, norms, one_wide, nearest])
def test_derivatives_are_those_of_differences(f):
    p, c = arrays()
    rng = np.random.default_rng(1)
    v = rng.normal(size=c.shape)
    weights = rng.normal(size=np.shape(f(p, c)))

    def total(p, c):
        return np.sum(weights * f(p, c) ** 2)

    gradient = myia.grad(total, argnums=1)(p, c)
    h = 1e-6
    expected = (total(p, c + h * v) - total(p, c - h * v)) / (2 * h)
    np.testing.assert_allclose(np.sum(gradient * v), expected, rtol=1e-7)
    _, forward = myia.jvp(lambda c: total(p, c), (c,), (v,))
    np.testing.assert_allclose(np.sum(gradient * v), forward, rtol=1e-12)


@pytest.mark.parametrize("f", [squares, norms, weighted])
def test_special_elements(f):
    p, c = arrays()
    p[:4, 1] = c[:4, 0] = [np.nan, np.inf, -np.inf, -0.0]
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(myia.jit(f)(p, c), f(p, c), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(myia.jit(f)(p, c), disabled(f)(p, c), rtol=1e-12, atol=1e-14)


def test_arrays_that_are_there_are_summed_in_order():
    x = np.ones((40, 4))
    assert sums(lambda x, y: np.sum(x * y, axis=1), x, x) == 1


def test_long_axes_and_integers_stay_sums():
    assert sums(squares, *arrays(d=this.MAX_TERMS + 1)) == 1
    assert sums(squares, *arrays("i8")) == 1


def test_few_results_in_a_row_stay_sums(monkeypatch):
    monkeypatch.setattr(this, "MIN_VECTOR_LENGTH", K + 1)
    assert sums(squares, *arrays()) == 1


def test_empty_arrays():
    p, c = arrays()
    assert myia.jit(squares)(p[:0], c).shape == (0, K)
    np.testing.assert_array_equal(myia.jit(squares)(p[:, :0], c[:, :0]), np.zeros((N, K)))
