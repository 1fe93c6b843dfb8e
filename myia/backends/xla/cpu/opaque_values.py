"""Numbers that depend on arrays, so that XLA cannot know them, and say next to nothing of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jax import lax

Array = Any
ZERO = np.int64(0)


def number_of_negative(arrays: Sequence[Array]) -> Array:
    """How many of `arrays`, none of them empty, have a negative (or true) first element."""
    number = ZERO
    for x in arrays:
        number = lax.add(number, lax.convert_element_type(_sign_bit(_first(x)), np.int64))
    return number


def true_after(x: Array) -> Array:
    """True, once the first element of `x` is there."""
    return true_after_all([x])


def true_after_all(arrays: Sequence[Array]) -> Array:
    """True, once the first elements of `arrays`, none of them empty, are there."""
    return lax.ge(number_of_negative(arrays), ZERO)


def _first(x: Array) -> Array:
    return lax.reshape(lax.slice(x, (0,) * x.ndim, (1,) * x.ndim), ())


def _sign_bit(x: Array) -> Array:
    if x.dtype == bool:
        return x
    x = lax.real(x) if x.dtype.kind == "c" else x
    # Unsigned numbers have none: the last bit will do as well.
    if x.dtype.kind == "u":
        return lax.eq(lax.bitwise_and(x, x.dtype.type(1)), x.dtype.type(1))
    return lax.lt(x, x.dtype.type(0))
