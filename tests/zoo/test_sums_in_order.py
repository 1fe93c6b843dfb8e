"""Vectorized sums of loop nests keep the user's order of summation."""

import numpy as np
import pytest

import myia
from tests.zoo.reference_calls import ReferenceCalls


def arguments(dtype, n=18, m=21, k=16):
    rng = np.random.default_rng(1)
    return [rng.standard_normal(s).astype(dtype) for s in [(n, k), (k, m), (n, m)]]


def in_place(a, b, c):
    for i in range(c.shape[0]):
        for k in range(a.shape[1]):
            for j in range(c.shape[1]):
                c[i, j] = c[i, j] * 0.9 + a[i, k] * b[k, j]
    return c


def by_elements(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1] - 1, -1, -1):
            total, largest = c[i, j], -1.0
            for k in range(a.shape[1]):
                total -= a[i, k] * b[k, j]
                largest = max(largest, total * k)
            c[i, j] = total + largest
    return c


@pytest.mark.parametrize("f", [in_place, by_elements], ids=lambda f: f.__name__)
def test_sums_in_the_order_of_the_user(f):
    """A summation loop, vectorized over all elements, gives the same bits."""
    args = arguments(np.float64)
    text = myia.jit(f).ir(*args)["finish"]
    assert text.count(" for ") == 1
    expected = f(*(x.copy() for x in args))
    for disable in (None, "matmul"):
        found = ReferenceCalls(myia.jit(f), disable=disable)(*(x.copy() for x in args))
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(myia.jit(f)(*args), expected, rtol=1e-12, atol=1e-12)


def test_an_element_that_others_wait_for_stays():
    def shifted(a, b, c):
        for i in range(1, c.shape[0]):
            for k in range(a.shape[1]):
                for j in range(c.shape[1]):
                    c[i, j] += a[i, k] * c[i - 1, j]
        return c

    args = arguments(np.float64)
    expected = shifted(*(x.copy() for x in args))
    np.testing.assert_allclose(myia.jit(shifted)(*args), expected, rtol=1e-12)
