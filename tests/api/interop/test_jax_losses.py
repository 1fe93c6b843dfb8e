"""JAX's reverse mode of compiled losses: the value comes from the gradient's forward sweep."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, PartitionSpec

import myia

X = jnp.asarray([0.5, 2.25, 1.25, 3.0])
W = jnp.asarray(np.linspace(-1.0, 1.0, 12).reshape(3, 4))


def dense(w, x):
    h = np.tanh(x @ w)
    total = 0.0
    for i in range(len(h)):
        total += np.exp(h[i]).sum()
    return total


def halved(x, tolerance):
    """Halves all numbers until they are small."""
    total = 0.0
    while np.sum(x) > tolerance:
        x = x * 0.5 * np.exp(-0.125 * x)
        total += np.sum(x)
    return total


PROGRAMS = {"dense": (dense, (W, jnp.ones((5, 3)))), "loop": (halved, (X, 0.25))}
OPS = "dot|while|exponential|tanh"


def ops(f, args):
    """How often each op stands in the program that XLA makes."""
    text = jax.jit(f).lower(*args).compile().as_text()
    return {op: len(re.findall(rf" {op}\(", text)) for op in OPS.split("|")}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_forward_sweep_runs_once(name):
    f, args = PROGRAMS[name]
    ours = ops(myia.value_and_grad(f), args)
    assert sum(ours.values()) > 1
    assert ops(jax.value_and_grad(myia.jit(f)), args) == ours
    if f is dense:
        assert ops(jax.value_and_grad(jax.jit(myia.jit(f))), args) == ours
    by_aux = jax.value_and_grad(myia.jit(lambda *args: (f(*args), args[0] * 2.0)), has_aux=True)
    assert ops(by_aux, args) == ours
    assert ops(jax.grad(myia.jit(f)), args) == ops(myia.grad(f), args)


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients(name):
    f, args = PROGRAMS[name]
    value, slope = myia.value_and_grad(f)(*args)
    F = myia.jit(lambda *args: (f(*args), args[0] * 2.0, 3))
    (found, aux), gradient = jax.value_and_grad(lambda *a: F(*a)[:2], has_aux=True)(*args)
    np.testing.assert_allclose([found, value], f(*map(np.asarray, args)), rtol=1e-5)
    np.testing.assert_allclose(gradient, slope, rtol=1e-5)
    np.testing.assert_array_equal(aux, args[0] * 2.0)
    # What stands beside the loss has its derivative, too.
    both = jax.jit(jax.grad(lambda *a: 2.0 * F(*a)[0] + F(*a)[1].sum()))(*args)
    np.testing.assert_allclose(both, 2.0 * slope + 2.0, rtol=1e-5)


def test_what_is_not_read_is_not_computed():
    F = myia.jit(lambda x: (np.exp(x), np.tanh(x), 1))
    assert ops(lambda x: F(x)[1], (X,)) == {"dot": 0, "while": 0, "exponential": 0, "tanh": 1}
    along = lambda x: jax.jvp(F, (x,), (x,))[1][0]  # noqa: E731
    assert ops(along, (X,)) == {"dot": 0, "while": 0, "exponential": 1, "tanh": 0}
    np.testing.assert_allclose(jax.jit(along)(X), X * np.exp(X), rtol=1e-6)
    back = lambda x: jax.vjp(lambda x, y: F(x * y)[0], x, x)[1](x)[1]  # noqa: E731
    np.testing.assert_allclose(jax.jit(back)(X), X * X * np.exp(X * X), rtol=1e-6)


def test_forward_mode_makes_no_gradient():
    F = myia.jit(halved)
    text = str(jax.make_jaxpr(lambda x: jax.jvp(lambda x: F(x, 0.25), (x,), (x,)))(X))
    assert "myia_derivative" in text and "with_gradient" not in text


def test_higher_orders():
    def f(x):
        return np.sum(x**3) * x[0]

    F, want = myia.jit(f), jax.hessian(lambda x: jnp.sum(x**3) * x[0])(X)
    for how in (jax.hessian, lambda f: jax.jacrev(jax.jacrev(f))):
        np.testing.assert_allclose(how(F)(X), want, rtol=1e-6)
    along = jax.grad(lambda x: jax.grad(F)(x) @ X)(X)
    np.testing.assert_allclose(along, want @ X, rtol=1e-6)
    slope = jax.linearize(F, X)[1]
    np.testing.assert_allclose(jax.vmap(slope)(jnp.eye(4)), myia.grad(f)(X), rtol=1e-6)
    np.testing.assert_allclose(jax.vmap(jax.grad(F))(X[None])[0], myia.grad(f)(X), rtol=1e-6)


def test_dtypes_that_differ():
    F = myia.jit(lambda x, y, k: np.sum(x * y) * k)
    y = np.array([1.0 / 3.0, 2.0, 0.5, 1.0])  # float64
    for wide in (False, True):
        with jax.enable_x64(wide):
            x = jnp.asarray(X, jnp.float32)
            value, (by_x,) = jax.value_and_grad(F, argnums=(0,))(x, y, 3)
            assert value.dtype == np.float64 and by_x.dtype == np.float32
            np.testing.assert_allclose(by_x, 3.0 * y, rtol=1e-6)
    with jax.enable_x64(True):
        by_y = jax.grad(lambda y: F(x, y, 3).astype(np.float32))(jnp.asarray(y))
        assert by_y.dtype == np.float64
        np.testing.assert_array_equal(by_y, 3.0 * x)


def test_an_infinite_slope():
    F = myia.jit(lambda x: np.sum(np.sqrt(x)))
    np.testing.assert_array_equal(jax.grad(F)(jnp.asarray([0.0, 1.0])), [np.inf, 0.5])
    assert jax.value_and_grad(F)(jnp.asarray([]))[1].shape == (0,)


def test_shards():
    mesh = Mesh(np.array(jax.devices()[:1]), ("i",))
    split, whole = PartitionSpec("i"), PartitionSpec()
    F = myia.jit(lambda x, n: np.sum(x * n))
    gradient = jax.shard_map(
        jax.grad(F, (0, 1)), mesh=mesh, in_specs=(split, whole), out_specs=(split, whole)
    )
    by_x, by_n = gradient(X, jnp.asarray(3.0))
    np.testing.assert_allclose(by_x, 3.0)
    np.testing.assert_allclose(by_n, X.sum())


def test_prints_once(capfd):
    @myia.jit
    def f(x):
        print("at", x)
        return x * x

    assert jax.value_and_grad(f)(0.5) == (0.25, 1.0)
    assert jax.jit(jax.value_and_grad(f))(1.5) == (2.25, 3.0)
    assert jax.jit(lambda x: [f(x), 1.0][1])(2.5) == 1.0
    jax.effects_barrier()
    assert capfd.readouterr().out == "at 0.5\nat 1.5\nat 2.5\n"
