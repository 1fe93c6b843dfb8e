"""Lists of objects as numbers of members of a pool: swaps and sorts keep every name exact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import myia
from tests.infer.driver import assert_value_and_derivative

N = np.array([5])


@dataclass
class P:
    x: float
    k: int = 0

    def grow(self, v):
        self.x *= v


def make(x, n=4):
    return [P(x * ((i * 3) % 5), i) for i in range(n)]


def total(ps):
    return sum((i + 1.0) * p.x**2 + p.k for i, p in enumerate(ps))


def swapped(x, n):
    ps = make(x)
    a, b = ps[0], ps[3]
    i, j = n[0] - 5, n[0] - 2
    c = ps[i]
    ps[i], ps[j] = ps[j], ps[i]
    a.x += 1.0
    b.grow(x)
    c.x *= 1.5
    ps[j].k += 2
    return total(ps) + a.x * 3 + b.x + c.k + (1.0 if ps[j] is c else 0.0)


def bubble_sort(x, n):
    ps = make(x, 12)
    first = ps[1]
    for i in range(len(ps)):
        for j in range(len(ps) - 1 - i):
            if ps[j].x > ps[j + 1].x:
                ps[j], ps[j + 1] = ps[j + 1], ps[j]
        ps[i % n[0]].x += 0.01 * i
    first.grow(2.0)
    return total(ps)


def insertion_sort(x, n):
    ps = make(x, 12)
    for i in range(1, len(ps)):
        p = ps[i]
        j = i - 1
        while j >= 0 and ps[j].x > p.x:
            ps[j + 1] = ps[j]
            j -= 1
        ps[j + 1] = p
    ps[n[0]].x += x
    return total(ps)


def selection_sort(x, n):
    ps = make(x, 6)
    for i in range(6):
        m = i
        for j in range(i + 1, 6):
            if ps[j].x < ps[m].x:
                m = j
        try:
            if ps[m].x > 3.0:
                raise ValueError(m)
            ps[i], ps[m] = ps[m], ps[i]
        except ValueError:
            ps[m].x = 3.0
            break
    ps[-1].grow(2.0)
    return total(ps)


def sorted_and_changed(x, n):
    ps = make(x, 5)
    qs = sorted(ps, key=lambda p: p.x)
    qs[0].x += 1.0
    ps[n[0] - 2].x *= x
    rs = sorted(qs, key=lambda p: -p.x)
    rs[n[0] - 5].grow(1.1)
    return total(ps) + 2.0 * total(qs) + 3.0 * total(rs)


def twice_in_a_list(x, n):
    p = P(x)
    ps = [p, P(2.0 * x), p]
    ps[n[0] - 5].x += 1.0
    ps[n[0] - 3].x *= 2.0
    return total(ps) + p.x


def reversed_and_shared(x, n):
    ps = make(x)
    ps.reverse()
    ps[n[0] - 5].x += 1.0
    qs = ps[::-1]
    qs[n[0] - 5].x *= 3.0
    both = [(p, 1.0) for p in ps]
    both[n[0] - 4][0].x += x
    return total(ps) + total(qs)


def called_twice(x, n):
    def loss(w):
        ps = [P(w * 1.0), P(w * w), P(2.0)]
        i = n[0] - 5
        ps[i], ps[i + 1] = ps[i + 1], ps[i]
        ps[i].x *= w
        return total(ps)

    return loss(x) + loss(2.0 * x)


PROGRAMS = [
    *(swapped, bubble_sort, insertion_sort, selection_sort, sorted_and_changed, twice_in_a_list),
    *(reversed_and_shared, called_twice),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_derivatives(f):
    for x in (0.31, 0.71, 1.31):
        assert_value_and_derivative(f, x, N)


@pytest.mark.slow
@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivatives(f):
    for x in (0.31, 0.71, 1.31):
        myia.check_grads(lambda x: f(x, N), (x,), order=2)


def test_a_sort_is_a_loop():
    text = str(myia.jit(insertion_sort).ir(0.7, N)["typed"])
    assert text.count("\n") < 400


def test_results():
    def f(x, n):
        ps = make(x)
        i, j = n[0] - 5, n[0] - 2
        ps[i], ps[j] = ps[j], ps[i]
        ps[i].k = 7
        return ps, sorted(ps, key=lambda p: p.x), ps[j]

    assert myia.jit(f)(0.7, N) == f(0.7, N)


def test_a_list_of_members_under_a_gradient():
    def loss(ps):
        return ps[0].x ** 2 + 3.0 * ps[1].x

    def f(x, n):
        ps = make(x)
        i, j = n[0] - 5, n[0] - 2
        ps[i], ps[j] = ps[j], ps[i]
        return [g.x for g in myia.grad(loss)(ps)]

    with pytest.raises(myia.MyiaError, match="a list of objects that have changed places"):
        myia.jit(f)(0.7, N)
