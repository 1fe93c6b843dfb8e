"""Classes that compiled code defines (`infer/boundary/inner_classes.py`), and their decorators."""

from __future__ import annotations

import abc
import dataclasses
import enum
import functools
import typing
from collections.abc import Callable
from types import FunctionType, resolve_bases
from typing import Any

import numpy as np

from myia.infer import registry
from myia.infer.boundary import inner_classes
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.facts import ClassAttribute
from myia.infer.domain.heap import DictObject, InstanceObject, ListObject, SetObject
from myia.infer.domain.values import (
    IS_INNER,
    Abstract,
    Closure,
    Partial,
    PyFunction,
    Ref,
    Static,
    Tuple,
    is_none,
)
from myia.infer.eval.calls import fields_of, is_init_only
from myia.infer.numeric.constant_methods import constant_or_none, evaluate_constant, python_result
from myia.infer.parameters import keeps_none
from myia.infer.registry import as_is, function, method
from myia.infer.unsupported import UnsupportedClass
from myia.library.python.objects import class_of
from myia.primitives.core import desugared

TOP = "define the class at the top of the module"
# They act when a class is made, or on every access.
UNSUPPORTED = {"__new__", "__init_subclass__", "__class_getitem__", "__del__", "__prepare__"}
UNSUPPORTED |= {"__getattribute__", "__setattr__", "__delattr__", "__set_name__", "__get__"}
METACLASSES = (type, abc.ABCMeta, enum.EnumMeta, type(typing.Protocol))
INITIALIZERS = ("builtins", "abc", "enum", "typing")  # modules of classes that may act on others
MUTABLE = {ListObject: "list", DictObject: "dict", SetObject: "set"}


@function(desugared.make_class, dynamic=as_is)
def _make_class(
    ctx: Context,
    name: Abstract,
    bases: Abstract,
    members: Abstract,
    annotations: Abstract,
    **options: Abstract,
) -> Abstract:
    text: Any = ctx.static(name, "the name of a class")
    keywords = {key: ctx.static(x, f"`{key}=` of a class") for key, x in options.items()}
    if keywords not in ({}, {"metaclass": abc.ABCMeta}):
        ctx.fail(UnsupportedClass, what=f"`{next(iter(keywords))}=` of a class", help_text=TOP)
    given = [
        x.function if isinstance(x, PyFunction) else ctx.static(x, "a base of a class")
        for x in ctx.list_items(bases)
    ]
    contents = ctx.contents_as(members, DictObject)
    is_constant = _is_constant(given)
    made: dict[str, Any] = {}
    for key, x in zip(contents.keys, contents.values):
        if key in UNSUPPORTED:
            ctx.fail(UnsupportedClass, what=f"`{key}` of a class in a function", help_text=TOP)
        made[key] = _member(ctx, key, ctx.force(x), is_constant)
    is_error = any(isinstance(b, type) and issubclass(b, BaseException) for b in given)
    if is_error and any(isinstance(x, FunctionType) for x in made.values()):
        what = "an exception with methods that is defined in a function"
        ctx.fail(UnsupportedClass, what=what, help_text=TOP)
    _check_bases(ctx, given)
    code = ctx.frames[-1].code
    made["__module__"] = code.namespace.globals.get("__name__", "__main__")
    made["__qualname__"] = f"{code.name}.<locals>.{text}"
    texts = ctx.contents_as(annotations, DictObject)
    of_fields = {k: ctx.static(x, "an annotation") for k, x in zip(texts.keys, texts.values)}
    cls = python_result(ctx, desugared.make_class, text, tuple(given), made, of_fields, **keywords)
    setattr(cls, IS_INNER, True)
    return Static(cls)


def _is_constant(bases: list[Any]) -> bool:
    """Does Python look at the members when it makes the class?"""
    return any(b is typing.NamedTuple or isinstance(b, enum.EnumMeta) for b in bases)


def _member(ctx: Context, name: str, x: Abstract, is_constant: bool) -> Any:
    """A member of the class that Python makes."""
    if isinstance(x, (Closure, PyFunction)):
        return inner_classes.function(ctx, name, x)
    known = constant_or_none(ctx, x) if isinstance(x, (Static, Tuple)) else None
    if known is not None and (is_constant or _is_settled(name, known.value)):
        return known.value
    if is_constant:
        ctx.fail(
            UnsupportedClass, what=f"`{name}`, known at run time, in this class", help_text=TOP
        )
    return inner_classes.member(ctx, x)


def _is_settled(name: str, value: Any) -> bool:
    """Is it no state of the class: no number that the program may assign?"""
    is_number = isinstance(value, (bool, int, float, complex, np.generic))
    return (name.startswith("__") and name.endswith("__")) or not is_number


def _check_bases(ctx: Context, bases: list[Any]) -> None:
    for base in resolve_bases([b for b in bases if b is not typing.NamedTuple]):
        known = isinstance(base, type) and type(base) in METACLASSES
        if not known or any(map(_initializes, base.__mro__)):
            what = f"a class in a function that derives from `{getattr(base, '__name__', base)}`"
            ctx.fail(UnsupportedClass, what=what, help_text=TOP)
        ctx.fact(ClassAttribute(base, "__init_subclass__"))


def _initializes(cls: type) -> bool:
    """Does it act on the classes that derive from it?"""
    return "__init_subclass__" in vars(cls) and cls.__module__ not in INITIALIZERS


# ----- Descriptors


def _of_python(ctx: Context, x: Abstract) -> Any:
    """A function, or None, as an object that Python may hold."""
    if isinstance(x, (Closure, PyFunction)):
        return inner_classes.function(ctx, _name(x), x)
    return ctx.static(x, "a member of a class")


def _name(x: Closure | PyFunction) -> str:
    return x.code.name if isinstance(x, Closure) else x.function.__name__


def _descriptor(cls: Callable[..., Any]) -> Callable[..., Abstract]:
    def make(ctx: Context, *functions: Abstract) -> Abstract:
        return Static(cls(*(_of_python(ctx, f) for f in functions)))

    return make


for kind in (property, staticmethod, classmethod, functools.cached_property):
    function(kind)(_descriptor(kind))


def _changed(name: str) -> Callable[..., Abstract]:
    def change(ctx: Context, self: Abstract, f: Abstract) -> Abstract:
        return Static(getattr(ctx.static(self, "a property"), name)(_of_python(ctx, f)))

    return change


for name in ("getter", "setter", "deleter"):
    method("property", name)(_changed(name))


@function(abc.abstractmethod)
def _abstract(ctx: Context, f: Abstract) -> Abstract:
    return Static(abc.abstractmethod(_of_python(ctx, f)))


@function(typing.final)
def _unchanged(ctx: Context, cls: Abstract) -> Abstract:
    return cls


@function(functools.total_ordering)
def _total_ordering(ctx: Context, cls: Abstract) -> Abstract:
    """The comparisons that Python adds are functions of its own, which are compiled."""
    given = ctx.static(cls, "a class")
    if not inner_classes.is_inner(given):
        what = "`total_ordering` of a class from outside of the function"
        ctx.fail(UnsupportedClass, what=what, help_text="use it where the class is defined")
    return evaluate_constant(ctx, functools.total_ordering, given)


_ADDED: dict[str, Any] = getattr(functools, "_convert", {})  # by `total_ordering`
registry.COMPILED.update(f for pairs in _ADDED.values() for _, f in pairs)


# ----- Dataclasses


@function(dataclasses.dataclass)
def _dataclass(ctx: Context, *cls: Abstract, **options: Abstract) -> Abstract:
    given = {name: ctx.static(x, f"`{name}` of `dataclass`") for name, x in options.items()}
    if not cls or is_none(cls[0]):
        return Partial(_make_dataclass, (), given)
    return _make_dataclass(ctx, Partial(_make_dataclass, (), given), cls, {})


def _make_dataclass(ctx: Context, maker: Partial, args: tuple, kwargs: dict) -> Abstract:
    cls = ctx.static(args[0], "a dataclass")
    if not inner_classes.is_inner(cls):
        ctx.fail(UnsupportedClass, what="`dataclass` of a class from outside of the function")
    if maker.meta.get("slots"):
        ctx.fail(UnsupportedClass, what="`slots=True` of a class in a function", help_text=TOP)
    for name in cls.__annotations__:
        default = vars(cls).get(name)
        default = default.default if isinstance(default, dataclasses.Field) else default
        if isinstance(default, inner_classes.Member):
            _check_default(ctx, name, inner_classes.value_of(ctx, default))
    return evaluate_constant(ctx, dataclasses.dataclass(**maker.meta), cls)


def _check_default(ctx: Context, name: str, x: Abstract) -> None:
    of = MUTABLE.get(type(ctx.contents(x))) if isinstance(x, Ref) else None
    of = "numpy.ndarray" if of is None and ctx.is_array(x) else of
    if of is not None:
        message = f"mutable default <class '{of}'> for field {name} is not allowed"
        ctx.fail(BadValue, message=f"{message}: use default_factory", exception="ValueError")


@function(dataclasses.field)
def _field(ctx: Context, **options: Abstract) -> Abstract:
    given = {name: _option(ctx, name, x) for name, x in options.items()}
    return Static(python_result(ctx, dataclasses.field, **given))


def _option(ctx: Context, name: str, x: Abstract) -> Any:
    if name == "default":
        return inner_classes.member(ctx, x)
    return _of_python(ctx, x)


# ----- Dataclasses


@function(dataclasses.replace)
@keeps_none
def _replace(ctx: Context, x: Abstract, /, **changes: Abstract) -> Abstract:
    contents = ctx.held(x)
    if not isinstance(contents, InstanceObject) or not dataclasses.is_dataclass(contents.cls):
        ctx.fail(BadType, message="replace() should be called on dataclass instances")
    for f in fields_of(contents.cls):
        message, has_default = None, f.default is not dataclasses.MISSING
        if not f.init and f.name in changes:
            message = f"field {f.name} is declared with init=False, it cannot be specified with"
        if is_init_only(f) and f.name not in changes and not has_default:
            message = f"InitVar {f.name!r} must be specified with"
        if message is not None:
            ctx.fail(BadValue, message=f"{message} replace()")
        if f.init and f.name not in changes:
            changes[f.name] = ctx.getattr(x, f.name)
    return ctx.call(Static(contents.cls), (), changes)


@function(dataclasses.fields)
def _fields(ctx: Context, x: Abstract) -> Abstract:
    cls = x.value if isinstance(x, Static) else class_of(ctx, x)
    return Tuple(tuple(map(Static, dataclasses.fields(cls))))
