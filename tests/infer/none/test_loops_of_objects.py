"""Names that loops bind to None or an object, tested, and used where they are there."""

from __future__ import annotations

import numpy as np
import pytest

from tests.infer.driver import assert_value_and_derivative


class Object:
    def __init__(self, a, b=None):
        self.a, self.b = a, b

    def get(self):
        return self.a * 0.5


def of_objects(x):
    o = None
    s = 0.0
    for k in range(9):
        if o is None:
            o = Object(x * k)
        else:
            s += o.get() * 0.5
            if s > 3:
                o = None
    return s


def of_strings(x):
    o = None
    s = 0.0
    for k in range(9):
        if o is None:
            o = "a" if x * k > 2 else None
            s += 1
        elif o == "a":
            o = "b"
            s += x
        else:
            o = None
            s += 2 * x
    return s


def of_ints_and_floats(x):
    o = None
    s = 0.0
    for k in range(9):
        if o is None:
            o = k
        elif k % 2:
            s += o * 0.5
            o = None if s > 3 else x * k
        else:
            o = o + 1
    return s


def of_views(x):
    A = np.arange(12.0).reshape(4, 3) * x
    row = None
    s = 0.0
    for k in range(4):
        if row is None:
            row = A[k] if A[k, 0] * x > 1 else None
        else:
            s += np.sum(row) * 0.5
            row[0] = 1.0
    return float(s + np.sum(A))


def in_a_dict(x):
    d = {"hi": None, "lo": None}
    for k in range(9):
        v = np.sin(x * k)
        for key in ("hi", "lo"):
            if d[key] is None or (v > d[key]) == (key == "hi"):
                d[key] = v
    return float(d["hi"] - d["lo"])


def in_lists_of_lists(x):
    g = [[None] * 3 for _ in range(3)]
    s = 0.0
    for i in range(3):
        for j in range(3):
            if x * i * j > 1:
                g[i][j] = x * i
    for i in range(3):
        for j in range(3):
            if g[i][j] is None:
                s += 0.1
            else:
                s += g[i][j] * 0.5
    return s


def memoized(x):
    memo = [None] * 8

    def fib(n):
        if n < 2:
            return x * n
        if memo[n] is None:
            memo[n] = fib(n - 1) + fib(n - 2)
        return memo[n]

    return fib(7)


def by_default_arguments(x):
    def f(a=None, b=None):
        if a is None:
            a = b
        if a is None:
            return None
        return a * 0.5

    s = 0.0
    v = None
    for k in range(9):
        r = f(v, x if k % 3 else None)
        if r is None:
            s += 0.25
        else:
            s += r
            v = r if r > 0.1 else None
    return s


def of_an_iterator(x):
    it = iter([x, 2.0, 3 * x])
    s = 0.0
    while (v := next(it, None)) is not None:
        s += v * 0.5
    return s


def broken_off(x):
    s = 0.0
    for k in range(9):
        r = None
        for j in range(k):
            if x * j > 1:
                r = x * j
                break
        if r is None:
            s += 1.0
            continue
        s += r * 0.5
    return s


def with_finally(x):
    s = 0.0
    o = None
    for k in range(9):
        try:
            if o is None:
                s += 1
            else:
                s += o * 0.5
            if s > 4:
                raise ValueError
            o = x * k
        except ValueError:
            o = None
            s -= 3
        finally:
            s += 0.125
    return s


def best_tuple(x):
    best = None
    for k in range(9):
        c = (np.sin(x * k), k)
        if best is None or c > best:
            best = c
    return float(best[0] * best[1])


def best_object(x):
    best = None
    for k in range(9):
        c = Object(np.sin(x * k), k)
        if best is None or c.a > best.a:
            best = c
    return float(best.a * best.b)


def best_array(x):
    best = None
    t = 0.0
    for k in range(9):
        c = np.array([np.sin(x * k), k])
        if best is None or c[0] > best[0]:
            best = c.copy()
        t += best[0]
    return float(best[0] * best[1] + t)


def sum_of_arrays(x):
    acc = None
    for k in range(9):
        v = np.ones(3) * x * k
        acc = v if acc is None else acc + v
    return float(np.sum(acc))


PROGRAMS = [
    *(of_objects, of_strings, of_ints_and_floats, of_views, in_a_dict),
    *(in_lists_of_lists, memoized, by_default_arguments, of_an_iterator, broken_off),
    *(with_finally, best_tuple, best_object, best_array, sum_of_arrays),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_derivatives(f):
    for x in (2.3, 0.31):
        assert_value_and_derivative(f, x)
