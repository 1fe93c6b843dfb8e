"""A `while` whose body runs the same `while` again, in another call, makes its own iterations."""

import numpy as np
import pytest

import myia


def recursive(x, k=2):
    found, z, s = [0.0], 1.5, 0.0
    while z < 2.5:
        found.append(np.sum(np.nonzero(np.array([0.5, -0.25, 1.0]) > found[-1])[0]) + x)
        z += 0.4
        s = s * 0.5 + np.sum(np.tanh(np.array(found))) * x
        if k > 0:
            s += recursive(x * 0.7, k - 1)
    return s


def generated(x):
    def items(u):
        found, z = [0.0], 1.5
        while z < 2.5:
            found.append(np.sum(np.nonzero(np.array([0.5, -0.25, 1.0]) > found[-1])[0]) + u)
            z += 0.4
            yield np.sum(np.tanh(np.array(found)))

    p = x
    for v in items(x):
        p = p * 0.25 * v if p < sum(items(p * 0.5)) else p * 0.5
    return p


@pytest.mark.parametrize("f", [recursive, generated])
@pytest.mark.parametrize("x", [1.3, 0.4])
def test_a_loop_in_itself(f, x):
    h = 1e-6
    value, slope = myia.value_and_grad(f)(x)
    assert value == pytest.approx(f(x), rel=1e-12)
    assert slope == pytest.approx((f(x + h) - f(x - h)) / (2 * h), rel=1e-6)
    assert myia.jit(f)(x) == pytest.approx(f(x), rel=1e-12)
