"""Strings are compile-time values; a string with run-time numbers in it can only be printed.

f"{n} steps"              ->   a compile-time string, if n is one
print(f"loss {x:.3f}")    ->   the template "loss {:.3f}" and the value x

`"loss %.3f" % x` and `"loss {:.3f}".format(x)` are the same.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import Any, NoReturn

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_weak
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.facts import Answer
from myia.infer.domain.heap import DictObject, ListObject
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
)
from myia.infer.numeric.constant_methods import constant_or_none, evaluate_constant
from myia.infer.numeric.samples import has, type_of
from myia.infer.unsupported import UnsupportedText
from myia.ir.core import Value

CONVERSIONS: dict[str | None, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def format_parts(ctx: Context, parts: tuple, values: tuple[Abstract, ...]) -> Abstract:
    """An f-string."""
    template, rest = "", [_known(ctx, x) for x in values]
    items: list[Abstract] = []
    for part in parts:
        if isinstance(part, str):
            text, found = escaped(part), list[Abstract]()
        else:
            conversion, spec = part
            text, found = printed(ctx, rest.pop(0), conversion, spec or "")
        template += text
        items += found
    return Text(template, tuple(items)) if items else Static(template.format())


def _known(ctx: Context, x: Abstract) -> Abstract:
    """A list, dict or set that the program made of compile-time values is one of them."""
    return x if isinstance(x, (Static, Outside)) else constant_or_none(ctx, x) or x


def _formatted(ctx: Context, value: Any, conversion: str | None, spec: str | None) -> str:
    if isinstance(value, (list, dict, set)):  # made by the program: nobody else changes it
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
    if isinstance(x, Text):
        if conversion == "r" and not spec and not any(c in x.template for c in "'\\\n\r\t"):
            return f"'{x.template}'", list(x.items)
        if spec or conversion not in (None, "s"):
            how = f"`{f'!{conversion}' if conversion else ''}{f':{spec}' if spec else ''}`"
            ctx.fail(UnsupportedText, what=f"{how} of {ctx.describe(x)}")
        return x.template, list(x.items)
    if isinstance(x, Scalar) or ctx.is_array(x):
        how = _conversion(x, conversion, spec)
        return f"{{{how}{':' if spec else ''}{spec}}}", [_as_it_is(ctx, x)]
    if isinstance(x, Tuple) or (isinstance(x, Ref) and isinstance(ctx.contents(x), ListObject)):
        found = [printed(ctx, item, "r") for item in ctx.list_items(x)]
        left, right = "()" if isinstance(x, Tuple) else "[]"
        comma = "," if isinstance(x, Tuple) and len(found) == 1 else ""
        text = left + ", ".join(t for t, _ in found) + comma + right
        return text, [v for _, values in found for v in values]
    contents = ctx.contents(x) if isinstance(x, Ref) else None
    if isinstance(contents, DictObject) and contents.cls is dict and not spec:
        values = [printed(ctx, value, "r") for value in contents.values]
        keys = [escaped(_formatted(ctx, key, "r", "")) for key in contents.keys]
        items = (f"{key}: {value}" for key, (value, _) in zip(keys, values))
        return f"{{{{{', '.join(items)}}}}}", [v for _, found in values for v in found]
    if isinstance(x, (Caught, NewException)) and conversion in (None, "s"):
        return printed(ctx, ctx.call(Static(str), (x,), {}), None, spec)
    ctx.fail(UnsupportedText, what=f"printing {ctx.describe(x)}")


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
    precision = found["precision"] or ""
    if (known := constant_or_none(ctx, x)) is not None:
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
