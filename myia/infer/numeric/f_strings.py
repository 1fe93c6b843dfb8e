"""Strings are compile-time values; a string with run-time numbers in it can only be printed.

f"{n} steps"              ->   a compile-time string, if n is one
print(f"loss {x:.3f}")    ->   the template "loss {:.3f}" and the value x

`"loss %.3f" % x` and `"loss {:.3f}".format(x)` are the same.
"""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_weak, number_value
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.facts import Answer
from myia.infer.domain.heap import DictObject, InstanceObject, ListObject
from myia.infer.domain.values import (
    Abstract,
    Caught,
    NewException,
    Outside,
    Ref,
    Scalar,
    Static,
    Text,
    Tuple,
    is_namedtuple,
)
from myia.infer.numeric.constant_methods import constant_or_none, evaluate_constant, evaluated
from myia.infer.numeric.samples import NoSample, has, sample, type_of
from myia.infer.numeric.settings import settings_of
from myia.infer.numeric.texts_of_instances import own_text, shown_fields
from myia.infer.unsupported import UnsupportedText
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

CONVERSIONS: dict[str | None, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def format_parts(ctx: Context, parts: tuple, values: tuple[Abstract, ...]) -> Abstract:
    """An f-string."""
    template, rest = "", list(values)
    items: list[Abstract] = []
    for part in parts:
        if isinstance(part, str):
            text, found = escaped(part), list[Abstract]()
        else:
            conversion, spec = part
            # As it is now: the code of a part before it may have changed a list.
            text, found = printed(ctx, _known(ctx, rest.pop(0)), conversion, spec or "")
        template += text
        items += found
    return Text(template, tuple(items)) if items else Static(template.format())


def _known(ctx: Context, x: Abstract) -> Abstract:
    """A list, dict or set that the program made of compile-time values is one of them."""
    x = ctx.number(x)
    return x if isinstance(x, (Static, Outside)) else constant_or_none(ctx, x) or x


def _formatted(ctx: Context, value: Any, conversion: str | None, spec: str | None) -> str:
    if isinstance(value, (list, dict, set)):  # made by the program: nobody else changes it
        for asked in settings_of(format, (value,)):
            ctx.fact(asked)
        return format(CONVERSIONS.get(conversion, lambda v: v)(value), spec or "")
    if conversion in CONVERSIONS:
        value = ctx.fact(Answer(CONVERSIONS[conversion], value))
    return ctx.fact(Answer(format, value, spec or ""))


def escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _conversion(x: Abstract, conversion: str | None, spec: str) -> str:
    """The `repr` of a number of Python is its `str`; one of NumPy says its type there."""
    number = x if isinstance(x, Scalar) else None
    if conversion in ("r", "a") and not (number and is_weak(number)):
        return f"!{conversion}"
    # `format` takes a `float32` for a `float`, `str` does not.
    narrow = number and not is_weak(number) and number.dtype.name in ("float16", "float32")
    return "!s" if conversion and (spec or narrow) else ""


def printed(
    ctx: Context, x: Abstract, conversion: str | None = None, spec: str = ""
) -> tuple[str, list[Abstract]]:
    """The template for `x`, and the run-time values that it formats."""
    if isinstance(x, (Static, Outside)):
        return escaped(_formatted(ctx, x.value, conversion, spec)), []
    if spec:
        convert = CONVERSIONS.get(conversion, lambda value: value)
        _require_format(ctx, lambda value: format(convert(value), spec), [x])
    if isinstance(x, Text):
        if conversion == "r" and not spec and not any(c in x.template for c in "'\\\n\r\t"):
            return f"'{x.template}'", list(x.items)
        if spec or conversion not in (None, "s"):
            _refuse_format(ctx, x, conversion, spec)
        return x.template, list(x.items)
    if isinstance(x, Scalar) and spec.endswith("c") and conversion is None:
        _require_character(ctx, x)
    if isinstance(x, Scalar) or ctx.is_array(x):
        how = _conversion(x, conversion, spec)
        return f"{{{how}{':' if spec else ''}{spec}}}", [_as_it_is(ctx, x)]
    if (own := own_text(ctx, x, conversion, spec)) is not None:
        return printed(ctx, own, None, spec if conversion else "")
    if (shown := _printed_container(ctx, x)) is not None:
        if spec:
            _refuse_format(ctx, x, conversion, spec)
        return shown
    if isinstance(x, (Caught, NewException)) and conversion in (None, "s"):
        return printed(ctx, ctx.call(Static(str), (x,), {}), None, spec)
    ctx.fail(UnsupportedText, what=f"printing {ctx.describe(x)}")


def _printed_container(ctx: Context, x: Abstract) -> tuple[str, list[Abstract]] | None:
    contents = ctx.contents(x) if isinstance(x, Ref) else x
    if isinstance(contents, DictObject) and contents.cls is dict:
        names = [f"{escaped(_formatted(ctx, key, 'r', ''))}: " for key in contents.keys]
        left, right = "{{", "}}"
    elif (shown := shown_fields(ctx, x)) is not None:
        name, fields = shown
        names = [f"{field}=" for field in fields]
        contents, left, right = Tuple(tuple(fields.values())), f"{name}(", ")"
    elif isinstance(contents, Tuple) and is_namedtuple(contents.cls):
        names = [f"{name}=" for name in contents.cls._fields]
        left, right = f"{contents.cls.__name__}(", ")"
    elif isinstance(contents, Tuple) and not _is_shown_as_tuple(contents.cls):
        return None
    elif isinstance(contents, (Tuple, ListObject)):
        names = [""] * len(contents.items)
        single = isinstance(contents, Tuple) and len(names) == 1
        left, right = ("(", ",)" if single else ")") if isinstance(contents, Tuple) else "[]"
    else:
        return None
    with ctx.inside("text", x) as is_again:
        if is_again:  # as Python shows what holds itself
            return f"{'' if isinstance(contents, Tuple) else left}...{right[-len(left) :]}", []
        found = [printed(ctx, item, "r") for item in contents.children()]
    text = ", ".join(name + template for name, (template, _) in zip(names, found))
    return left + text + right, [value for _, values in found for value in values]


TUPLE_TEXT: Any = tuple.__repr__


def _is_shown_as_tuple(cls: type | None) -> bool:
    return cls is None or getattr(cls, "__repr__", None) is TUPLE_TEXT


def _refuse_format(ctx: Context, x: Abstract, conversion: str | None, spec: str) -> NoReturn:
    how = f"`{f'!{conversion}' if conversion else ''}{f':{spec}' if spec else ''}`"
    ctx.fail(UnsupportedText, what=f"{how} of {ctx.describe(x)}")


def _require_format(ctx: Context, apply: Callable[..., str], xs: Sequence[Abstract]) -> None:
    """Raise what Python raises where it formats objects of these types, whatever their values."""
    error: Exception | None = None
    for number in (0, 1):
        try:
            apply(*(_sample(ctx, x, number) for x in xs))
            return
        except NoSample:
            return
        except (TypeError, ValueError, LookupError, AttributeError) as e:
            error = e
    assert error is not None
    name, text = type(error).__name__, str(error)
    ctx.fail(BadValue, message=text, exception=name, arguments=error.args)


def _require_character(ctx: Context, x: Scalar) -> None:
    value, limit = number_value(x, np.dtype(np.int64)), sys.maxunicode
    bounds = (constant(n, np.int64) for n in (0, limit))
    low, high = (test(value, n) for test, n in zip((logic.lt, logic.gt), bounds))
    message = f"%c arg not in range({limit + 1:#x})"
    ctx.check(logic.or_(low, high), OverflowError, message)


def _sample(ctx: Context, x: Abstract, number: int) -> Any:
    """As `sample`, without code of users."""
    of_user = isinstance(x, Ref) and isinstance(ctx.contents(x), InstanceObject)
    kind = type(x.value) if isinstance(x, (Static, Outside)) else object
    if of_user or kind.__module__ not in ("builtins", "numpy"):
        raise NoSample
    return sample(ctx, x, number)


def _as_it_is(ctx: Context, x: Abstract) -> Abstract:
    """An array as it is now: what is stored into it before the text is printed is not in it."""
    return ctx.array(ctx.read(x)) if isinstance(x, Ref) else x


def concatenated(a: Abstract, b: Abstract) -> Text | None:
    """`a + b` of two strings of which one has run-time numbers in it."""
    parts: list[Text] = []
    for x in (a, b):
        if isinstance(x, Static) and isinstance(x.value, str):
            x = Text(escaped(x.value), ())
        if not isinstance(x, Text):
            return None
        parts.append(x)
    return Text(parts[0].template + parts[1].template, parts[0].items + parts[1].items)


def joined(ctx: Context, separator: str, texts: Abstract) -> Abstract:
    """`separator.join(texts)`"""
    if (known := evaluated(ctx, separator.join, texts)) is not None:
        return known
    whole = Text("", ())
    for i, x in enumerate(ctx.list_items(texts)):
        for part in (Static(separator), x) if i else (x,):
            longer = concatenated(whole, part)
            if longer is None:
                _refuse_item(ctx, i, x)
            whole = longer
    return whole


def _refuse_item(ctx: Context, i: int, x: Abstract) -> NoReturn:
    cls = type_of(ctx, x)
    if cls is not None and cls is not str:
        message = f"sequence item {i}: expected str instance, {cls.__name__} found"
        ctx.fail(BadType, message=message)
    ctx.fail(UnsupportedText, what=f"`join` of {ctx.describe(x)}")


# ----- Templates of `%` and `str.format`

# Parts of a template of `%`: text, or a name, flags, width, precision and type.
_PERCENT = re.compile(
    r"(?P<text>[^%]+|%%)|%(\((?P<name>[^()]*)\))?(?P<flags>[-+ 0]*)(?P<width>\d*)"
    r"(?P<precision>\.\d*)?[hlL]?(?P<type>[diufFeEgGsr])"
)


def percent_format(ctx: Context, template: str, values: Abstract) -> Abstract:
    """`template % values`"""
    known = constant_or_none(ctx, values)
    if known is not None:
        return evaluate_constant(ctx, str.__mod__, template, known.value)
    _require_format(ctx, lambda found: template % found, [values])
    contents = ctx.held(values)
    named = None
    if isinstance(contents, DictObject):
        named = dict(zip(contents.keys, contents.values))
    rest = list(values.items) if isinstance(values, Tuple) else [values]
    parts: list[Any] = []
    given: list[Abstract] = []
    at = 0
    while at < len(template):
        found = _PERCENT.match(template, at)
        if found is None or (found["type"] and (found["name"] is None) != (named is None)):
            _refuse(ctx, "this template of `%` with run-time values")
        at = found.end()
        if not found["type"]:
            parts.append("%" if found["text"] == "%%" else found["text"])
            continue
        if named is None and not rest:
            ctx.fail(BadType, message="not enough arguments for format string")
        if named is not None and found["name"] not in named:
            ctx.fail(BadValue, message=repr(found["name"]), exception="KeyError")
        x = rest.pop(0) if named is None else named[found["name"]]
        part, x = _percent_part(ctx, found, x)
        parts.append(part)
        given += [] if isinstance(part, str) else [x]
    # What has subscripts is taken for a mapping, of which nothing need be used.
    cls = None if isinstance(values, Tuple) else type_of(ctx, values)
    if rest and named is None and (cls is None or not has(cls, "__getitem__")):
        ctx.fail(BadType, message="not all arguments converted during string formatting")
    return format_parts(ctx, tuple(parts), tuple(given))


def _percent_part(ctx: Context, found: re.Match, x: Abstract) -> tuple[Any, Abstract]:
    """`%5.2f` of `x`, as a part of an f-string."""
    kind, flags, width = found["type"], found["flags"], found["width"]
    precision, x = found["precision"] or "", ctx.number(x)
    known = constant_or_none(ctx, x)
    is_made = known is not None and isinstance(known.value, (list, dict, set))
    is_plain = kind in "sr" and not (width or precision)
    if known is not None and not (is_made and is_plain):  # such a list is shown in its turn
        text = f"%{flags}{width}{precision}{kind}"
        made = evaluate_constant(ctx, str.__mod__, text, (known.value,))
        return (made.value if isinstance(made, Static) else ""), x
    if kind in "sr":
        if precision or (width and not isinstance(x, Scalar)):
            _refuse(ctx, f"`%{flags}{width}{precision}{kind}` of a run-time value")
        side = "<" if "-" in flags else ">"
        return (kind, f"{side}{width}" if width else ""), x
    if not isinstance(x, Scalar):
        _refuse(ctx, f"`%{kind}` of {ctx.describe(x)}")
    if kind in "diu":
        if precision:
            _refuse(ctx, f"`%{precision}{kind}` of a run-time value")
        kind, x = "d", ctx.call(Static(int), (x,), {})
    precision = ".0" if precision == "." else precision
    side = "<" if "-" in flags else ">" if "0" not in flags else ""
    sign = "+" if "+" in flags else " " if " " in flags else ""
    zero = "0" if not side and width else ""
    return (None, f"{side}{sign}{zero}{width}{precision}{kind}"), x


def brace_format(
    ctx: Context, template: str, args: tuple[Abstract, ...], named: dict[str, Abstract]
) -> Abstract:
    """`template.format(*args, **named)`"""
    n = len(args)
    apply = lambda *xs: template.format(*xs[:n], **dict(zip(named, xs[n:])))  # noqa: E731
    _require_format(ctx, apply, (*args, *named.values()))
    parts: list[Any] = []
    given: list[Abstract] = []
    position = 0
    for text, field, spec, conversion in string.Formatter().parse(template):
        parts += [text] if text else []
        if field is None:
            continue
        if "{" in (spec or "") or not (field.isalnum() or field.isidentifier() or not field):
            _refuse(ctx, "this template of `str.format` with run-time values")
        index = position if not field else int(field) if field.isdigit() else None
        position += not field
        if field not in named and (index is None or index >= len(args)):
            _refuse(ctx, f"`{{{field}}}` without a value in `str.format`")
        given.append(named[field] if index is None else args[index])
        parts.append((conversion, spec or ""))
    return format_parts(ctx, tuple(parts), tuple(given))


def _refuse(ctx: Context, what: str) -> NoReturn:
    ctx.fail(UnsupportedText, what=what, help_text="write an f-string: it can be printed")


def values_of(ctx: Context, items: list[Any]) -> list[Value]:
    """The typed values that a template formats."""
    return [ctx.read(x) if isinstance(x, Ref) else x.value for x in items]
