"""Functions of Python that act on names, comparisons and known values."""

import functools
import itertools
import re

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_value_and_derivative


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


@functools.total_ordering
class Version:
    def __init__(self, major, minor):
        self.major, self.minor = major, minor

    def __eq__(self, other):
        return (self.major, self.minor) == (other.major, other.minor)

    def __lt__(self, other):
        if not isinstance(other, Version):
            return NotImplemented
        return (self.major, self.minor) < (other.major, other.minor)


def attributes(x):
    p = Point(x, 2.0)
    q = p
    for name in ("x", "y", "z"):
        setattr(p, name, getattr(p, name, x) * x)
    if x > 0.6:
        q.y = x
    return q.x + p.y * q.z


def ordered(x):
    a, b, c = Version(x, 1.0), Version(x, 2.0), Version(1.0, x)
    y = x * x if a <= b and c > a and not a >= b else x
    return y + (x if a >= Version(x, 1.0) and a <= Version(x, 1.0) else 1.0)


def ordered_in_a_function(x):
    @functools.total_ordering
    class Length:
        def __init__(self, v):
            self.v = v

        def __eq__(self, other):
            return self.v == other.v

        def __gt__(self, other):
            return self.v * x > other.v * x

    return (x if Length(x) >= Length(0.5) else 1.0) * (x if Length(x) < Length(0.6) else 2.0)


def by_comparison(x):
    xs = [x, 2.0, x * x, 0.35, -1.0]
    nearest = functools.cmp_to_key(lambda a, b: abs(a - 0.5) - abs(b - 0.5))
    ys = sorted(xs, key=nearest)
    xs.sort(key=functools.cmp_to_key(lambda a, b: (b > a) - (b < a)))
    return sum(k * v for k, v in enumerate(ys)) + xs[0] * xs[1] ** 2


def stable(x):
    rows = [(int(4 * x), 1.0), (1, x), (2, 3.0), (1, 4.0), (2, x * x)]
    first = functools.cmp_to_key(lambda a, b: a[0] - b[0])
    up, down = sorted(rows, key=first), sorted(rows, key=first, reverse=True)
    return sum(k * v for k, (_, v) in enumerate(up)) + up[0][1] * sum(
        k * v for k, (_, v) in enumerate(down)
    )


def until(x):
    y = [x]

    def step():
        y[0] = y[0] * 1.5
        return 0 if y[0] > 4.0 else 1

    rest = iter([x, x * x, -1.0, 5.0])
    return sum(k * y[0] for k in iter(step, 0)) + sum(iter(lambda: next(rest), -1.0))


def known(x):
    digits = int("ff", 16) + int("1_000") + int("0b11", base=0) + bin(6).count("1")
    return x * digits * (1 + hash((1, 2.0)) % 7) + (x if hex(255) + oct(8) == "0xff0o10" else 0.0)


@pytest.mark.parametrize(
    "f",
    [attributes, ordered, ordered_in_a_function, by_comparison, stable, until, known],
)
def test_value_and_derivative(f):
    assert_value_and_derivative(f, 0.7)
    assert myia.jit(f)(0.45) == pytest.approx(f(0.45), rel=1e-12)


def test_second_derivative():
    h, slope = 1e-5, myia.grad(by_comparison)
    bend = (slope(0.7 + h) - slope(0.7 - h)) / (2 * h)
    assert myia.grad(slope)(0.7) == pytest.approx(bend, rel=1e-7)


def parts(a, n):
    total = 0.0
    for i, v in enumerate(itertools.islice(a, int(n[0]), int(n[1]), int(n[2]))):
        total += (i + 1) * v * v
    return total + sum(itertools.islice(map(lambda v: v * v, a), int(n[1])))


@pytest.mark.parametrize("n", [(1, 6, 2), (4, 2, 3), (2, 100, 1)])
def test_islice(n):
    a, n = np.arange(1.0, 7.0), np.array(n)
    assert myia.jit(parts)(a, n) == parts(a, n)
    h = 1e-6
    slope = myia.grad(parts)(a, n)
    for i in range(6):
        step = h * (np.arange(6) == i)
        wanted = (parts(a + step, n) - parts(a - step, n)) / (2 * h)
        assert slope[i] == pytest.approx(wanted, rel=1e-6, abs=1e-8)


def test_islice_in_a_loop_that_is_unrolled():
    def f(x):
        return sum(sum(itertools.islice([x, x * x, 2.0], k)) for k in range(4))

    assert_value_and_derivative(f, 0.7)


@pytest.mark.parametrize("n", [(-1, 2, 1), (0, -2, 1), (0, 2, 0)])
def test_errors_of_islice(n):
    with pytest.raises(ValueError) as wanted:
        parts(np.arange(6.0), n)
    with pytest.raises(ValueError, match=re.escape(str(wanted.value))):
        myia.jit(parts)(np.arange(6.0), np.array(n))


@pytest.mark.parametrize(
    "f, text",
    [
        (lambda x: hash(x), "`hash` of"),
        (lambda x: hash("a") * x, "`hash` of"),
        (lambda x: id(x) * x, "compare objects by `is`"),
        (lambda x: min([x, 2.0], key=functools.cmp_to_key(lambda a, b: a - b)), "cmp_to_key"),
        (lambda x: setattr(Point(x, x), str(x), x), "the name of an attribute"),
        (lambda x: int("zz", 16) * x, "invalid literal"),
    ],
)
def test_refused(f, text):
    with pytest.raises((MyiaError, ValueError), match=text):
        myia.jit(f)(0.7)


# ----- Caches of inner functions


def cheapest_path(x, costs):
    n = len(costs)

    @functools.cache
    def cost(i, j):
        if i == 0 and j == 0:
            return costs[0, 0] * x
        best = np.inf
        if i:
            best = min(best, cost(i - 1, j))
        if j:
            best = min(best, cost(i, j - 1))
        return best + costs[i, j] * x

    return cost(n - 1, n - 1)


def kept_after_a_change(x, costs):
    k = 1.0

    @functools.cache
    def scaled(t):
        return x * k * t

    before, k = scaled(2.0), 5.0
    return before + scaled(2.0)


def calls_counted(x, costs):
    calls = []

    @functools.lru_cache
    def line(t, s=1):
        calls.append(t)
        return x * t + s

    y = line(2) + line(2) + line(2.0) + line(True) + line(1) + line(3, s=4) + line(3, s=4)
    return y + len(calls)


def typed(x, costs):
    calls = []

    @functools.lru_cache(typed=True)
    def line(t, s):
        calls.append(t)
        return x * t + s

    return line(1, 2) + line(1.0, 2) + line(1, 2) + len(calls)


def changed_by_the_loop_around(x, costs):
    k = total = 0.0

    @functools.cache
    def scaled(t):
        return x * k * t

    for i in range(1, 5):
        k += i
        total += scaled(2)
    return total


def one_list(x, costs):
    @functools.cache
    def basis(i, p):
        if p == 0:
            return [x, float(i)]
        return [basis(i, p - 1)[0] * 0.5 + basis(i + 1, p - 1)[1], 1.0]

    basis(0, 3)[1] += 1
    return sum(basis(0, 3))


@pytest.mark.parametrize(
    "f",
    [
        cheapest_path,
        kept_after_a_change,
        calls_counted,
        typed,
        changed_by_the_loop_around,
        one_list,
    ],
)
def test_caches_of_inner_functions(f):
    costs = np.random.default_rng(0).uniform(size=(6, 6))
    assert myia.jit(f)(1.3, costs) == pytest.approx(f(1.3, costs), rel=1e-14)
    slope = (f(2.3, costs) - f(0.3, costs)) / 2.0  # linear in x
    assert myia.grad(f)(1.3, costs) == pytest.approx(slope, rel=1e-12)


def test_caches_of_run_time_arguments_are_refused():
    def squares(x):
        @functools.cache
        def square(t):
            return t * t

        return square(x) + square(x)

    with pytest.raises(myia.MyiaError, match="known only at run time"):
        myia.jit(squares)(1.3)
