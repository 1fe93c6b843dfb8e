"""`jvp`, `vjp`, `check_grads` keep no function alive; functions of one code share programs."""

from __future__ import annotations

import functools
import gc
import weakref

import numpy as np
import pytest

import myia
from myia.api import jvp_vjp


class Array(np.ndarray):
    """An array that can be referred to weakly."""


def closing_over(a, i):
    return lambda x: x * a[i] + a.sum()


def jvp_of(f):
    return myia.jvp(f, (2.0,), (1.0,))


def vjp_of(f):
    return myia.vjp(f, 2.0)[1](1.0)


def check_of(f):
    myia.check_grads(f, (2.0,))


def recursive(a):
    def f(x, n=1):
        return x * a[0] if n == 0 else f(x, n - 1)

    return f


class Model:
    def __init__(self, a):
        self.a = a

    def __call__(self, x):
        return x * self.a[0]

    def method(self, x):
        return self(x)


KINDS = {
    "lambda": lambda a: closing_over(a, 0),
    "partial": lambda a: functools.partial(closing_over(a, 0)),
    "instance": Model,
    "method": lambda a: Model(a).method,
    "recursive": recursive,
    "jit": lambda a: myia.jit(closing_over(a, 0)),
}


CASES = [(jvp_of, kind) for kind in KINDS] + [
    *((vjp_of, kind) for kind in ("lambda", "partial", "jit")),
    (check_of, "lambda"),
]


@pytest.mark.parametrize("derivative, kind", CASES)
def test_nothing_is_kept_alive(derivative, kind):
    alive = []
    for i in range(2):
        a = np.full(4, i + 1.0)
        f = KINDS[kind](a)
        alive += [weakref.ref(a), weakref.ref(f)]
        derivative(f)
        del a, f
    gc.collect()
    assert sum(x() is not None for x in alive) == 0


def test_functions_of_one_code_share_programs():
    before = jvp_vjp._shared_rule.cache_info().misses
    for k in range(4):
        f = lambda x, k=float(k + 1): x * k  # noqa: E731
        assert jvp_of(f)[1] == k + 1.0
        assert vjp_of(f) == (k + 1.0,)
    rule = jvp_vjp._program(jvp_vjp._jvp, f, False).func
    assert rule.compiles == 1
    assert jvp_vjp._shared_rule.cache_info().misses - before <= 3


def test_one_code_with_other_functions_inside():
    def applied(g):
        return lambda x: g(x) * 2.0

    for g, want in ((np.sin, 2 * np.cos(0.5)), (np.cos, -2 * np.sin(0.5))):
        assert myia.jvp(applied(g), (0.5,), (1.0,))[1] == pytest.approx(want)
    assert myia.vjp(applied(lambda x: x * x), 3.0)[1](1.0) == (12.0,)
    assert myia.vjp(applied(lambda x: x**3), 3.0)[1](1.0) == (54.0,)
