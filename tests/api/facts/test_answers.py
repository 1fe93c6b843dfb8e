"""What Python answers to a program is asked again at every call: each against plain Python."""

from __future__ import annotations

import array
import builtins
import collections
import enum
import math
import types

import numpy as np
import pytest

import myia
from myia.infer.domain.facts import Question

QUEUE = collections.deque([1.0])
EMPTY = collections.deque()
BYTES = bytearray(b"ab")
NUMBERS = array.array("d", [1.0, 2.0])
TABLE = {"a": 1.0}
READ_ONLY = types.MappingProxyType(TABLE)
KEYS = TABLE.keys()
OBJECTS = np.array([None, "a"], dtype=object)
MODULE = types.ModuleType("module")
NESTED = {"queue": QUEUE}


class Plain:
    pass


class Held:
    queue = QUEUE


class Color(enum.Enum):
    RED = 1.0


INSTANCE = Plain()


def iterated(x):
    for item in QUEUE:
        x = x + item
    return x


QUESTIONS = {
    "length": lambda x: x * len(QUEUE),
    "truth": lambda x: x if EMPTY else -x,
    "membership": lambda x: x if 3.0 in QUEUE else -x,
    "text": lambda x: x * len(str(QUEUE)),
    "formatted": lambda x: x * len(f"{QUEUE}"),
    "item": lambda x: x * QUEUE[-1],
    "items": iterated,
    "attribute of a class": lambda x: x * len(Held.queue),
    "item of a dict": lambda x: x * len(NESTED["queue"]),
    "equality": lambda x: x if BYTES == b"ab" else -x,
    "length of bytes": lambda x: x * len(BYTES),
    "numbers of an array of Python": lambda x: x * NUMBERS[0] + len(NUMBERS),
    "read-only view": lambda x: x * READ_ONLY["a"] + ("b" in READ_ONLY),
    "view of keys": lambda x: x * len(KEYS) + ("b" in KEYS),
    "array of objects": lambda x: x + (OBJECTS[0] is None),
    "attribute of a module": lambda x: x * getattr(MODULE, "q", 1.0),
    "hasattr of a module": lambda x: x if hasattr(MODULE, "q") else -x,
    "hasattr of a class": lambda x: x if hasattr(Plain, "q") else -x,
    "attribute of a class that may be absent": lambda x: x * getattr(Plain, "q", 1.0),
    "hasattr of an instance": lambda x: x if hasattr(INSTANCE, "q") else -x,
    "attribute of an enum member": lambda x: x * getattr(Color.RED, "q", 1.0),
    "truth of an instance": lambda x: x if INSTANCE else -x,
}


def change(monkeypatch):
    monkeypatch.setitem(TABLE, "a", 5.0)
    monkeypatch.setitem(TABLE, "b", 2.0)
    QUEUE.append(3.0)
    EMPTY.append(3.0)
    BYTES.append(99)
    NUMBERS.append(4.0)
    NUMBERS[0] = 9.0
    OBJECTS[0] = 1
    monkeypatch.setattr(MODULE, "q", 4.0, raising=False)
    monkeypatch.setattr(Plain, "q", 7.0, raising=False)
    monkeypatch.setattr(Plain, "__bool__", lambda self: False, raising=False)
    monkeypatch.setattr(Color.RED, "q", 3.0, raising=False)


@pytest.fixture(autouse=True)
def restored():
    yield
    QUEUE.clear()
    EMPTY.clear()
    QUEUE.append(1.0)
    BYTES[:] = b"ab"
    NUMBERS[:] = array.array("d", [1.0, 2.0])
    OBJECTS[0] = None


@pytest.mark.parametrize("name", QUESTIONS)
def test_answers_are_asked_at_every_call(name, monkeypatch):
    f = QUESTIONS[name]
    compiled = myia.jit(f)
    before = f(2.0)
    assert compiled(2.0) == before
    change(monkeypatch)
    assert f(2.0) != before
    assert compiled(2.0) == f(2.0)
    monkeypatch.undo()
    assert compiled(2.0) == f(2.0)


def test_keyword_defaults_that_change_in_place():
    def weighted(x, *, scale=2.0, shift=None):
        return x * scale if shift is None else x * scale + shift

    compiled = myia.jit(lambda x: weighted(x))
    defaults = weighted.__kwdefaults__
    assert compiled(3.0) == weighted(3.0) == 6.0
    for change in ({"scale": 5.0}, {"shift": 1.0}, {"shift": 4.0}, {"scale": 1.0, "shift": None}):
        defaults.update(change)
        assert compiled(3.0) == weighted(3.0)


@pytest.mark.parametrize(
    "f",
    (
        lambda x: np.mean(x, axis=0).sum(),  # in Python, with keywords that have defaults
        lambda x: np.var(x, axis=1).sum() + np.std(x),
        lambda x: np.tril(x).sum() + np.trace(x),
    ),
)
def test_functions_of_numpy_ask_nothing_at_a_call(f, monkeypatch):
    compiled, x = myia.grad(f), np.arange(9.0).reshape(3, 3)
    found = [compiled(x) for _ in range(2)]
    np.testing.assert_array_equal(*found)
    asked = []
    ask = Question.ask
    monkeypatch.setattr(Question, "ask", lambda self: asked.append(self) or ask(self))
    np.testing.assert_array_equal(compiled(x), found[0])
    assert asked == []


@pytest.mark.parametrize("make", [collections.deque, bytearray, lambda items: iter(items)])
def test_objects_as_arguments(make):
    def f(x, q):
        return x * len(q) if q else -x

    q = make([1])
    compiled = myia.jit(f)
    if not hasattr(q, "append"):
        with pytest.raises((myia.MyiaError, TypeError)):
            compiled(2.0, q)
        return
    for _ in range(3):
        assert compiled(2.0, q) == f(2.0, q)
        q.append(1)
    q.clear()
    assert compiled(2.0, q) == -2.0


# ----- Names


def uses_names(x):
    return abs(x) + math.floor(x) + np.sin(x) * max(x, 1.0)


def mine(*xs):
    return xs[0] * 100.0


@pytest.mark.parametrize("name", ["abs", "max", "np", "math"])
def test_a_global_may_come_to_hide_a_builtin_or_a_module(name, monkeypatch):
    compiled = myia.jit(uses_names)
    assert compiled(-2.5) == pytest.approx(uses_names(-2.5))
    hidden = types.SimpleNamespace(sin=mine, floor=mine) if name in ("np", "math") else mine
    monkeypatch.setitem(globals(), name, hidden)
    assert compiled(-2.5) == pytest.approx(uses_names(-2.5))
    monkeypatch.undo()
    assert compiled(-2.5) == pytest.approx(uses_names(-2.5))
    assert compiled.compiles == 2


@pytest.mark.parametrize("module, name", [(builtins, "abs"), (math, "floor"), (np, "sin")])
def test_functions_of_modules_may_be_replaced(module, name, monkeypatch):
    compiled = myia.jit(uses_names)
    assert compiled(-2.5) == pytest.approx(uses_names(-2.5))
    monkeypatch.setattr(module, name, mine)
    assert compiled(-2.5) == pytest.approx(uses_names(-2.5))


# ----- One object under two names

LIST = [1.0]
SAME_LIST = LIST
ARRAY = np.zeros(2)
SAME_ARRAY = ARRAY


def writes_a_global_array(x):
    ARRAY[0] = x
    return SAME_ARRAY[0] * 2.0


def writes_a_global_list(x):
    LIST.append(x)
    return len(SAME_LIST) * x


@pytest.mark.parametrize("f", [writes_a_global_array, writes_a_global_list])
def test_two_globals_that_name_one_object(f):
    compiled = myia.jit(f)
    want = f(3.0)
    del LIST[1:]
    assert compiled(3.0) == want
    del LIST[1:]


def test_an_argument_that_is_a_global_too():
    def f(a):
        a[0] = 5.0
        return ARRAY[0]

    compiled = myia.jit(f)
    ARRAY[:] = 0.0
    assert compiled(np.ones(2)) == 0.0
    assert compiled(ARRAY) == 5.0
    ARRAY[:] = 0.0
    assert compiled(np.ones(2)) == 0.0


def test_a_global_that_is_returned_is_itself():
    assert myia.jit(lambda x: (x, LIST))(1.0)[1] is LIST


# ----- Equal is of equal type and value


class Text(str):
    pass


class Number(int):
    pass


class AlwaysEqual:
    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


def with_attribute(cls, *args, z):
    x = cls(*args)
    x.z = z
    return x


def halved_keys(x, d):
    return x * sum([k / 2 if isinstance(k, float) else k // 2 for k in d])


def first_halved(x, d):
    return x * sum([a / 2 if isinstance(a, float) else a // 2 for a, b in d])


EQUAL_ARGUMENTS = {
    "ranges": (lambda x, r: x * r.stop, range(0, 3, 2), range(0, 4, 2)),
    "keys": (halved_keys, {1: 0.0}, {1.0: 0.0}),
    "keys, bool": (lambda x, d: x * sum([isinstance(k, bool) for k in d]), {1: 0.0}, {True: 0.0}),
    "keys, nested": (first_halved, {(1, 2): 0.0}, {(1.0, 2): 0.0}),
    "text": (lambda x, s: x * s.z, with_attribute(Text, "q", z=1), with_attribute(Text, "q", z=2)),
    "int": (lambda x, s: x * s.z, with_attribute(Number, 3, z=1), with_attribute(Number, 3, z=2)),
    "items": (lambda x, s: x * sum([k.v for k in s]), {AlwaysEqual(1)}, {AlwaysEqual(2)}),
    "object keys": (
        lambda x, s: x * sum([k.v for k in s]),
        {AlwaysEqual(1): 0.0},
        {AlwaysEqual(2): 0.0},
    ),
}


@pytest.mark.parametrize("name", EQUAL_ARGUMENTS)
def test_equal_arguments_that_differ(name):
    f, one, two = EQUAL_ARGUMENTS[name]
    compiled = myia.jit(f)
    for x in (one, two, one):
        assert compiled(2.0, x) == f(2.0, x)


# ----- `__getattr__`


class Params:
    def __init__(self):
        self.params = {"w": 3.0}

    def __getattr__(self, name):
        return self.params[name]


class Fallback(Params):
    def __getattr__(self, name):
        if name == "w":
            return self.params["w"]
        raise AttributeError(name)


def test_getattr_of_a_class_is_called():
    def f(p, x):
        return p.w * x

    for p in (Params(), Fallback()):
        assert myia.jit(f)(p, 2.0) == 6.0
        assert myia.grad(f)(p, 2.0).params == {"w": 2.0}
    present = myia.jit(lambda p, x: x if hasattr(p, "v") else getattr(p, "u", p.w))
    assert present(Fallback(), 2.0) == 3.0


# ----- Refused, not stale


def has_attribute(x):
    return x if hasattr(mine, "weight") else -x


def matches(x):
    match LIST:
        case [_]:
            return x
        case _:
            return -x


def test_attributes_of_functions_are_refused():
    with pytest.raises(myia.MyiaError, match="the attribute `weight` of a function"):
        myia.jit(has_attribute)(2.0)


@pytest.mark.parametrize("name", ["len", "isinstance"])
def test_builtins_that_match_needs_may_be_hidden(name, monkeypatch):
    compiled = myia.jit(matches)
    assert compiled(2.0) == matches(2.0)
    monkeypatch.setitem(globals(), name, lambda *xs: 5)
    with pytest.raises(myia.MyiaError, match=name):
        compiled(2.0)
    monkeypatch.undo()
    assert compiled(2.0) == matches(2.0)


# ----- Many programs

MODE = "0"


def by_mode(x):
    return x * len(MODE) + SCALES[0] * ("1" in MODE)


SCALES = (2.0, 3.0)


@pytest.mark.filterwarnings("ignore")
def test_programs_are_found_by_hash(monkeypatch):
    compiled = myia.jit(by_mode)
    modes = [str(i) for i in range(12)]
    for mode in modes:
        monkeypatch.setitem(globals(), "MODE", mode)
        assert compiled(2.0) == by_mode(2.0)
    asked = []
    ask = Question.ask
    monkeypatch.setattr(Question, "ask", lambda self: asked.append(self) or ask(self))
    for mode in ("3", "11"):
        asked.clear()
        monkeypatch.setitem(globals(), "MODE", mode)
        assert compiled(2.0) == by_mode(2.0)
        assert len(asked) <= 8  # a search would ask for each of the programs
    assert compiled.compiles == len(modes)
