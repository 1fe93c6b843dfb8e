"""Opaque values: numbers and predicates that XLA cannot evaluate at compile time.

An opaque predicate is always true, but depends on arrays: at least zero of them begin with a
negative number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jax import lax

Array = Any
ZERO = np.int64(0)


def number_of_negative(arrays: Sequence[Array]) -> Array:
    """The number of `arrays`, none of them empty, with a negative (or true) first element."""
    number: Array = ZERO
    for x in arrays:
        number = lax.add(number, lax.convert_element_type(_sign_bit(_first(x)), np.int64))
    return number


def true_after(x: Array) -> Array:
    """An opaque predicate that depends on the first element of `x`."""
    return true_after_all([x])


def true_after_all(arrays: Sequence[Array]) -> Array:
    """An opaque predicate that depends on the first elements of `arrays`, none of them empty."""
    return lax.ge(number_of_negative(arrays), ZERO)


def _first(x: Array) -> Array:
    return lax.reshape(lax.slice(x, (0,) * x.ndim, (1,) * x.ndim), ())


def _sign_bit(x: Array) -> Array:
    if x.dtype == bool:
        return x
    x = lax.real(x) if x.dtype.kind == "c" else x
    # Unsigned numbers have no sign: the last bit does as well.
    if x.dtype.kind == "u":
        return lax.eq(lax.bitwise_and(x, x.dtype.type(1)), x.dtype.type(1))
    return lax.lt(x, x.dtype.type(0))
