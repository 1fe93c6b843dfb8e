"""`heapq`, `bisect.insort`, `sorted` and comparisons of objects: by `<` of their class."""

import bisect
import heapq
import itertools
import math
from dataclasses import dataclass, field
from functools import total_ordering

import numpy as np
import pytest

import myia
from tests.infer.lists.test_list_edits import assert_same, outcome


@dataclass(order=True)
class Event:
    time: float
    kind: int = field(compare=False)
    load: float = 0.5


class Job:
    def __init__(self, time, kind):
        self.time, self.kind = time, kind


@total_ordering
class Ratio:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __lt__(self, other):
        return self.a * other.b < other.a * self.b

    def __eq__(self, other):
        return self.a * other.b == other.a * self.b


def events(x):
    return [Event(abs(v), i) for i, v in enumerate(x)]


def weighted(q):
    return sum((k + 1) * e.time * (1 + e.kind) for k, e in enumerate(q))


def comparisons(x):
    a, b = Event(x[0], 1), Event(x[1], 2)
    signs = (a < b) * x[0] + (a <= b) * x[1] + (a > b) * x[2] + (a >= b) * x[3] * x[2]
    return signs + max(a, b).time * min(a, b).kind


def sorted_objects(x):
    ratios = [Ratio(v, w * w + 0.1) for v, w in zip(x, x[::-1])]
    ratios.sort(reverse=True)
    total = sum((k + 1) * r.a * r.b for k, r in enumerate(ratios))
    by_key = sorted(range(4), key=lambda i: Event(x[i] ** 2, i))
    return total + weighted(sorted(events(x))) + x[by_key[1]] * by_key[3]


def sorted_lists(x):
    return sum(k * a * b for k, (a, b) in enumerate(sorted([v, v * 2.0] for v in x)))


def sorted_stably(x):
    q = sorted([Event(1.0, i) for i in range(4)] + [Event(1.0, 9)], reverse=True)
    return q[0].kind + x[0] * q[3].kind


def layout_of_a_heap(x):
    q = []
    for e in events(x):
        heapq.heappush(q, e)
    return weighted(q)


def a_simulation(x):
    q, t = [], 1.0
    for e in events(x):
        heapq.heappush(q, e)
    while q and t < 50.0:
        e = heapq.heappop(q)
        t = t * (e.time + 0.1 * e.kind) + math.sin(t)
        if e.kind == 1:
            heapq.heappush(q, Event(e.time + 0.2, 5))
    return t


def of_run_time_length(x):
    q, t = [], 1.0
    for i in range(int(x[2] * 6)):
        heapq.heappush(q, Event(abs(x[i % 4]) + 0.01 * i, i))
    while len(q) > 1:
        e = heapq.heappop(q)
        t = t * (e.time + 0.1 * e.kind) + math.sin(t)
    return t + q[0].time


def with_a_counter(x):
    q, count, t = [], itertools.count(), 1.0
    for i, v in enumerate(x):
        heapq.heappush(q, (abs(v) if i else abs(x[1]), next(count), Job(v, i)))
    while q:
        w, _, job = heapq.heappop(q)
        t = t * (w + 0.1 * job.kind) + math.sin(t * job.time)
    return t


def with_lists(x):
    q, t = [(abs(v), i, [v, 2.0 * v]) for i, v in enumerate(x)], 1.0
    heapq.heapify(q)
    q[0][2][0] += x[1]
    while q:
        w, _, (a, b) = heapq.heappop(q)
        t = t * (w + 0.1 * a) + math.sin(t * b)
    return t


def replaced(x):
    q = events(x)
    heapq.heapify(q)
    first = heapq.heapreplace(q, Event(0.5, 7))
    second = heapq.heappushpop(q, Event(0.4, 8))
    third = heapq.heappushpop(q, Event(0.0, 9))
    return weighted([first, second, third]) + weighted(q)


def inserted(x):
    q = []
    for e in events(x):
        bisect.insort(q, e)
        bisect.insort_left(q, Event(0.5, 6))
    return weighted(q)


def changed_in_a_heap(x):
    q = []
    made = events(x)
    for e in made[:3]:
        heapq.heappush(q, e)
    q[0].load += x[0]
    q[1].load *= 3.0
    least = heapq.heappop(q)
    least.load += 1.0
    return weighted(q) + sum(e.load * e.kind for e in q) + least.load * x[1]


def put_into_another_order(x):
    q = events(x)
    k = int(x[0] * 3)
    q[:] = [q[j] for j in (3, k, 2, 0)]
    return weighted(q)


PROGRAMS = (
    *(comparisons, sorted_objects, sorted_lists, sorted_stably, layout_of_a_heap, a_simulation),
    *(of_run_time_length, with_a_counter, with_lists, replaced, inserted, changed_in_a_heap),
    put_into_another_order,
)
INPUTS = np.array([0.63, -0.31, 1.2, 0.45]), np.array([0.45, 1.3, 0.92, -0.7])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(f):
    compiled = myia.jit(f)
    for x in INPUTS:
        assert_same(outcome(compiled, x.copy()), outcome(f, x.copy()))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("order", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_derivatives(f, order):
    myia.check_grads(lambda x: 1e-1 * f(x), (INPUTS[0],), order=order)


def test_a_tie_compares_the_objects():
    def least(x):
        q = []
        for v in x:
            heapq.heappush(q, (v, Job(v, 1)))
        return heapq.heappop(q)[1].time

    compiled = myia.jit(least)
    assert compiled(np.array([3.0, 1.0, 2.0])) == 1.0
    for f in (least, compiled):
        with pytest.raises(TypeError, match="not supported between instances of 'Job' and 'Job'"):
            f(np.array([3.0, 1.0, 1.0]))
