"""No pass removes, repeats, moves or widens a host call: the log of the calls is that of Python."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import myia
from tests.passes.by_name import EVERY
from tests.zoo.reference_calls import ReferenceCalls

LOG = []


@myia.host(like=None)
def log(*args):
    LOG.append(tuple(np.array(x).tolist() for x in args))


@myia.host(like=0.5)
def given(i):
    LOG.append(("given", i))
    return (i * 37 % 11) / 7.0


def unused_and_constant(x):
    given(3)  # its result is unused, its argument a constant
    y = given(3) + given(3)  # equal calls
    return x[0] * y


def invariant(x):
    s = 0.0
    for i in range(5):
        s += given(7) * x[0] + i
    return s


def elements(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = 2.0 * x[i]
        log(i, myia.stop_gradient(x[i]))
        y[i] += given(i) * x[i]
    return y.sum()


def first_iteration(x):
    s = 0.0
    for i in range(len(x)):
        if i == 0:
            s += given(i) * x[i]
        else:
            s += x[i] * x[i - 1]
            log("other", i)
    return s


def two_loops_in_one(x):
    y, z = np.zeros_like(x), np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i] * given(i)
        z[i] = np.sin(x[i])
        log("z", i)
    return np.sum(y * z)


def small_branches(x):
    s = 0.0
    for i in range(len(x)):
        a = given(i) if x[i] > 0.5 else 1.0
        b = given(-i) if x[i] > 0.5 else 2.0
        s += a * b * x[i]
    return s


def stores_around_a_call(x):
    y = x * 1.0
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5
        log(myia.stop_gradient(y))
        y[i] = y[i] + given(i)
    return y.sum() * x[0]


def nest(x):
    total = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                total[i, j] += x[i + k] * x[j + k]
                log(i, j, k)
        log("row", myia.stop_gradient(total[i]))
    return total.sum()


def rows(x):
    a = x.reshape(2, -1) * 1.0
    for i in range(2):
        a[i] = a[i] * given(i)
        log(i)
    return (a * a).sum()


def halvings(x):
    n, s = 8, x[0]
    for _ in myia.bounded(range(sys.maxsize), 5):
        if n <= 1:
            break
        s = s * given(n)
        n //= 2
    return s


def swapped(x):
    a, b = x[:3] * 1.0, x[3:6] * 2.0
    for i in range(4):
        if given(i) > 0.7:
            a, b = b, a
        b[i % 3] += a[0]
        log(i, myia.stop_gradient(a), myia.stop_gradient(b))
    return (a * b).sum()


PROGRAMS = [
    unused_and_constant, invariant, elements, first_iteration, two_loops_in_one, small_branches,
    stores_around_a_call, nest, rows, halvings, swapped,
]  # fmt: skip
PASSES = sorted(EVERY)
X = np.array([0.3, 0.9, 1.2, 0.4, 0.7, 1.1])


def logged(f, *args):
    LOG.clear()
    result = f(*args)
    return result, [tuple(np.round(np.ravel(v), 9).tolist() if not isinstance(v, str) else v
                          for v in record) for record in LOG]  # fmt: skip


def slope(f):
    """By central differences."""
    found = np.zeros_like(X)
    for i in range(len(X)):
        h = np.zeros_like(X)
        h[i] = 1e-6
        found[i] = (f(X + h) - f(X - h)) / 2e-6
    return found


@pytest.mark.parametrize("f", PROGRAMS)
def test_on_xla(f):
    want, wanted = logged(f, X)
    found, log = logged(myia.jit(f), X)
    np.testing.assert_allclose(found, want, rtol=1e-12)
    assert log == wanted


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients_on_xla(f):
    _, wanted = logged(f, X)
    found, log = logged(myia.grad(f), X)
    np.testing.assert_allclose(found, slope(f), rtol=1e-6, atol=1e-8)
    assert log == wanted


@pytest.mark.parametrize("f", [small_branches, stores_around_a_call])
@pytest.mark.parametrize("checkpoint", ["tape", "trail", "recompute"])
def test_gradients_by_storage(f, checkpoint):
    _, wanted = logged(f, X)
    found, log = logged(myia.grad(f, checkpoint=checkpoint), X)
    np.testing.assert_allclose(found, slope(f), rtol=1e-6, atol=1e-8)
    assert log == wanted


@pytest.mark.parametrize("f", PROGRAMS)
def test_without_any_one_pass(f):
    want, wanted = logged(f, X)
    for name in PASSES:
        found, log = logged(ReferenceCalls(myia.jit(f), disable=name), X)
        np.testing.assert_allclose(found, want, rtol=1e-12, err_msg=name)
        assert log == wanted, name


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.slow
def test_gradients_without_any_one_pass(f):
    _, wanted = logged(f, X)
    want = slope(f)
    for name in PASSES:
        found, log = logged(ReferenceCalls(myia.grad(f), disable=name), X)
        np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-8, err_msg=name)
        assert log == wanted, name
