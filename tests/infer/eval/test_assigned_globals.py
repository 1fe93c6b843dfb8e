"""`global`: names that a program assigns are written into their module after the call."""

from __future__ import annotations

import sys

import jax
import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError

STATE = {"count": 0, "scale": 1.5, "best": 1e9, "seen": [], "mode": "a", "table": np.zeros(2)}
OPTIONAL = ("last", "unset", "index")
globals().update(STATE)
HERE = sys.modules[__name__]


@pytest.fixture(autouse=True)
def _reset():
    reset()


def reset():
    globals().update({**STATE, "seen": [], "table": np.zeros(2)})
    for name in OPTIONAL:
        globals().pop(name, None)


def state():
    return {name: globals().get(name, "unbound") for name in (*STATE, *OPTIONAL)}


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as error:
        return type(error), str(error).partition("\n")[0]


def grow(v):
    global scale
    scale = scale * v
    return scale


def in_loops(x):
    global count, table, last
    for _ in range(3):
        count += 1
        x = x + grow(x) * scale
        if x > 10:
            last = x
            break
    table = np.array([x, scale])
    return x + count + HERE.count


def beside_a_local(x):
    count = 5.0

    def inner(y):
        global count
        count += 1
        return y * count

    return inner(x) + count + HERE.count


def items(x):
    global best, seen, mode
    for v in (x, x - 1.0, 2.0 * x):
        if v < best:
            best = v
    seen.append(best)
    seen = [*seen, 2.0]
    mode = mode + "b"
    return best * len(seen)


def target_of_a_loop(x):
    global index
    for index in range(4):
        x = x * index + 1.0
    return x + index


def while_static(x):
    global count
    while count < 7:
        count += 1
    return x * count


def maybe_unbound(x):
    global unset
    if x > 0:
        unset = x
    return unset**2


def array_in_place(x):
    global table
    table[0] += x
    table = table * 2.0
    table[1] = x**2
    return np.sum(table)


PROGRAMS = (
    *(in_loops, beside_a_local, items, target_of_a_loop, while_static, maybe_unbound),
    array_in_place,
)


def runs(f):
    """The outcomes of three calls, with the state after each."""
    reset()
    found = []
    for x in (0.5, 4.0, -0.25):
        found += [outcome(f, x), {n: np.copy(v).tolist() for n, v in state().items()}]
    return found


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_what_is_written_back(f):
    assert repr(runs(myia.jit(f))) == repr(runs(f))


@pytest.mark.parametrize("f", [p for p in PROGRAMS if p is not maybe_unbound])
def test_derivatives(f):
    def value(x):
        reset()
        return f(x)

    def gradient(x):
        reset()
        return first(x)

    first, second = myia.grad(f), myia.grad(myia.grad(f))
    for x in (0.5, 0.35):
        value(x)
        after = repr(state())
        slope = (value(x + 1e-6) - value(x - 1e-6)) / 2e-6
        np.testing.assert_allclose(gradient(x), slope, rtol=1e-6)
        assert repr(state()) == after
        slope = (gradient(x + 1e-6) - gradient(x - 1e-6)) / 2e-6
        reset()
        np.testing.assert_allclose(second(x), slope, rtol=1e-5, atol=1e-8)


def test_a_call_that_raises_leaves_it():
    @myia.jit
    def f(x, i):
        global count, scale
        count += 1
        scale = x[i]
        if scale < 0.0:
            raise ValueError("low")
        return scale

    assert f(np.ones(2), np.int64(1)) == 1.0
    for args in ((-np.ones(2), np.int64(0)), (np.ones(2), np.int64(2))):
        with pytest.raises((ValueError, IndexError)):
            f(*args)
    assert (globals()["count"], globals()["scale"]) == (1, 1.0)


def test_a_counter_becomes_an_argument():
    f = myia.jit(while_counting)
    for i in range(12):
        assert f(2.0) == 2.0 * (i + 1)
    assert globals()["count"] == 12
    assert f._dispatcher.recompilation.count < 8


def while_counting(x):
    global count
    count += 1
    return x * count


def test_arrays_of_jax():
    f = myia.jit(in_loops)
    f(jax.numpy.float32(0.5))
    assert isinstance(globals()["table"], jax.Array)
    want = state()["scale"]
    reset()
    in_loops(np.float32(0.5))
    np.testing.assert_allclose(want, globals()["scale"], rtol=1e-6)


def test_refused():
    with pytest.raises(TypeError) as caught:
        jax.jit(myia.jit(target_of_a_loop))(2.0)
    assert str(caught.value) == "the global 'index' would be a tracer of JAX: return what it gets"
    assert state()["index"] == "unbound"

    def function(x):
        global last
        last = lambda y: x * y  # noqa: E731
        return x

    with pytest.raises(MyiaError, match="as a result is not supported"):
        myia.jit(function)(1.0)


def test_the_pullback_of_a_function_that_changes_a_global_is_refused():
    value, pull = myia.vjp(while_counting, 2.0)
    assert value == 2.0
    with pytest.raises(MyiaError, match="the pullback of a function that changes an object"):
        pull(1.0)
