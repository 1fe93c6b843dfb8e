"""`collections.deque` that the program makes, against Python."""

import collections
import operator
from collections import deque

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_same, run


def methods(x):
    d = deque([x, 2 * x, 3 * x])
    d.append(x * x)
    d.appendleft(1.0)
    total = d.pop() + 2 * d.popleft()
    d.rotate(1)
    total += 3 * d[0] + 4 * d[-1] + len(d) + sum(d)
    d.extend([x * x, x])
    d.extendleft([1.0, x])
    d.rotate(-2)
    d[0] = 5 * x
    d.insert(1, 0.5)
    d.reverse()
    del d[0]
    e = d.copy()
    e.remove(0.5)
    for k, v in enumerate(d):
        total = 0.5 * total + v * k
    for v in reversed(e):
        total = 0.9 * total + v
    return total + d.count(x) + d.index(5 * x) + (x in d) + len(e) + max(e) + sorted(d)[0]


def kinds(x):
    d, e = deque([x, 2.0], maxlen=2), collections.deque([x, 2.0])
    e += [1.0]
    e.pop()
    found = (d == e, d == [x, 2.0], isinstance(d, deque), d.maxlen, bool(deque()), list(e))
    d.clear()
    return found, len(d), deque(np.arange(4.0) * x, 3)[0]


def windows(x):
    """Of static length, of a length that grows to `maxlen`, in a generator."""
    full, few, total, v = deque([0.0] * 3, maxlen=3), deque(maxlen=3), 0.0, x
    for k in range(9):
        full.appendleft(x * k)
        total += max(full)
    while v < 50.0:
        few.append(v)
        total += sum(few) / len(few)
        v = v * 1.5

    def means(xs, n):
        window = deque(maxlen=n)
        for v in xs:
            window.append(v)
            if len(window) == n:
                yield sum(window) / n

    for m in means(np.arange(12.0) * x, 3):
        total = 0.9 * total + m * m
    rest = means(np.arange(9.0) * x, 4)
    return total + next(rest) * next(rest)


def breadth_first(x):
    edges = np.array([[1, 2], [3, 4], [4, 5], [5, 5], [5, 5], [-1, -1]])
    distance = np.full(6, -1)
    distance[0] = 0
    queue, total = deque([0]), 0.0
    while queue:
        u = queue.popleft()
        total += x ** distance[u]
        for v in edges[u]:
            if v >= 0 and distance[v] < 0:
                distance[v] = distance[u] + 1
                queue.append(v)
    return total


def from_both_ends(x):
    d, n, v, total = deque(), 0, x, 0.0
    while v < 100.0:
        d.append((v, n))
        n += 1
        v *= 1.3
    d.rotate(n // 2)
    while len(d) > 1:
        (a, i), (b, j) = d.popleft(), d.pop()
        total += a * b * (j - i)
    return total


class Right:
    def __init__(self, v):
        self.v = v

    def __radd__(self, other):
        return self.v * len(other)


class Left(Right):
    def __radd__(self, other):
        return NotImplemented

    def __iter__(self):
        return iter([self.v, 4.0])


def operators(x):
    """Python asks a number or array of NumPy, and an instance, before the deque."""
    d, e = deque([x, 2.0], 3), deque([x * x])
    f, g, h = d + e, 2 * d, d * 0
    d += d
    e *= 3
    names = [e, e, e, e]
    e += Left(x)
    names[0] += np.array([1.0, x, x, 3.0, x])
    names[1] += np.float64(3.0)
    names[2] += Right(x)
    names[3] = e + np.ones(5)
    return list(f), list(g), len(h), list(d), d.maxlen, len(e), e[3], names[0], names[1:]


def number_of_operators(x):
    found = operators(x)
    return sum(found[0]) * sum(found[1]) + sum(found[3]) + found[6] + found[7] @ found[8][2]


def in_reverse(x):
    """Of known and of run-time length, in loops, by `next`, in functions of iterables."""
    d, e, total = deque([x, 2.0, 3.0]), deque(), 0.0
    for k in range(int(5 * x)):
        e.append(x * k)
    for v in reversed(d):
        total = 0.9 * total + v
    for k, v in enumerate(reversed(e)):
        total = 0.9 * total + v * k
    taken = reversed(d)
    first = next(taken)
    d[1] = 7.0 * x
    pairs = list(zip(e, reversed(e)))
    return (
        total,
        first,
        list(taken),
        list(reversed(e)),
        sorted(reversed(e)),
        pairs,
        sum(reversed(d)),
    )


def listed(x):
    """Iterators that a loop carries."""
    d = deque()
    for k in range(int(5 * x)):
        d.append(x * k)
    return list(enumerate(d)), list(iter(d)), list(map(lambda v: v * x, d)), list(d.__reversed__())


PROGRAMS = [operators, methods, kinds, windows, breadth_first, from_both_ends, in_reverse, listed]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values(f):
    for x in (0.7, 1.3):
        assert_same(run(f, x), f(x), rtol=1e-13)


@pytest.mark.parametrize("f", [windows, number_of_operators])
def test_derivatives(f):
    first = (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6
    assert myia.grad(f)(0.7) == pytest.approx(first, rel=1e-7)
    second = (f(0.7 + 1e-4) - 2 * f(0.7) + f(0.7 - 1e-4)) / 1e-8
    assert myia.grad(myia.grad(f))(0.7) == pytest.approx(second, rel=1e-4)


def test_as_a_result():
    found = run(lambda x: deque([x, 2.0], maxlen=3), 0.7)
    assert found == deque([0.7, 2.0]) and found.maxlen == 3


def changed(x):
    d, total = deque([1.0, 2.0]), x
    for v in d:
        if v > 1.0:
            d.append(4.0)
        total += v
    return total


TAKEN = [
    (iter, next), (iter, list), (iter, sum), (iter, lambda it: [v for v in it]),
    (reversed, next), (reversed, list), (reversed, sum), (reversed, sorted),
    (enumerate, list), (zip, list), (lambda d: zip(reversed(d)), list),
]  # fmt: skip


@pytest.mark.parametrize("make, take", TAKEN)
def test_an_iterator_of_before_a_change(make, take):
    """Python raises RuntimeError, whatever takes the items."""

    def f(x):
        d = deque([1.0, x])
        iterator = make(d)
        d.append(4.0)
        return take(iterator)

    with pytest.raises(RuntimeError):
        f(0.7)
    with pytest.raises(MyiaError, match="a deque that is changed while a loop runs over it"):
        run(f, 0.7)


@pytest.mark.parametrize(
    "f, error, message",
    [
        (lambda x: deque().popleft() + x, IndexError, "pop from an empty deque"),
        (lambda x: deque([x])[1], IndexError, "deque index out of range"),
        (lambda x: deque([x], 1).insert(0, x), IndexError, "deque already at its maximum size"),
        (
            lambda x: operator.add(deque([x]), [x]),
            TypeError,
            r'concatenate deque \(not "list"\) to deque',
        ),
        (changed, MyiaError, "a deque that is changed while a loop runs over it"),
    ],
)
def test_errors(f, error, message):
    with pytest.raises(error, match=message):
        run(f, 0.7)
