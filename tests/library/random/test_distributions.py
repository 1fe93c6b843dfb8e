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
    return x, y, r.power(2.0, 9), r.multivariate_normal([1.0, 2.0], COV, 4, method="cholesky")


def counts(r):
    return (
        r.poisson(3.0),
        r.poisson([0.0, 0.5, 5.0, 50.0]),
        r.geometric(0.5, 9),
        r.geometric(0.1, 9),
    )


def binomials(r):
    return r.binomial(10, 0.3), r.binomial([0, 10, 100, 1000], [0.3, 0.8, 0.5, 0.4], (50, 4))


@pytest.mark.parametrize("f", [gammas, transformed, counts, binomials])
def test_samples(f):
    check_stream(f, rtol=1e-15)


@pytest.mark.slow
def test_quotients():
    def f(r):
        return r.beta(2.0, 3.0), r.beta(0.5, 3.0, 9), r.f(3.0, 4.0, 9), r.standard_t(3.0, 9)

    check_stream(f, rtol=1e-15)


MANY = {
    "standard_gamma": (0.4,),
    "gamma": (2.5, 3.0),
    "laplace": (1.0, 2.0),
    "poisson": (20.0,),
    "binomial": (1000, 0.4),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY)
def test_a_million_samples(name):
    check_stream(lambda r: getattr(r, name)(*MANY[name], 10**6), rtol=1e-15, calls=1)


@pytest.mark.parametrize("shape", [pytest.param(0.4, marks=pytest.mark.slow), 2.5])
def test_a_gamma_sample_moves_at_a_fixed_quantile(shape):
    x = np.random.default_rng(1).standard_gamma(shape)
    at, step = stats.gamma.cdf(x, shape), 1e-5
    ends = stats.gamma.ppf(at, [shape - step, shape + step])
    got = myia.grad(lambda a: np.random.default_rng(1).standard_gamma(a))(shape)
    assert got == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=1e-6)


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
