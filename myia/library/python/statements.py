"""`with`, `import`, `**rest`, which the frontend desugars (`primitives/core/desugared.py`)."""

from __future__ import annotations

import contextlib
import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType, BadValue, Unsupported
from myia.infer.domain.heap import DictObject, InstanceObject
from myia.infer.domain.values import FALSE, NONE, Abstract, Method, Outside, Static
from myia.infer.registry import as_is, function
from myia.ir.core import walk
from myia.ir.dependence import with_dependents
from myia.library.python.objects import class_of
from myia.primitives.core import desugared

HOST = "enter it around the call of the compiled function"

# ----- Contexts


@function(desugared.enter, dynamic=as_is)
def _enter(ctx: Context, context: Abstract) -> Abstract:
    entered, left = (_method(ctx, context, name) for name in ("__enter__", "__exit__"))
    if isinstance(left, Method) and _may_catch(ctx, left):
        what = f"a context that may catch an exception, as `{class_of(ctx, context).__name__}`,"
        ctx.fail(Unsupported, what=what, help_text="test for the condition with `if`")
    return ctx.call(entered, (), {})


@function(desugared.leave, dynamic=as_is)
def _leave(ctx: Context, context: Abstract) -> Abstract:
    left = _method(ctx, context, "__exit__")
    if ctx.handlers.pending[-1] is not None and _reads_exception(ctx, left):
        help_text = "enter the context around the `try`"
        what = "a context whose `__exit__` reads an exception that a handler may catch"
        ctx.fail(Unsupported, what=what, help_text=help_text)
    return ctx.call(left, (NONE, NONE, NONE), {})


def _reads_exception(ctx: Context, left: Abstract) -> bool:
    if not isinstance(left, Method) or not hasattr(left.function, "__code__"):
        return False
    code = ctx.load(left.function)
    exception = set(code.region.args[len(code.captured) + 1 :])
    return any(x in exception for op in walk(code.region) for x in op.operands)


def _method(ctx: Context, context: Abstract, name: str) -> Abstract:
    found = ctx.special_method(context, name)
    if found is not None:
        return found
    cls = class_of(ctx, context)
    if isinstance(context, (Static, Outside)) and hasattr(cls, name):
        ctx.fail(Unsupported, what=f"the context `{cls.__name__}`", help_text=HOST)
    message = f"{cls.__name__!r} object does not support the context manager protocol"
    ctx.fail(BadType, message=message)


def _may_catch(ctx: Context, left: Method) -> bool:
    """Does what `__exit__` returns depend on the exception?"""
    if not callable(left.function) or not hasattr(left.function, "__code__"):
        return False
    code = ctx.load(left.function)
    region = code.region
    exception = region.args[len(code.captured) + 1 :]
    return not with_dependents(exception, region.ops).isdisjoint(region.yields)


class _Cut:
    """The context of a function under `contextmanager`, which the frontend has cut in two."""

    def __init__(self, function: Callable, args: tuple, options: dict):
        self.function, self.args, self.options = function, args, options

    def __enter__(self) -> Any:
        value, self.leave = self.function(*self.args, **self.options)
        return value

    def __exit__(self, *exception: Any) -> None:
        self.leave()


@function(contextlib._GeneratorContextManager)
def _context(ctx: Context, f: Abstract, args: Abstract, options: Abstract) -> Abstract:
    return ctx.call(Static(_Cut), (f, args, options), {})


@function(warnings.catch_warnings)
def _catch_warnings(ctx: Context, *, record: Abstract = FALSE) -> Abstract:
    """Compiled code does not warn: there is nothing to catch."""
    if ctx.static(record, "`record` of `catch_warnings`"):
        ctx.fail(Unsupported, what="`warnings.catch_warnings(record=True)`")
    return _nothing(ctx)


@function(warnings.simplefilter, warnings.filterwarnings)
def _filter(ctx: Context, action: Abstract, *rest: Abstract, **options: Abstract) -> Abstract:
    if (wanted := ctx.static(action, "a filter of warnings")) == "error":
        ctx.fail(Unsupported, what=f"the filter {wanted!r}", help_text=HOST)
    return NONE


@function(np.errstate)
def _errstate(ctx: Context, **modes: Abstract) -> Abstract:
    """Compiled code does not warn: there is nothing to ignore."""
    for name, mode in modes.items():
        wanted: Any = ctx.static(mode, f"`{name}` of `np.errstate`")
        if name == "call" and wanted is None:
            continue
        if name == "call" or wanted not in (None, "ignore", "warn"):
            what = f"`np.errstate({name}={wanted!r})`"
            ctx.fail(Unsupported, what=what, help_text="`debug=True` finds the first such number")
    return _nothing(ctx)


def _nothing(ctx: Context) -> Abstract:
    return ctx.new(InstanceObject(contextlib.nullcontext, ("enter_result",), (NONE,)))


# ----- Imports


@function(desugared.import_module)
def _import_module(ctx: Context, name: Abstract, top: Abstract = Static(False)) -> Abstract:
    module: Any = ctx.static(name, "the name of a module")
    try:
        return Static(desugared.import_module(module, top=bool(ctx.static(top, "an import"))))
    except ImportError as error:
        ctx.fail(BadValue, message=str(error), exception=type(error).__name__)


@function(desugared.import_from)
def _import_from(ctx: Context, module: Abstract, name: Abstract) -> Abstract:
    owner: Any = ctx.static(module, "the name of a module")
    wanted: Any = ctx.static(name, "the name of an import")
    try:
        desugared.import_from(owner, wanted)
    except ImportError as error:
        ctx.fail(BadValue, message=str(error), exception=type(error).__name__)
    return ctx.getattr(Static(importlib.import_module(owner)), wanted)


# ----- Patterns


@function(desugared.items_without, dynamic=as_is)
def _items_without(ctx: Context, mapping: Abstract, keys: Abstract) -> Abstract:
    contents = ctx.contents_as(mapping, DictObject)
    named = [ctx.static(key, "a key of a pattern") for key in ctx.list_items(keys)]
    left = {k: v for k, v in zip(contents.keys, contents.values) if k not in named}
    return ctx.new(DictObject(tuple(left), tuple(left.values())))
