"""Settings of Python that an operation depends on, beside its operands: facts of their own.

Decimal(1) / Decimal(3)    the precision and the rounding of the context of `decimal`
f"{n:n}"                   the locale
"""

from __future__ import annotations

import decimal
import functools
import locale
from collections.abc import Iterator, Sequence
from datetime import date, time
from typing import Any

from myia.infer.domain.facts import Answer, Question


@functools.cache
def _one(settings: Any) -> Any:
    """Equal settings are one object: calls compare them by identity."""
    return settings


def decimal_settings() -> tuple[Any, ...]:
    """The context of `decimal` in this thread."""
    found = decimal.getcontext()
    numbers = (found.prec, found.Emin, found.Emax, found.capitals, found.clamp)
    trapped = tuple(sorted(x.__name__ for x, on in found.traps.items() if on))
    return _one((found.rounding, *numbers, trapped))


def locale_settings() -> str:
    """The locale, of all its categories."""
    return _one(locale.setlocale(locale.LC_ALL))


def settings_of(f: Any, operands: Sequence[Any]) -> Iterator[Question]:
    """What else `f(*operands)` depends on."""
    given = (getattr(f, "__self__", None), *operands)
    if any(map(_has_decimal, given)):
        yield Answer(decimal_settings)
    if f is format or getattr(f, "__name__", "") in ("format", "__format__", "strftime"):
        texts = [x for x in given if isinstance(x, str)]
        with_names = any(isinstance(x, (date, time)) for x in operands)
        if with_names or any(x.endswith("n") or "n}" in x for x in texts):
            yield Answer(locale_settings)


def _has_decimal(x: Any) -> bool:
    if isinstance(x, (tuple, list, set, frozenset)):
        return any(map(_has_decimal, x))
    if isinstance(x, dict):
        return any(map(_has_decimal, (*x, *x.values())))
    return isinstance(x, decimal.Decimal)
