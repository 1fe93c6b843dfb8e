"""Names that may be unbound, None or a value: each of the three is known."""

import numpy as np
import pytest

import myia
from tests.infer.driver import outcome


def in_each_iteration(x, n):
    for k in range(n):
        r = x * x if x > k else None
    return 0.0 if r is None else r * x


def none_in_one_branch(x, n):
    if x > 0:
        v = None
    if x > 1:
        return v
    return x * x


def none_or_value(x, n):
    if x > 0:
        v = None if x > 1 else x
    if x > 2:
        return v
    return v


def at_the_end(x, n):
    i = 0
    while i < n:
        r = None
        if x > i:
            r = x * i
        i += 1
    return r


def left_at_none(x, n):
    while True:
        r = None if x > n else x
        if r is None:
            break
        x = x * 1.5 + 1.0
    return x, r


def skipped(x, n):
    for k in range(n):
        if x > k:
            r = None
        else:
            r = x * 0.5
        if r is None:
            continue
        x += r * r
    if r is None:
        return x
    return r + x * x


def compared(x, n):
    for _ in range(n):
        best = None if x > 2 else x
    return x if best == None else x * best  # noqa: E711


def in_a_tuple(x, n):
    for k in range(n):
        pair = (x, None if x > k else x * x)
    a, b = pair
    return a if b is None else a * b


def captured(x, n):
    def get():
        return r

    for k in range(n):
        r = None if x > k else x * k
    found = get()
    return x * x if found is None else found


def recursive(x, n):
    def down(x, k):
        if k > 0:
            r = None if x > k else x * 0.5
        if k == 0:
            return None
        rest = down(x + 0.25, k - 1)
        if r is None:
            return rest
        return r if rest is None else r * rest

    found = down(x, n)
    return -x if found is None else found


def of_a_generator(x, n):
    def steps(n):
        for k in range(n):
            yield None if x > k else x * k

    for r in steps(n):
        x = x * 0.5 if r is None else x + r
    return x if r is None else x * r


def in_a_try(x, n):
    try:
        for k in range(n):
            r = None if x > k else x * k
        return r * x
    except TypeError:
        return x * 3
    except UnboundLocalError:
        return x * 5


def of_objects(x, n):
    class P:
        def __init__(self, v):
            self.v = v

    for k in range(n):
        p = None if x > k else P(x * k)
        if p is not None:
            p.v *= x
    return x if p is None else p.v


def in_nested_loops(x, n):
    total = 0.0
    for i in range(n):
        for j in range(n):
            while True:
                r = None
                if x > i + j:
                    r = x * 2.0
                break
            total += 1.0 if r is None else r * 0.5
    return total


PROGRAMS = [
    *(in_each_iteration, none_in_one_branch, none_or_value, at_the_end, left_at_none, skipped),
    *(compared, in_a_tuple, captured, recursive, of_a_generator, in_a_try, of_objects),
    in_nested_loops,
]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("x", [-0.5, 0.5, 1.5, 2.5])
def test_values(f, x, capfd):
    kinds = UnboundLocalError, NameError
    for n in range(4):
        found = outcome(capfd, kinds, myia.jit(f), x, np.array(n))
        assert found == outcome(capfd, kinds, f, x, n), n


def numbers_of(f):
    def g(x, n):
        found = f(x, n)
        return 7.0 * x if found is None else found

    return g


@pytest.mark.parametrize("f", [f for f in PROGRAMS if f is not left_at_none])
@pytest.mark.parametrize("x", [0.6, 1.6, 2.6])
def test_gradients(f, x):
    g, h = numbers_of(f), 1e-6
    for n in (1, 3):
        expected = (g(x + h, n) - g(x - h, n)) / (2 * h)
        assert myia.grad(g)(x, np.array(n)) == pytest.approx(expected, rel=1e-6, abs=1e-7)
