"""Tangents, cotangents and directions are matched with what they belong to: by key and by name."""

from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import myia

Pair = namedtuple("Pair", ["first", "second"])


class Model:
    def __init__(self, **attributes):
        vars(self).update(attributes)


class Bare:
    pass


def product(d):
    return d["a"] * d["b"]


def scaled(m):
    return m.a**2 * m.b


def energy(p):
    return np.sum(p["w"] ** 3 + p["b"] ** 2)


def multiples(x):
    return {"p": x * 2, "q": x * 3}


def test_items_of_dicts_are_matched_by_key():
    w = {"w": np.ones(2), "b": np.zeros(2)}
    v = {"b": np.zeros(2), "w": np.ones(2)}
    found = myia.hvp(energy)(w, v)
    assert list(found) == ["w", "b"]
    np.testing.assert_array_equal(found["w"], [6.0, 6.0])
    np.testing.assert_array_equal(found["b"], [0.0, 0.0])
    assert myia.jvp(product, ({"a": 2.0, "b": 3.0},), ({"b": 1.0, "a": 0.0},)) == (6.0, 2.0)
    assert myia.vjp(multiples, 1.0)[1]({"q": 1.0, "p": 0.0}) == (3.0,)
    direction = OrderedDict(b=1.0, a=0.0)
    assert myia.jvp(product, ({"a": 2.0, "b": 3.0},), (direction,))[1] == 2.0


def test_items_of_dicts_are_matched_by_key_in_compiled_code():
    def f(x, y):
        d, t = {"a": x, "b": y}, {"b": 1.0, "a": 0.0}
        _, pull = myia.vjp(multiples, x)
        second = myia.hvp(lambda d: d["a"] ** 3 + d["b"] ** 2)(d, {"b": 0.0, "a": 1.0})
        return myia.jvp(product, (d,), (t,))[1], pull({"q": 1.0, "p": 0.0})[0], second

    assert myia.jit(f)(2.0, 3.0) == (2.0, 3.0, {"a": 12.0, "b": 0.0})


def test_attributes_are_matched_by_name():
    m, t = Model(a=2.0, b=3.0), Model(b=1.0, a=0.0)
    assert myia.jvp(scaled, (m,), (t,)) == (12.0, 4.0)
    found = myia.hvp(scaled)(m, Model(b=0.0, a=1.0))
    assert (found.a, found.b) == (6.0, 4.0)
    assert myia.jit(lambda m, t: myia.jvp(scaled, (m,), (t,)))(m, t) == (12.0, 4.0)


def test_settings_of_a_model_may_be_anything_in_its_tangent():
    def f(m):
        return m.a * m.n if m.name == "net" else m.a

    m = Model(a=2.0, n=3, name="net")
    assert myia.jvp(f, (m,), (Model(name="tangent", n=0, a=1.0),)) == (6.0, 3.0)


def test_a_rule_is_matched_in_the_same_way():
    @myia.custom_jvp
    def f(m):
        return {"y": m.a * m.b, "z": m.a}

    @f.defjvp
    def _(primals, tangents):
        (m,), (t,) = primals, tangents
        y = {"z": m.a, "y": m.a * m.b}
        return y, {"z": t.a, "y": t.a * m.b + m.a * t.b}

    y, t = myia.jvp(f, (Model(a=2.0, b=3.0),), (Model(b=1.0, a=0.0),))
    assert (y, t) == ({"y": 6.0, "z": 2.0}, {"y": 2.0, "z": 0.0})

    @myia.custom_vjp
    def g(m):
        return m.a * m.b

    def backward(m, ct):
        found = Bare()
        found.b = ct * m.a
        found.a = ct * m.b
        return (found,)

    g.defvjp(lambda m: (m.a * m.b, m), backward)
    m = Bare()
    m.a, m.b = 2.0, 3.0
    found = myia.grad(g)(m)
    assert (found.a, found.b) == (3.0, 2.0)


A_DICT = {"a": 2.0, "b": 3.0}
TWO_KEYS = "a dict with the keys 'a', 'b'"
WRONG = {
    "other keys": (
        lambda: myia.jvp(product, (A_DICT,), ({"x": 1.0, "y": 0.0},)),
        f"a tangent is a dict with the keys 'x', 'y' where {TWO_KEYS} is wanted",
    ),
    "a list for a dict": (
        lambda: myia.jvp(product, (A_DICT,), ([1.0, 0.0],)),
        f"a tangent is a list of 2 items where {TWO_KEYS} is wanted",
    ),
    "a dict for a number": (
        lambda: myia.jvp(lambda t: t[0] * t[1], ((2.0, 3.0),), (({"z": 1.0}, 0.0),)),
        "a tangent is (a dict with the keys 'z') where (f64[]) is wanted, at `[0]`",
    ),
    "a tuple for a number": (
        lambda: myia.vjp(lambda x: {"p": (x, 2 * x)}, 1.0)[1]({"p": (1.0, (1.0,))}),
        "a cotangent is (a tuple of 1 items) where (f64[]) is wanted, at `['p'][1]`",
    ),
    "too few": (
        lambda: myia.jvp(lambda x, y: x * y, (2.0, 3.0), (1.0,)),
        "a tangent is a tuple of 1 items where a tuple of 2 items is wanted",
    ),
    "two cotangents": (
        lambda: myia.jit(lambda x: myia.vjp(lambda x: (x, x), x)[1](1.0, 1.0))(2.0),
        "a cotangent is a tuple of 2 items where a tuple of 1 items is wanted",
    ),
    "the second of two": (
        lambda: myia.jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, np.ones(2))),
        "a tangent is (an array f64[2]) where (f64[]) is wanted, at `[1]`",
    ),
    "another tuple": (
        lambda: myia.jvp(lambda p: p.first * p.second, (Pair(2.0, 3.0),), ([1.0, 0.0],)),
        "a tangent is a list of 2 items where an instance of Pair is wanted",
    ),
    "other attributes": (
        lambda: myia.jvp(scaled, (Model(a=2.0, b=3.0),), (Model(a=1.0, c=0.0),)),
        "a tangent is an instance of Model with the attributes 'a', 'c' where an instance of "
        "Model with the attributes 'a', 'b' is wanted",
    ),
    "None for a number": (
        lambda: myia.jvp(product, (A_DICT,), ({"a": 1.0, "b": None},)),
        "a tangent is (None) where (f64[]) is wanted, at `['b']`",
    ),
    "a dict of directions": (
        lambda: myia.hvp(lambda x, y: x * y, argnums=(0, 1))(2.0, 3.0, {"x": 1.0, "y": 0.0}),
        "a tangent is a dict with the keys 'x', 'y' where a tuple of 2 items is wanted",
    ),
    "an array of directions": (
        lambda: myia.hvp(lambda x, y: x * y, argnums=(0, 1))(2.0, 3.0, np.ones(2)),
        "a tangent is an array f64[2] where a tuple of 2 items is wanted",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_other_structures_are_refused(name):
    run, title = WRONG[name]
    with pytest.raises(myia.MyiaError) as caught:
        run()
    assert str(caught.value).splitlines()[0] == title


def test_a_tangent_that_holds_itself_is_refused():
    t = [1.0]
    t.append(t)
    with pytest.raises(myia.MyiaError, match=r"a tangent is .a list of 2 items. where .f64") as e:
        myia.jvp(lambda xs: xs[0] * xs[1], ([2.0, 3.0],), (t,))
    assert "at `[1]`" in str(e.value)
    with pytest.raises(myia.MyiaError, match="a tangent is a list of 2 items where"):
        myia.jvp(product, (A_DICT,), (t,))


def test_directions_of_several_arguments_are_a_tuple_or_a_list():
    f = myia.hvp(lambda x, y: x**2 * y, argnums=(0, 1))
    assert f(2.0, 3.0, (1.0, 0.0)) == f(2.0, 3.0, [1.0, 0.0]) == (6.0, 4.0)


def test_the_tangent_of_a_set_is_a_list():
    found = myia.jvp(lambda s: sum(s), ({2.0},), ([3.0],))
    assert found == (2.0, 3.0)
