"""Loops in loops, as `lax.fori_loop`s."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from jax import lax

Range = int | tuple[int, int]


def nest(body: Callable, state, *ranges: Range):
    """`state = body(i, j, ..., state)` for all i of the first range, for all j of the second, ...

    A range is a count or (start, stop). Exactly the `fori_loop`s that a user writes out.
    """
    start, stop = ranges[0] if isinstance(ranges[0], tuple) else (0, ranges[0])
    inner = ranges[1:]

    def body_of_range(i, state):
        return nest(partial(body, i), state, *inner) if inner else body(i, state)

    return lax.fori_loop(start, stop, body_of_range, state)
