"""Rules work on copies of arguments and residuals: one object twice stays one, or is refused."""

import numpy as np
import pytest

import myia
from tests.infer.derivatives import globals_of_tests as outside

X = np.array([1.0, 2.0, 3.0])
OTHER_NAME = "may have been changed through another name"


@myia.custom_jvp
def product(a, b):
    return np.sum(a * b) * (10.0 if a is b else 1.0)


@product.defjvp
def _(primals, tangents):
    (a, b), (ta, tb) = primals, tangents
    return product(a, b), np.sum(ta * b + a * tb) * (10.0 if a is b else 1.0)


@myia.custom_jvp
def total(a):
    return np.sum(a) * (10.0 if a is outside.CAP else 1.0)


total.defjvp(lambda p, t: (total(*p), np.sum(t[0])))


@myia.custom_vjp
def squares(a):
    return np.sum(a**2)


def _two_names(a):
    z = a * 1.0
    return np.sum(a**2), (z, z)


def _change_one(residuals, ct):
    residuals[0][0] = 100.0
    return (2.0 * ct * residuals[1],)


squares.defvjp(_two_names, _change_one)


@myia.custom_vjp
def square(a):
    return a * a


def _two_lists(a):
    items = [a]
    return a * a, (items, items)


def _append_to_one(residuals, ct):
    residuals[0].append(3.0)
    return (2.0 * ct * residuals[1][0] * len(residuals[1]),)


square.defvjp(_two_lists, _append_to_one)


@myia.custom_vjp
def doubled(a, b):
    return np.sum(a * b)


def _double_one(a, b):
    y = np.sum(a * b)
    a *= 2.0
    return y, (a, b)


doubled.defvjp(_double_one, lambda r, ct: (ct * r[1], ct * r[0]))


def identity_of_an_argument(a):
    return np.sum(a) * (10.0 if a is outside.CAP else 1.0)


REFUSED = {
    "`is` in the function": lambda: myia.value_and_grad(lambda x: product(x, x))(X),
    "`is` forwards": lambda: myia.jvp(lambda x: product(x, x), (X,), (np.ones(3),)),
    "`is` beside": lambda: myia.value_and_grad(lambda s: s * product(X, X))(2.0),
    "`is` a global": lambda: myia.value_and_grad(total)(outside.CAP),
    "`is` a global, without a rule": lambda: myia.value_and_grad(identity_of_an_argument)(
        outside.CAP
    ),
    "`is` a global, twice": lambda: myia.hessian(identity_of_an_argument)(outside.CAP),
    "residuals": lambda: myia.grad(squares)(X),
    "lists as residuals": lambda: myia.grad(square)(2.0),
    "arguments that are changed": lambda: myia.grad(lambda x: doubled(x, x))(X),
}


@pytest.mark.parametrize("name", REFUSED)
def test_one_object_under_two_names(name):
    with pytest.raises(myia.MyiaError, match=OTHER_NAME):
        REFUSED[name]()


def test_two_objects():
    y = X + 1.0
    value, (a, b) = myia.value_and_grad(product, argnums=(0, 1))(X, y)
    assert value == np.sum(X * y)
    np.testing.assert_array_equal(a, y)
    np.testing.assert_array_equal(b, X)
    gradient = myia.grad(doubled)(X, y)
    np.testing.assert_array_equal(gradient, y)
    assert myia.value_and_grad(total)(X)[0] == np.sum(X)
    assert myia.value_and_grad(identity_of_an_argument)(X)[0] == np.sum(X)
