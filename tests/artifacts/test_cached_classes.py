"""The cache knows what is in a class: defaults of its fields, values of its members."""

import sys
import types

import pytest

from tests.artifacts.test_cache import entries, folder, is_kept, new  # noqa: F401
from tests.fuzz.dependence_pool import execute

NAME = "a_module_of_classes"
IMPORTS = """
import collections, dataclasses, decimal, enum, functools, operator
from decimal import Decimal
from typing import Any, NamedTuple
import numpy as np


class Color(enum.Enum):
    RED = 1.0
    BLUE = 3.0


def twice(x, by=2.0):
    return x * by


"""
NAMED_TUPLE = """
class R(NamedTuple):
    x: float
    k: Any = {}


def f(x):
    r = R(x)
    return r.x * {}
"""
COLLECTIONS = """
R = collections.namedtuple("R", "x k", defaults=({},))


def f(x):
    r = R(x)
    return r.x * {}
"""
ENUM = """
class Rate(enum.Enum):
    SLOW = {}
    FAST = {}


def f(x):
    return x * (1.0 if Rate({}) is Rate.SLOW else 2.0)
"""
DATACLASS = """
@dataclasses.dataclass
class R:
    x: float
    k: Any = dataclasses.field(default_factory={})


def f(x):
    r = R(x)
    return r.x * r.k
"""
MISSING = """
class Rate(enum.Enum):
    SLOW = 1.0
    FAST = 2.0

    @classmethod
    def _missing_(cls, value):
        return cls.{}


def f(x):
    return x * Rate(7.0).value
"""
# Two texts of a module, whose function gives the numbers 2.0 and 7.0 at 1.0.
CHANGES = {
    "number of NumPy": [NAMED_TUPLE.format(f"np.float64({n})", "r.k") for n in (2.0, 7.0)],
    "number": [NAMED_TUPLE.format(n, "r.k") for n in (2.0, 7.0)],
    "integer": [NAMED_TUPLE.format(n, "r.k") for n in (2, 7)],
    "array": [NAMED_TUPLE.format(f"np.array([{n}])", "r.k[0]") for n in (2.0, 7.0)],
    "member": [NAMED_TUPLE.format(m, "(2.0 if r.k is Color.RED else 7.0)") for m in
               ("Color.RED", "Color.BLUE")],
    "Decimal": [NAMED_TUPLE.format(f"Decimal({n})", "float(r.k)") for n in (2, 7)],
    "range": [NAMED_TUPLE.format(f"range({n})", "len(r.k)") for n in (2, 7)],
    "frozenset": [NAMED_TUPLE.format(f"frozenset([{n}])", "(2.0 if 2 in r.k else 7.0)") for n in
                  (2, 7)],
    "dtype": [NAMED_TUPLE.format(f"np.dtype('{n}')", "(2.0 if r.k == np.float32 else 7.0)") for n in
              ("f4", "f8")],
    "partial": [NAMED_TUPLE.format(f"functools.partial(twice, by={n})", "r.k(1.0)") for n in
                (2.0, 7.0)],
    "collections": [COLLECTIONS.format(f"np.float64({n})", "r.k") for n in (2.0, 7.0)],
    "values of members": [ENUM.format(0.5, 0.25, 0.25), ENUM.format(0.25, 0.5, 0.25)],
    "factory": [DATACLASS.format(f"lambda: {n}.0") for n in (2, 7)],
    "missing": [MISSING.format(name) for name in ("SLOW", "FAST")],
}  # fmt: skip


def module_of(text, number):
    module = sys.modules[NAME] = types.ModuleType(NAME)
    execute(f"<{NAME} {number}>", IMPORTS + text, module.__dict__)
    return module


@pytest.mark.parametrize("name", CHANGES)
def test_another_class_of_the_same_name(name, folder):  # noqa: F811
    first, second = CHANGES[name]
    module = module_of(first, 0)
    want = module.f(1.0)
    assert is_kept(new(module.f), 1.0) == (False, want)
    module = module_of(second, 1)
    assert module.f(1.0) != want
    kept, found = is_kept(new(module.f), 1.0)
    assert found == module.f(1.0), kept


@pytest.mark.parametrize("name", sorted(CHANGES.keys() - {"missing", "array", "factory"}))
def test_the_same_class_again(name, folder):  # noqa: F811
    text, _ = CHANGES[name]
    for number in range(2):
        module = module_of(text, number)
        kept, found = is_kept(new(module.f), 1.0)
        assert found == module.f(1.0)
    assert kept and entries(folder)


IMPORTING = """
def f(x):
    import a_module_of_numbers
    from math import floor
    return x * a_module_of_numbers.number * floor(1.5)
"""


def test_an_import_in_a_function(folder, monkeypatch):  # noqa: F811
    numbers = types.ModuleType("a_module_of_numbers")
    numbers.number = 2.0
    monkeypatch.setitem(sys.modules, "a_module_of_numbers", numbers)
    assert is_kept(new(module_of(IMPORTING, 0).f), 1.0) == (False, 2.0)
    assert is_kept(new(module_of(IMPORTING, 1).f), 1.0) == (True, 2.0)
    numbers.number = 3
    assert is_kept(new(module_of(IMPORTING, 2).f), 1.0) == (False, 3.0)
