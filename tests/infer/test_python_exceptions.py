"""What is said to raise does raise in Python, and what is not supported does not claim to."""

import abc
import fractions

import numpy as np
import pytest

from myia.source.diagnostics import MyiaError
from tests.infer.driver import run

X = np.array([1.0, 2.0, 3.0])
MASKED = np.ma.array([1.0, 2.0], mask=[False, True])


class Plain:
    pass


class Single:
    def __new__(cls, *args):
        return super().__new__(cls)


class Abstract(abc.ABC):
    @abc.abstractmethod
    def f(self):
        pass


def assigned_to_a_tuple(x):
    t = (x, 1.0)
    t[0] = 2.0
    return t


def stored_text(x):
    x[0] = "a"
    return x


def key_of_a_list(x):
    d = {}
    d[[1]] = x
    return d


def index_of_a_grown_list(x):
    taken = []
    for v in x:
        if v > 1:
            taken.append(v)
    return taken[x[0]]


RAISED = {
    "index of a float": lambda x: x[5.0],
    "index of a float, second axis": lambda x: x[:, None][0, 1.0],
    "index of a float at run time": lambda x: x[x[0]],
    "index of a string": lambda x: x["a"],
    "index of a grown list": index_of_a_grown_list,
    "index of a list": lambda x: [x, x][float(x[0])],
    "index of a tuple": lambda x: (x, x)[x[0]],
    "slice of floats": lambda x: x[0:1.5],
    "slice without a step": lambda x: x[::0],
    "attribute of an array": lambda x: x.foo,
    "attribute of a float": lambda x: float(x[0]).foo,
    "attribute of a list": lambda x: [x].foo,
    "attribute of a dict": lambda x: {"a": x}.foo,
    "attribute of a tuple": lambda x: (x,).foo,
    "attribute of None": lambda x: None.foo,
    "call of a float": lambda x: float(x[0])(),
    "call of a tuple": lambda x: tuple([x, x])(),
    "items of a float": lambda x: list(float(x[0])),
    "items of an instance": lambda x: list(Plain()),
    "subscript of a float": lambda x: float(x[0])[0],
    "length of a float": lambda x: len(float(x[0])),
    "length of an instance": lambda x: len(Plain()),
    "length of a function": lambda x: len(lambda: x),
    "item of a tuple assigned": assigned_to_a_tuple,
    "text in an array": stored_text,
    "key that is a list": key_of_a_list,
    "key that is an array": lambda x: {"a": x}[x],
    "arguments of a class": lambda x: Plain(x),
    "abstract class": lambda x: Abstract(),
    "abs of a list": lambda x: abs([x[0]]),
    "abs of a tuple": lambda x: abs((1.0, 2.0)),
    "round of a list": lambda x: round([x[0]]),
    "pow of floats": lambda x: pow(float(x[0]), 2, 3),
    "sorted of two types": lambda x: sorted([(1, "a"), ("b", 2)]),
    "range without a step": lambda x: list(range(0, 3, 0)),
    "range of a float": lambda x: list(range(float(x[0]))),
    "sum of a number": lambda x: sum(float(x[0])),
    "None in place of a number": lambda x: x + None,
    "argument that np.sum has not": lambda x: np.sum(x, nonsense=1),
    "argument that np.add has not": lambda x: np.add(x, x, nonsense=1),
    "too many arguments": lambda x: np.sin(x, x, x),
    "too few arguments": lambda x: np.add(x),
    "no arguments": lambda x: max(),
    "four arguments": lambda x: range(1, 2, 3, 4),
    "arguments of a method": lambda x: [x].append(x, x),
    "matrix product of floats": lambda x: float(x[0]) @ 3.0,
}


@pytest.mark.parametrize("name", RAISED)
def test_as_python_raises(name):
    f = RAISED[name]
    with pytest.raises(Exception) as wanted:
        f(X.copy())
    kinds = (TypeError, ValueError, IndexError, AttributeError)
    kind = next(kind for kind in kinds if isinstance(wanted.value, kind))
    with pytest.raises(kind) as got:
        run(f, X.copy())
    assert isinstance(got.value, MyiaError)
    assert f"this would raise {kind.__name__}" in str(got.value)


REFUSED = {
    "fraction": lambda x: fractions.Fraction(1, 2),
    "class with __new__": lambda x: Single(1),
    "bit generator": lambda x: np.random.Philox(0),
    "masked array": lambda x: MASKED + x[0],
    "text of a run-time value": lambda x: "a" + f"{x[0]}",
    "text repeated": lambda x: "ab" * int(x[0]),
    "array made of None": lambda x: np.array([x[0], None], float),
    "option of np.add": lambda x: np.add(x, x, subok=False),
    "option of np.array": lambda x: np.array(x, like=X),
    "array of an iterator": lambda x: np.array(zip(x, x)),
    "array of a dict": lambda x: np.array({1.0: 2.0}),
    "type of a fraction": lambda x: x[0] == fractions.Fraction(1, 2),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_raise_is_only_not_supported(name):
    f = REFUSED[name]
    f(X.copy())
    with pytest.raises(MyiaError, match="not supported") as got:
        run(f, X.copy())
    assert not isinstance(got.value, (TypeError, ValueError))
    assert "would raise" not in str(got.value)


HELD = slice(0, np.int64(2))
HELD_PAIR = (slice(None, None, -1), 0)


class Holder:
    def __init__(self):
        self.part = slice(np.int8(1), None)


HOLDER = Holder()


def test_slices_that_are_held():
    def f(x):
        y = x.copy()
        y[HELD] = 7.0
        del_from = [1.0, 2.0, 3.0]
        del del_from[HELD]
        return x[HELD], x[HOLDER.part], x[:, None][HELD_PAIR], y, [1, 2, 3][HELD], del_from

    for got, want in zip(run(f, X), f(X), strict=True):
        np.testing.assert_array_equal(got, want)


def test_sorted_by_what_is_static():
    def f(x):
        return (
            [k for k, _ in sorted({"b": x[0], "a": x[1], "c": x}.items())],
            sorted([(2, "a"), (1, "b"), (1, "a")]),
            sorted([(2, "a"), (1, "b")], reverse=True),
            sorted([[3], [1, 2], [1]]),
            sorted({"b": 1, "a": 2}.items(), key=lambda item: item[1]),
        )

    assert run(f, X) == f(X)
    by_numbers = lambda x: sorted([(1, x[0], "b"), (1, x[1], "a")])[0][1]  # noqa: E731
    assert run(by_numbers, X) == by_numbers(X)
