"""Debug mode: an operation that makes an infinity or NaN of finite numbers is an error.

    y = np.log(x)         x is 0.0 here: FloatingPointError, where the program goes on otherwise

An operation is at fault only if all its operands are finite. Passing on an infinity, or being given
one (`np.full(n, np.inf)`), is no error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.heap import DynamicArray, DynamicView, ListObject
from myia.infer.domain.heap_arrays import STATIC_ARRAYS, padded_value, type_of_array
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, Tuple
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic, transcendental

R = TypeVar("R")
MESSAGE = "a number that is not finite is made of finite ones here"


def check_finite_results(ctx: Context, operands: Iterable[Abstract], compute: Callable[[], R]) -> R:
    """`compute()`; in debug mode a run-time check that finite operands give finite results."""
    if not ctx.debug:
        return compute()
    given = _all_finite(ctx, operands)
    result = compute()
    if isinstance(result, Abstract):
        made = _all_finite(ctx, (result,))
        failed = logic.and_(given, logic.not_(made))
        ctx.check(failed, FloatingPointError, MESSAGE, is_python=False)
    return result


def _all_finite(ctx: Context, xs: Iterable[Abstract]) -> Value:
    found = constant(True, bool)
    for x in _leaves(ctx, xs):
        if isinstance(x, Static):
            found = logic.and_(found, constant(bool(np.all(np.isfinite(x.value))), bool))
        else:
            value = padded_value(ctx.heap, x.id).value if isinstance(x, Ref) else x.value
            found = logic.and_(found, logic.not_(ctx.any(logic.not_(_is_finite(value)))))
    return found


def _leaves(ctx: Context, xs: Iterable[Abstract]) -> Iterator[Static | Scalar | Ref]:
    """The floats among the numbers and arrays in `xs`."""
    for x in xs:
        contents = ctx.heap[x.id] if isinstance(x, Ref) else x
        if isinstance(contents, (Tuple, ListObject)):
            yield from _leaves(ctx, contents.items)
        elif isinstance(x, (Static, Scalar, Ref)) and _is_float(ctx, x):
            yield x


def _is_float(ctx: Context, x: Static | Scalar | Ref) -> bool:
    if isinstance(x, Static):
        return isinstance(x.value, (float, complex, np.inexact))
    if isinstance(x, Scalar):
        return x.dtype.kind in "fc"
    if ctx.heap.invalidation(x.id) is not None:
        return False
    if not isinstance(ctx.heap[x.id], (*STATIC_ARRAYS, DynamicArray, DynamicView)):
        return False
    return type_of_array(ctx.heap, x.id)[0].dtype.kind in "fc"


def _is_finite(x: Value) -> Value:
    if x.dtype.kind != "c":
        return transcendental.is_finite(x)
    return logic.and_(
        *map(transcendental.is_finite, (transcendental.real(x), transcendental.imag(x)))
    )
