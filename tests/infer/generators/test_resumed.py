"""Generators resumed where they stopped: `next`, `send`, loops after loops, several in turns."""

import itertools

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_same, inferred, run

X = np.array([0.5, 1.5, -0.7, 2.0, 0.3])


def newton(a):
    y = a
    while True:
        yield y
        y = 0.5 * (y + a / y)


def squares(n, c):
    for i in range(n):
        yield c * i * i


def primes():
    n = 2
    while True:
        for p in range(2, n):
            if n % p == 0:
                break
        else:
            yield n
        n += 1


def merged(a, b):
    xs, ys = iter(a), iter(b)
    x, y = next(xs, None), next(ys, None)
    while x is not None and y is not None:
        if x <= y:
            yield x
            x = next(xs, None)
        else:
            yield y
            y = next(ys, None)
    while x is not None:
        yield x
        x = next(xs, None)
    while y is not None:
        yield y
        y = next(ys, None)


def until_it_converges(x):
    g = newton(x[1])
    before, y = next(g), next(g)
    while abs(y - before) > 1e-9:
        before, y = y, next(g)
    return y * x[0] + next(g)


def static_and_dynamic(x):
    """The first primes are compile-time values, later ones are not."""
    g, total = primes(), 0.0
    for _ in range(3):
        total = total * x[0] + next(g)
    while total < 40.0:
        total += x[1] * next(g)
    return total


def merges(x):
    total = 0.0
    for k, v in enumerate(merged(squares(4, x[0]), squares(3, x[1]))):
        total = 0.8 * total + v * (k + 1)
    return total


def goes_on(x):
    g, total = squares(9, x[0]), 0.0
    for v in g:
        total += v
        if total > 2.0:
            break
    for v in g:
        total = 0.5 * total + v
        if total > x[3]:
            break
    return total + next(g) + 10 * sum(g) + 100 * sum(g) + next(g, x[4])


def head(g, n):
    found = []
    for v in g:
        found.append(v)
        if len(found) == n:
            break
    return found


def helpers(x):
    g = newton(x[3])
    return sum(head(g, 2)) * x[0] + sum(head(g, 3))


def functions_take_what_they_need(x):
    g = squares(9, x[1])
    few = list(itertools.takewhile(lambda v: v < 10, g))
    some = list(itertools.islice(g, 2))
    found = any(v > 50 for v in squares(9, x[1]))
    return sum(few) + 3 * sum(some) + 5 * next(g) + sum(g) + found


def in_turns(x):
    g, h, total = newton(x[1]), squares(30, x[0]), x[3]
    while total < 30.0:
        if np.sin(total) > 0:
            total += next(g)
        else:
            total += next(h) + 0.1
    return total


def swapped(x):
    g, h, total = newton(x[1]), squares(9, x[0]), 0.0
    for _ in range(5):
        total = 0.5 * total + next(g)
        g, h = h, g
    return total


def zips(x):
    total = 0.0
    for a, b in zip(squares(5, x[0]), squares(7, x[1])):
        total = 0.5 * total + a * b
    triples = zip(squares(7, x[1]), x, squares(9, x[3]))
    for i, (a, b, c) in enumerate(triples):
        total += a * b * c * i
    for a, b in zip(newton(x[1]), newton(x[3])):
        total += a * b
        if abs(a * a - x[1]) < 1e-6:
            break
    return total


def rests_after_zip(x):
    """The shorter one ends it; of those before, one item more is gone."""
    g, h, k = squares(5, x[0]), squares(3, x[1]), squares(9, x[3])
    total = sum(a * b * c for a, b, c in zip(g, h, k))
    return total + next(g) + 10 * next(k)


def pairs_of_one(x):
    it, total = iter(x[:4]), 0.0
    for a, b in zip(it, it):
        total = 0.3 * total + a * b
    return total


def chunks(x):
    it, total = iter(x), 0.0
    while True:
        part = list(itertools.islice(it, 2))
        if not part:
            break
        total = 0.5 * total + sum(part)
    return total


def an_array_one_by_one(x):
    it = iter(x)
    v = total = next(it)
    while v < 1.9:
        v = next(it)
        total += v * v
    return total + 10 * sum(it)


def arrays(x):
    """The array that is yielded is the one that the generator goes on changing."""

    def states():
        a, i = np.zeros(3), 0
        while True:
            a[i % 3] += x[1] * (i + 1)
            i += 1
            yield a

    g, total = states(), 0.0
    first = next(g)
    while total < 50.0:
        total += np.sum(next(g)) * 0.5
    return total + first[1]


def pairs(n):
    for i in range(n):
        for j in range(i):
            yield i, j


def nested_loops(x):
    g, total = pairs(5), 0.0
    i, j = next(g)
    while i + j < 5:
        total += x[0] ** i * (j + 1)
        i, j = next(g)
    return total + sum(a * b for a, b in g)


def tree(n, c):
    if n == 0:
        return
    yield from tree(n - 1, c * 0.5)
    yield c
    yield from tree(n - 1, c * 0.7)


def recursion(x):
    g = tree(2, x[1])
    total = next(g) * 2
    for v in g:
        total = 0.8 * total + v
    return total


def mean(first):
    total, n, found = 0.0, 0, first
    while True:
        total += yield found
        n += 1
        found = total / n


def sends(x):
    g, total, k = mean(x[0]), 0.0, 0
    v = next(g)
    for w in x:
        total = 0.5 * total + g.send(w)
    while total < 20.0:
        v = g.send(x[1] * k)
        total += v
        k += 1
    g.close()
    return total + next(g, x[4])


def inner(c):
    yield c
    yield 2 * c
    return c * c


def outer(c):
    square = yield from inner(c)
    yield square + 1.0
    return (yield from inner(square))


def delegates(x):
    total = 0.0
    for v in outer(x[1]):
        total = 0.9 * total + v
    for v in outer(x[0]):
        total += v
        if v > 1.0:
            break

    def last():
        yield 10 * (yield_of := 1.0)
        result = yield from outer(x[3])
        yield result * yield_of

    g = last()
    return total + next(g) + next(g) + 7 * sum(g)


class Source:
    def __init__(self, x):
        self.x = x
        self.items = self.run()

    def run(self):
        while True:
            yield self.x
            self.x = self.x * 1.1

    def take(self):
        return next(self.items)


def methods(x):
    source, total = Source(x[1]), 0.0
    for _ in range(4):
        total = 0.5 * total + source.take()
    source.x = x[3]
    return total + source.take() + source.take()


def in_a_branch(x):
    g, total = newton(x[1]), 0.0
    if x[0] > 0:
        total = next(g)
    for k in range(3):
        if total < k * x[1]:
            total += next(g)
    return total


def ends(x):
    g, total = squares(2, x[1]), 0.0
    try:
        while True:
            total += next(g) + 1.0
    except StopIteration:
        total *= 2
    return total + next(g, 5.0)


PROGRAMS = [
    *(until_it_converges, static_and_dynamic, merges, goes_on, helpers),
    *(functions_take_what_they_need, in_turns, swapped, zips, rests_after_zip, pairs_of_one),
    *(chunks, an_array_one_by_one, arrays, nested_loops, recursion, sends, delegates, methods),
    *(in_a_branch, ends),
]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("scale", [1.0, 1.2])
def test_values(f, scale):
    x = X * scale
    try:
        wanted = f(x.copy())
    except (RuntimeError, StopIteration) as error:
        with pytest.raises(type(error)):
            run(f, x.copy())
    else:
        assert_same(run(f, x.copy()), wanted, rtol=1e-12)


@pytest.mark.parametrize("f", [in_turns, sends])
def test_derivatives(f):
    h, v = 1e-6, np.array([0.3, -0.2, 0.5, 0.1, 0.7])
    gradient = myia.grad(f)
    central = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(5)]
    np.testing.assert_allclose(gradient(X), central, rtol=1e-6, atol=1e-7)
    second = myia.grad(lambda x: np.sum(gradient(x) * v))(X)
    central = (gradient(X + h * v) - gradient(X - h * v)) / (2 * h)
    np.testing.assert_allclose(second, central, rtol=1e-5, atol=1e-6)


def starts_with_a_value(x):
    return mean(x[0]).send(x[1])


def takes_of_itself(x):
    def g():
        yield next(kept[0])

    kept = []
    kept.append(g())
    return next(kept[0]) + x[0]


def through_yield_from(x):
    def g():
        yield from mean(x[0])

    h = g()
    next(h)
    return h.send(x[1])


def thrown_into(x):
    return squares(3, x[0]).throw(ValueError)


@pytest.mark.parametrize(
    "f, message",
    [
        (starts_with_a_value, "can't send non-None value to a just-started generator"),
        (takes_of_itself, "generator already executing"),
        (through_yield_from, "sending a value through `yield from` is not supported"),
        (thrown_into, "the attribute `throw` of .* is not supported"),
    ],
)
def test_errors(f, message):
    with pytest.raises(MyiaError, match=message):
        inferred(f, X)


def no_item_inside(x):
    def g():
        yield next(iter(x[:0]))

    return next(g())


def test_no_item_inside_of_a_generator():
    with pytest.raises(RuntimeError, match="generator raised StopIteration"):
        run(no_item_inside, X)
