"""JAX's reverse mode of compiled functions of vectors: the pullback reads what the forward sweep
has recorded, and runs no loop of it again."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import myia
from tests.api.interop.test_jax_losses import ops

X = np.array([0.5, 1.25, -0.75, 2.0])
W = np.linspace(-1.0, 1.0, 16).reshape(4, 4)


@pytest.fixture(autouse=True)
def in_64_bits():
    with jax.enable_x64(True):
        yield


def layers(w, x):
    for _ in range(6):
        x = np.tanh(w @ x)
    return x


def until_small(w, x):
    """A trip count that the numbers decide."""
    while np.sum(x * x) > 0.1:
        x = np.sin(0.5 * x) + 0.01 * (w @ x)
    return x * 3.0


def branches(w, x):
    y = x.copy()
    for i in range(len(x)):
        if x[i] > 0.0:
            y[i] = np.exp(y[i - 1]) * w[i, i]
        else:
            y = y * w[i]
    return y


def product(w, x):
    return np.sort(w @ np.exp(x))


PROGRAMS = {f.__name__: f for f in (layers, until_small, branches, product)}


def jvps(f):
    """The Jacobians by both arguments, from plain Python by central differences."""

    def by(k, h=1e-6):
        columns = []
        for i in range((W, X)[k].size):
            moved = []
            for sign in (1.0, -1.0):
                args = [W.copy(), X.copy()]
                args[k].flat[i] += sign * h
                moved.append(f(*args))
            columns.append((moved[0] - moved[1]) / (2 * h))
        return np.stack(columns, -1).reshape(4, *(W, X)[k].shape)

    return by(0), by(1)


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name):
    f = PROGRAMS[name]
    F, want = myia.jit(f), jvps(f)
    y, pull = jax.vjp(F, W, X)
    np.testing.assert_allclose(y, f(W.copy(), X.copy()), rtol=1e-12)
    for found, of in zip(pull(X), want):
        np.testing.assert_allclose(found, np.tensordot(X, of, 1), rtol=1e-6, atol=1e-8)
    for how in (jax.jacrev, lambda *a: jax.jit(jax.jacrev(*a))):
        for found, of in zip(how(F, (0, 1))(W, X), want):
            np.testing.assert_allclose(found, of, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["layers", "until_small", "product"])
def test_the_forward_sweep_runs_once(name):
    f = PROGRAMS[name]

    def of_ours(w, x, ct):
        y, pull = myia.vjp(f, w, x)
        return y, pull(ct)

    F = myia.jit(f)

    def of_jax(w, x, ct):
        y, pull = jax.vjp(F, w, x)
        return y, pull(ct)

    ours = ops(myia.jit(of_ours), (W, X, X))
    theirs = ops(of_jax, (W, X, X))
    assert theirs["while"] <= ours["while"] and theirs["dot"] <= ours["dot"]
    assert sum(theirs.values()) > 0
    text = jax.jit(lambda *args: jax.vjp(myia.jit(f), *args)[1](X)).lower(W, X).as_text()
    assert text.count("sort") <= jax.jit(myia.jit(f)).lower(W, X).as_text().count("sort") + 1


def test_a_pullback_keeps_what_it_needs():
    """Later calls of it, of other cotangents, and several at once."""
    F = myia.jit(layers)
    _, pull = jax.vjp(F, W, X)
    first = pull(X)
    twice = pull(2.0 * X)
    rows = jax.vmap(pull)(jnp.stack([X, 2.0 * X]))
    for a, b, of_rows in zip(first, twice, rows):
        np.testing.assert_allclose(2.0 * a, b, rtol=1e-14)
        np.testing.assert_allclose(of_rows, jnp.stack([a, b]), rtol=1e-12)


def by_jax(w, x):
    for _ in range(6):
        x = jnp.tanh(w @ x)
    return x


def test_higher_orders():
    F = myia.jit(layers)
    want = jax.hessian(by_jax, 1)(W, X)
    for outer, inner in ((jax.jacfwd, jax.jacrev), (jax.jacrev, jax.jacrev)):
        np.testing.assert_allclose(outer(inner(F, 1), 1)(W, X), want, rtol=1e-9, atol=1e-12)
    norm = lambda f: lambda x: jnp.sum(jax.vjp(f, W, x)[1](x)[1] ** 2)  # noqa: E731
    np.testing.assert_allclose(jax.grad(norm(F))(X), jax.grad(norm(by_jax))(X), rtol=1e-9)
    rows = jnp.stack([X, 0.5 * X])
    squared = lambda f: lambda xs: jnp.sum(jax.vmap(norm(f))(xs) ** 2)  # noqa: E731
    np.testing.assert_allclose(
        jax.jit(jax.grad(squared(F)))(rows), jax.grad(squared(by_jax))(rows), rtol=1e-9
    )


def test_higher_orders_through_an_unknown_trip_count():
    F = myia.jit(until_small)
    want = jax.jacfwd(jax.jacfwd(F, 1), 1)(W, X)
    found = jax.jacfwd(jax.jacrev(F, 1), 1)(W, X)
    np.testing.assert_allclose(found, want, rtol=1e-9, atol=1e-12)


def test_several_results_of_which_some_are_read():
    """Cotangents that are zero for JAX are none: no infinite slope is multiplied by them."""
    F = myia.jit(lambda x, k: (np.sqrt(x), np.cumsum(x * x), k * 2, x[0]))
    x = np.array([0.0, 1.0, 2.0])
    gradient = jax.grad(lambda x: F(x, 3)[1].sum())
    np.testing.assert_array_equal(gradient(x), [0.0, 4.0, 4.0])
    np.testing.assert_array_equal(jax.jit(gradient)(x), [0.0, 4.0, 4.0])
    _, pull = jax.vjp(lambda x: F(x, 3)[:2], x[1:])
    np.testing.assert_allclose(pull((x[1:], x[1:]))[0], [0.5 + 6.0, 2.0 / 8.0**0.5 + 8.0])


def test_by_one_argument_of_two_inside_of_jit():
    F = myia.jit(layers)
    by_w, by_x = jax.vjp(F, W, X)[1](X)
    for i, want in enumerate((by_w, by_x)):
        only = jax.jit(lambda w, x, i=i: jax.vjp(F, w, x)[1](x)[i])  # the other one is dead
        np.testing.assert_allclose(only(W, X), want, rtol=1e-12)
    np.testing.assert_allclose(jax.vjp(lambda x: F(W, x), X)[1](X)[0], by_x, rtol=1e-12)


def test_scans_and_rematerialization():
    F = myia.jit(layers)

    def loss(x, F):
        x, _ = jax.lax.scan(lambda x, _: (F(W, x) + 0.1, None), x, None, length=3)
        return jnp.sum(jax.checkpoint(lambda x: F(W, x))(x) ** 2)

    found, want = (jax.grad(loss)(jnp.asarray(X), f) for f in (F, by_jax))
    np.testing.assert_allclose(found, want, rtol=1e-10)


def test_narrow_mode_and_options():
    with jax.enable_x64(False):
        x = jnp.asarray(X, jnp.float32)
        for F in (myia.jit(layers), myia.jit(layers, checkpoint="recompute")):
            y, pull = jax.vjp(F, jnp.asarray(W, jnp.float32), x)
            by_w, by_x = pull(x)
            assert y.dtype == by_w.dtype == by_x.dtype == np.float32
            np.testing.assert_allclose(by_x, X @ jvps(layers)[1], rtol=1e-4)


def test_prints_once(capfd):
    @myia.jit
    def f(x):
        print("at", x[0])
        return np.cumsum(x * x)

    for how in (lambda g: g, jax.jit):
        value = how(lambda x: jax.vjp(f, x)[1](x)[0])(X)
        assert value.shape == X.shape
    jax.effects_barrier()
    assert capfd.readouterr().out == "at 0.5\n" * 2
