"""The form of a reduction that XLA's CPU backend computes fastest: measured, first match wins.

    a sum or an extremum of floats                  emitted as
    over more than 32 rows of 32 kB and more,       a loop that combines rows
      along the leading axes
    over fewer such rows, or along other axes       a reduction by a function unknown to XLA
    of at most 8 elements along the last axis       the same
    any other extremum of 2,048 elements and more   `extrema.py`
    any other                                       its own lowering

XLA gives sums and extrema to a library (YNNPACK in jaxlib 0.10), in plain JAX, too. It takes 20 to
200 times as long as NumPy for rows of 64 kB and more, and up to 12 times as long as a loop for two
elements. A function that XLA does not know it compiles, with the ops around it.

`benchmarks/emission/reductions.py` has the measurements.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from jax import lax

from myia.backends.xla.cpu.extrema import extremum_form, extremum_of_two
from myia.ir.avals import Aval
from myia.ir.core import Op
from myia.ir.primitive import Primitive
from myia.primitives.arrays.reductions import greatest, least, reduce_max, reduce_min
from myia.primitives.arrays.shaping import reduce_sum
from myia.primitives.core import named_by_opcode as hlo

Array = Any

_MIN_ELEMENTS = 32_768
_MIN_ROW_BYTES = 32_768
_MAX_COMPILED_ROWS = 32
_MAX_LAST_ELEMENTS = 8


def reduction_form(op: Op) -> Callable[..., Array] | None:
    """What emits the op, from its operands and parameters; None: its own lowering."""
    if op.primitive in (reduce_sum, reduce_min, reduce_max):
        found = form_without_library(op.operands[0].aval, op.params["axes"])
        if found is not None:
            return partial(found, op.primitive)
    return extremum_form(op)


def form_without_library(x: Aval, axes: tuple[int, ...]) -> Callable[..., Array] | None:
    """What emits sums and extrema, from the primitive, an array and axes; None: the library."""
    if x.dtype.kind != "f" or x.dtype.itemsize < 4 or x.size < _MIN_ELEMENTS or not axes:
        return None
    count = math.prod(x.shape[i] for i in axes)
    if math.prod(x.shape[max(axes) + 1 :]) * x.dtype.itemsize >= _MIN_ROW_BYTES:
        in_loop = count > _MAX_COMPILED_ROWS and len(axes) == max(axes) + 1
        return _by_rows if in_loop else _by_unknown_function
    is_short = axes == (x.ndim - 1,) and count <= _MAX_LAST_ELEMENTS
    return _by_unknown_function if is_short else None


def _by_unknown_function(primitive: Primitive, x: Array, *, axes: tuple[int, ...]) -> Array:
    return lax.reduce(x, _neutral(primitive, x.dtype), _unknown(primitive), axes)


def _by_rows(primitive: Primitive, x: Array, *, axes: tuple[int, ...]) -> Array:
    shape = x.shape[len(axes) :]
    rows = lax.reshape(x, (math.prod(x.shape[: len(axes)]), math.prod(shape)))
    combine = lax.add if primitive is reduce_sum else _unknown(primitive)

    def body(k: Array, total: Array) -> Array:
        row = hlo.dynamic_slice(rows, (k, lax.full_like(k, 0)), (1, rows.shape[1]))
        return combine(total, lax.reshape(row, total.shape))

    start = lax.full((rows.shape[1],), _neutral(primitive, x.dtype), x.dtype)
    total = lax.fori_loop(np.int32(0), np.int32(rows.shape[0]), body, start)
    return lax.reshape(total, shape)


def _neutral(primitive: Primitive, dtype: np.dtype) -> Any:
    if primitive is reduce_sum:
        return np.array(0, dtype)
    return np.array(least(dtype) if primitive is reduce_max else greatest(dtype), dtype)


def _unknown(primitive: Primitive) -> Callable[[Array, Array], Array]:
    return _sum_of_two if primitive is reduce_sum else partial(extremum_of_two, primitive)


def _sum_of_two(x: Array, y: Array) -> Array:
    """Where `y` is NaN so is the sum: the selection changes nothing, but hides the addition."""
    return lax.select(lax.eq(y, y), lax.add(x, y), y)
