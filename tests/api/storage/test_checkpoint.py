"""`myia.checkpoint`: the gradient stays, what is kept for it shrinks."""

from __future__ import annotations

import math

import jax
import numpy as np
import pytest
from jax import numpy as jnp

import myia

W = np.linspace(0.5, 1.0, 4)
X = np.linspace(0.1, 0.9, 4)


def layer(w, x):
    return np.tanh(w * np.sin(x * x) + np.exp(-x * w))


def in_a_loop(f):
    def loss(w, x):
        for _ in range(6):
            x = f(w, x)
        return np.sum(x * x)

    return loss


def in_a_while(f):
    def loss(w, x):
        while np.sum(x * x) > 1.5:
            x = 0.9 * f(w, x)
        return np.sum(x * x)

    return loss


def in_branches(f):
    def loss(w, x):
        for i in range(6):
            if x[0] > 0.6:
                x = f(w, x) * 0.5
            elif i % 2:
                x = x + f(x, w)
        return np.sum(x * x)

    return loss


def in_nests(f):
    def inner(w, x):
        for _ in range(3):
            x = f(w, x)
        return x

    def loss(w, x):
        for _ in range(3):
            x = inner(w, x) + f(w, w)
        return np.sum(x * x)

    return loss


def straight(f):
    return lambda w, x: np.sum(f(w, f(w, x)))


PLACES = [straight, in_a_loop, in_a_while, in_branches, in_nests]


def derivatives(loss, order):
    """Gradients of orders 1 to 3 in one direction each, and forward over reverse."""

    def first(w, x):
        return np.sum(myia.grad(loss)(w, x) * X)

    def second(w, x):
        return np.sum(myia.grad(first)(w, x) * W)

    def all_of_them(w, x):
        one = myia.grad(loss, argnums=(0, 1))(w, x)
        mixed = myia.jvp(lambda w: myia.grad(loss)(w, x), (w,), (X,))[1]
        two = myia.grad(first, argnums=1)(w, x)
        return (*one, two, mixed, myia.grad(second)(w, x)) if order == 3 else (*one, two, mixed)

    return myia.jit(all_of_them)(W, X)


@pytest.mark.parametrize("place", PLACES, ids=lambda f: f.__name__)
def test_derivatives_are_the_same(place):
    order = 3 if place in (straight, in_a_loop) else 2
    found = derivatives(place(myia.checkpoint(layer)), order)
    for got, want in zip(found, derivatives(place(layer), order), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("place", [in_a_loop, in_nests], ids=lambda f: f.__name__)
@pytest.mark.parametrize("order", [1, 2])
def test_only_arguments_are_recorded(place, order):
    def planned(f):
        g = myia.grad(place(f))
        if order == 2:
            first = g
            g = myia.grad(lambda w, x: np.sum(first(w, x) * X))
        return g.plan(W, X)

    plain, kept = planned(layer), planned(myia.checkpoint(layer))
    assert 0 < 2 * kept.bytes <= plain.bytes
    if place is in_a_loop and order == 1:
        (plan,) = kept
        assert [r.description for r in plan.residuals] == ["`x` at the start of the iteration"]


def wide(w, x):
    a = np.tanh(w * np.sin(x) + x)
    b = np.tanh(w * np.sin(a) + a)
    c = np.tanh(w * np.sin(b) + b)
    d = np.tanh(w * np.sin(c) + c)
    return np.tanh(w * np.sin(d) + d)


def test_a_chain_of_wide_layers_takes_less_memory():
    def network(f):
        def loss(ws, x):
            for w in (ws[0], ws[1], ws[2], ws[3]):
                x = f(w, x)
            return np.sum(x)

        return myia.grad(loss)

    def temporaries(f):
        compiled = network(f).lower(ws, x).compile()
        return compiled.memory_analysis().temp_size_in_bytes

    ws, x = np.linspace(0, 1, 4), np.linspace(0, 1, 50_000)
    kept = myia.checkpoint(wide)
    np.testing.assert_allclose(network(kept)(ws, x), network(wide)(ws, x), rtol=1e-12)
    assert 2 * temporaries(kept) < temporaries(wide)


def test_in_plain_python_it_is_the_function():
    assert myia.checkpoint(math.sqrt)(4.0) == 2.0
    np.testing.assert_array_equal(myia.checkpoint(layer)(W, X), layer(W, X))
    assert myia.checkpoint(layer).__name__ == "layer"


def test_effects_happen_once(capfd):
    @myia.checkpoint
    def f(x):
        print("here")
        return np.sin(x)

    myia.grad(lambda x: f(f(x)))(0.3)
    jax.effects_barrier()
    assert capfd.readouterr().out.count("here") == 2


def test_what_the_function_changes_and_closes_over():
    def loss(f):
        def change(a, i, y):
            a[i] = np.sin(a[i - 1]) * y
            return a[i] * y

        change = f(change)

        def loss(x):
            a, p = x * np.ones(4), np.exp(x)

            @f
            def scaled(v):
                return np.sin(p * v) * p

            s = 0.0
            for i in range(1, 4):
                s = s + change(a, i, scaled(x))
            return s + np.sum(a)

        return loss

    plain, kept = loss(lambda f: f), loss(myia.checkpoint)
    assert kept(0.7) == plain(0.7)
    for _ in range(2):
        plain, kept = myia.grad(plain), myia.grad(kept)
        np.testing.assert_allclose(kept(0.7), plain(0.7), rtol=1e-11)


def test_made_inside_and_as_a_method():
    class Model:
        @myia.checkpoint
        def apply(self, x):
            return np.sin(x) * np.sin(x)

    model = Model()

    def f(x):
        return myia.checkpoint(np.sin)(model.apply(x))

    want = jax.grad(lambda x: jnp.sin(jnp.sin(x) ** 2))(0.3)
    np.testing.assert_allclose(myia.grad(f)(0.3), want, rtol=1e-6)


def test_errors_are_found():
    @myia.checkpoint
    def pick(x, i):
        return x[i] * x[i]

    with pytest.raises(IndexError):
        myia.grad(lambda x, i: pick(x, i))(X, np.int64(9))
