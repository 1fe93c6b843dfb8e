"""Numbers: dtypes by NEP 50, Python's weak numbers, explicit conversion, broadcasting, joins.

Below this stage nothing is implicit: every operand of a typed op has the dtype and the shape that
the op works at.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple, Self, TypeGuard

import numpy as np

from myia.infer.domain.errors import WideInteger
from myia.infer.domain.values import (
    Abstract,
    Choice,
    Number,
    Scalar,
    Static,
    is_static_number,
    same_static,
)
from myia.ir.avals import Aval
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.primitives.arrays import shaping
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.source.diagnostics import MyiaError

PYTHON_DTYPES = {
    bool: np.dtype(bool),
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
    complex: np.dtype(np.complex128),
}
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

PYTHON_TYPES = {dtype.kind: cls for cls, dtype in PYTHON_DTYPES.items()}


def is_number(x: Abstract) -> TypeGuard[Number]:
    """A number, compile-time or run-time."""
    return isinstance(x, Scalar) or is_static_number(x)


def is_of_numbers(x: Abstract) -> TypeGuard[Choice]:
    """A choice of numbers of different kinds."""
    return isinstance(x, Choice) and all(map(is_number, x.options))


def is_weak(x: Abstract) -> bool:
    """A Python number (as against a NumPy scalar)."""
    if isinstance(x, Scalar):
        return x.weak
    assert isinstance(x, Static)
    return not isinstance(x.value, np.generic)


def number_dtype(x: Abstract) -> np.dtype:
    """The dtype of a number: that of its run-time representation."""
    if isinstance(x, Scalar):
        return x.dtype
    assert isinstance(x, Static)
    if isinstance(x.value, np.generic):
        return x.value.dtype
    return next(PYTHON_DTYPES[t] for t in type(x.value).__mro__ if t in PYTHON_DTYPES)


def kind_of(x: Abstract) -> str:
    """`b`, `i`, `u`, `f` or `c`."""
    return number_dtype(x).kind


def same_bool(a: Number, b: Number) -> Static | None:
    """One known bool, of Python's class and of NumPy's: NumPy's."""
    known = [x.value for x in (a, b) if isinstance(x, Static)]
    if len(known) < 2 or not all(isinstance(x, (bool, np.bool_)) for x in known):
        return None
    return Static(np.bool_(known[0])) if known[0] == known[1] else None


def promote(*operands: tuple[np.dtype, bool]) -> tuple[np.dtype, bool]:
    """The dtype that `(dtype, weak)` operands meet at, and whether the result is weak (NEP 50)."""
    strong = [dtype for dtype, weak in operands if not weak]
    if not strong:
        kinds = [dtype.kind for dtype, _ in operands]
        top = max(kinds, key="bifc".index)
        return PYTHON_DTYPES[PYTHON_TYPES[top]], True
    weak = [PYTHON_TYPES[dtype.kind]() for dtype, is_weak in operands if is_weak]
    # A weak bool is a bool array to NumPy; the other weak numbers only lend their kind.
    return np.result_type(*strong, *weak), False


def bounds(x: Abstract) -> tuple[int | None, int | None]:
    """The known range of an integer."""
    if isinstance(x, Scalar):
        return x.lo, x.hi
    assert isinstance(x, Static)
    return int(x.value), int(x.value)


def number_value(x: Abstract, dtype: np.dtype) -> Value:
    """The number as a typed scalar of `dtype`."""
    if isinstance(x, Static):
        if dtype == PYTHON_DTYPES[int]:
            require_int64(x)
        return constant(_cast(x.value, dtype), dtype)
    assert isinstance(x, Scalar)
    return convert(x.value, dtype)


def require_int64(*xs: Abstract) -> None:
    """An error if a Python int has more than 64 bits."""
    for x in xs:
        n = x.value if isinstance(x, Static) else 0
        if type(n) is int and not INT64_MIN <= n <= INT64_MAX:
            raise MyiaError(WideInteger(span=current_span(), value=n))


def _cast(x: complex | np.generic, dtype: np.dtype) -> Any:
    """The number by NumPy's `astype`."""
    if type(x) is int and dtype.kind in "iu":
        return x
    with np.errstate(all="ignore"):
        return np.asarray(x).astype(dtype)[()]


def convert(x: Value, dtype: np.dtype) -> Value:
    """`x` as `dtype`, by NumPy's `astype`."""
    return x if x.dtype == dtype else logic.convert(x, dtype=np.dtype(dtype))


def broadcast_to(x: Value, shape: tuple[int, ...]) -> Value:
    """`x` repeated along the missing axes and those of size 1, by NumPy's rule."""
    if x.shape == shape:
        return x
    offset = len(shape) - len(x.shape)
    kept = tuple(i for i, n in enumerate(x.shape) if n == shape[offset + i])
    squeezed = (
        shaping.reshape(x, shape=tuple(x.shape[i] for i in kept)) if len(kept) < len(x.shape) else x
    )
    return shaping.broadcast(squeezed, shape=tuple(shape), dims=tuple(offset + i for i in kept))


def filled(x: Abstract, aval: Aval) -> Value:
    """The number repeated to fill `aval`."""
    if isinstance(x, Static):
        return constant(_cast(x.value, aval.dtype), aval.dtype, aval.shape)
    assert isinstance(x, Scalar)
    return broadcast_to(convert(x.value, aval.dtype), aval.shape)


def interval_hull(a: Abstract, b: Abstract) -> tuple[int | None, int | None]:
    """A range that holds both integers."""
    (alo, ahi), (blo, bhi) = bounds(a), bounds(b)
    lo = None if alo is None or blo is None else min(alo, blo)
    hi = None if ahi is None or bhi is None else max(ahi, bhi)
    return lo, hi


# ----- Joins: numbers that meet where paths meet
#
#     z = np.int8(3) if c else n          no type is both: `z + 100` wraps for one of them
#     s = 0.0; for v in a: s = s + v      float32, as `a` is: it holds 0.0
#
# This is no arithmetic: there a Python number yields to the dtype that it meets (NEP 50), here it
# has still to be what it was on its path. Two numbers have one type in three cases:
#
# - they have one dtype (a `float` and a `np.float64` are a `np.float64`);
# - they have 64 bits, and one is an integer, one a float: a float;
# - one is a constant of Python that the floats, or complex numbers, of the other hold exactly.
#
# Others stay apart, as the options of a choice (`infer/paths/choice.py`), or have no common form.

WIDE = (PYTHON_DTYPES[int], PYTHON_DTYPES[float])
ONE_KIND = (
    "make it one kind of number on every path: `int(...)` or `float(...)` of NumPy's number, "
    "or NumPy's type of Python's"
)


class NumberKind(NamedTuple):
    """The kind of a number; `known`: the constant that it is."""

    dtype: np.dtype
    weak: bool
    known: Static | None = None

    @classmethod
    def of(cls, x: Abstract) -> Self:
        return cls(number_dtype(x), is_weak(x), x if isinstance(x, Static) else None)

    @property
    def type(self) -> tuple[np.dtype, bool]:
        return self.dtype, self.weak

    @property
    def key(self) -> tuple[Any, ...]:
        return *self.type, None if self.known is None else self.known.value

    @property
    def text(self) -> str:
        name = self.dtype.name
        return f"{name.rstrip('0123456789')} of Python" if self.weak else f"{name} of NumPy"


def joined(a: NumberKind, b: NumberKind) -> tuple[np.dtype, bool] | None:
    """The dtype that two numbers have where their paths meet, and whether it is a Python number."""
    found = promote(a.type, b.type)
    if a.dtype == b.dtype or (a.dtype in WIDE and b.dtype in WIDE):
        return found
    for x, y in ((a, b), (b, a)):
        if x.weak and found[0] == y.dtype and _holds(y.dtype, x.known):
            return found
    return None


def are_joined(a: Abstract, b: Abstract) -> bool:
    """Are two numbers one where their paths meet?"""
    return joined(NumberKind.of(a), NumberKind.of(b)) is not None


def joined_all(xs: Sequence[NumberKind]) -> tuple[np.dtype, bool] | None:
    """The same of several numbers."""
    kinds = {x.key: x for x in xs}.values()  # a long list has few
    types = dict.fromkeys(x.type for x in kinds)
    types |= dict.fromkeys(promote(s, t) for s, t in combinations(types, 2))
    return next((t for t in types if all(holds(NumberKind(*t), x) for x in kinds)), None)


def holds(option: NumberKind, x: NumberKind) -> bool:
    """Is a number of this kind, or this constant, what another one becomes where paths meet?"""
    if option.known is not None:
        return x.known is not None and same_static(option.known.value, x.known.value)
    return joined(option, x) == option.type


EXACT_INTEGERS = {np.dtype(f"f{size}"): 2**bits for size, bits in ((2, 11), (4, 24), (8, 53))}
FLOATS = tuple(EXACT_INTEGERS)


def exact_floats(x: Abstract) -> np.dtype:
    """The smallest floats that hold a number of Python, or else the largest."""
    known = x.value if isinstance(x, Static) else None
    if isinstance(known, complex):
        return max(exact_floats(Static(part)) for part in (known.real, known.imag))
    if isinstance(x, Scalar) and x.dtype.kind == "i" and None not in (x.lo, x.hi):
        assert x.lo is not None and x.hi is not None
        n = max(-x.lo, x.hi)
        return next((t for t in FLOATS if n <= EXACT_INTEGERS[t]), FLOATS[-1])
    return next((t for t in FLOATS if _holds(t, x)), FLOATS[-1])


def _holds(dtype: np.dtype, constant: Abstract | None) -> bool:
    """Do these floats or complex numbers hold the constant exactly?"""
    x = constant.value if isinstance(constant, Static) else None
    if dtype.kind not in "fc" or x is None or isinstance(x, bool):
        return False
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(x).astype(dtype)[()].item()  # as Python's: compared exactly
    except OverflowError:  # an int of many bits
        return False
    return bool(found == x or (found != found and x != x))
