"""`LinAlgError`, where a handler may catch it, by the rules of NumPy's LAPACK.

    try:                                check: a pivot of the LU factorization of a is 0
        x = np.linalg.solve(a, b)       if no error: x = solve(a, b)
    except np.linalg.LinAlgError:  ->
        x = b

Elsewhere a singular matrix has an inverse of infinities or NaN, as Python's floats have a quotient
by zero (`docs/python.md`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.values import NONE, Abstract, Static, Tuple
from myia.infer.numeric.float_checks import raise_where
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.registry import raises
from myia.ir.core import Value
from myia.library.support.arguments import numeric, value_of
from myia.library.support.traced import one_inexact
from myia.library.support.value_formulas import is_finite
from myia.primitives.linalg.lu import lu
from myia.primitives.linalg.matrix_formulas import block, diagonal, real
from myia.primitives.pointwise import logic

Check = Callable[..., None]
Call = Callable[[], Abstract]  # the result, where there is no error


def _of_linalg(*functions: Any) -> Callable[[Check], Check]:
    return raises(np.linalg.LinAlgError, *functions)


def operands(ctx: Context, *xs: Abstract) -> list[Value]:
    """Matrices at the dtype that LAPACK is called with."""
    arrays = [numeric(ctx, x) for x in xs]
    dtypes = one_inexact([operand_dtype(ctx, x) for x in arrays])
    return [value_of(ctx, x, dtype) for x, dtype in zip(arrays, dtypes)]


def is_singular(ctx: Context, a: Value) -> Value:
    """Is a pivot of a matrix exactly zero?"""
    return ctx.any(logic.eq(diagonal(lu(a)[0]), 0))


def not_positive(ctx: Context, a: Value, factor: Value) -> Value:
    """Is `a` not positive definite? Then all of its Cholesky factor is NaN.

    NaN in the matrix is no error: it goes on from its pivot.
    """
    given, found = (real(block(x, (0, 1), (0, 1))) for x in (a, factor))
    return ctx.any(logic.and_(logic.eq(given, given), logic.ne(found, found)))


def not_finite(ctx: Context, x: Value) -> Value:
    return ctx.any(logic.not_(is_finite(x)))


def has_nan(ctx: Context, x: Value) -> Value:
    return ctx.any(logic.ne(x, x))


# ----- What fails


@_of_linalg(np.linalg.inv)
def _inv(ctx: Context, call: Call, a: Abstract) -> None:
    _singular(ctx, *operands(ctx, a))


@_of_linalg(np.linalg.solve)
def _solve(ctx: Context, call: Call, a: Abstract, b: Abstract) -> None:
    _singular(ctx, operands(ctx, a, b)[0])


@_of_linalg(np.linalg.matrix_power)
def _matrix_power(ctx: Context, call: Call, a: Abstract, n: Abstract) -> None:
    if ctx.int_of(n, "the power of a matrix") < 0:
        _singular(ctx, *operands(ctx, a))


def _singular(ctx: Context, a: Value) -> None:
    if a.aval.size:
        raise_where(ctx, is_singular(ctx, a), np.linalg.LinAlgError("Singular matrix"))


@_of_linalg(np.linalg.cholesky)
def _cholesky(ctx: Context, call: Call, a: Abstract, /, *, upper: Abstract = Static(False)) -> None:
    (x,) = operands(ctx, a)
    if x.aval.size:
        failed = not_positive(ctx, x, value_of(ctx, call()))
        raise_where(ctx, failed, np.linalg.LinAlgError("Matrix is not positive definite"))


@_of_linalg(np.linalg.eig, np.linalg.eigvals)
def _eig(ctx: Context, call: Call, a: Abstract) -> None:
    failed = not_finite(ctx, *operands(ctx, a))
    raise_where(ctx, failed, np.linalg.LinAlgError("Array must not contain infs or NaNs"))


@_of_linalg(np.linalg.eigh, np.linalg.eigvalsh)
def _eigh(ctx: Context, call: Call, a: Abstract, UPLO: Abstract = NONE) -> None:
    """LAPACK finds numbers for some matrices with NaN. It has none for others, which is an error,
    and none for infinities, which is none.
    """
    result = call()
    w = value_of(ctx, result.items[0] if isinstance(result, Tuple) else result)
    failed = logic.and_(has_nan(ctx, w), has_nan(ctx, *operands(ctx, a)))
    raise_where(ctx, failed, np.linalg.LinAlgError("Eigenvalues did not converge"))


SVD = "SVD did not converge"


@_of_linalg(np.linalg.svd, np.linalg.svdvals, np.linalg.pinv, np.linalg.matrix_rank)
def _svd(ctx: Context, call: Call, *args: Abstract, **options: Abstract) -> None:
    a, *_ = *args, *options.values()
    if ctx.shape(numeric(ctx, a))[1:]:
        raise_where(ctx, has_nan(ctx, *operands(ctx, a)), np.linalg.LinAlgError(SVD))


@_of_linalg(np.linalg.cond)
def _cond(ctx: Context, call: Call, x: Abstract, p: Abstract = NONE) -> None:
    if ctx.static(p, "the norm of `np.linalg.cond`") in (None, 2, -2):
        _svd(ctx, call, x)


@_of_linalg(np.linalg.lstsq)
def _lstsq(ctx: Context, call: Call, a: Abstract, b: Abstract, rcond: Abstract = NONE) -> None:
    failed = not_finite(ctx, operands(ctx, a, b)[0])
    raise_where(ctx, failed, np.linalg.LinAlgError(f"{SVD} in Linear Least Squares"))
