"""Items of dicts at keys that are known at run time: read, stored, missing."""

import enum
from collections import Counter, defaultdict

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError


class Level(enum.Enum):
    LOW = 1
    HIGH = 2


class Budget:
    def __init__(self):
        self.spent = {"food": 0.0, "rent": 0.0}

    def add(self, name, amount):
        self.spent[name] += amount


def by_number(x):
    sums = {0: 0.0, 1: 1.0, 2: x}
    for i in range(6):
        sums[int(i * x) % 3] += x * i
    return sums[0] * sums[1] + sums[2], sums


def counted(x):
    counts = Counter({0: 0, 1: 0, 2: 0})
    found = defaultdict(float, {0: 0.0, 1: 1.0})
    for i in range(6):
        counts[int(i * x) % 3] += 1
        found[int(i * x) % 2] += x
    return counts[0] * x + counts[1] * found[0] * found[1], counts, counts[int(9 * x)]


def by_name(x):
    budget, seen, levels = Budget(), {True: 0.0, False: 0.0}, {Level.LOW: x, Level.HIGH: 0.0}
    for v in [x, 1.0, 3.0, x * x]:
        budget.add("food" if v < 2 else "rent", v)
        seen[v > 1.5] += v
        levels[Level.LOW if v < 1.2 else Level.HIGH] *= v
    return budget.spent["food"] * budget.spent["rent"], budget.spent, seen[True], levels[Level.LOW]


def by_place(x):
    grid = {(i, j): 0.0 for i in range(2) for j in range(2)}
    for t in range(5):
        place = (int(t * x) % 2, t % 2)
        grid[place] += x * t
        grid[place[1], place[0]] *= x
    return grid[0, 0] * grid[1, 1] + grid[0, 1], grid


def missing(x):
    sums, lost, other = {0: 0.0, 1: 1.0, "a": x}, 0.0, 0
    for i in range(3):
        try:
            sums[int(i * x)] += x
        except KeyError as e:
            lost += x * e.args[0]
        try:
            sums["a" if i * x < 4 else "b"] += x
        except KeyError:
            other += 1
    return sums[0] * sums["a"] * lost, sums, other


def of_two_types(x):
    found = {0: 0, 1: 0}
    found[int(x)] += x
    name = "a" if x > 1 else "b"
    defaults = {"a": x, "b": 2.0}
    return found[0] + found[1] * x, defaults.setdefault(name, 5.0), defaults.get(name, 1.0) * x


def new_keys_of_unrolled_loops(x):
    powers = {0: 1.0}
    for i in range(1, 4):
        for j in range(3):
            powers[i] = powers.get(i, 0.0) + powers[i - 1] * x * j
    return powers[3], powers


def stored_in_a_while(x):
    last, i = {0: 1.0, 1: 2.0, 2: 0.0}, 0
    while i < x * 3:
        last[int(i * x * 0.3)] = x * i
        i += 1
    return last[0] + last[1] * last[2], last


PROGRAMS = [
    *(by_number, counted, by_name, by_place, missing, of_two_types),
    *(new_keys_of_unrolled_loops, stored_in_a_while),
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(f):
    for x in (1.7, 1.1):
        got, want = myia.jit(f)(x), f(x)
        assert str(got) == str(want) or all(map(agree, got, want))
        assert list(map(type, got)) == list(map(type, want))


def agree(a, b):
    if isinstance(a, dict):
        return list(a) == list(b) and all(agree(a[k], b[k]) for k in a)
    return a == pytest.approx(b, rel=1e-13)


@pytest.mark.parametrize("f", [by_number, by_name, missing], ids=lambda f: f.__name__)
def test_derivatives(f):
    def loss(x):
        return f(x)[0]

    first, second = myia.jvp(myia.grad(loss), (1.7,), (1.0,))
    h = 1e-4
    low, mid, high = loss(1.7 - h), loss(1.7), loss(1.7 + h)
    assert first == pytest.approx((high - low) / (2 * h), rel=1e-6)
    assert second == pytest.approx((high - 2 * mid + low) / h**2, rel=1e-5)


def test_an_array_of_labels():
    def sums(values, labels):
        found = dict.fromkeys((1, 2, 5), 0.0)
        for v, label in zip(values, labels):
            found[label] += v
        return found[1] * found[2] + found[5]

    values, labels = np.linspace(1.0, 2.0, 6), np.array([1, 2, 5, 2, 1, 5])
    assert myia.jit(sums)(values, labels) == pytest.approx(sums(values, labels), rel=1e-14)
    gradient = myia.grad(sums)(values, labels)
    want = {1: values[[1, 3]].sum(), 2: values[[0, 4]].sum(), 5: 1.0}
    np.testing.assert_allclose(gradient, [want[k] for k in labels], rtol=1e-14)
    with pytest.raises(KeyError, match="3"):
        myia.jit(sums)(values, np.array([1, 2, 3, 2, 1, 5]))


def test_new_keys_are_refused():
    def stored(x):
        found = {0: 1.0, 1: x}
        found[int(3 * x)] = x
        return found[0]

    def caught(x):
        try:
            return stored(x)
        except KeyError:  # which Python does not raise
            return 0.0

    def made(x):
        found = defaultdict(float)
        found[0] = x
        return found[int(3 * x)]

    def empty(x):
        found = {}
        found["low" if x < 1 else "high"] = x
        return x

    for f in (stored, caught, made):
        assert myia.jit(f)(0.1) == f(0.1)
        with pytest.raises(KeyError, match="give it all its keys first"):
            myia.jit(f)(1.7)
    with pytest.raises(MyiaError, match=r"dict\.fromkeys"):
        myia.jit(empty)(1.7)
