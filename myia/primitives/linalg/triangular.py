"""Triangular systems, Cholesky factorization, and tridiagonal systems."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from jax import lax

from myia.ir.avals import Aval
from myia.ir.core import Op, Tangents, Value, Values
from myia.ir.primitive import Cotangents, Explicit
from myia.primitives.arrays.cumulative import shift
from myia.primitives.arrays.shaping import reduce_sum
from myia.primitives.core.define import CallablePrimitive, require
from myia.primitives.linalg.matrix_formulas import (
    as_columns,
    conj,
    evaluated,
    filled_from_triangle,
    lapack,
    lower,
    matmul,
    nan_unless,
    on_diagonal,
    square_shape,
    transposed,
    upper,
)
from myia.primitives.pointwise.logic import select

# ----- Triangular systems: op(A) X = B, or X op(A) = B; only one triangle of A is read


def _triangular_solve_avals(a: Aval, b: Aval, *, left_side: bool, **_: Any) -> tuple[Aval]:
    batch, n = square_shape("triangular_solve", a)
    message = f"triangular_solve: {a} with {b}"
    require(a.dtype == b.dtype and b.ndim == a.ndim and b.shape[:-2] == batch, message)
    require(b.shape[-2 if left_side else -1] == n, message)
    return (b,)


def _solve_triangle(
    a: np.ndarray,
    b: np.ndarray,
    *,
    left_side: bool,
    lower: bool,
    transpose_a: bool,
    conjugate_a: bool,
    unit_diagonal: bool,
) -> Any:
    (trsm,) = scipy.linalg.get_blas_funcs(("trsm",), (a, b))
    a = np.conj(a) if conjugate_a else a
    return [trsm(1, a, b, not left_side, lower, transpose_a, unit_diagonal)]


def _read_triangle(a: Value, is_lower: bool, unit_diagonal: bool) -> Value:
    return lower(a, -unit_diagonal) if is_lower else upper(a, unit_diagonal)


def _op(a: Value, transpose_a: bool, conjugate_a: bool) -> Value:
    a = transposed(a) if transpose_a else a
    return conj(a) if conjugate_a else a


def _triangular_solve_jvp(
    ys: Values, xs: Values, ts: Tangents, *, left_side: bool, **flags: Any
) -> Tangents:
    """op(A)' X + op(A) X' = B', hence op(A) X' = B' - op(A)' X."""
    (x,), (a, _), (ta, t) = ys, xs, ts
    if ta is not None:
        ta = _read_triangle(ta, flags["lower"], flags["unit_diagonal"])
        ta = _op(ta, flags["transpose_a"], flags["conjugate_a"])
        moved = matmul(ta, x) if left_side else matmul(x, ta)
        t = -moved if t is None else t - moved
    assert t is not None
    return (triangular_solve(a, t, left_side=left_side, **flags),)


def _triangular_solve_vjp(op: Op, cts: Values, acc: Cotangents) -> None:
    """The cotangent of B solves the transposed system, that of op(A) is -ct_B X^T."""
    (a, b), (x,), (ct,), params = op.operands, op.results, cts, op.params
    flipped = {**params, "transpose_a": not params["transpose_a"]}
    ct_b = triangular_solve(a, ct, **flipped)
    acc.add(b, ct_b)
    if acc.wants(a):
        left = params["left_side"]
        ct_op = -(matmul(ct_b, transposed(x)) if left else matmul(transposed(x), ct_b))
        ct_a = _op(ct_op, params["transpose_a"], params["conjugate_a"])
        acc.add(a, _read_triangle(ct_a, params["lower"], params["unit_diagonal"]))


triangular_solve = CallablePrimitive(
    name="triangular_solve",
    avals=_triangular_solve_avals,
    lower=lambda a, b, **flags: lax.linalg.triangular_solve(a, b, **flags),
    evaluate=evaluated(_triangular_solve_avals, _solve_triangle),
    derivative=Explicit(_triangular_solve_jvp, _triangular_solve_vjp),
)


def solve_triangle(
    a: Value,
    b: Value,
    *,
    left_side: bool = True,
    lower: bool = True,
    transpose_a: bool = False,
    conjugate_a: bool = False,
    unit_diagonal: bool = False,
) -> Value:
    """`triangular_solve` with defaults: A X = B for a lower triangular A."""
    return triangular_solve(
        a,
        b,
        left_side=left_side,
        lower=lower,
        transpose_a=transpose_a,
        conjugate_a=conjugate_a and a.dtype.kind == "c",
        unit_diagonal=unit_diagonal,
    )


# ----- Cholesky


def _cholesky_avals(a: Aval) -> tuple[Aval]:
    square_shape("cholesky", a)
    return (a,)


def _factor(a: np.ndarray) -> Any:
    factored, failed = lapack("potrf", a)(a, lower=True, clean=True)
    return [np.tril(nan_unless(not failed, factored))]


def half_diagonal(x: Value) -> Value:
    """The lower triangle with half of the diagonal."""
    return lower(select(on_diagonal(x.aval), 0.5 * x, x))


def _cholesky_jvp(ys: Values, xs: Values, ts: Values) -> Tangents:
    """L' = L phi(L^-1 A' L^-H), phi: the lower triangle with half the diagonal.

    I. Murray, Differentiation of the Cholesky decomposition, 2016 (arXiv:1602.07527).
    """
    (factor,), (t,) = ys, ts
    t = filled_from_triangle(t, is_lower=True)
    right = solve_triangle(factor, t, left_side=False, transpose_a=True, conjugate_a=True)
    return (matmul(factor, half_diagonal(solve_triangle(factor, right))),)


# L with A = L L^H. Depends on the lower triangle of A alone; NaN where A is
# not positive definite.
cholesky = CallablePrimitive(
    name="cholesky",
    avals=_cholesky_avals,
    lower=lambda a: lax.linalg.cholesky(a, symmetrize_input=False),
    evaluate=evaluated(_cholesky_avals, _factor),
    derivative=Explicit(_cholesky_jvp),
)

# ----- Tridiagonal systems: T X = B, T of the diagonals `dl` (below; its first element is not
# read), `d`, and `du` (above; its last element is not read)


def _tridiagonal_solve_avals(dl: Aval, d: Aval, du: Aval, b: Aval) -> tuple[Aval]:
    message = f"tridiagonal_solve: diagonals {dl}, {d}, {du} with {b}"
    require(dl == d == du and b.ndim >= 2 and d == b.with_shape(b.shape[:-1]), message)
    return (b,)


def _solve_tridiagonal(dl: np.ndarray, d: np.ndarray, du: np.ndarray, b: np.ndarray) -> Any:
    if len(d) == 1:
        return [b / d]
    *_, x, failed = lapack("gtsv", d, b)(dl[1:], d, du[:-1], b)
    return [nan_unless(not failed, x)]


def _adjacent_rows(x: Value) -> tuple[Value, Value, Value]:
    """The previous, same and next rows of X, which the three diagonals multiply."""
    rows = x.aval.ndim - 2
    return shift(x, 1, 0, rows, False), x, shift(x, 1, 0, rows, True)


def _tridiagonal_solve_jvp(ys: Values, xs: Values, ts: Tangents) -> Tangents:
    """T X' = B' - T' X."""
    (x,), (dl, d, du, _), (*diagonals, t) = ys, xs, ts
    for moved, row in zip(diagonals, _adjacent_rows(x)):
        if moved is not None:
            product = as_columns(moved, x.shape[-1]) * row
            t = -product if t is None else t - product
    assert t is not None
    return (tridiagonal_solve(dl, d, du, t),)


def _tridiagonal_solve_vjp(op: Op, cts: Values, acc: Cotangents) -> None:
    (dl, d, du, b), (x,), (ct,) = op.operands, op.results, cts
    last = d.aval.ndim - 1
    below, above = shift(du, 1, 0, last, False), shift(dl, 1, 0, last, True)
    ct_b = tridiagonal_solve(below, d, above, ct)
    acc.add(b, ct_b)
    for moved, row in zip((dl, d, du), _adjacent_rows(x)):
        if acc.wants(moved):
            acc.add(moved, -reduce_sum(ct_b * row, axes=(last + 1,)))


tridiagonal_solve = CallablePrimitive(
    name="tridiagonal_solve",
    avals=_tridiagonal_solve_avals,
    lower=lax.linalg.tridiagonal_solve,
    evaluate=evaluated(_tridiagonal_solve_avals, _solve_tridiagonal, cores=1),
    derivative=Explicit(_tridiagonal_solve_jvp, _tridiagonal_solve_vjp),
)
