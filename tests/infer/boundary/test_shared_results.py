"""An object that a result, or what is stored in an argument, holds twice is one object."""

import dataclasses

import numpy as np
import pytest

import myia

STATE = None


@dataclasses.dataclass
class Box:
    v: float


def lists(x):
    a = [x, x]
    return [a, a]


def kinds(x):
    a, b, c, d = [x], {"k": x}, Box(x), np.array([x, 1.0])
    return (a, b, c, d), {"a": a, "b": b}, [c, d, frozenset((1, 2))]


def nested(x):
    a = [x]
    b = [a, a]
    return {"b": b, "c": [b, a], "alone": [x]}


def instance(x):
    b = Box([x])
    b.other = b.v
    return b, b.v


def not_the_same(x):
    return [[x], [x]], (x, x)


def maybe(x):
    a = [x]
    return [a if x > 1 else None, a]


def built(x):
    a = [x]
    xs = []
    for i in range(5):
        xs.append(x * i)
    return [xs, xs, a, (a, xs)]


def pairs_of_one(x):
    """The places that hold the same object, and the values."""
    found = []

    def walk(y):
        if isinstance(y, (list, dict, Box, np.ndarray)):
            found.append(y)
        if isinstance(y, dict):
            y = list(y.values())
        elif isinstance(y, Box):
            y = list(vars(y).values())
        if isinstance(y, (list, tuple)):
            for item in y:
                walk(item)

    walk(x)
    return [[a is b for b in found] for a in found]


FUNCTIONS = [lists, kinds, nested, instance, not_the_same, maybe, built]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_results(f):
    for x in (-1.0, 0.5, 2.0):
        found, wanted = myia.jit(f)(x), f(x)
        assert pairs_of_one(found) == pairs_of_one(wanted)
        assert repr(found) == repr(wanted)


def stored(d, x):
    w = [x, 2.0]
    d["c"] = (w, w)
    d["w"] = w
    return w


def stored_in_two(d, e, x):
    d["new"] = e["new"] = Box(x)
    e["d"] = d
    return d, e["new"], [d, d]


def test_what_is_stored_in_arguments():
    for f, count in ((stored, 1), (stored_in_two, 2)):
        ours, pythons = ([{"a": 1.0} for _ in range(count)] for _ in range(2))
        found, wanted = myia.jit(f)(*ours, 3.0), f(*pythons, 3.0)
        assert pairs_of_one([found, *ours]) == pairs_of_one([wanted, *pythons])
        assert repr((found, ours)) == repr((wanted, pythons))


def stored_in_a_global(x):
    global STATE
    STATE = [x]
    return STATE, STATE


def test_what_is_stored_in_a_global():
    found = myia.jit(stored_in_a_global)(2.0)
    assert found[0] is found[1] is STATE and STATE == [2.0]


def test_derivatives():
    def f(x):
        a = [x * x, x]
        return [a, a]

    (values, grads) = myia.value_and_grad(lambda x: (f(x)[0][0], f(x)), has_aux=True)(3.0)
    assert values[0] == 9.0 and grads == 6.0 and values[1][0] is values[1][1]
    tangents = myia.jvp(f, (3.0,), (1.0,))[1]
    assert tangents[0] == [6.0, 1.0] == tangents[1]


SEEN = []


def record(xs):
    SEEN.append(xs[0] is xs[1])


recorded = myia.host(record, like=None)


def test_what_a_host_function_is_given():
    def f(x):
        a = [x]
        recorded([a, a])
        return x

    myia.jit(f)(2.0)
    assert SEEN == [True]


def test_in_a_saved_program(tmp_path):
    path = tmp_path / "lists.myia"
    myia.jit(lists).lower(2.0).compile().save(path)
    found = myia.load(path)(3.0)
    assert found == [[3.0, 3.0], [3.0, 3.0]] and found[0] is found[1]
