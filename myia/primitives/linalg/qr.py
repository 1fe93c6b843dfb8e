"""QR factorization, with or without pivoting."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from jax import lax

from myia.ir.avals import I32, Aval
from myia.ir.builder import emit
from myia.ir.core import Tangents, Value, Values
from myia.ir.primitive import Explicit, Primitive
from myia.primitives.arrays.shaping import concatenate, pad
from myia.primitives.core.define import constant
from myia.primitives.linalg.lu import lu, lu_solve, permuted
from myia.primitives.linalg.matrix_formulas import (
    adjoint,
    block,
    evaluated,
    lower,
    matmul,
    matrix_shape,
    on_diagonal,
    transposed,
    upper,
)
from myia.primitives.linalg.triangular import solve_triangle
from myia.primitives.pointwise import transcendental
from myia.primitives.pointwise.logic import select


def _qr_avals(a: Aval, *, full_matrices: bool, pivoting: bool) -> tuple[Aval, ...]:
    batch, rows, columns = matrix_shape("qr", a)
    rank = rows if full_matrices else min(rows, columns)
    factors = a.with_shape((*batch, rows, rank)), a.with_shape((*batch, rank, columns))
    return (*factors, Aval(I32.dtype, (*batch, columns))) if pivoting else factors


def _factor(a: np.ndarray, *, full_matrices: bool, pivoting: bool) -> Any:
    mode = "full" if full_matrices else "economic"
    return scipy.linalg.qr(a, mode=mode, pivoting=pivoting)


def _skew_part(s: Value) -> Value:
    """The skew-Hermitian matrix with the lower triangle of `s`.

    `s` minus it is upper triangular with a real diagonal, as R is.
    """
    strictly = lower(s, -1)
    skew = strictly - adjoint(strictly)
    if s.dtype.kind != "c":
        return skew
    return select(on_diagonal(s.aval), transcendental.complex(0, transcendental.imag(s)), skew)


def _completion_jvp(q: Value, t: Value, rank: int) -> Value:
    """The tangent of the columns of Q from `rank` on, given the tangent of the first columns.

    The product of `rank` reflectors is determined by its first `rank` columns, and so is this
    tangent: J. Walter and S. Walter, arXiv:2409.13374, equations 32 and 33, with Q - I = Y T Y^H.
    """
    rows = q.shape[-2]
    first, last = block(q, (0, rows), (0, rank)), block(q, (0, rows), (rank, rows))
    top, below = block(first, (0, rank), (0, rank)), block(first, (rank, rows), (0, rank))
    moved_top, moved_below = block(t, (0, rank), (0, rank)), block(t, (rank, rows), (0, rank))
    # Z = below (top - I)^-1, transposed: (top - I)^T Z^T = below^T.
    a = select(on_diagonal(top.aval), top - 1, top)
    factors, _, permutation = lu(a)
    z = transposed(lu_solve(a, factors, permutation, transposed(below), transpose=True))
    span = first + matmul(last, z)
    return matmul(t, adjoint(z)) - matmul(span, adjoint(moved_below - matmul(z, moved_top)))


def _qr_jvp(ys: Values, xs: Values, ts: Values, *, full_matrices: bool, pivoting: bool) -> Tangents:
    """Q' = A' R^-1 - Q (S - Omega) and R' = Q^H A' - Omega R, with S = Q^H A' R^-1.

    Omega = Q^H Q' is the skew-Hermitian matrix that keeps R triangular: J. Townsend,
    Differentiating the QR decomposition, 2018. The first, square part of a wide A determines Q.
    """
    (q, r, *permutation), (t,) = ys, ts
    if pivoting:
        t = permuted(t, *permutation, columns=True)
    rows, columns = t.shape[-2:]
    rank = min(rows, columns)
    first = block(q, (0, rows), (0, rank))
    r = block(r, (0, rank), (0, columns))
    square = block(r, (0, rank), (0, rank))
    t_first = block(t, (0, rows), (0, rank))
    w = solve_triangle(square, t_first, left_side=False, lower=False)
    s = matmul(adjoint(first), w)
    omega = _skew_part(s)
    q_dot = w - matmul(first, s - omega)
    r_dot = upper(matmul(adjoint(first), t) - matmul(omega, r))
    if q.shape[-1] > rank:
        q_dot = concatenate(q_dot, _completion_jvp(q, q_dot, rank), axis=q.aval.ndim - 1)
        none = (0,) * r.aval.ndim
        high = (*none[2:], rows - rank, 0)
        r_dot = pad(r_dot, constant(0, r.dtype), low=none, high=high, interior=none)
    return q_dot, r_dot, *([None] if pivoting else [])


# Q and R with A = Q R (and the permutation of the columns of A, if `pivoting`). The derivative
# is not finite where the first min(m, n) columns of A are linearly dependent.
qr_p = Primitive(
    name="qr",
    avals=_qr_avals,
    lower=lambda a, *, full_matrices, pivoting: lax.linalg.qr(
        a, full_matrices=full_matrices, pivoting=pivoting
    ),
    evaluate=evaluated(_qr_avals, _factor),
    derivative=Explicit(_qr_jvp),
)


def qr(a: Value, *, full_matrices: bool = False, pivoting: bool = False) -> tuple[Value, ...]:
    return emit(qr_p, a, full_matrices=full_matrices, pivoting=pivoting)
