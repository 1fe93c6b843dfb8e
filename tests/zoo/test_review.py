"""Programs as users write them that once gave a wrong number, or were refused for no reason."""

from __future__ import annotations

import numpy as np
import pytest

import myia

# ----- vjp


def running_product(a):
    for i in range(1, len(a)):
        a[i] *= a[i - 1]
    return a


def test_vjp_of_a_function_that_writes_to_its_argument():
    x = np.array([1.0, 2.0, 3.0])
    y, pullback = myia.vjp(running_product, x)
    np.testing.assert_array_equal(x, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(y, [1.0, 2.0, 6.0])
    x[:] = 7.0
    np.testing.assert_array_equal(pullback(np.ones(3))[0], [9.0, 4.0, 2.0])


# ----- Methods that are compiled


class Linear:
    def __init__(self):
        self.w = np.array([1.0, 2.0])

    @myia.jit
    def loss(self, x):
        return np.sum(self.w * x) ** 2

    @myia.jit
    def __call__(self, x):
        return self.w * x


def loss_of(model, x):
    return model.loss(x) + np.sum(model(x))


def test_compiled_methods_are_methods_inside_compiled_code():
    model, x = Linear(), np.array([3.0, 4.0])
    assert myia.jit(loss_of)(model, x) == loss_of(model, x) == 132.0
    np.testing.assert_array_equal(myia.grad(model.loss)(x), [22.0, 44.0])
    np.testing.assert_array_equal(myia.grad(loss_of)(model, x).w, [69.0, 92.0])


# ----- Functions that always raise


def scaled(x, kind):
    if kind == "double":
        return 2 * x
    raise ValueError(f"unknown kind {kind}")


def test_a_program_that_always_raises():
    assert myia.jit(scaled)(1.5, "double") == 3.0
    with pytest.raises(ValueError, match="unknown kind triple"):
        myia.jit(scaled)(1.5, "triple")
