"""Objects that two lists hold: what is changed in one list is changed in the other, or is refused.

A list whose items are asked for at run-time indices holds the numbers of its objects itself. So
does each other list with the same objects, which is out of date where one of them is changed.
"""

from __future__ import annotations

import heapq
from collections import deque

import numpy as np
import pytest

import myia
from tests.infer.driver import run

N = np.array([5])


class P:
    def __init__(self, x, k=0):
        self.x, self.k = x, k


def total(ps):
    return sum((i + 1.0) * p.x**2 + p.k for i, p in enumerate(ps))


def by_x(p):
    return p.x


def held_twice(ps, n):
    out, other = [], []
    for i in range(n[0]):
        out.append(ps[i])
        other.append(ps[i])
    return out


NEW = {
    "sorted": lambda ps, n: sorted(ps, key=by_x),
    "sorted_backwards": lambda ps, n: sorted(ps, key=by_x, reverse=True),
    "sorted_slice": lambda ps, n: sorted(ps[n[0] - 5 :], key=by_x),
    "sorted_pairs": lambda ps, n: [
        p for _, p in sorted([(p.x, p) for p in ps], key=lambda t: t[0])
    ],
    "selected": lambda ps, n: [p for p in ps if p.x >= 0.7],
    "filter": lambda ps, n: list(filter(lambda p: p.x >= 0.7, ps)),
    "copy": lambda ps, n: ps.copy(),
    "part": lambda ps, n: ps[n[0] - 5 : n[0] - 1],
    "sum": lambda ps, n: ps[n[0] - 5 :] + ps[: n[0] - 5],
    "repeated": lambda ps, n: ps * (n[0] - 3),
    "reversed": lambda ps, n: list(reversed(ps)),
    "deque": lambda ps, n: deque(ps),
    "extrema": lambda ps, n: [min(ps, key=by_x), max(ps, key=by_x)],
    "smallest": lambda ps, n: heapq.nsmallest(3, ps, key=by_x),
    "picked": lambda ps, n: [ps[(i * n[0] + 3) % 5] for i in range(3)],
    "appended": held_twice,
    "tuples": lambda ps, n: [t[0] for t in [(p, 1.0) for p in ps]],
}


def equal_or_refused(f, x=0.7):
    """Whether it compiles; then to Python's number."""
    try:
        found = run(f, x, N)
    except myia.MyiaError as error:
        assert error.diagnostic.code in ("invalidated-read", "unsupported-container"), error
        return False
    assert found == pytest.approx(f(x, N), rel=1e-12)
    return True


@pytest.mark.parametrize("at_run_time", [True, False])
@pytest.mark.parametrize("in_new", [True, False])
@pytest.mark.parametrize("name", NEW)
def test_a_change_in_one_list(name, in_new, at_run_time):
    def f(x, n):
        ps = [P(x * ((i * 3) % 5), i) for i in range(5)]
        qs = NEW[name](ps, n)
        i, j = (n[0] - 5, n[0] - 2) if at_run_time else (0, 3)
        if in_new:
            qs[i].x += x * x
        else:
            ps[j].x += x * x
        return total(ps) + 2.0 * total(qs)

    compiles = equal_or_refused(f)
    assert compiles or name not in ("copy", "reversed", "deque", "sorted", "sorted_backwards")


def in_lists_that_grow(x, n):
    ps, qs = [], []
    for i in range(n[0]):
        p = P(x * i, i)
        ps.append(p)
        if i % 2:
            qs.append(p)
    qs[1].x = 100.0 * x
    return total(ps)


def rows(x, n):
    ps, qs = [], []
    for i in range(n[0]):
        row = [x * i]
        ps.append(row)
        qs.append(row)
    ps[1].append(x)
    return sum(len(row) for row in qs) * x


def grown_of_known(x, n):
    ps, qs = [P(x * i) for i in range(4)], []
    for i in range(n[0] - 1):
        qs.append(ps[i])
    ps[n[0] - 5].x += 1.0
    return total(qs)


def in_other_objects(x, n):
    ps = [P(x * i) for i in range(4)]
    held, d, get = P(ps[0]), {"a": (ps[1], 2.0)}, lambda: ps[0].x
    ps[n[0] - 5].x += 1.0
    ps[n[0] - 4].x += x
    return held.x.x + d["a"][0].x + get()


@pytest.mark.parametrize("f", [in_lists_that_grow, rows, grown_of_known, in_other_objects])
def test_lists_that_grow(f):
    assert equal_or_refused(f) == (f is in_other_objects)
