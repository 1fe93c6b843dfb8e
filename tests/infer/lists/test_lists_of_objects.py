"""Lists of lists, dicts and instances that grow: their items are changed in the list."""

import heapq
from collections import deque

import numpy as np
import pytest

import myia
from myia.infer import capacities
from tests.infer.lists.test_list_edits import assert_same

N = np.array([7])


class Point:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def scale(self, v):
        self.a = self.a * v
        self.b += 1


def ragged(x, n):
    rows, i = [], 0
    while i < n[0]:
        row = []
        for j in range(i):
            row.append(x * j)
        rows.append(row)
        i += 1
    return sum(sum(row) ** 2 for row in rows), rows


def pascal(x, n):
    rows = [[x]]
    for _ in range(n[0]):
        above = rows[-1]
        row = [x]
        for j in range(len(above) - 1):
            row.append(above[j] + above[j + 1])
        row.append(x)
        rows.append(row)
    return sum(k * v * v for row in rows for k, v in enumerate(row)), rows


def buckets(x, n):
    found = [[] for _ in range(3)]
    i = 0
    while i < 3 * n[0]:
        found[(i * i) % 3].append(x * i)
        i += 1
    return sum(found[0]) * sum(found[1]), found


def groups(x, n):
    found, now = [], []
    for i in range(n[0]):
        if i % 3 == 0:
            found.append(now)
            now = []
        now.append(x * i)
    found.append(now)
    return sum((k + 1) * sum(g) ** 2 for k, g in enumerate(found)), found


def three_deep(x, n):
    out = []
    for i in range(n[0]):
        middle = []
        for j in range(i):
            inner = []
            for k in range(j + 1):
                inner.append(x * (i + j * k))
            middle.append(inner)
        out.append(middle)
    return sum(v * v for m in out for inner in m for v in inner), out


def names_of_items(x, n):
    ps = []
    for i in range(n[0]):
        p = Point(x * i, i)
        ps.append(p)
        p.a = p.a + 1.0
        ps[-1].a = p.a * 2.0
        ps[i // 2].a += p.a
    q, r = ps[2], ps[2]
    q.scale(x)
    ps[2].scale(x)
    best = ps[0]
    for p in ps:
        if p.a > best.a:
            best = p
    best.a *= 2.0
    return r.a * r.b + sum(p.a * p.b for p in ps)


def dicts(x, n):
    history, state = [], {"a": x, "seen": [x], "k": 0}
    for i in range(n[0]):
        history.append(state)
        state = {"a": state["a"] * x + 1.0, "seen": state["seen"] + [x * i], "k": i}
    for i in range(2 * n[0]):
        one = history[(i * 3) % n[0]]
        one["seen"].append(x)
        one["k"] += 1
    return sum(h["a"] * h["k"] * sum(h["seen"]) for h in history), history


def sorted_and_filtered(x, n):
    ps = [Point(x * ((i * 5) % 7), i) for i in range(n[0])]
    down = sorted(ps, key=lambda p: -p.a)
    large = [p for p in ps if p.a > 3.0]
    ps.sort(key=lambda p: p.a)
    count = down[0].a * ps[0].b + ps[1].a * down[1].b + sum(p.a for p in large)
    last = ps.pop()
    last.a += 1.0
    return count + last.a + sum(p.a for p in ps)


def beams(x, n):
    found = [([1.0], x)]
    for _ in range(n[0] - 3):
        new = []
        for path, score in found:
            new.append((path + [score], score * x))  # noqa: RUF005
            new.append((path + [score * 2], score + x))  # noqa: RUF005
        new.sort(key=lambda t: -t[1])
        found = new[:3]
    return found[0][1] * sum(found[0][0])


def shortest_path(x, n):
    edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (1, 4)]
    near = [[] for _ in range(5)]
    for i, (u, v) in enumerate(edges):
        near[(u + n[0]) % 7].append((v, x * (i + 1)))
    distance, heap = [1e9] * 5, [(0.0, 0)]
    distance[0] = 0.0
    while heap:
        d, u = heapq.heappop(heap)
        if d > distance[u]:
            continue
        for v, c in near[u]:
            if d + c < distance[v]:
                distance[v] = d + c
                heapq.heappush(heap, (d + c, v))
    return distance[4] * distance[3]


def tables(x, n):
    rows = []
    for i in range(n[0]):
        row = [0.0] * 4
        for j in range(4):
            row[j] = x * i + j
            if i > 0:
                row[j] += rows[i - 1][j] * 0.5
        rows.append(row)
    a = np.array(rows)
    m = [[x * i + j for j in range(3)] for i in range(n[0])]
    return rows[-1][3] * rows[2][1] + np.sum(a[:, 0] * a[:, 1]) + sum(map(sum, m)), a


def queues(x, n):
    q, last = deque([x]), deque(maxlen=3)
    total = 0.0
    while q:
        v = q.popleft()
        total += v * v
        last.append(v)
        if v < n[0]:
            q.append(v + 1.0)
            q.appendleft(v * 2.0)
        if len(q) > 4:
            q.pop()
        q.rotate(1)
    return total * sum(last), last


def identities(x, n):
    ps, count = [Point(x * i, i) for i in range(n[0])], 0
    for i in range(n[0]):
        for p in ps:
            if ps[i] is p:
                count += 1
    return x * count


PROGRAMS = [
    *(ragged, pascal, buckets, groups, three_deep, names_of_items, dicts, sorted_and_filtered),
    *(beams, shortest_path, tables, queues, identities),
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_growth_from_room_for_three_items(f, monkeypatch):
    monkeypatch.setattr(capacities, "FIRST_CAPACITY", 3)
    compiled = myia.jit(f)
    for _ in range(2):
        got, want = compiled(1.3, N), f(1.3, N)
        if isinstance(want, tuple) and isinstance(want[1], np.ndarray):
            np.testing.assert_allclose(got[1], want[1], rtol=1e-12)
            got, want = got[0], want[0]
        if isinstance(want, tuple) and isinstance(want[1], deque):
            assert type(got[1]) is deque and got[1].maxlen == want[1].maxlen
            got, want = (got[0], list(got[1])), (want[0], list(want[1]))
        if f is dicts:
            assert [list(h) for h in got[1]] == [list(h) for h in want[1]]
            got, want = ((v, [list(h.values()) for h in history]) for v, history in (got, want))
        assert_same(got, want)


@pytest.mark.parametrize("f", [ragged, buckets, names_of_items, beams])
def test_derivatives(f):
    def g(x):
        found = f(x, N)
        return found[0] if isinstance(found, tuple) else found

    h = 1e-5
    slope = (g(1.3 + h) - g(1.3 - h)) / (2 * h)
    gradient = myia.grad(g)
    assert gradient(1.3) == pytest.approx(slope, rel=1e-7)
    assert myia.jvp(g, (1.3,), (1.0,))[1] == pytest.approx(slope, rel=1e-7)
    if f in (ragged, names_of_items):
        second = (gradient(1.3 + h) - gradient(1.3 - h)) / (2 * h)
        assert myia.grad(gradient)(1.3) == pytest.approx(second, rel=1e-6)


def test_arguments():
    def f(near, x):
        total, i = 0.0, 0
        for _ in range(5):
            i = int(x[i]) % 4
            for j in near[i]:
                total += x[j] * x[i]
        return total

    near, x = [[1, 2], [3], [], [0, 1, 2]], np.array([0.3, 2.7, 1.1, 3.2])
    assert myia.jit(f)(near, x) == pytest.approx(f(near, x), rel=1e-14)


def changed_twice(x, n):
    p, ps = Point(x, 1), []
    for _ in range(n[0]):
        ps.append(p)
    ps[0].a = 7.0 * x
    return ps[1].a


def changed_after_a_pop(x, n):
    ps = [Point(x * i, i) for i in range(n[0])]
    q = ps[-1]
    ps.pop(0)
    q.a = 3.0
    return ps[-1].a


def changed_in_another_list(x, n):
    ps = [Point(x * i, i) for i in range(n[0])]
    for p in [p for p in ps if p.a > 3.0]:
        p.a = 0.0
    return sum(p.a for p in ps)


def changed_in_the_list(x, n):
    p, ps = Point(x, 1), []
    for i in range(n[0]):
        ps.append(Point(x, i) if i else p)
        ps.append(p)
    ps[-1].a = 2.0
    return p.a


def changed_in_a_list_of_another(x, n):
    ps = [Point(x * i, i) for i in range(n[0])]
    qs = list(ps)
    qs[0].a = 5.0
    return ps[0].a


def taken_from_two_lists(x, n):
    ps = [Point(x * i, i) for i in range(n[0])]
    large = [p for p in ps if p.a > 3.0]
    ps.pop().a += 1.0
    return sum(p.a for p in large)


@pytest.mark.parametrize(
    "f",
    [
        taken_from_two_lists,
        *(changed_twice, changed_after_a_pop, changed_in_another_list, changed_in_the_list),
        changed_in_a_list_of_another,
    ],
)
def test_where_names_are_not_known_to_be_one_it_is_refused(f):
    with pytest.raises(myia.MyiaError, match=r"through another name|in a list twice"):
        myia.jit(f)(1.3, N)
