"""A `while` that is counted while compiling, where a handler catches what its body raises."""

import numpy as np
import pytest

import myia


def few_iterations(x, y):
    items = [2.0, x]
    z = 0.45
    try:
        while z < 3.0:
            items.append(z * y / (x - 1.0))
            z += 0.13
    except ZeroDivisionError:
        return x * 3.0 + len(items)
    return sum(items) * y


def many_iterations(x, y):
    items = [2.0, x]
    z = 0.5
    try:
        while z < 40.0:
            items.append(y / (x - z))
            z += 0.125
    except ZeroDivisionError:
        return x * 3.0 + len(items)
    return sum(items) * y


def arrays(x, y):
    v = np.array([x, y])
    z = 0.45
    try:
        while z < 1.5:
            v = np.append(v, z * y / (x - 1.0))
            z += 0.13
    except ZeroDivisionError:
        return x * 3.0 + len(v)
    return np.sum(v) * y


@pytest.mark.parametrize("f", [few_iterations, many_iterations, arrays])
@pytest.mark.parametrize("x", [1.0, 1.25, 30.5, 100.0])
def test_value_and_gradient(f, x):
    y, h = 0.7, 1e-6
    assert myia.jit(f)(x, y) == pytest.approx(f(x, y), rel=1e-12)
    if f(x + h, y) == pytest.approx(f(x, y), rel=1e-3):  # else at a pole
        expected = (f(x + h, y) - f(x - h, y)) / (2 * h)
        assert myia.grad(f)(x, y) == pytest.approx(expected, rel=1e-5)
