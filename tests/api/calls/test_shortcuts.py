"""Calls like an earlier one: what differs in them is seen, and the results are Python's."""

from __future__ import annotations

import copy
import dataclasses
from typing import NamedTuple

import jax
import numpy as np
import pytest

import myia

CALLS = 4  # the first compiles, the next ones bind the shortcut, the last takes it


def total(x, y):
    x = np.array(x)
    return (x * 2.0 + y).sum()


class Pair(NamedTuple):
    a: object
    b: object


@dataclasses.dataclass
class Model:
    w: np.ndarray
    step: int = 0


def of_parts(x):
    return [x["a"] * 2.0, x["b"][0] + x["b"][1]]


def of_order(x):
    return [v * (i + 1.0) for i, v in enumerate(x.values())]


def of_pair(p):
    return p.a - 2.0 * p.b


def of_model(m):
    return m.w * m.step


def of_mode(x, mode):
    return x * 2.0 if mode == "double" else -x


def viewed(x):
    y = x.reshape(-1)
    y[1] = 9.0
    return y * 1.0


def written(x, y):
    x[0] += y[1]
    return y


ROW = np.arange(6.0).reshape(2, 3)
VARIED = {
    "shapes": (total, [(np.arange(n + 1.0), 1.0) for n in range(5)]),
    "dtypes": (total, [(np.ones(3, d), 1.0) for d in ("f4", "f8", "i4", "i8", "?")]),
    "numbers": (total, [(np.ones(3), y) for y in (1, 2, True, 1.5, np.float32(2.5), 2j, 7)]),
    "one array twice": (
        lambda x, y: written(x, y).sum(),
        [(np.ones(2), np.ones(2)), (a := np.ones(2), a), (np.ones(2), np.zeros(2))],
    ),
    "orders of keys": (of_order, [({"a": 1.0, "b": 2.0},), ({"b": 2.0, "a": 1.0},)]),
    "kinds of keys": (of_order, [({"1": 1.0},), ({1: 2.0},), ({1.0: 2.0},)]),
    "lengths": (of_order, [(dict.fromkeys(map(str, range(n)), 2.0),) for n in range(4)]),
    "parts": (
        of_parts,
        [
            ({"a": 1.0, "b": [2.0, np.ones(2)]},),
            ({"a": np.ones(2), "b": [2.0, np.ones(2)]},),
            ({"a": 1.0, "b": (2.0, np.ones(2))},),
            ({"a": 1.0, "b": [2.0, np.ones(3)]},),
        ],
    ),
    "tuples": (of_pair, [(Pair(1.0, 2.0),), (Pair(np.ones(2), 2.0),), (Pair(1, 2),)]),
    "instances": (of_model, [(Model(np.ones(2), i),) for i in range(6)]),
    "constants": (of_mode, [(1.5, "double"), (1.5, "minus"), (1.5, None)]),
}


def state(x):
    return vars(x) if isinstance(x, Model) else x


def copied(x):
    """A copy, in which what was one object is one object."""

    return copy.deepcopy(x)


@pytest.mark.parametrize("name", VARIED)
def test_what_differs_is_seen(name):
    f, calls = VARIED[name]
    F = myia.jit(f)
    for _ in range(CALLS):
        for args in calls:
            own, theirs = copied(args), copied(args)
            got, wanted = F(*own), f(*theirs)
            jax.tree.map(np.testing.assert_array_equal, got, wanted)
            assert jax.tree.structure(got) == jax.tree.structure(wanted)
            for x, y in zip(jax.tree.leaves(own), jax.tree.leaves(theirs), strict=True):
                jax.tree.map(np.testing.assert_array_equal, state(x), state(y))


def test_an_array_of_another_layout_is_no_view():
    F = myia.jit(viewed)
    for _ in range(CALLS):
        x = ROW.copy()
        np.testing.assert_array_equal(F(x), viewed(ROW.copy()))
        assert x[0, 1] == 9.0
        with pytest.raises(myia.MyiaError, match="another name"):
            F(np.asfortranarray(ROW))


def test_the_result_is_the_argument():
    F = myia.jit(written)
    for _ in range(CALLS):
        x, y = np.ones(2), np.ones(2)
        assert F(x, y) is y
        assert x[0] == 2.0


def test_arrays_that_overlap_are_refused_at_every_call():
    F = myia.jit(written)
    for _ in range(CALLS):
        F(np.ones(2), np.ones(2))
        x = np.ones(4)
        with pytest.raises(ValueError, match="share memory"):
            F(x[:3], x[1:])


SCALE = 2.0


def scaled(x):
    return x * SCALE


@pytest.mark.parametrize("x", [1.5, np.arange(3.0), {"a": 1.5}])
def test_globals_are_read_at_every_call(monkeypatch, x):
    F = myia.jit(lambda x: jax.tree.map(scaled, x) if isinstance(x, dict) else scaled(x))
    for scale in (2.0, 3.0, np.ones(3), 2, 4.0):
        monkeypatch.setitem(globals(), "SCALE", scale)
        for _ in range(CALLS):
            got = F(x)
            jax.tree.map(np.testing.assert_array_equal, got, jax.tree.map(scaled, x))


def test_arrays_of_jax():
    F = myia.jit(lambda d, y: {k: v * y for k, v in d.items()})
    for _ in range(CALLS):
        for n in (2, 3):
            x = jax.numpy.ones(n)
            got = F({"a": x, "b": x}, x)
            assert got["b"].shape == (n,)
            assert isinstance(got["a"], jax.Array)
        assert isinstance(F({"a": np.ones(2)}, np.ones(2))["a"], np.ndarray)
        assert isinstance(F({"a": x, "b": np.ones(3)}, x)["b"], jax.Array)


def test_calls_by_keyword():
    F = myia.jit(lambda x, y=1.0: x - 2.0 * y)
    for _ in range(CALLS):
        assert F(3.0) == 1.0
        assert F(3.0, y=2.0) == F(y=2.0, x=3.0) == F(3.0, 2.0) == -1.0
        np.testing.assert_array_equal(F(3.0, y=np.ones(2)), np.ones(2))


def test_calls_by_keyword_read_globals_and_tell_arguments_apart(monkeypatch):
    def f(x, y):
        return x * SCALE - 2.0 * y

    F = myia.jit(f)
    for scale in (2.0, 3.0, np.ones(2)):
        monkeypatch.setitem(globals(), "SCALE", scale)
        for _ in range(CALLS):
            for x, y in ((3.0, 2.0), (np.ones(2), 2.0), (np.ones((3, 2)), np.ones(2))):
                for given in ({"x": x, "y": y}, {"y": y, "x": x}):
                    np.testing.assert_array_equal(F(**given), f(**given))
                np.testing.assert_array_equal(F(x, y=y), f(x, y=y))
    assert any("y" in types for types in F._dispatcher.shortcuts.quick)


@pytest.mark.parametrize("mode", ["jax_disable_jit", "jax_check_tracer_leaks", "jax_enable_x64"])
def test_modes_of_jax_are_as_they_were(mode):
    F = myia.jit(lambda x, y: x * y)
    for value in (True, False, True, False):
        before = getattr(jax.config, mode)
        jax.config.update(mode, value)
        try:
            for _ in range(CALLS):
                np.testing.assert_array_equal(F(np.ones(3), np.full(3, 0.1)), np.full(3, 0.1))
                assert F(0.1, 1.0) == 0.1
                assert getattr(jax.config, mode) == value
                is_64 = jax.numpy.ones(2, float).dtype == np.float64
                assert is_64 == jax.config.jax_enable_x64
        finally:
            jax.config.update(mode, before)
