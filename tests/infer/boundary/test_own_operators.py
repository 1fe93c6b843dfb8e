"""Classes of numbers, texts and containers whose operators are written in Python: these are called,
or the object is refused; it is never read as the number that it also is."""

import enum
from collections import namedtuple

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError


class Scaled(int):
    def __add__(self, other):
        return int(self) * 1000 + other

    __radd__ = __add__

    def __eq__(self, other):
        return True

    __hash__ = int.__hash__

    def __bool__(self):
        return False

    def __float__(self):
        return 55.0


class Indexed(int):
    def __index__(self):
        return 1


class Tag(str):
    def __add__(self, other):
        return "tag"

    def __str__(self):
        return "str"

    def __format__(self, spec):
        return "format"


class Marked(np.float64):
    def __add__(self, other):
        return 3.0


class Level(enum.IntEnum):
    LOW = 3

    def __add__(self, other):
        return 500.0


class Pair(tuple):
    def __len__(self):
        return 9

    def __getitem__(self, key):
        return 5.0


class Items(list):
    def __mul__(self, other):
        return 7.0


class Vector(namedtuple("Vector", "a b")):
    def __add__(self, other):
        return Vector(self.a + other.a, self.b + other.b)

    def __mul__(self, other):
        return Vector(self.a * other, self.b * other)

    __rmul__ = __mul__

    def __eq__(self, other):
        return self.a == other.a


OBJECTS = [Scaled(3), Indexed(3), Tag("ab"), Marked(2.0), Level.LOW, Pair((1.0, 2.0)), Items([1.0])]
USES = {
    "sum": lambda x, q: q + x,
    "reflected sum": lambda x, q: x + q,
    "product": lambda x, q: q * x,
    "repeated": lambda x, q: q * 2,
    "quotient": lambda x, q: x / q,
    "comparison": lambda x, q: q == x,
    "order": lambda x, q: q < x,
    "in a container": lambda x, q: (q, 1) == (x, 1),
    "truth": lambda x, q: x if q else -x,
    "length": lambda x, q: len(q) * x,
    "item": lambda x, q: q[0] * x,
    "index": lambda x, q: x * [2.0, 3.0, 4.0, 5.0][q],
    "range": lambda x, q: sum([x for _ in range(q)]),
    "of an array": lambda x, q: np.ones(3) + q,
    "float": lambda x, q: float(q) * x,
    "text": lambda x, q: (str(q), f"{q}", f"{q!s}"),
    "sum of a list": lambda x, q: sum([x, q]),
}


@pytest.mark.parametrize("q", OBJECTS, ids=lambda q: type(q).__name__)
def test_as_python_or_refused(q):
    """Also from a closure."""
    for name, use in USES.items():
        try:
            want = repr(use(1.5, q))
        except Exception:
            continue
        for f, args in ((use, (1.5, q)), (lambda x, use=use: use(x, q), (1.5,))):
            try:
                got = repr(myia.jit(f)(*args))
            except (MyiaError, TypeError, ValueError):
                continue
            assert got == want, name


def test_namedtuples_and_arrays():
    """Python asks the left operand first."""

    def f(x, q):
        return q * x, x * q, q * x[0], x[0] * q, x == q, (1.0, 2.0) * x

    x, q = np.array([3.0, 4.0]), Vector(1.0, 2.0)
    assert repr(myia.jit(f)(x, q)) == repr(f(x, q))


def test_own_arithmetic_of_namedtuples():
    def f(x, q):
        return q + q, q * 2, 2 * q, q * x, q == Vector(x, x), q != Vector(q.a, x)

    q = Vector(1.0, 2.0)
    assert repr(myia.jit(f)(1.5, q)) == repr(f(1.5, q))


def test_numbers_of_the_standard_library_and_numpy_stay_numbers():
    class Plain(int):
        def __repr__(self):
            return "plain"

    class Color(enum.IntEnum):
        RED = 3

    class Flags(enum.IntFlag):
        READ = 4

    def f(x, q):
        return x * q, [1.0] * q, x + q, q == 3

    for q in (Plain(3), Color.RED, Flags.READ):
        assert repr(myia.jit(f)(1.5, q)) == repr(f(1.5, q))
    assert myia.jit(lambda x, q: x + q)(1.5, np.int8(3)) == 4.5
