"""StopIteration that a generator raises itself is a RuntimeError where its items are taken.

What the loop raises that takes the items is not the generator's, also where one is woven into the
other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadValue, CertainError

MESSAGE = "generator raised StopIteration"


@dataclass
class Body:
    """The body of a generator while it is inferred."""

    ctx: Context
    of_consumer: set[int] = field(default_factory=set)  # numbers of checks
    raised_by_consumer: CertainError | None = None

    @contextmanager
    def consumer(self) -> Iterator[None]:
        """Code of the loop that takes an item."""
        start = len(self.ctx.checks)
        try:
            yield
        except CertainError as error:
            self.raised_by_consumer = error
            raise
        finally:
            self.of_consumer.update(range(start, len(self.ctx.checks)))


@contextmanager
def body_of_generator(ctx: Context) -> Iterator[Body]:
    """Code of a generator."""
    body, start = Body(ctx), len(ctx.checks)
    try:
        yield body
    except CertainError as error:
        if error is body.raised_by_consumer or not issubclass(error.exception, StopIteration):
            raise
        ctx.fail(BadValue, message=MESSAGE, exception="RuntimeError")
    for i, check in enumerate(ctx.checks[start:], start):
        own = i not in body.of_consumer and not check.is_caught
        if own and issubclass(check.exception, StopIteration):
            ctx.checks[i] = replace(
                check, exception=RuntimeError, message=MESSAGE, values=(), make=None, given=None
            )
