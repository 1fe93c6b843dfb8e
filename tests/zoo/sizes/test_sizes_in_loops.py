"""Names that a loop of a run-time count gives arrays of other sizes, to second order."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from tests.zoo.in_place_checks import check_in_place, copies
from tests.zoo.reference_calls import ReferenceCalls

W = np.linspace(0.3, 1.1, 7) ** 2


def a_view_becomes_an_array(w, k, n):
    v = w[:2]
    for t in range(1, n[0]):
        v = np.sin(w[: t + k[0]]) * v[0]
    return np.sum(v * v) + len(v)


def an_array_becomes_a_copy_that_is_written(w, k, n):
    v = np.ones(1)
    for t in range(1, n[0]):
        v = w[:t] * 0.5
        v[-1] += 2.0 * k[0]
    return np.sum(v * v)


def assigned_now_and_then(w, k, n):
    v = w[:3]
    for t in range(n[0]):
        if w[t] > 0.4:
            v = w[t:] ** 2
    return np.sum(v * v) + np.sum(v[: k[0]])


def in_a_nest(w, k, n):
    v = w[:2]
    for _ in range(n[0]):
        v = v * 0.5
        for u in range(k[0]):
            v = w[u:] * np.sum(v)
    return np.sum(v)


def rows(w, k, n):
    a = np.outer(w, w)
    b = a[:2]
    for _ in range(n[0]):
        b = a[: k[0]] * 0.5
    return np.sum(b * b)


def first_assigned_in_the_loop(w, k, n):
    for t in range(1, n[0] + 2):
        v = w[: t + k[0]]
    return np.sum(v * v)


PROGRAMS = [
    a_view_becomes_an_array,
    an_array_becomes_a_copy_that_is_written,
    assigned_now_and_then,
    in_a_nest,
    rows,
    first_assigned_in_the_loop,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_two_orders_of_derivative(f):
    check_in_place(f, W, np.array([2]), np.array([3]))


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_for_other_trip_counts(f):
    compiled = ReferenceCalls(myia.jit(f))
    for k, n in [(1, 0), (1, 1), (1, 5), (3, 2), (5, 4)]:
        args = W, np.array([k]), np.array([n])
        np.testing.assert_allclose(compiled(*copies(args)), f(*copies(args)), rtol=1e-12)


def grows(w, n):
    v = w[:2]
    for _ in range(n[0]):
        v = np.concatenate([v, w[: n[0]]])
    return np.sum(v)


def test_what_grows_has_the_size_it_needs():
    compiled = ReferenceCalls(myia.jit(grows))
    for n in (0, 1, 5):
        assert compiled(W, np.array([n])) == pytest.approx(grows(W, np.array([n])), rel=1e-13)
