"""Minima and maxima that keep NaN.

XLA gives large reductions to a library, in which the minimum of 1.0 and NaN is 1.0 (jaxlib 0.10).

- A reduction to the minimum: the elements are summed, too. The sum is NaN where an element is. It
  is also NaN where infinities cancel; only then a slower reduction of our own decides.
- The minimum of two arrays, which XLA makes part of a reduction (`np.sum(np.minimum(x, 1.0))`): a
  comparison and a selection.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from jax import lax

from myia.ir.core import Op
from myia.ir.primitive import Primitive
from myia.primitives.arrays.reductions import greatest, least, reduce_max, reduce_min
from myia.primitives.pointwise import arithmetic

Array = Any

_MIN_ELEMENTS = 2_048  # XLA calls the library from 4,096 on

_FIRST: dict[Primitive, Callable[..., Array]] = {
    reduce_min: lax.le,
    reduce_max: lax.ge,
    arithmetic.min: lax.le,
    arithmetic.max: lax.ge,
}  # is the first of two the extremum?


def loses_nan(op: Op) -> bool:
    """May XLA give the op to a library that loses NaN?"""
    if op.primitive not in _FIRST:
        return False
    x = op.operands[0]
    return x.dtype.kind == "f" and x.aval.size >= _MIN_ELEMENTS


def extremum_form(op: Op) -> Callable[..., Array] | None:
    """What emits a minimum or maximum, from its operands and parameters; None: its own lowering."""
    if not loses_nan(op):
        return None
    is_reduction = op.primitive in (reduce_min, reduce_max)
    return partial(_checked if is_reduction else extremum_of_two, op.primitive)


def extremum_of_two(primitive: Primitive, x: Array, y: Array) -> Array:
    """Where `y` is NaN no comparison holds, and `y` is the result."""
    return lax.select(lax.bitwise_or(_FIRST[primitive](x, y), lax.ne(x, x)), x, y)


def _checked(primitive: Primitive, x: Array, *, axes: tuple[int, ...]) -> Array:
    reduce = lax.reduce_min if primitive is reduce_min else lax.reduce_max
    found, total = reduce(x, axes), lax.reduce_sum(x, axes)
    may_be_nan = lax.reduce_or(lax.ne(total, total), tuple(range(total.ndim)))
    return lax.cond(may_be_nan, lambda x, _: _kept(primitive, x, axes), lambda _, y: y, x, found)


def _kept(primitive: Primitive, x: Array, axes: tuple[int, ...]) -> Array:
    bound = greatest(x.dtype) if primitive is reduce_min else least(x.dtype)
    return lax.reduce(x, np.array(bound, x.dtype), partial(extremum_of_two, primitive), axes)
