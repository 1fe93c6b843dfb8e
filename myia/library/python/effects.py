"""What a program does beside computing: prints, logs, warnings, clocks, progress bars.

    logger.info("step %d: %g", n, loss)     the logger is called when the program comes here
    t = time.perf_counter()                 a number that does not depend on anything

Effects happen in program order, each once for each time that Python would come there: in the
forward sweep of a derivative, not where it recomputes. After a failed run-time check none happens.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from myia.infer.boundary.host_calls import Results, emit_host_call, structure_of
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_of_numbers
from myia.infer.domain.errors import BadType
from myia.infer.domain.facts import Answer
from myia.infer.domain.values import (
    NONE,
    Abstract,
    Caught,
    Choice,
    NewException,
    Outside,
    Static,
    Text,
    is_none,
    may_be_none,
)
from myia.infer.numeric.f_strings import escaped, printed, values_of
from myia.infer.numeric.samples import has, type_of
from myia.infer.parameters import keeps_none
from myia.infer.paths.branches import branch_options, on_each, with_none, with_none_inside
from myia.infer.paths.caught import option_of, text
from myia.infer.registry import FUNCTIONS, as_is, function, when_imported
from myia.infer.unsupported import UnsupportedText
from myia.ir.builder import Builder, current_builder, current_span, emit
from myia.ir.core import Region, has_effect
from myia.library.source import progress_bar
from myia.library.source.progress_bar import ProgressBar, Shown
from myia.primitives.core.define import constant
from myia.primitives.core.effects import debug_print
from myia.primitives.core.py import Code
from myia.primitives.core.structured import if_p
from myia.primitives.pointwise import logic

NOTHING, FLOAT, INT = (Results(structure_of(like)) for like in (None, 0.0, 0))

# ----- Printing


@function(print)
@keeps_none
def _print(ctx: Context, *args: Abstract, **options: Abstract) -> Abstract:
    """Run-time values are printed when the program runs, with `str`."""
    sep, end = (_option(ctx, options.pop(name, NONE), name) for name in ("sep", "end"))
    if any(name != "flush" for name in options):
        ctx.fail(UnsupportedText, what="`print` to a file")
    show = lambda xs: _as_texts(ctx, xs, lambda xs: _print_line(ctx, xs, sep, end))  # noqa: E731
    return with_none_inside(ctx, args, show)


Use = Callable[[Sequence[Abstract]], Abstract]


def _as_texts(ctx: Context, xs: Sequence[Abstract], use: Use) -> Abstract:
    """`use(xs)`, where exceptions are their messages, and of constants one is chosen."""

    def said(xs: Sequence[Abstract]) -> Abstract:
        texts = [text(ctx, x) if isinstance(x, NewException) else x for x in xs]
        return _on_options(ctx, texts, use)

    return _on_options(ctx, xs, said)


def _on_options(ctx: Context, xs: Sequence[Abstract], use: Use) -> Abstract:
    """`use(xs)`, where of caught exceptions and of constants one is chosen."""
    if any(map(may_be_none, xs)):
        return with_none(ctx, xs, lambda xs: _on_options(ctx, xs, use))
    for i, x in enumerate(xs):
        chosen = partial(_with_item, ctx, xs, i, use)
        if isinstance(x, Caught):
            return option_of(ctx, x, chosen)
        if isinstance(x, Choice):
            return branch_options(ctx, x, chosen)
        if isinstance(x, Text) and any(map(is_of_numbers, x.items)):
            return on_each(ctx, x.items, partial(_with_numbers, x, chosen))
    return use(xs)


def _with_numbers(
    x: Text, use: Callable[[Abstract], Abstract], items: Sequence[Abstract]
) -> Abstract:
    return use(x.rebuild(tuple(items)))


def _with_item(
    ctx: Context, xs: Sequence[Abstract], i: int, use: Use, option: Abstract
) -> Abstract:
    return _on_options(ctx, [*xs[:i], option, *xs[i + 1 :]], use)


def _print_line(
    ctx: Context, args: Sequence[Abstract], sep: str | None, end: str | None
) -> Abstract:
    found: list[tuple[str, list[Abstract]]] = []
    for x in args:
        start = len(current_builder().ops)
        found.append(printed(ctx, x, "s"))
        if len(found) > 1 and any(map(has_effect, current_builder().ops[start:])):
            ctx.fail(UnsupportedText, what="`print` of several objects of which a later one prints")
    items = [x for _, xs in found for x in xs]
    template = (" " if sep is None else escaped(sep)).join(text for text, _ in found)
    values, code = values_of(ctx, items), ctx.whole_error_code()

    def show() -> None:
        debug_print(template, *values, end="\n" if end is None else end)

    if code is None:
        show()
        return NONE
    with Builder() as builder:
        show()
    regions = [Region((), tuple(builder.ops), ()), Region((), (), ())]
    emit(if_p, logic.eq(code, constant(0, code.dtype)), regions=regions)
    return NONE


def _option(ctx: Context, x: Abstract, name: str) -> str | None:
    """An option of `print`, which is a string or None."""
    value = ctx.static(x, f"`{name}` of `print`")
    if not isinstance(value, (str, type(None))):
        ctx.fail(BadType, message=f"{name} must be None or a string, not {type(value).__name__}")
    return value


# ----- The line that logs and warns


class Line(NamedTuple):
    """A line of the user, with its function."""

    file: str
    number: int
    code: Code


def _line(ctx: Context, level: Abstract) -> Line:
    """The present line; with a level, that of the call around it, as far as calls are compiled."""
    steps: int = ctx.int_of(level, "`stacklevel`")
    spans = [ctx.path[i - 1] for i, x in enumerate(ctx.path) if isinstance(x, Code)]
    lines = [*zip(spans[1:], ctx.frames), (current_span(), ctx.frames[-1])]
    span, frame = lines[max(len(lines) - max(steps, 1), 0)]
    return Line(span.file.name, span.line, frame.code)


# ----- Logging


def _log(
    ctx: Context,
    logger: Abstract,
    level: Abstract,
    message: Abstract,
    *args: Abstract,
    **options: Abstract,
) -> Abstract:
    """A record, if the level is enabled when the call begins; else nothing is left of it."""
    to = _logger(ctx, logger)
    at: int = ctx.int_of(level, "the level of a log")
    line = _line(ctx, options.pop("stacklevel", Static(1)))
    extra = options.pop("extra", NONE)
    if not all(is_none(x) or x == Static(False) for x in options.values()):
        what = f"`{min(options)}` of a log"
        ctx.fail(UnsupportedText, what=what, help_text="put what it would say into the message")
    if not ctx.fact(Answer(logging.Logger.isEnabledFor, to, at)):
        return NONE

    def log(message: Any, extra: Any, *args: Any) -> None:
        if to.isEnabledFor(at):
            name = line.code.name
            given = (to.name, at, line.file, line.number, message, args, None, name, extra)
            to.handle(to.makeRecord(*given))

    return _on_options(
        ctx,
        (message, *args),
        lambda xs: emit_host_call(ctx, log, "log", NOTHING, (xs[0], extra, *xs[1:]), {}),
    )


def _logger(ctx: Context, x: Abstract) -> logging.Logger:
    if not isinstance(x, (Static, Outside)) or not isinstance(x.value, logging.Logger):
        ctx.fail(BadType, message=f"{ctx.describe(x)} is not a logger")
    return x.value


def _log_at(level: int) -> Callable[..., Abstract]:
    return lambda ctx, logger, msg, *args, **options: _log(
        ctx, logger, Static(level), msg, *args, **options
    )


def _log_by_root(level: int) -> Callable[..., Abstract]:
    return lambda ctx, msg, *args, **options: _log(
        ctx, _root(ctx), Static(level), msg, *args, **options
    )


def _root(ctx: Context) -> Abstract:
    """The root logger, which has a handler if the first message finds none."""
    if not ctx.fact(Answer(logging.Logger.hasHandlers, logging.root)):
        emit_host_call(ctx, _basic_config, "basicConfig", NOTHING, (), {})
    return Static(logging.root)


def _basic_config() -> None:
    if not logging.root.handlers:
        logging.basicConfig()


for _name in ("debug", "info", "warning", "error", "critical"):
    _level = getattr(logging, _name.upper())
    function(getattr(logging.Logger, _name), dynamic=as_is)(keeps_none(_log_at(_level)))
    function(getattr(logging, _name), dynamic=as_is)(keeps_none(_log_by_root(_level)))

function(logging.Logger.log, dynamic=as_is)(keeps_none(_log))


@function(logging.log, dynamic=as_is)
@keeps_none
def _log_by_root_at(ctx: Context, level: Abstract, msg: Abstract, *args: Abstract) -> Abstract:
    return _log(ctx, _root(ctx), level, msg, *args)


@function(logging.Logger.isEnabledFor)
def _is_enabled(ctx: Context, logger: Abstract, level: Abstract) -> Abstract:
    at = ctx.int_of(level, "the level of a log")
    return Static(ctx.fact(Answer(logging.Logger.isEnabledFor, _logger(ctx, logger), at)))


@function(logging.getLogger)
def _get_logger(ctx: Context, name: Abstract = NONE) -> Abstract:
    return Outside(logging.getLogger(ctx.static(name, "the name of a logger")))


# ----- Warnings


@function(warnings.warn)
@keeps_none
def _warn(
    ctx: Context,
    message: Abstract,
    category: Abstract = NONE,
    stacklevel: Abstract = Static(1),
    source: Abstract = NONE,
) -> Abstract:
    """A warning at the user's line, once or each time, as the filters of that moment say."""
    line = _line(ctx, stacklevel)
    cls: Any = ctx.static(category, "the category of a warning") or UserWarning
    said = message
    if isinstance(message, NewException):
        cls, names = message.cls, message.names
        if names or len(message.arguments) != 1:
            ctx.fail(UnsupportedText, what="a warning that is not made of one text")
        (said,) = message.arguments
    if not (isinstance(cls, type) and issubclass(cls, Warning)):
        ctx.fail(BadType, message=f"category must be a Warning subclass, not {cls!r}")

    def warn(text: Any) -> None:
        namespace: Any = line.code.namespace.globals
        module = namespace.get("__name__", "<string>")
        shown = namespace.setdefault("__warningregistry__", {})
        warnings.warn_explicit(text, cls, line.file, line.number, module, shown)

    return _as_texts(
        ctx, (said,), lambda xs: emit_host_call(ctx, warn, "warn", NOTHING, tuple(xs), {})
    )


# ----- Clocks

CLOCKS = (time.time, time.perf_counter, time.monotonic, time.process_time)
WHOLE_CLOCKS = (time.time_ns, time.perf_counter_ns, time.monotonic_ns, time.process_time_ns)


def _clock(f: Callable[[], Any], results: Results) -> Callable[..., Abstract]:
    return lambda ctx: emit_host_call(ctx, f, f.__name__, results, (), {})


for _f in CLOCKS:
    function(_f)(_clock(_f, FLOAT))
for _f in WHOLE_CLOCKS:
    function(_f)(_clock(_f, INT))


@function(time.sleep)
def _sleep(ctx: Context, seconds: Abstract) -> Abstract:
    return emit_host_call(ctx, time.sleep, "sleep", NOTHING, (seconds,), {})


# ----- Progress bars


@when_imported("tqdm")
@when_imported("tqdm.auto")
@when_imported("tqdm.notebook")
def _register_bars(module: Any) -> None:
    cls = module.tqdm

    def bar(ctx: Context, iterable: Abstract = NONE, **options: Abstract) -> Abstract:
        return _bar(ctx, cls, iterable, options)

    FUNCTIONS.setdefault(cls, bar)


def _bar(ctx: Context, cls: Any, iterable: Abstract, options: dict[str, Abstract]) -> Abstract:
    """`tqdm(iterable)`: the place of the bar is part of the program, the bar itself is not."""
    place = ctx.shown_at.setdefault((cls, ctx.path, current_span()), Static(Shown(cls)))
    total = options.pop("total", NONE)
    kind = type_of(ctx, iterable)
    if is_none(total) and not is_none(iterable) and kind is not None and has(kind, "__len__"):
        total = ctx.length(iterable)
    emit_host_call(ctx, place.value.start, "tqdm", NOTHING, (total,), options)
    return ctx.call(Static(ProgressBar), (iterable, place), {})


@function(progress_bar.shown)
def _shown(ctx: Context, place: Abstract, *args: Abstract, **options: Abstract) -> Abstract:
    call = ctx.static(place, "a progress bar").call
    return emit_host_call(ctx, call, "tqdm", NOTHING, args, options)
