"""Exceptions that a program raises: made on the host, of their class and run-time arguments.

    raise OutOfRange(f"step {n}", x)    ->    OutOfRange("step 7", 2.5)

The class is called with what Python would pass, when the check has failed. So its type, `args` and
attributes are Python's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from myia.infer.boundary.results import TO_PYTHON, HostArguments
from myia.infer.domain.checks import Check, Hidden, MakeException
from myia.infer.domain.context import Context
from myia.infer.domain.errors import Unsupported
from myia.infer.domain.values import Abstract, NewException, Outside, Static
from myia.ir.builder import current_span


def raised(ctx: Context, x: Abstract) -> Check:
    """The exception that `raise x` raises, as a check has it."""
    # One made outside is raised as it is, with what it holds then.
    if isinstance(x, (Static, Outside)) and isinstance(x.value, BaseException):
        error = x.value
        return Check(type(error), _text(error), make=lambda numbers: error)
    if isinstance(x, Static) and isinstance(x.value, type) and issubclass(x.value, BaseException):
        x = NewException(x.value, ())
    if not isinstance(x, NewException):
        ctx.fail(Unsupported, what=f"`raise` of {ctx.describe(x)}")
    outputs = HostArguments(ctx, {})
    recipes = [outputs.recipe(item) for item in x.arguments]
    kinds, positional = tuple(outputs.kinds), len(x.arguments) - len(x.names)

    def make(numbers: Sequence[Any]) -> BaseException:
        numbers = [
            n if isinstance(n, Hidden) else TO_PYTHON[kind](n) for n, kind in zip(numbers, kinds)
        ]
        given = [recipe(numbers, ()) for recipe in recipes]
        return x.cls(*given[:positional], **dict(zip(x.names, given[positional:])))

    message = _message(x.cls, make, len(kinds))
    return Check(x.cls, message, current_span(), tuple(outputs.values), make)


def _message(cls: type[BaseException], make: MakeException, count: int) -> str:
    """The text of the exception, for the IR and for diagnostics."""
    try:
        return _text(make([Hidden()] * count))
    except Exception:  # its class does not take what stands for the numbers
        return cls.__name__


def _text(error: BaseException) -> str:
    only = error.args[0] if len(error.args) == 1 else None
    return only if isinstance(only, str) else str(error)
