"""`sorted`, `list.sort`, `min` and `max` by keys, `heapq` and `bisect`, of run-time numbers."""

import bisect
import heapq
import warnings

import numpy as np
import pytest

import myia
from tests.infer.driver import run
from tests.infer.lists.test_list_edits import LONG, SHORT, assert_same, outcome, weighted


def sorted_numbers(xs, v):
    return sorted(xs), sorted(x * v for x in xs)[0], sorted(xs, reverse=True)


def sorted_beside_constants_of_numpy(xs, v):
    c = np.tanh(0.5)
    return (
        float(sorted([v, c, xs[0]])[1]),
        sorted([(c, 1), (v, 2)])[1][1],
        sorted([v, xs[1]], key=lambda _: c),
    )


def sorted_by_key(xs, v):
    near = sorted(xs, key=lambda x: abs(x - v))
    stable = sorted(xs, key=lambda x: int(x) // 3), sorted(xs, key=int, reverse=True)
    return near, *stable


def sorted_tuples(xs, v):
    pairs = [(int(x), i * v) for i, x in enumerate(xs)]
    return sorted(pairs), sorted(pairs, key=lambda p: (p[0] % 3, -p[1]))[:2]


def sorted_in_place(xs, v):
    ys = xs
    xs.sort(key=lambda x: -x * v)
    xs[0] += 1.0
    xs.sort()
    return weighted(ys), xs


def sorted_part(xs, v):
    part = xs[: int(v) + 1]
    part.sort(reverse=True)
    return part, sorted(part)


def sorted_rows(xs, v):
    rows = [[x, x * v, 1.0, 2.0, 3.0, 4.0, 5.0] for x in xs]
    order = sorted(range(len(rows)), key=lambda i: rows[i][1])
    return order


def extrema(xs, v):
    largest = max(xs, key=lambda x: -abs(x - v)), max(range(len(xs)), key=lambda i: xs[i])
    least = min(xs, key=lambda x: int(x) % 3), min((x * v, i) for i, x in enumerate(xs))
    return *largest, *least, min(xs[0], xs[1], v, key=lambda x: -x)


def keys_called_once(xs, v):
    calls = [0]

    def key(x):
        calls[0] += 1
        return x * v

    return max(xs, key=key), min(xs, key=key), calls[0]


def extrema_of_both_types(xs, v):
    return max(xs, key=lambda x: -x), max(range(len(xs)), key=lambda i: -xs[i])


def heapsort(xs, v):
    heap = []
    for x in xs:
        heapq.heappush(heap, x * v)
    return [heapq.heappop(heap) for _ in range(len(xs))]


def heap_of_a_list(xs, v):
    heapq.heapify(xs)
    found = heapq.heappushpop(xs, v), heapq.heapreplace(xs, 2.0 * v), heapq.heappushpop(xs, -v)
    return *found, xs


def events(xs, v):
    heap = [(x, i) for i, x in enumerate(xs)]
    heapq.heapify(heap)
    total = 0.0
    for _ in range(2 * len(xs)):
        t, i = heapq.heappop(heap)
        total = 0.5 * total + t * (i + 1)
        heapq.heappush(heap, (t * v + i, i))
    return total, len(heap), heap[0]


def some(xs, v):
    return heapq.nsmallest(3, xs), heapq.nlargest(2, xs, key=lambda x: abs(x - v))


def bisection(xs, v):
    ys = sorted(xs)
    found = bisect.bisect_left(ys, ys[2]), bisect.bisect_right(ys, ys[2]), bisect.bisect(ys, v)
    return *found, bisect.bisect_left(np.array(ys), v), bisect.bisect_left(ys, v, 1, 4)


def insertions(xs, v):
    ys = []
    for x in xs:
        bisect.insort(ys, x * v)
    bisect.insort_left(ys, ys[1])
    return ys


def empty_heap(xs, v):
    heap = [v]
    heapq.heappop(heap)
    return heapq.heappop(heap)


def nan_sorted(xs, v):
    return sorted([v - v, *xs, (v - v) / (v - v + 0.0 * xs[0])])


PROGRAMS = [
    *(
        sorted_numbers,
        sorted_beside_constants_of_numpy,
        sorted_by_key,
        sorted_tuples,
        sorted_in_place,
        sorted_part,
        sorted_rows,
    ),
    *(extrema, keys_called_once, extrema_of_both_types, heapsort, heap_of_a_list, events, some),
    *(bisection, insertions, empty_heap),
]


@pytest.mark.parametrize("xs", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(f, xs):
    compiled = myia.jit(f)
    for v in (2.0, 1.5):
        assert_same(outcome(compiled, list(xs), v), outcome(f, list(xs), v))


def test_nan_has_no_order():
    with pytest.raises(ValueError, match="NaN"):
        myia.jit(lambda xs: sorted(xs))([2.0, float("nan"), 1.0])


DISTINCT = [((7 * i) % 11) + 0.3 * i for i in range(10)]
DIFFERENTIABLE = [
    lambda xs, v: weighted(sorted(x * v for x in xs)),
    lambda xs, v: weighted(sorted(xs, key=lambda x: abs(x - v), reverse=True)) * v,
    lambda xs, v: weighted([b for a, b in sorted([(x, x * v) for x in xs])]),
    lambda xs, v: max(xs, key=lambda x: -abs(x - v)) * min(xs, key=lambda x: x * x),
    lambda xs, v: weighted(insertions(xs, v)),
    lambda xs, v: sum(heapq.nsmallest(3, [x * v for x in xs])) ** 2,
]
HEAPS = [lambda xs, v: weighted(heapsort(xs, v)), lambda xs, v: events(xs, v)[0]]


@pytest.mark.parametrize("xs", [DISTINCT[:4], DISTINCT], ids=["short", "long"])
@pytest.mark.parametrize("order", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("k", range(len(DIFFERENTIABLE)))
def test_derivatives(k, order, xs):
    f = DIFFERENTIABLE[k]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        myia.check_grads(lambda xs, v: f(xs, v) * 1e-3, (xs, 1.3), order=order)


@pytest.mark.parametrize("k", range(len(HEAPS)))
def test_derivatives_of_heaps(k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        myia.check_grads(lambda xs, v: HEAPS[k](xs, v) * 1e-3, (DISTINCT, 1.3), order=1)


@pytest.mark.slow
def test_second_derivatives_of_a_heap():
    def program(xs, v):
        heapq.heapify(xs)
        least = heapq.heapreplace(xs, v * v)
        return least * xs[0] * xs[1]

    def of(xs, v):
        return program([x * v for x in xs], v)

    myia.check_grads(of, (DISTINCT[:4], 1.3), order=2)


def test_a_queue_in_a_loop_is_a_loop():
    def ops(n):
        return myia.jit(events).ir([float(i) for i in range(n)], 1.5)["typed"].count("\n")

    assert ops(200) - ops(100) <= 600


def sorted_by_another_loop(v):
    xs = [v, 2.0]
    z = v
    while z < 2.5:
        xs.append(0.5)
        z += 0.4
        ys = [0.7, v]
        w = v
        while w < 2.5:
            ys.append(v)
            w += 0.4
            xs.sort(key=abs)
        xs = [z, 1.0]
        u = v
        while u < 2.5:
            xs.append(w - u)
            u += 0.4
        xs[-1] += v
    return sum(xs)


def test_keys_of_a_list_that_has_more_room():
    """Of three items that have room for more: the list of their keys is made of three."""
    for v in (0.3, 1.4, 5.0):
        assert run(sorted_by_another_loop, v) == pytest.approx(sorted_by_another_loop(v), rel=1e-14)
