"""Lists whose length loops and slices change in both directions have room for what is stored."""

import heapq

import numpy as np
import pytest

import myia


def not_run(x, n):
    items, fuel = [x, 2 * x, x + 1], 3
    while fuel > 0 and not n > 9:
        fuel -= 1
        items[1:] = [x * x]
    items[(fuel // 3) % 2 : (fuel // 3) % 2 + 1] = [x, 0.25]
    return sum(items) + 0.1 * len(items)


def shorter_and_longer(x, n):
    items = [x, 2 * x, x + 1]
    for _ in range(n):
        items[: n % 2] = [x * x]
        items[1:] = [x]
    items[n % 2 : n % 2 + 1] = [x, 0.25]
    return sum(items) + 0.1 * len(items)


def grown_in_two_loops(x, n):
    items = [x, 2 * x, x + 1]
    for k in range(n):
        for j in range(k):
            items[: j % 2] = [x * j]
        items[2:] = []
        if k % 2:
            items[:0] = [x]
    return sum(items) + 0.1 * len(items)


def joined(x, n):
    items = [x, 2 * x, x + 1]
    for k in range(n):
        items.append(x)
        items[k % 2 :] = [x, x * k]
    items = items + items[: n % 3]
    items.insert(n % 2, x * x)
    return sum(items) + 0.1 * len(items)


@pytest.mark.parametrize(
    "f", [not_run, shorter_and_longer, grown_in_two_loops, joined], ids=lambda f: f.__name__
)
def test_lists_that_get_shorter_and_longer(f):
    compiled, slope, h = myia.jit(f), myia.grad(f), 1e-6
    for n in (0, 1, 2, 3, 4, 5, 10):
        assert compiled(1.5, n) == pytest.approx(f(1.5, n), rel=1e-12)
        difference = (f(1.5 + h, n) - f(1.5 - h, n)) / (2 * h)
        assert slope(1.5, n) == pytest.approx(difference, rel=1e-6)


def pushed_twice(x):
    queue, total = [x], 0.0
    while queue:
        d = heapq.heappop(queue)
        total += d
        if d < 2.0:
            heapq.heappush(queue, d + 1.0)
            heapq.heappush(queue, d + 2.0)
    return total


def pushed_in_a_loop(x):
    queue, total = [x], 0.0
    while queue:
        d = heapq.heappop(queue)
        total += d * d
        for k in range(3):
            if d < 3.0:
                heapq.heappush(queue, d + 1.0 + k)
    return total


@pytest.mark.parametrize("f", [pushed_twice, pushed_in_a_loop])
def test_heaps_that_grow_without_a_bound(f):
    compiled, slope, h = myia.jit(f), myia.grad(f), 1e-6
    for x in (5.0, 1.5, 0.5, -2.25):
        assert compiled(x) == pytest.approx(f(x), rel=1e-12)
        assert slope(x) == pytest.approx((f(x + h) - f(x - h)) / (2 * h), rel=1e-6)


def test_shortest_paths():
    def distances(w):
        n = len(w)
        found = [1e9] * n
        found[0] = 0.0
        queue = [(0.0, 0)]
        while queue:
            d, u = heapq.heappop(queue)
            if d > found[u]:
                continue
            for v in range(n):
                if w[u, v] > 0 and d + w[u, v] < found[v]:
                    found[v] = d + w[u, v]
                    heapq.heappush(queue, (found[v], v))
        return sum(found)

    w = np.random.default_rng(0).random((5, 5))
    assert myia.jit(distances)(w) == pytest.approx(distances(w), rel=1e-12)
