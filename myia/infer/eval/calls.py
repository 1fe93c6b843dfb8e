"""Calls: binding of arguments, Python functions, our closures, library functions, classes.

Calls are inlined: the body of the callee is inferred again at every call. A recursion is unrolled
up to a limit, unless it is a tail call (`tail_calls.py`).
"""

from __future__ import annotations

import dataclasses
import enum
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from myia.infer import attributes, registry
from myia.infer.boundary import inner_classes
from myia.infer.boundary.exceptions import new_exception
from myia.infer.boundary.instances import (
    has_only_attributes,
    has_own_operators,
    slots_of,
)
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType
from myia.infer.domain.facts import (
    ABSENT,
    Answer,
    Attribute,
    ClassAttribute,
)
from myia.infer.domain.heap import DictObject, InstanceObject
from myia.infer.domain.values import (
    NONE,
    Abstract,
    Choice,
    Closure,
    Method,
    Opaque,
    Outside,
    Partial,
    PyFunction,
    Ref,
    Static,
    Tuple,
    is_namedtuple,
)
from myia.infer.eval import static_code
from myia.infer.eval.closures import SINGLE_DISPATCH, UNDER_ERRSTATE, closure_parts, load
from myia.infer.eval.library_calls import OF_THE_SYSTEM, located_at_call, name_of, refuse
from myia.infer.eval.tail_calls import as_loop_or
from myia.infer.generated_methods import is_generated
from myia.infer.generators.weaving import generator
from myia.infer.guests import guest_of
from myia.infer.jax.objects.dispatch import (
    call_library,
    call_marked_for_tracing,
    function_under_jit,
)
from myia.infer.numeric.constant_methods import (
    call_method,
    is_method_of_constant,
    member_of,
)
from myia.infer.numeric.samples import fail_without, type_of
from myia.infer.paths.branches import branch_options, on_each
from myia.infer.questions import FieldDefault, is_made_by_namedtuple
from myia.infer.recursion import calls as recursion
from myia.infer.recursion.depth import limit_calls
from myia.infer.unsupported import UnsupportedFunction
from myia.primitives.core.py import Code, Parameter

ERROR_MODES = ("all", "divide", "over", "under", "invalid")
USE_KEYWORDS = "give the attributes as keywords"

# Objects of the API that are callable inside compiled code: type -> (ctx, object, args, kwargs).
CALLABLE_TYPES: dict[type, Callable] = {}
Args = tuple[Abstract, ...]
Kwargs = dict[str, Abstract]


def call(ctx: Context, f: Abstract, args: tuple, kwargs: dict[str, Abstract]) -> Abstract:
    """`f(*args, **kwargs)`"""
    if isinstance(f, Closure):
        return call_code(ctx, f.code, f.captured, f.defaults, args, kwargs)
    if isinstance(f, PyFunction):
        return _call_static(ctx, f.function, args, kwargs, f.parts)
    if isinstance(f, Method):
        return _call_method(ctx, f, args, kwargs)
    if isinstance(f, Partial):
        return f.call(ctx, f, args, kwargs)
    if isinstance(f, Static):
        return _call_static(ctx, f.value, args, kwargs)
    if isinstance(f, Choice):
        return branch_options(ctx, f, lambda option: call(ctx, option, args, kwargs))
    if isinstance(f, Outside) and callable(f.value):
        refuse(ctx, f.value)
    if isinstance(f, (Ref, Opaque)) and (found := attributes.special_method(ctx, f, "__call__")):
        return call(ctx, found, args, kwargs)
    what = ctx.describe(f)
    fail_without(ctx, f, ["__call__"], "{} object is not callable", f"the call of {what}")


def _call_static(
    ctx: Context, f: Any, args: tuple, kwargs: dict, parts: tuple[Abstract, ...] | None = None
) -> Abstract:
    """`parts`: the variables of the closure of a function and its defaults (None: ask Python)."""
    if (closure := inner_classes.closure_of(ctx, f)) is not None:
        return call(ctx, closure, args, kwargs)
    # The order matters: our handler of a library function takes precedence over its JAX trace and
    # its source.
    handler = registry.handler_of(f)
    if handler is not None:
        of_guest = _numpy_of_guest(ctx, f, args)
        if of_guest is not None:
            return call(ctx, Static(of_guest), (Static(f), *args), kwargs)
        return registry.invoke(ctx, handler, name_of(f), args, kwargs, f)
    for cls in type(f).__mro__:
        if cls in CALLABLE_TYPES:
            return CALLABLE_TYPES[cls](ctx, f, args, kwargs)
    if registry.top_package(f) in OF_THE_SYSTEM:
        refuse(ctx, f)
    named_tuple = isinstance(f, type) and issubclass(f, tuple)
    if registry.is_traced(f) and not registry.is_marked_for_tracing(f) and not named_tuple:
        return call_library(ctx, f, args, kwargs)
    if (wrapped := function_under_jit(f)) is not None:
        return call(ctx, Static(wrapped), args, kwargs)
    of_library = registry.is_of_library(f)
    if isinstance(f, types.FunctionType) and (registry.is_marked_for_tracing(f) or not of_library):
        return _call_function(ctx, f, parts, args, kwargs)
    if isinstance(f, types.MethodType) and isinstance(f.__func__, types.FunctionType):
        return _call_static(ctx, f.__func__, (Static(f.__self__), *args), kwargs)
    if is_method_of_constant(f):
        return on_each(ctx, args, lambda xs: call_method(ctx, f, tuple(xs), kwargs))
    if isinstance(f, type):
        return _construct(ctx, f, args, kwargs)
    if not callable(f):
        ctx.fail(BadType, message=f"{type(f).__name__!r} object is not callable")
    refuse(ctx, f)


def _numpy_of_guest(ctx: Context, f: Any, args: tuple) -> Callable | None:
    """What stands for a function of NumPy whose argument is an object of another library."""
    for x in args:
        contents = ctx.held(x) if isinstance(x, Ref) else None
        guest = guest_of(contents.cls) if isinstance(contents, InstanceObject) else None
        if guest is not None and guest.numpy is not None and is_of_numpy(f):
            found = guest.numpy(f)
            if found is None:
                what = f"`{name_of(f)}` of a {guest.name}"
                ctx.fail(UnsupportedFunction, what=what, help_text=guest.instead)
            return found
    return None


def is_of_numpy(f: Any) -> bool:
    return isinstance(f, np.ufunc) or registry.top_package(f) == "numpy"


def call_numpy(ctx: Context, f: Callable, args: tuple) -> Abstract:
    """The handler of a function of NumPy, which is not asked itself."""
    return registry.invoke(ctx, registry.FUNCTIONS[f], f"numpy.{f.__name__}", args, {}, None)


def _call_function(
    ctx: Context, f: types.FunctionType, parts: tuple | None, args: tuple, kwargs: dict
) -> Abstract:
    """A Python function by its source, or by its trace where it is marked."""
    if (cls := _class_that_generates(ctx, f, args)) is not None:
        return _initialize(ctx, cls, args[0], args[1:], kwargs)
    names = f.__code__.co_freevars
    if parts is None:
        parts = closure_parts(ctx, f)
    if registry.is_marked_for_tracing(f):
        return call_marked_for_tracing(ctx, PyFunction(f, parts), args, kwargs)
    if f.__code__ is SINGLE_DISPATCH:
        return _call_dispatched(ctx, f, args, kwargs)
    if f.__code__ is UNDER_ERRSTATE and "self" in names:
        return _call_under_errstate(ctx, dict(zip(names, parts)), args, kwargs)
    with located_at_call(f):
        code = load(ctx, f)
        cells = dict(zip(names, parts))
        return call_code(ctx, code, (), parts[len(names) :], args, kwargs, cells)


def _call_dispatched(ctx: Context, f: Any, args: tuple, kwargs: dict) -> Abstract:
    """A function under `functools.singledispatch`: the implementation for the type of `args[0]`."""
    cls = type_of(ctx, args[0]) if args else None
    if cls is None:
        ctx.fail(UnsupportedFunction, what="`functools.singledispatch` of this argument")
    return call(ctx, Static(ctx.fact(Answer(f.dispatch, cls))), args, kwargs)


def _call_under_errstate(ctx: Context, cells: dict, args: tuple, kwargs: dict) -> Abstract:
    """A function under the decorator `np.errstate(...)`: as in `with np.errstate(...)`."""
    modes = {m: ctx.getattr(cells["self"], f"_{m}") for m in ERROR_MODES}
    under = ctx.getattr(call(ctx, Static(np.errstate), (), modes), "__call__")
    return call(ctx, call(ctx, under, (cells["func"],), {}), args, kwargs)


def _call_method(ctx: Context, f: Method, args: tuple, kwargs: dict) -> Abstract:
    if isinstance(f.function, tuple):  # (kind, name) of a built-in type
        handler = registry.METHODS[f.function]
        method = getattr(type_of(ctx, f.self), f.function[1], None)
        return registry.invoke(ctx, handler, f.function[1], (f.self, *args), kwargs, method)
    return call(ctx, Static(f.function), (f.self, *args), kwargs)


# ----- Code of ours


def call_code(
    ctx: Context,
    code: Code,
    captured: tuple[Abstract, ...],
    defaults: tuple[Abstract, ...],
    args: tuple[Abstract, ...],
    kwargs: dict[str, Abstract],
    cells: dict[str, Abstract] | None = None,
) -> Abstract:
    """Run a function of IR(py). `cells`: its Python closure (None: that of its parent)."""
    if code.closing is not None:
        bound = bind(ctx, code.name, code.parameters, defaults, args, kwargs)
        return generator(ctx, code, captured, bound, cells)
    bound = bind(ctx, code.name, code.parameters, defaults, args, kwargs)
    arguments = (*captured, *bound)
    recursion.stop(ctx, code, arguments, cells)
    if limit_calls(ctx, code):
        ctx.recursive_calls += 1
        static_code.limit_recursion(ctx, ctx.recursive_calls, code)
    known = static_code.run_call(ctx, code, captured, bound, cells)
    if known is not None:
        return known

    def inlined() -> Abstract:
        with ctx.frame(code, cells, arguments=arguments):
            (result,) = ctx.run(code.region, dict(zip(code.region.args, arguments)))
        return result

    def looped() -> Abstract:
        return as_loop_or(ctx, code, captured, bound, cells, inlined)

    return recursion.call(ctx, code, arguments, cells, looped)


def bind(
    ctx: Context,
    name: str,
    parameters: Sequence[Parameter],
    defaults: Iterable[Abstract],
    args: Sequence[Abstract],
    kwargs: dict[str, Abstract],
) -> list[Abstract]:
    """The arguments of a call in the order of the parameters."""
    kwargs = dict(kwargs)
    available = iter(defaults)
    default = {p.name: next(available) for p in parameters if p.has_default}
    bound: list[Abstract] = []
    rest = list(args)
    for p in parameters:
        bound.append(_bind_one(ctx, name, p, rest, kwargs, default))
    if rest:
        takes, given = len(args) - len(rest), len(args)
        message = f"{name}() takes {takes} positional arguments but {given} were given"
        ctx.fail(BadType, message=message)
    if kwargs:
        keyword = next(iter(kwargs))
        ctx.fail(BadType, message=f"{name}() got an unexpected keyword argument '{keyword}'")
    return bound


def _bind_one(
    ctx: Context, name: str, p: Parameter, rest: list, kwargs: dict, default: dict
) -> Abstract:
    """One parameter's argument, taken from what is left of `rest` and `kwargs`."""
    if p.kind == "VAR_POSITIONAL":
        items, rest[:] = tuple(rest), []
        return Tuple(items)
    if p.kind == "VAR_KEYWORD":
        contents = DictObject(tuple(kwargs), tuple(kwargs.values()))
        kwargs.clear()
        return ctx.new(contents)
    if rest and p.kind != "KEYWORD_ONLY":
        if p.name in kwargs and p.kind != "POSITIONAL_ONLY":
            message = f"{name}() got multiple values for argument '{p.name}'"
            ctx.fail(BadType, message=message)
        return rest.pop(0)
    if p.name in kwargs and p.kind != "POSITIONAL_ONLY":
        return kwargs.pop(p.name)
    if p.name in default:
        return default[p.name]
    ctx.fail(BadType, message=f"{name}() missing a required argument: '{p.name}'")


# ----- Classes


def _construct(ctx: Context, cls: type, args: tuple, kwargs: dict) -> Abstract:
    """`cls(*args, **kwargs)` for namedtuples, dataclasses and classes with an `__init__`."""
    if has_own_operators(cls):
        ctx.fail(
            UnsupportedFunction,
            what=f"an instance of {cls.__name__}, which has operators of its own,",
        )
    if is_namedtuple(cls):
        if not is_made_by_namedtuple(cls):
            refuse(ctx, cls)
        given = {*cls._fields[: len(args)], *kwargs}
        asked = [FieldDefault(cls, n) for n in cls._fields if n not in given]
        defaults = {q.name: ctx.root(q, q.name) for q in asked if q.read() is not ABSENT}
        fields = [Parameter(n, "POSITIONAL_OR_KEYWORD", n in defaults) for n in cls._fields]
        bound = bind(ctx, cls.__name__, fields, defaults.values(), args, kwargs)
        return Tuple(tuple(bound), cls)
    if issubclass(cls, enum.Enum):
        return member_of(ctx, cls, [ctx.static(x, "the value of an enumeration") for x in args])
    if issubclass(cls, BaseException):
        return new_exception(ctx, cls, args, kwargs)
    init = ctx.fact(ClassAttribute(cls, "__init__"))
    if issubclass(cls, types.SimpleNamespace) and init is types.SimpleNamespace.__init__:
        if args:
            ctx.fail(
                UnsupportedFunction, what="`SimpleNamespace` of a mapping", help_text=USE_KEYWORDS
            )
        return ctx.new(InstanceObject(cls, tuple(kwargs), tuple(kwargs.values())))
    by_python = ctx.fact(ClassAttribute(cls, "__new__")) is object.__new__
    by_type = ctx.fact(ClassAttribute(type(cls), "__call__")) is vars(type)["__call__"]
    is_dataclass = "__init__" in vars(cls) and is_generated(cls, init)
    if not is_dataclass and not (by_python and by_type and has_only_attributes(cls)):
        refuse(ctx, cls)
    if missing := getattr(cls, "__abstractmethods__", None):
        message = f"can't instantiate abstract class {cls.__name__} without {min(missing)!r}"
        ctx.fail(BadType, message=message)
    instance = ctx.new(InstanceObject(cls, (), ()))
    if isinstance(init, types.FunctionType):
        call(ctx, Static(init), (instance, *args), kwargs)
    elif args or kwargs:
        ctx.fail(BadType, message=f"{cls.__name__}() takes no arguments")
    return instance


def _class_that_generates(ctx: Context, init: types.FunctionType, args: tuple) -> type | None:
    """The dataclass whose `__init__` this is, of which `args[0]` is an instance."""
    contents = ctx.held(args[0]) if args and init.__name__ == "__init__" else None
    bases = contents.cls.__mro__ if isinstance(contents, InstanceObject) else ()
    own = (cls for cls in bases if vars(cls).get("__init__") is init)
    return next((cls for cls in own if is_generated(cls, init)), None)


FACTORY = Static("what the factory of the field makes")


def _initialize(ctx: Context, cls: type, self: Ref, args: tuple, kwargs: dict) -> Abstract:
    """The `__init__` that `dataclass` makes for `cls`."""
    fields = fields_of(cls)
    parameters, defaults = [], []
    for f in fields:
        if f.init:
            default = _field_default(ctx, f)
            kind = "KEYWORD_ONLY" if f.kw_only else "POSITIONAL_OR_KEYWORD"
            parameters.append(Parameter(f.name, kind, default is not None))
            defaults += [] if default is None else [default]
    contents = ctx.contents_as(self, InstanceObject)
    bound = bind(ctx, contents.cls.__name__, parameters, defaults, args, kwargs)
    given = dict(zip((p.name for p in parameters), bound))
    values = dict(zip(contents.names, contents.values))
    for f in fields:
        value = given[f.name] if f.init else _field_default(ctx, f)
        is_kept = f.init or value is FACTORY or f.name in slots_of(contents.cls)
        if value is FACTORY:
            value = call(ctx, Static(f.default_factory), (), {})
        if value is not None and is_kept and not is_init_only(f):
            values[f.name] = value
    names, parts = tuple(values), tuple(values.values())
    ctx.write(self, dataclasses.replace(contents, names=names, values=parts))
    post_init = ctx.fact(ClassAttribute(contents.cls, "__post_init__"))
    if post_init is not ABSENT:
        init_only = [given[f.name] for f in fields if is_init_only(f)]
        call(ctx, Static(post_init), (self, *init_only), {})
    return NONE


def fields_of(cls: type) -> list[dataclasses.Field]:
    """The fields of a dataclass, also those of `InitVar`."""
    names = {f.name for f in dataclasses.fields(cls)}
    found: dict[str, dataclasses.Field] = getattr(cls, FIELDS)
    return [f for f in found.values() if f.name in names or is_init_only(f)]


def is_init_only(f: dataclasses.Field) -> bool:
    """Is it only an argument of `__init__`, which `__post_init__` is given (`InitVar`)?"""
    return getattr(f, "_field_type", None) is INIT_ONLY


INIT_ONLY = getattr(dataclasses, "_FIELD_INITVAR", None)
FIELDS = "__dataclass_fields__"


def _field_default(ctx: Context, f: dataclasses.Field) -> Abstract | None:
    if f.default is not dataclasses.MISSING:
        return ctx.root(Attribute(f, "default"), f.name)
    return None if f.default_factory is dataclasses.MISSING else FACTORY
