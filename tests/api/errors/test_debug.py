"""`debug=True`: run-time errors of all calls, and the first number that is not finite."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import myia
from tests.api.errors.places import line_of


def lengths(a, low, high):
    k, j = int(np.sum(a > low)), int(np.sum(a > high))
    return np.sum(a[:k] * a[:j])


def test_lengths_that_differ_are_an_error():
    with jax.enable_x64(True):
        a = jnp.arange(4.0)
        f = myia.jit(lengths, debug=True)
        assert f(a, 1.5, 1.5) == 1.0
        with pytest.raises(ValueError, match="differ in size") as error:
            f(a, 1.5, 0.5)
        assert "test_debug.py:" in error.value.__notes__[0]
        gradient = myia.grad(lengths, debug=True)
        np.testing.assert_array_equal(gradient(a, 1.5, 1.5), [0.0, 2.0, 0.0, 0.0])
        with pytest.raises(ValueError, match="differ in size"):
            gradient(a, 1.5, 0.5)


def smallest_times_logarithms(x):
    best = np.inf
    s = np.full(1, -np.inf)[0] * 0.0 if len(x) > 9 else 0.0
    for i in range(len(x)):
        best = min(best, x[i])
        y = x[i] - 1.0
        s += np.log(x[i])
        s += 1.0 / y if i > 5 else y
    return s * best


@pytest.mark.parametrize("transform", [myia.jit, myia.grad])
def test_the_first_number_that_is_not_finite(transform):
    f, plain = (transform(smallest_times_logarithms, **o) for o in ({"debug": True}, {}))
    x = np.linspace(0.5, 4.1, 8)
    np.testing.assert_allclose(f(x), plain(x), rtol=1e-14)
    for place, value, text in ((2, 0.0, "np.log"), (6, 1.0, "1.0 / y"), (1, -2.0, "np.log")):
        at = x.copy()
        at[place] = value
        with pytest.raises(FloatingPointError, match=line_of(smallest_times_logarithms, text)):
            f(at)
    at[1] = np.nan  # an argument that is not finite is no error
    assert np.isnan(f(at)).any()
