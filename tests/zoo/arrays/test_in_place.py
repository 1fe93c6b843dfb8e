"""In-place programs that other systems differentiate silently wrong: values and gradients."""

from __future__ import annotations

import numpy as np
import pytest

import myia

X = np.array([0.7, -1.2, 1.9, 0.4, -0.8])


def a_value_from_before_a_loop_that_overwrites_it(x):
    first = x[0]
    for i in range(len(x)):
        x[i] = x[i] * x[i] * first
    return np.sum(x) * first


def an_array_from_before_a_loop_that_overwrites_it(x):
    old = x.copy()
    for i in range(1, len(x)):
        x[i] = np.sin(x[i - 1]) * old[i]
    return np.sum(x * old)


def a_variable_overwritten_in_a_loop(x):
    y = 1.0
    total = 0.0
    for i in range(len(x)):
        y = y * x[i]
        total += y * y
        y = np.cos(y)
    return total + y


def a_read_after_a_write_of_the_last_iteration(x):
    for i in range(2, len(x)):
        x[i] = x[i] * x[i - 1] + np.sin(x[i - 2])
    return np.sum(x**2)


def a_read_after_a_write_of_the_same_iteration(x):
    for i in range(1, len(x)):
        x[i] = x[i] * 2.0
        x[i - 1] = x[i] * x[i - 1]
        x[i] = x[i - 1] + x[i] ** 2
    return np.sum(x**2)


def a_continue_before_a_store(x):
    for i in range(len(x)):
        if x[i] < 0.0:
            continue
        x[i] = x[i] ** 3
    return np.sum(x * x)


def a_break_between_stores(x):
    for i in range(len(x)):
        x[i] = x[i] ** 2
        if x[i] > 3.0:
            break
        x[i] = np.exp(x[i])
    return np.sum(x)


def a_view_read_after_its_base_changed(x):
    middle = x[1:4]
    x[2] = x[0] * x[1]
    total = np.sum(middle**2)
    x[:] = 2.0 * x
    return total + np.sum(middle**3)


def a_base_read_after_its_view_changed(x):
    even = x[::2]
    square = x[:4].reshape(2, 2).T
    even *= x[1]
    square[0] = np.sin(square[1])
    return np.sum(x**2)


def a_row_written_in_nested_loops(x):
    table = np.outer(x, x)
    for _ in range(2):
        for i in range(1, len(x)):
            _accumulate(table[i], x)
    return np.sum(table * table)


def _accumulate(row, x):
    for j in range(1, len(row)):
        row[j] = row[j - 1] * x[j] if j > 1 else x[0]


def a_swap_of_elements_and_of_names(x):
    y = 3.0 * x
    for i in range(len(x) - 1):
        x[i], x[i + 1] = x[i + 1], x[i] * y[i]
    x, y = y, x
    x[1] = y[0]
    return np.sum(x * x) - np.sum(y**2)


def an_overlapping_shift(x):
    for _ in range(2):
        x[1:] = x[:-1] * x[1:]
    return np.sum(x**2)


def a_store_into_the_same_element(x):
    total = np.zeros(2)
    for i in range(len(x)):
        total[i % 2] = total[i % 2] * x[i] + x[i] ** 2
    return total[0] * total[1]


def a_store_that_overwrites_what_was_read(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[0]
        x[0] = total
    return total + x[0]


PROGRAMS = [
    a_value_from_before_a_loop_that_overwrites_it,
    an_array_from_before_a_loop_that_overwrites_it,
    a_variable_overwritten_in_a_loop,
    a_read_after_a_write_of_the_last_iteration,
    a_read_after_a_write_of_the_same_iteration,
    a_continue_before_a_store,
    a_break_between_stores,
    a_view_read_after_its_base_changed,
    a_base_read_after_its_view_changed,
    a_row_written_in_nested_loops,
    a_swap_of_elements_and_of_names,
    an_overlapping_shift,
    a_store_into_the_same_element,
    a_store_that_overwrites_what_was_read,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_value_what_is_written_and_gradient(program):
    ours, theirs = X.copy(), X.copy()
    value = myia.jit(program)(ours)
    assert value == pytest.approx(program(theirs), rel=1e-12)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)

    x = X.copy()
    gradient = myia.grad(program)(x)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_allclose(gradient, _differences(program), rtol=1e-6, atol=1e-8)


def _differences(program, step: float = 1e-6) -> list[float]:
    units = step * np.eye(len(X))
    return [(program(X + e) - program(X - e)) / (2 * step) for e in units]
