"""Compiled functions in SciPy's optimizers, root finders and integrators.

Results of numbers are Python's and NumPy's, so that SciPy takes them.
"""

from __future__ import annotations

from multiprocessing.pool import ThreadPool

import numpy as np
import pytest
from scipy import integrate, optimize

import myia


def rosenbrock(x, a=1.0, b=100.0):
    total = 0.0
    for i in range(len(x) - 1):
        total += b * (x[i + 1] - x[i] ** 2) ** 2 + (a - x[i]) ** 2
    return total


START = np.array([-1.2, 1.0, 0.7])
loss, slope, curvature = myia.jit(rosenbrock), myia.grad(rosenbrock), myia.hessian(rosenbrock)
both, product = myia.value_and_grad(rosenbrock), myia.hvp(rosenbrock)


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "CG", "SLSQP"])
def test_minimize(method):
    found = optimize.minimize(both, START, jac=True, method=method)
    other = optimize.minimize(loss, START, jac=slope, method=method)
    for end in (found, other):
        assert end.success
        np.testing.assert_allclose(end.x, np.ones(3), atol=1e-3)


@pytest.mark.parametrize("method", ["Newton-CG", "trust-ncg", "trust-constr"])
def test_minimize_with_second_derivatives(method):
    known = {"jac": slope, "method": method}
    for second in ({"hess": curvature}, {"hessp": product}):
        found = optimize.minimize(loss, START, **known, **second)
        np.testing.assert_allclose(found.x, np.ones(3), atol=1e-4)
    found = optimize.minimize(loss, START, (2.0, 50.0), hess=curvature, **known)
    # SciPy passes the vector before the other arguments, `hvp` takes it last.
    passed = optimize.minimize(
        loss, START, (2.0, 50.0), hessp=lambda x, v, *args: product(x, *args, v), **known
    )
    np.testing.assert_allclose(passed.x, found.x, rtol=1e-4)


def system(x, c=0.5):
    return np.array([x[0] + c * (x[0] - x[1]) ** 3 - 1.0, 0.5 * (x[1] - x[0]) ** 3 + x[1]])


def test_root():
    for jac in (myia.jacrev(system), myia.jacfwd(system)):
        for method in ("hybr", "lm"):
            found = optimize.root(myia.jit(system), [0.0, 0.0], (0.25,), jac=jac, method=method)
            assert found.success
            np.testing.assert_allclose(system(found.x, 0.25), np.zeros(2), atol=1e-9)


def decay(p, t, y):
    return p[0] * np.exp(-p[1] * t) + p[2] - y


@pytest.mark.parametrize("jacobian", [myia.jacfwd, myia.jacrev])
def test_least_squares(jacobian):
    t = np.linspace(0, 3, 20)
    y = 2.5 * np.exp(-1.3 * t) + 0.5
    for method in ("trf", "lm"):
        found = optimize.least_squares(
            myia.jit(decay), [1.0, 1.0, 0.0], jac=jacobian(decay), args=(t, y), method=method
        )
        np.testing.assert_allclose(found.x, [2.5, 1.3, 0.5], rtol=1e-6)


def cubic(x, c=2.0):
    return x**3 - c * x - 5.0


def test_scalar_roots():
    """Python's floats stay floats."""
    f, df = myia.jit(cubic), myia.grad(cubic)
    wanted = optimize.brentq(cubic, 2.0, 3.0)
    assert optimize.brentq(f, 2.0, 3.0) == wanted and type(f(2.0)) is float
    of_python, ours = (optimize.brentq(g, 1.0, 3.0, args=(1.5,)) for g in (cubic, f))
    assert ours == of_python
    found = optimize.newton(f, 2.0, fprime=df, fprime2=myia.grad(df))
    assert found == pytest.approx(wanted, rel=1e-12)
    at_once = optimize.newton(f, np.array([2.0, 3.0]), fprime=myia.elementwise_grad(cubic))
    np.testing.assert_allclose(at_once, [wanted] * 2, rtol=1e-9)
    found = optimize.root_scalar(myia.value_and_grad(cubic), x0=2, fprime=True)
    assert found.root == pytest.approx(wanted, rel=1e-9)


def oscillator(t, y, k=1.0):
    return np.array([y[1], k * (1 - y[0] ** 2) * y[1] - y[0]])


@pytest.mark.parametrize("method", ["RK45", "Radau", "BDF", "LSODA"])
def test_solve_ivp(method):
    options = {"method": method, "args": (5.0,), "rtol": 1e-6}
    if method != "RK45":
        options["jac"] = myia.jacfwd(oscillator, argnums=1)
    start = np.array([2.0, 0.0])
    found = integrate.solve_ivp(myia.jit(oscillator), (0.0, 5.0), start, **options)
    wanted = integrate.solve_ivp(oscillator, (0.0, 5.0), start, **options)
    np.testing.assert_allclose(found.y[:, -1], wanted.y[:, -1], rtol=1e-5)


def test_quad():
    f = lambda x, k: np.exp(-k * x * x)  # noqa: E731
    found, _ = integrate.quad(myia.jit(f), -np.inf, np.inf, args=(2.0,))
    assert found == pytest.approx(np.sqrt(np.pi / 2), rel=1e-12)
    found, _ = integrate.dblquad(myia.jit(lambda y, x: x * y * y), 0, 1, 0, 2)
    assert found == pytest.approx(4 / 3)


def test_workers():
    """SciPy calls the function from threads."""
    bounds, options = [(-2, 2)] * 2, {"maxiter": 20, "seed": 0, "updating": "deferred"}
    with ThreadPool(2) as pool:
        found = optimize.differential_evolution(loss, bounds, workers=pool.map, **options)
    np.testing.assert_allclose(found.x, np.ones(2), atol=1e-3)
    whole = optimize.differential_evolution(
        myia.vmap(rosenbrock, in_axes=1), bounds, vectorized=True, **options
    )
    np.testing.assert_allclose(whole.x, np.ones(2), atol=1e-3)


def test_an_error_leaves_the_optimizer():
    def f(x):
        if x[0] > 0.5:
            raise FloatingPointError("out of range")
        return -x[0]

    with pytest.raises(FloatingPointError, match="out of range"):
        optimize.minimize(myia.value_and_grad(f), np.zeros(2), jac=True)
