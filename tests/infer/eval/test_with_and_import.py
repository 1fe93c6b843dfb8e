"""`with` and `import`: what has no effect leaves no trace, what has one that is lost is refused."""

# ruff: noqa: PLC0415 - imports in functions are what is tested

from __future__ import annotations

import contextlib
import re
import threading
import warnings

import numpy as np
import pytest

import myia
from tests.zoo.language import statements
from tests.zoo.language.registry import PROGRAMS

XS = statements.XS


def test_errstate_leaves_no_trace():
    def plain():
        def f(x):
            y = np.log(x) / x
            return np.sum(y)

        return f

    def silent():
        def f(x):
            with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                y = np.log(x) / x
            return np.sum(y)

        return f

    programs = [str(myia.grad(make()).ir(XS)["finish"]) for make in (plain, silent)]
    texts = [re.sub(r" *#.*", "", text) for text in programs]  # without lines of the source
    assert texts[0] == texts[1]


class Catching:
    """Counts how it is left, and catches divisions by zero."""

    def __init__(self):
        self.left = 0.0

    def __enter__(self):
        return self

    def __exit__(self, cls, error, traceback):
        if cls is None:
            self.left += 1.0
            return False
        self.left += 10.0 * len(error.args)
        return issubclass(cls, ArithmeticError)


class Always:
    def __enter__(self):
        return 2.0

    def __exit__(self, *exception):
        return True


def suppressed(x):
    with contextlib.suppress(ZeroDivisionError, KeyError):
        return 1.0 / (x - 1.0)
    return x * x


def caught_in_loops(x):
    c, s = Catching(), 0.0
    for k in range(4):
        with c, Catching() as d:
            if k == 3:
                break
            s += x / (x - k)
            if k == 1:
                continue
            s += d.left + 5.0
    return s + c.left * x


def caught_around(x):
    c, s = Catching(), 1.0
    try:
        with c:
            if x > 1.5:
                raise ValueError(x, "b")
            s += 1.0 / (x - 1.0)
    except ValueError as e:
        s = e.args[0] * 5.0
    with Always() as two:
        s *= two
        if x < 0.75:
            raise KeyError("k")
        s += 3.0
    return s + c.left


def a_body_that_cannot_raise(x):
    with contextlib.suppress(KeyError):
        x = x * 2.0
    return x


def without_context(x):
    x = x * 2.0
    return x


@pytest.mark.parametrize("f", [suppressed, caught_in_loops, caught_around])
def test_contexts_that_catch(f):
    for x in (0.5, 1.0, 2.0):
        assert myia.jit(f)(x) == pytest.approx(f(x), rel=1e-14)
    h, x = 1e-6, 2.5
    expected = (f(x + h) - f(x - h)) / (2 * h)
    assert myia.grad(f)(x) == pytest.approx(expected, rel=1e-8)
    slope = (myia.grad(f)(x + h) - myia.grad(f)(x - h)) / (2 * h)
    assert myia.grad(myia.grad(f))(x) == pytest.approx(slope, rel=1e-7, abs=1e-8)


def test_a_context_that_has_nothing_to_catch_leaves_no_trace():
    found = [
        re.sub(r" *#.*|@\w+", "", str(myia.jit(f).ir(1.0)["finish"]))
        for f in (a_body_that_cannot_raise, without_context)
    ]
    assert found[0] == found[1]


LOCK = threading.Lock()


@contextlib.contextmanager
def two_yields(c):
    if c:
        yield 1
    else:
        yield 2


def recording(x):
    with warnings.catch_warnings(record=True):
        return x


def locked(x):
    with LOCK:
        return x


def cut_twice(x):
    with two_yields(True) as k:
        return x * k


@contextlib.contextmanager
def catching_within(x):
    with contextlib.suppress(ZeroDivisionError):
        yield x


def cut_within(x):
    with catching_within(x[0]) as k:
        return x * k


def no_context(x):
    with x:
        return x


def no_name(x):
    from math import nothing

    return nothing(x)


def no_module(x):
    import no_such_module

    return no_such_module.f(x)


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (recording, myia.MyiaError, "record=True"),
        (locked, myia.MyiaError, "the context `lock` is not supported"),
        (cut_twice, myia.MyiaError, "`two_yields` cannot be cut in two at its `yield`"),
        (cut_within, myia.MyiaError, "`suppress`, which may catch an exception, around a `yield`"),
        (no_context, TypeError, "does not support the context manager protocol"),
        (no_name, ImportError, "cannot import name 'nothing' from 'math'"),
        (no_module, ModuleNotFoundError, "No module named 'no_such_module'"),
    ],
)
def test_refused(f, error, message):
    with pytest.raises(error, match=message):
        myia.jit(f)(XS)


@pytest.mark.parametrize("name", ["context_left_by_break", "context_functions"])
def test_second_derivatives(name):
    (f,) = (p.values[0] for p in PROGRAMS if p.id == name)
    gradient = myia.grad(f)
    second = myia.grad(lambda x: np.sum(gradient(x) ** 2))(XS)
    h = 1e-5
    differences = [
        (np.sum(gradient(XS + e) ** 2) - np.sum(gradient(XS - e) ** 2)) / (2 * h)
        for e in h * np.eye(len(XS))
    ]
    np.testing.assert_allclose(second, differences, rtol=1e-5, atol=1e-5)


def test_an_imported_name_is_read_at_every_call(monkeypatch):
    def f(x):
        from tests.zoo.language.statements import XS

        return x * XS

    compiled = myia.jit(f)
    assert np.array_equal(compiled(2.0), 2.0 * XS)
    monkeypatch.setattr(statements, "XS", np.ones(4))
    assert np.array_equal(compiled(2.0), 2.0 * np.ones(4))


@contextlib.contextmanager
def _around_another(x):
    @contextlib.contextmanager
    def added(v):
        x[1] += v
        yield x[1]
        x[1] -= v

    with added(2.0) as a:
        yield a


def test_inner_functions_under_contextmanager():
    def f(x):
        rate, k = x[0], 1.0

        @contextlib.contextmanager
        def at(v):
            nonlocal rate, k
            old, rate = rate, v
            k += v
            try:
                yield x[2], k
            finally:
                rate = old
                k *= 2.0

        total = 0.0
        for _ in range(3):
            with at(x[1] * 2.0) as (p, q):
                total += rate * rate * p * q
                if total > 100.0:
                    break
        with _around_another(x) as a:
            total *= a * x[1]
        return total * rate * k * x[1]

    x = np.array([1.0, -2.5, 3.0])
    assert myia.jit(f)(x.copy()) == pytest.approx(f(x.copy()), rel=1e-12)
    myia.check_grads(f, (x,))
