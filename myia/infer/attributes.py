"""Attributes: of modules and classes, of instances, of arrays, numbers and containers.

    in:   an abstract value and a name (`x.name`), and a value to store (`x.name = value`)
    out:  the attribute's abstract value

Attributes of the outside world are read at every call of the compiled function. A replaced method
makes another program.
"""

from __future__ import annotations

import enum
import functools
import inspect
import operator
import types
from collections import namedtuple
from typing import Any, NoReturn

import numpy as np

from myia.infer import registry, subclasses
from myia.infer.boundary import assigned_globals, inner_classes
from myia.infer.boundary.instances import may_have_attribute, slots_of
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number, is_weak
from myia.infer.domain.errors import BadType, BadValue, ReadOnlyWrite
from myia.infer.domain.facts import ABSENT, Attribute, ClassAttribute, IsManaged, Raised
from myia.infer.domain.heap import (
    AnyList,
    Contents,
    DictObject,
    InstanceObject,
    SetObject,
)
from myia.infer.domain.heap_arrays import ARRAYS
from myia.infer.domain.values import (
    Abstract,
    Caught,
    Choice,
    Method,
    NewException,
    Opaque,
    Outside,
    Partial,
    PyFunction,
    Range,
    Ref,
    Static,
    Super,
    Tuple,
    fields_of,
    is_namedtuple,
    is_none,
)
from myia.infer.dynamic.access import is_dynamic, refuse_dynamic
from myia.infer.generated_methods import is_generated
from myia.infer.guests import Guest, guest_of, has_method
from myia.infer.jax.objects import objects
from myia.infer.jax.objects.pytrees import class_attribute, is_user_function
from myia.infer.loops.iterators import GENERATOR, is_generator
from myia.infer.missing_attributes import computed_or_fallback
from myia.infer.numeric.constant_methods import constant_or_none
from myia.infer.numeric.samples import has, type_of
from myia.infer.parameters import KEEPS_VIEWS
from myia.infer.paths import caught
from myia.infer.paths.branches import branch_options
from myia.infer.unsupported import UnsupportedAttribute

OF_FUNCTION = "keep it in a global, or in an instance"


def kind_of(ctx: Context, x: Abstract) -> str | None:
    """The kind of built-in object in the registry of methods; None for any other object."""
    if is_number(x):
        return "python" if is_weak(x) else "number"
    if isinstance(x, Ref):
        contents = ctx.contents(x)
        if isinstance(contents, AnyList):
            return "list"
        if isinstance(contents, DictObject):
            return "dict"
        return "array" if isinstance(contents, ARRAYS) else None
    if isinstance(x, Tuple):
        return "tuple"
    if is_generator(x):
        return GENERATOR
    if isinstance(x, Static) and isinstance(x.value, (str, property)):
        return type(x.value).__name__ if isinstance(x.value, property) else "str"
    return None


def getattr_(ctx: Context, x: Abstract, name: str) -> Abstract:
    """`x.name`; of a view without dimensions that of its number, but for what makes views of it."""
    if isinstance(x, Ref) and not _is_of_views(name):
        x = ctx.number(x)
    if isinstance(x, Choice):
        return branch_options(ctx, x, lambda option: getattr_(ctx, option, name))
    contents = ctx.held(x)
    if isinstance(contents, InstanceObject):
        return _instance_attribute(ctx, x, contents, name)
    if isinstance(x, (Caught, NewException)):
        return caught.attribute(ctx, x, name)
    if isinstance(x, Opaque):
        return _opaque_attribute(ctx, x, name)
    if isinstance(x, Super):
        return _super_attribute(ctx, x, name)
    if isinstance(x, Tuple) and x.cls is not None:
        found = _attribute_of_tuple(ctx, x, x.cls, name)
    else:
        found = subclasses.attribute(ctx, x, contents, name, _bind_descriptor)
    if found is not None:
        return found
    if isinstance(x, Static) and isinstance(x.value, enum.Enum):
        return _static_attribute(ctx, x.value, name)
    if isinstance(x, Range) and name in Range.PARTS:
        return ctx.call(Static(operator.index), (getattr(x, name),), {})
    kind = kind_of(ctx, x)
    if is_dynamic(ctx, x) and (kind, name) in registry.PROPERTIES:
        if ("dynamic", name) not in registry.PROPERTIES:
            refuse_dynamic(ctx, f"the attribute `{name}`")
        return registry.PROPERTIES["dynamic", name](ctx, x)
    if kind is not None and (kind, name) in registry.PROPERTIES:
        return registry.PROPERTIES[kind, name](ctx, x)
    if name != "copy" and (own := _method_of_dict(contents, name)) is not None:
        return Method(own, x)
    if (kind, name) in registry.METHODS:
        return Method((kind, name), x)
    if isinstance(contents, SetObject):
        return _attribute_of_set(ctx, x, contents.cls, name)
    if isinstance(x, (Static, Outside)):
        return _static_attribute(ctx, x.value, name)
    if isinstance(x, PyFunction):  # programs serve every function of one code
        ctx.fail(
            UnsupportedAttribute,
            what=f"the attribute `{name}` of a function",
            help_text=OF_FUNCTION,
        )
    if (cls := type_of(ctx, x)) is not None and not has(cls, name):
        _fail_without(ctx, cls, name)
    ctx.fail(UnsupportedAttribute, what=f"the attribute `{name}` of {ctx.describe(x)}")


def _is_of_views(name: str) -> bool:
    key = ("array", name)
    return any(table.get(key) in KEEPS_VIEWS for table in (registry.METHODS, registry.PROPERTIES))


def _fail_without(ctx: Context, cls: type, name: str) -> NoReturn:
    message = f"{cls.__name__!r} object has no attribute {name!r}"
    ctx.fail(BadValue, message=message, exception="AttributeError")


def _attribute_of_set(ctx: Context, x: Abstract, cls: type, name: str) -> Abstract:
    """A method of a set of compile-time values."""
    if not has(cls, name):
        _fail_without(ctx, cls, name)
    if cls is set and ("set", name) in registry.METHODS:
        return Method(("set", name), x)
    if not has(frozenset, name):
        help_text = "use a dict: `seen[x] = True`"
        ctx.fail(UnsupportedAttribute, what=f"`{name}`, which changes a set,", help_text=help_text)
    found = constant_or_none(ctx, x)
    if found is None:
        ctx.fail(UnsupportedAttribute, what=f"`{name}` of a set of run-time values")
    return Static(getattr(found.value, name))


# What a named tuple, or a tuple such as `time.struct_time`, has under the name of an item.
FIELDS = (type(inspect.getattr_static(namedtuple("One", "x"), "x")), types.MemberDescriptorType)


def _attribute_of_tuple(ctx: Context, x: Tuple, cls: type, name: str) -> Abstract | None:
    """A field of a named tuple, or what the class of a tuple has; None: what all tuples have."""
    fields = fields_of(cls)
    if name in fields and isinstance(inspect.getattr_static(cls, name), FIELDS):
        return x.items[fields.index(name)]
    if is_namedtuple(cls):
        if name == "_fields":
            return Tuple(tuple(map(Static, fields)))
        if ("namedtuple", name) in registry.METHODS:
            return Method(("namedtuple", name), x)
    if name == "__class__":
        return Static(cls)
    question = ClassAttribute(cls, name)
    found = _class_attribute(ctx, question)
    if found is ABSENT and (fallback := ctx.fact(ClassAttribute(cls, "__getattr__"))) is not ABSENT:
        return ctx.call(_bind_descriptor(ctx, fallback, x, cls, question), (Static(name),), {})
    if found is ABSENT or found is getattr(tuple, name, None):
        return None
    return _bind_descriptor(ctx, found, x, cls, question)


def _static_attribute(ctx: Context, x: Any, name: str) -> Abstract:
    """An attribute of a module, a class or another compile-time object."""
    if name == "_make" and is_namedtuple(x):
        return Partial(_make_namedtuple, (), x)
    if isinstance(x, types.ModuleType):
        assigned = assigned_globals.value(ctx, vars(x), name)
        if assigned is not None:
            return assigned
    question = Attribute(x, name)
    value = question.ask()
    if value is ABSENT or isinstance(value, Raised):
        ctx.fact(question)
        ctx.fail(BadValue, message=no_attribute(x, name), exception="AttributeError")
    if (
        _is_of_library(x)
        or isinstance(x, (np.dtype, np.finfo, np.iinfo))
        or type(x).__module__.startswith("scipy.stats.")
        or isinstance(value, (types.ModuleType, type, types.BuiltinFunctionType))
    ):
        return Static(ctx.fact(question))
    return ctx.root(question, name)


def _is_of_library(x: Any) -> bool:
    """A module of a library. (A class may have the name of one.)"""
    return isinstance(x, types.ModuleType) and x.__name__.split(".")[0] in registry.LIBRARIES


def no_attribute(x: Any, name: str) -> str:
    """Python's message."""
    if isinstance(x, types.ModuleType):
        return f"module {x.__name__!r} has no attribute {name!r}"
    owner = f"type object {x.__name__!r}" if isinstance(x, type) else f"{type(x).__name__!r} object"
    return f"{owner} has no attribute {name!r}"


def _make_namedtuple(ctx: Context, make: Partial, args: tuple, kwargs: dict) -> Abstract:
    """`cls._make(iterable)`"""
    return ctx.call(Static(make.meta), ctx.list_items(*args), kwargs)


COMPUTED = (property, functools.cached_property)  # class attributes that run code


def _instance_attribute(ctx: Context, x: Abstract, contents: InstanceObject, name: str) -> Abstract:
    cls = contents.cls
    if name == "args" and issubclass(cls, BaseException):
        return caught.args_of(contents)
    if (own := own_attribute(ctx, contents, name)) is not None:
        return own
    if name == "__class__":
        return Static(cls)
    question = ClassAttribute(cls, name)
    found = _class_attribute(ctx, question)
    if found is ABSENT and (guest := guest_of(cls)) is not None:
        _refuse_of_guest(ctx, guest, name)
    if found is ABSENT or name in slots_of(cls):  # an empty slot
        fallback = ctx.fact(ClassAttribute(cls, "__getattr__"))
        if fallback is not ABSENT:
            return ctx.call(_bind_descriptor(ctx, fallback, x, cls, question), (Static(name),), {})
        _fail_without(ctx, cls, name)
    if isinstance(found, COMPUTED):
        fallback = ctx.fact(ClassAttribute(cls, "__getattr__"))
        if fallback is not ABSENT:
            bound = _bind_descriptor(ctx, fallback, x, cls, question)
            compute = Partial(_compute, (), (found, cls, question))
            given = (x, compute, bound, Static(name))
            return ctx.call(Static(computed_or_fallback), given, {})
    return _bind_descriptor(ctx, found, x, cls, question)


def _compute(ctx: Context, attribute: Partial, args: tuple, kwargs: dict) -> Abstract:
    found, cls, question = attribute.meta
    return _bind_descriptor(ctx, found, args[0], cls, question)


def may_raise(ctx: Context, contents: InstanceObject, name: str) -> bool:
    """Does the instance have to compute the attribute, to tell whether it is there?"""
    if own_attribute(ctx, contents, name) is not None:
        return False
    question = ClassAttribute(contents.cls, name)
    found = question.ask()
    if found is not ABSENT and name not in slots_of(contents.cls):
        return isinstance(found, COMPUTED) and ctx.fact(question) is found
    return ctx.fact(ClassAttribute(contents.cls, "__getattr__")) is not ABSENT


def own_attribute(ctx: Context, contents: InstanceObject, name: str) -> Abstract | None:
    """What the instance itself holds under this name, and no descriptor computes."""
    cls = contents.cls
    if name in contents.names and (name in slots_of(cls) or not ctx.fact(IsManaged(cls, name))):
        return contents.values[contents.names.index(name)]
    return None


def _refuse_of_guest(ctx: Context, guest: Guest, name: str) -> None:
    """What an object of another library has, and its stand-in has not."""
    if has_method(guest, name):
        what = f"`{name}` of a {guest.name}"
        ctx.fail(UnsupportedAttribute, what=what, help_text=guest.instead)


def _class_attribute(ctx: Context, question: ClassAttribute) -> Any:
    """What the class defines. Data are recorded with the numbers in them, all else by identity."""
    found = question.ask()
    if found is ABSENT or hasattr(type(found), "__get__") or hasattr(type(found), "__myia__"):
        return ctx.fact(question)
    ctx.root(question, question.name)
    return found


def _opaque_attribute(ctx: Context, x: Opaque, name: str) -> Abstract:
    found = class_attribute(x, name)
    if is_user_function(found):
        question = ClassAttribute(x.structure.cls, name)
        return _bind_descriptor(ctx, found, x, x.structure.cls, question)
    return objects.method(x, name) if callable(found) else objects.attribute(ctx, x, name)


def _method_of_dict(contents: Contents | None, name: str) -> types.FunctionType | None:
    """A method that Python defines in Python, as most of Counter's."""
    found = getattr(contents.cls, name, None) if isinstance(contents, DictObject) else None
    return found if isinstance(found, types.FunctionType) else None


def _super_attribute(ctx: Context, x: Super, name: str) -> Abstract:
    """The attribute `name` of the first class after `x.cls` that has it, bound to `x.self`."""
    if isinstance(ctx.held(x.self), DictObject):
        if ("dict", name) not in registry.METHODS:
            ctx.fail(UnsupportedAttribute, what=f"the attribute `{name}` of {ctx.describe(x.self)}")
        return Method(("dict", name), x.self)
    cls = ctx.contents_as(x.self, InstanceObject).cls
    question = ClassAttribute(cls, name, x.cls)
    found = _class_attribute(ctx, question)
    if found is ABSENT:
        _fail_without(ctx, super, name)
    if found is object.__init__:
        return Method(found, x.self)
    if name == "__init__" and issubclass(cls, BaseException) and not _is_function(found):
        return Method(BaseException.__init__, x.self)
    return _bind_descriptor(ctx, found, x.self, cls, question)


def _bind_descriptor(
    ctx: Context, found: Any, x: Abstract, cls: type, question: ClassAttribute
) -> Abstract:
    """The class attribute `found` as an attribute of the instance `x`: descriptors are bound."""
    if isinstance(found, property):
        return ctx.call(Static(found.fget), (x,), {})
    if isinstance(found, functools.cached_property):
        value = ctx.call(Static(found.func), (x,), {})
        if isinstance(x, Tuple):
            return value
        _set_attribute(ctx, x, found.attrname, value)
        return value
    if isinstance(found, staticmethod):
        return Static(found.__func__)
    if isinstance(found, classmethod):
        return Method(found.__func__, Static(cls))
    if _is_function(found):
        return Method(found, x)
    if hasattr(type(found), "__get__") and not callable(found):
        ctx.fail(UnsupportedAttribute, what=f"the descriptor `{type(found).__name__}`")
    return ctx.root(question, question.name)


FUNCTIONS = (types.FunctionType, type(functools.cache(len)))


def _is_function(found: Any) -> bool:
    """A class attribute that binds as a method: a function, also under `functools.cache`, or a
    function transformed by Myia.
    """
    return isinstance(found, FUNCTIONS) or hasattr(type(found), "__myia__")


def special_method(ctx: Context, x: Abstract, name: str) -> Abstract | None:
    """The method of an instance's class that an operator calls, bound; None if it has none."""
    if isinstance(x, Opaque):
        found = class_attribute(x, name)
        bound = is_user_function(found)
        return Method(found, x) if bound else objects.special_method(x, name)
    owner = ctx.held(x) or x
    if isinstance(owner, DictObject):
        of_dict = _method_of_dict(owner, name)
        return None if of_dict is None else Method(of_dict, x)
    cls = owner.cls if isinstance(owner, (InstanceObject, Tuple)) else None
    if cls is None or not _is_function(found := ctx.fact(ClassAttribute(cls, name))):
        if cls is not None and (guest := guest_of(cls)) is not None:
            _refuse_of_guest(ctx, guest, name)
        if cls is not None and found is not ABSENT and not isinstance(found, OF_C):
            _refuse_no_function(ctx, cls, name, found)
        return None
    if is_generated(cls, found):
        ctx.fail(UnsupportedAttribute, what=f"the generated `{name}` of {cls.__name__}")
    return Method(found, x)


# What a class of Python in C has for a method: handlers of the library do the same.
OF_C = (types.WrapperDescriptorType, types.MethodDescriptorType, types.BuiltinFunctionType)


def _refuse_no_function(ctx: Context, cls: type, name: str, found: Any) -> NoReturn:
    """Python calls what the class has under that name, and asks no other method."""
    if found is None:
        wanted = {"__iter__": "iterable", "__contains__": "a container"}.get(name)
        message = f"{cls.__name__!r} object is not {wanted}"
        ctx.fail(BadType, message=message if wanted else "'NoneType' object is not callable")
    ctx.fail(UnsupportedAttribute, what=f"a `{name}` of {cls.__name__} that is not a function")


def setattr_(ctx: Context, x: Abstract, name: str, value: Abstract) -> None:
    """`x.name = value`"""
    if (key := (kind_of(ctx, x), name)) in registry.SETTERS:
        registry.SETTERS[key](ctx, x, value)
        return
    contents = ctx.held(x)
    if isinstance(x, Static) and inner_classes.is_inner(x.value):
        inner_classes.assign(ctx, x.value, name, value)
        return
    if is_none(x):
        _fail_without(ctx, type(None), name)
    if caught.on_instances(ctx, x, lambda made: setattr_(ctx, made, name, value)):
        return
    if not isinstance(contents, InstanceObject):
        what = f"an attribute of {ctx.describe(x)}"
        instead = "return the new value, or keep it in an instance that is passed in"
        ctx.fail(ReadOnlyWrite, what=what, help_text=instead)
    params = ctx.fact(ClassAttribute(contents.cls, "__dataclass_params__"))
    if params is not ABSENT and params.frozen:
        what = f"a field of the frozen dataclass {contents.cls.__name__}"
        instead = "make a new one: `dataclasses.replace(x, field=value)`"
        ctx.fail(ReadOnlyWrite, what=what, help_text=instead)
    setter = ctx.fact(ClassAttribute(contents.cls, "__setattr__"))
    plain = (object.__setattr__, types.SimpleNamespace.__setattr__, BaseException.__setattr__)
    if setter not in plain:
        ctx.fail(UnsupportedAttribute, what="`__setattr__`")
    if name not in slots_of(contents.cls) and ctx.fact(IsManaged(contents.cls, name)):
        found = ctx.fact(ClassAttribute(contents.cls, name))
        if not isinstance(found, property):
            ctx.fail(UnsupportedAttribute, what=f"the descriptor `{type(found).__name__}`")
        if found.fset is None:
            message = f"property {name!r} of {contents.cls.__qualname__!r} object has no setter"
            ctx.fail(BadValue, message=message, exception="AttributeError")
        ctx.call(Static(found.fset), (x, value), {})
        return
    _set_attribute(ctx, x, name, value)


def _set_attribute(ctx: Context, x: Abstract, name: str | None, value: Abstract) -> None:
    """Write into the `__dict__` of an instance, or into a slot."""
    contents = ctx.contents_as(x, InstanceObject)
    assert isinstance(x, Ref) and name is not None
    if not may_have_attribute(contents.cls, name):
        _fail_without(ctx, contents.cls, name)
    attributes = dict(zip(contents.names, contents.values))
    if guest_of(contents.cls) and attributes.get(name) == value:
        return  # `A.data *= 2`
    attributes[name] = value
    ctx.write(x, InstanceObject(contents.cls, tuple(attributes), tuple(attributes.values())))
