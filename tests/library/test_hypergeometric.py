"""Hypergeometric functions beyond the reach of one series: values, edges, all derivatives."""

import numpy as np
import pytest
import scipy.special as sp

import myia
from tests.library.derivative_orders import check_derivatives

RNG = np.random.default_rng(0)
A, B = RNG.uniform(0.1, 5, (2, 200))
C = RNG.uniform(0.1, 6, 200)


@myia.jit
def confluent(a, b, x):
    return sp.hyp1f1(a, b, x)


@myia.jit
def gauss(a, b, c, x):
    return sp.hyp2f1(a, b, c, x)


@pytest.mark.parametrize(
    "ends", [(0, 30), (-30, 0), (-99, -30), (100, 600), (-1000, -100)], ids=str
)
def test_confluent(ends):
    x = RNG.uniform(*ends, 200)
    for a in (A, -A, -np.floor(A)):
        found, wanted = confluent(a, B, x), sp.hyp1f1(a, B, x)  # SciPy's can be NaN where a = 0
        np.testing.assert_allclose(found, np.where(np.isnan(wanted), found, wanted), rtol=1e-9)
        assert np.all(np.isfinite(found))


@pytest.mark.parametrize("ends", [(0, 0.9), (0.9, 0.99), (-0.9, 0), (-1, -0.9), (-9, -1)], ids=str)
def test_gauss(ends):
    x = RNG.uniform(*ends, 200)
    for a in (A, -A):
        np.testing.assert_allclose(gauss(a, B, C, x), sp.hyp2f1(a, B, C, x), rtol=1e-8)


EDGES = np.array(
    [
        (1, 2, 3.5, 1), (1, 2, 3, 1), (1, 2, 1, 1), (-1, 2, -3, 0.3), (-1, 2, -3, -0.3),
        (-2, 2, 1.5, 0.9), (-2, 1, 2, 5), (0, 1, 2, 0.3), (1, 2, -3, 0.3), (1, 1, 2, 0),
    ]
)  # fmt: skip


def test_edges():
    """Poles, polynomials, and the end of the interval of convergence."""
    np.testing.assert_allclose(gauss(*EDGES.T.copy()), sp.hyp2f1(*EDGES.T), rtol=1e-12)
    a, b, x = np.array([(-1, -2, 0.3), (-1, -2, -0.3), (1, -2, 0.3), (0, 1, 3), (2, 2, -500)]).T
    np.testing.assert_allclose(confluent(a, b, x), sp.hyp1f1(a, b, x), rtol=1e-12)


def test_beyond_convergence_is_nan():
    assert np.isnan(gauss(1.5, 2.5, 3.5, 1 + 1e-9))
    assert np.isnan(gauss(1.5, 2.5, 3.5, 1 - 1e-6))


SMALL, FAR = np.array([0.7, -3.0, 12.0]), np.array([120.0, -130.0, 150.0])
INSIDE = np.array([0.3, 0.7, -0.4, -2.0])
PROGRAMS = {
    "a of 1f1": (lambda a: sp.hyp1f1(a, 2.1, SMALL), np.array([1.3, 0.4, 2.2])),
    "b of 1f1": (lambda b: sp.hyp1f1(1.3, b, SMALL), np.array([1.5, 0.4, 2.2])),
    "x of 1f1": (lambda x: sp.hyp1f1(1.3, 2.1, x), SMALL),
    "all of 1f1 far away": (
        lambda x: np.log(np.abs(sp.hyp1f1(x[0], x[1], FAR))) + np.log(x[2]),
        np.array([1.3, 2.1, 0.4]),
    ),
    "a of 2f1": (lambda a: sp.hyp2f1(a, 1.2, 2.1, INSIDE), np.array([1.3, 0.4, 2.2, 0.8])),
    "b of 2f1": (lambda b: sp.hyp2f1(1.2, b, 2.1, INSIDE), np.array([1.3, 0.4, 2.2, 0.8])),
    "c of 2f1": (lambda c: sp.hyp2f1(1.2, 0.7, c, INSIDE), np.array([1.3, 0.4, 2.2, 0.8])),
    "x of 2f1": (lambda x: sp.hyp2f1(1.2, 0.7, 2.3, x), INSIDE),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    check_derivatives(*PROGRAMS[name], rtol=1e-5)


def test_third_derivative_in_a_parameter():
    """With respect to `a` of 1F1, against a difference of second derivatives."""

    def f(a):
        return sp.hyp1f1(a, 2.1, 0.7)

    second = myia.grad(myia.grad(f))
    wanted = (second(1.3 + 1e-5) - second(1.3 - 1e-5)) / 2e-5
    np.testing.assert_allclose(myia.grad(second)(1.3), wanted, rtol=1e-7)
