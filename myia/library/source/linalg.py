"""`scipy.linalg` from NumPy source: functions of matrices, spectra, structured systems."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import scipy

from myia.infer.registry import when_imported
from myia.library.support.from_source import Array, from_source

# ----- Functions of matrices, by the matrix exponential


def coshm(A: Array) -> Array:
    return (scipy.linalg.expm(A) + scipy.linalg.expm(-np.asarray(A))) / 2


def sinhm(A: Array) -> Array:
    return (scipy.linalg.expm(A) - scipy.linalg.expm(-np.asarray(A))) / 2


def tanhm(A: Array) -> Array:
    return np.linalg.solve(coshm(A), sinhm(A))


def cosm(A: Array) -> Array:
    if np.iscomplexobj(A):
        return coshm(1j * A)
    return scipy.linalg.expm(1j * np.asarray(A)).real


def sinm(A: Array) -> Array:
    if np.iscomplexobj(A):
        return -1j * sinhm(1j * A)
    return scipy.linalg.expm(1j * np.asarray(A)).imag


def tanm(A: Array) -> Array:
    return np.linalg.solve(cosm(A), sinm(A))


# ----- Spectra


def eigvals(
    a: Array,
    b: Array = None,
    overwrite_a: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> Array:
    if b is not None or homogeneous_eigvals:
        raise NotImplementedError("generalized eigenvalues of `scipy.linalg.eigvals`")
    return np.linalg.eigvals(a)


def eigvalsh_tridiagonal(
    d: Array, e: Array, select: str = "a", select_range: Array = None, check_finite: bool = True
) -> Array:
    if select != "a":
        raise NotImplementedError("`select=` of `scipy.linalg.eigvalsh_tridiagonal`")
    return scipy.linalg.eigh_tridiagonal(d, e, eigvals_only=True)


def pinvh(
    a: Array,
    atol: Array = None,
    rtol: Array = None,
    lower: bool = True,
    return_rank: bool = False,
    check_finite: bool = True,
) -> Array:
    """The pseudo-inverse by eigenvalues, of which those below the tolerance are dropped."""
    if return_rank:
        raise NotImplementedError("`return_rank=` of `scipy.linalg.pinvh`")
    w, v = scipy.linalg.eigh(a, lower=lower)
    default = w.shape[-1] * np.finfo(w.dtype).eps if atol is None else 0.0
    largest = np.max(np.abs(w), axis=-1, keepdims=True)
    kept = (
        np.abs(w) > (0.0 if atol is None else atol) + (default if rtol is None else rtol) * largest
    )
    inverses = np.where(kept, 1 / np.where(kept, w, 1), 0)
    return v * inverses[..., None, :] @ np.swapaxes(v, -1, -2).conj()


def orthogonal_procrustes(A: Array, B: Array, check_finite: bool = True) -> Array:
    u, s, vt = np.linalg.svd((np.asarray(B).T @ A).T)
    return u @ vt, np.sum(s)


# ----- Structured systems


def solve_toeplitz(c_or_cr: Array, b: Array, check_finite: bool = True) -> Array:
    return np.linalg.solve(of_toeplitz(c_or_cr), b)


def matmul_toeplitz(
    c_or_cr: Array, x: Array, check_finite: bool = False, workers: Array = None
) -> Array:
    return of_toeplitz(c_or_cr) @ x


def of_toeplitz(c_or_cr: Array) -> Array:
    """The Toeplitz matrix, in double precision as in SciPy."""
    if isinstance(c_or_cr, tuple):
        a = scipy.linalg.toeplitz(c_or_cr[0], c_or_cr[1])
    else:
        a = scipy.linalg.toeplitz(c_or_cr)
    return a.astype(np.result_type(a.dtype, np.float64))


def solve_banded(
    l_and_u: Array,
    ab: Array,
    b: Array,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Array:
    lower, upper = l_and_u
    n = np.shape(ab)[1]
    a = np.zeros((n, n), ab.dtype)
    for k in range(-lower, upper + 1):
        band = ab[upper - k]
        a = a + np.diag(band[k:] if k >= 0 else band[:k], k)
    return np.linalg.solve(a, b)


@when_imported("scipy.linalg")
def _register(module: ModuleType) -> None:
    for f in (
        coshm, sinhm, tanhm, cosm, sinm, tanm, eigvals, eigvalsh_tridiagonal, pinvh,
        orthogonal_procrustes, solve_toeplitz, matmul_toeplitz, solve_banded,
    ):  # fmt: skip
        from_source(getattr(module, f.__name__))(f)
