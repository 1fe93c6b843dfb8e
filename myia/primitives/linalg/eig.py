"""Eigenvalues and eigenvectors of general matrices."""

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
from myia.primitives.arrays.reductions import argmax
from myia.primitives.arrays.shaping import expand, iota, reduce_sum
from myia.primitives.linalg.eigh_svd import reciprocal_gaps
from myia.primitives.linalg.lu import lu, lu_solve
from myia.primitives.linalg.matrix_formulas import (
    LazyTangents,
    adjoint,
    as_rows,
    conj,
    diagonal,
    evaluated,
    matmul,
    refuse_derivative,
    square_shape,
)
from myia.primitives.pointwise import transcendental
from myia.primitives.pointwise.arithmetic import abs as abs_
from myia.primitives.pointwise.logic import convert, eq, select


def _eig_avals(a: Aval, *, left: bool, right: bool) -> tuple[Aval, ...]:
    batch, n = square_shape("eig", a)
    vectors = a.with_dtype(np.result_type(a.dtype, np.complex64))
    return vectors.with_shape((*batch, n)), *[vectors] * (left + right)


def _decompose(a: np.ndarray, *, left: bool, right: bool) -> Any:
    found = scipy.linalg.eig(a, left=left, right=right)
    return found if left or right else (found,)


_evaluate_eig = evaluated(_eig_avals, _decompose, only_finite=True)


def _lower_eig(a: jax.Array, *, left: bool, right: bool) -> Any:
    return lax.linalg.eig(a, compute_left_eigenvectors=left, compute_right_eigenvectors=right)


def _in_eigenbasis(v: Value, t: Value) -> Value:
    """V^-1 A' V."""
    factors, _, permutation = lu(v)
    return lu_solve(v, factors, permutation, matmul(t, v), transpose=False)


def _sum_of_rows(x: Value) -> Value:
    return reduce_sum(x, axes=(x.aval.ndim - 2,))


def _largest(v: Value) -> Value:
    """True at the element of each column of `v` that is largest in magnitude."""
    axis = v.aval.ndim - 2
    k = argmax(abs_(v), axis=axis)
    row = iota(shape=v.shape, axis=axis, dtype=k.dtype)
    return eq(row, expand(k, row.aval, (axis,)))


def _vectors_jvp(w: Value, v: Value, p: Value) -> Value:
    """V' = V (F P) + V diag(c), with P = V^-1 A' V and F = 1 / (w_j - w_i): Giles 2008, 3.1.

    c keeps the vectors as LAPACK scales them: of length 1, the element of largest magnitude real.
    """
    moved = matmul(v, reciprocal_gaps(w) * p)
    here = _largest(v)
    pivot = transcendental.real(_sum_of_rows(select(here, v, 0)))
    turn = -transcendental.imag(_sum_of_rows(select(here, moved, 0))) / pivot
    growth = -transcendental.real(_sum_of_rows(conj(v) * moved))
    return moved + v * as_rows(transcendental.complex(growth, turn), v.shape[-2])


def _smooth_eig_jvp(ys: Values, xs: Values, ts: Values, *, left: bool, right: bool) -> LazyTangents:
    """Left vectors are the right ones of A^H, whose eigenvalues are conjugate."""
    (a,), (t,) = xs, ts
    w, *vectors = ys
    if not a.aval.size:
        return [None] * len(ys)
    v = vectors[-1] if right else smooth_eig(a)[1]
    t = convert(t, dtype=v.dtype)
    p = _in_eigenbasis(v, t)
    tangents: list[Value | Callable[[], Value | None] | None] = [diagonal(p)]
    if left:
        u = vectors[0]
        tangents.append(lambda: _vectors_jvp(conj(w), u, _in_eigenbasis(u, adjoint(t))))
    if right:
        tangents.append(lambda: _vectors_jvp(w, v, p))
    return tangents


def _eig_jvp(ys: Values, xs: Values, ts: Values, *, left: bool, right: bool) -> LazyTangents:
    """The eigenvectors in the tangent are differentiable: a second derivative may be taken."""
    w, *_ = _smooth_eig_jvp(ys[:1], xs, ts, left=False, right=False)
    return [
        w,
        *[lambda: refuse_derivative("the eigenvectors of a general matrix")] * (left + right),
    ]


# Eigenvalues, then left vectors u (u^H A = w u^H) if `left`, right vectors if `right`. The values
# are differentiable. A derivative of the vectors is refused: it would be right for LAPACK's scaling
# only if no two elements of a vector tie for the largest, and that cannot be checked.
eig_p = Primitive(
    name="eig",
    avals=_eig_avals,
    lower=_lower_eig,
    evaluate=_evaluate_eig,
    derivative=Explicit(_eig_jvp),
)
# The same for callers with no such tie, or whose result does not depend on the scaling.
smooth_eig_p = Primitive(
    name="smooth_eig",
    avals=_eig_avals,
    lower=_lower_eig,
    evaluate=_evaluate_eig,
    derivative=Explicit(_smooth_eig_jvp),
)


def eig(a: Value, *, left: bool = False, right: bool = True) -> tuple[Value, ...]:
    """Eigenvalues and, if asked for, left and right eigenvectors."""
    return emit(eig_p, a, left=left, right=right)


def smooth_eig(a: Value, *, left: bool = False, right: bool = True) -> tuple[Value, ...]:
    """As `eig`, with the derivative of eigenvectors."""
    return emit(smooth_eig_p, a, left=left, right=right)
