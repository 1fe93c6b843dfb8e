"""Derivatives of samples: of a transformation of numbers that stay as they are."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import myia
from tests.library.random.streams import differences, state

X = np.array([0.7, 0.3])
V = np.array([1.0, 2.0])


def make():
    return np.random.default_rng(1)


def reparameterised(x, r):
    return np.sum((x[0] + x[1] * r.normal(size=5)) ** 2)


def walk(x, r):
    y = x[0]
    for _ in range(30):
        if r.random() < 0.6:
            y = y + 0.1 * np.sin(y) * r.normal(x[1], 0.5)
        else:
            y = y * (1.0 - 0.05 * r.exponential())
    return y * y


def stopped(x, r):
    y, n = x[0], 0
    while r.random() > 0.05:
        y = y + x[1] * np.cos(y) * r.normal()
        n += 1
    return y * y + n


def permuted(x, r):
    z = x.copy()
    r.shuffle(z)
    return z[0] ** 3 * z[1] + r.choice(x, 3) @ np.array([1.0, 2.0, 3.0]) + x[r.integers(2)] ** 2


@pytest.mark.parametrize("f", [reparameterised, stopped, permuted])
def test_gradients(f):
    ours, theirs = make(), make()
    f(X, theirs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the generator is no lost state
        got = myia.grad(f)(X, ours)
    np.testing.assert_allclose(got, differences(f, X, make), rtol=1e-6, atol=1e-7)
    assert state(ours) == state(theirs)


@pytest.mark.parametrize(
    "f", [reparameterised, permuted, pytest.param(walk, marks=pytest.mark.slow)]
)
def test_second_derivatives(f):
    def slope(x, r):
        return np.sum(myia.grad(f)(x, r) * V)

    ours, theirs = make(), make()
    f(X, theirs)
    got = myia.grad(slope)(X, ours)
    np.testing.assert_allclose(got, differences(slope, X, make), rtol=1e-5, atol=1e-6)
    assert state(ours) == state(theirs)


def test_forward_mode():
    r = make()
    got = myia.jacfwd(lambda x, r: np.array([drift(x, r), 1.0]))(X, r)
    np.testing.assert_allclose(got[0], differences(drift, X, make), rtol=1e-6)
    theirs = make()
    drift(X, theirs)
    assert state(r) == state(theirs)


def drift(x, r):
    y = x[0]
    for _ in range(9):
        y = y + np.sin(y) * r.uniform(x[1], 1.0)
    return y * y


@pytest.mark.slow
@pytest.mark.parametrize("checkpoint", ["tape", "trail", "recompute"])
def test_storage(checkpoint):
    """What is recomputed draws the same numbers."""
    got = myia.grad(drift, checkpoint=checkpoint)(X, make())
    np.testing.assert_allclose(got, differences(drift, X, make), rtol=1e-6)


@pytest.mark.slow
def test_rematerialized():
    r, theirs = make(), make()
    got = myia.grad(lambda x, r: myia.checkpoint(drift)(x, r))(X, r)
    np.testing.assert_allclose(got, differences(drift, X, make), rtol=1e-6)
    drift(X, theirs)
    assert state(r) == state(theirs)


class Net:
    def __init__(self):
        self.w, self.rng = X, make()

    def loss(self):
        return self.w[0] * self.rng.normal()


def test_pullbacks_draw_the_same_numbers():
    net, z = Net(), make().normal()
    value, pull = myia.vjp(Net.loss, net)
    assert value == pytest.approx(X[0] * z)
    for _ in range(2):
        np.testing.assert_allclose(pull(1.0)[0].w, [z, 0.0])
    theirs = make()
    theirs.normal()
    assert state(net.rng) == state(theirs)

    def inside(net):
        y, pull = myia.vjp(Net.loss, net)
        return y, pull(1.0)[0].w, pull(2.0)[0].w, net.rng.normal()

    y, first, second, after = myia.jit(inside)(Net())
    np.testing.assert_allclose([y, first[0], second[0]], [X[0] * z, z, 2 * z])
    assert after == pytest.approx(theirs.normal())


def test_a_generator_among_the_primals():
    """It is one stream in two arguments, has no derivative, and is where the function leaves it."""

    def f(x, r, same):
        return x * r.normal() * same.normal()

    r, theirs = make(), make()
    want = f(2.0, theirs, theirs)
    value, pull = myia.vjp(f, 2.0, r, r)
    cotangent, passed, _ = pull(1.0)
    assert value == pytest.approx(want, rel=1e-15)
    assert cotangent == pytest.approx(want / 2.0)
    assert isinstance(passed, np.random.Generator)
    assert state(r) == state(theirs)
    _, tangent = myia.jvp(lambda x, r: x * r.normal(), (2.0, make()), (3.0, None))
    assert tangent == pytest.approx(3.0 * make().normal())

    def inside(x, r):
        value, pull = myia.vjp(f, x, r, r)
        return pull(1.0)[0], value, r.normal()

    got = myia.jit(inside)(2.0, make())
    np.testing.assert_allclose(got, [want / 2.0, want, theirs.normal()], rtol=1e-15)
    with pytest.raises(myia.errors.MyiaError, match="has no derivative"):
        myia.grad(f, argnums=1)(2.0, make(), make())


def test_a_pullback_of_a_generator_that_is_no_argument():
    r = make()
    _, pull = myia.vjp(lambda x: x * r.normal(), 2.0)
    with pytest.raises(myia.errors.MyiaError, match=r"vjp\(f, x, rng\)"):
        pull(1.0)

    def inside(x):
        _, pull = myia.vjp(lambda x: x * r.normal(), x)
        return pull(1.0)

    with pytest.raises(myia.errors.MyiaError, match=r"vjp\(f, x, rng\)"):
        myia.jit(inside)(2.0)
