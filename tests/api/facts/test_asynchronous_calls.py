"""A call with arrays of JAX has ended before NumPy arrays that the function reads may change."""

import jax.numpy as jnp
import numpy as np
import pytest

import myia

SIZE = 600


def aligned(shape):
    """Zeros at an address that XLA reads without a copy."""
    size = int(np.prod(shape))
    memory = np.zeros(size + 8)
    start = -(memory.ctypes.data // 8) % 8
    found = memory[start : start + size].reshape(shape)
    assert found.ctypes.data % 64 == 0
    return found


WEIGHTS = aligned((SIZE, SIZE))
NESTED = {"w": [WEIGHTS]}


class Model:
    def __init__(self, weights):
        self.weights = weights

    def __call__(self, x):
        return repeated(x) @ self.weights


def repeated(x):
    for _ in range(8):
        x = x @ x
    return x


def in_closure():
    weights = WEIGHTS
    return lambda x: repeated(x) @ weights


FUNCTIONS = {
    "a global": lambda x: repeated(x) @ WEIGHTS,
    "in a container": lambda x: repeated(x) @ NESTED["w"][0],
    "a closure": in_closure(),
    "a default": lambda x, weights=WEIGHTS: repeated(x) @ weights,
    "an instance": Model(WEIGHTS),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_array_may_change_after_the_call(name):
    compiled = myia.jit(FUNCTIONS[name])
    x = jnp.eye(SIZE)
    for _ in range(3):
        WEIGHTS[:] = 1.0
        y = compiled(x)
        WEIGHTS[:] = 0.0
        assert float(np.asarray(y).sum()) == SIZE * SIZE


def test_the_array_may_change_after_a_gradient():
    compiled = myia.grad(lambda x: (repeated(x) @ WEIGHTS).sum())
    WEIGHTS[:] = 1.0
    want = compiled(np.eye(SIZE))
    for _ in range(2):
        WEIGHTS[:] = 1.0
        got = compiled(jnp.eye(SIZE))
        WEIGHTS[:] = 0.0
        np.testing.assert_allclose(np.asarray(got), want)
