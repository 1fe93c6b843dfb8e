"""Condensed matrix forms by Householder reflections, as in LAPACK; without derivatives."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jax import lax

from myia.ir.avals import Aval
from myia.ir.primitive import Primitive
from myia.primitives.core.define import CallablePrimitive, require
from myia.primitives.linalg.matrix_formulas import (
    matrix_shape,
    nan_unless,
    over_batch,
    square_shape,
    without_derivative,
)
from myia.primitives.pointwise.transcendental import real_dtype


def _routine(name: str, *arrays: np.ndarray) -> Any:
    """The LAPACK routine for the dtype of `arrays`; it returns its status last."""
    (routine,) = scipy.linalg.get_lapack_funcs((name,), arrays)
    return routine


def _is_complex(x: Aval | np.ndarray) -> bool:
    return np.dtype(x.dtype).kind == "c"


# ----- Schur: A = Z T Z^H


def _schur_avals(a: Aval, *, vectors: bool) -> tuple[Aval, ...]:
    square_shape("schur", a)
    return (a, a) if vectors else (a,)


def _evaluate_schur(a: np.ndarray, *, vectors: bool) -> Any:
    avals = _schur_avals(Aval(a.dtype, a.shape), vectors=vectors)
    gees = _routine("gees", a)

    def factor(a: np.ndarray) -> Any:
        if not a.size:
            return [a] * len(avals)
        t, _, *_, z, _, failed = gees(lambda *_: None, a, compute_v=vectors)
        return [nan_unless(not failed, x) for x in ((t, z) if vectors else (t,))]

    return over_batch(factor, avals, a)


# T, and Z if `vectors`; for real A, T has blocks of two rows on its diagonal.
schur_p = Primitive(
    name="schur",
    avals=_schur_avals,
    lower=lambda a, *, vectors: lax.linalg.schur(a, compute_schur_vectors=vectors),
    evaluate=_evaluate_schur,
    derivative=without_derivative("the Schur form"),
)

# ----- Reflectors: Q = (1 - tau_1 v_1 v_1^H) ... (1 - tau_k v_k v_k^H)


def _householder_product_avals(a: Aval, taus: Aval) -> tuple[Aval]:
    batch, m, n = matrix_shape("householder_product", a)
    message = f"householder_product: {a} with {taus}"
    require(m >= n and taus.dtype == a.dtype and taus.shape[:-1] == batch, message)
    require(taus.shape[-1] <= n, message)
    return (a,)


def _evaluate_householder_product(a: np.ndarray, taus: np.ndarray) -> Any:
    orgqr = _routine("ungqr" if _is_complex(a) else "orgqr", a)

    def multiply(a: np.ndarray, taus: np.ndarray) -> Any:
        return [orgqr(a, taus)[0] if a.size else a]

    return over_batch(multiply, [Aval(a.dtype, a.shape)], a, taus)[0]


householder_product = CallablePrimitive(
    name="householder_product",
    avals=_householder_product_avals,
    lower=lax.linalg.householder_product,
    evaluate=_evaluate_householder_product,
    derivative=without_derivative("the product of Householder reflectors"),
)


def _geqrf_avals(a: Aval) -> tuple[Aval, Aval]:
    batch, m, n = matrix_shape("geqrf", a)
    return a, a.with_shape((*batch, min(m, n)))


def _lower_geqrf(a: jax.Array) -> tuple[jax.Array, ...]:
    factors, taus = jnp.linalg.qr(a, mode="raw")  # as NumPy gives it, transposed
    return factors.mT, taus


def _evaluate_geqrf(a: np.ndarray) -> Any:
    geqrf = _routine("geqrf", a)

    def factor(a: np.ndarray) -> Any:
        return geqrf(a)[:2] if a.size else (a, np.zeros(min(a.shape)))

    return over_batch(factor, _geqrf_avals(Aval(a.dtype, a.shape)), a)


# R in the upper triangle, the reflectors whose product is Q below it, and their taus.
geqrf_p = Primitive(
    name="geqrf",
    avals=_geqrf_avals,
    lower=_lower_geqrf,
    evaluate=_evaluate_geqrf,
    derivative=without_derivative("the reflectors of a QR factorization"),
)

# ----- Hessenberg: A = Q H Q^H, H zero below its first subdiagonal, where the reflectors are


def _hessenberg_avals(a: Aval) -> tuple[Aval, Aval]:
    batch, n = square_shape("hessenberg", a)
    require(n > 0, "hessenberg: the matrix is empty")
    return a, a.with_shape((*batch, n - 1))


def _evaluate_hessenberg(a: np.ndarray) -> Any:
    gehrd = _routine("gehrd", a)

    def factor(a: np.ndarray) -> Any:
        return gehrd(a)[:2] if len(a) > 1 else (a, np.zeros(0))

    return over_batch(factor, _hessenberg_avals(Aval(a.dtype, a.shape)), a)


hessenberg_p = Primitive(
    name="hessenberg",
    avals=_hessenberg_avals,
    lower=lax.linalg.hessenberg,
    evaluate=_evaluate_hessenberg,
    derivative=without_derivative("the Hessenberg form"),
)

# ----- Tridiagonal: A = Q T Q^H for Hermitian A; only one triangle of A is read


def _tridiagonal_avals(a: Aval, *, lower: bool) -> tuple[Aval, ...]:
    batch, n = square_shape("tridiagonal", a)
    require(n > 0, "tridiagonal: the matrix is empty")
    shorter = a.with_shape((*batch, n - 1))
    real = real_dtype(a.dtype)
    return a, a.with_shape((*batch, n)).with_dtype(real), shorter.with_dtype(real), shorter


def _evaluate_tridiagonal(a: np.ndarray, *, lower: bool) -> Any:
    sytrd = _routine("hetrd" if _is_complex(a) else "sytrd", a)
    avals = _tridiagonal_avals(Aval(a.dtype, a.shape), lower=lower)
    return over_batch(lambda a: sytrd(a, lower=lower)[:-1], avals, a)


# The reflectors in one triangle, the diagonal, the subdiagonal, and the taus.
tridiagonal_p = Primitive(
    name="tridiagonal",
    avals=_tridiagonal_avals,
    lower=lambda a, *, lower: lax.linalg.tridiagonal(a, lower=lower),
    evaluate=_evaluate_tridiagonal,
    derivative=without_derivative("the tridiagonal form"),
)
