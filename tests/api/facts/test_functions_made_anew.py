"""`grad(f)` written anew, lambdas and closures made anew: they share programs, and no values."""

from __future__ import annotations

import gc
import weakref

import jax
import numpy as np
import pytest

import myia
from myia.api import transformed

TIMES = transformed.OWN_PROGRAMS + 4
X = np.array([1.0, 2.0, 3.0])


@pytest.fixture(autouse=True)
def counted(monkeypatch):
    """The compilations of all dispatchers."""
    found: list[str] = []
    variant = transformed.Dispatcher._variant

    def compiled(self, *args):
        found.append(self.name)
        return variant(self, *args)

    transformed._sharing_of.cache_clear()
    monkeypatch.setattr(transformed.Dispatcher, "_variant", compiled)
    return found


def loss(w, x):
    return np.sum((w - x) ** 2)


@pytest.mark.parametrize("transform", [myia.grad, myia.value_and_grad, myia.jacfwd, myia.jit])
def test_the_same_function_again(counted, transform):
    for i in range(TIMES):
        F = transform(loss)
        value, gradient = loss(X, X + i), np.full(3, -2.0 * i)
        wanted = {"jit": value, "value_and_grad": (value, gradient)}.get(F.name, gradient)
        jax.tree.map(np.testing.assert_array_equal, F(X, X + i), wanted)
        assert F.compiles == 1
    assert len(counted) == transformed.OWN_PROGRAMS + 1


def closing_over(k, row, names):
    return lambda x, y=row * 2: x * k + row - names["a"] * y


def test_captured_values_are_those_of_each_function(counted):
    made = []
    for i in range(TIMES):
        f = closing_over(float(i), np.full(3, i + 1.0), {"a": i * 2.0})
        made.append((myia.jit(f), f))
    for F, f in [*made, *made[::-1]]:
        np.testing.assert_array_equal(F(X), f(X))
    assert len(counted) == transformed.OWN_PROGRAMS + 1


def counting(row, state):
    def f(x):
        state[0] += 1.0
        return (x * row).sum()

    return f


def weighted(row):
    return lambda x: (x * row).sum()


def test_a_captured_array_that_changes_is_read_again():
    for i in range(TIMES):
        row, state = np.full(3, i + 1.0), [0.0]
        F, G = myia.jit(counting(row, state)), myia.grad(weighted(row))
        for j in range(3):
            row[0] = 10.0 * j
            assert F(X) == (X * row).sum()
            np.testing.assert_array_equal(G(X), row)
        assert state == [3.0]


def applied(c):
    def f(x):
        if c is None or isinstance(c, str):
            return x * 2.0
        return c(x) if callable(c) else (x * c).sum()

    return f


def test_captured_types_and_shapes():
    captured = (2.0, 3, np.ones(3), np.ones((2, 3)), "text", None, 2.5, np.sin, applied(4.0))
    for _ in range(3):
        for c in captured:
            f = applied(c)
            np.testing.assert_allclose(myia.jit(f)(X), f(X), rtol=1e-15)


def test_options_have_programs_of_their_own():
    def f(x, y):
        return x * x * y

    for _ in range(TIMES):
        assert myia.grad(f)(3.0, 2.0) == 12.0
        assert myia.grad(f, argnums=1)(3.0, 2.0) == 9.0
        assert myia.grad(f, argnames="y")(3.0, y=2.0) == 9.0
        assert myia.grad(f, argnums=(0, 1))(3.0, 2.0) == (12.0, 9.0)
        assert myia.grad(f)(3.0, y=2.0) == 12.0
        assert myia.elementwise_grad(f)(3.0, 2.0) == 12.0
        assert myia.hvp(f)(3.0, 2.0, 1.0) == 4.0


GLOBAL = 1.0


def test_globals_are_read_at_every_call(monkeypatch):
    for i in range(TIMES):
        monkeypatch.setitem(globals(), "GLOBAL", i * 1.5)
        assert myia.grad(lambda x: x * GLOBAL)(2.0) == i * 1.5


@pytest.mark.parametrize("transform", [myia.jit, myia.grad])
def test_nothing_is_kept_alive(transform):
    alive = []
    for i in range(TIMES):
        a = np.full(4, i + 1.0)
        f = weighted(a)
        alive += [weakref.ref(a), weakref.ref(f)]
        transform(f)(np.ones(4))
        del a, f
    gc.collect()
    assert not any(x() is not None for x in alive)


def raising(k):
    def f(x):
        if x < 0.0:
            raise ValueError("negative")
        return x * k

    return f


def test_errors_are_those_of_the_function():
    for i in range(TIMES):
        F = myia.grad(raising(2.0 + i))
        assert F(1.0) == 2.0 + i
        with pytest.raises(ValueError, match="negative"):
            F(-1.0)
        with pytest.raises(myia.MyiaError, match="str"):
            F("text")


def writing(x):
    x[0] = 2.0
    return x.sum()


def test_errors_name_the_parameters():
    for _ in range(5):
        with pytest.raises(ValueError, match="read-only: `x`"):
            myia.jit(writing)(np.broadcast_to(1.0, (2,)))
