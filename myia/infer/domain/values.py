"""Abstract values: what the inferer knows of a Python object.

An abstract value is a tree. Its leaves are `Static` (a Python object known at compile time) and
`Scalar` (a number computed by typed IR); arrays and everything else that can be changed are `Ref`s
to objects of the heap (`infer/domain/heap.py`), so that names alias as they do in Python.

`children` and `rebuild` let `infer/paths/merge.py` walk every kind of value alike; `key` says when
two values have the same structure and differ at most in their children.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, fields, replace
from functools import cache
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeGuard

import numpy as np

from myia.ir.core import Value
from myia.primitives.core.py import Code


class Node:
    """A node of the trees that inference walks: an abstract value, or the contents of an object.

    `PARTS` are the fields with its children, each a child or a tuple of children.
    """

    __slots__ = ()
    PARTS: ClassVar[tuple[str, ...]] = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def children(self) -> tuple[Abstract, ...]:
        found: tuple[Abstract, ...] = ()
        for name in self.PARTS:
            part = getattr(self, name)
            found += (part,) if isinstance(part, Abstract) else part
        return found

    def rebuild(self, children: Sequence[Abstract]) -> Self:
        """The same kind of node with other children."""
        if not self.PARTS:
            return self
        values, at = [], 0
        for name, is_part in self._fields():
            field = getattr(self, name)
            if is_part:
                start, one = at, isinstance(field, Abstract)
                at += 1 if one else len(field)
                field = children[start] if one else tuple(children[start:at])
            values.append(field)
        make: Callable[..., Self] = type(self)
        return make(*values)

    def key(self) -> Any:
        """Equal for nodes of the same structure: they differ at most in their children."""
        found: list[Any] = [type(self)]
        for name, is_part in self._fields() if self.PARTS else ():
            field = getattr(self, name)
            if not is_part:
                found.append(field)
            elif not isinstance(field, Abstract):
                found.append(len(field))
        return tuple(found)

    @classmethod
    @cache
    def _fields(cls) -> tuple[tuple[str, bool], ...]:
        """The names of the fields, and whether they hold children."""
        return tuple((field.name, field.name in cls.PARTS) for field in fields(cls))


class Abstract(Node):
    """Base of abstract values."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Static(Abstract):
    """A Python object known at compile time."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Outside(Abstract):
    """A Python object that is not taken apart, and may change: a deque, a view of a dict.

    Only `Context.fact` and `Context.root` may ask it something.
    """

    value: Any

    def key(self) -> Any:
        return (Outside, id(self.value))


@dataclass(frozen=True, slots=True, eq=False)
class Scalar(Abstract):
    """A number known at run time, and immutable.

    `weak` says that it is a Python number (which yields to the dtype of what it meets), else it
    is a NumPy scalar. For integers `lo <= value <= hi` where a bound is known, and `linear` says
    that it was computed as base * scale + offset: `x[3 * i : 3 * i + 3]` has 3 elements.

    `boxed`: it represents an array without dimensions. NumPy changes such an array in place, under
    all its names, where a number would be replaced. So operations that change it are refused.
    None: it may be one.
    """

    value: Value
    weak: bool
    lo: int | None = None
    hi: int | None = None
    linear: tuple[Value, int, int] | None = None
    boxed: bool | None = False

    @property
    def linear_form(self) -> tuple[Value, int, int]:
        """The value as base, scale and offset."""
        return self.linear or (self.value, 1, 0)

    @property
    def dtype(self) -> np.dtype:
        return self.value.dtype

    def with_value(self, value: Value) -> Self:
        """The same kind of number, with another value in the same bounds."""
        return type(self)(value, self.weak, self.lo, self.hi, boxed=self.boxed)


@dataclass(frozen=True, slots=True)
class Ref(Abstract):
    """A reference to an object of the heap."""

    id: int


@dataclass(frozen=True, slots=True, eq=False)
class Tuple(Abstract):
    """A tuple, or a namedtuple of class `cls`."""

    PARTS = ("items",)
    items: tuple[Abstract, ...]
    cls: type | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SliceValue(Abstract):
    """`start:stop:step`."""

    PARTS = ("start", "stop", "step")
    start: Abstract
    stop: Abstract
    step: Abstract


@dataclass(frozen=True, slots=True, eq=False)
class Range(Abstract):
    """`range(start, stop, step)`; each a static int or an integer scalar."""

    PARTS = ("start", "stop", "step")
    start: Number
    stop: Number
    step: Number


@dataclass(frozen=True, slots=True, eq=False)
class Iterator(Abstract):
    """`zip`, `enumerate`, `map` applied to `items`; evaluated when iterated.

    `state` is a cell that says what has been taken of it (`infer/loops/iterators.py`). Views of
    dicts have none: they give their items each time.
    """

    PARTS = ("items", "state")
    kind: str
    items: tuple[Abstract, ...]
    state: Ref | Static = Static(None)


@dataclass(frozen=True, slots=True, eq=False)
class Closure(Abstract):
    """A function made by compiled code: its code, the variables it shares, its defaults."""

    PARTS = ("captured", "defaults")
    code: Code
    captured: tuple[Abstract, ...]
    defaults: tuple[Abstract, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PyFunction(Abstract):
    """A Python function: the variables of its closure, then its defaults."""

    PARTS = ("parts",)
    function: Any
    parts: tuple[Abstract, ...]

    def key(self) -> Any:
        return (PyFunction, self.function.__code__)


@dataclass(frozen=True, slots=True, eq=False)
class Method(Abstract):
    """`function` bound to `self`: a Python function, or the name of a method of a built-in type."""

    PARTS = ("self",)
    function: Any
    self: Abstract


@dataclass(frozen=True, slots=True, eq=False)
class Partial(Abstract):
    """A callable of ours with values inside: `functools.partial`, a transformed function, ..."""

    PARTS = ("items",)
    call: Callable
    items: tuple[Abstract, ...]
    meta: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Abstract):
    """One of several functions or constants, the one at `index` (`infer/paths/choice.py`)."""

    PARTS = ("index", "options")
    index: Scalar
    options: tuple[Abstract, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Text(Abstract):
    """A string with run-time numbers in it: to be printed, or the message of an error."""

    PARTS = ("items",)
    template: str  # for `str.format`
    items: tuple[Abstract, ...]


@dataclass(frozen=True, slots=True, eq=False)
class NewException(Abstract):
    """`cls(*arguments)`, made where it is raised; the last of them are keywords, with `names`.

    `made`: the instance, if a constructor that is written in Python has made it. It has no
    `arguments` then.
    """

    PARTS = ("arguments", "made")
    cls: type
    arguments: tuple[Abstract, ...]
    names: tuple[str, ...] = ()
    made: tuple[Ref | Choice, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Caught(Abstract):
    """The exception that a handler is for: the one of `options` that has the error code `code`."""

    PARTS = ("code", "options")
    code: Scalar
    options: tuple[Abstract, ...]
    codes: tuple[tuple[int, ...], ...]  # of each option


@dataclass(frozen=True, slots=True, eq=False)
class Super(Abstract):
    """`super(cls, self)`: the attributes of `self` that come after `cls`."""

    PARTS = ("self",)
    cls: type
    self: Abstract


class Structure(Protocol):
    """What a library's object is besides its parts; hashable."""

    @property
    def cls(self) -> type: ...

    @property
    def is_tree(self) -> bool:
        """Are the parts leaves, which stand for themselves: of a module, not of a random key?"""
        ...

    def unflatten(self, parts: Sequence[Any]) -> Any: ...


@dataclass(frozen=True, slots=True, eq=False)
class Opaque(Abstract):
    """An immutable object of a library (a module, a random key) that only its parts vary in."""

    PARTS = ("parts",)
    structure: Structure
    parts: tuple[Abstract, ...]


class UndefinedType(Abstract):
    """The state of a local name that has no value yet."""

    __slots__ = ()


UNDEFINED = UndefinedType()


@dataclass(frozen=True, slots=True, eq=False)
class Optional(Abstract):
    """`value` where `present` (a bool scalar) is true, else `absent`: None or UNDEFINED.

    What may be unbound, None or a value is an optional (of UNDEFINED) that holds another (of None).
    """

    PARTS = ("present", "value")
    present: Number
    value: Abstract
    absent: Abstract | None

    def key(self) -> Any:
        return (Optional, self.absent is UNDEFINED)


def may_be_none(x: Abstract) -> TypeGuard[Optional]:
    """May it be None, or else a value?"""
    return isinstance(x, Optional) and x.absent is not None and is_none(x.absent)


def may_be_unbound(x: Abstract) -> bool:
    return isinstance(x, Optional) and not isinstance(x.absent, Static)


Number = Static | Scalar  # a number, compile-time or run-time
FUNCTION_VALUES = (Choice, Closure, Method, Partial, PyFunction)  # beside those that are `Static`

IS_INNER = "%inner"  # marks classes of compiled code, and functions that stand for closures

NONE = Static(None)
TRUE = Static(True)
FALSE = Static(False)


def as_number(x: Abstract) -> Number:
    """`x`, which is a number."""
    assert isinstance(x, (Static, Scalar))
    return x


def as_ref(x: Abstract) -> Ref:
    """`x`, which is an object of the heap."""
    assert isinstance(x, Ref)
    return x


def is_none(x: Abstract) -> TypeGuard[Static]:
    return isinstance(x, Static) and x.value is None


def is_static_number(x: Abstract) -> TypeGuard[Static]:
    """A compile-time number: Python's or a NumPy scalar."""
    return isinstance(x, Static) and isinstance(x.value, (bool, int, float, complex, np.generic))


def is_static_int(x: Abstract) -> TypeGuard[Static]:
    """A compile-time integer (bool included, as in Python)."""
    return isinstance(x, Static) and isinstance(x.value, (int, np.integer, np.bool_))


def is_namedtuple(cls: Any) -> TypeGuard[type[NamedTuple]]:
    """A class of namedtuples."""
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def fields_of(cls: type) -> tuple[str, ...]:
    """The names of the items of a tuple of this class; none, unless it is a named tuple."""
    if is_namedtuple(cls):
        return cls._fields
    # `time.struct_time` and its like; other classes have patterns of their own under this name
    return getattr(cls, "__match_args__", ()) if hasattr(cls, "n_sequence_fields") else ()


# Types of immutable objects that mean the same when they are equal; libraries add theirs.
EQUAL_BY_VALUE: list[type] = [
    *(bool, int, str, bytes, complex),
    *(np.generic, np.dtype, frozenset, type),
]


def same_static(a: Any, b: Any) -> bool:
    """The same compile-time object: identical, or equal immutable values of one type."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (float, np.floating)):
        return repr(a) == repr(b)  # tells 0.0 from -0.0, and NaN is itself
    return isinstance(a, tuple(EQUAL_BY_VALUE)) and bool(a == b)


def chosen_iterator(x: Iterator) -> Iterator | Choice:
    """An iterator over one of several objects as one of several iterators."""
    for k, item in enumerate(x.items):
        chosen = chosen_iterator(item) if isinstance(item, Iterator) else item
        if isinstance(chosen, Choice) and isinstance(chosen.options[0], (Ref, Tuple, Iterator)):
            with_item = [(*x.items[:k], option, *x.items[k + 1 :]) for option in chosen.options]
            return Choice(chosen.index, tuple(replace(x, items=items) for items in with_item))
    return x
