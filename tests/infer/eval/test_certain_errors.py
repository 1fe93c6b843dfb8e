"""Errors that are sure to be raised, in code that the compiler drops or tries again."""

import collections
import contextlib
import enum
import functools
import itertools
import operator
import pickle
import statistics

import numpy as np
import pytest

import myia
from tests.infer.driver import outcome


class Bad(Exception):
    pass


class Worse(Exception):
    pass


def one_of_two(x):
    if x > 6.0:
        raise Bad("b")
    else:
        raise Worse("w")
    return x


def loudly(x):
    try:
        raise Bad("b")
    finally:
        print("final", x)
    return x


def after_a_print(x):
    print("before", x)
    raise Bad("b")


def out_of_range(x):
    y = np.ones(3)
    try:
        return y[7] * x
    finally:
        print("final", x)


def after_an_index(x):
    y = np.ones(3)
    try:
        z = y[int(x)]
        raise Worse(z)
    finally:
        if x > 30.0:
            raise KeyError(3)


KINDS = (Bad, Worse, IndexError, KeyError, UnboundLocalError)
BODIES = [one_of_two, loudly, after_a_print, out_of_range, after_an_index]


def in_a_derivative(f, y):
    return myia.grad(f)(y[0])


def in_a_checkpoint(f, y):
    return myia.checkpoint(f)(y[0])


def in_a_batch(f, y):
    return np.sum(myia.vmap(f)(y))


def in_unrolled_code(f, y):
    for k in range(3):
        z = 1.0 if k else y
        f(y[0])
    return z


def with_known_error(f, y):
    for k in range(3):
        z = 1.0 if k else y
        with contextlib.suppress(KeyError):
            f(unbound)  # noqa: F821
            unbound = 1.0  # noqa: F841
    return z


AROUND = [in_a_derivative, in_a_checkpoint, in_a_batch, in_unrolled_code, with_known_error]


def caught(around):
    def f(body, y):
        try:
            return around(body, y)
        except Bad:
            return 1.0
        except Worse:
            return 2.0

    return f


@pytest.mark.parametrize("catches", [False, True])
@pytest.mark.parametrize("around", AROUND, ids=lambda f: f.__name__)
@pytest.mark.parametrize("body", BODIES, ids=lambda f: f.__name__)
def test_what_raises_is_what_python_raises(body, around, catches, capfd, monkeypatch):
    f = caught(around) if catches else around
    compiled = myia.jit(f)
    inputs = [np.array([first, 2.0, 3.0]) for first in (5.0, 7.0, 1.0, 40.0)]
    found = [outcome(capfd, KINDS, compiled, body, y) for y in inputs]
    monkeypatch.setattr(myia, "grad", lambda f: f)
    monkeypatch.setattr(myia, "checkpoint", lambda f: f)
    monkeypatch.setattr(myia, "vmap", lambda f: lambda y: [f(x) for x in y])
    assert found == [outcome(capfd, KINDS, f, body, y) for y in inputs]


class Color(enum.Enum):
    RED = 1


def key_of_a_dict(x):
    return {1: x, ("a", 2): x}[("b", 2)]


def number_as_a_key(x):
    d, n = {1: x, 2: x}, 0
    return d[n]


def name_of_a_member(x):
    return Color["BLUE"].value * x


TEMPLATE = "{a}"


def name_in_a_format(x):
    return len(TEMPLATE.format(b=1)) * x


def item_of_an_empty_dict(x):
    return {}.popitem()


@pytest.mark.parametrize(
    "f",
    [key_of_a_dict, number_as_a_key, name_of_a_member, name_in_a_format, item_of_an_empty_dict],
)
def test_a_key_error_holds_the_key(f, capfd):
    with pytest.raises(KeyError) as wanted:
        f(2.0)
    with pytest.raises(KeyError) as found:
        myia.jit(f)(2.0)
    assert found.value.args == wanted.value.args
    again = pickle.loads(pickle.dumps(found.value))
    assert again.args == wanted.value.args and str(again) == str(found.value)

    def caught(x):
        try:
            return f(x)
        except KeyError as error:
            print(error, error.args[0], repr(error))
        return -x

    assert outcome(capfd, KINDS, myia.jit(caught), 2.0) == outcome(capfd, KINDS, caught, 2.0)


ITERATORS = (
    "iter(x)", "iter(None)", "enumerate(x)", "enumerate([x], x)", "zip([x], x)", "map(abs, x)",
    "filter(None, x)",
)  # fmt: skip
RAISING = (
    "functools.reduce(operator.add, [])", "statistics.mean([])", "statistics.stdev([x])",
    "statistics.harmonic_mean([])", "dict([(1, 2, 3)])", "dict([(x,)])", "dict(['abc'])",
    "{}.update([(1,)])", "complex('a')", "complex('a', 1)", "deque([x], maxlen=-1)",
    "deque([x], 1.5)", "deque([x], np.int64(1))", "deque([x], maxlen='a')",
    "deque([1]).insert('a', 1)",
    "itertools.islice([1], -1)", "itertools.islice([1], -1, 1)", "itertools.islice([1], 0, 1, 0)",
    "itertools.islice([1], 'a')", "itertools.product([1], repeat=-1)",
    "itertools.combinations([1], -1)", "itertools.permutations([1], -1)",
    "[1, 2].insert('a', 1)", "[1, 2].insert(x, 1)", "[].insert(1.5, 1)", "[1].pop('a')",
    "[1].pop(x)", "[1].pop(1.0)",
)  # fmt: skip
NOT_RAISING = (
    "complex('1+2j')", "complex(x)", "deque([x], None)",
    "[x, x].insert(True, 1)", "[x, x].pop(np.int64(1))", "iter([x])", "iter('ab')",
    "list(itertools.islice([x, x], None))", "list(itertools.islice([x, x], 0, None, 2))",
    "dict(['ab'])", "dict([[1, x]])", "zip()", "enumerate('ab', True)", "map(abs, {1, 2})",
)  # fmt: skip
PROGRAM = """
def program(x):
    try:
        {}
    except statistics.StatisticsError as error:
        print("of statistics", error)
        return -3.0 * x
    except TypeError as error:
        print(error)
        return -x
    except ValueError as error:
        print(error)
        return -2.0 * x
    return x
"""


@pytest.mark.parametrize("expression", [*ITERATORS, *RAISING, *NOT_RAISING])
def test_the_right_handler_catches_it(expression, capfd, tmp_path):
    names = {m.__name__: m for m in (functools, itertools, operator, statistics)}
    names |= {"deque": collections.deque, "np": np}
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format(expression))
    exec(compile(file.read_text(), str(file), "exec"), names)
    program = names["program"]
    wanted = outcome(capfd, KINDS, program, 1.0)
    assert outcome(capfd, KINDS, myia.jit(program), 1.0) == wanted
    assert (wanted[0] == 1.0) == (expression in NOT_RAISING)
