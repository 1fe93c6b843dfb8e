"""Condensed matrix forms by Householder reflections, as in LAPACK; without derivatives."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from myia.ir.avals import Aval
from myia.ir.primitive import Primitive
from myia.primitives.core.define import CallablePrimitive, require
from myia.primitives.linalg.matrix_formulas import (
    evaluated,
    lapack,
    matrix_shape,
    nan_unless,
    square_shape,
    without_derivative,
)
from myia.primitives.pointwise.transcendental import real_dtype

# ----- Schur: A = Z T Z^H


def _schur_avals(a: Aval, *, vectors: bool) -> tuple[Aval, ...]:
    square_shape("schur", a)
    return (a, a) if vectors else (a,)


def _schur_form(a: np.ndarray, *, vectors: bool) -> Any:
    t, _, *_, z, _, failed = lapack("gees", a)(lambda *_: None, a, compute_v=vectors)
    return [nan_unless(not failed, x) for x in ((t, z) if vectors else (t,))]


# T, and Z if `vectors`; for real A, T has blocks of two rows on its diagonal.
schur_p = Primitive(
    name="schur",
    avals=_schur_avals,
    lower=lambda a, *, vectors: lax.linalg.schur(a, compute_schur_vectors=vectors),
    evaluate=evaluated(_schur_avals, _schur_form),
    derivative=without_derivative("the Schur form"),
)

# ----- Reflectors: Q = (1 - tau_1 v_1 v_1^H) ... (1 - tau_k v_k v_k^H)


def _householder_product_avals(a: Aval, taus: Aval) -> tuple[Aval]:
    batch, m, n = matrix_shape("householder_product", a)
    message = f"householder_product: {a} with {taus}"
    require(m >= n and taus.dtype == a.dtype and taus.shape[:-1] == batch, message)
    require(taus.shape[-1] <= n, message)
    return (a,)


def _multiply_reflectors(a: np.ndarray, taus: np.ndarray) -> Any:
    return lapack("ungqr" if np.iscomplexobj(a) else "orgqr", a)(a, taus)[:1]


householder_product = CallablePrimitive(
    name="householder_product",
    avals=_householder_product_avals,
    lower=lax.linalg.householder_product,
    evaluate=evaluated(_householder_product_avals, _multiply_reflectors),
    derivative=without_derivative("the product of Householder reflectors"),
)


def _geqrf_avals(a: Aval) -> tuple[Aval, Aval]:
    batch, m, n = matrix_shape("geqrf", a)
    return a, a.with_shape((*batch, min(m, n)))


def _lower_geqrf(a: jax.Array) -> tuple[jax.Array, ...]:
    factors, taus = jnp.linalg.qr(a, mode="raw")  # as NumPy gives it, transposed
    return factors.mT, taus


# R in the upper triangle, the reflectors whose product is Q below it, and their taus.
geqrf_p = Primitive(
    name="geqrf",
    avals=_geqrf_avals,
    lower=_lower_geqrf,
    evaluate=evaluated(_geqrf_avals, lambda a: lapack("geqrf", a)(a)[:2]),
    derivative=without_derivative("the reflectors of a QR factorization"),
)

# ----- Hessenberg: A = Q H Q^H, H zero below its first subdiagonal, where the reflectors are


def _hessenberg_avals(a: Aval) -> tuple[Aval, Aval]:
    batch, n = square_shape("hessenberg", a)
    require(n > 0, "hessenberg: the matrix is empty")
    return a, a.with_shape((*batch, n - 1))


def _reduce_to_hessenberg(a: np.ndarray) -> Any:
    return lapack("gehrd", a)(a)[:2] if len(a) > 1 else (a, np.zeros(0))


hessenberg_p = Primitive(
    name="hessenberg",
    avals=_hessenberg_avals,
    lower=lax.linalg.hessenberg,
    evaluate=evaluated(_hessenberg_avals, _reduce_to_hessenberg),
    derivative=without_derivative("the Hessenberg form"),
)

# ----- Tridiagonal: A = Q T Q^H for Hermitian A; only one triangle of A is read


def _tridiagonal_avals(a: Aval, *, lower: bool) -> tuple[Aval, ...]:
    batch, n = square_shape("tridiagonal", a)
    require(n > 0, "tridiagonal: the matrix is empty")
    shorter = a.with_shape((*batch, n - 1))
    real = real_dtype(a.dtype)
    return a, a.with_shape((*batch, n)).with_dtype(real), shorter.with_dtype(real), shorter


def _reduce_to_tridiagonal(a: np.ndarray, *, lower: bool) -> Any:
    return lapack("hetrd" if np.iscomplexobj(a) else "sytrd", a)(a, lower=lower)[:-1]


# The reflectors in one triangle, the diagonal, the subdiagonal, and the taus.
tridiagonal_p = Primitive(
    name="tridiagonal",
    avals=_tridiagonal_avals,
    lower=lambda a, *, lower: lax.linalg.tridiagonal(a, lower=lower),
    evaluate=evaluated(_tridiagonal_avals, _reduce_to_tridiagonal),
    derivative=without_derivative("the tridiagonal form"),
)
