"""Exceptions that a program raises: made on the host, of their class and run-time arguments.

    raise OutOfRange(f"step {n}", x)    ->    OutOfRange("step 7", 2.5)

A class of Python is called with what Python would pass, when the check has failed. So its type,
`args` and attributes are Python's. A constructor that is written in Python is compiled: it runs
where the exception is made, and the instance on the host has the attributes that it set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, NoReturn

from myia.infer.boundary.recipes import TO_PYTHON, Recipe
from myia.infer.boundary.results import HostArguments
from myia.infer.domain.checks import Check, MakeException
from myia.infer.domain.context import Context
from myia.infer.domain.errors import CertainError, RaiseReached, Raises
from myia.infer.domain.values import (
    NONE,
    UNDEFINED,
    Abstract,
    Caught,
    NewException,
    Outside,
    Scalar,
    Static,
    Text,
    is_none,
)
from myia.infer.numeric.samples import NoSample, sample
from myia.infer.paths.caught import (
    class_of,
    given,
    holds_values,
    is_made_by_python,
    keep,
    new_instance,
    on_each_instance,
    option_of,
)
from myia.infer.paths.raised import already_raised
from myia.infer.unsupported import UnsupportedException
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.source.diagnostics import InternalError, MyiaError
from myia.source.hidden import Hidden


def raise_error(ctx: Context, exception: Abstract, cause: Abstract | None = None) -> NoReturn:
    """`raise`: the call raises it, if the program comes here."""
    if isinstance(exception, Caught):
        raise_again(ctx, exception)
    exception = _made(ctx, exception)
    on_each_instance(ctx, exception, lambda x: _raise(ctx, x, cause))
    raise InternalError("an exception was lost")


def _raise(ctx: Context, exception: Abstract, cause: Abstract | None) -> NoReturn:
    cause = None if cause is None else _made(ctx, cause)
    check = given(ctx, raised(ctx, exception, cause), exception)
    raise RaiseReached(Raises(current_span(), check.message), check)


def new_exception(
    ctx: Context, cls: type[BaseException], args: Sequence[Abstract], kwargs: dict[str, Abstract]
) -> NewException:
    """`cls(*args, **kwargs)`, or what it raises: Python's do, of arguments of some types."""
    found = NewException(cls, (*args, *kwargs.values()), tuple(kwargs))
    if not is_made_by_python(cls):
        return _constructed(ctx, found, args, kwargs)
    try:
        named = {name: sample(ctx, x) for name, x in kwargs.items()}
        made = cls(*(sample(ctx, x) for x in args), **named)
    except NoSample:
        return found
    except Exception as error:
        raise_error(ctx, NewException(type(error), tuple(map(Static, error.args))))
    if cls is OSError and len(args) > 1 and not isinstance(args[0], Static):
        help_text = "raise `FileNotFoundError` or another of its classes by name"
        what = "an OSError whose number, which decides its class, is known at run time"
        ctx.fail(UnsupportedException, what=what, help_text=help_text)
    return replace(found, cls=type(made))


def _constructed(
    ctx: Context, x: NewException, args: Sequence[Abstract], kwargs: dict[str, Abstract]
) -> NewException:
    """`x` of a class whose constructor is written in Python, which runs here.

    One that is not supported runs where the exception is raised, if that ends the program.
    """
    heap, mark = ctx.heap.copy(), ctx.mark()
    try:
        if isinstance(x.cls.__new__, FunctionType):
            ctx.fail(UnsupportedException, what=f"the `__new__` of {x.cls.__name__}")
        return NewException(x.cls, (), made=(new_instance(ctx, x.cls, args, kwargs),))
    except MyiaError as error:
        if isinstance(error, CertainError) or not all(t.is_final for t in ctx.handlers.stack):
            raise
        ctx.rewind(heap, mark)
        return x


def raise_with_numbers(
    ctx: Context, exception: type[Exception], template: str, *numbers: Value
) -> NoReturn:
    """Raise the error, whose message has run-time integers in it."""
    raise_error(ctx, with_numbers(exception, template, numbers))


def with_numbers(
    exception: type[Exception], template: str, numbers: Sequence[Value]
) -> NewException:
    """An exception whose message has run-time integers in it."""
    return NewException(exception, (Text(template, tuple(Scalar(x, weak=True) for x in numbers)),))


def raise_again(ctx: Context, x: Caught) -> NoReturn:
    """`raise` of an exception that a handler has caught."""

    def again(option: Abstract) -> Abstract:
        if isinstance(option, NewException) and option.made:
            raise_error(ctx, option)  # with the attributes that it has now
        keep(ctx, option)
        return NONE

    if any(map(holds_values, x.options)):
        option_of(ctx, x, again)
    ctx.merge_error_code(x.code.value)
    for number in (n for numbers in x.codes for n in numbers):
        ctx.checks.append(replace(ctx.checks[number - 1], values=(), again=number, is_caught=False))
    already_raised(ctx)


def raised(ctx: Context, x: Abstract, cause: Abstract | None = None) -> Check:
    """The exception that `raise x from cause` raises, as a check has it."""
    # One made outside is raised as it is, with what it holds then.
    if isinstance(x, (Static, Outside)) and isinstance(x.value, BaseException) and cause is None:
        error = x.value
        return Check(type(error), _text(error), make=lambda numbers: error)
    outputs = HostArguments(ctx, {})
    recipe = _recipe(ctx, x, outputs)
    because = None if cause is None else _cause_recipe(ctx, cause, outputs)
    kinds = tuple(outputs.kinds)

    def make(numbers: Sequence[Any]) -> BaseException:
        numbers = [
            n if isinstance(n, Hidden) else TO_PYTHON[kind](n) for n, kind in zip(numbers, kinds)
        ]
        made = recipe(numbers, ())
        if because is not None:
            made.__cause__ = because(numbers, ())
        return made

    cls = class_of(x)
    return Check(cls, _message(cls, make, len(kinds)), current_span(), tuple(outputs.values), make)


def _made(ctx: Context, x: Abstract) -> Abstract:
    """`raise ValueError` is `raise ValueError()`."""
    if isinstance(x, Static) and isinstance(x.value, type) and issubclass(x.value, BaseException):
        return new_exception(ctx, x.value, (), {})
    return x


def _recipe(ctx: Context, x: Abstract, outputs: HostArguments) -> Recipe:
    """How an exception is made of run-time numbers."""
    if isinstance(x, (Static, Outside)) and isinstance(x.value, BaseException):
        error = x.value
        return lambda numbers, objects: error
    if not isinstance(x, NewException):
        ctx.fail(UnsupportedException, what=f"`raise` of {ctx.describe(x)}")
    return outputs.recipe(x)


def _cause_recipe(ctx: Context, x: Abstract, outputs: HostArguments) -> Recipe:
    """The same of what stands behind `from`."""
    if is_none(x):
        return lambda numbers, objects: None
    if not isinstance(x, Caught):
        return _recipe(ctx, x, outputs)
    if any(UNDEFINED in option.children() for option in x.options):
        help_text = "raise it alone, or write a handler for each class"
        ctx.fail(UnsupportedException, what="`raise ... from` this exception", help_text=help_text)
    code, options = outputs.recipe(x.code), [_recipe(ctx, o, outputs) for o in x.options]
    numbers_of = x.codes

    def make(numbers: Sequence[Any], objects: Sequence[Any]) -> BaseException | None:
        found = code(numbers, objects)
        chosen = [o for o, codes in zip(options, numbers_of) if found in codes]
        return chosen[0](numbers, objects) if chosen else None

    return make if len(options) > 1 else options[0]


def _message(cls: type[BaseException], make: MakeException, count: int) -> str:
    """The text of the exception, for the IR and for diagnostics."""
    try:
        return _text(make([Hidden()] * count))
    except Exception:  # its class does not take what stands for the numbers
        return cls.__name__


def _text(error: BaseException) -> str:
    only = error.args[0] if len(error.args) == 1 else None
    return only if isinstance(only, str) else str(error)
