"""The warning of a function that is compiled again and again."""

from __future__ import annotations

import collections
import functools
import warnings

import numpy as np
import pytest

import myia
from myia.infer.boundary.signature import INTEGER, Constant, Flattener
from myia.infer.boundary.signature_differences import differences

LIMIT = 16


class Opt:
    def __init__(self, t, **more):
        self.t = t
        vars(self).update(more)


def sized(opt, x):
    return np.ones(opt.t).sum() * x


def named(x, *, options):
    return x * len(options["name"])


QUEUE = collections.deque()
MODE = "n"


def of_length(x):
    return x * len(QUEUE)


def of_mode(x):
    return x if MODE == "linear" else x * x


def call_of_length(f, n):
    QUEUE.clear()
    QUEUE.extend(range(n))
    return f(0.5)


def call_of_mode(f, n):
    global MODE
    MODE = f"mode {n}"
    return f(0.5)


CALLS = {
    of_length: (
        call_of_length,
        "`len(deque)` is 15, was 14",
        "an int that a shape, a key or `isinstance` needs has a program for each value: use few",
    ),
    of_mode: (
        call_of_mode,
        "`MODE` is 'mode 15', was 'mode 14'",
        "each of these values has a program of its own: use few, or pass a number instead",
    ),
    sized: (
        lambda f, n: f(Opt(n + 1), 0.5),
        "`opt.t` is 16, was 15",
        "an int that a shape, a key or `isinstance` needs has a program for each value: use few",
    ),
    named: (
        lambda f, n: f(0.5, options={"name": f"n{n}"}),
        "`options['name']` is 'n15', was 'n14'",
        "each of these values has a program of its own: use few, or pass a number instead",
    ),
}


@pytest.mark.parametrize("f", CALLS, ids=lambda f: f.__name__)
def test_the_sixteenth_program_is_warned_of_once(f):
    call, difference, help_text = CALLS[f]
    program = myia.jit(f)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(LIMIT - 1):
            assert call(program, n) == call(f, n)
    with pytest.warns(myia.CompileWarning) as found:
        for n in range(LIMIT - 1, LIMIT + 3):
            assert call(program, n) == call(f, n)
    assert len(found) == 1 and found[0].filename == __file__
    assert str(found[0].message) == (
        f"`{f.__name__}` has been compiled 16 times\n"
        f"  its last two programs differ: {difference}\n"
        f"  help: {help_text}"
    )


def test_a_counter_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program = myia.jit(lambda opt, x: x * opt.t)
        assert [program(Opt(n), 2.0) for n in range(LIMIT * 2)] == [2.0 * n for n in range(32)]


def of_default(n):
    return lambda x, n=n: x


DIFFERENCES = {
    "int": (2, 1, "`x` is 2, was 1"),
    "int in a tuple": ((0, (2, 5)), (0, (1, 5)), "`x[1][0]` is 2, was 1"),
    "type": (None, 1, "`x` is of type NoneType, was of type int"),
    "shape": ([np.ones(3)], [np.ones((3, 1))], "`x[0]` has the shape (3,), had (3, 1)"),
    "dtype": (np.ones(3, "f4"), np.ones(3), "`x` is float32, was float64"),
    "order": (np.ones((3, 2)).T, np.ones((2, 3)), "`x` is not C-contiguous, was"),
    "scalar": (1.0, np.float64(1.0), "`x` is of type float, was a NumPy scalar"),
    "length": ([1.0] * 4, [1.0] * 3, "`x` has 4 items, had 3"),
    "keys": ({"a": 1, "b": 2}, {"a": 1}, "`x` has the key 'b', had none"),
    "order of keys": ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "`x` has another order"),
    "attributes": (Opt(1, m=2.0), Opt(1), "`x` has the attribute 'm', had none"),
    "attribute": ([Opt(1, m="a")], [Opt(1, m="b")], "`x[0].m` is 'a', was 'b'"),
    "default": (of_default(3), of_default(4), "`x.__defaults__[0]` is 3, was 4"),
    "bound": (
        functools.partial(sized, Opt(1), k=2),
        functools.partial(sized, Opt(2), k=2),
        "`x.args[0].t` is 1, was 2",
    ),
    "object": (np, warnings, "`x` is another object"),
    "long": ("a" * 99, "b", f"`x` is '{'a' * 36}..., was 'b'"),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_differences_are_named(name):
    new, old, text = DIFFERENCES[name]
    found = list(differences(Flattener().add(new), Flattener().add(old)))
    assert [d.told("x") for d in found] == [text]
    assert not list(differences(Flattener().add(new), Flattener().add(new)))


def test_an_int_that_only_one_program_knows():
    """At 15 programs it ended in an AttributeError."""
    known, argument = Flattener().add(3), INTEGER
    (found,) = differences(known, argument)
    assert found.told("n") == "`n` is 3 while compiling, was an argument"
    (found,) = differences(argument, known)
    assert found.told("n") == "`n` is an argument, was 3 while compiling"


class Held:
    """Its instances are arguments, or compile-time objects: of one type, by two signatures."""


def test_signatures_of_two_sorts_and_one_type():
    held = Held()
    node = Flattener().add(held)
    (found,) = differences(Constant(held, Held), node)
    assert found.told("x") == "`x` is another object"


def test_all_differences_are_found():
    new, old = (1, {"a": 2.0, "b": "c"}, [3]), (2, {"a": 2, "b": "d"}, [3])
    found = [d.told("x") for d in differences(Flattener().add(new), Flattener().add(old))]
    assert found == [
        "`x[0]` is 1, was 2",
        "`x[1]['a']` is of type float, was of type int",
        "`x[1]['b']` is 'c', was 'd'",
    ]


def keys_of(d):
    return next(iter(d.values())) * 2.0


class Unshown:
    """A key without a text."""

    def __repr__(self):
        raise ValueError("no text")


BIG = 10**5000  # Python has no text for it
UNSHOWN = Unshown()
KEYS = [
    ({1: 2.0}, {2: 2.0}, "`d` has the key 2, had 1"),
    ({1: 2.0}, {1.0: 2.0}, "`d` has the key 1.0, had 1"),
    ({"a": 2.0}, {1: 2.0}, "`d` has the key 1, had 'a'"),
    ({"a": 2.0}, {"a": 2.0, (1, "b"): 3.0}, "`d` has the key (1, 'b'), had none"),
    ({1: 2.0, 2: 3.0}, {2: 3.0, 1: 2.0}, "`d` has another order"),
    ({1: 2.0}, {1: np.ones(3)}, "`d[1]` has the shape (3,), had ()"),
    ({1: 2.0}, collections.OrderedDict({1: 2.0}), "`d` is of type OrderedDict, was of type dict"),
    ({1: 2.0}, {BIG: 2.0}, "`d` has the key an int of 16610 bits, had 1"),
    ({BIG: 2.0}, {BIG: "2"}, "`d[an int of 16610 bits]` is of type str, was of type float"),
    ({1: 2.0}, {UNSHOWN: 2.0}, "`d` has the key an object of the class Unshown, had 1"),
]


@pytest.mark.parametrize("old, new, text", KEYS, ids=[text for *_, text in KEYS])
def test_keys_that_are_no_texts(old, new, text):
    (found,) = differences(Flattener().add(new), Flattener().add(old))
    assert found.told("d") == text
    program = myia.jit(keys_of).lower(old).compile()
    with pytest.raises(TypeError) as caught:
        program(new)
    assert str(caught.value) == f"myia.jit(keys_of) was compiled for other arguments: {text}"


def test_the_warning_names_keys_that_are_no_texts():
    f = myia.jit(keys_of)
    with pytest.warns(myia.CompileWarning, match=r"`d` has the key 15, had 14"):
        for i in range(LIMIT):
            assert f({i: 2.0}) == 4.0


def test_ints_that_have_no_text():
    program = myia.jit(lambda n, x: x if n > 3 else -x).lower(BIG, 1.0).compile()
    with pytest.raises(TypeError, match="`n` is an int of 16611 bits, was an int of 16610 bits"):
        program(BIG * 2, 1.0)
