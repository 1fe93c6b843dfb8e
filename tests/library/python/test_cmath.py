"""The `cmath` module: values as Python's, also on branch cuts, and its errors in a `try`."""

import cmath
import itertools
import math

import numpy as np
import pytest

import myia

ONE = [
    "exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos",
    "atan", "asinh", "acosh", "atanh", "phase",
]  # fmt: skip
PARTS = (0.0, -0.0, 0.3, -0.7, 2.5, -4.0)
POINTS = [complex(*parts) for parts in itertools.product(PARTS, PARTS)]


@pytest.mark.parametrize("name", ONE)
def test_function_of_one_number(name):
    f = getattr(cmath, name)
    compiled = myia.jit(lambda z: f(z))
    for z in POINTS:
        try:
            wanted = f(z)
        except ValueError:  # outside of a `try` a pole is infinite
            assert not cmath.isfinite(compiled(z))
            continue
        found = compiled(z)
        assert type(found) is type(wanted)
        np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-15, err_msg=str(z))


def others(z, x):
    return (
        cmath.polar(z), cmath.rect(x, z.real), cmath.log(z, 2), cmath.log(x, z),
        cmath.isnan(z), cmath.isinf(z), cmath.isfinite(z), cmath.sqrt(x), cmath.exp(2), cmath.pi,
        cmath.isclose(z, z + 1e-12), cmath.isclose(z, z + 0.1j), cmath.isclose(z, x, abs_tol=3.0),
    )  # fmt: skip


@pytest.mark.parametrize("z", [1.5 - 2j, -0.3 + 0.4j, complex(1, math.inf), complex(1, math.nan)])
def test_other_functions(z):
    for found, wanted in zip(myia.jit(others)(z, -0.7), others(z, -0.7), strict=True):
        assert type(found) is type(wanted)
        np.testing.assert_allclose(found, wanted, rtol=1e-14)


def in_a_try(z):
    try:
        return cmath.log(z) + cmath.exp(z)
    except ValueError:
        return -1.0 + 0j
    except OverflowError:
        return -2.0 + 0j


def test_errors():
    compiled = myia.jit(in_a_try)
    for z in (1 + 1j, 0j, 1000 + 1j, -3.0 + 0j):
        assert cmath.isclose(compiled(z), in_a_try(z), rel_tol=1e-14)


def transform_by_hand(x):
    total = 0.0
    for k in range(len(x)):
        at_k = sum(v * cmath.exp(-2j * cmath.pi * k * n / len(x)) for n, v in enumerate(x))
        total += cmath.phase(at_k + 3.0) * abs(at_k) + cmath.sqrt(at_k).real
    return total


def test_derivatives():
    x = np.array([0.5, -1.0, 2.0, 0.25, 1.5])
    np.testing.assert_allclose(myia.jit(transform_by_hand)(x), transform_by_hand(x), rtol=1e-13)
    myia.check_grads(transform_by_hand, (x,), order=2)
