"""Instances: where their state is, and how it is read, replaced and copied.

The state of an instance of a class written in Python is what its `__dict__` and the slots of its
class (`__slots__`) hold. No code of the class is run to read it or to write it.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import logging
import operator
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

from myia.infer.guest_arrays import copied_guest, memory_of
from myia.infer.stand_ins import ORIGINALS, STAND_INS
from myia.infer.tuple_classes import can_be_remade, new_tuple

HEAP_TYPE = 1 << 9  # of the flags of a class: it was made at run time, by a `class` statement
WITHOUT_STATE = ("builtins", "functools", "numpy")  # modules whose classes are known by name
POINTER = object.__basicsize__ // 2
# What a class may say of its items and of its truth.
READS = {
    *("__bool__", "__contains__", "__getitem__", "__iter__", "__len__", "__missing__"),
    *("get", "items", "keys", "values"),
}
BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul"),
    *("lshift", "rshift", "and", "or", "xor"),
)
UNARY_AND_COMPARISONS = (
    *("neg", "pos", "abs", "invert", "int", "float", "complex", "index", "round", "trunc"),
    *("floor", "ceil", "eq", "ne", "lt", "le", "gt", "ge"),
)
OPERATORS = READS.union(
    (f"__{prefix}{name}__" for name in BINARY for prefix in ("", "r", "i")),
    (f"__{name}__" for name in UNARY_AND_COMPARISONS),
)
P = ParamSpec("P")
T = TypeVar("T")
BUILT_IN = (int, str, bytes, tuple, list, dict)
OF_PYTHON = ("builtins", "collections", "enum")  # modules whose methods do what is expected


def cached(f: Callable[P, T]) -> Callable[P, T]:
    """As `functools.cache`, whose type does not take classes for hashable."""
    found: Callable[..., T] = functools.cache(f)
    return found


def is_state(x: Any) -> bool:
    """Is `x` an instance that is taken apart: all of its state is in its attributes?"""
    return has_only_attributes(type(x)) and not isinstance(x, (type, types.ModuleType))


OF_NUMBERS = {("statistics", "NormalDist")}  # classes of the standard library, for all that


@cached
def has_only_attributes(cls: type) -> bool:
    """Do the instances of a class have no state but their attributes?

    Those of classes that derive from one written in C may have more.
    """
    if cls.__module__ in WITHOUT_STATE or hasattr(cls, "__myia__"):
        return False
    if issubclass(cls, logging.Filterer):  # loggers: they are called, not looked into
        return False
    bases = [base for base in cls.__mro__ if base not in (object, types.SimpleNamespace)]
    if not all(base.__flags__ & HEAP_TYPE for base in bases):
        return False
    declared = [base for base in bases if "__slots__" in vars(base)]
    # An object of the standard library that has slots only (a path, a fraction) is one value.
    is_standard = cls.__module__.partition(".")[0] in sys.stdlib_module_names
    is_standard &= (cls.__module__, cls.__name__) not in OF_NUMBERS
    if not cls.__dictoffset__ and (is_standard or not declared):
        return False
    # Beside the slots there is room for a `__dict__` and for weak references.
    room = object.__basicsize__ + POINTER * (sum(map(_slot_count, declared)) + 2)
    return cls.__basicsize__ <= room and not cls.__itemsize__


def _slot_count(cls: type) -> int:
    return sum(type(x) is types.MemberDescriptorType for x in vars(cls).values())


@cached
def slots_of(cls: type) -> dict[str, types.MemberDescriptorType]:
    """The slots of a class and its bases, by the names under which they are stored."""
    return {
        name: x
        for base in reversed(cls.__mro__)
        if "__slots__" in vars(base)
        for name, x in vars(base).items()
        if type(x) is types.MemberDescriptorType
    }


def may_have_attribute(cls: type, name: str) -> bool:
    """Can an instance of the class have an attribute of this name in its state?"""
    return bool(cls.__dictoffset__) or name in slots_of(cls)


def state_of(x: Any) -> Mapping[str, Any]:
    """The attributes that hold an instance's state."""
    cls = type(x)
    if cls in STAND_INS:
        return STAND_INS[cls].read(x) or {}
    slots = slots_of(cls)
    if not slots:
        return x.__dict__ if cls.__dictoffset__ else {}
    state = dict(x.__dict__) if cls.__dictoffset__ else {}
    for name, slot in slots.items():
        try:
            state[name] = slot.__get__(x, cls)
        except AttributeError:  # an empty slot
            state.pop(name, None)  # the slot hides an entry of the `__dict__`
    return state


def set_state(x: Any, state: Mapping[str, Any]) -> None:
    """Give an instance these attributes, and no others."""
    cls = type(x)
    if cls in STAND_INS:
        STAND_INS[cls].write(x, _in_numpy(state))
        return
    slots = slots_of(cls)
    for name, slot in slots.items():
        if name in state:
            slot.__set__(x, state[name])
        else:
            with contextlib.suppress(AttributeError):  # it is empty already
                slot.__delete__(x)
    if cls.__dictoffset__:
        attributes = x.__dict__
        for name in [n for n in attributes if n not in state]:
            del attributes[name]
        own = {n: v for n, v in state.items() if n not in slots} if slots else state
        attributes.update(own)
        if any(map(operator.ne, attributes, own)):  # one has been deleted and set again
            in_order = dict(own)
            attributes.clear()
            attributes.update(in_order)


def set_contents(x: Any, new: Any) -> None:
    """Give a dict, a list or an instance the contents of another one."""
    if isinstance(x, dict):
        x.clear()
        x.update(new)
    elif isinstance(x, list):
        x[:] = new
    else:
        set_state(x, state_of(new))


def new_instance(cls: type, state: Mapping[str, Any]) -> Any:
    """An instance with this state; neither `__new__` nor `__init__` of the class is called.

    Of a stand-in: an object of the class for which it stands.
    """
    if cls in ORIGINALS:
        return ORIGINALS[cls].make(_in_numpy(state))
    if issubclass(cls, BaseException):
        made = new_exception(cls, state["args"])
        set_state(made, {name: x for name, x in state.items() if name != "args"})
        return made
    make = types.SimpleNamespace if issubclass(cls, types.SimpleNamespace) else object
    instance: Any = make.__new__(cls)
    set_state(instance, state)
    return instance


def new_exception(cls: type[BaseException], args: Sequence[Any]) -> BaseException:
    """An exception with these `args`; no constructor that is written in Python is called."""
    base = base_of_python(cls)
    made: BaseException = base.__new__(cls, *args)
    base.__init__(made, *args)
    return made


def base_of_python(cls: type[BaseException]) -> Any:
    """The class of Python that an exception is of: one written in C."""
    return next(base for base in cls.__mro__ if not base.__flags__ & HEAP_TYPE)


def _in_numpy(state: Mapping[str, Any]) -> Mapping[str, Any]:
    """A state whose arrays may be those of another library, as results of the call are."""
    return {k: x if (memory := memory_of(x)) is None else memory for k, x in state.items()}


def copied(x: Any, made: dict[int, Any] | None = None) -> Any:
    """`x` with copies of the mutable objects in it; `made` keeps one object one object.

    As `copy.deepcopy`, but no code of the classes of instances is run, and what cannot be copied
    (a module, a lock) stays the same object.
    """
    made = {} if made is None else made
    if id(x) in made:
        return made[id(x)]
    if hasattr(x, "aval"):  # an array of JAX: immutable, and a tracer must stay itself
        return x
    if (new := copied_guest(x)) is not None:
        made[id(x)] = new
        return new
    if type(x) is tuple:
        return tuple(copied(item, made) for item in x)
    if isinstance(x, tuple) and can_be_remade(type(x)) and not getattr(x, "__dict__", None):
        return new_tuple(type(x), [copied(item, made) for item in x])
    if type(x) is list:
        new = []
        made[id(x)] = new
        new.extend(copied(item, made) for item in x)
    elif type(x) is dict:
        new = made[id(x)] = {}
        new.update((key, copied(item, made)) for key, item in x.items())
    elif is_state(x):
        new = made[id(x)] = new_instance(type(x), {})
        set_state(new, {name: copied(value, made) for name, value in state_of(x).items()})
    else:
        try:
            return copy.deepcopy(x, made)
        except (TypeError, copy.Error):
            return x
    return new


def has_own_operators(cls: type) -> bool:
    """Does Python code of a class of numbers, texts or containers say what operators do with them?

    Such objects are not taken apart: they are asked for their items at every call. The arithmetic
    of tuples alone is compiled (`Context.special_method`). A class may get them at any time.
    """
    if not issubclass(cls, BUILT_IN):
        return False
    names = READS if issubclass(cls, tuple) else OPERATORS
    return any(_are_defined_in(c, names) for c in _made_classes(cls.__mro__))


@cached
def _made_classes(mro: tuple[type, ...]) -> tuple[type, ...]:
    """Those that a `class` statement made, and that Python does not bring along."""
    return tuple(c for c in mro if c.__flags__ & HEAP_TYPE and c.__module__ not in OF_PYTHON)


def _are_defined_in(cls: type, names: set[str]) -> bool:
    """Is one of these a function of the class?"""
    own = vars(cls)
    return not names.isdisjoint(own) and any(
        isinstance(x := own.get(name), types.FunctionType) and x.__module__ not in OF_PYTHON
        for name in names
    )
