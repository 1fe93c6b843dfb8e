"""Types, attributes, strings and functions."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from myia.infer.attributes import may_raise, setattr_
from myia.infer.boundary.arguments import DEVICE_ARRAY, call_partial
from myia.infer.boundary.instances import slots_of
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import PYTHON_TYPES, is_weak, number_dtype
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.facts import ABSENT, Answer, ClassAttribute, HasAttribute, IsDefined
from myia.infer.domain.heap import DictObject, InstanceObject, ListObject, SetObject
from myia.infer.domain.values import (
    FALSE,
    FUNCTION_VALUES,
    NONE,
    TRUE,
    Abstract,
    Caught,
    Closure,
    NewException,
    Opaque,
    Outside,
    Partial,
    PyFunction,
    Range,
    Ref,
    Scalar,
    SliceValue,
    Static,
    Super,
    Tuple,
    as_ref,
    is_none,
    is_static_int,
    may_be_none,
)
from myia.infer.dynamic.access import is_dynamic
from myia.infer.guests import guest_of
from myia.infer.jax.objects.pytrees import is_device_class
from myia.infer.missing_attributes import attribute_or_default, has_attribute
from myia.infer.numeric.constant_methods import constant_or_none, evaluate_constant
from myia.infer.numeric.f_strings import brace_format, format_parts, joined
from myia.infer.numeric.samples import require_hashable
from myia.infer.operators.identity import test_of_none
from myia.infer.parameters import keeps_none, keeps_views, of_none
from myia.infer.paths.branches import with_none, with_none_inside
from myia.infer.paths.caught import class_of_caught, option_of, representation, text
from myia.infer.paths.choice import is_split
from myia.infer.registry import as_is, function, method
from myia.infer.stand_ins import in_python
from myia.infer.subclasses import class_of_users
from myia.infer.unsupported import UnsupportedAttribute, UnsupportedFunction

# ----- Types and attributes


def class_of(ctx: Context, x: Abstract) -> type:
    """`type(x)`"""
    if isinstance(x, (Static, Outside)):
        return type(x.value)
    if isinstance(x, Scalar):
        if x.boxed:
            return np.ndarray
        return PYTHON_TYPES[x.dtype.kind] if is_weak(x) else number_dtype(x).type
    if isinstance(x, Tuple):
        return x.cls or tuple
    if isinstance(x, (Caught, NewException)):
        return class_of_caught(ctx, x)
    if isinstance(x, Range):
        return range
    if isinstance(x, SliceValue):
        return slice
    if isinstance(x, Opaque):
        return x.structure.cls
    if isinstance(x, (Closure, PyFunction)):
        return type(class_of)
    if isinstance(x, Ref):
        contents = ctx.contents(x)
        if isinstance(contents, (InstanceObject, DictObject, SetObject, ListObject)):
            return in_python(contents.cls)
        return np.ndarray if ctx.is_array(x) or is_dynamic(ctx, x) else list
    ctx.fail(UnsupportedAttribute, what=f"the type of {ctx.describe(x)}")


@function(isinstance, dynamic=as_is)
@keeps_none
def _isinstance(ctx: Context, x: Abstract, classes: Abstract) -> Abstract:
    if may_be_none(x):
        of_none = _isinstance(ctx, NONE, classes)
        found = _isinstance(ctx, x.value, classes) if not is_split(x.value) else None
        if found is not None and isinstance(found, Static) and isinstance(of_none, Static):
            return found if found.value is of_none.value else test_of_none(ctx, of_none.value, x)
        return with_none(ctx, [x], lambda xs: ctx.call(Static(isinstance), (*xs, classes), {}))
    wanted = _classes(ctx, classes, "isinstance")
    if isinstance(x, Caught):
        return option_of(ctx, x, lambda option: _isinstance(ctx, option, classes))
    if any(map(is_device_class, wanted)) and (ctx.is_array(x) or isinstance(x, Scalar)):
        return _is_device_array(ctx, x)
    contents = ctx.held(x)
    cls = contents.cls if isinstance(contents, InstanceObject) else object
    if guest_of(cls) and issubclass(cls, wanted):  # code of ours asks
        return TRUE
    return Static(ctx.fact(Answer(issubclass, class_of(ctx, x), wanted)))


@function(issubclass)
def _issubclass(ctx: Context, cls: Abstract, classes: Abstract) -> Abstract:
    given = ctx.static(cls, "a class")
    if not isinstance(given, type):
        ctx.fail(BadType, message="issubclass() arg 1 must be a class")
    return Static(ctx.fact(Answer(issubclass, given, _classes(ctx, classes, "issubclass"))))


def _classes(ctx: Context, classes: Abstract, name: str) -> tuple[Any, ...]:
    given = classes.items if isinstance(classes, Tuple) else (classes,)
    wanted: Any = tuple(ctx.static(x, f"a class of `{name}`") for x in given)
    return wanted[0] if isinstance(wanted[0], tuple) else wanted


def _is_device_array(ctx: Context, x: Abstract) -> Abstract:
    """True for arrays that come from outside; a result of an operator could be NumPy's or JAX's."""
    if isinstance(x, Scalar) and x.weak:
        return FALSE
    if isinstance(x, Ref) and getattr(ctx.contents(x), "readonly", None) == DEVICE_ARRAY:
        return TRUE
    ctx.fail(UnsupportedAttribute, what="to tell NumPy's arrays from those of JAX")


@function(type, dynamic=as_is)
@of_none
def _type(ctx: Context, x: Abstract) -> Abstract:
    return Static(class_of(ctx, x))


@function(super)
def _super(ctx: Context, cls: Abstract, x: Abstract) -> Abstract:
    contents = ctx.contents(x) if isinstance(x, Ref) else None
    of = ctx.static(cls, "the class of `super`")
    own = contents.cls if isinstance(contents, (InstanceObject, DictObject)) else None
    if own is None or not issubclass(own, of):
        ctx.fail(UnsupportedAttribute, what=f"`super` of {ctx.describe(x)}")
    return Super(of, x)


@function(object.__init__)
def _init(ctx: Context, self: Abstract) -> Abstract:
    return NONE


@function(BaseException.__init__)
def _init_exception(ctx: Context, self: Abstract, *arguments: Abstract) -> Abstract:
    contents = ctx.contents_as(self, InstanceObject)
    attributes = dict(zip(contents.names, contents.values)) | {"args": Tuple(arguments)}
    assert isinstance(self, Ref)
    ctx.write(self, replace(contents, names=tuple(attributes), values=tuple(attributes.values())))
    return NONE


@function(callable, dynamic=as_is)
@of_none
def _callable(ctx: Context, x: Abstract) -> Abstract:
    if isinstance(x, (Static, Outside)):
        return Static(ctx.fact(Answer(callable, x.value)))
    known = isinstance(x, FUNCTION_VALUES)
    return Static(known or ctx.special_method(x, "__call__") is not None)


def _name_in(ctx: Context, name: Abstract) -> str:
    found = ctx.static(name, "the name of an attribute")
    if not isinstance(found, str):
        ctx.fail(BadType, message=f"attribute name must be string, not {type(found).__name__!r}")
    return found


@function(getattr, dynamic=as_is)
@keeps_views
@of_none
def _getattr(ctx: Context, x: Abstract, name: Abstract, *default: Abstract) -> Abstract:
    wanted = _name_in(ctx, name)
    if default and _may_raise(ctx, x, wanted):
        return ctx.call(Static(attribute_or_default), (x, name, *default), {})
    if default and not _hasattr(ctx, x, name).value:
        return default[0]
    return ctx.getattr(x, wanted)


@function(hasattr, dynamic=as_is)
@of_none
def _hasattr(ctx: Context, x: Abstract, name: Abstract) -> Abstract:
    wanted = _name_in(ctx, name)
    if isinstance(x, (Static, Outside)):
        return Static(ctx.fact(HasAttribute(x.value, wanted)))
    if _may_raise(ctx, x, wanted):
        return ctx.call(Static(has_attribute), (x, name), {})
    contents = ctx.held(x)
    if not isinstance(contents, InstanceObject):
        found = ctx.fact(HasAttribute(class_of(ctx, x), wanted))
        if not found and isinstance(x, PyFunction):
            ctx.fail(UnsupportedAttribute, what=f"the attribute `{wanted}` of a function")
        return Static(found)
    is_empty = wanted in slots_of(contents.cls)  # a slot without a value
    return Static(
        wanted in contents.names or (not is_empty and ctx.fact(IsDefined(contents.cls, wanted)))
    )


def _may_raise(ctx: Context, x: Abstract, name: str) -> bool:
    contents = ctx.held(x)
    if isinstance(contents, InstanceObject):
        return may_raise(ctx, contents, name)
    cls = class_of_users(x, contents)
    if cls is None or ctx.fact(ClassAttribute(cls, "__getattr__")) is ABSENT:
        return False
    return not ctx.fact(HasAttribute(cls, name))


def _conversion(code: str) -> Callable[..., Abstract]:
    def convert(ctx: Context, x: Abstract = Static("")) -> Abstract:
        if isinstance(x, (Caught, NewException)):
            return (text if code == "s" else representation)(ctx, x)
        shown = lambda xs: format_parts(ctx, ((code, ""),), tuple(xs))  # noqa: E731
        return with_none_inside(ctx, [x], shown)

    return convert


function(str)(of_none(_conversion("s")))
function(repr)(of_none(_conversion("r")))


def _of_known(f: Any, what: str) -> None:
    function(f)(lambda ctx, x: evaluate_constant(ctx, f, ctx.static(x, what)))


for _f, _what in {ord: "a character", chr: "the number of a character"}.items():
    _of_known(_f, _what)
for _f in (bin, hex, oct):
    _of_known(_f, f"a number of which `{_f.__name__}` makes a text")


@function(hash)
def _hash(ctx: Context, x: Abstract) -> Abstract:
    known = constant_or_none(ctx, x)
    if known is None or not _has_one_hash(known.value):
        what = f"`hash` of {ctx.describe(x)}"
        help_text = "it may differ between processes: compute it outside and pass it in"
        ctx.fail(UnsupportedFunction, what=what, help_text=help_text)
    return evaluate_constant(ctx, hash, known.value)


def _has_one_hash(x: Any) -> bool:
    """Is it a number, or a tuple of them, whose hash is the same in each process?"""
    return isinstance(x, (int, float, complex)) or (
        isinstance(x, (tuple, frozenset)) and all(map(_has_one_hash, x))
    )


@function(builtins.format)
@of_none
def _format(ctx: Context, x: Abstract, spec: Abstract = Static("")) -> Abstract:
    return format_parts(ctx, ((None, ctx.static(spec, "a format")),), (x,))


@method("str", "join")
def _join(ctx: Context, self: Abstract, texts: Abstract) -> Abstract:
    return joined(ctx, ctx.static(self, "a separator"), texts)


@method("str", "format")
@of_none
def _format_method(ctx: Context, self: Abstract, *args: Abstract, **named: Abstract) -> Abstract:
    def formatted(xs: Sequence[Abstract]) -> Abstract:
        return _formatted(ctx, self, xs[: len(args)], dict(zip(named, xs[len(args) :])))

    return with_none_inside(ctx, (*args, *named.values()), formatted)


def _formatted(
    ctx: Context, template_: Abstract, args: Sequence[Abstract], named: dict[str, Abstract]
) -> Abstract:
    template: Any = ctx.static(template_, "a template")
    given = [constant_or_none(ctx, x) for x in (*args, *named.values())]
    if any(x is None for x in given):
        return brace_format(ctx, template, tuple(args), named)
    known = [x.value for x in given if x is not None]
    options = dict(zip(named, known[len(args) :]))
    return evaluate_constant(ctx, template.format, *known[: len(args)], **options)


@function(functools.partial)
@keeps_views
@keeps_none
def _partial(ctx: Context, f: Abstract, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
    meta = (len(args), *kwargs)
    return Partial(call_partial, (f, *args, *kwargs.values()), meta)


@function(functools.wraps)
def _wraps(ctx: Context, wrapped: Abstract, *args: Abstract, **options: Abstract) -> Abstract:
    return Partial(_unchanged, ())


def _unchanged(ctx: Context, decorator: Partial, args: tuple, kwargs: dict) -> Abstract:
    """Apply a decorator that changes only names and documentation."""
    return args[0]


# ----- Caches of inner functions: a dict from arguments known while compiling to results


@function(functools.cache)
def _cache(ctx: Context, user_function: Abstract) -> Abstract:
    return _cached(ctx, Partial(_cached, (), False), (user_function,), {})


@function(functools.lru_cache)
def _lru_cache(ctx: Context, maxsize: Abstract = Static(128), typed: Abstract = FALSE) -> Abstract:
    """As `functools.cache`: what Python forgets is computed again there."""
    decorator = Partial(_cached, (), ctx.static(typed, "`typed`"))
    if is_none(maxsize) or is_static_int(maxsize):
        return decorator
    return _cached(ctx, decorator, (maxsize,), {})


def _cached(ctx: Context, decorator: Partial, args: tuple, kwargs: dict) -> Abstract:
    return Partial(_call_cached, (*args, ctx.new(DictObject((), ()))), decorator.meta)


def _call_cached(ctx: Context, cached: Partial, args: tuple, kwargs: dict) -> Abstract:
    f, results = cached.items
    given = (*args, *kwargs.values())
    for x in given:
        require_hashable(ctx, x)
    known = [k.value for x in given if (k := constant_or_none(ctx, x)) is not None]
    if len(known) < len(given):
        what = "an argument known only at run time of an inner function under `functools.cache`"
        ctx.fail(UnsupportedFunction, what=what, help_text="leave the cache out")
    key = (len(args), *kwargs, *known)
    if cached.meta or (len(given) == 1 and not kwargs and type(known[0]) in (int, str)):
        key += tuple(map(type, known))  # a single 2 is not 2.0, by how Python makes keys
    present = ctx.contents_as(as_ref(results), DictObject)
    if key in present.keys:
        return present.values[present.keys.index(key)]
    result = ctx.call(f, args, kwargs)
    present = ctx.contents_as(as_ref(results), DictObject)
    items = dict(zip(present.keys, present.values))
    ctx.write(as_ref(results), present.with_items({**items, key: result}))
    return result


@function(setattr)
@keeps_none
def _setattr(ctx: Context, x: Abstract, name: Abstract, value: Abstract) -> Abstract:
    setattr_(ctx, x, _name_in(ctx, name), value)
    return NONE


@function(delattr)
def _delattr(ctx: Context, x: Abstract, name: Abstract) -> Abstract:
    wanted, contents = _name_in(ctx, name), ctx.held(x)
    if not isinstance(contents, InstanceObject) or ctx.fact(IsDefined(contents.cls, wanted)):
        ctx.fail(
            UnsupportedAttribute, what=f"`del` of the attribute `{wanted}` of {ctx.describe(x)}"
        )
    if wanted not in contents.names:
        message = f"{contents.cls.__name__!r} object has no attribute {wanted!r}"
        ctx.fail(BadValue, message=message, exception="AttributeError")
    left = {n: v for n, v in zip(contents.names, contents.values) if n != wanted}
    ctx.write(as_ref(x), InstanceObject(contents.cls, tuple(left), tuple(left.values())))
    return NONE
