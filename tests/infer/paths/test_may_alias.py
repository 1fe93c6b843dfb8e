"""Two names that hold one object, made in nested branches and loops; identity after swaps."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import run


class Pair:
    def __init__(self, v, w):
        self.v, self.w = v, w


def instances_in_two_loops(x, n):
    a, b = Pair(x[0], 1.0), Pair(x[1], 2.0)
    for _ in range(n):
        for _ in range(2):
            a = Pair(a.v + b.v, b.w)
            b = a
    a.v *= 3.0
    return a.v * b.v + b.w


def dicts_in_two_loops(x, n):
    a, b = {"v": x[0]}, {"v": x[1]}
    for _ in range(n):
        for _ in range(n):
            a = {"v": a["v"] + b["v"]}
            b = a
    a["v"] *= 3.0
    return a["v"] * b["v"]


def instances_in_two_branches(x, n):
    a, b = Pair(x[0], 1.0), Pair(x[1], 2.0)
    if x[0] > 0.5:  # noqa: SIM102
        if x[1] > 0.5:
            a = Pair(a.v + b.v, b.w)
            b = a
    a.v *= 3.0
    return a.v * b.v + b.w


def instances_in_a_branch_of_a_loop(x, n):
    a, b = Pair(x[0], 1.0), Pair(x[1], 2.0)
    for _ in range(n):
        if a.v > b.v:
            b = a
            a = Pair(a.v * 0.5, a.w)
        else:
            a = b
    a.v += 2.0
    return a.v * b.v + b.w


def views_in_two_loops(x, n):
    a, b = x * 2.0, x + 1.0
    for _ in range(n):
        for _ in range(2):
            a = a + b
            b = a[::-1]
    a[0] = 5.0 * x[1]
    return a @ b


def views_of_new_arrays_in_branches(x, n):
    a, b = x * 2.0, x + 1.0
    if x[0] > x[1]:
        a = a.copy()
        b = a[::-1]
    else:
        a = b + 1.0
    b[1] = b[1] + 0.25
    return a @ b


def arrays_in_two_loops(x, n):
    a, b = x * 2.0, x + 1.0
    for _ in range(n):
        for _ in range(2):
            a = a + b
            b = a
    a[0] = 5.0 * x[1]
    return a @ b


def lists_in_two_loops(x, n):
    a, b = [x[0], x[1]], [x[1], 2.0]
    for _ in range(n):
        for _ in range(2):
            a = [v + 1.0 for v in a]
            b = a
    a[0] *= 3.0
    return a[0] * b[0] + b[1]


def views_and_names_in_two_loops(x, n):
    a, b, c = x + 1.0, x * 2.0, x - 1.0
    for _ in range(n):
        for _ in range(3):
            c += b[::-1]
            if a[0] > b[1]:
                a = c
        a = b[::-1]
        a, c = c, a
    return a @ b + c[0]


EXACT = (
    instances_in_two_loops,
    dicts_in_two_loops,
    instances_in_two_branches,
    instances_in_a_branch_of_a_loop,
    views_in_two_loops,
    views_and_names_in_two_loops,
)
MAY_BE_REFUSED = (views_of_new_arrays_in_branches, arrays_in_two_loops, lists_in_two_loops)
INPUTS = (([0.7, 0.9], 2), ([0.7, 0.3], 1), ([-0.5, 0.9], 3), ([0.6, 0.8], 0))


@pytest.mark.parametrize("f", EXACT)
def test_both_names_show_a_change(f):
    gradient, h = myia.grad(f), 1e-6
    for numbers, n in INPUTS:
        x = np.array(numbers)
        assert run(f, x, n) == pytest.approx(f(x, n), rel=1e-12)
        for i, step in enumerate(h * np.eye(2)):
            slope = (f(x + step, n) - f(x - step, n)) / (2 * h)
            assert gradient(x, n)[i] == pytest.approx(slope, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("f", MAY_BE_REFUSED)
def test_a_change_is_shown_or_refused(f):
    for numbers, n in INPUTS:
        x = np.array(numbers)
        try:
            found = run(f, x, n)
        except MyiaError as error:
            assert "may have been changed through another name" in str(error)
        else:
            assert found == pytest.approx(f(x, n), rel=1e-12)


def _area(w, h=2.0):
    return w * h


def _unpacked(x):
    a, b = {"w": x[0], "h": x[1]}, {"w": x[1], "h": 3.0}
    d = a if x[0] > 0.5 else b
    d["h"] += 1.0
    return _area(**d) + {**d, "w": 2.0}["h"] * a["h"]


@pytest.mark.parametrize("numbers", [[0.7, 0.3], [0.3, 0.7]])
def test_one_of_two_dicts_is_unpacked(numbers):
    x = np.array(numbers)
    assert run(_unpacked, x) == pytest.approx(_unpacked(x), rel=1e-14)


def _swapped_in_a_list(x, n):
    a, b = x * 4.0, x * 5.0
    pair = [a, b]
    if x[1] < 0.4:
        pair = pair[::-1]
    return (1.0 if a is pair[1] else 2.0) + (10.0 if pair[0] is pair[1] else 20.0)


def _swapped_by_an_iteration(x, n):
    a, b = x * 4.0, x * 5.0
    c, d = a, b
    for _ in range(n):
        c, d = d, c
    return (1.0 if a is c else 2.0) + (10.0 if b is c else 20.0) + (100.0 if a is b else 200.0)


def _set_by_one_iteration(x, n):
    b, c = x * 4.0, x * 5.0
    a = c
    for _ in range(n):
        b = c
        c = a + a
    return 1.0 if a is b else 2.0


@pytest.mark.parametrize("f", [_swapped_in_a_list, _swapped_by_an_iteration, _set_by_one_iteration])
def test_identity_after_loops_and_swaps(f):
    for numbers, n in INPUTS:
        x = np.array(numbers)
        assert run(f, x, n) == f(x, n)


def _views_that_may_be_one(x, n):
    a, b, c = x * 2.0, x * 3.0, x * 4.0
    for _ in range(n):
        a = b
        b = c[::-1]
    if x[0] > 0.5:
        c = c if c[1] < 2.0 else a
    else:
        a = c[::-1]
    return 1.0 if a is c else 2.0


def test_identity_of_views_is_not_guessed():
    for numbers, n in INPUTS:
        with pytest.raises(MyiaError, match="may have been changed through another name"):
            run(_views_that_may_be_one, np.array(numbers), n)


def _items_of_one_of_two_lists(x):
    a, b = [x[0], x[1]], [x[1], 2.0]
    c = a if x[0] > 0.5 else b
    c[0] += 1.0
    return (*c, *a), [*c, 3.0], _area(*c), max(*c), a[0] * b[0]


@pytest.mark.parametrize("numbers", [[0.7, 0.3], [0.3, 0.7]])
def test_one_of_two_lists_is_unpacked(numbers):
    x = np.array(numbers)
    assert run(_items_of_one_of_two_lists, x) == _items_of_one_of_two_lists(x)
