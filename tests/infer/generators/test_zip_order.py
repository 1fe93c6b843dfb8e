"""`zip` of a generator takes items in Python's order, and asks for lengths when Python does."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import myia
from myia import MyiaError


def powers(x, n):
    for i in range(n):
        yield x * i + 1


def read_before_the_generator_writes(x, n):
    a = np.ones(n)

    def writer():
        for i in range(n):
            a[i] += x
            yield i

    s = 0.0
    for u, i in zip(a, writer()):
        s += u * (i + 1)
    return s * x


def mapped_before_the_generator_writes(x, n):
    a = np.ones(n)

    def writer():
        for i in range(n):
            a[i] *= x
            yield a[i]

    s = 0.0
    for v in map(operator.mul, a, writer()):
        s = s * x + v
    return s


def list_that_grows(x, n):
    xs, s = [x, 2.0], 0.0
    for u, v in zip(powers(x, n), xs):
        s += u * v
        if len(xs) < 5:
            xs.append(s)
    return s


def list_that_shrinks(x, n):
    xs, s = [x, 2.0, 3.0, 4.0], 0.0
    for u, v in zip(powers(x, n), xs):
        s += u * v
        if s > 2:
            xs.pop()
    return s


def sent_or_none(x, n):
    def doubled():
        v = yield 0.0
        if v is not None:
            yield v * 2
        yield 3.0 * x

    g = doubled()
    next(g)
    return g.send(x if x > n else None)


def until_none(x, n):
    c, s = [0], 0.0

    def f():
        c[0] += 1
        return x * c[0] if c[0] < 4 else None

    for v in iter(f, x * 2 if x > n else None):
        s += v
    return s


PROGRAMS = [
    read_before_the_generator_writes,
    mapped_before_the_generator_writes,
    list_that_grows,
    list_that_shrinks,
    sent_or_none,
    until_none,
]


@pytest.mark.parametrize("n", [0, 1, 2, 4])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(f, n):
    x, h = 1.3, 1e-4
    assert myia.jit(f)(x, n) == pytest.approx(f(x, n), rel=1e-12)
    slope = (f(x + h, n) - f(x - h, n)) / (2 * h)
    assert myia.grad(f)(x, n) == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_an_iterator_that_was_taken_in_part_is_refused():
    def f(x, n):
        it = iter([x, 2.0, 3.0, 4.0])
        s = next(it)
        for u, v in zip(it, powers(x, n)):
            s += u * v
        return s

    with pytest.raises(MyiaError, match="of which items were taken"):
        myia.jit(f)(1.3, 6)
