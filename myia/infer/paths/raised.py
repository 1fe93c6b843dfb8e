"""Code after an error that a handler may catch: it runs only if there is no error.

    y = 1 / x                       y = 1 / x; check x == 0
    a[i] = y               ->       if no error:
    z = y + 1                           a[i] = y
                                        z = y + 1

So stores stop where Python stops, up to the handler (`infer/eval/handlers.py`). Of an error that
nothing catches only the code is kept (`Context.add_check`), and the program goes on: the call then
raises, and writes nothing back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import numpy as np

from myia.infer.domain.checks import Check
from myia.infer.domain.context import NO_ERROR, Context
from myia.infer.domain.errors import AlreadyRaised, CertainError, Raises
from myia.infer.domain.heap import CellObject, Heap
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, Tuple
from myia.infer.paths.branches import branch
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic


def may_have_raised(ctx: Context) -> bool:
    """May there be an error that a handler catches?"""
    handlers = ctx.handlers
    if not handlers.stack:
        return False
    code = ctx.error_code()
    if code is None or code is handlers.clean:
        return False
    return any(map(handlers.catches_check, ctx.checks[handlers.mark :]))


def no_error(ctx: Context) -> Abstract:
    """Whether nothing has failed."""
    code = ctx.error_code()
    if code is None:
        return Static(True)
    return Scalar(logic.eq(code, constant(0, np.int32)), weak=True)


@contextmanager
def without_error(ctx: Context) -> Iterator[None]:
    """Code that runs only where nothing has failed."""
    handlers = ctx.handlers
    saved = handlers.clean, handlers.mark
    ctx.write(Ref(ctx.error_id), CellObject(NO_ERROR))
    handlers.clean, handlers.mark = None, len(ctx.checks)
    try:
        yield
    finally:
        handlers.clean, handlers.mark = saved


@contextmanager
def own_error_code(ctx: Context) -> Iterator[list[Value | None]]:
    """Errors in this context have a code of their own, which the list then holds.

    So the body of a `try` does not wait for the code of the last iteration. After it the code is
    that of the first of all errors.
    """
    (content,) = ctx.heap[ctx.error_id].children()
    codes: list[Value | None] = []
    before = [content.value] if isinstance(content, Scalar) else []
    ctx.handlers.earlier += before
    if before:
        ctx.write(Ref(ctx.error_id), CellObject(NO_ERROR))
    try:
        yield codes
    finally:
        codes.append(ctx.error_code())
        if before:
            ctx.handlers.earlier.pop()
            ctx.write(Ref(ctx.error_id), CellObject(content))
            if codes[0] is not None:
                ctx.merge_error_code(codes[0])


def unless_raised(ctx: Context, rest: Callable[[], Iterable[Abstract]]) -> list[Abstract]:
    """The values of `rest()`. If there may be an error that a handler catches, it runs if there is
    none; else nothing reads the values."""
    if not may_have_raised(ctx):
        return list(rest())

    def then() -> Abstract:
        with without_error(ctx):
            return Tuple(tuple(rest()))

    result = branch(ctx, no_error(ctx), then, lambda: already_raised(ctx))
    return list(result.children())


def within_op(ctx: Context, rest: Callable[[], Abstract]) -> Abstract:
    """What an op does after a check of its own: `a[i] = x` leaves `a` as it was if `i` is out of
    range.

    The error code is not touched, so that this branch and the one after the op become one.
    """
    if not may_have_raised(ctx):
        return rest()
    handlers = ctx.handlers

    def then() -> Abstract:
        saved = handlers.clean, handlers.mark
        handlers.clean, handlers.mark = ctx.error_code(), len(ctx.checks)
        try:
            return rest()
        finally:
            handlers.clean, handlers.mark = saved

    return branch(ctx, no_error(ctx), then, lambda: already_raised(ctx))


def raise_outside(
    ctx: Context, before: Heap, error: CertainError, again: Callable[[], object]
) -> NoReturn:
    """The error that a region is sure to end with, which is dropped: `again()` raises it outside.

    There the program keeps what raises first, and what is printed before. `before`: the heap.
    """
    error.leave_region()
    ctx.heap.restore(before, ids=False)
    again()
    raise error


def already_raised(ctx: Context) -> NoReturn:
    check = Check(BaseException, "raised before", current_span())
    raise AlreadyRaised(Raises(current_span(), check.message), check)
