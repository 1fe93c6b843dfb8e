"""`with`, `import` and patterns, which the frontend desugars (`primitives/core/desugared.py`)."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from myia.infer.boundary import inner_classes
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType, BadValue, CertainError
from myia.infer.domain.facts import ClassAttribute
from myia.infer.domain.heap import CellObject, DictObject, InstanceObject
from myia.infer.domain.values import (
    FALSE,
    NONE,
    TRUE,
    Abstract,
    Caught,
    Closure,
    Method,
    Outside,
    PyFunction,
    Ref,
    Static,
    Tuple,
    may_be_none,
)
from myia.infer.indexing import indexing
from myia.infer.numeric.constant_methods import python_result
from myia.infer.parameters import keeps_none
from myia.infer.paths.caught import class_of_caught, option_of
from myia.infer.paths.choice import is_split
from myia.infer.questions import Imported
from myia.infer.registry import as_is, function
from myia.infer.unsupported import UnsupportedAttribute, UnsupportedContext
from myia.ir.code import Code
from myia.ir.core import Region, walk
from myia.library.python.objects import class_of
from myia.primitives.core import desugared, py

HOST = "enter it around the call of the compiled function"

# ----- Contexts


@function(desugared.enter, dynamic=as_is)
def _enter(ctx: Context, context: Abstract) -> Abstract:
    entered, _ = (_method(ctx, context, name) for name in ("__enter__", "__exit__"))
    return ctx.call(entered, (), {})


@function(desugared.leave, dynamic=as_is)
def _leave(ctx: Context, context: Abstract) -> Abstract:
    return ctx.call(_method(ctx, context, "__exit__"), (NONE, NONE, NONE), {})


@function(desugared.caught_by, dynamic=as_is)
def _caught_by(ctx: Context, context: Abstract) -> Abstract:
    if class_of(ctx, context) is contextlib.suppress:
        return ctx.getattr(context, "_exceptions")
    sees = _sees_exceptions(ctx, _method(ctx, context, "__exit__"))
    return Tuple((Static(BaseException),) if sees else ())


def _sees_exceptions(ctx: Context, left: Abstract) -> bool:
    """May `__exit__` catch an exception, or do something with one that is caught around it?"""
    code = _code(ctx, left)
    if code is None or _result_counts(code.region):
        return code is not None
    exception = code.region.args[len(code.captured) + 1 :]
    reads = (x for op in walk(code.region) for x in op.operands)
    return bool(ctx.handlers.stack) and any(x in exception for x in reads)


def _may_catch(ctx: Context, context: Abstract) -> bool:
    if class_of(ctx, context) is contextlib.suppress:
        return True
    code = _code(ctx, _method(ctx, context, "__exit__"))
    return code is not None and _result_counts(code.region)


def _code(ctx: Context, left: Abstract) -> Any:
    """The code of `__exit__`, if that is not one of NumPy's or the like."""
    if not isinstance(left, Method) or not hasattr(left.function, "__code__"):
        return None
    closure = inner_classes.closure_of(ctx, left.function)
    return closure.code if isinstance(closure, Closure) else ctx.load(left.function)


def _result_counts(region: Region) -> bool:
    """May `__exit__` return something true: that it has caught the exception?"""
    (result,) = region.yields
    made = next((op for op in region.ops if result in op.results), None)
    return made is None or made.primitive is not py.const or bool(made.params["value"])


@function(desugared.catches_nothing, dynamic=as_is)
def _catches_nothing(ctx: Context, context: Abstract) -> Abstract:
    if _may_catch(ctx, context):
        cls = class_of(ctx, context)
        name = "a context function" if cls is _Catching else f"`{cls.__name__}`"
        what = f"{name}, which may catch an exception, around a `yield`"
        ctx.fail(UnsupportedContext, what=what, help_text="enter it around the `with`")
    return NONE


@function(desugared.exit_with, dynamic=as_is)
def _exit_with(ctx: Context, context: Abstract, error: Abstract) -> Abstract:
    if class_of(ctx, context) is contextlib.suppress:
        return TRUE
    left = _method(ctx, context, "__exit__")

    def leave(option: Abstract) -> Abstract:
        return ctx.call(left, (Static(class_of_caught(ctx, option)), option, NONE), {})

    return option_of(ctx, error, leave) if isinstance(error, Caught) else leave(error)


def _method(ctx: Context, context: Abstract, name: str) -> Abstract:
    found = ctx.special_method(context, name)
    if found is not None:
        return found
    cls = class_of(ctx, context)
    if isinstance(context, (Static, Outside)) and hasattr(cls, name):
        ctx.fail(UnsupportedContext, what=f"the context `{cls.__name__}`", help_text=HOST)
    message = f"{cls.__name__!r} object does not support the context manager protocol"
    ctx.fail(BadType, message=message)


class _Cut:
    """The context of a function under `contextmanager`, which the frontend has cut in two."""

    def __init__(self, function: Callable, args: tuple, options: dict):
        self.function, self.args, self.options = function, args, options

    def __enter__(self) -> Any:
        value, self.leave, self.raised = self.function(*self.args, **self.options)
        return value

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            self.leave()
        else:
            self.raised(error)

    def __call__(self, f: Callable) -> Callable:
        """As a decorator: each call of `f` is in a context of its own."""
        cls, function, options = type(self), self.function, self.options
        of = self.args

        def decorated(*args: Any, **named: Any) -> Any:
            with cls(function, of, options):
                return f(*args, **named)

        return decorated


class _Catching(_Cut):
    """One that may catch an exception."""

    def __exit__(self, kind: Any, error: Any, trace: Any) -> Any:
        if kind is None:
            self.leave()
            return False
        return self.raised(error)


@function(contextlib._GeneratorContextManager)
def _context(ctx: Context, f: Abstract, args: Abstract, options: Abstract) -> Abstract:
    ops = walk(_code_of_function(ctx, f).region)
    made = [op.params["code"].name for op in ops if op.primitive is py.function]
    cls = _Catching if desugared.CAUGHT in made else _Cut
    return ctx.call(Static(cls), (f, args, options), {})


def _code_of_function(ctx: Context, f: Abstract) -> Code:
    if isinstance(f, Closure):
        return f.code
    function = f.function if isinstance(f, PyFunction) else ctx.static(f, "the function")
    closure = inner_classes.closure_of(ctx, function)
    return closure.code if isinstance(closure, Closure) else ctx.load(function)


@function(warnings.catch_warnings)
def _catch_warnings(ctx: Context, *, record: Abstract = FALSE) -> Abstract:
    """Compiled code does not warn: there is nothing to catch."""
    if ctx.static(record, "`record` of `catch_warnings`"):
        ctx.fail(UnsupportedContext, what="`warnings.catch_warnings(record=True)`")
    return _nothing(ctx)


@function(warnings.simplefilter, warnings.filterwarnings)
def _filter(ctx: Context, action: Abstract, *rest: Abstract, **options: Abstract) -> Abstract:
    if (wanted := ctx.static(action, "a filter of warnings")) == "error":
        ctx.fail(UnsupportedContext, what=f"the filter {wanted!r}", help_text=HOST)
    return NONE


class _ErrorState:
    """`np.errstate(...)`. `raised`, `other`: the errors that it makes raise, and not raise."""

    def __init__(self, raised: frozenset, other: frozenset):
        self.raised, self.other = raised, other

    def __enter__(self) -> None:
        self.before = with_raising(self.raised, self.other)

    def __exit__(self, *exception: Any) -> None:
        restored(self.before)

    def __call__(self, function: Callable) -> Callable:
        def under(*args: Any, **options: Any) -> Any:
            with _ErrorState(self.raised, self.other):
                return function(*args, **options)

        return under


ALL_ERRORS = frozenset({"divide", "over", "under", "invalid"})


def with_raising(raised: frozenset, other: frozenset) -> frozenset:
    """From here on `raised` raise, `other` do not; the state before."""
    return raised - other


@function(with_raising)
def _with_raising(ctx: Context, raised: Abstract, other: Abstract) -> Abstract:
    before = ctx.raising
    new, silent = (ctx.static(x, "errors") for x in (raised, other))
    ctx.write(Ref(ctx.raising_id), CellObject(Static((before - silent) | new)))
    return Static(before)


def restored(raised: frozenset) -> None:
    """From here on these errors raise, and no others."""


@function(restored)
def _restored(ctx: Context, raised: Abstract) -> Abstract:
    ctx.write(Ref(ctx.raising_id), CellObject(raised))
    return NONE


@function(np.errstate)
def _errstate(ctx: Context, **modes: Abstract) -> Abstract:
    """Compiled code does not warn: where nothing raises, there is nothing to do."""
    wanted: dict[str, Any] = {}
    for name, mode in modes.items():
        wanted[name] = ctx.static(mode, f"`{name}` of `np.errstate`")
        if name == "call" and wanted.pop(name) is None:
            continue
        if name == "call" or wanted[name] not in (None, "ignore", "warn", "raise"):
            what = f"`np.errstate({name}={wanted.get(name)!r})`"
            ctx.fail(
                UnsupportedContext, what=what, help_text='use `"raise"`, `"ignore"` or `"warn"`'
            )
    of_all = wanted.pop("all", None)
    for name in ALL_ERRORS:
        wanted[name] = of_all if wanted.get(name) is None else wanted[name]
    raised = frozenset(name for name, mode in wanted.items() if mode == "raise")
    other = frozenset(name for name, mode in wanted.items() if mode not in (None, "raise"))
    return ctx.call(Static(_ErrorState), (Static(raised), Static(other)), {})


def _nothing(ctx: Context) -> Abstract:
    return ctx.new(InstanceObject(contextlib.nullcontext, ("enter_result",), (NONE,)))


# ----- Imports


@function(desugared.import_module)
def _import_module(ctx: Context, name: Abstract, top: Abstract = Static(False)) -> Abstract:
    module: Any = ctx.static(name, "the name of a module")
    found = ctx.fact(Imported(sys, module))
    package = module.partition(".")[0]
    if ctx.static(top, "an import") and package != module:
        found = ctx.fact(Imported(sys, package))
    return Static(found)


@function(desugared.import_from)
def _import_from(ctx: Context, module: Abstract, name: Abstract) -> Abstract:
    owner: Any = ctx.static(module, "the name of a module")
    wanted: Any = ctx.static(name, "the name of an import")
    try:
        desugared.import_from(owner, wanted)
    except ImportError as error:
        ctx.fail(BadValue, message=str(error), exception=type(error).__name__)
    return ctx.getattr(Static(ctx.fact(Imported(sys, owner))), wanted)


# ----- Patterns: sequences and mappings


@function(desugared.is_sequence, dynamic=as_is)
@keeps_none
def _is_sequence(ctx: Context, x: Abstract) -> Abstract:
    return _is_one(ctx, x, desugared.SEQUENCES, desugared.SEQUENCE, "a sequence pattern")


@function(desugared.is_mapping, dynamic=as_is)
@keeps_none
def _is_mapping(ctx: Context, x: Abstract) -> Abstract:
    return _is_one(ctx, x, (dict,), desugared.MAPPING, "a mapping pattern")


def _is_one(
    ctx: Context, x: Abstract, classes: tuple[type, ...], flag: int, pattern: str
) -> Abstract:
    """Is it of one of `classes`? Other classes with the flag, such as the user's, are refused."""
    found = ctx.call(Static(isinstance), (x, Tuple(tuple(map(Static, classes)))), {})
    value = x.value if may_be_none(x) else x
    if not is_split(value) and not isinstance(value, Caught):
        cls = class_of(ctx, value)
        if cls.__flags__ & flag and not issubclass(cls, classes):
            what = f"an object of the class `{cls.__name__}` in {pattern}"
            convert = "list" if flag == desugared.SEQUENCE else "dict"
            ctx.fail(UnsupportedAttribute, what=what, help_text=f"match `{convert}(...)` of it")
    return found


@function(desugared.middle, dynamic=as_is)
def _middle(ctx: Context, sequence: Abstract, start: Abstract, stop: Abstract) -> Abstract:
    if not issubclass(class_of(ctx, sequence), (list, tuple)):  # a deque has no parts
        sequence = ctx.call(Static(list), (sequence,), {})
    part = indexing.getitem(ctx, sequence, ctx.call(Static(slice), (start, stop), {}))
    return ctx.call(Static(list), (part,), {})


@function(desugared.items_without, dynamic=as_is)
def _items_without(ctx: Context, mapping: Abstract, keys: Abstract) -> Abstract:
    contents = ctx.contents_as(mapping, DictObject)
    named = [ctx.static(key, "a key of a pattern") for key in ctx.list_items(keys)]
    left = {k: v for k, v in zip(contents.keys, contents.values) if k not in named}
    return ctx.new(DictObject(tuple(left), tuple(left.values())))


# ----- Patterns: classes

MISSING = object()


@function(desugared.class_parts, dynamic=as_is)
def _class_parts(
    ctx: Context, x: Abstract, cls: Abstract, count: Abstract, *names: Abstract
) -> Abstract:
    given = ctx.static(cls, "the class of a pattern")
    number = ctx.static(count, "a number of patterns")
    named = tuple(ctx.static(name, "an attribute of a pattern") for name in names)
    if number:
        ctx.fact(ClassAttribute(given, "__match_args__"))
    positional = python_result(ctx, desugared.positional_names, given, number, named)
    parts = [x] if positional is None else []
    for name in (*(positional or ()), *named):
        try:
            part = ctx.call(Static(getattr), (x, Static(name), Static(MISSING)), {})
        except CertainError as error:
            if not issubclass(error.exception, AttributeError):
                raise
            return NONE
        if isinstance(part, Static) and part.value is MISSING:
            return NONE
        parts.append(part)
    return Tuple(tuple(parts))
