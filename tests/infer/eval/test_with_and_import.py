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
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        return kind is ValueError


LOCK = threading.Lock()


@contextlib.contextmanager
def two_yields(c):
    if c:
        yield 1
    else:
        yield 2


def catching(x):
    with Catching():
        return x


def suppressing(x):
    with contextlib.suppress(ValueError):
        return x


def raising(x):
    with np.errstate(over="raise"):
        return x


@np.errstate(all="raise")
def raising_throughout(x):
    return x


def recording(x):
    with warnings.catch_warnings(record=True):
        return x


def locked(x):
    with LOCK:
        return x


def cut_twice(x):
    with two_yields(True) as k:
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
        (catching, myia.MyiaError, "a context that may catch an exception, as `Catching`"),
        (suppressing, myia.MyiaError, "a context that may catch an exception, as `suppress`"),
        (raising, myia.MyiaError, r"`np.errstate\(over='raise'\)` is not supported"),
        (raising_throughout, myia.MyiaError, r"`np.errstate\(all='raise'\)` is not supported"),
        (recording, myia.MyiaError, "record=True"),
        (locked, myia.MyiaError, "the context `lock` is not supported"),
        (cut_twice, myia.MyiaError, "`two_yields` cannot be cut in two at its `yield`"),
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
