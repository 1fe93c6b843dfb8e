"""What is left out of the result of a function with a derivative rule of its own."""

import numpy as np
import pytest

import myia

X = np.array([0.0, 1.0, 4.0])

root = myia.custom_jvp(lambda x: np.sqrt(x))
root.defjvp(lambda p, t: (np.sqrt(p[0]), t[0] * 0.5 / np.sqrt(p[0])))
ratio = myia.custom_jvp(lambda x, y: x / y)
ratio.defjvp(lambda p, t: (p[0] / p[1], t[0] / p[1] - t[1] * p[0] / (p[1] * p[1])))


def selected(x):
    return np.sum(np.where(x > 0, root(x), 0))


def selected_twice(x):
    return np.sum(np.where(x > 0, root(ratio(x * x, x)), 0))


def in_a_branch(x):
    total = 0.0
    for i in range(3):
        y = root(x[i])
        total += y if x[i] > 0 else 0.0
    return total


def sliced(x):
    return np.sum(root(x)[1:])


@pytest.mark.parametrize("f", [selected, selected_twice, in_a_branch, sliced])
def test_a_jvp_rule_in_reverse_mode(f):
    """Its transpose is a sweep as of other code, which the supports go through."""
    np.testing.assert_allclose(myia.grad(f)(X), [0.0, 0.5, 0.25])
    np.testing.assert_allclose(myia.hessian(f)(X), np.diag([0.0, -0.25, -1 / 32]), atol=1e-15)


def test_a_rule_is_given_zeros_that_are_numbers():
    """Tangents, and the cotangents of a `custom_vjp` rule: see the conventions."""
    along = myia.jvp(lambda x: root(np.where(x > 0, x, 0)), (X,), (np.ones(3),))[1]
    np.testing.assert_array_equal(along, [np.nan, 0.5, 0.25])
