"""`a, *b = xs` and lists made of what has a run-time length."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from tests.infer.driver import assert_value_and_derivative, run


def grown(q):
    xs, z = [q], q
    while z < 2.5:
        z += 0.3
        xs.append(z * 0.5)
    return xs


def weighted(xs):
    return sum((i + 1.0) * v * v for i, v in enumerate(xs)) + len(xs)


def first_and_rest(q):
    a, *b = grown(q)
    return a * weighted(b)


def first_rest_last(q):
    a, *b, c = [*grown(q), q]
    return a * c + weighted(b)


def rest_and_last(q):
    *b, c = grown(q)
    b.append(c)
    return c * weighted(b)


def taken_one_by_one(q):
    xs, y = grown(q), 0.0
    while xs:
        a, *xs = xs
        y = y * 0.5 + a
    return y


def two_or_else(q):
    try:
        a, b = grown(q)
    except ValueError:
        return q * q
    return a * b


def of_an_array(q):
    a, *b = np.array(grown(q))
    return a * weighted(b)


def lists_of_iterators(q):
    xs = grown(q)
    pairs = list(zip(xs, grown(q + 0.1), strict=False))
    return weighted(list(reversed(xs))) + weighted([a * b for a, b in pairs])


def lists_of_arrays(q):
    x = np.array(grown(q))
    rows = np.zeros((len(x), 2))
    rows[:, 1] = x
    return weighted(list(x * x)) + weighted(x.tolist()) + sum(r[1] * r[1] for r in rows.tolist())


PROGRAMS = [
    *(first_and_rest, first_rest_last, rest_and_last, taken_one_by_one, two_or_else),
    *(of_an_array, lists_of_iterators, lists_of_arrays),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_derivatives(f):
    for q in (2.3, 0.13):
        assert_value_and_derivative(f, q)


@pytest.mark.slow
@pytest.mark.parametrize("f", [first_rest_last, lists_of_arrays])
def test_second_derivatives(f):
    myia.check_grads(f, (1.93,), order=2)


def two(q):
    a, b = grown(q)
    return a - b


def two_and_more(q):
    a, b, *c = grown(q)
    return a - b + len(c)


def two_of_known_length(q):
    a, b = [q, 1.0, 2.0] if q > 1e9 else [q] * 3
    return a - b


def many_of_known_length(q):
    a, b, c, *_ = [q, q]
    return a - b + c


@pytest.mark.parametrize("f", [two, two_and_more, two_of_known_length, many_of_known_length])
@pytest.mark.parametrize("q", [0.1, 2.4, 3.0])
def test_as_many_as_python(f, q):
    try:
        want = f(q)
    except ValueError as e:
        with pytest.raises(ValueError) as raised:
            run(f, q)
        assert str(raised.value).startswith(str(e).rstrip(")").split(", got")[0])
        return
    assert run(f, q) == want
