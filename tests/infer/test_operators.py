"""Operators on every pair of kinds of objects, against plain Python.

What Python computes is computed, with the same type, or refused as not supported; where Python
raises TypeError, so do we, or it is refused. Arrays against sequences are never refused.
"""

import copy
import itertools
import linecache
import warnings
from typing import NamedTuple

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_same, run


class Pair(NamedTuple):
    a: float
    b: float


class Plain:
    pass


class Equal:
    def __eq__(self, other):
        return NotImplemented if isinstance(other, dict) else True


class Vector:
    """Its methods take arrays whole: NumPy leaves them to it."""

    __array_ufunc__ = None

    def __init__(self, v):
        self.v = v

    def __radd__(self, other):
        return other + self.v

    def __add__(self, other):
        return self.v + other


class Sized:
    """Its methods take numbers, but NumPy's numbers make an array of it, as of a list."""

    def __init__(self, v):
        self.v = v

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return [self.v, 1.0][i]

    def __radd__(self, other):
        return other + self.v

    __add__ = __rmul__ = __rsub__ = __radd__

    def __gt__(self, other):
        return self.v > other


class Converted:
    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, 2.0])

    def __radd__(self, other):
        return other


def helper(x):
    return x


# name -> the expression for an object, made of run-time numbers: v is an array, s a float
KINDS = {
    "array": "v",
    "integers": "np.array([1, 2])",
    "float64": "v[1]",
    "int64": "np.int64(n)",
    "static float64": "np.float64(2.0)",
    "bool_": "v[0] > 0",
    "array()": "np.array(s)",
    "float": "s",
    "int": "n",
    "static int": "2",
    "list": "[s, 2.0]",
    "static list": "[1.0, 2.0]",
    "tuple": "(s, 2.0)",
    "static tuple": "(1, 2)",
    "pair": "Pair(s, 2.0)",
    "nested": "[[s], [2.0]]",
    "empty": "[]",
    "ragged": "[[s], [2.0, s]]",
    "range": "range(2)",
    "None": "None",
    "str": "'a'",
    "dict": "{'a': s}",
    "set": "frozenset((1.0, 2.0))",
    "instance": "Plain()",
    "equal": "Equal()",
    "vector": "Vector(s)",
    "sized": "Sized(s)",
    "converted": "Converted()",
    "function": "helper",
    "closure": "lambda q: q + s",
    "type": "float",
    "slice": "slice(1)",
}
SEQUENCES = ("list", "static list", "tuple", "static tuple", "pair", "nested", "empty", "range")
NUMPYS = ("array", "integers", "float64", "int64", "static float64", "bool_", "array()")
OPERATORS = ("==", "<", "+", "*")
OTHERS = ("!=", ">=", "-", "/", "//", "%", "**", "@", "&", "|", "^", "<<", "in")
NUMBERS = itertools.count()
IN_PLACE = ("+=", "*=", "-=")


def program(statement, a, b):
    space = {"np": np, "Pair": Pair, "Plain": Plain, "Equal": Equal, "Vector": Vector}
    space |= {"helper": helper, "Sized": Sized, "Converted": Converted}
    source = f"def f(v, s, n):\n    a = {KINDS[a]}\n    b = {KINDS[b]}\n    {statement}\n"
    return defined(source, space)


def defined(source, space):
    name = f"<operators {next(NUMBERS)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), space)
    return space["f"]


def outcome(call, f):
    args = (np.array([1.0, 2.0]), 1.0, 2)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return call(f, *copy.deepcopy(args))
    except Exception as e:
        return e


def check(statement, a, b):
    """Is it refused?"""
    f = program(statement, a, b)
    want = outcome(lambda f, *args: f(*args), f)
    got = outcome(run, f)
    text = f"{statement} of {a} and {b}: {got!r} for {want!r}"
    if isinstance(want, Exception):
        kind = next(t for t in (TypeError, ValueError, Exception) if isinstance(want, t))
        assert isinstance(got, (kind, MyiaError)), text
        return not isinstance(got, kind)
    if isinstance(got, Exception):
        assert isinstance(got, MyiaError) and not isinstance(got, TypeError), text
        return True
    if isinstance(want, (list, tuple, np.ndarray, np.generic, float, int, bool)):
        same_numbers(got, want, text)
    else:
        assert type(got) is type(want), text
    return False


def same_numbers(got, want, text):
    assert type(got) is type(want) or np.ndim(want) == 0, text
    try:
        assert_same(got, want)
    except AssertionError as e:
        raise AssertionError(text) from e


def refused(a, operators, statement="return a {op} b"):
    pairs = itertools.product(KINDS, operators)
    return [(op, a, b) for b, op in pairs if check(statement.format(op=op), a, b)]


def of_numpy_and_a_sequence(found):
    return [r for r in found if set(r[1:]) & set(SEQUENCES) and set(r[1:]) & set(NUMPYS)]


@pytest.mark.parametrize("a", KINDS)
def test_every_pair_of_kinds(a):
    assert of_numpy_and_a_sequence(refused(a, OPERATORS)) == []


@pytest.mark.slow
@pytest.mark.parametrize("a", KINDS)
def test_every_pair_of_kinds_and_other_operators(a):
    assert of_numpy_and_a_sequence(refused(a, OTHERS)) == []


@pytest.mark.parametrize("a", ("array", "float64", "int64", "list", "tuple", "float"))
def test_operators_in_place(a):
    assert of_numpy_and_a_sequence(refused(a, IN_PLACE, "a {op} b; return a")) == []


@pytest.mark.parametrize("a", ("list", "static tuple", "pair", "range", "nested"))
def test_other_operators_of_an_array_and_a_sequence(a):
    for op in OTHERS:
        assert not check(f"return a {op} b", "array", a)
        assert not check(f"return a {op} b", a, "integers")


# ----- Derivatives

DIFFERENTIATED = {
    "mask of equals": lambda x: np.sum(np.where(x == (1.0, 5.0), 3.0 * x, x * x)),
    "mask, reflected": lambda x: np.sum(np.where(x != (1.0, 2.0), x**3, -x)),
    "product": lambda x: np.sum(x * [2.0, 3.0]),
    "list of run-time values": lambda x: np.sum([x[0] ** 2, x[1]] / x),
    "namedtuple": lambda x: np.sum(Pair(x[1], x[0] * x[1]) ** x),
    "nested": lambda x: np.sum(x @ [[x[0], 1.0], [2.0, x[1]]]),
    "number and a list": lambda x: np.sum(x[0] - [x[1] * x[1], 5]),
    "in place": lambda x: in_place(x * 1.0),
    "range": lambda x: np.sum(x ** range(2, 4)),
}


def in_place(y):
    y *= (2, 3)
    y -= [y[0] * y[1], 1.0]
    return np.sum(y**2)


@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_derivatives(name):
    f, x, h = DIFFERENTIATED[name], np.array([1.0, 2.5]), 1e-6
    steps = h * np.eye(2)
    want = [(f(x + step) - f(x - step)) / (2 * h) for step in steps]
    if name.startswith("mask"):  # central differences leave the mask
        want = {"mask of equals": [3.0, 5.0], "mask, reflected": [-1.0, 18.75]}[name]
    np.testing.assert_allclose(myia.grad(f)(x), want, rtol=1e-7)


def test_values_that_are_equal_to_themselves():
    def f(x):
        y = x[0]
        return y in [1.0, y], y == y, [y] == [y], [x] == [x], x in [x], (y,) != (y,)

    assert run(f, np.array([np.nan])) == (True, False, True, True, True, False)


def test_what_may_be_none_against_an_array():
    def f(x, n):
        y = None
        if x[0] > n:
            y = x[1]
        return y == x, x != y

    for n in (0.0, 5.0):
        got, want = run(f, np.array([1.0, 2.0]), n), f(np.array([1.0, 2.0]), n)
        np.testing.assert_array_equal(got, want)


# ----- Python's exceptions can be caught as Python's

RAISING = {
    "operands": (TypeError, lambda x: x + {}),
    "operands in a branch": (TypeError, lambda x: x + {} if x[0] > 0 else x),
    "arguments": (TypeError, lambda x: helper(x, x)),
    "keyword": (TypeError, lambda x: helper(y=x)),
    "not callable": (TypeError, lambda x: x(1)),
    "attribute": (AttributeError, lambda x: Plain().missing),
    "name": (NameError, lambda x: not_defined),  # noqa: F821
    "key": (KeyError, lambda x: {"a": x}["b"]),
    "index": (IndexError, lambda x: [x][1]),
    "axis": (np.exceptions.AxisError, lambda x: np.sum(x, axis=2)),
    "shapes": (ValueError, lambda x: x * [1.0, 2.0, 3.0]),
    "library": (TypeError, lambda x: np.sum(x, nonsense=1)),
}


@pytest.mark.parametrize("name", RAISING)
@pytest.mark.parametrize("transform", (myia.jit, myia.grad))
def test_exceptions_of_python(name, transform):
    exception, f = RAISING[name]
    x = np.array([1.0, 2.0])
    with pytest.raises(exception):
        f(x)
    with pytest.raises(exception) as caught:
        transform(f)(x)
    assert isinstance(caught.value, MyiaError)
    assert "-->" in str(caught.value)


# ----- `is` between numbers of which Python has one object each


def is_true(x):
    return (x > 0) is True, (x > 0) is not True, bool(x) is False, (not x) is True


def matches_a_bool(x):
    match x > 0:
        case True:
            return 1.0
        case False:
            return 2.0
    return 3.0


def counts(x):
    n, found = 0, []
    for i in range(4):
        n = n + 1 if x > i else n
        found.append(n is ONE)
    return n is ONE, found, (x > 1) is (x > 2) if type(x) in (int, float) else None


def waits(x):
    n = 5
    while (n > x) is True:
        n = n - 1
    return n


ONE = 1


@pytest.mark.parametrize("f", [is_true, matches_a_bool, counts, waits])
@pytest.mark.parametrize(
    "x", [1.5, 1, -1.0, 0.0, True, np.float64(1.5), np.int64(2), np.array(3.0)]
)
def test_is_between_bools_and_small_ints(f, x):
    assert myia.jit(f)(x) == f(x)
