"""`bounded`: how many iterations a loop makes at most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from myia.infer.domain import values
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import bounds
from myia.infer.domain.errors import BadValue
from myia.infer.domain.values import Abstract, Scalar, Static, is_static_int
from myia.infer.eval.interpreter import Interpreter
from myia.infer.loops.iterables import Items, index_value, items_of
from myia.infer.loops.iterators import is_generator, iterator
from myia.infer.registry import function
from myia.infer.unsupported import UnsupportedIteration
from myia.library.python.iterators import items_of_kind
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic

TOO_MANY_ITERATIONS = "this loop makes more than {bound} iterations, the bound that it was given"

T = TypeVar("T")


def bounded(items: Iterable[T], most: int) -> Iterator[T]:
    """The items, of which there are at most `most`.

    `for i in bounded(range(n), 1000)` gives the compiler a bound on `n`, so that the residuals of
    the loop can be recorded on a tape of that length. A loop with another end is written
    `for _ in bounded(range(sys.maxsize), 1000)` with a `break`.

    Args:
        items: what the loop runs over: a range, a list, an array.
        most: an int, known at compile time.

    Raises:
        ValueError: there are more items.

    Example:
        >>> import myia
        >>> def halved(x):
        ...     for _ in myia.bounded(range(10**9), 100):
        ...         if x < 1.0:
        ...             break
        ...         x = 0.5 * x
        ...     return x
        >>> myia.grad(halved, checkpoint="tape")(10.0)
        0.0625
    """
    for i, item in enumerate(items):
        if i == most:
            raise ValueError(TOO_MANY_ITERATIONS.format(bound=most))
        yield item


@function(bounded)
def _bounded(ctx: Interpreter, items: Abstract, most: Abstract) -> values.Iterator:
    if is_generator(items):
        help_text = "bound the loop inside the generator"
        ctx.fail(UnsupportedIteration, what="`myia.bounded` of a generator", help_text=help_text)
    limit = Static(ctx.int_of(most, "the bound of a loop"))
    return iterator(ctx, "bounded", items, limit)


@items_of_kind("bounded")
def _bounded_items(ctx: Context, x: values.Iterator) -> Items:
    """`bounded(items, most)`: the first `most` items, then one that raises ValueError."""
    part, max_length = items_of(ctx, x.items[0]), ctx.int_of(x.items[1], "the bound of a loop")
    low, high = bounds(part.length)
    if high is not None and high <= max_length:
        return part

    def item(i: Abstract) -> Abstract:
        message = TOO_MANY_ITERATIONS.format(bound=max_length)
        if not is_static_int(i):
            beyond = logic.ge(index_value(i), constant(max_length, np.int64))
            ctx.check(beyond, ValueError, message, is_python=False)
        elif ctx.int_of(i, "an index") >= max_length:
            ctx.fail(BadValue, message=message)
        return part.item(i)

    if is_static_int(part.length):
        return replace(part, length=Static(max_length + 1), item=item)
    length = arithmetic.min(index_value(part.length), max_length + 1)
    low = min(low or 0, max_length + 1)
    return replace(part, length=Scalar(length, True, low, max_length + 1), item=item)
