"""Distributions of `np.random.Generator` beside the normal and the exponential one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import myia
from tests.library.random.streams import check_stream

COV = [[2.0, 0.5], [0.5, 1.0]]


def gammas(r):
    shapes = np.array([0.4, 1.0, 2.5, 7.0])
    return r.standard_gamma(2.5), r.gamma(shapes, 2.0), r.chisquare(3.0, (2, 3))


def transformed(r):
    x = r.laplace(), r.laplace(1.0, 2.0, 9), r.logistic(1.0, 2.0, 9), r.gumbel(1.0, 2.0, 9)
    y = r.lognormal(0.0, 0.5, 9), r.rayleigh(2.0, 9), r.weibull(1.5, 9), r.pareto(3.0, 9)
    return x, y, r.power(2.0, 9), r.triangular(1.0, 2.0, 4.0, 3), r.standard_cauchy(3)


def multivariate(r):
    x = r.multivariate_normal([1.0, 2.0], COV), r.multivariate_normal([1.0, 2.0], COV, (2, 3))
    by = [r.multivariate_normal([1.0, 2.0], COV, 4, method=m) for m in ("cholesky", "eigh")]
    return x, by, r.multivariate_normal(np.zeros(3), np.eye(3) + 0.5, check_valid="raise")


def counts(r):
    return (
        r.poisson(3.0),
        r.poisson([0.0, 0.5, 5.0, 50.0]),
        r.geometric(0.5, 9),
        r.geometric(0.1, 9),
    )


def binomials(r):
    return r.binomial(10, 0.3), r.binomial([0, 10, 100, 1000], [0.3, 0.8, 0.5, 0.4], (50, 4))


def small_betas(r):
    return r.beta(0.5, 0.6), r.beta(0.01, 0.02, 20)


def quotients(r):
    return r.beta(2.0, 3.0), r.beta(0.5, 3.0, 9), r.f(3.0, 4.0, 9), r.standard_t(3.0, 9)


def betas_of_arrays(r):
    return r.beta([0.5, 2.0, 0.3], [0.4, 3.0, 2.0], (5, 3))


slow = [pytest.param(f, marks=pytest.mark.slow) for f in (quotients, betas_of_arrays, counts)]


@pytest.mark.parametrize("f", [gammas, transformed, multivariate, binomials, small_betas, *slow])
def test_samples(f):
    check_stream(f, rtol=1e-15)


# ----- Of a `RandomState`


def legacy_gammas(r):
    return r.gamma(2.5, 2.0, 7), r.standard_gamma(0.4, 7), r.chisquare(2.0), r.beta(0.5, 0.6, 5)


def legacy_quotients(r):
    return r.beta(2.0, 0.6, 5), r.standard_t(3.0, 5), r.f(3.0, 4.0, 5), r.standard_cauchy(5)


def legacy_functions(r):
    x = r.laplace(1.0, 2.0, 5), r.logistic(size=5), r.gumbel(size=5), r.lognormal(0.0, 1.0, 5)
    y = r.rayleigh(2.0, 5), r.weibull(1.5, 5), r.triangular(1.0, 2.0, 4.0), r.uniform(3.0, 1.0, 4)
    return x, y, r.multivariate_normal([1.0, 2.0], COV, 3)


def legacy_counts(r):
    x = r.poisson(3.0, 9), r.poisson([0.0, 5.0, 50.0]), r.geometric(0.5, 9), r.geometric(0.1, 9)
    return x, r.binomial([0, 10, 100, 1000], 0.4), r.binomial(0, 0.3), r.random()


def legacy_integers(r):
    x = r.randint(0, [3, 5, 1000]), r.randint([1, 2], [3, 2**40]), r.randint(5, dtype=np.int32)
    return x, r.randint(0, 200, 9, np.uint8), r.randint(-5, 200, 9, np.int16), r.randint(2, size=9)


slow = [pytest.param(f, marks=pytest.mark.slow) for f in (legacy_quotients, legacy_counts)]


@pytest.mark.parametrize("f", [legacy_gammas, legacy_functions, legacy_integers, *slow])
def test_samples_of_a_state(f):
    check_stream(f, make=lambda: np.random.RandomState(3), rtol=1e-15)


def test_pairs_of_normal_numbers():
    """The second of a pair is kept, from array to array."""

    def f(r):
        return [r.normal(size=n) for n in (3, 41, 40)], r.normal(), r.standard_normal((2, 20))

    check_stream(f, make=lambda: np.random.RandomState(3), rtol=1e-15, calls=3)


ORDERS = {
    "random": (),
    "integers": (-5, 2**40),
    "permutation": (),
    "choice": (1000,),
}
LEGACY_ORDERS = {"random_sample": (), "randint": (-5, 2**40), "permutation": (), "choice": (1000,)}
MANY = {
    "standard_normal": (),
    "standard_exponential": (),
    "standard_gamma": (0.4,),
    "gamma": (2.5, 3.0),
    "laplace": (1.0, 2.0),
    "poisson": (20.0,),
    "binomial": (1000, 0.4),
    "beta": (0.5, 0.7),
    "standard_t": (3.0,),
    "normal": (1.0, 2.0),
    "multivariate_normal": ([1.0, -1.0], [[2.0, 0.3], [0.3, 1.0]]),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "name", "parameters"),
    [
        *((np.random.default_rng, *row) for row in (ORDERS | MANY).items()),
        *((np.random.RandomState, *row) for row in (LEGACY_ORDERS | MANY).items()),
    ],
)
def test_ten_million_samples(make, name, parameters):
    """Also what becomes of the generator: as many words are taken."""
    draw = lambda r: getattr(r, name)(*parameters, 10**7)  # noqa: E731
    rtol = 4 * 2.3e-16 if name in MANY else 0.0
    check_stream(draw, make=lambda: make(3), rtol=rtol, calls=1)


@pytest.mark.parametrize("shape", [pytest.param(0.4, marks=pytest.mark.slow), 2.5])
def test_a_gamma_sample_moves_at_a_fixed_quantile(shape):
    x = np.random.default_rng(1).standard_gamma(shape)
    at, step = stats.gamma.cdf(x, shape), 1e-5
    ends = stats.gamma.ppf(at, [shape - step, shape + step])
    draw = lambda a: np.random.default_rng(1).standard_gamma(a)  # noqa: E731
    assert myia.grad(draw)(shape) == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [0.4, 2.5])
def test_the_second_derivative_of_a_gamma_sample(shape):
    draw = lambda a: np.random.default_rng(1).standard_gamma(a)  # noqa: E731
    at, step = stats.gamma.cdf(draw(shape), shape), 1e-3
    x = stats.gamma.ppf(at, shape + step * np.arange(-2, 3))
    want = (-x[0] + 16 * x[1] - 30 * x[2] + 16 * x[3] - x[4]) / (12 * step**2)
    assert myia.grad(myia.grad(draw))(shape) == pytest.approx(want, rel=1e-5)


@pytest.mark.slow
def test_a_small_beta_sample_moves_at_a_fixed_quantile():
    draw = lambda p: np.random.default_rng(1).beta(p[0], p[1])  # noqa: E731
    p, step = np.array([0.6, 0.7]), 1e-3
    at = stats.beta.cdf(draw(p), *p)
    moved = lambda i, j: stats.beta.ppf(at, p[0] + i * step, p[1] + j * step)  # noqa: E731
    first = [moved(1, 0) - moved(-1, 0), moved(0, 1) - moved(0, -1)]
    mixed = moved(1, 1) - moved(1, -1) - moved(-1, 1) + moved(-1, -1)
    np.testing.assert_allclose(myia.grad(draw)(p), np.array(first) / (2 * step), rtol=1e-5)
    np.testing.assert_allclose(myia.hessian(draw)(p)[0, 1], mixed / (4 * step**2), rtol=1e-5)


@pytest.mark.slow
def test_the_mean_of_derivatives():
    """The derivative of the mean of a gamma distribution in its shape is the scale."""

    def mean(shape):
        return np.mean(np.random.default_rng(2).gamma(shape, 3.0, 4000))

    assert myia.grad(mean)(0.7) == pytest.approx(3.0, rel=0.1)


def test_other_derivatives():
    def f(p):
        r = np.random.default_rng(4)
        x = r.laplace(p[0], p[1]) * r.logistic(p[0], p[1]) + r.weibull(p[1]) + r.lognormal(*p)
        return x * r.gamma(2.0, p[0]) + r.poisson(3.0)

    p, step = np.array([0.3, 0.8]), 1e-6
    want = [(f(p + e) - f(p - e)) / (2 * step) for e in step * np.eye(2)]
    np.testing.assert_allclose(myia.grad(f)(p), want, rtol=1e-6)


@pytest.mark.parametrize(
    "f, message",
    [
        (lambda r: r.gamma(-1.0), "shape < 0"),
        (lambda r: r.binomial(3, 1.5), "p < 0, p > 1"),
        (lambda r: r.geometric(0.0), "p <= 0, p > 1"),
    ],
)
def test_errors(f, message):
    for g in (f, myia.jit(f)):
        with pytest.raises(ValueError, match=message):
            g(np.random.default_rng(1))
