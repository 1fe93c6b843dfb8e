"""Programs of `with`, `import`, `match`, `del` and subscripts."""

# ruff: noqa: PLC0415 - imports in functions are what is tested

from __future__ import annotations

import contextlib
import logging
import time
import warnings
from contextlib import contextmanager, nullcontext

import numpy as np

from tests.zoo.language.registry import program

XS = np.array([0.5, 1.5, 2.5, 0.7])


@program(XS)
def errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / (x - 0.1)
    return np.sum(y**2)


@program(XS)
def several_contexts(x):
    with np.errstate(all="ignore"), nullcontext((1.0, 2.0)) as (a, b), Counted() as c:
        c.total += a * np.sum(x**2) + b * x[0] ** 3
    return c.total


class Counted:
    def __init__(self):
        self.total = 1.0

    def __enter__(self):
        self.total += 1.0
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self.total *= 2.0
        return False


@program(XS)
def context_left_by_break(x):
    c, i = Counted(), 0
    while True:
        with c as q, nullcontext(x[i]) as xi:
            if xi > 2:
                break
            with q:
                q.total += xi
        i += 1
    else:
        c.total = 0.0
    return c.total * np.sum(x)


@program(XS)
def context_left_by_continue(x):
    c = Counted()
    for v in x:
        with c:
            if v > 2:
                continue
            for _ in range(2):
                if v < 0.6:
                    continue
                c.total += v * v
        c.total += v
    return c.total


@program(XS)
def context_left_by_return(x):
    with Counted() as c:
        for v in x:
            if v > 2:
                return c.total * v**2  # before the context is left
            c.total = c.total + v**2
        with c:
            pass
    return c.total


@contextmanager
def scaled(c, k=2.0):
    old = c.total
    try:
        c.total = k * old
        yield c
    finally:
        c.total = old + 0.1


@contextmanager
def nested(c):
    with scaled(c, 3.0) as inner, contextlib.nullcontext():
        got = yield inner.total
        assert got is None
    old = 2.0
    c.total += old


@program(XS)
def context_functions(x):
    c, total = Counted(), 0.0
    for i in range(len(x)):
        with scaled(c, x[i]) as s:
            if x[i] > 2:
                continue
            total += s.total * x[i] ** 2
        with nested(c) as k:
            total += k * x[i]
            if i == 3:
                return total * c.total
    return total


@program(XS)
def imports(x):
    import math
    import os.path
    from math import cos as c
    from math import sin

    import numpy.linalg as la

    s = 0.0
    for v in x:
        from scipy import special

        s += special.gammaln(v) * sin(v)
    if x[0] < 0:
        import no_such_module

        s = no_such_module.f(s)
    return s + la.norm(x) ** 3 * math.exp(x[1]) * c(x[2]) + len(os.path.sep)


@program(XS)
def captures_in_alternatives(x):
    s = 0.0
    for shape in [("add", x[0]), ("plus", x[1]), ("neg", x[2], 2.0), {"k": 1, "a": x[3], "b": 2.0}]:
        match shape:
            case ("add", k) | ("plus", k):
                s += k**3
            case ("neg", *rest):
                s -= rest[0] ** 2 * rest[1]
            case {"k": 1, "a": a, **rest}:
                s += a**2 * rest["b"] * len(rest)
    return s


@program(XS)
def deleted_attribute(x):
    c = Counted()
    c.extra = x[0] ** 3
    found = c.extra
    del c.extra
    return found * c.total + hasattr(c, "extra")


@program(XS)
def range_as_subscript(x):
    y = x.copy()
    y[range(1, 3)] = x[range(2)] ** 2
    return np.sum(y[range(3)] ** 3)


@np.errstate(divide="ignore")
def under_errstate(x):
    return np.sum(np.log(x) ** 2)


@program(XS)
def functions_under_errstate(x):
    return 2.0 * under_errstate(x)


LOG = logging.Logger("of no level")
LOG.addHandler(logging.NullHandler())


def told(x):
    LOG.info("%d items, the first %.3f", len(x), x[0])
    if x[0] > 100.0:
        warnings.warn(f"{x[0]} is large", RuntimeWarning, stacklevel=2)
    return x[0] ** 2


@program(XS)
def effects_in_a_loop(x):
    started = time.perf_counter()
    total = 0.0
    for i in range(len(x)):
        LOG.debug("step %d: %g", i, total)
        total += told(x[i:]) * np.sin(x[i])
        if time.perf_counter() < started:
            total = 0.0
    return total


@program(XS)
def assigned_global(x):
    global SCALE, COUNT
    SCALE, COUNT = 1.0, 0
    for v in x:
        SCALE *= v
        grow()
        if SCALE > 5.0:
            COUNT += 10
            break
    return SCALE**2 + COUNT * x[1]


def grow():
    global COUNT, SCALE
    COUNT += 1
    SCALE = SCALE + np.sin(SCALE)


@program(0.7)
def captures_of_alternatives(x):
    y = 0.0
    for k in range(4):
        pair = (x, k) if k > 2 else (k, x)
        match pair:
            case (0, v) | (v, 3):
                y += v * v
            case (1, v):
                y += v**3
            case _:
                y -= x
    return y
