"""`scipy.linalg` from NumPy source: functions of matrices, spectra, structured systems."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import scipy.linalg

from myia.infer.registry import when_imported
from myia.library.support.from_source import from_source

# ----- Functions of matrices, by the matrix exponential


def coshm(A):
    return (scipy.linalg.expm(A) + scipy.linalg.expm(-np.asarray(A))) / 2


def sinhm(A):
    return (scipy.linalg.expm(A) - scipy.linalg.expm(-np.asarray(A))) / 2


def tanhm(A):
    return np.linalg.solve(coshm(A), sinhm(A))


def cosm(A):
    if np.iscomplexobj(A):
        return coshm(1j * A)
    return scipy.linalg.expm(1j * np.asarray(A)).real


def sinm(A):
    if np.iscomplexobj(A):
        return -1j * sinhm(1j * A)
    return scipy.linalg.expm(1j * np.asarray(A)).imag


def tanm(A):
    return np.linalg.solve(cosm(A), sinm(A))


# ----- Spectra


def eigvals(a, b=None, overwrite_a=False, check_finite=True, homogeneous_eigvals=False):
    if b is not None or homogeneous_eigvals:
        raise NotImplementedError("generalized eigenvalues of `scipy.linalg.eigvals`")
    return np.linalg.eigvals(a)


def eigvalsh_tridiagonal(d, e, select="a", select_range=None, check_finite=True):
    if select != "a":
        raise NotImplementedError("`select=` of `scipy.linalg.eigvalsh_tridiagonal`")
    return scipy.linalg.eigh_tridiagonal(d, e, eigvals_only=True)


def pinvh(a, atol=None, rtol=None, lower=True, return_rank=False, check_finite=True):
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


def orthogonal_procrustes(A, B, check_finite=True):
    u, s, vt = np.linalg.svd((np.asarray(B).T @ A).T)
    return u @ vt, np.sum(s)


# ----- Structured systems


def solve_toeplitz(c_or_cr, b, check_finite=True):
    return np.linalg.solve(of_toeplitz(c_or_cr), b)


def matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None):
    return of_toeplitz(c_or_cr) @ x


def of_toeplitz(c_or_cr):
    """The Toeplitz matrix, in double precision as in SciPy."""
    if isinstance(c_or_cr, tuple):
        a = scipy.linalg.toeplitz(c_or_cr[0], c_or_cr[1])
    else:
        a = scipy.linalg.toeplitz(c_or_cr)
    return a.astype(np.result_type(a.dtype, np.float64))


def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
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
