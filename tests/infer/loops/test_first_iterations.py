"""What the first iteration of a loop would raise on, and later ones do not."""

import numpy as np
import pytest

import myia


def bound_later(x, n):
    total = 0.0
    for k in range(n):
        if k < 1:
            scale = x
        else:
            total += scale * k
    return total


def bound_in_an_inner_loop(x, n):
    total = 0.0
    values = np.zeros(2)
    for k in range(n):
        if not np.any(values > 1.0):
            for item in (x, 2.0 * x):
                last, *_ = item * item, 1
            values[0] = 2.0
        else:
            total -= last * k
    return total


def read_of_an_inner_loop(x, n):
    total = 0.0
    for k in range(n):
        for j in range(k):
            total += last * j  # noqa: F821 (bound by the last iteration)
        last = x * k  # noqa: F841
    return total


def captured(x, n):
    def scaled():
        return last * x

    total = 0.0
    for k in range(n):
        if k > 0:
            total += scaled()
        last = x + k
    return total


def deleted(x, n):
    total = 0.0
    for k in range(n):
        if k > 0:
            del last  # noqa: F821
        last = x * k
        total += last
    return total


def none_at_first(x, n):
    total, best = 0.0, None
    for k in range(n):
        if k > 0 and best > 1.0:
            total -= best * best
        best = x + k
    return total


def tuple_at_last(x, n):
    total, pair = 0.0, None
    for k in range(n):
        if k > 0:
            a, b = pair
            total += a * b + pair[0]
        pair = (x, x * k)
    return total


def array_at_last(x, n):
    total, row = 0.0, None
    for k in range(n):
        if k > 0:
            total += row.sum()
        row = np.ones(3) * x * k
    return total


def none_in_a_while_loop(x, n):
    total, last = 0.0, None
    k = 0
    while k < n:
        j = 0
        while j < 2:
            if k > 0:
                total += last * j
            j += 1
        last = x * k
        k += 1
    return total


PROGRAMS = [
    *(bound_later, bound_in_an_inner_loop, read_of_an_inner_loop, captured, deleted),
    *(none_at_first, tuple_at_last, array_at_last, none_in_a_while_loop),
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 4])
def test_values_and_gradients(f, n):
    x, step = 1.5, 1e-6
    assert myia.jit(f)(x, n) == pytest.approx(f(x, n))
    slope = (f(x + step, n) - f(x - step, n)) / (2 * step)
    assert myia.grad(f)(x, n) == pytest.approx(slope, rel=1e-6, abs=1e-9)


def unbound_at_run_time(x, n):
    total = 0.0
    for k in range(n):
        if k > 1:
            total += last  # noqa: F821
        if k > 2:
            last = x  # noqa: F841
    return total


def none_at_run_time(x, n):
    total, last = 0.0, None
    for k in range(n):
        if k > 1:
            total += last
        if k > 2:
            last = x
    return total


@pytest.mark.parametrize("f", [unbound_at_run_time, none_at_run_time])
def test_errors_at_run_time_are_those_of_python(f):
    assert myia.jit(f)(1.0, 2) == 0.0
    with pytest.raises(Exception) as by_python:
        f(1.0, 3)
    with pytest.raises(by_python.type):
        myia.jit(f)(1.0, 3)


def slip_in_a_loop(x, n):
    nothing = None
    for k in range(n):
        if k > 5:
            x += nothing
    return x


def slip_in_a_nest(x, n):
    nothing, other = None, None
    for k in range(n):
        for j in range(k):
            if j > 5:
                x += nothing
        other = 1.0
    return x if other is None else x * other


@pytest.mark.parametrize("f", [slip_in_a_loop, slip_in_a_nest])
def test_slips_of_every_iteration_are_reported(f):
    with pytest.raises(TypeError, match="None"):
        myia.jit(f)(1.0, 9)
