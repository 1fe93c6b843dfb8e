"""Operators in place of instances, dicts and sets, beside Python."""

import operator
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

import myia


class Changed:
    """Changes itself where the method in place does, is another where the other one does."""

    def __init__(self, m):
        self.m = m

    def changed(self, v):
        self.m = self.m * 2.0 + np.sum(v)
        return self

    def another(self, v):
        return Changed(self.m * 3.0 + np.sum(v))

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = changed
    __imatmul__ = __ior__ = __iand__ = __ixor__ = __ilshift__ = __irshift__ = changed
    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = another
    __matmul__ = __or__ = __and__ = __xor__ = __lshift__ = __rshift__ = another


class Leaving(Changed):
    def __iadd__(self, v):
        self.m = self.m + 7.0
        return NotImplemented


class Alone:
    def __init__(self, m):
        self.m = m

    def __iadd__(self, v):
        self.m += v
        return self


class Reflected:
    def __init__(self, m):
        self.m = m

    def __radd__(self, other):
        return Changed(self.m * 100.0)

    def __ror__(self, other):
        return Changed(self.m * 200.0)

    def __iter__(self):
        return iter([(1.0, 2.0)])


class Point(NamedTuple):
    m: float

    def __iadd__(self, v):
        return Point(self.m + 10.0 * np.sum(v))


def in_place(op, v):
    """`a op= v`, and of another name of `a`."""
    change = getattr(operator, f"i{op}")

    def f(x):
        a = Changed(1.0)
        b, a = a, change(a, v(x))
        return a.m * 10.0 + b.m

    return f


def leaving(x):
    a = Leaving(1.0)
    b = a
    a += x
    return a.m * 10.0 + b.m


def alone(x):
    t, d = SimpleNamespace(o=Alone(1.0)), {"a": Alone(x[1])}
    o, a = t.o, d["a"]
    t.o += x[0]
    for v in x:
        d["a"] += np.sin(v)
    return t.o.m * 10.0 + o.m + d["a"].m * a.m


def of_the_right(x):
    a, s = Alone(1.0), {1.0}
    b, t = a, s
    a += Reflected(x[0]).m
    s |= Reflected(x[1])
    return a.m * b.m + s.m * len(t)


def of_a_namedtuple(x):
    p = q = Point(x[0])
    p += x
    return p.m * q.m


def pairs_into_a_dict(x):
    d = e = {"a": x[0]}
    d |= [("b", x[1]), ("a", 3.0)]
    d |= {"c": x[0]}.items()
    d |= Reflected(1.0)
    return e["a"] * e["b"] + d["c"] * len(e) + e[1.0]


OPERATORS_IN_PLACE = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
BITS_IN_PLACE = ("or", "and", "xor", "lshift", "rshift")
IN_PLACE = {
    **{f"{op} number": in_place(op, lambda x: x[0]) for op in OPERATORS_IN_PLACE + BITS_IN_PLACE},
    **{f"{op} array": in_place(op, lambda x: x) for op in OPERATORS_IN_PLACE + BITS_IN_PLACE},
    **{f.__name__: f for f in (leaving, alone, of_the_right, of_a_namedtuple, pairs_into_a_dict)},
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_the_left_operand_of_an_operator_in_place_is_asked_first(name):
    """Also where the right one is NumPy's, which takes over the operators of lists."""
    f, x, h = IN_PLACE[name], np.array([0.5, 1.2]), 1e-6
    assert myia.jit(f)(x) == pytest.approx(f(x), rel=1e-13)
    wanted = [(f(x + step) - f(x - step)) / (2 * h) for step in h * np.eye(2)]
    assert myia.grad(f)(x) == pytest.approx(wanted, rel=1e-6, abs=1e-6)


NO_METHODS = {
    "__iadd__": lambda cls, x: operator.iadd(cls(x), x),
    "__add__": lambda cls, x: cls(x) + x,
    "__radd__": lambda cls, x: x + cls(x),
    "__lt__": lambda cls, x: cls(x) < x,
    "__len__": lambda cls, x: len(cls(x)),
    "__iter__": lambda cls, x: [v for v in cls(x)],
    "__contains__": lambda cls, x: x in cls(x),
}


@pytest.mark.parametrize("name", NO_METHODS)
def test_a_method_that_is_none(name):
    """Python calls it, and asks neither another method nor the other operand."""
    cls, f = type("Own", (Alone,), {name: None}), NO_METHODS[name]
    with pytest.raises(TypeError) as wanted:
        f(cls, 1.5)
    with pytest.raises(TypeError) as caught:
        myia.jit(lambda x: f(cls, x))(1.5)
    assert str(caught.value).splitlines()[0] == str(wanted.value)


def test_a_method_that_is_no_function():
    cls = type(
        "Own", (Alone,), {"__iadd__": operator.methodcaller("m"), "__add__": lambda self, v: v}
    )
    with pytest.raises(myia.errors.MyiaError, match="`__iadd__` of Own that is not a function"):
        myia.jit(lambda x: operator.iadd(cls(x), x))(1.5)
