"""Numbers held by objects that are not taken apart: a derivative would leave them out.

A derivative is taken with respect to the floats of the arguments that are taken apart. Of another
object (a class, a module, a function, an object of a class written in C) it cannot be: if it holds
floats, it is refused, so that no argument comes back as its own derivative.
"""

from __future__ import annotations

import array
import collections
import functools
import logging
import numbers
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from myia.infer.boundary.instances import is_state, state_of
from myia.infer.boundary.signature import variables
from myia.infer.registry import LIBRARIES, is_traced, top_package
from myia.source.defaults import defaults_of
from myia.source.value_texts import value_text

# Methods of objects that have floats which their attributes do not show.
HIDDEN_NUMBERS = ("__float__", "__array__", "__array_interface__", "__dlpack__", "__getitem__")
CONTAINERS: tuple[type[Iterable[Any]], ...] = (
    *(tuple, list, set, frozenset, collections.deque, array.array, memoryview),
    *(type({}.keys()), type({}.values()), type({}.items())),
)
PLAIN = (str, bytes, bytearray, range, slice, np.dtype, type(None), type(...))


def number_in(x: Any, integers: bool = False) -> str | None:
    """Where `x` holds a float (or an integer): the rest of a path (`.rate[0]`); None: nowhere."""
    return _number_in(x, "fciu" if integers else "fc", set())


def _number_in(x: Any, kinds: str, active: set[int]) -> str | None:
    """`kinds`: of the dtypes of the numbers that are meant."""
    if isinstance(x, (float, complex)):
        return ""
    if isinstance(x, int):
        return "" if "i" in kinds and not isinstance(x, bool) else None
    if isinstance(x, (*PLAIN, logging.Filterer)) or id(x) in active:
        return None
    if isinstance(x, numbers.Number) or isinstance(getattr(x, "dtype", None), np.dtype):
        return _number_in_array(x, kinds, active)
    active.add(id(x))
    for name, part in _parts_of(x):
        found = _number_in(part, kinds, active)
        if found is not None:
            return f"{name}{found}"
    active.discard(id(x))
    known = isinstance(x, (*CONTAINERS, Mapping, type)) or callable(x) or is_state(x)
    hidden = not known and any(hasattr(type(x), name) for name in HIDDEN_NUMBERS)
    return "" if hidden else None


def _number_in_array(x: Any, kinds: str, active: set[int]) -> str | None:
    """Of an array, or of a number of a library."""
    kind = getattr(getattr(x, "dtype", None), "kind", "f")
    if kind == "O":
        found = (_number_in(item, kinds, active) for item in np.ravel(x))
        return next((place for place in found if place is not None), None)
    return "" if kind in f"{kinds}V" else None


def _parts_of(x: Any) -> Iterator[tuple[str, Any]]:
    """What `x` holds, with its place: items, attributes, what a function has captured."""
    if isinstance(x, CONTAINERS):
        yield from ((f"[{i}]", item) for i, item in enumerate(x))
    elif isinstance(x, Mapping):
        yield from ((f"[{value_text(key)}]", item) for key, item in x.items())
    elif isinstance(x, types.FunctionType):
        if not is_traced(x):
            named = (*zip(names_of_captured(x), variables(x)), *vars(x).items())
            yield from ((f".{name}", value) for name, value in named)
    elif isinstance(x, types.MethodType):
        yield ".__func__", x.__func__
        yield ".__self__", x.__self__
    elif isinstance(x, functools.partial):
        yield ".func", x.func
        yield from ((f".args[{i}]", value) for i, value in enumerate(x.args))
        yield from ((f".{name}", value) for name, value in x.keywords.items())
    elif isinstance(x, (types.BuiltinFunctionType, types.MethodWrapperType)):
        yield ".__self__", x.__self__
    elif isinstance(x, (type, types.ModuleType)):
        yield from _own_names(x)
    elif hasattr(type(x), "__myia__"):
        yield "", x.__wrapped__
    elif isinstance(x, BaseException):
        yield ".args", x.args
    else:
        yield from ((f".{name}", value) for name, value in state_of(x).items())


def names_of_captured(f: types.FunctionType) -> tuple[str, ...]:
    """The names of the variables of a closure, then of the parameters with defaults."""
    return (*f.__code__.co_freevars, *defaults_of(f))


def _own_names(x: type | types.ModuleType) -> Iterator[tuple[str, Any]]:
    """The data of a class or a module: not its functions, and nothing of libraries."""
    for owner in x.__mro__ if isinstance(x, type) else (x,):
        package = top_package(owner) if isinstance(owner, type) else owner.__name__.split(".")[0]
        if package in LIBRARIES or package in sys.stdlib_module_names:
            continue
        for name, value in vars(owner).items():
            is_code = isinstance(value, (type, types.ModuleType)) or callable(value)
            if not (is_code or name.startswith("__")):
                yield f".{name}", value
