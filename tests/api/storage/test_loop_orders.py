"""Orders 1 to 4 of loops of every kind against power series in extended precision."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.pipeline import Options, lowered
from tests.api.storage.taylor import derivatives
from tests.default_run import every
from tests.infer.driver import inferred


def kinds_of_carries(x):
    """A float, an int, a bool, a complex number and an array."""
    n, rising = 0, True
    z = (0.3 + 0.4j) * x
    a = x * np.ones(3)
    y = x
    while n < 12 and y < 50.0:
        z = z * z * 0.5 + (0.2 - 0.1j) * x
        a[n % 3] = np.sin(a[(n + 1) % 3]) + 0.1 * y
        y = y + z.real * a[1] if rising else y - 0.5 * z.imag
        rising = not rising
        n += 1
    return y + n * np.sum(a * a) + z.imag


def captured(x):
    """The body reads active values of outside."""
    p, q = np.exp(-x), x * np.array([1.0, -2.0, 0.5])
    y = 0.1 * x
    for i in range(15):
        y = y + 0.1 * np.sin(p * y + i) * q[i % 3]
    return y + p


def branches(x):
    y, s = x, 0.0 * x
    for i in range(14):
        if i % 3 == 0:
            y = np.sin(y) + 0.3
        elif y > 0.6:
            y = y * 0.7
            s = s + y * y
        else:
            s = s - np.cos(s) * y
    return s * y


def products_in_branches(x):
    """A value that is linear in cotangents is kept in one branch, in the other one that is not."""
    w, y = np.cos(x), x
    for _ in range(6):
        if y > 0.6:
            y = np.exp(np.sin(w * y))
        else:
            y = np.exp(np.sin(y) * w)
        y = 0.5 * y
    return y * y


def leapt(x):
    """`break`, `continue` and a count that depends on the numbers."""
    y, n = x, 0
    while True:
        n += 1
        y = y * 0.8 + 0.05 * np.exp(-y)
        if n % 4 == 1:
            continue
        y = y - 0.02 * y * y
        if y < 0.21 or n > 60:
            break
    return y * n


def step(y, h):
    return y + h * np.sin(y)


def halved(y, times):
    for _ in range(times):
        y = step(0.5 * y, 0.1)
    return y


def nest(x):
    """Calls, loops in loops, counts of inner loops that the outer one decides."""
    y = x
    for i in range(6):
        y = y + halved(y + x, i % 4)
        j = 0
        while j < i and y > 0.5:
            y = y - 0.2 * np.cos(y) * x
            j += 1
    return y


def stores(x):
    """An array that is read and written at indices of run time."""
    a = x * np.linspace(0.5, 1.5, 6)
    for i in range(20):
        k = (3 * i + 1) % 6
        a[k] = a[(k + 1) % 6] * 0.9 + 0.2 * np.sin(a[k])
    return np.sum(a * a)


def stencil(x):
    u = x * np.sin(np.linspace(0.0, 3.0, 7))
    for _ in range(12):
        flux = (1.0 + u[1:] * u[1:]) * (u[1:] - u[:-1])
        u = np.concatenate([u[:1], u[1:-1] + 0.1 * (flux[1:] - flux[:-1]), u[-1:]])
    return np.dot(u, u)


def product(x):
    p = 1.0 + 0.0 * x
    for i in range(1, 20):
        p = p * (x + 1.0 / i) / np.sqrt(x + i)
    return p


def sizes(x):
    """A carry whose number of elements is known at run time."""
    w = x * np.linspace(0.5, 1.5, 6)
    v, total, k = w[:3], 0.0 * x, 3
    for i in range(9):
        k = 1 + (3 * i + k) % 5
        v = np.sin(w[:k]) + 0.1 * np.sum(v)
        total = total + 0.1 * np.sum(v * v)
    return total + np.sum(v)


PROGRAMS = [
    kinds_of_carries,
    captured,
    branches,
    products_in_branches,
    leapt,
    nest,
    stores,
    stencil,
    product,
    sizes,
]
LIGHT = [leapt, product]
# At order 4: seconds each.
HEAVY = [kinds_of_carries, nest, branches, products_in_branches]
X = 0.8
by_name = {"ids": lambda f: f.__name__ if callable(f) else f}


def derivative(f, order: int):
    for _ in range(order):
        f = myia.grad(f)
    return f


def by_reference(f, checkpoint: str) -> float:
    """f(X) by the interpreter of the program that a backend would get."""
    program, flat = inferred(f, X)
    options = Options(checkpoint=checkpoint)
    return evaluate(lowered(program.function, options), [np.asarray(x) for x in flat.leaves])[0]


@pytest.mark.parametrize("program", PROGRAMS, **by_name)
def test_orders_1_and_2(program):
    want = derivatives(program, X, 2)

    def both(x):
        value, slope = myia.value_and_grad(program)(x)
        return value, slope, derivative(program, 2)(x)

    np.testing.assert_allclose(myia.jit(both)(X), want, rtol=1e-10)


@pytest.mark.parametrize("order", [3, 4])
@pytest.mark.parametrize("program", LIGHT, **by_name)
def test_orders_3_and_4(program, order):
    want = derivatives(program, X, order)[order]
    np.testing.assert_allclose(derivative(program, order)(X), want, rtol=1e-10)


@pytest.mark.parametrize("checkpoint", ["auto", "trail"])
@pytest.mark.parametrize("program", every(3, PROGRAMS), **by_name)
def test_order_3_by_reference(program, checkpoint):
    want = derivatives(program, X, 3)[3]
    found = by_reference(derivative(program, 3), checkpoint)
    np.testing.assert_allclose(found, want, rtol=1e-10)


@pytest.mark.parametrize(
    "program",
    [pytest.param(p, marks=[pytest.mark.slow] * (p in HEAVY)) for p in PROGRAMS],
    **by_name,
)
def test_order_4_by_reference(program):
    want = derivatives(program, X, 4)[4]
    np.testing.assert_allclose(by_reference(derivative(program, 4), "auto"), want, rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("order", [3, 4])
@pytest.mark.parametrize("program", [p for p in PROGRAMS if p not in LIGHT], **by_name)
def test_orders_3_and_4_of_large_programs(program, order):
    want = derivatives(program, X, order)[order]
    np.testing.assert_allclose(derivative(program, order)(X), want, rtol=1e-10)
