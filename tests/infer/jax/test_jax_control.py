"""Control flow of `jax.lax` with functions of the user: compiled as branches and loops.

Values, gradients and second derivatives are JAX's; one program holds all of them.
"""

from __future__ import annotations

import functools

import jax
import numpy as np
import pytest
from jax import lax
from jax import numpy as jnp

import myia

X = np.array([0.3, -1.2, 0.7, 2.0])
A = np.random.default_rng(0).normal(size=(3, 4))


def carried_and_collected(x):
    """Containers are carried, taken and given."""

    def step(carry, row):
        h, count = carry
        u, k = row
        return (jnp.tanh(h * u[0] + x), count + k), {"h": h, "rest": (u[1], [count])}

    (h, count), ys = lax.scan(step, (x, 0.0), (A, jnp.arange(3.0)))
    return jnp.sum(h * count) + jnp.sum(ys["h"] * ys["rest"][0][:, None]) + ys["rest"][1][0] @ A @ x


def nested(x):
    def outer(carry, u):
        inner, _ = lax.scan(lambda d, v: (jnp.sin(d) + v * u, None), carry, x)
        return inner, inner

    return lax.scan(outer, 0.0, x)[1] @ x


def in_a_loop_of_python(x):
    total = 0.0
    for i in range(3):
        x, ys = lax.scan(lambda c, u: (jnp.tanh(c + u), jnp.sum(c)), x, A[: i + 1])
        total = total + lax.cond(x[i] > 0, lambda y: y @ y, lambda y: jnp.sum(y), ys)
    return total


LOSSES = {
    "scan": carried_and_collected,
    "scan backwards": lambda x: (
        lax.scan(lambda c, u: (c + u @ x, c * 2), 0.0, A, reverse=True)[1] @ jnp.arange(3.0)
    ),
    "scan of a length": lambda x: jnp.sum(
        lax.scan(lambda c, _: (jnp.sin(c) * x, None), x, length=5)[0]
    ),
    "nested scans": nested,
    "loop of Python": in_a_loop_of_python,
    "map": lambda x: jnp.sum(lax.map(lambda r: {"a": r * x, "b": r @ x}, A)["b"] ** 2),
    "for": lambda x: lax.fori_loop(1, x.shape[0], lambda i, c: c * x[i] + i * 0.5, 1.0),
    "cond": lambda x: lax.cond(
        jnp.sum(x) > 9, lambda a, b: a @ b, lambda a, b: jnp.sum(jnp.exp(a)) * b[0], x, x * 2
    ),
    "cond without operands": lambda x: lax.cond(x[0] > 0, lambda: x @ x, lambda: 0.0),
    "switch": lambda x: lax.switch(
        jnp.argmax(x) - 2, [lambda a: jnp.sum(a), lambda a: a @ a, jnp.prod], x
    ),
    "switch beyond": lambda x: (
        lax.switch(-3, [jnp.sum, jnp.prod], x) + lax.switch(9, [jnp.sum, lambda a: a @ a**2], x)
    ),
}
TWICE = {
    name: functools.partial(lambda loss, x: jnp.sum(myia.grad(loss)(x) * jnp.cos(x)), loss)
    for name, loss in LOSSES.items()
}


def values_and_gradients(x):
    return [(loss(x), myia.grad(loss)(x)) for loss in LOSSES.values()]


def second_derivatives(x):
    return [myia.grad(loss)(x) for loss in TWICE.values()]


@functools.cache
def by_jax():
    def of(loss, x):
        def slope(x):
            return jnp.sum(jax.grad(loss)(x) * jnp.cos(x))

        return loss(x), jax.grad(loss)(x), jax.grad(slope)(x)

    with jax.enable_x64(True):
        quick = {"xla_backend_optimization_level": 0}
        whole = jax.jit(lambda x: [of(f, x) for f in LOSSES.values()], compiler_options=quick)
        return dict(zip(LOSSES, jax.tree.map(np.asarray, whole(X))))


def test_values_and_gradients():
    with jax.enable_x64(True):
        got = myia.jit(values_and_gradients)(X)
    for (name, wanted), found in zip(by_jax().items(), got):
        for x, y in zip(found, wanted):
            assert x.dtype == y.dtype and x.shape == y.shape, name
            np.testing.assert_allclose(x, y, rtol=1e-11, err_msg=name)


def test_second_derivatives():
    with jax.enable_x64(True):
        got = myia.jit(second_derivatives)(X)
    for (name, wanted), found in zip(by_jax().items(), got):
        np.testing.assert_allclose(found, wanted[2], rtol=1e-10, atol=1e-12, err_msg=name)


def test_numbers_become_arrays_of_the_mode():
    def f(x):
        return (
            lax.fori_loop(0, 3, lambda i, c: (c[0] * 0.5, c[1] + i), (1.0, 2)),
            lax.cond(x > 0, lambda: 1.0, lambda: 0.0),
            lax.scan(lambda c, u: (c, c), 0.0, length=2)[1],
        )

    x = jnp.float32(2.0)
    assert jax.tree.map(lambda y: y.dtype, myia.jit(f)(x)) == jax.tree.map(
        lambda y: y.dtype, jax.jit(f)(x)
    )


def test_a_while_loop_has_a_gradient_here():
    def loss(x):
        halved = lax.while_loop(lambda c: jnp.sum(c**2) > 0.1, lambda c: c * 0.5, x)
        return jnp.sum(halved * x)

    np.testing.assert_allclose(myia.grad(loss)(X.astype("f4")), X / 4, rtol=1e-6)


def test_loops_stay_loops():
    def f(x):
        return lax.scan(lambda c, _: (jnp.sin(c) * x, None), x, length=50)[0]

    text = myia.jit(f).ir(X.astype("f4"))["typed"]
    assert "bound 50" in text and text.count("= sin") == 1


def test_nothing_to_scan_is_refused():
    with pytest.raises(myia.MyiaError, match="over nothing"):
        myia.jit(lambda x: lax.scan(lambda c, u: (c, u), x, x[:0])[1])(X)


def out_of_range(i, carry):
    return carry + X[i]


def no_such_attribute(carry, u):
    return carry.no_such_thing, u


@pytest.mark.parametrize(
    ("culprit", "error", "f"),
    [
        (out_of_range, IndexError, lambda x: lax.fori_loop(0, 5, out_of_range, x)),
        (no_such_attribute, myia.MyiaError, lambda x: lax.scan(no_such_attribute, x, A)),
    ],
)
def test_errors_of_such_a_function_are_located_in_it(culprit, error, f):
    line = culprit.__code__.co_firstlineno + 1
    with pytest.raises(error, match=rf"test_jax_control\.py:{line}"):
        myia.jit(f)(X)
