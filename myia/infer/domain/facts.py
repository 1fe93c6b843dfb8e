"""Facts about Python: what inference learns of an object beside the numbers in it, and from where.

A *question* reads something: a global, an attribute, a length. A *fact* is a question with the
answer that it had while a program was inferred; the program is used only while all its questions
have these answers. So `Context.fact` and `Context.root` are the only ways to ask.

    question        is asked again at each call by
    read()          reading, and comparing the answer
    places(x)       looking whether all memory that was read still holds the same objects: quicker,
                    and enough where the answer `x` itself cannot change
    name            what it is called in another process; None if it has no name there
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterator
from datetime import date, time, timedelta, tzinfo
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from re import Pattern
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    NotImplementedType,
)
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np

from myia.source.defaults import defaults_of
from myia.source.value_texts import value_text


class Place(NamedTuple):
    """Memory that was read: `read(first, second)` gave `found`."""

    read: Callable[[Any, Any], Any]
    first: Any
    second: Any
    found: Any


class Identity:
    """An object compared by identity: a module, a class, anything without a rule."""

    __slots__ = ("object",)

    def __init__(self, object: Any) -> None:
        self.object = object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.object is other.object

    def __hash__(self) -> int:
        return id(self.object)

    def __repr__(self) -> str:
        return f"Identity(<{type(self.object).__name__} at {id(self.object):#x}>)"


class Constant(NamedTuple):
    """A compile-time value. Compared by type too: 1, 1.0 and True differ."""

    value: Any
    type: Any


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()  # the answer where there is no such name, attribute or value


class Raised(NamedTuple):
    """The answer where asking raises an exception."""

    exception: type[Exception]
    message: str


# ----- Equal answers

# Immutable objects of the standard library that are equal for equal texts.
VALUES = (Decimal, Fraction, date, timedelta, time, tzinfo, UUID, PurePath, Pattern)
PLAIN = frozenset({bool, int, str, bytes, type(None), type(Ellipsis)})
NUMBERS = frozenset({float, complex})  # 0.0 equals -0.0, and NaN does not equal itself
# Immutable types whose answers never change: nothing is recorded of what they are asked.
FIXED = PLAIN | NUMBERS | {range, slice, object, NotImplementedType, CodeType, np.finfo, np.iinfo}
BUILTIN_METHODS = (BuiltinFunctionType, MethodWrapperType)  # or functions, bound to their module


def exact(x: Any) -> Any:
    """A key that is equal for objects of equal type and value only; mutable ones by identity."""
    cls = type(x)
    if cls in PLAIN:
        return Constant(x, cls)
    if cls in NUMBERS:
        return Constant(repr(x), cls)
    if cls is tuple or cls is Raised:
        return Constant(tuple(map(exact, x)), cls)
    if cls is frozenset:
        return Constant(frozenset(map(exact, x)), cls)
    if cls is range:
        return Constant((x.start, x.stop, x.step), cls)
    if cls is slice:
        return Constant(tuple(map(exact, (x.start, x.stop, x.step))), cls)
    if isinstance(x, np.dtype):
        return Constant(x, cls)
    if is_value(x):
        return Constant((x, value_text(x)), cls)
    if isinstance(x, np.generic) and x.dtype.kind in "biufcSU":
        return Constant((x.dtype, x.tobytes()), cls)
    if isinstance(x, (MethodType, *BUILTIN_METHODS)) and not isinstance(x.__self__, ModuleType):
        return Constant((x.__name__, Identity(x.__self__)), cls)
    return Identity(x)


def is_value(x: Any) -> bool:
    """An immutable object of the standard library that equals another of the same text."""
    in_library = type(x).__module__.partition(".")[0] in sys.stdlib_module_names
    return isinstance(x, VALUES) and in_library


def is_fixed(x: Any) -> bool:
    """Will an object always answer the same, because neither it nor its class can change?"""
    if type(x) in (tuple, frozenset):
        return all(map(is_fixed, x))
    if isinstance(x, np.generic):
        return type(x).__module__ == "numpy" and x.dtype.kind not in "OV"
    if isinstance(x, np.dtype):
        return True
    if is_value(x):
        return True
    if type(x) is type:
        return is_fixed_class(x)
    if type(x) is FunctionType:
        return is_in_library(x.__globals__)
    return type(x) in FIXED or (isinstance(x, BUILTIN_METHODS) and is_fixed(x.__self__))


def is_in_library(namespace: dict[str, Any]) -> bool:
    """Is this a module of our own library, which nobody changes?"""
    return str(namespace.get("__name__")).startswith("myia.library.")


IMMUTABLE_TYPE = 1 << 8  # CPython's flag of classes whose attributes cannot be set


def is_fixed_class(cls: type) -> bool:
    """A built-in class: its attributes and bases cannot be changed."""
    return bool(cls.__flags__ & IMMUTABLE_TYPE)


# ----- Questions


class Question:
    """What is read of `owner`. Equal questions read the same memory."""

    __slots__ = ("key", "name", "owner")

    def __init__(self, owner: Any, name: Any = None) -> None:
        self.owner, self.name = owner, name
        self.key: tuple[Any, ...] = (type(self), Identity(owner), exact(name))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Question) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({type(self.owner).__name__}, {self.name!r})"

    def read(self) -> Any:
        """The present answer; `ABSENT` if there is none."""
        raise NotImplementedError

    def ask(self) -> Any:
        """The present answer, an exception included."""
        try:
            return self.read()
        except Exception as error:
            return Raised(type(error), str(error))

    def places(self, found: Any) -> list[Place] | None:
        """The memory that was read; None if it can only be asked again."""
        return None

    @property
    def is_fixed(self) -> bool:
        """Will the answer always be the same?"""
        return is_fixed(self.owner)


class Global(Question):
    """A name in the module of a function, or a builtin."""

    def read(self) -> Any:
        found = self.owner.get(self.name, ABSENT)
        return vars(builtins).get(self.name, ABSENT) if found is ABSENT else found

    def places(self, found: Any) -> list[Place] | None:
        here = self.owner.get(self.name, ABSENT)
        places = [Place(self.owner.get, self.name, ABSENT, here)]
        if here is ABSENT:
            places.append(Place(vars(builtins).get, self.name, ABSENT, found))
        return places

    @property
    def is_fixed(self) -> bool:
        return is_in_library(self.owner)


CONTENTS = CellType.__dict__["cell_contents"].__get__
CODE = FunctionType.__dict__["__code__"].__get__
DEFAULTS = FunctionType.__dict__["__defaults__"].__get__
KEYWORD_DEFAULTS = FunctionType.__dict__["__kwdefaults__"].__get__
MRO = type.__dict__["__mro__"].__get__


def contents_of(cell: CellType) -> Any:
    """The value of a variable of a closure; `ABSENT` if it has none yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return ABSENT


class Cell(Question):
    """A variable of a closure."""

    def read(self) -> Any:
        return contents_of(self.owner)

    def places(self, found: Any) -> list[Place] | None:
        return None if found is ABSENT else [Place(CONTENTS, self.owner, CellType, found)]


class Default(Question):
    """The default of the parameter `name` of a function."""

    def read(self) -> Any:
        return defaults_of(self.owner).get(self.name, ABSENT)

    def places(self, found: Any) -> list[Place] | None:
        if found is ABSENT:
            return None
        f = self.owner
        places = [Place(DEFAULTS, f, FunctionType, f.__defaults__)]
        if f.__kwdefaults__ is not None:
            places.append(Place(KEYWORD_DEFAULTS, f, FunctionType, f.__kwdefaults__))
            get = f.__kwdefaults__.get
            places += [Place(get, name, ABSENT, x) for name, x in f.__kwdefaults__.items()]
        return places


class Held(Question):
    """The object itself, which is taken apart anew at each call."""

    def read(self) -> Any:
        return self.owner

    def places(self, found: Callable[..., Any]) -> list[Place] | None:
        return []


class Attribute(Question):
    """`getattr(owner, name)`"""

    def read(self) -> Any:
        return getattr(self.owner, self.name, ABSENT)

    def attribute(self) -> Any:
        """The attribute; what a user's property raises is an answer, too."""
        return Attribute(self.owner, self.name).ask()

    def places(self, found: Any) -> list[Place] | None:
        owner, name = self.owner, self.name
        if isinstance(found, Raised):  # a user's property would run, and raise, again
            return None
        if type(owner) is ModuleType and vars(owner).get(name, ABSENT) is found is not ABSENT:
            return [Place(vars(owner).get, name, ABSENT, found)]
        if found is ABSENT or self.attribute() is not found:
            return None
        return [Place(getattr, owner, name, found)]


class ClassAttribute(Question):
    """The attribute that a class or its bases define, not bound.

    `after`: only the bases after this one count, as for `super()`.
    """

    __slots__ = ("after",)

    def __init__(self, owner: type, name: str, after: type | None = None) -> None:
        super().__init__(owner, name)
        self.after = after
        self.key = (*self.key, Identity(after))

    def classes(self) -> tuple[type, ...]:
        mro = self.owner.__mro__
        if self.after is None:
            return mro
        return mro[mro.index(self.after) + 1 :] if self.after in mro else ()

    def read(self) -> Any:
        return next((vars(c)[self.name] for c in self.classes() if self.name in vars(c)), ABSENT)

    def places(self, found: Any) -> list[Place] | None:
        places = []
        for cls in self.classes():
            here = vars(cls).get(self.name, ABSENT)
            if not is_fixed_class(cls):
                places.append(Place(vars(cls).get, self.name, ABSENT, here))
            if here is not ABSENT:
                break
        return [Place(MRO, self.owner, type, self.owner.__mro__), *places]

    @property
    def is_fixed(self) -> bool:
        return is_fixed_class(self.owner)


class HasAttribute(Attribute):
    """`hasattr(owner, name)`"""

    def read(self) -> Any:
        return super().read() is not ABSENT

    def places(self, found: Any) -> list[Place] | None:
        return super().places(self.attribute()) if found is True else None


class IsDefined(ClassAttribute):
    """Has the class an attribute of this name?"""

    def read(self) -> Any:
        return super().read() is not ABSENT


class IsManaged(ClassAttribute):
    """Has the class a property, or alike, of this name? It comes before the instance's own."""

    def read(self) -> Any:
        return hasattr(type(super().read()), "__set__")


class Answer(Question):
    """What Python answers: `f(*operands)`."""

    def __init__(self, f: Callable, *operands: Any) -> None:
        super().__init__(f, operands)

    def read(self) -> Any:
        return self.owner(*self.name)

    def places(self, found: Any) -> list[Place] | None:
        return None if self.name else [Place(_called, self.owner, None, found)]

    @property
    def is_fixed(self) -> bool:
        return bool(self.name) and all(map(is_fixed, self.name))


def _called(f: Callable, _: None) -> Any:
    return f()


def _holds(items: dict[str, Any], before: list[tuple[str, Any]]) -> bool:
    """Are the names and objects of a dict these?"""
    same = (a == b and x is y for (a, x), (b, y) in zip(items.items(), before))
    return len(items) == len(before) and all(same)


def places_of_function(x: FunctionType) -> Iterator[Place]:
    """What can be replaced in a function."""
    yield Place(CODE, x, FunctionType, x.__code__)
    yield Place(DEFAULTS, x, FunctionType, x.__defaults__)
    yield Place(KEYWORD_DEFAULTS, x, FunctionType, x.__kwdefaults__)
    if x.__kwdefaults__ is not None:
        yield Place(_holds, x.__kwdefaults__, list(x.__kwdefaults__.items()), True)
    for cell in x.__closure__ or ():
        yield Place(CONTENTS, cell, CellType, cell.cell_contents)


def are_unchanged(places: list[Place]) -> bool:
    """Does all this memory hold the objects that it held?"""
    try:
        for read, first, second, found in places:
            if read(first, second) is not found:
                return False
    except Exception:  # of an attribute that is gone, a cell that is empty, a user's property
        return False
    return True
