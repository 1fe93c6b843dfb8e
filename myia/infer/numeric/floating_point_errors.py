"""NumPy's floating-point errors, where `np.errstate` makes them exceptions.

    with np.errstate(divide="raise"):       y = x / n
        y = x / n                     ->    check any(n == 0, x finite, y infinite):
                                            FloatingPointError

Checked are operators and elementwise functions of NumPy's numbers and arrays, `sum` and `prod`, and
what is made of them. Functions that compute in another way than NumPy are refused by name there.
An array that is changed in place holds its new elements when the error is raised, as in NumPy.

The state is in a cell of the heap, so that branches, loops and handlers see it as any variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from typing import Any, NoReturn

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import broadcast_to
from myia.infer.domain.heap import ArrayObject
from myia.infer.domain.values import Abstract, Ref, Scalar, is_static_number
from myia.infer.numeric.promotion import operand, operand_dtype
from myia.infer.unsupported import UnsupportedContext
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.arrays.reductions import reduce_or
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic, transcendental

TEXTS = {
    "divide": "divide by zero encountered in {}",
    "over": "overflow encountered in {}",
    "under": "underflow encountered in {}",
    "invalid": "invalid value encountered in {}",
}
UFUNCS = {
    **{"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floor_divide"},
    **{"%": "remainder", "**": "power"},
}
OF_SQUARES = {2: "square", 0.5: "sqrt", -1: "reciprocal"}  # powers, of arrays
Values = Sequence[Value]


def _zero(x: Value) -> Value:
    return logic.eq(x, constant(0, x.dtype, x.shape))


def _nonzero(*xs: Value) -> Value:
    return _all(logic.not_(_zero(x)) for x in xs)


def _tiny(x: Value) -> Value:
    """Smaller than any normal number: zero where the backend has no subnormal numbers."""
    least = np.finfo(x.dtype).smallest_normal
    return logic.lt(arithmetic.abs(x), constant(least, x.dtype, x.shape))


def _quotient_underflows(x: Value, y: Value) -> Value:
    return logic.and_(_nonzero(x), _tiny(arithmetic.div(x, y)))


# Where an infinite result of finite operands is a pole, by function; elsewhere it is an overflow.
POLES: dict[str, Callable[[Values], Value | bool]] = {
    **dict.fromkeys(
        ("divide", "floor_divide", "remainder", "fmod", "divmod"), lambda xs: _zero(xs[1])
    ),
    **dict.fromkeys(("reciprocal", "power", "float_power"), lambda xs: _zero(xs[0])),
    **dict.fromkeys(("log", "log2", "log10", "log1p", "arctanh"), lambda xs: True),
}
# Where a result of zero is an underflow: normal numbers give none in other functions.
UNDERFLOWS: dict[str, Callable[[Values], Value | bool]] = {
    "multiply": lambda xs: _nonzero(*xs),
    **dict.fromkeys(("divide", "square", "power", "float_power"), lambda xs: _nonzero(xs[0])),
    **dict.fromkeys(("exp", "exp2", "reciprocal"), lambda xs: True),
    **dict.fromkeys(("floor_divide", "divmod"), lambda xs: _quotient_underflows(*xs)),
    "arctan2": lambda xs: _nonzero(xs[0]),
}
NOT_EXACT = {"ldexp", "nextafter", "hypot"}  # under="raise"
REFUSED = {"matmul", "vecdot", "matvec", "vecmat", "logaddexp", "logaddexp2", "spacing"}

# Functions of NumPy, besides ufuncs, that are right under `errstate`: they move elements, compare
# them, or are made of what is checked.
_KNOWN = """
    abs all allclose amax amin any append arange argmax argmin argpartition argsort argwhere
    array array_equal array_equiv array_split asanyarray asarray asarray_chkfinite
    ascontiguousarray asfortranarray astype atleast_1d atleast_2d atleast_3d block
    broadcast_arrays broadcast_to choose clip column_stack compress concatenate copy copyto
    count_nonzero delete diag diag_indices diagflat diagonal dsplit dstack dtype empty
    empty_like errstate expand_dims extract eye fill_diagonal finfo flatnonzero flip fliplr
    flipud full full_like hsplit hstack identity iinfo imag indices insert isclose
    iscomplexobj isin isneginf isposinf isrealobj isscalar ix_ lexsort linspace max mean meshgrid
    min moveaxis nan_to_num ndarray ndim nonzero ones ones_like partition place prod ptp put
    put_along_axis putmask ravel ravel_multi_index real repeat reshape resize result_type roll
    rollaxis rot90 round around searchsorted select shape size sort split squeeze stack std
    sum swapaxes take take_along_axis tile transpose tri tril tril_indices triu triu_indices
    unique unravel_index var vectorize vsplit vstack where zeros zeros_like bool bool_ int8
    int16 int32 int64 uint8 uint16 uint32 uint64 float64 conj conjugate item fill tolist
    flatten
"""
KNOWN = frozenset(_KNOWN.split())


def refuse(ctx: Context, what: str) -> NoReturn:
    modes = ", ".join(f'{kind}="raise"' for kind in sorted(ctx.raising))
    help_text = "compute it outside of the `with`, or test its result with `np.isfinite`"
    ctx.fail(UnsupportedContext, what=f"{what} under `np.errstate({modes})`", help_text=help_text)


def refuse_unless_known(ctx: Context, function: Any, name: str) -> None:
    """Refuse a function whose errors are not known; those of other libraries do not raise."""
    text = name.rpartition(".")[2]
    of_numpy = name.startswith("numpy.") or type(function).__name__ == "method_descriptor"
    if isinstance(function, np.ufunc) and text not in REFUSED:
        return
    if (of_numpy and text not in KNOWN) or name.startswith("scipy."):
        refuse(ctx, f"`{name}`")


# ----- Operators and elementwise functions


def check_operator(ctx: Context, op: str, a: Abstract, b: Abstract, found: Abstract) -> Abstract:
    """`found` is `a op b` of NumPy's numbers or arrays."""
    if not ctx.raising or op not in UFUNCS or all(operand_dtype(ctx, x)[1] for x in (a, b)):
        return found
    name = UFUNCS[op]
    if not any(isinstance(x, Ref) for x in (a, b)):
        name = f"scalar {name}"
    elif op == "**" and is_static_number(b):
        name = OF_SQUARES.get(b.value, name)
    return check(ctx, name, (a,) if name in OF_SQUARES.values() else (a, b), (found,))[0]


def check(
    ctx: Context, text: str, xs: Sequence[Abstract], results: tuple[Abstract, ...]
) -> tuple[Abstract, ...]:
    """The errors of an elementwise function, which NumPy calls `text`; its results."""
    if not ctx.raising:
        return results
    return tuple(_checked(ctx, text, xs, found) for found in results)


def _checked(ctx: Context, text: str, xs: Sequence[Abstract], found: Abstract) -> Abstract:
    kinds, name = ctx.raising, text.removeprefix("scalar ")
    dtype, _ = operand_dtype(ctx, found)
    if dtype.kind == "c" or (name in NOT_EXACT and "under" in kinds):
        refuse(ctx, f"`{name}` of complex numbers" if dtype.kind == "c" else f"`numpy.{name}`")
    if dtype.kind in "iu":
        _check_integers(ctx, text, name, xs, dtype)
    if dtype.kind != "f":
        return found
    aval = Aval(dtype, ctx.shape(found))
    values, y = [operand(ctx, x, aval) for x in xs], operand(ctx, found, aval)
    finite = _all(map(transcendental.is_finite, values))
    infinite = logic.and_(finite, _infinite(y))
    pole = POLES.get(name, lambda xs: False)(values)
    small = UNDERFLOWS.get(name, lambda xs: False)(values)
    failed: dict[str, Any] = {
        "divide": _and(infinite, pole),
        "over": _and(infinite, not pole if isinstance(pole, bool) else logic.not_(pole)),
        "under": _and(logic.and_(finite, _tiny(y)), small),
        "invalid": logic.and_(_all(logic.eq(x, x) for x in values), logic.ne(y, y)),
    }
    if name in ("floor_divide", "divmod") and failed["over"] is not None:  # NumPy floors infinities
        failed["invalid"] = logic.or_(failed["invalid"], failed["over"])
    where = _raise(ctx, text, failed)
    if where is None:
        return found
    if isinstance(found, Scalar):
        return found.with_value(_without(where, y))
    assert isinstance(found, Ref)
    contents = ctx.contents_as(found, ArrayObject)
    ctx.heap.objects[found.id] = replace(contents, value=_without(where, y))
    return found


def _check_integers(
    ctx: Context, text: str, name: str, xs: Sequence[Abstract], dtype: np.dtype
) -> None:
    """NumPy's integers: divisions by zero; only single numbers overflow."""
    if name in ("floor_divide", "remainder", "fmod", "divmod") and "divide" in ctx.raising:
        divisor = operand(ctx, xs[1], Aval(dtype, ctx.shape(xs[1])))
        _raise(ctx, text, {"divide": _zero(divisor)})
    overflows = name in ("add", "subtract", "multiply", "power", "negative")
    if overflows and "over" in ctx.raising and text.startswith("scalar "):
        refuse(ctx, f"`{name}` of NumPy's integers, which may overflow,")


def check_reduction(ctx: Context, name: str, x: Value, axes: tuple[int, ...], y: Value) -> Value:
    """`y`, which is the sum or the product of `x` along `axes`."""
    if not ctx.raising or x.dtype.kind not in "fc":
        return y
    if x.dtype.kind == "c":
        refuse(ctx, f"`numpy.{name}` of complex numbers")

    def some(where: Value) -> Value:
        return reduce_or(where, axes=axes) if axes else where

    finite = logic.not_(some(logic.not_(transcendental.is_finite(x))))
    failed = {
        "over": logic.and_(finite, _infinite(y)),
        "under": logic.and_(_tiny(y), logic.not_(some(_zero(x)))) if name == "prod" else None,
        "invalid": logic.and_(logic.ne(y, y), logic.not_(some(logic.ne(x, x)))),
    }
    where = _raise(ctx, "reduce", failed)
    return y if where is None else _without(where, y)


def _infinite(x: Value) -> Value:
    return logic.and_(logic.eq(x, x), logic.not_(transcendental.is_finite(x)))


def _all(tests: Iterable[Value]) -> Value:
    return reduce(logic.and_, tests)


def _and(test: Value, other: Value | bool) -> Value | None:
    """None: never."""
    if isinstance(other, bool):
        return test if other else None
    return logic.and_(test, other)


# ----- Raising


def _raise(ctx: Context, text: str, failed: dict[str, Value | None]) -> Value | None:
    """The errors that raise, in NumPy's order (None: it is never made).

    Where a handler may catch them: whether there was one. The result has no derivative there.
    """
    found: Value | None = None
    for kind, where in failed.items():
        if where is None or kind not in ctx.raising:
            continue
        some, message = ctx.any(where), TEXTS[kind].format(text)
        found = some if found is None else logic.or_(found, some)
        if ctx.deferred is None:
            ctx.check(some, FloatingPointError, message)
        else:
            ctx.deferred.append((some, message))
    is_read = ctx.deferred is None and ctx.handlers.catches(FloatingPointError)
    return found if is_read else None


def _without(failed: Value, y: Value) -> Value:
    """`y`, which nothing reads where there was an error."""
    return logic.select(broadcast_to(failed, y.shape), constant(1, y.dtype, y.shape), y)


@contextmanager
def after_the_store(ctx: Context) -> Iterator[None]:
    """An operation in place: NumPy writes the result, then raises."""
    outer, ctx.deferred = ctx.deferred, []
    try:
        yield
        found = ctx.deferred
    finally:
        ctx.deferred = outer
    for failed, message in found:
        ctx.check(failed, FloatingPointError, message)
