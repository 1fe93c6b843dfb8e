"""The form of a sort that XLA's CPU backend computes fastest: measured, first match wins.

    a sort of 512 elements and more                  emitted as
    of one array of float64, 2,048 elements and more a sort of integers in the order of the floats
    of arrays by keys of floats or integers          sorts of integers: 32 bits of a key, a position
    any other; of one array of integers              its own lowering

XLA sorts one array of integers by the function of the C++ library that has the comparison compiled
into it. For floats, which JAX compares with care for NaN and -0.0, and for several arrays it calls
the comparison as a function: 4 to 12 times as long.

Keys are sorted by one digit after the other, as in radix sort, from the last key's lowest 32 bits
to the first key's highest: the position below the digit makes each sort stable.

`benchmarks/emission/sorts.py` has the measurements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax import lax

from myia.ir.avals import Aval
from myia.ir.core import Op
from myia.primitives.arrays.shaping import inverse
from myia.primitives.arrays.sorting import sort_p

Array = Any

_MIN_ELEMENTS = 512
_MIN_DOUBLES = 2_048  # three sorts to compile
_MAX_LENGTH = 2**31 - 1  # of a position below a digit
_LOW = np.int64(2**32 - 1)
_INTEGERS: dict[int, type[np.signedinteger[Any]]] = {4: np.int32, 8: np.int64}


def sort_form(op: Op) -> Callable[..., Any] | None:
    """What emits the op, from its operands and parameters; None: its own lowering."""
    if op.primitive is not sort_p:
        return None
    avals = [x.aval for x in op.operands]
    if not avals[0].size >= _MIN_ELEMENTS or avals[0].shape[op.params["axis"]] > _MAX_LENGTH:
        return None
    if len(avals) == 1 and avals[0].dtype.kind != "f":
        return None
    if len(avals) == 1 and avals[0].dtype == np.float64 and avals[0].size >= _MIN_DOUBLES:
        return _sorted_doubles
    return _sorted_by_digits if all(map(_has_digits, avals[: op.params["keys"]])) else None


def _has_digits(x: Aval) -> bool:
    return x.dtype.kind in "biu" or (x.dtype.kind == "f" and x.dtype.itemsize in _INTEGERS)


# ----- One array of doubles


def _sorted_doubles(x: Array, *, axis: int, keys: int) -> Array:
    def as_integers(x: Array) -> Array:
        return _floats(lax.sort(_ordered_integers(x), is_stable=False), x.dtype)

    def by_positions(x: Array) -> Array:
        return _taken(x, _order(_digits(x)))

    rows = _rows(x, axis)
    # As integers, zeros all come out as 0.0.
    is_negative_zero = lax.eq(_bits(rows), _bits(lax.full_like(rows, -0.0)))
    found = lax.cond(lax.reduce_or(is_negative_zero, (0, 1)), by_positions, as_integers, rows)
    return _from_rows(found, x.shape, axis)


def _floats(integers: Array, dtype: np.dtype) -> Array:
    return lax.bitcast_convert_type(_mirrored(integers), dtype)


def _ordered_integers(x: Array) -> Array:
    """Integers in the order of the floats: -0.0 and 0.0 are equal, all NaN are, and come last.

    By their bits alone: to XLA's comparisons subnormal floats are zeros.
    """
    bits = _bits(x)
    magnitude = lax.bitwise_and(bits, _integer(x, np.iinfo(bits.dtype).max))
    infinity, nan = (int(np.array(v, x.dtype).view(bits.dtype)) for v in (np.inf, np.nan))
    found = lax.select(lax.eq(magnitude, _integer(x, 0)), magnitude, _mirrored(bits))
    return lax.select(lax.gt(magnitude, _integer(x, infinity)), _integer(x, nan), found)


def _mirrored(bits: Array) -> Array:
    """Of floats negative bits ascend where numbers descend: turned over, and back again."""
    turned = lax.bitwise_xor(bits, lax.full_like(bits, np.iinfo(bits.dtype).max))
    return lax.select(lax.lt(bits, lax.full_like(bits, 0)), turned, bits)


def _bits(x: Array) -> Array:
    return lax.bitcast_convert_type(x, _INTEGERS[x.dtype.itemsize])


def _integer(x: Array, value: int) -> Array:
    return lax.full(x.shape, value, _INTEGERS[x.dtype.itemsize])


# ----- Arrays by keys


def _sorted_by_digits(*xs: Array, axis: int, keys: int) -> tuple[Array, ...]:
    rows = [_rows(x, axis) for x in xs]
    order = _order([digit for x in reversed(rows[:keys]) for digit in _digits(x)])
    return tuple(_from_rows(_taken(x, order), xs[0].shape, axis) for x in rows)


def _order(digits: Sequence[Array]) -> Array:
    """The positions in ascending order of the last of these digits, of equal ones of the one before
    it, and so on; in each row.
    """
    order = position = lax.broadcasted_iota(np.int64, digits[0].shape, 1)
    for i, digit in enumerate(digits):
        given = _taken(digit, order) if i else digit
        ranked = lax.sort(lax.bitwise_or(given, position), is_stable=False)
        ranked = lax.bitwise_and(ranked, lax.full_like(ranked, _LOW))
        order = _taken(order, ranked) if i else ranked
    return order


def _digits(x: Array) -> list[Array]:
    """The key in the upper halves of integers, the lowest 32 bits first."""
    if x.dtype.kind == "f":
        x = _ordered_integers(x)
    signed, shape = x.dtype.kind == "i", x.shape
    if x.dtype.itemsize < 8:
        upper = _upper(lax.convert_element_type(x, np.int64))
        return [upper if signed else _shifted(upper)]
    high = x if signed else _shifted(lax.bitcast_convert_type(x, np.int64))
    return [_shifted(_upper(high)), lax.bitwise_and(high, lax.full(shape, ~_LOW))]


def _upper(x: Array) -> Array:
    return lax.mul(x, lax.full(x.shape, np.int64(2**32)))


def _shifted(x: Array) -> Array:
    """The integers, read as without a sign, in the order of those with one."""
    return lax.bitwise_xor(x, lax.full(x.shape, np.iinfo(np.int64).min))


def _taken(x: Array, order: Array) -> Array:
    """The elements of each row at these positions."""
    m, n = x.shape
    start = lax.mul(lax.broadcasted_iota(np.int64, (m, n), 0), lax.full((m, n), np.int64(n)))
    taken = lax.gather(
        lax.reshape(x, (m * n,)),
        lax.reshape(lax.add(order, start), (m * n, 1)),
        lax.GatherDimensionNumbers((), (0,), (0,)),
        (1,),
        unique_indices=True,
        mode=lax.GatherScatterMode.PROMISE_IN_BOUNDS,
    )
    return lax.reshape(taken, (m, n))


# ----- Rows


def _rows(x: Array, axis: int) -> Array:
    """The matrix whose rows are those along the axis."""
    x = lax.transpose(x, (*(i for i in range(x.ndim) if i != axis), axis))
    return lax.reshape(x, (math.prod(x.shape[:-1]), x.shape[-1]))


def _from_rows(rows: Array, shape: tuple[int, ...], axis: int) -> Array:
    others = [i for i in range(len(shape)) if i != axis]
    x = lax.reshape(rows, (*(shape[i] for i in others), shape[axis]))
    return lax.transpose(x, inverse((*others, axis)))
