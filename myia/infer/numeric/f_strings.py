"""Strings are compile-time values; a string with run-time numbers in it can only be printed.

f"{n} steps"              ->   a compile-time string, if n is one
print(f"loss {x:.3f}")    ->   the template "loss {:.3f}" and the value x
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from myia.infer.domain.context import Context
from myia.infer.domain.errors import Unsupported
from myia.infer.domain.facts import Answer
from myia.infer.domain.heap import ListObject
from myia.infer.domain.values import Abstract, Outside, Ref, Scalar, Static, Text, Tuple
from myia.infer.numeric.constant_methods import constant_or_none
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


def printed(
    ctx: Context, x: Abstract, conversion: str | None = None, spec: str = ""
) -> tuple[str, list[Abstract]]:
    """The template for `x`, and the run-time values that it formats."""
    if isinstance(x, (Static, Outside)):
        return escaped(_formatted(ctx, x.value, conversion, spec)), []
    if isinstance(x, Text):
        return x.template, list(x.items)
    if isinstance(x, Scalar) or ctx.is_array(x):
        return (f"{{:{spec}}}" if spec else "{}"), [x]
    if isinstance(x, Tuple) or (isinstance(x, Ref) and isinstance(ctx.contents(x), ListObject)):
        found = [printed(ctx, item, "r") for item in ctx.list_items(x)]
        left, right = "()" if isinstance(x, Tuple) else "[]"
        comma = "," if isinstance(x, Tuple) and len(found) == 1 else ""
        text = left + ", ".join(t for t, _ in found) + comma + right
        return text, [v for _, values in found for v in values]
    ctx.fail(Unsupported, what=f"printing {ctx.describe(x)}")


def values_of(ctx: Context, items: list[Any]) -> list[Value]:
    """The typed values that a template formats."""
    return [ctx.read(x) if isinstance(x, Ref) else x.value for x in items]
