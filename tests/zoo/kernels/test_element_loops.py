"""Loops over elements that late passes or storage once compiled wrongly, against Python."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.ir.core import walk
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.core.structured import loop_p
from tests.zoo.in_place_checks import check_in_place
from tests.zoo.reference_calls import ReferenceCalls


def numbers(*shape):
    return np.random.default_rng(len(shape)).uniform(0.2, 1.3, shape)


def stores_and_adds_to_an_element(a, x, y):
    """The adjoint loop carries one array under two names."""
    for i in range(len(a) - 1, -1, -1):
        for j in range(i, len(x)):
            x[j] += 0.9
            a[i, j - i] = abs(x[j])
            a[i, j - i] += a[i, len(x) - 1 - j] * y[j - i]
    return np.sum(a) + np.sum(x * x * x)


def nest_that_writes_what_another_row_reads(a):
    """The recomputed primal of its second derivative has an adjoint loop with its own undo log."""
    for i in range(3):
        for j in range(1, i, -1):
            a[i % 5, j - i] = abs(a[(i + 1) % 5, j])
    return np.sum(a)


def chosen_in_every_iteration(x, y):
    s = 0.1
    for i in range(len(x)):
        u = x if y[i] > 0.8 else y
        s += np.sin(u[i]) * u[len(x) - 1 - i]
    return s


def chosen_and_written(x, y):
    for i in range(len(x)):
        u = x if y[i] > 0.7 else y
        u[i - 1] = u[i] * 0.5 + 0.1
    return np.sum(x) + np.sum(y * y)


def one_of_three(x, y):
    s = 0.1
    for i in range(1, len(x) - 1):
        u = x
        if y[i] > 0.5:
            u = y
            if x[i] > 0.8:
                u = np.zeros(len(x))
        elif s > 3.0:
            u = y[::-1]
        for j in range(3):
            s += u[i + j - 1] ** 2
    return s


def named_anew_and_written(x, y):
    for i in range(len(x)):
        if y[i] > 1.0:
            x = y
        x[i] = x[i] * 0.5
    return np.sum(x * x) + np.sum(y)


@pytest.mark.parametrize("f, args", [
    (chosen_in_every_iteration, (numbers(40), numbers(2, 40)[1])),
    (chosen_and_written, (numbers(40), numbers(2, 40)[1])),
    (one_of_three, (numbers(40), numbers(2, 40)[1])),
    (named_anew_and_written, (numbers(40), numbers(2, 40)[1])),
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


def test_a_log_of_no_iterations():
    """The inner loop has trip count zero, which is not known at compile time here."""
    gradient = ReferenceCalls(
        myia.grad(triangle_of_one_column, argnums=(0, 1)), disable="constant_folding"
    )
    da, dx = gradient(np.array([[2.0], [3.0]]), np.array([0.5]))
    np.testing.assert_allclose(da, [[2.5], [2.0]])
    np.testing.assert_allclose(dx, [6.0])


def whole_arrays_in_iterations(run, *args):
    """The ops on whole arrays, other than slices, in the iterations of a compiled function."""
    calls = ReferenceCalls(run)
    calls(*args)
    loops = [op for op in walk(calls.functions()[-1].region) if op.primitive is loop_p]
    inside = [op for loop in loops for op in walk(loop.regions[-1])]
    made = {op.primitive for op in inside if any(v.aval.size >= args[0].size for v in op.results)}
    assert loops
    return made - {dynamic_slice, dynamic_update_slice, loop_p}


def one_of_two_elements(x, y):
    """Both branches of the adjoint add to one version of the cotangent."""
    for i in range(1, len(x)):
        m = x[i] if y[i] > 0.5 else x[i - 1]
        x[i] = m * m
    return np.sum(x * x * y)


@pytest.mark.parametrize("f", [
    chosen_in_every_iteration, chosen_and_written, named_anew_and_written, one_of_two_elements,
])  # fmt: skip
def test_no_iteration_takes_whole_arrays(f):
    """Neither the choice nor its cotangent."""
    x, y = numbers(50), numbers(2, 50)[1]
    assert not whole_arrays_in_iterations(myia.grad(f, argnums=(0, 1)), x, y)


def recurrence(x, y):
    for i in range(1, len(x)):
        x[i] = np.sin(x[i - 1]) + x[i] * y[i]
    return np.sum(x * x)


def elements_of_two_exchanged(x, y):
    for i in range(1, len(x)):
        x[i], y[i] = y[i] * x[i], x[i - 1]
    return np.sum(x * x * y)


def at_places_of_an_array(x, y):
    places = np.arange(len(x)) // 2
    for i in range(1, len(x)):
        x[places[i]] = np.sin(x[i]) * y[places[i]]
    return np.sum(x * x * y)


def stores_on_a_condition(x, y):
    for i in range(1, len(x)):
        if y[i] > 0.5:
            x[i] = np.sin(x[i - 1]) + x[i] * y[i]
    return np.sum(x * x)


@pytest.mark.parametrize("f", [
    stores_on_a_condition, recurrence, elements_of_two_exchanged, at_places_of_an_array,
    chosen_and_written, one_of_two_elements,
])  # fmt: skip
def test_cotangents_of_cotangents_are_added_to_in_place(f):
    """In the adjoint of an adjoint loop, an element may precede the array that it is added to."""
    gradient = myia.grad(f, argnums=(0, 1))

    def along(x, y):
        dx, dy = gradient(x, y)
        return np.sum(dx * y) + np.sum(dy * x * x)

    x, y = numbers(50), numbers(2, 50)[1]
    assert not whole_arrays_in_iterations(myia.grad(along, argnums=(0, 1)), x, y)
