"""Loops over elements that late passes and storage once stumbled over, against Python."""

from __future__ import annotations

import numpy as np
import pytest
from in_place_checks import check_in_place
from reference_calls import ReferenceCalls

import myia


def numbers(*shape):
    return np.random.default_rng(len(shape)).uniform(0.2, 1.3, shape)


def stores_and_adds_to_an_element(a, x, y):
    """In the reversal one array is carried under two names."""
    for i in range(len(a) - 1, -1, -1):
        for j in range(i, len(x)):
            x[j] += 0.9
            a[i, j - i] = abs(x[j])
            a[i, j - i] += a[i, len(x) - 1 - j] * y[j - i]
    return np.sum(a) + np.sum(x * x * x)


def nest_that_writes_what_another_row_reads(a):
    """The step of its second derivative holds a reversal, which restores arrays for itself."""
    for i in range(3):
        for j in range(1, i, -1):
            a[i % 5, j - i] = abs(a[(i + 1) % 5, j])
    return np.sum(a)


@pytest.mark.parametrize("f, args", [
    (stores_and_adds_to_an_element, (numbers(17, 17), numbers(17), numbers(17))),
    (nest_that_writes_what_another_row_reads, (numbers(5, 2),)),
])  # fmt: skip
def test_values_and_two_orders_of_derivative(f, args):
    check_in_place(f, *args)


def triangle_of_one_column(a, x):
    for i in range(len(a)):
        for j in range(i + 1, len(x)):
            a[i, j] = abs(a[i, j])
            x[j] -= a[i, j] * 0.6
        x[0] = a[i, 0] * x[0]
    return np.sum(a) + np.sum(x)


def test_a_log_of_no_trips():
    """The inner loop makes none, which is seen when its count is folded; here it is not."""
    gradient = ReferenceCalls(myia.grad(triangle_of_one_column, argnums=(0, 1)), disable="fold")
    da, dx = gradient(np.array([[2.0], [3.0]]), np.array([0.5]))
    np.testing.assert_allclose(da, [[2.5], [2.0]])
    np.testing.assert_allclose(dx, [6.0])
