"""`match`: which patterns match what (beside Python), and what is refused."""

import array
import collections
import dataclasses
import types
import typing
from collections import deque

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.statements.beside_python import assert_as_python, assert_raises_as_python


@dataclasses.dataclass
class Point:
    a: float
    b: float
    c: float = dataclasses.field(default=3.0, kw_only=True)


class Pair(typing.NamedTuple):
    a: float
    b: float


class Empty:
    pass


class Growing(collections.abc.Sequence):
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.x * (i + 1)


class Registered:
    def __len__(self):
        return 2


collections.abc.Sequence.register(Registered)


class Lookup(collections.abc.Mapping):
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return 1

    def __iter__(self):
        return iter(("k",))

    def __getitem__(self, key):
        return self.x


Int = int
PROXY = types.MappingProxyType({"a": 2.0})
ARRAY = array.array("d", [1.0, 2.0])
DEQUE = deque([1.0, 2.0])


def a_range(x):
    match range(3):
        case [a, b, c]:
            return x * a + b + c * x


def rest_of_a_range(x):
    match range(2, 8):
        case [a, *m, b]:
            return x * a + sum(m) * b, m


def a_deque(x):
    match deque([x, 2.0, 3.0, 4.0]):
        case [_, _]:
            return 0.0
        case [a, *m, b, _]:
            return a * b + sum(m), m


def a_deque_of_the_module(x):
    match DEQUE:
        case [a, *r]:
            return a * x, r


def an_array_of_the_module(x):
    match ARRAY:
        case [a, *r]:
            return a * x, r


def others_are_no_sequences(x):
    found = []
    for s in ("ab", b"ab", np.ones(2), {1: 2, 3: 4}, {1, 2}, 1.0, None, x):
        match s:
            case [_, _]:
                found.append(1)
            case _:
                found.append(0)
    return x, found


def a_default_dict(x):
    d = collections.defaultdict(list)
    d["a"].append(x)
    match d:
        case {"b": v}:
            return 0.0
        case {"a": [v], **rest}:
            return v, len(d), rest


def a_named_tuple(x):
    match Pair(x, 2.0):
        case (a, 1.0):
            return 0.0
        case Pair(a, b=3.0):
            return 1.0
        case Pair(a, b):
            return a * b


def a_dataclass(x):
    match Point(x, 2.0, c=x):
        case [a, b]:
            return 0.0
        case Point(1, 2, c=3):
            return 1.0
        case Point(a, zz=_):
            return 2.0
        case Point(a, 2.0 | 3.0, c=c):
            return a * c


def builtin_classes(x):
    found = []
    for item in (1, True, 2.5, "s", [x], (x, 2.0), {"a": 1}, None, b"b"):
        match item:
            case bool(b):
                found.append(("bool", b))
            case int(b):
                found.append(("int", b))
            case float(b):
                found.append(("float", b))
            case str():
                found.append("str")
            case list([b]):
                found.append(("list", b))
            case tuple((b, _)):
                found.append(("tuple", b))
            case dict(b):
                found.append(("dict", b))
            case bytes(b):
                found.append(("bytes", b))
            case None:
                found.append("none")
    return x, found


def builtin_class_by_another_name(x):
    match 3:
        case Int(a):
            return x * a


def constants(x):
    found = []
    for item in (0, False, 0.0, None, 1, True, 1.0, "1"):
        match item:
            case True:
                found.append("True")
            case None:
                found.append("None")
            case 0:
                found.append("0")
            case False:
                found.append("False")
            case 1:
                found.append("1")
            case _:
                found.append("other")
    return x, found


def star_between(x):
    match (x, 1.0, 2.0):
        case [a, *_, b]:
            return a * b


RIGHT = [
    a_range,
    rest_of_a_range,
    a_deque,
    a_deque_of_the_module,
    an_array_of_the_module,
    others_are_no_sequences,
    a_default_dict,
    a_named_tuple,
    a_dataclass,
    builtin_classes,
    builtin_class_by_another_name,
    constants,
    star_between,
]


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_match(f):
    assert_as_python(f, 2.5)


# ----- Errors


def too_many(x):
    match Point(x, 2.0):
        case Point(a, b, c):
            return a


def no_positions(x):
    match Empty():
        case Empty(a):
            return a


def an_attribute_twice(x):
    match Point(x, 2.0):
        case Point(a, a=b):
            return a


@pytest.mark.parametrize("f", [too_many, no_positions, an_attribute_twice])
def test_errors(f):
    assert_raises_as_python(f, 2.5)


def pair_of(s):
    match s:
        case [a, b]:
            return a * b
        case {"k": v}:
            return v
    return 0.0


@pytest.mark.parametrize(
    ("make", "name"),
    [(Growing, "Growing"), (lambda x: Registered(), "Registered"), (Lookup, "Lookup")],
)
def test_other_classes_are_refused(make, name):
    with pytest.raises(MyiaError, match=f"an object of the class `{name}` in a .* pattern"):
        myia.jit(lambda x: pair_of(make(x)))(2.0)


def test_a_read_only_view_of_a_dict_is_refused():
    with pytest.raises(MyiaError, match=r"`mappingproxy` in a mapping pattern"):
        myia.jit(lambda x: pair_of(PROXY) * x)(2.0)
