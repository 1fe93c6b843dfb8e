"""Programs as users write them that once gave a wrong number, or were refused for no reason."""

from __future__ import annotations

import math

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
    with pytest.raises(ValueError, match="unknown kind triple"):
        myia.grad(scaled)(1.5, "triple")


# ----- Arrays without dimensions


def made(x):
    return np.array(x), np.zeros(()), np.where(x > 0, x, 1.0), np.array([x]).reshape(())


def viewed(a):
    return a, a[...], a[()], a * 2, a.copy(), isinstance(a, np.ndarray)


def taken(x):
    return x[0], x[..., 0], np.squeeze(x[:1]), np.sum(x)


def folded(xs):
    total = np.zeros(())
    for x in xs:
        total = total + x
    return total


SCALARS = [
    (made, (1.5,)),
    (viewed, (np.array(1.5),)),
    (viewed, (np.array(3),)),
    (taken, (np.array([1.0, 2.0]),)),
    (folded, (np.array([1.0, 2.0]),)),
]


@pytest.mark.parametrize(("f", "args"), SCALARS)
def test_arrays_without_dimensions_are_told_from_numbers(f, args):
    got, want = myia.jit(f)(*args), f(*args)
    got, want = (x if isinstance(x, tuple) else (x,) for x in (got, want))
    assert [type(x) for x in got] == [type(x) for x in want]
    np.testing.assert_array_equal(got, want)


def test_the_gradient_of_an_array_without_dimensions_is_one():
    gradient = myia.grad(lambda p: p["b"] ** 2)({"b": np.array(3.0)})["b"]
    assert isinstance(gradient, np.ndarray) and gradient == 6.0


def changed_argument(a):
    a += 1
    return a


def changed_alias(x):
    a = np.array(x)
    b = a
    b += 1
    return a


def changed_view(x):
    a = np.array([x])
    a.reshape(())[...] = 2.0
    return a


def changed_element(x):
    a = np.array([x, x])
    b = a[..., 0]
    b *= 2
    return a


def changed_in_a_loop(x):
    a = np.array(0.0)
    b = a
    for _ in range(20):
        a += x
    return b


CHANGED = [changed_alias, changed_view, changed_element, changed_in_a_loop]


@pytest.mark.parametrize("f", CHANGED)
def test_changing_an_array_without_dimensions_is_refused(f):
    with pytest.raises(myia.MyiaError):
        myia.jit(f)(1.5)


def test_changing_an_argument_without_dimensions_is_refused():
    with pytest.raises(myia.MyiaError, match="without dimensions"):
        myia.jit(changed_argument)(np.array(1.5))


# ----- Operators of classes


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __abs__(self):
        return math.hypot(self.x, self.y)


def lengths(x, y):
    return abs(-Vector(x, y)) - (-Vector(x, y)).y


def test_unary_operators_of_classes():
    assert myia.jit(lengths)(3.0, 4.0) == lengths(3.0, 4.0) == 9.0
