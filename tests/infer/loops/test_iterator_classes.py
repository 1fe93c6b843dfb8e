"""Instances with `__next__`: loops over them, `next`, and functions of iterables."""

import itertools

import numpy as np
import pytest

import myia
from tests.infer.driver import outcome


class Halves:
    def __init__(self, x, n):
        self.x, self.n, self.taken = x, n, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.taken >= self.n:
            raise StopIteration
        self.taken += 1
        self.x *= 0.5
        return self.x


class Endless:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return self

    def __next__(self):
        self.x = self.x * 1.5 + 0.125
        return self.x


class Series:
    """Each loop over it has an iterator of its own."""

    def __init__(self, x, n):
        self.x, self.n = x, n

    def __iter__(self):
        return Halves(self.x, self.n)


class Checked(Halves):
    def __next__(self):
        item = super().__next__()
        if item < 0.1:
            raise ValueError("too small")
        return item


def total(x, n):
    s = 0.0
    for v in Halves(x, n):
        s += v * v
    return s


def until_large(x, n):
    s = 0.0
    for v in Endless(x):
        if v > n + 1:
            break
        s += v
    return s


def left_and_resumed(x, n):
    items, s = Halves(x, n), 0.0
    for i, v in enumerate(items):
        if i == 1:
            break
        s += v
    for v in items:
        s += 10.0 * v
    return s + items.taken


def one_by_one(x, n):
    items = Halves(x, n)
    return next(items, 7.0) + sum(items) + next(items, 5.0)


def side_by_side(x, n):
    series = Series(x, n)
    return sum(v * w for v, w in zip(series, series))


def nested(x, n):
    s, series = 0.0, Series(x, n)
    for v in series:
        for w in series:
            s += v * w
    return s


def inner_loop_takes_all(x, n):
    s, items = 0.0, Halves(x, n)
    for v in items:
        for w in items:
            s += v * w
    return s


def functions(x, n):
    items = [3.0, *Halves(x, n)]
    return max(items) + sum(itertools.islice(Endless(x), 2)) + sum(map(abs, Halves(x, n)))


def in_a_generator(x, n):
    def outer():
        yield 2.0 * x
        yield from Halves(x, n)

    return sum(outer())


def its_error(x, n):
    return total(x, n) + sum(Checked(x, n))


def stop_of_next(x, n):
    items = Halves(x, n)
    next(items)
    return next(items) + next(items)


def is_itself(x, n):
    items = Halves(x, n)
    return x * (iter(items) is items) + items.n


def searched(x, n):
    items = Halves(x, n)
    found = 0.375 in items
    return found + 10.0 * items.taken + (x in Series(x, n)) + (0.75 not in Series(x, n))


def added_to_a_list(x, n):
    items = [x]
    items.extend(Halves(x, n))
    items += Series(x, n)
    return sum(items) * len(items)


def unpacked(x, n):
    a, b = Halves(x, n)
    return a * b


PROGRAMS = [
    *(total, until_large, left_and_resumed, one_by_one, side_by_side, nested),
    *(inner_loop_takes_all, functions, in_a_generator, its_error, stop_of_next, is_itself),
    *(searched, added_to_a_list),
]


@pytest.mark.parametrize("f", [*PROGRAMS, unpacked])
@pytest.mark.parametrize("at_run_time", [False, True])
def test_values(f, at_run_time, capfd):
    if at_run_time and f is unpacked:
        return
    kinds = StopIteration, ValueError
    for n in range(4):
        k = np.array(n) if at_run_time else n
        assert outcome(capfd, kinds, myia.jit(f), 1.5, k) == outcome(capfd, kinds, f, 1.5, n), n


@pytest.mark.parametrize("f", [f for f in PROGRAMS if f not in (its_error, searched)])
def test_gradients(f):
    h = 1e-6
    expected = (f(1.5 + h, 3) - f(1.5 - h, 3)) / (2 * h)
    assert myia.grad(f)(1.5, np.array(3)) == pytest.approx(expected, rel=1e-7, abs=1e-8)


def test_without_iter_it_is_no_iterable():
    class Only:
        def __next__(self):
            return 1.0

    with pytest.raises(TypeError, match="not iterable"):
        myia.jit(lambda x: sum(v for v in Only()) + x)(1.0)


class Shelf:
    def __init__(self, x):
        self.items = [x, 2.0, x * x]

    def __reversed__(self):
        return reversed(self.items)


class Steps(Shelf):
    def __reversed__(self):
        yield 3.0 * self.items[0]
        yield self.items[2]


class Row:
    def __init__(self, x, n=3):
        self.x, self.n = x, n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return self.x + i


def in_reverse(x):
    total = 0.0
    for items in (Shelf(x), Steps(x), Row(x)):
        for v in reversed(items):
            total = 2.0 * total + v
    return total + next(reversed(Shelf(x)))


def test_reversed_asks_the_class():
    f = lambda x: (in_reverse(x), list(reversed(Steps(x))), [*reversed(Row(x))])  # noqa: E731
    assert myia.jit(f)(0.7) == f(0.7)
    h = 1e-6
    expected = (in_reverse(0.7 + h) - in_reverse(0.7 - h)) / (2 * h)
    assert myia.grad(in_reverse)(0.7) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(
    "make", [lambda x: Halves(x, 2), lambda x: x, lambda x: {1}, lambda x: None]
)
def test_what_is_not_reversible(make):
    f = lambda x: list(reversed(make(x)))  # noqa: E731
    with pytest.raises(TypeError) as wanted:
        f(0.7)
    with pytest.raises(TypeError) as found:
        myia.jit(f)(0.7)
    assert str(found.value).partition("\n")[0] == str(wanted.value)
