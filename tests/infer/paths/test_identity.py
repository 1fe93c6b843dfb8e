"""`is` of names that hold None or one of several objects."""

import numpy as np
import pytest

import myia


class Cell:
    def __init__(self, value):
        self.value = value


def first_of_two(x):
    a, b, best = Cell(1.0), Cell(2.0), None
    for v in x:
        p = a if v > 1.0 else b
        if best is None:
            best = p
    return x[0] * x[0] if best is a else x[0]


def first_of_two_arrays(x):
    a, b, best = np.zeros(2), np.ones(1), None
    for v in x:
        p = a if v > 1.0 else b
        if best is None:
            best = p
    return x[0] * x[0] if best is a else x[0]


def object_or_none(x):
    a = Cell(x[0])
    best = a if x[0] > 1.0 else None
    return x[0] * 3.0 if best is a else x[0]


def array_or_none(x):
    best = x if x[0] > 1.0 else None
    return x[0] * 3.0 if best is not x else x[0]


def none_until_found(x):
    a, best, s = Cell(2.0), None, 0.0
    for i in range(len(x)):
        if x[i] > 1.0:
            best = a
        if best is a:
            s += x[i] * x[i]
    return s


def two_that_may_be_none(x):
    a, b = Cell(1.0), Cell(2.0)
    p = a if x[0] > 1.0 else None
    q = b if x[0] > 2.5 else None
    return x[0] * 2.0 if p is q else x[0]


def greatest(x):
    a, b, best, s = Cell(1.0), Cell(2.0), None, 0.0
    for v in x:
        p = a if v > 1.0 else b
        if best is None or p.value > best.value:
            best = p
        if best is a:
            s += v
    return s


def changed_where_it_is(x):
    a, b, best = Cell(1.0), Cell(2.0), None
    for v in x:
        p = a if v > 1.0 else b
        if best is None:
            best = p
        if best is b:
            best.value += v
    return a.value + 10.0 * b.value


PROGRAMS = [
    *(first_of_two, first_of_two_arrays, object_or_none, array_or_none, none_until_found),
    *(two_that_may_be_none, greatest, changed_where_it_is),
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [[2.0, 0.5], [0.5, 2.0], [0.5, 0.5], [3.0, 2.0, 0.5, 2.0]])
def test_is(f, x):
    x, step = np.array(x), 1e-6
    assert myia.jit(f)(x) == pytest.approx(f(x), rel=1e-12)
    differences = [(f(x + h) - f(x - h)) / (2 * step) for h in step * np.eye(len(x))]
    np.testing.assert_allclose(myia.grad(f)(x), differences, atol=1e-6)
