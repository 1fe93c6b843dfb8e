"""A donated array that is passed, or read, under another name too is refused, and survives."""

import jax.numpy as jnp
import numpy as np
import pytest

import myia

WEIGHTS = jnp.ones(3)


def step(x, y):
    return x + y, y * 2


def with_global(x):
    return x + WEIGHTS


def test_passed_twice():
    x = jnp.ones(3)
    compiled = myia.jit(step, donate_argnums=0)
    with pytest.raises(ValueError, match="pass a copy"):
        compiled(x, x)
    with pytest.raises(ValueError, match="pass a copy"):
        compiled.lower(x, x).compile()(x, x)
    np.testing.assert_array_equal(x, np.ones(3))
    np.testing.assert_array_equal(compiled(x, x.copy())[0], np.full(3, 2.0))


def test_donated_twice():
    x = jnp.ones(3)
    with pytest.raises(ValueError, match="pass a copy"):
        myia.jit(step, donate_argnums=(0, 1))(x, x)


def test_also_a_global():
    with pytest.raises(ValueError, match="pass a copy"):
        myia.jit(with_global, donate_argnums=0)(WEIGHTS)
    np.testing.assert_array_equal(WEIGHTS, np.ones(3))
