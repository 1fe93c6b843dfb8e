"""The `operator` module and special methods by name, beside Python."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

import myia


class V:
    def __init__(self, a):
        self.a = a

    def __add__(self, other):
        return V(self.a + other.a) if isinstance(other, V) else NotImplemented

    def __len__(self):
        return 3

    def m(self, k, p=1.0):
        return self.a * k * p


A = np.array([1.0, 2.0, 3.0])
FIRST, NAMED, CALLED = (
    operator.itemgetter(1),
    operator.attrgetter("a", "a.real"),
    operator.methodcaller("m", 2.0, p=3.0),
)
EXPRESSIONS = {
    "float add": lambda x: x.__add__(2.0),
    "float mul": lambda x: x.__mul__(x),
    "radd": lambda x: x.__radd__(1),
    "float neg": lambda x: x.__neg__(),
    "abs": lambda x: x.__abs__(),
    "pow": lambda x: x.__pow__(3),
    "lt": lambda x: x.__lt__(3.0),
    "eq": lambda x: x.__eq__(2.0),
    "float int add": lambda x: (3).__add__(x) is NotImplemented,
    "int add": lambda x: (3).__add__(4),
    "truediv": lambda x: x.__truediv__(4),
    "float": lambda x: x.__float__(),
    "bool": lambda x: x.__bool__(),
    "int": lambda x: x.__int__(),
    "arr add": lambda x: A.__add__(x),
    "arr getitem": lambda x: (A * x).__getitem__(1),
    "arr len": lambda x: A.__len__(),
    "arr matmul": lambda x: (A * x).__matmul__(A),
    "arr contains": lambda x: A.__contains__(2.0),
    "arr iter": lambda x: [v for v in (A * x).__iter__()],
    "arr iadd": lambda x: (A * x).__iadd__(1.0),
    "arr lt": lambda x: (A * x).__lt__(3.0),
    "list getitem": lambda x: [x, 2 * x].__getitem__(1),
    "list len": lambda x: [x, x].__len__(),
    "list add": lambda x: [x].__add__([2.0]),
    "list contains": lambda x: [1, 2].__contains__(2),
    "dict getitem": lambda x: {"a": x}.__getitem__("a"),
    "dict contains": lambda x: {"a": x}.__contains__("b"),
    "tuple getitem": lambda x: (x, 3.0).__getitem__(0),
    "tuple len": lambda x: (x, 1).__len__(),
    "inst add": lambda x: V(x).__add__(V(x)).a,
    "inst add ni": lambda x: V(x).__add__(2.0) is NotImplemented,
    "inst len": lambda x: V(x).__len__(),
    "unbound": lambda x: V.__add__(V(x), V(x)).a,
    "float.__add__": lambda x: float.__add__(x, 2.0),
    "list.append": lambda x: list.__getitem__([x], 0),
    "operator.add": lambda x: operator.add(x, 2),
    "operator.mul": lambda x: operator.mul(x, x),
    "itemgetter": lambda x: operator.itemgetter(1)([x, 2 * x]),
    "itemgetter2": lambda x: operator.itemgetter(1, 0)([x, 2 * x]),
    "attrgetter": lambda x: operator.attrgetter("a")(V(x)),
    "attrgetter2": lambda x: operator.attrgetter("a.real", "a")(V(x)),
    "methodcaller": lambda x: operator.methodcaller("m", 2.0, p=x)(V(x)),
    "getitem": lambda x: operator.getitem([x, 1], 0),
    "contains": lambda x: operator.contains([1, 2], 2),
    "iadd": lambda x: operator.iadd(x, 1),
    "matmul": lambda x: operator.matmul(A * x, A),
    "neg": lambda x: operator.neg(x),
    "operator.lt": lambda x: operator.lt(x, 3.0),
    "truth": lambda x: operator.truth(x),
    "not_": lambda x: operator.not_(x),
    "is_": lambda x: operator.is_(x, x),
    "index": lambda x: operator.index(3),
    "concat": lambda x: operator.concat([x], [1.0]),
    "length_hint": lambda x: operator.length_hint([x]),
    "countOf": lambda x: operator.countOf([1, 2, 1], 1),
    "indexOf": lambda x: operator.indexOf([1, 2], 2),
    "call": lambda x: operator.call(lambda y: y * x, 3.0),
    "operator.pow": lambda x: operator.pow(x, 2),
    "inv": lambda x: operator.inv(5),
    "pos": lambda x: operator.pos(x),
    "floordiv": lambda x: operator.floordiv(x, 2),
    "mod": lambda x: operator.mod(x, 2),
    "xor": lambda x: operator.xor(5, 3),
    "and_": lambda x: operator.and_(True, False),
    "lshift": lambda x: operator.lshift(1, 3),
    "is_not": lambda x: operator.is_not(x, None),
    "dunder": lambda x: operator.__add__(x, x),
    "imul": lambda x: operator.imul([x], 2),
    "sorted key": lambda x: sorted([(2, x), (1, 2 * x)], key=operator.itemgetter(0))[0][1],
    "max key": lambda x: max([V(3.0), V(x)], key=operator.attrgetter("a")).a,
    "setitem": lambda x: [l := [x, 1.0], operator.setitem(l, 1, 5.0), l][2],
    "delitem": lambda x: [l := [x, 1.0], operator.delitem(l, 1), l][2],
    "l.setitem": lambda x: [l := [x, 1.0], l.__setitem__(1, 5.0), l][2],
    "a.setitem": lambda x: [l := A * x, l.__setitem__(1, 5.0), l][2],
}
MORE = {
    "getters of the module": lambda x: (FIRST([1, x]), NAMED(V(x)), CALLED(V(x))),
    "unbound": lambda x: [xs := [x], list.append(xs, 2.0), list.__len__(xs), xs],
    "iadd of a list": lambda x: [xs := [x], ys := xs, operator.iadd(xs, [2.0]), ys],
    "iadd of an array": lambda x: [a := A * x, b := a, operator.imul(a, 2.0), b],
    "radd of float and int": lambda x: (2).__radd__(x),
    "int and float": lambda x: [(2).__lt__(x), (2).__eq__(2.0), (2.0).__eq__(2), x.__eq__(None)],
    "no such method": lambda x: x.__lshift__(1),
    "no such operand": lambda x: [x].__add__((1,)),
    "no argument": lambda x: x.__add__(),
    "of an array": lambda x: [A.__rsub__(x), A.__eq__(x), A.__pow__([1, 2, 3]), A.__neg__()],
    "numbers of numpy": lambda x: [A[0].__add__(x), A[0].__radd__(1), np.float32(2).__mul__(3)],
    "instance beside a number": lambda x: [x.__add__(V(x)), x.__lt__(V(x)), x.__eq__(V(x))],
    "index": lambda x: operator.index(x),
    "concat": lambda x: operator.concat(x, x),
    "strings": lambda x: ["a".__add__("b"), "ab".__contains__("a"), "ab".__len__(), "a".__eq__(1)],
    "dicts": lambda x: [d := {"a": x}, d.__setitem__("b", 1.0), d.__delitem__("a"), d, d.__len__()],
}


def outcome(f, x):
    try:
        return repr(f(x))
    except Exception as error:
        return type(error).__mro__[0].__name__, isinstance(error, (TypeError, AttributeError))


@pytest.mark.parametrize("name", [*EXPRESSIONS, *MORE])
def test_value(name):
    f = {**EXPRESSIONS, **MORE}[name]
    assert outcome(myia.jit(f), 1.5) == outcome(f, 1.5)


REFUSED = {
    "another type": (
        lambda x: (2.0 * x).__add__(np.float64(2.0)),
        "`__add__` of a Python float and float64 np.float64(2.0) is not supported",
    ),
    "objects that may change": (
        lambda x: CHANGING(A * x),
        "`operator.itemgetter` of objects that may change is not supported",
    ),
    "counts": (
        lambda x: operator.countOf([x, 1.0], 1.0),
        "`operator.countOf` of run-time values is not supported",
    ),
    "method of another class": (
        lambda x: int.__add__(x, 1),
        "`int.__add__` of such an argument is not supported",
    ),
}
CHANGING = operator.itemgetter(np.array([0]))


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    f, title = REFUSED[name]
    with pytest.raises(myia.errors.MyiaError) as caught:
        myia.jit(f)(1.5)
    assert str(caught.value).splitlines()[0] == title


# ----- The order in which Python asks the classes of both operands


class Base:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return "Base.add", self.v

    def __radd__(self, other):
        return "Base.radd", self.v

    def __lt__(self, other):
        return "Base.lt", self.v

    def __gt__(self, other):
        return "Base.gt", self.v

    def __eq__(self, other):
        return "Base.eq", self.v


class Same(Base):
    pass


class Own(Base):
    def __radd__(self, other):
        return "Own.radd", self.v

    def __gt__(self, other):
        return "Own.gt", self.v

    def __eq__(self, other):
        return "Own.eq", self.v


class Leaves(Base):
    def __radd__(self, other):
        return NotImplemented

    def __gt__(self, other):
        return NotImplemented

    def __eq__(self, other):
        return NotImplemented


class Right:
    def __init__(self, v):
        self.v = v

    def __radd__(self, other):
        return "Right.radd", self.v

    def __gt__(self, other):
        return "Right.gt", self.v


class RightAgain(Right):
    pass


class RightOwn(Right):
    def __radd__(self, other):
        return "RightOwn.radd", self.v


CLASSES = (Base, Same, Own, Leaves, Right, RightAgain, RightOwn)
ORDERED = {
    "+": lambda left, right, x: left(x) + right(x + 1.0),
    "<": lambda left, right, x: left(x) < right(x + 1.0),
    "==": lambda left, right, x: left(x) == right(x + 1.0),
    "!=": lambda left, right, x: left(x) != right(x + 1.0),
}


@pytest.mark.parametrize("op", ORDERED)
def test_the_class_that_extends_the_other_is_asked_first(op):
    f = ORDERED[op]
    for left, right in itertools.product(CLASSES, CLASSES):
        try:
            want = f(left, right, 1.0)
        except TypeError:
            with pytest.raises(TypeError):
                myia.jit(lambda x, left=left, right=right: f(left, right, x))(1.0)
        else:
            assert myia.jit(lambda x, left=left, right=right: f(left, right, x))(1.0) == want


def test_a_list_in_place_and_an_instance_with_a_method():
    """Python asks the instance before the list."""

    def f(x):
        xs = [x, 2.0]
        xs += Right(x)
        return xs

    assert myia.jit(f)(3.0) == f(3.0) == ("Right.radd", 3.0)
