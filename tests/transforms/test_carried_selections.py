"""What a selection in a loop, `vmap` or `checkpoint` leaves out has no derivative after it.

Each function here is `relu`, so that all derivatives of the objectives are known: the pole is that
of a root, of what is left out.
"""

from __future__ import annotations

import numpy as np
import pytest

import myia

X, ONES = np.array([0.0, 1.0, 4.0]), np.ones(3)


def relu(v):
    return v if v > 0 else 0.0


def selected(x):
    return np.where(x > 0, x, 0)


def in_a_loop(x):
    y = x
    for _ in range(3):
        y = np.where(x > 0, y, 0)
    return y


def in_nested_loops(x):
    y = x * 1.0
    for _ in range(2):
        for _ in range(2):
            y = np.where(x > 0, y, 0)
    return y


def after_another_carry(x):
    y = z = x
    for _ in range(3):
        y, z = z, np.where(x > 0, x, 0)
    return y


def stored(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = relu(x[i])
    return y


def stored_in_rows(x):
    y = np.zeros((3, 2))
    for i in range(3):
        for j in range(2):
            y[i, j] = relu(x[i])
    return y[:, 1]


def comprehension(x):
    return np.array([relu(v) for v in x])


def mapped(x):
    return myia.vmap(relu)(x)


def checkpointed(x):
    return myia.checkpoint(selected)(x)


def checkpointed_loop(x):
    return myia.checkpoint(in_a_loop)(x)


def checkpointed_in_a_loop(x):
    y = x
    for _ in range(3):
        y = myia.checkpoint(selected)(y)
    return y


WAYS = [
    *(selected, in_a_loop, in_nested_loops, after_another_carry, stored, stored_in_rows),
    *(comprehension, mapped, checkpointed, checkpointed_loop, checkpointed_in_a_loop),
]


@pytest.mark.parametrize("g", WAYS)
def test_first_order(g):
    def f(x):
        return np.sqrt(g(x))

    np.testing.assert_array_equal(myia.jvp(f, (X,), (ONES,))[1], [0.0, 0.5, 0.25])
    np.testing.assert_array_equal(myia.jacrev(f)(X), np.diag([0.0, 0.5, 0.25]))


@pytest.mark.parametrize("g", WAYS)
def test_second_order(g):
    def f(x):
        return np.sum(np.sqrt(g(x)) * x)

    want = np.diag([0.0, 0.75, 0.375])
    np.testing.assert_allclose(myia.hessian(f)(X), want)
    np.testing.assert_allclose(myia.jacrev(myia.grad(f))(X), want)


@pytest.mark.slow
@pytest.mark.parametrize("g", WAYS)
def test_other_orders(g):
    def f(x):
        return np.sum(np.sqrt(g(x)) * x)

    def root_of_gradient(x):
        return np.sqrt(myia.grad(lambda x: np.sum(g(x) ** 3))(x))

    want = np.diag([0.0, 0.75, 0.375])
    np.testing.assert_allclose(myia.jacfwd(myia.jacfwd(f))(X), want)
    np.testing.assert_allclose(myia.jacrev(myia.jacfwd(f))(X), want)
    np.testing.assert_allclose(myia.hvp(f)(X, ONES), want @ ONES)
    slope = np.sqrt(3.0) * np.array([0.0, 1.0, 1.0])
    np.testing.assert_allclose(myia.jvp(root_of_gradient, (X,), (ONES,))[1], slope)
    np.testing.assert_allclose(myia.jacrev(root_of_gradient)(X), np.diag(slope))


def products(x, n):
    r, k = x, 0
    while k < n:
        r = 0.0 if x <= 0 else r * x
        k += 1
    return np.sqrt(r)


def test_numbers_in_a_while_loop():
    def f(x):
        return products(x, 3)

    assert myia.jvp(f, (0.0,), (1.0,)) == (0.0, 0.0)
    assert myia.jvp(myia.grad(f), (0.0,), (1.0,)) == (0.0, 0.0)
    assert myia.grad(myia.grad(f))(0.0) == 0.0
    np.testing.assert_allclose(myia.jvp(f, (4.0,), (1.0,)), (16.0, 8.0))


@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_loop_without_iterations(n):
    """Its result is what was there before: everywhere."""

    def f(x, n):
        y = x
        for _ in range(n):
            y = np.where(x > 0, y, 0)
        return np.sqrt(y)

    got = myia.jvp(lambda x: f(x, n), (X,), (ONES,))[1]
    np.testing.assert_array_equal(got, [np.inf if n == 0 else 0.0, 0.5, 0.25])


@pytest.mark.parametrize(("h", "carried"), [(np.sin, False), (np.sqrt, True)])
def test_supports_are_carried_where_a_pole_reads_them(h, carried):
    def f(x, n):
        y = stored(x)
        for _ in range(n):
            y = np.where(x > 0, y, 0)
        return np.sum(h(y) * x)

    text = myia.hvp(f).ir(X, 3, ONES)["expand"]
    assert ("False: bool[3]" in text) is carried
