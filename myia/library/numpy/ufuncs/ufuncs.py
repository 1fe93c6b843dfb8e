"""Registration of NumPy's universal functions: their dtypes, `dtype=`, `out=`, `where=`.

NumPy itself is asked for the dtypes (`ufunc.resolve_dtypes`), and operands are converted before the
computation. Compile-time numbers are evaluated by NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.memory_order import result_like
from myia.infer.domain.values import NONE, Abstract, Static, Tuple, is_static_number
from myia.infer.numeric import floating_point_errors
from myia.infer.numeric.constant_methods import evaluate_constant
from myia.infer.numeric.promotion import broadcast_shapes, operand, operand_dtype
from myia.infer.operators import comparison, operators
from myia.infer.registry import function, is_given
from myia.infer.unsupported import UnsupportedFunction
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.library.support.arguments import (
    cast,
    dtype_argument,
    mask_argument,
    numeric,
    selects_all,
    store_out,
    strong,
)
from myia.library.support.dynamic_variants import elementwise
from myia.library.support.ways import TABLE, TRACED, defined_by, way_of
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.source.diagnostics import InternalError

_PYTHON_TYPES = {"b": np.dtype(bool), "i": int, "f": float, "c": complex}
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def ufunc(numpy: np.ufunc, emit: Callable[..., Any], kinds: str = "biufc") -> None:
    """Register a ufunc: `emit` gets values of one shape in the dtypes that NumPy computes in.

    `kinds` are the kinds of dtype that are supported.
    """

    def compute(ctx: Context, xs: list[Abstract], dtype: np.dtype | None) -> Abstract:
        return _computed(ctx, numpy, emit, kinds, xs, dtype)

    register_ufunc(numpy, compute, TRACED if way_of(emit) == TRACED else TABLE)


def operator_ufunc(numpy: np.ufunc, op: str) -> None:
    """Register a ufunc that is a Python operator on NumPy's operands."""

    def compute(ctx: Context, xs: list[Abstract], dtype: np.dtype | None) -> Abstract:
        first, *_ = resolve_dtypes(ctx, numpy, xs, dtype)
        if numpy is np.power and operand_dtype(ctx, xs[0])[0].kind == "b":
            xs = [cast(ctx, xs[0], first), *xs[1:]]  # the operator alone squares bools in int8
        if all(operand_dtype(ctx, x)[1] for x in xs):  # only Python numbers: NumPy's arithmetic
            xs = [strong(x) for x in xs]
        if op in _COMPARISONS:
            return comparison.compare(ctx, op, *xs)
        if dtype is not None:
            xs = [cast(ctx, x, dtype) for x in xs]
        return operators.unary(ctx, op, *xs) if len(xs) == 1 else operators.binary(ctx, op, *xs)

    register_ufunc(numpy, compute, TABLE)


def register_ufunc(numpy: np.ufunc, compute: Callable[..., Abstract], way: str) -> None:
    """Register `compute(ctx, operands, dtype)` with the arguments common to all ufuncs."""
    name = _name(numpy)

    def handler(
        ctx: Context,
        *args: Abstract,
        out: Abstract = NONE,
        dtype: Abstract = NONE,
        where: Abstract = NONE,
    ) -> Abstract:
        if not numpy.nin <= len(args) <= numpy.nargs:
            message = f"{name}() takes {numpy.nin} positional arguments but {len(args)} were given"
            ctx.fail(BadType, message=message)
        xs = [numeric(ctx, x) for x in args[: numpy.nin]]
        if len(args) > numpy.nin:
            rest = args[numpy.nin :]
            out = rest[0] if numpy.nout == 1 else Tuple(rest + (NONE,) * (numpy.nargs - len(args)))
        wanted = dtype_argument(ctx, dtype)
        if ctx.raising and (is_given(out) or not selects_all(where)):
            floating_point_errors.refuse(ctx, f"`out=` and `where=` of `{name}`")
        if selects_all(where):
            return _stored(ctx, _applied(ctx, numpy, compute, xs, wanted), out)
        if numpy.nout > 1:
            ctx.fail(UnsupportedFunction, what=f"`where=` of `{name}`")
        if not is_given(out):
            ctx.fail(
                UnsupportedFunction, what=f"`where=` of `{name}` without `out=`", help_text=GIVE_OUT
            )
        mask = mask_argument(ctx, where, ctx.shape(out))
        assert mask is not None
        xs = [_safe_where_masked(ctx, numpy, x, mask) for x in xs]
        result = _applied(ctx, numpy, compute, xs, wanted)
        return store_out(ctx, result, out, spread=True, mask=mask)

    function(numpy, dynamic=elementwise(numpy.nin))(defined_by(way, handler))


def _stored(ctx: Context, result: Abstract, out: Abstract) -> Abstract:
    """`out=`; of several results, each into its array."""
    if not isinstance(result, Tuple) or not is_given(out):
        return store_out(ctx, result, out, spread=True)
    if not isinstance(out, Tuple):
        ctx.fail(BadType, message="'out' must be a tuple of arrays")
    if len(out.items) != len(result.items):
        message = "The 'out' tuple must have exactly one entry per ufunc output"
        ctx.fail(BadValue, message=message)
    stored = zip(result.items, out.items)
    return Tuple(tuple(store_out(ctx, x, y, spread=True) for x, y in stored))


GIVE_OUT = "elements that `where` leaves out have no value: give the array that holds them"


def _safe_where_masked(ctx: Context, numpy: np.ufunc, x: Abstract, mask: Value) -> Abstract:
    """An operand with another number where it is not computed with, so that no derivative there
    is infinite: 1/2 is inside the domains of all ufuncs but one. (A Python number is taken as is.)
    """
    dtype, weak = operand_dtype(ctx, x)
    if weak or isinstance(x, Static):
        return x
    inside = 2 if numpy is np.arccosh or dtype.kind != "f" else 0.5
    value = operand(ctx, x, Aval(dtype, mask.shape))
    return ctx.array(logic.select(mask, value, constant(inside, dtype, mask.shape)))


def _name(ufunc: np.ufunc) -> str:
    """As users know it. (A ufunc does not know its module.)"""
    module = "numpy" if _is_numpys(ufunc) else "scipy.special"
    return f"{module}.{ufunc.__name__}"


def _is_numpys(ufunc: np.ufunc) -> bool:
    return getattr(np, ufunc.__name__, None) is ufunc


def _applied(
    ctx: Context,
    numpy: np.ufunc,
    compute: Callable[..., Abstract],
    xs: list[Abstract],
    dtype: np.dtype | None,
) -> Abstract:
    if all(is_static_number(x) for x in xs):
        numbers = [x.value for x in xs if isinstance(x, Static)]
        return evaluate_constant(ctx, numpy, *numbers, dtype=dtype)
    result = compute(ctx, xs, dtype)
    return result if isinstance(result, Tuple) else strong(result)


def resolve_dtypes(
    ctx: Context, numpy: np.ufunc, xs: list[Abstract], dtype: np.dtype | None = None
) -> tuple[np.dtype, ...]:
    """The dtypes of the operands and of the result."""
    found: list[Any] = []
    for x in xs:
        of, weak = operand_dtype(ctx, x)
        found.append(_PYTHON_TYPES[of.kind] if weak else of)
    options: dict[str, Any] = {} if dtype is None else {"signature": (None,) * numpy.nin + (dtype,)}
    try:
        return numpy.resolve_dtypes((*found, *[None] * numpy.nout), **options)
    except TypeError as e:
        ctx.fail(BadType, message=str(e).partition("\n")[0])


def _computed(
    ctx: Context,
    numpy: np.ufunc,
    emit: Callable[..., Any],
    kinds: str,
    xs: list[Abstract],
    dtype: np.dtype | None,
) -> Abstract:
    resolved = resolve_dtypes(ctx, numpy, xs, dtype)
    dtypes, result_dtypes = resolved[: numpy.nin], resolved[numpy.nin :]
    if any(d.kind not in "biufc" for d in dtypes):
        ctx.fail(BadType, message=f"ufunc '{numpy.__name__}' of a number beyond 64 bits")
    if any(d.kind not in kinds for d in dtypes):
        ctx.fail(UnsupportedFunction, what=f"`{_name(numpy)}` of {dtypes[0]}")
    shape = broadcast_shapes(ctx, *xs)
    made = emit(*(operand(ctx, x, Aval(d, shape)) for x, d in zip(xs, dtypes)))
    values = [made] if isinstance(made, Value) else made
    if tuple(v.dtype for v in values) != tuple(result_dtypes):
        message = f"{[v.dtype for v in values]}, but NumPy has {result_dtypes}"
        raise InternalError(f"{numpy.__name__}: {message}")
    results = tuple(result_like(ctx, v, *xs) for v in values)
    if _is_numpys(numpy):
        results = floating_point_errors.check(ctx, numpy.__name__, xs, results)
    return results[0] if len(results) == 1 else Tuple(results)
