"""The objects that `dependence.py` asks and changes. Each trial has objects of its own."""

from __future__ import annotations

import array
import builtins
import collections
import dataclasses
import enum
import linecache
import math
import random
import types
from collections.abc import Callable
from typing import Any

import numpy as np

# kind -> expressions of this kind
EXPRESSIONS = {
    "sized": (
        *("queue", "data", "table", "items", "names", "keys", "view", "text", "Color"),
        *("thing.queue", "nested['queue']", "nested['items']", "slotted.b", "module.queue"),
    ),
    "container": (
        "queue",
        "table",
        "items",
        "keys",
        "view",
        "numbers",
        "choices",
        "nested['items']",
    ),
    "value": ("1.0", "2.0", "'a'", "'b'", "3", "None"),
    "any": (
        *("queue", "data", "table", "items", "thing", "empty", "slotted", "Plain", "Color.RED"),
        *("module", "None", "flag", "nested", "shared", "scale", "count", "mode", "other"),
    ),
    "number": (
        *("scale", "count", "thing.w", "thing.n", "slotted.a", "table['a']", "items[0]"),
        *("module.rate", "Plain.rate", "Color.RED.value", "nested['deep'][0]", "default()"),
        *(
            "closure()",
            "numbers[0]",
            "queue[0]",
            "view['a']",
            "record.v",
            "math.pi",
            "thing.double",
        ),
    ),
    "numbers": ("items", "queue", "numbers", "pair", "nested['deep']", "shared"),
    "owner": ("thing", "module", "Plain", "Color.RED", "slotted", "record", "queue", "np", "other"),
    "name": ("w", "q", "rate", "a", "v", "zz", "double"),
    "function": (
        "thing.method",
        "helper",
        "module.f",
        "closure_of",
        "Plain.static",
        "other.method",
    ),
    "text": ("queue", "names", "data", "mode", "Color.RED", "count", "table", "thing"),
}

NAMES = ("w", "q", "rate", "a", "v", "zz", "double")


def execute(name: str, text: str, namespace: dict[str, Any]) -> None:
    """Run a text, whose source can be read like that of a notebook's cell."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), namespace)


class Pool:
    """A namespace of objects, and the changes that can be made to them."""

    def __init__(self):
        class Plain:
            rate = 2.0

            def __init__(self):
                self.w, self.n = 1.0, 2
                self.queue = collections.deque([1.0, 2.0])

            def method(self, x):
                return x * self.w + self.n

            @staticmethod
            def static(x):
                return x + 1.0

            @property
            def double(self):
                return self.w * 2.0

        class Slotted:
            __slots__ = ("a", "b", "q")

            def __init__(self):
                self.a, self.b = 1.0, [1.0]

        @dataclasses.dataclass
        class Record:
            v: float = 1.0
            u: int = 2

        class Color(enum.Enum):
            RED = 1.0
            BLUE = 2.0

        module = types.ModuleType("a_module")
        execute("<functions of dependence>", FUNCTIONS, module.__dict__)
        table = {"a": 1.0, "c": 2.0}
        items = [1.0, 2.0]
        self.namespace: dict[str, Any] = module.__dict__ | {
            "np": np,
            "math": math,
            "Plain": Plain,
            "Color": Color,
            "module": types.ModuleType("inner"),
            "queue": collections.deque([1.0]),
            "data": bytearray(b"ab"),
            "table": table,
            "items": items,
            "shared": items,
            "names": ["a", "b"],
            "keys": table.keys(),
            "view": types.MappingProxyType(table),
            "numbers": array.array("d", [1.0, 2.0]),
            "choices": {1.0, 3},
            "text": "abc",
            "thing": Plain(),
            "other": Plain(),
            "empty": collections.deque(),
            "slotted": Slotted(),
            "record": Record(),
            "flag": True,
            "scale": 2.0,
            "count": 3,
            "mode": "fast",
            "pair": (1.0, 2.0),
        }
        names = self.namespace
        names["module"].__dict__.update(rate=1.0, f=names["helper"], queue=names["queue"])
        names["nested"] = {"queue": names["queue"], "items": items, "deep": [1.0, [2.0]][:1]}
        names["closure"], names["closure_of"], self.cell = names["make_closure"](1.0)
        self.undo: list[Callable[[], None]] = []

    def restore(self) -> None:
        """Undo what was changed outside of the pool."""
        for undo in reversed(self.undo):
            undo()

    # ----- Changes

    def change(self, rng: random.Random) -> str:
        """One random change; its name."""
        change = rng.choice(CHANGES)
        try:
            change(self, rng)
        except (IndexError, KeyError, AttributeError, TypeError, ValueError) as error:
            return f"{change.__name__} ({error})"
        return change.__name__

    def set_outside(self, module: Any, name: str, value: Any) -> None:
        old = getattr(module, name)
        self.undo.append(lambda: setattr(module, name, old))
        setattr(module, name, value)


FUNCTIONS = """
def helper(x, power=2):
    return x ** power


def tripled(x):
    return x * 3.0


def default(value=2.0):
    return value


def make_closure(value):
    def closure():
        return value

    def closure_of(x):
        return x * value

    def set_value(new):
        nonlocal value
        value = new

    return closure, closure_of, set_value
"""


def _number(rng: random.Random) -> Any:
    return rng.choice([0.0, 1.0, 2.0, 3.5, -1.0, 1, 2, 4, True])


def _names(pool: Pool, rng: random.Random, *names: str) -> Any:
    return pool.namespace[rng.choice(names)]


def a_global(pool, rng):
    pool.namespace[rng.choice(["scale", "count"])] = _number(rng)


def a_flag(pool, rng):
    pool.namespace["flag"] = rng.choice([True, False, None, 0, "", "x"])
    pool.namespace["mode"] = rng.choice(["fast", "slow", "exact"])


def another_object(pool, rng):
    a, b = rng.sample(["queue", "items", "numbers", "thing", "other", "table", "empty"], 2)
    pool.namespace[a], pool.namespace[b] = pool.namespace[b], pool.namespace[a]


def a_hidden_builtin(pool, rng):
    name = rng.choice(["abs", "len", "max", "sum", "str", "hasattr"])
    if name in pool.namespace:
        del pool.namespace[name]
    else:
        pool.namespace[name] = lambda *xs: 7.0


def a_container(pool, rng):
    container = _names(pool, rng, "queue", "items", "numbers", "shared", "empty")
    rng.choice([lambda: container.append(_number(rng)), container.pop, container.reverse])()


def an_item(pool, rng):
    _names(pool, rng, "queue", "items", "numbers")[0] = _number(rng)


def a_nested_item(pool, rng):
    pool.namespace["nested"][rng.choice(["queue", "items"])] = rng.choice(
        [[1.0, 2.0, 3.0], (4.0,), pool.namespace["queue"], pool.namespace["items"]]
    )


def a_deep_item(pool, rng):
    pool.namespace["nested"]["deep"][0] = _number(rng)


def a_key(pool, rng):
    table = pool.namespace["table"]
    key = rng.choice(["a", "b", 1, 1.0])
    if key in table:
        del table[key]
    else:
        table[key] = _number(rng)


def some_bytes(pool, rng):
    pool.namespace["data"].append(65)


def a_name(pool, rng):
    pool.namespace["names"].append("c")


def an_attribute(pool, rng):
    owner = _names(pool, rng, "thing", "module", "Plain", "slotted", "record", "other")
    setattr(owner, rng.choice(NAMES[:-1]), _number(rng))


def no_attribute(pool, rng):
    owner = _names(pool, rng, "thing", "module", "Plain", "slotted", "record")
    delattr(owner, rng.choice(NAMES))


def a_member(pool, rng):
    setattr(pool.namespace["Color"].RED, rng.choice(["q", "zz"]), _number(rng))


def a_method(pool, rng):
    cls, names = pool.namespace["Plain"], pool.namespace
    cls.method = rng.choice([names["tripled"], lambda self, x: x, lambda self, x: x + self.w])


def a_special_method(pool, rng):
    cls = pool.namespace["Plain"]
    name, value = rng.choice(
        [
            ("__bool__", lambda self: False),
            ("__len__", lambda self: 0),
            ("__str__", lambda self: "thing"),
            ("__eq__", lambda self, other: True),
        ]
    )
    if name in vars(cls):
        delattr(cls, name)
    else:
        setattr(cls, name, value)


def a_property(pool, rng):
    cls = pool.namespace["Plain"]
    cls.double = rng.choice([property(lambda self: 5.0), 4.0, property(lambda self: self.n * 1.0)])


def a_class(pool, rng):
    base = pool.namespace["Plain"]
    pool.namespace["thing"].__class__ = type("Derived", (base,), {"rate": 9.0, "q": 3.0})


def a_default(pool, rng):
    pool.namespace["default"].__defaults__ = (_number(rng),)
    pool.namespace["helper"].__defaults__ = (rng.choice([1, 2, 3]),)


def some_code(pool, rng):
    pool.namespace["helper"].__code__ = pool.namespace["tripled"].__code__


def a_variable(pool, rng):
    pool.cell(_number(rng))


def a_function_of_a_module(pool, rng):
    pool.namespace["module"].f = rng.choice([pool.namespace["tripled"], pool.namespace["helper"]])


def a_library(pool, rng):
    module, name = rng.choice([(math, "sin"), (np, "cos"), (math, "pi"), (builtins, "abs")])
    value = 3.0 if name == "pi" else pool.namespace["tripled"]
    pool.set_outside(module, name, value)


CHANGES = [
    *(a_global, a_flag, another_object, a_hidden_builtin, a_container, an_item, a_nested_item),
    *(a_deep_item, a_key, some_bytes, a_name, an_attribute, no_attribute, a_member, a_method),
    *(a_special_method, a_property, a_class, a_default, some_code, a_variable),
    *(a_function_of_a_module, a_library),
]
