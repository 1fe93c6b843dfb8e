"""Exceptions as their handlers see them: raised again, with arguments and attributes.

    raise Bad("x", n)          the cell of the `try` holds Bad("x", n)
    ...
    except Bad as e:           e: what the cell holds, if the error code is that of the `raise`
        return e.args[1]

Where the exception holds run-time values, a cell of the `try` carries them to the handler, as a
variable. There is one for each *form* of exceptions: class, strings, kinds of arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial, reduce
from types import FunctionType
from typing import Any

import numpy as np

from myia.infer.domain.checks import Check, Given, Try
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number
from myia.infer.domain.facts import ClassAttribute
from myia.infer.domain.heap import CellObject, InstanceObject
from myia.infer.domain.values import (
    NONE,
    UNDEFINED,
    Abstract,
    Caught,
    Choice,
    NewException,
    Optional,
    Outside,
    Ref,
    Scalar,
    Static,
    Tuple,
    is_none,
)
from myia.infer.numeric.f_strings import format_parts
from myia.infer.paths.branches import branch, branch_options, on_each
from myia.infer.unsupported import UnsupportedException
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.source.hidden import HIDDEN


class NewForm(Exception):
    """A `try` needs a cell for exceptions of another form: its body is inferred again."""

    def __init__(self, of: Try, form: Any):
        super().__init__()
        self.of, self.form = of, form


def given(ctx: Context, check: Check, exception: Abstract) -> Check:
    """`check`, of a `raise`, with what its handler sees."""
    keep(ctx, exception)
    return replace(check, given=Given(exception))


def keep(ctx: Context, exception: Abstract) -> None:
    """Put an exception with run-time values into the cell of the `try` that catches it."""
    catcher = ctx.handlers.catcher(class_of(exception))
    if catcher is None or (form := _form(exception)) is None:
        return
    if form not in catcher.cells:
        raise NewForm(catcher, form)
    ctx.heap.write(catcher.cells[form], CellObject(exception), current_span())


def class_of(exception: Abstract) -> type[BaseException]:
    if isinstance(exception, NewException):
        return exception.cls
    assert isinstance(exception, (Static, Outside))
    return type(exception.value)


def is_made_by_python(cls: type) -> bool:
    """No constructor of the class is written in Python."""
    return not any(isinstance(getattr(cls, name), FunctionType) for name in ("__new__", "__init__"))


def _form(exception: Abstract) -> Any:
    """None: it holds no run-time values."""
    if not (isinstance(exception, NewException) and holds_values(exception)):
        return None
    forms = map(_form_of_argument, exception.arguments)
    return (exception.cls, exception.names, len(exception.made), *forms)


def _form_of_argument(x: Abstract) -> Any:
    if is_number(x):
        return "number"
    if isinstance(x, Static):
        return x.value if isinstance(x.value, str) else type(x.value)
    return f"{x.key()}"


def holds_values(x: Abstract) -> bool:
    """Does an exception hold run-time values?"""
    return isinstance(x, (Scalar, Ref)) or any(map(holds_values, x.children()))


# ----- In the handler


def caught(ctx: Context, of: Try, code: Value, numbers: Sequence[int]) -> Caught:
    """The exception of a handler for the checks of these numbers."""
    options: dict[Any, Abstract] = {}
    codes: dict[Any, list[int]] = {}
    for number in numbers:
        check = ctx.checks[number - 1]
        key, exception = _as_caught(ctx, of, check)
        options.setdefault(key, exception)
        codes.setdefault(key, []).append(number)
    found = Scalar(code, weak=True)
    return Caught(found, tuple(options.values()), tuple(tuple(codes[key]) for key in options))


def _as_caught(ctx: Context, of: Try, check: Check) -> tuple[Any, Abstract]:
    """The exception of a check, and what tells it from those of other checks."""
    if check.given is None:
        message = UNDEFINED if HIDDEN in check.message else Static(check.message)
        arguments = (message,) if check.message else ()
        return (check.exception, check.message), NewException(check.exception, arguments)
    exception, form = check.given.exception, _form(check.given.exception)
    if form in of.cells:
        content = ctx.contents_as(Ref(of.cells[form]), CellObject).content
        return form, content.value if isinstance(content, Optional) else content
    return id(check.given.exception), exception


def has_code(code: Value, numbers: Iterable[int]) -> Value:
    """Is the error code one of these?"""
    ranges: list[list[int]] = []
    for n in sorted(set(numbers)):
        if ranges and ranges[-1][1] == n - 1:
            ranges[-1][1] = n
        else:
            ranges.append([n, n])
    return reduce(logic.or_, [_within(code, *ends) for ends in ranges])


def _within(code: Value, first: int, last: int) -> Value:
    if first == last:
        return logic.eq(code, constant(first, np.int32))
    above = logic.ge(code, constant(first, np.int32))
    return logic.and_(above, logic.le(code, constant(last, np.int32)))


def option_of(
    ctx: Context, x: Caught, use: Callable[[Abstract], Abstract], at: int = 0
) -> Abstract:
    """`use` of the exception that was caught."""
    if at == len(x.options) - 1:
        return on_each_instance(ctx, x.options[at], use)
    test = Scalar(has_code(x.code.value, x.codes[at]), weak=True)
    this = partial(on_each_instance, ctx, x.options[at], use)
    return branch(ctx, test, this, lambda: option_of(ctx, x, use, at + 1))


def on_each_instance(ctx: Context, x: Abstract, use: Callable[[Abstract], Abstract]) -> Abstract:
    """`use` of an exception whose instance may be one of several."""
    if not (isinstance(x, NewException) and x.made and isinstance(x.made[0], Choice)):
        return use(x)

    def of(made: Abstract) -> Abstract:
        assert isinstance(made, Ref)
        return use(replace(x, made=(made,)))

    return branch_options(ctx, x.made[0], of)


# ----- What a handler asks


def attribute(ctx: Context, x: Abstract, name: str) -> Abstract:
    """`x.name` of an exception."""
    if isinstance(x, Caught):
        return option_of(ctx, x, lambda option: attribute(ctx, option, name))
    if not isinstance(x, NewException):
        return ctx.getattr(x, name)
    instance = instance_of(ctx, x)
    contents = ctx.contents_as(instance, InstanceObject)
    own = dict(zip(contents.names, contents.values))
    found = None
    if x.made and name not in own:  # a base of Python has it
        found = _of_python(NewException(x.cls, own["args"].children()), name)
    elif is_made_by_python(x.cls):
        found = _of_python(x, name)
    return ctx.getattr(instance, name) if found is None else found


def on_instances(ctx: Context, x: Abstract, use: Callable[[Ref], None]) -> bool:
    """`use` of the instance that a constructor has made, to assign an attribute; was there one?

    Not while a `finally` holds the exception back: what is raised then has its state of before.
    """
    options = x.options if isinstance(x, Caught) else (x,)
    made = all(isinstance(option, NewException) and option.made for option in options)
    if not made or ctx.handlers.pending:
        return False

    def of(option: Abstract) -> Abstract:
        assert isinstance(option, NewException)
        use(_made(ctx, option))
        return NONE

    option_of(ctx, x, of) if isinstance(x, Caught) else on_each_instance(ctx, x, of)
    return True


POSITIONS = {  # the attributes that are arguments
    OSError: ("errno", "strerror", "filename", "", "filename2"),
    StopIteration: ("value",),
    UnicodeDecodeError: ("encoding", "object", "start", "end", "reason"),
    UnicodeEncodeError: ("encoding", "object", "start", "end", "reason"),
    UnicodeTranslateError: ("object", "start", "end", "reason"),
}


def _of_python(x: NewException, name: str) -> Abstract | None:
    """The attribute `name` of an exception of Python; None if no argument tells it."""
    positional = _positional(x)
    names = next((names for cls, names in POSITIONS.items() if issubclass(x.cls, cls)), ())
    if issubclass(x.cls, OSError) and name in names:
        count = len(positional) if _has_file(x.cls, positional) else 2
        known = positional[:count] if 2 <= len(positional) <= len(names) else ()
        return dict(zip(names, known)).get(name, NONE)
    if issubclass(x.cls, UnicodeError) and len(positional) != len(names):
        return None  # a check: all that it has is the message
    named = zip(x.names, x.arguments[len(positional) :])
    return dict([*zip(names, positional), *named]).get(name)


def instance_of(ctx: Context, x: NewException) -> Ref:
    """An exception as an object with attributes, as its class makes it."""
    if x.made:
        return _made(ctx, x)
    if UNDEFINED in x.arguments:
        what = f"the message of this {x.cls.__name__}, which has run-time numbers in it,"
        ctx.fail(UnsupportedException, what=what, help_text="raise an exception with these numbers")
    positional = _positional(x)
    return new_instance(ctx, x.cls, positional, dict(zip(x.names, x.arguments[len(positional) :])))


def new_instance(
    ctx: Context, cls: type, positional: Sequence[Abstract], named: dict[str, Abstract]
) -> Ref:
    """`cls(*positional, **named)` as an object with attributes."""
    instance = ctx.new(InstanceObject(cls, ("args",), (Tuple(tuple(positional)),)))
    init = ctx.fact(ClassAttribute(cls, "__init__"))
    if isinstance(init, FunctionType):
        ctx.call(Static(init), (instance, *positional), named)
    return instance


def _made(ctx: Context, x: NewException) -> Ref:
    (made,) = x.made
    if not isinstance(made, Ref):
        help_text = "raise it in each branch"
        ctx.fail(UnsupportedException, what="one of several exceptions", help_text=help_text)
    return made


def _positional(x: NewException) -> tuple[Abstract, ...]:
    return x.arguments[: len(x.arguments) - len(x.names)]


def args_of(contents: InstanceObject) -> Tuple:
    """`x.args` of an exception."""
    given = contents.values[contents.names.index("args")].children()
    return Tuple(given[:2] if _has_file(contents.cls, given) else given)


def _has_file(cls: type, positional: Sequence[Abstract]) -> bool:
    """An OSError with the name of a file, which Python leaves out of its `args`."""
    if not issubclass(cls, OSError) or not 2 < len(positional) < 6 or is_none(positional[2]):
        return False
    return not (issubclass(cls, BlockingIOError) and is_number(positional[2]))


def text(ctx: Context, x: Abstract) -> Abstract:
    """`str(x)` of an exception."""
    if isinstance(x, Caught):
        return option_of(ctx, x, lambda option: text(ctx, option))
    if not isinstance(x, NewException):
        return ctx.call(Static(str), (x,), {})
    instance = instance_of(ctx, x)
    if (own := ctx.special_method(instance, "__str__")) is not None:
        return ctx.call(own, (), {})
    arguments = ctx.getattr(instance, "args")
    items, of = ctx.list_items(arguments), x.arguments
    shown: Any = x.cls.__str__
    if len(items) > 1 and shown not in (BaseException.__str__, KeyError.__str__):
        if is_made_by_python(x.cls) and not x.names and all(isinstance(a, Static) for a in of):
            return Static(str(x.cls(*(a.value for a in of if isinstance(a, Static)))))
        what = f"the text of {x.cls.__name__} with several arguments"
        ctx.fail(UnsupportedException, what=what, help_text="give it one argument, a text")
    if len(items) == 1:
        return ctx.call(Static(repr if issubclass(x.cls, KeyError) else str), items, {})
    return ctx.call(Static(str), (arguments,), {}) if items else Static("")


def representation(ctx: Context, x: Abstract) -> Abstract:
    """`repr(x)` of an exception."""
    if isinstance(x, Caught):
        return option_of(ctx, x, lambda option: representation(ctx, option))
    if not isinstance(x, NewException):
        return ctx.call(Static(repr), (x,), {})
    instance = instance_of(ctx, x)
    if (own := ctx.special_method(instance, "__repr__")) is not None:
        return ctx.call(own, (), {})
    items = ctx.list_items(ctx.getattr(instance, "args"))
    commas = [part for _ in items for part in (", ", ("r", ""))][1:]
    parts = (f"{x.cls.__name__}(", *commas, ")")
    return on_each(ctx, items, lambda xs: format_parts(ctx, parts, tuple(xs)))


def class_of_caught(ctx: Context, x: Abstract) -> type:
    """`type(x)` of an exception."""
    found = {class_of(option) for option in (x.options if isinstance(x, Caught) else (x,))}
    if len(found) > 1:
        help_text = "write a handler for each class"
        ctx.fail(
            UnsupportedException, what="the type of what several classes catch", help_text=help_text
        )
    return found.pop()
