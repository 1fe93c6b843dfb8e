"""Distributions of `scipy.stats`: imported by name, kept in objects, with their parameters."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from scipy.stats import cauchy, gamma, multivariate_normal, norm, poisson, t

import myia

X = np.array([0.3, -1.2, 2.0])
RV = norm(loc=0.5, scale=2.0)


class Prior:
    def __init__(self) -> None:
        self.family, self.rv = t, gamma(2.0, scale=0.5)

    def __call__(self, x):
        return self.family.logpdf(x, 3.0).sum() + self.rv.logpdf(x**2).sum()


PRIOR = Prior()


def of_closure(d):
    return lambda x: np.sum(d.logpdf(x) + d.cdf(x) * d.sf(x))


PROGRAMS = {
    "imported": lambda x: np.sum(norm.logpdf(x, 0.5, scale=2.0) + norm.cdf(x)),
    "closure": of_closure(norm),
    "closure, with parameters": of_closure(cauchy(1.0, 2.0)),
    "attributes": lambda x: PRIOR(x),
    "global, with parameters": lambda x: np.sum(RV.logpdf(x) * RV.pdf(x) + RV.isf(RV.sf(x))),
    "made in the function": lambda x: np.sum(norm(x[0], np.exp(x[1])).logpdf(x)),
    "ints": lambda x: np.sum(norm(0, 1).logcdf(x)),
    "discrete": lambda x: np.sum(poisson(np.exp(x)).logpmf(np.array([1, 0, 2]))),
    "several variables": lambda x: multivariate_normal(x, [1.0, 2.0, 3.0]).logpdf(x**2),
    "of a number": lambda x: multivariate_normal(x, 2.0).logpdf(np.ones(3)),
    "without mean": lambda x: multivariate_normal(cov=np.diag(x**2)).pdf(x),
    "imported, several": lambda x: multivariate_normal.logpdf(x, np.zeros(3), np.eye(3)),
}


def differences(f, x, h=1e-6):
    steps = h * np.eye(len(x))
    return np.array([(f(x + e) - f(x - e)) / (2 * h) for e in steps])


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients(name):
    f = PROGRAMS[name]
    value, gradient = myia.value_and_grad(f)(X)
    np.testing.assert_allclose(value, f(X), rtol=1e-12)
    np.testing.assert_allclose(gradient, differences(f, X), rtol=1e-6, atol=1e-8)


def test_with_parameters_as_an_argument():
    def loss(x, rv):
        return np.sum(rv.logpdf(x))

    F, G = myia.jit(loss), myia.grad(loss, (0, 1))
    for scale in (1.0, 2.0, 3.0):
        rv = norm(0.5, scale=scale)
        np.testing.assert_allclose(F(X, rv), loss(X, rv), rtol=1e-12)
        dx, of_rv = G(X, rv)
        wanted = differences(lambda p: loss(X, norm(p[0], scale=p[1])), np.array([0.5, scale]))
        np.testing.assert_allclose((of_rv.args[0], of_rv.kwds["scale"]), wanted, rtol=1e-6)
        np.testing.assert_allclose(dx, (0.5 - X) / scale**2, rtol=1e-12)
    assert F.compiles == G.compiles == 1
    assert F(X, t(3.0)) == pytest.approx(loss(X, t(3.0)), rel=1e-12)  # another program
    H = myia.hessian(lambda p: np.sum(norm(p[0], p[1]).logpdf(X)))(np.array([0.5, 2.0]))
    np.testing.assert_allclose(H[0, 0], -len(X) / 4, rtol=1e-12)
    normal = multivariate_normal(np.zeros(3), np.diag([1.0, 2.0, 4.0]))
    of_x = myia.grad(lambda x, rv: rv.logpdf(x))(X, normal)
    np.testing.assert_allclose(of_x, -X / [1.0, 2.0, 4.0], rtol=1e-12)
    with pytest.raises(myia.errors.MyiaError, match="a multivariate_normal_frozen as a result"):
        myia.grad(lambda rv: rv.logpdf(X))(normal)
    rv, again = myia.jit(lambda rv: (rv, norm(rv.args[0], 3.0)))(norm(0.5))
    assert rv.args == (0.5,) and again.args == (0.5, 3.0) and again.mean() == 0.5


class Uniform(scipy.stats.rv_continuous):
    def _pdf(self, x):
        return 1.0 + 0 * x


REFUSED = {
    "`mean` of a rv_continuous_frozen": lambda x: RV.mean(),
    "`rvs` of a rv_continuous_frozen": lambda x: RV.rvs(3),
    "a distribution that is none of `scipy.stats`": of_closure(Uniform(a=0, b=1, name="norm")(0)),
    "`scipy.stats.rv_generic.entropy`": lambda x: norm.entropy(),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message):
    with pytest.raises(myia.errors.MyiaError) as error:
        myia.jit(REFUSED[message])(X)
    assert f"{message} is not supported" in str(error.value)
    assert "test_distributions.py" in str(error.value)


OTHERS = {  # methods, points, and parameters that the distribution has not
    "norm": (
        "pdf logpdf cdf sf ppf",
        [-1.0, 0.3, np.nan],
        [(0.0, -1.0), (0.0, 0.0), (np.nan, 1.0)],
    ),
    "uniform": ("pdf cdf", [-1.0, 0.3, np.nan], [(0.0, 2.0), (0.0, -1.0)]),
    "beta": ("pdf logpdf cdf", [-1.0, 0.3, np.nan], [(2.0, 9.0), (0.0, 3.0), (2.0, np.nan)]),
    "binom": ("pmf logpmf", [-1.0, 1.0, 1.5, np.nan], [(5, 0.3), (5, 1.5), (2.5, 0.3), (-1, 0.3)]),
    "geom": ("pmf logpmf", [0.5, 1.0, 1.5, np.nan], [(0.3,), (0.0,)]),
    "poisson": ("pmf cdf", [-1.0, 1.0, np.inf, np.nan], [(2.5,), (-1.0,)]),
    "cauchy": ("cdf logcdf sf logsf", [-np.inf, -1e12, 1e12, np.inf], [(0.0, 1.0), (0.0, -1.0)]),
}


@pytest.mark.parametrize("name", OTHERS)
def test_parameters_that_it_has_not_and_numbers_between_integers(name):
    methods, points, parameters = OTHERS[name]
    distribution, x = getattr(scipy.stats, name), np.array(points)
    methods = [getattr(distribution, method) for method in methods.split()]
    F = myia.jit(lambda x, args: tuple([method(x, *args) for method in methods]))
    for args in parameters:
        args = tuple(map(float, args))
        with np.errstate(all="ignore"):
            wanted = [method(x, *args) for method in methods]
        np.testing.assert_allclose(F(x, args), wanted, rtol=1e-9)
