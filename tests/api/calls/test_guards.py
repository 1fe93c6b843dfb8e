"""Guards of shortcuts: what a call like the last one costs, and what makes it another one."""

from __future__ import annotations

import dataclasses
import pickle
import sys
import types

import jax
import numpy as np
import pytest

import myia

CALLS = 4  # the first compiles, the second makes the shortcut, the next ones take it


@dataclasses.dataclass
class Model:
    w: object
    step: int = 0

    def loss(self, x):
        return (x * self.w).sum()


SCALE, WEIGHTS, TABLE = 2.0, np.arange(3.0), [1.0, np.arange(3.0)]


def product(x, y):
    return x * y


def scaled(x):
    return x * SCALE


def weighted(x):
    return x * WEIGHTS


def looked_up(x):
    return x * TABLE[0] + TABLE[1]


def closing_over(a):
    return lambda x: x * a


def applied(f, x):
    return f(x) + 1.0


def frames(f):
    """How many functions written in Python a call of `f` runs."""
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(trace)
    try:
        f()
    finally:
        sys.setprofile(None)
    return count


X = np.arange(3.0)
DEVICE = jax.numpy.float32(1.5)
# The functions of a call: its guard, then those named.
COSTS = {
    "floats": (lambda x, y: x * y, (1.5, 2.0), {}, 1 + 2),  # packing, unpacking
    "arrays": (lambda x, y: x - y, (X, X + 1.0), {}, 1),
    "an array": (lambda x: x * 2.0, (X,), {}, 1),
    "an array and a float": (lambda x, y: x + y, (X, 2.0), {}, 1),
    "arrays of JAX": (lambda x, y: x / y, (DEVICE, DEVICE), {}, 1),
    "a tuple": (lambda p: p[0] * p[1], ((X, X + 1.0),), {}, 1),
    "a dict": (lambda p: p["a"] * p["b"], ({"a": X, "b": 2.0},), {}, 1),
    "an instance": (lambda m: m.w * 2.0, (Model(X),), {}, 1),
    "by keyword": (lambda x, y: x * y + 1.0, (X,), {"y": 2.0}, 1),
    "a global": (scaled, (X,), {}, 1),
    "an array as a global": (weighted, (X,), {}, 1 + 2),  # leaves that are not as they were
    "a closure": (closing_over(2.0), (X,), {}, 1),
    "a function": (applied, (scaled, X), {}, 1),
}


@pytest.mark.parametrize("name", COSTS)
def test_functions_that_a_call_runs(name):
    f, args, kwargs, most = COSTS[name]
    F = myia.jit(f)
    for _ in range(CALLS):
        np.testing.assert_allclose(F(*args, **kwargs), f(*args, **kwargs))
    assert frames(lambda: F(*args, **kwargs)) - 1 <= most


@pytest.mark.parametrize("name", ["floats", "arrays", "arrays of JAX", "a dict", "by keyword"])
def test_functions_that_a_call_compiled_ahead_of_time_runs(name):
    f, args, kwargs, most = COSTS[name]
    C = myia.jit(f).lower(*args, **kwargs).compile()
    for _ in range(CALLS):
        np.testing.assert_allclose(C(*args, **kwargs), f(*args, **kwargs))
    assert frames(lambda: C(*args, **kwargs)) - 1 <= most + 1  # JAX's own call
    with pytest.raises(TypeError, match="compiled for other arguments"):
        C(np.ones((2, 3, 5)), np.ones((2, 3, 5)))


def unpickled(x):
    return pickle.loads(pickle.dumps(x))


class Array(np.ndarray):
    pass


ARRAYS = {
    "layouts": [X, np.arange(6.0)[::2], np.asfortranarray(np.ones((3, 3))), np.ones((3, 3))],
    "equal dtypes": [X, unpickled(X), X.astype(">f8").astype("<f8")],
    "no axes, no elements": [np.array(2.0), np.float64(2.0), np.ones(0), 2.0, X],
    "many shapes": [np.ones(n) for n in range(1, 8)],
    "dtypes": [X.astype(d) for d in ("f4", "f8", "i8", "i4", "?", "c16")],
    "read-only": [X, np.broadcast_to(2.0, 3)],
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_differ(name):
    F = myia.jit(lambda x: x * 2)
    for _ in range(CALLS):
        for x in ARRAYS[name]:
            got, wanted = F(x), x * 2
            np.testing.assert_array_equal(got, wanted)
            assert np.asarray(got).dtype == np.asarray(wanted).dtype
            assert isinstance(got, type(wanted))


def test_unpickled_arrays_take_the_shortcut():
    F = myia.jit(product)
    for _ in range(CALLS):
        F(X, X + 1.0)
    assert frames(lambda: F(unpickled(X), unpickled(X))) < 10


def test_what_a_global_holds_may_change(monkeypatch):
    monkeypatch.setitem(globals(), "WEIGHTS", np.arange(3.0))
    monkeypatch.setitem(globals(), "TABLE", [1.0, np.arange(3.0)])
    W, T = myia.jit(weighted), myia.jit(looked_up)
    changes = [
        lambda: WEIGHTS.__setitem__(0, 5.0),
        lambda: TABLE.__setitem__(0, 7.0),
        lambda: TABLE.__setitem__(0, 7),
        lambda: TABLE[1].__setitem__(2, 8.0),
        lambda: globals().__setitem__("WEIGHTS", np.float32(2.0)),
        lambda: globals().__setitem__("WEIGHTS", np.arange(3)),
        lambda: globals().__setitem__("TABLE", (2.0, np.ones((2, 1)))),
        lambda: TABLE[1].__setattr__("shape", (1, 2)) or np.ones(3),
        lambda: globals().__setitem__("TABLE", [3.0, X]),
    ]
    x = np.ones((2, 3))
    for change in changes[:-2] + changes[-1:]:
        change()
        for _ in range(CALLS):
            np.testing.assert_array_equal(W(x), weighted(x))
            np.testing.assert_array_equal(T(x), looked_up(x))


def test_an_argument_that_is_also_a_global():
    def moved(x):
        x[0] += 1.0
        return WEIGHTS[0] + 0.0

    F = myia.jit(moved)
    x = np.arange(3.0)
    for _ in range(CALLS):
        assert F(x) == WEIGHTS[0]
        before = WEIGHTS[0]
        assert F(WEIGHTS) == before + 1.0 == WEIGHTS[0]


def test_parts_of_functions_are_seen():
    f = closing_over(np.arange(3.0))
    F, G = myia.jit(f), myia.grad(lambda x: f(x).sum())
    cell = f.__closure__[0]
    for a in (np.arange(3.0), np.ones(3), 2.0, 3, np.float32(1.5), np.ones((2, 3))):
        cell.cell_contents = a
        for _ in range(CALLS):
            np.testing.assert_array_equal(F(X), f(X))
            np.testing.assert_allclose(
                G(X), np.broadcast_to(a, np.broadcast(a, X).shape).reshape(-1, 3).sum(0)
            )
    other = closing_over(1.0)
    f.__code__ = types.FunctionType(
        (lambda a: lambda x: x - a)(1.0).__code__, {}, closure=(cell,)
    ).__code__
    for _ in range(CALLS):
        np.testing.assert_array_equal(F(X), X - a)
    np.testing.assert_array_equal(other(X), X)


def test_functions_as_arguments():
    F = myia.jit(applied)
    for _ in range(CALLS):
        for f in (scaled, closing_over(3.0), closing_over(4.0), closing_over(X), np.sin):
            np.testing.assert_allclose(F(f, X), applied(f, X))


def test_instances_and_their_classes():
    model = Model(np.arange(3.0))
    F = myia.jit(model.loss)
    for w in (np.ones(3), 2.0, 3, np.ones((2, 3))):
        model.w = w
        for _ in range(CALLS):
            assert F(X) == model.loss(X)
    model.more = 1.0
    assert F(X) == model.loss(X)
    G = myia.jit(lambda m: m.w * m.step)
    for _ in range(CALLS):
        for step in (1, 2, True, 2.5):
            for w in (1.5, 2):
                assert G(Model(w, step)) == w * step


def test_arrays_of_jax_of_several_shapes_have_shortcuts():
    F = myia.jit(product)
    arrays = [jax.numpy.ones(n) for n in (2, 3)]
    for _ in range(CALLS):
        for x in arrays:
            assert F(x, x).shape == x.shape
    compiles = F.compiles
    for x in arrays:
        assert frames(lambda x=x: F(x, x)) < 12
    assert F.compiles == compiles == 2


def test_a_global_that_changes_at_each_call(monkeypatch):
    F = myia.jit(scaled)
    for i in range(20):
        monkeypatch.setitem(globals(), "SCALE", i + 0.5)
        np.testing.assert_array_equal(F(X), scaled(X))
    assert F.compiles == 1


def test_exceptions_are_raised_once():
    calls = []

    @myia.host(like=1.0)
    def told(x):
        calls.append(x)
        return x

    def at(x, i):
        return told(x[0]) + x[i]

    F = myia.jit(at)
    for i in (0, 1, 2, 0, 1, 2):
        assert F(X, i) == X[0] + X[i]
    calls.clear()
    for _ in range(CALLS):
        with pytest.raises(IndexError):
            F(X, 7)
    assert len(calls) <= CALLS


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "f4", "f8"])
def test_numbers_as_results(dtype):
    x = np.array([0, 1], dtype)
    F = myia.jit(lambda x: (x[0].item(), x[1].item(), x[1]))
    for _ in range(CALLS):
        got = F(x)
        assert got == (x[0].item(), x[1].item(), x[1])
        assert [*map(type, got)] == [type(x[0].item()), type(x[1].item()), type(x[1])]


def adding_to_weights(x, y):
    WEIGHTS[0] += x
    return WEIGHTS, x * y


def test_numbers_beside_a_global_that_is_changed_and_returned(monkeypatch):
    monkeypatch.setitem(globals(), "WEIGHTS", np.arange(3.0))
    f = myia.jit(adding_to_weights)
    for n in range(1, CALLS + 3):
        weights, product = f(0.5, 4.0)
        assert weights is WEIGHTS
        assert product == 2.0
        np.testing.assert_array_equal(WEIGHTS, [0.5 * n, 1.0, 2.0])


@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 1, 2), (600,), (0, 3)])
@pytest.mark.parametrize("dtype", ["f4", "c16", "?"])
def test_results_are_arrays_of_the_caller(shape, dtype):
    F = myia.jit(lambda x: x | (x > 1)) if dtype == "?" else myia.jit(lambda x: x * 2)
    x = (np.arange(np.prod(shape)) % 3).astype(dtype).reshape(shape)
    wanted = x | (x > 1) if dtype == "?" else x * 2
    for _ in range(CALLS):
        got, same = F(x), F(x)
        got[...] = 0
        np.testing.assert_array_equal(same, wanted)
        np.testing.assert_array_equal(F(x), wanted)
        assert same.dtype == wanted.dtype
        assert same.shape == shape
        assert same.flags.writeable
        assert same.flags.c_contiguous
        assert not np.shares_memory(got, same)


def test_a_function_takes_turns_of_types_and_of_other_functions():
    F, G = myia.jit(product), myia.jit(lambda x, y: F(x, y) + 1.0)
    for _ in range(CALLS):
        for x in (2.0, X, np.ones((2, 3)), jax.numpy.ones(3)):
            np.testing.assert_array_equal(F(x, X), x * X)
            np.testing.assert_array_equal(F(y=X, x=x), x * X)
            np.testing.assert_array_equal(G(x, X), x * X + 1.0)
        with pytest.raises(TypeError):
            F(X)
        with pytest.raises(TypeError):
            F(X, X, X)
    assert F.compiles == 8
