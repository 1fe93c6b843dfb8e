"""StopIteration that a generator raises itself is a RuntimeError where its items are taken.

What the loop raises that takes the items is not the generator's, also where one is woven into the
other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadValue, CertainError

MESSAGE = "generator raised StopIteration"


@contextmanager
def body_of_generator(ctx: Context) -> Iterator[object]:
    """Code of a generator; the key of its errors (`Handlers.of_consumer`)."""
    key, start = object(), len(ctx.checks)
    try:
        yield key
    except CertainError as error:
        if key in error.check.foreign_to or not issubclass(error.exception, StopIteration):
            raise
        ctx.fail(BadValue, message=MESSAGE, exception="RuntimeError")
    for i, check in enumerate(ctx.checks[start:], start):
        own = key not in check.foreign_to and not check.is_caught
        if own and issubclass(check.exception, StopIteration):
            ctx.checks[i] = replace(
                check, exception=RuntimeError, message=MESSAGE, values=(), make=None, given=None
            )
