"""LU factorization, and linear systems solved with given factors."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from myia.ir.avals import I32, Aval
from myia.ir.builder import emit
from myia.ir.core import Op, Tangents, Value, Values
from myia.ir.primitive import NONDIFFERENTIABLE, Cotangents, Explicit, Formula, Primitive
from myia.primitives.arrays.gather import gather, index_dims
from myia.primitives.arrays.shaping import pad, reshape
from myia.primitives.core.define import CallablePrimitive, constant, require
from myia.primitives.linalg.matrix_formulas import (
    block,
    evaluated,
    lapack,
    lower,
    matmul,
    matrix_shape,
    on_diagonal,
    square_shape,
    transposed,
    upper,
)
from myia.primitives.linalg.triangular import solve_triangle, triangular_solve
from myia.primitives.pointwise.logic import select

# ----- The factorization P A = L U


def _lu_avals(a: Aval) -> tuple[Aval, ...]:
    batch, rows, columns = matrix_shape("lu", a)
    pivots = Aval(I32.dtype, (*batch, min(rows, columns)))
    return a, pivots, Aval(I32.dtype, (*batch, rows))


def _factor(a: np.ndarray) -> tuple[np.ndarray, ...]:
    factors, pivots, _ = lapack("getrf", a)(a) if a.size else (a, np.arange(0), 0)
    return factors, pivots, _permutation(pivots, len(a))


def _permutation(pivots: np.ndarray, size: int) -> np.ndarray:
    """The order of rows after row i was swapped with row `pivots[i]`, for each i in turn."""
    order = np.arange(size)
    for i, pivot in enumerate(pivots):
        order[[i, pivot]] = order[[pivot, i]]
    return order


def permuted(x: Value, permutation: Value, *, columns: bool = False) -> Value:
    """The rows, or the columns, of `x` in another order, one for each matrix of the batch."""
    if not x.aval.size:
        return x
    *batch, moved, kept = range(x.aval.ndim)
    if columns:
        moved, kept = kept, moved
    indices = reshape(permutation, shape=(*permutation.shape, 1))
    dims = index_dims((kept,), (moved,), (moved,), batch, batch)
    sizes = tuple(n if axis == kept else 1 for axis, n in enumerate(x.shape))
    return gather(x, indices, dims=dims, sizes=sizes, mode="clip", fill=None)


def _completed(x: Value, size: int) -> Value:
    """`x` extended to a square matrix of that size, with ones on the new part of the diagonal."""
    rank = min(x.shape[-2:])
    if x.shape[-2:] == (size, size):
        return x
    none = (0,) * x.aval.ndim
    high = (*none[2:], size - x.shape[-2], size - x.shape[-1])
    grown = pad(x, constant(0, x.dtype), low=none, high=high, interior=none)
    return select(on_diagonal(grown.aval, rank), 1, grown)


def _lu_jvp(ys: Values, xs: Values, ts: Values) -> Tangents:
    """L' = L tril(T, -1) and U' = triu(T) U, with T = L^-1 P A' U^-1.

    S. Axen, Differentiating the LU decomposition, 2021. A factor that is not square is completed
    to one by the identity: that does not change the product.
    """
    (factors, _, permutation), (t,) = ys, ts
    rows, columns = t.shape[-2:]
    rank = min(rows, columns)
    left = _completed(block(factors, (0, rows), (0, rank)), rows)
    right = _completed(block(factors, (0, rank), (0, columns)), columns)
    t = solve_triangle(left, permuted(t, permutation), unit_diagonal=True)
    t = solve_triangle(right, t, left_side=False, lower=False)
    left = select(on_diagonal(left.aval), 1, lower(left))
    return matmul(left, lower(t, -1)) + matmul(upper(t), upper(right)), None, None


# Both factors in one matrix (without L's diagonal of ones), the row swaps in LAPACK's form, and the
# permutation that they amount to.
lu_p = Primitive(
    name="lu",
    avals=_lu_avals,
    lower=lax.linalg.lu,
    evaluate=evaluated(_lu_avals, _factor),
    derivative=Explicit(_lu_jvp),
)


def lu(a: Value) -> tuple[Value, Value, Value]:
    """The factors of P A = L U, the pivots, and the permutation of rows: (P A) = A[permutation]."""
    factors, pivots, permutation = emit(lu_p, a)
    return factors, pivots, permutation


def _pivots_avals(pivots: Aval, *, size: int) -> tuple[Aval]:
    require(pivots.dtype.kind in "iu" and pivots.ndim >= 1, f"pivots are {pivots}")
    require(pivots.shape[-1] <= size, f"{pivots} permute {size} rows")
    return (pivots.with_shape((*pivots.shape[:-1], size)),)


lu_pivots_to_permutation = CallablePrimitive(
    name="lu_pivots_to_permutation",
    avals=_pivots_avals,
    lower=lambda pivots, *, size: lax.linalg.lu_pivots_to_permutation(pivots, size),
    evaluate=evaluated(
        _pivots_avals, lambda pivots, *, size: [_permutation(pivots, size)], cores=1
    ),
    derivative=NONDIFFERENTIABLE,
)

# ----- Systems of equations op(A) X = B, op(A) = A or its transpose


def _solver(name: str, solve: Formula, factors: int) -> CallablePrimitive:
    """The operation (A, *factors of A, B) -> X.

    X is computed from the factors alone. Its derivative is the implicit one, op(A) X' =
    B' - op(A)' X, solved with the same factors: A is factored once, whatever the order of the
    derivative. The factors count as constants here and have no cotangent.
    """

    def avals(a: Aval, *rest: Aval, transpose: bool) -> tuple[Aval]:
        batch, n = square_shape(name, a)
        b, message = rest[-1], f"{name}: {a} with {rest}"
        require(len(rest) == factors + 1 and rest[0] == a and b.dtype == a.dtype, message)
        require(b.ndim == a.ndim and b.shape[:-1] == (*batch, n), message)
        return (b,)

    def jvp(ys: Values, xs: Values, ts: Tangents, *, transpose: bool) -> Tangents:
        (x,), (a, *known, _), (ta, *_, t) = ys, xs, ts
        if ta is not None:
            moved = matmul(transposed(ta) if transpose else ta, x)
            t = -moved if t is None else t - moved
        return (None if t is None else primitive(a, *known, t, transpose=transpose),)

    def vjp(op: Op, cts: Values, acc: Cotangents) -> None:
        (a, *known, b), (x,), (ct,) = op.operands, op.results, cts
        transpose = op.params["transpose"]
        ct_b = primitive(a, *known, ct, transpose=not transpose)
        acc.add(b, ct_b)
        if acc.wants(a):
            left, right = (x, ct_b) if transpose else (ct_b, x)
            acc.add(a, -matmul(left, transposed(right)))

    primitive = CallablePrimitive(
        name=name,
        avals=avals,
        lower=lambda a, *rest, transpose: solve(
            lax.linalg.triangular_solve, jnp, *rest, transpose=transpose
        ),
        evaluate=lambda a, *rest, transpose: solve(
            triangular_solve.evaluate, np, *rest, transpose=transpose
        ),
        derivative=Explicit(jvp, vjp),
    )
    return primitive


def _solve_by_lu(
    solve: Any, numpy: Any, factors: Any, permutation: Any, b: Any, *, transpose: bool
) -> Any:
    flags = dict(left_side=True, transpose_a=transpose, conjugate_a=False)
    small = dict(lower=True, unit_diagonal=True, **flags)
    big = dict(lower=False, unit_diagonal=False, **flags)
    if transpose:
        b = solve(factors, solve(factors, b, **big), **small)
        order = numpy.argsort(permutation, axis=-1)
        return numpy.take_along_axis(b, order[..., None], axis=-2)
    b = numpy.take_along_axis(b, permutation[..., None], axis=-2)
    return solve(factors, solve(factors, b, **small), **big)


def _solve_by_cholesky(solve: Any, numpy: Any, factor: Any, b: Any, *, transpose: bool) -> Any:
    """A = L L^H, and its transpose is conj(L) L^T."""
    flags = dict(left_side=True, lower=True, unit_diagonal=False)
    if transpose:
        factor = numpy.conj(factor)
    b = solve(factor, b, transpose_a=False, conjugate_a=False, **flags)
    conjugate = np.dtype(factor.dtype).kind == "c"
    return solve(factor, b, transpose_a=True, conjugate_a=conjugate, **flags)


# (A, factors, permutation, B), with the first and the last result of `lu`.
lu_solve = _solver("lu_solve", _solve_by_lu, factors=2)
# (A, L, B), with L of `cholesky`: for Hermitian A. The derivative depends on all elements of A.
cholesky_solve = _solver("cholesky_solve", _solve_by_cholesky, factors=1)
