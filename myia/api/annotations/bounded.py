"""`bounded`: how many iterations a loop makes at most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from myia.infer.domain import values
from myia.infer.eval.interpreter import Interpreter
from myia.infer.loops.iterables import TOO_MANY_ITERATIONS
from myia.infer.loops.iterators import iterator
from myia.infer.registry import function

T = TypeVar("T")


def bounded(items: Iterable[T], most: int) -> Iterator[T]:
    """The items, of which there are at most `most`; ValueError if there are more.

    `for i in bounded(range(n), 1000)` gives the compiler a bound on `n`, so that the residuals of
    the loop can be recorded on a tape of that length. A loop with another end is written
    `for _ in bounded(range(sys.maxsize), 1000)` with a `break`.
    """
    for i, item in enumerate(items):
        if i == most:
            raise ValueError(TOO_MANY_ITERATIONS.format(bound=most))
        yield item


@function(bounded)
def _bounded(ctx: Interpreter, items: values.Abstract, most: values.Abstract) -> values.Iterator:
    limit = values.Static(ctx.int_of(most, "the bound of a loop"))
    return iterator(ctx, "bounded", items, limit)
