"""Loops over instances by `__getitem__`: each item is asked for when it is taken."""

import pytest

import myia
from tests.infer.driver import assert_same, assert_value_and_derivative


class View:
    def __init__(self, xs):
        self.xs = xs

    def __getitem__(self, i):
        return self.xs[i]


class Counting:
    def __init__(self, xs):
        self.xs, self.calls = xs, 0

    def __getitem__(self, i):
        self.calls += 1
        if i >= len(self.xs):
            raise IndexError(i)
        return self.xs[i]


def changed_meanwhile(x):
    xs, total = [x, 1.0, 3.0], 0.0
    for v in View(xs):
        total = 10 * total + v
        xs[1] = 7.0 * x
    return total


def grown_meanwhile(x):
    view, total = View([x, 1.0]), 0.0
    for v in view:
        total = 10 * total + v
        if len(view.xs) < 5:
            view.xs.append(v + x)
    return total


def grown_under_the_last(x):
    view, total = View([x, 1.0]), 0.0
    for i, v in enumerate(view):
        total = 10 * total + v
        if i == 1:
            view.xs.append(v * x)
    return total


def many_items(x):
    view, total = View([x] * 15), 0.0
    for v in view:
        total = 0.5 * total + v
        view.xs[4] = total
    return total


@pytest.mark.parametrize(
    "f", [changed_meanwhile, grown_meanwhile, grown_under_the_last, many_items]
)
def test_changes(f):
    assert_value_and_derivative(f, 2.0)


def left_early(x):
    items, total = Counting([x, 1.0, 3.0]), 0.0
    for v in items:
        total = 10 * total + v
        if total > 19:
            break
    return total, items.calls


def searched(x):
    items = Counting([x, 1.0, 3.0])
    return x in items, items.calls, 5.0 in items, items.calls, 1.0 in items, items.calls


def zipped(x):
    items = Counting([x, 1.0, 3.0])
    return list(zip(range(2), items)), items.calls, list(zip(items, range(2))), items.calls


def unpacked(x):
    items, others = Counting([x, 1.0, 3.0]), Counting([x, 1.0, 3.0])
    a, b, c = items
    try:
        _, _ = others
    except ValueError:
        a += x
    return a, b, c, items.calls, others.calls


def by_an_iterator(x):
    view = View([x, 1.0, 3.0])
    it = iter(view)
    first = next(it)
    view.xs[1] = 5.0
    return first, next(it), list(it)


def at_once(x):
    items, view = Counting([x, 1.0]), View([x, 1.0, 3.0])
    found = list(items), items.calls, tuple(map(lambda v: v * x, items)), max(items), items.calls
    return *found, [v for v in view], sum(view), list(enumerate(view)), x in view, 7.0 in view


@pytest.mark.parametrize("f", [left_early, searched, zipped, unpacked, by_an_iterator, at_once])
def test_calls(f):
    assert_same(myia.jit(f)(2.0), f(2.0))
