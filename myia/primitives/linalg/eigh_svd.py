"""Eigendecomposition of Hermitian matrices, and singular value decomposition.

The derivatives are those of distinct eigenvalues and distinct singular values (M. Giles, An
extended collection of matrix derivative results, 2008). Where two are equal, the derivative of
their vectors is not finite: no choice of the vectors is differentiable there. Functions of the
values alone are still right to first order. The phase of a complex vector is arbitrary: its tangent
has no component along the vector. Functions that do not depend on the phase have the right
derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import scipy
from jax import lax

from myia.ir.avals import Aval
from myia.ir.builder import emit
from myia.ir.core import Value, Values
from myia.ir.primitive import Explicit, Primitive
from myia.primitives.core.define import constant
from myia.primitives.linalg.matrix_formulas import (
    LazyTangents,
    adjoint,
    as_columns,
    as_rows,
    diagonal,
    evaluated,
    filled_from_triangle,
    matmul,
    matrix_shape,
    on_diagonal,
    real,
    refuse_derivative,
    square_shape,
)
from myia.primitives.pointwise.logic import convert, eq, select
from myia.primitives.pointwise.transcendental import real_dtype

# ----- Hermitian matrices: A V = V diag(w)


def _eigh_avals(a: Aval, *, lower: bool) -> tuple[Aval, Aval]:
    batch, n = square_shape("eigh", a)
    return a, Aval(real_dtype(a.dtype), (*batch, n))


def _decompose_hermitian(a: np.ndarray, *, lower: bool) -> tuple[np.ndarray, ...]:
    w, v = scipy.linalg.eigh(a, lower=lower, driver="evd")
    return v, w


def reciprocal_gaps(w: Value) -> Value:
    """1 / (w_j - w_i) at row i and column j, and zero on the diagonal."""
    n = w.shape[-1]
    gaps = as_rows(w, n) - as_columns(w, n)
    here = on_diagonal(gaps.aval)
    return select(here, 0, 1 / select(here, 1, gaps))


def _eigh_jvp(ys: Values, xs: Values, ts: Values, *, lower: bool) -> LazyTangents:
    """With P = V^H A' V: w' = diag P and V' = V (P / (w_j - w_i)), Giles 2008, section 3.1."""
    (v, w), (t,) = ys, ts
    p = matmul(adjoint(v), matmul(filled_from_triangle(t, lower), v))

    def of_vectors() -> Value:
        return matmul(v, convert(reciprocal_gaps(w), dtype=p.dtype) * p)

    return of_vectors, real(diagonal(p))


# Eigenvectors as columns, ascending eigenvalues. Only one triangle of the matrix is read.
eigh_p = Primitive(
    name="eigh",
    avals=_eigh_avals,
    lower=lambda a, *, lower: lax.linalg.eigh(a, lower=lower, symmetrize_input=False),
    evaluate=evaluated(_eigh_avals, _decompose_hermitian, only_finite=True),
    derivative=Explicit(_eigh_jvp),
)


def eigh(a: Value, *, lower: bool = True) -> tuple[Value, Value]:
    """Vectors and values."""
    v, w = emit(eigh_p, a, lower=lower)
    return v, w


# ----- Singular values: A = U diag(s) V^H


def _svd_avals(a: Aval, *, full_matrices: bool, compute_uv: bool) -> tuple[Aval, ...]:
    batch, m, n = matrix_shape("svd", a)
    k = min(m, n)
    s = Aval(real_dtype(a.dtype), (*batch, k))
    if not compute_uv:
        return (s,)
    rows, columns = (m, n) if full_matrices else (k, k)
    return s, a.with_shape((*batch, m, rows)), a.with_shape((*batch, columns, n))


def _decompose_by_svd(a: np.ndarray, *, full_matrices: bool, compute_uv: bool) -> Any:
    found = scipy.linalg.svd(a, full_matrices, compute_uv)
    return (found[1], found[0], found[2]) if compute_uv else (found,)


def _svd_jvp(
    ys: Values, xs: Values, ts: Values, *, full_matrices: bool, compute_uv: bool
) -> LazyTangents:
    """With P = U^H A' V and F = 1 / (s_j^2 - s_i^2):

    s' = diag P, U' = U (F (P s + s P^H)) + (I - U U^H) A' V / s, V' likewise: Townsend,
    Differentiating the singular value decomposition, 2016. The imaginary part of diag P turns the
    phase of U.
    """
    (a,), (t,), (s, *vectors) = xs, ts, ys
    rows, columns = a.shape[-2:]
    known = compute_uv and (not full_matrices or rows == columns)
    u, vh = vectors if known else svd(a)[1:]
    v = adjoint(vh)
    p = matmul(matmul(adjoint(u), t), v)
    of_values = real(diagonal(p))
    if not compute_uv:
        return (of_values,)
    if not known:
        return of_values, *[lambda: refuse_derivative("the vectors of a full `svd`")] * 2

    def of_left() -> Value:
        gaps, of_row, of_column = _gaps_and_values(s, p)
        phase = 0.5 * (p - adjoint(p)) * _reciprocal_or_zero(of_column)
        turn = select(on_diagonal(p.aval), phase, gaps * (p * of_column + of_row * adjoint(p)))
        return _vectors_tangent(u, turn, lambda: matmul(t, v), s)

    def of_right() -> Value:
        gaps, of_row, of_column = _gaps_and_values(s, p)
        turn = gaps * (of_row * p + adjoint(p) * of_column)
        return adjoint(_vectors_tangent(v, turn, lambda: matmul(adjoint(t), u), s))

    return of_values, of_left, of_right


def _gaps_and_values(s: Value, p: Value) -> tuple[Value, Value, Value]:
    """1 / (s_j^2 - s_i^2), s_i and s_j, at row i and column j."""
    gaps = reciprocal_gaps(s) * _reciprocal_sums(s)
    k = s.shape[-1]
    factors = (gaps, as_columns(s, k), as_rows(s, k))
    gaps, of_row, of_column = (convert(x, dtype=p.dtype) for x in factors)
    return gaps, of_row, of_column


def _reciprocal_sums(s: Value) -> Value:
    k = s.shape[-1]
    sums = as_rows(s, k) + as_columns(s, k)
    return 1 / select(on_diagonal(sums.aval), 1, sums)


def _reciprocal_or_zero(x: Value) -> Value:
    zero = eq(x, constant(0, x.dtype, x.shape))
    return select(zero, 0, 1 / select(zero, 1, x))


def _vectors_tangent(u: Value, turn: Value, image: Callable[[], Value], s: Value) -> Value:
    """The tangent of U: within its span, plus (I - U U^H) image / s if U is not square."""
    turned = matmul(u, turn)
    if u.shape[-2] == u.shape[-1]:
        return turned
    x = image()
    rest = x - matmul(u, matmul(adjoint(u), x))
    return turned + rest / convert(as_rows(s, rest.shape[-2]), dtype=rest.dtype)


# s, and if `compute_uv` U and V^H; U and V are square if `full_matrices`.
svd_p = Primitive(
    name="svd",
    avals=_svd_avals,
    lower=lambda a, *, full_matrices, compute_uv: _lower_svd(a, full_matrices, compute_uv),
    evaluate=evaluated(_svd_avals, _decompose_by_svd, only_finite=True),
    derivative=Explicit(_svd_jvp),
)


def _lower_svd(a: jax.Array, full_matrices: bool, compute_uv: bool) -> Any:
    found = lax.linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv)
    return (found[1], found[0], found[2]) if compute_uv else found


def svd(a: Value, *, full_matrices: bool = False) -> tuple[Value, Value, Value]:
    """s, U and V^H."""
    s, u, vh = emit(svd_p, a, full_matrices=full_matrices, compute_uv=True)
    return s, u, vh
