"""Numbers that change their kind in loops, handlers, generators and recursions, and in lists."""

from __future__ import annotations

import re

import numpy as np
import pytest

import myia
from myia.errors import MyiaError
from tests.infer.number_kinds.test_joins import A, assert_as_python


def largest(a, x):
    best = -1
    for v in a:
        if v > best + x:
            best = v
    return best, best + 100


def largest_of_some(a, x):
    best, i = -1, 0
    while i < x:
        if a[i] > best:
            best = a[i]
        i += 1
    return best, best - 1


def in_nested_loops(a, x):
    best = -1
    for i in range(int(x)):
        for j in range(int(x)):
            if a[j] * i > best:
                best = a[j] * i
    return best, best + 100


def sum_of_all(a, x):
    s = 0
    for v in a:
        s += v
    return s


def sum_of_some(a, x):
    s = 0
    for v in a:
        if v > x * 50:
            s += v
    return s, s - 1


def sum_of_any_number(a, x):
    s = 0
    for i in range(int(x) - 1):
        s += a[i]
    return s, s - 1


def previous_item(a, x):
    prev, t = 0, 0
    for v in a:
        t = t + abs(int(v) - int(prev)) + int(prev - 1 > 100)
        prev = v
    return t, prev


def float_that_meets_float32(a, x):
    s = x
    for v in a.astype(np.float32):
        s = s * v + 0.1
    return s


def float_that_meets_float32_any_number_of_times(a, x):
    w, s = a.astype(np.float32), x * 0.1
    for i in range(int(x) - 1):
        s = s * w[i] + 0.1
    return s


def swapped(a, x):
    p, q = np.float32(0.1), x * 0.1
    for _ in range(int(x)):
        p, q = q, p
    return p * 3, q * 3


def real_then_complex(a, x):
    z, w = x, 0
    for _ in range(3):
        z = z * z + complex(0.1, 0.2)
        w = w * w + complex(0.1, x)
    return z, w


def found_with_break(a, x):
    found = -1
    for v in a:
        if v > x * 50:
            found = v
            break
    else:
        found = 1000
    return found, found - 5


def found_with_return(a, x):
    for v in a:
        if v > x * 90:
            return v
    return -1


def caught(a, x):
    try:
        v = a[int(x)]
    except IndexError:
        v = -1
    return v, v - 1


def caught_beside_int8(a, x):
    try:
        v = int(a[int(x)]) * 1000
    except IndexError:
        v = np.int8(3)
    return v + 125


def next_or_default(a, x):
    return next((v for v in a if v > x * 50), -1)


def next_of_a_generator(a, x):
    def items():
        for v in a:
            if v > x * 90:
                yield v

    return next(items(), -1), sum([a[0], 1, int(x)])


def searched(a, i, x):
    if i >= len(a):
        return -1
    if a[i] > x:
        return a[i]
    return searched(a, i + 1, x)


def recursion(a, x):
    return searched(a, 0, x * 50), searched(a, int(x) - 1, x * 90) - 4


def product(a, i, x):
    if i >= x:
        return 0.1
    if a[i] > 250:
        return np.float32(a[i])
    return product(a, i + 1, x) * 3.0


def recursion_of_floats(a, x):
    return product(a, 0, x)


def list_of_both(a, x):
    xs = [-1]
    for v in a:
        xs.append(v if v > x * 50 else 1000)
    return xs


PROGRAMS = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__]
PROGRAMS = [f for f in PROGRAMS if f not in (searched, product)]


@pytest.mark.parametrize("x", [1.0, 1.1, 2.0, 3.0])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_number_is_what_it_is_in_each_iteration(f, x):
    assert_as_python(f, A, x)


def test_a_long_loop_has_one_kind_after_its_first_iteration():
    def f(a):
        s = 0
        for v in a:
            s += v
        return s

    a = np.arange(1000, dtype=np.int32)
    assert re.search(r"for %\S+ < \S+ \(%s\S* = %s\S*\) bound 999", myia.jit(f).ir(a)["typed"])
    assert_as_python(f, a)


# ----- Lists of run-time length have one kind


def appended(a, x):
    xs = []
    for i in range(int(x)):
        xs.append(a[i] if a[i] > 50 else -1)
    return xs


def appended_to_another(a, x):
    xs = [-1]
    for i in range(int(x)):
        xs.append(a[i])
    return xs


def stored(a, x):
    xs = [0] * 40
    for i in range(int(x)):
        xs[i * 3 % 40] = a[i]
    return sum(xs)


@pytest.mark.parametrize("f", [appended, appended_to_another, stored])
def test_refused_with_a_help(f):
    with pytest.raises(
        MyiaError, match=r"`int\(...\)` or `float\(...\)` of NumPy's number"
    ) as found:
        myia.jit(f)(A, 2.0)
    assert "-->" in str(found.value)


def test_a_list_of_one_kind():
    def f(a, x):
        xs = [0] * 40
        for i in range(int(x)):
            xs[i * 3 % 40] = int(a[i]) if a[i] > 50 else -1
        return xs[3], sum(xs)

    assert_as_python(f, A, 2.0)
