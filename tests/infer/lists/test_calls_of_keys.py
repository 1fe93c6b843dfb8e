"""How often `sorted`, `list.sort` and `heapq` call a key, and `min` and `max` a comparison."""

import heapq

import numpy as np
import pytest

import myia


class Item:
    def __init__(self, v):
        self.v = v


class Rank:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return self.v < other.v


def counted(a, b, c):
    xs, n = [a, b, c], 0

    def key(v):
        nonlocal n
        n += 1
        return v

    xs.sort(key=key)
    return n, xs, sorted((c, b), key=key, reverse=True), n


def counted_keys_of_other_kinds(a, b, c):
    n = 0

    def call(key, x):
        nonlocal n
        n += 1
        return key(x)

    objects = [Item(a), Item(b), Item(c)]
    arrays = [np.array([a, b]), np.array([c, b])]
    return (
        [o.v for o in sorted(objects, key=lambda o: call(lambda x: x.v, o))],
        [o.v for o in sorted(objects, key=lambda o: call(lambda x: Rank(x.v), o))],
        sorted([a, b, c], key=lambda v: call(lambda x: (x, 1), v)),
        sorted({1, 2, 3}, key=lambda v: call(lambda x: x * a, v)),
        sorted([a, b, c], key=lambda v: call(lambda x: 1 if x > 2.0 else x, v)),
        [float(y[0]) for y in sorted(arrays, key=lambda y: call(lambda x: x[0], y))],
        sorted([Item(a)], key=lambda o: call(lambda x: x.v, o))[0].v,
        n,
    )


class Counting:
    def __init__(self, v):
        self.v, self.calls = v, 0

    def __lt__(self, other):
        self.calls += 1
        return self.v < other.v

    def __gt__(self, other):
        self.calls += 1
        return self.v > other.v


def comparisons(a, b, c):
    xs = [Counting(a), Counting(b), Counting(c)]
    some = []
    for k in range(int(abs(a)) + 1):
        some.append(Counting(k * b))
    found = min(xs).v, max(xs).v, min(xs[:1]).v, min(xs[0], xs[1]).v, min(some).v
    pairs = min([(1.0, xs[2]), (1.0, xs[1])])[1].v
    return found, pairs, [x.calls for x in xs], some[0].calls, sum([x.calls for x in some])


def printed(a, b, c):
    def key(v):
        print("key of", v)
        return -v

    largest = heapq.nlargest(2, [a, b, c], key=key)
    return sorted([a, b, c], key=key), largest, heapq.nsmallest(1, [b, c], key=key)


def drawn(a, b, c):
    rng = np.random.default_rng(0)
    return sorted([a, b, c], key=lambda v: rng.random()), rng.random()


PROGRAMS = [counted, counted_keys_of_other_kinds, comparisons, printed, drawn]


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python(f, capfd):
    compiled = myia.jit(f)
    for numbers in ((3.0, 2.0, 1.0), (0.5, 0.7, -2.0)):
        wanted = f(*numbers), capfd.readouterr().out
        assert (compiled(*numbers), capfd.readouterr().out) == wanted


def reads_the_list(a, b, c):
    xs = [a, b, c]
    xs.sort(key=lambda v: len(xs) - v)
    return xs


def reads_a_list_of_a_loop(a, b, c):
    xs = [(a - i) ** 2 * b for i in range(12)]
    xs.sort(key=lambda v: len(xs) - v + c)
    return xs


@pytest.mark.parametrize("f", [reads_the_list, reads_a_list_of_a_loop])
def test_a_key_that_reads_the_list_that_is_sorted(f):
    """Python has emptied it."""
    with pytest.raises(myia.MyiaError, match=r"reads the list that is sorted"):
        myia.jit(f)(3.0, 2.0, 1.0)
