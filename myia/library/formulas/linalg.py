"""`numpy.linalg` and `scipy.linalg`: functions that JAX lacks or defines otherwise.

LAPACK reads one triangle of a Hermitian matrix, and so do NumPy's functions: the other triangle has
no effect on the result and no derivative. (`jax.numpy` takes the mean of the two triangles.)
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from myia.library.formulas.lookup import formula

# ----- Hermitian matrices


def hermitian(a: Array, lower: bool = True) -> Array:
    """The Hermitian matrix with this triangle of `a`."""
    return jnp.tril(a) + jnp.tril(a, -1).conj().mT if lower else hermitian(a.conj().mT)


def symmetric(a: Array, lower: bool = True) -> Array:
    """The symmetric matrix with this triangle of `a`."""
    return jnp.tril(a) + jnp.tril(a, -1).mT if lower else symmetric(a.mT)


def _is_lower(UPLO: str) -> bool:
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return UPLO.upper() == "L"


def _spectrum(a: Array, lower: bool) -> tuple[Array, Array]:
    """Ascending eigenvalues, and eigenvectors as columns."""
    vectors, values = lax.linalg.eigh(a, lower=lower, symmetrize_input=False)
    return values, vectors


@formula("numpy.linalg.cholesky")
def cholesky(a: Array, /, *, upper: bool = False) -> Array:
    factor = lax.linalg.cholesky(a.conj().mT if upper else a, symmetrize_input=False)
    return factor.conj().mT if upper else factor


@formula("numpy.linalg.eigh")
def eigh(a: Array, UPLO: str = "L") -> tuple[Array, Array]:
    return _spectrum(a, _is_lower(UPLO))


@formula("numpy.linalg.eigvalsh")
def eigvalsh(a: Array, UPLO: str = "L") -> Array:
    return _spectrum(a, _is_lower(UPLO))[0]


@formula("numpy.linalg.svd")
def svd(
    a: Array, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    a = _hermitian(a) if hermitian else a
    return jnp.linalg.svd(a, full_matrices, compute_uv, hermitian)


@formula("numpy.linalg.matrix_rank")
def matrix_rank(A: Array, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Array:
    """`tol` is absolute, `rtol` a part of the largest singular value."""
    if A.ndim < 2:
        return jnp.any(A != 0).astype(int)
    if tol is not None and rtol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    s = jnp.linalg.svd(_hermitian(A) if hermitian else A, compute_uv=False, hermitian=hermitian)
    if tol is None:
        rtol = max(A.shape[-2:]) * jnp.finfo(s.dtype).eps if rtol is None else rtol
        tol = jnp.max(s, axis=-1) * jnp.asarray(rtol)
    return jnp.sum(s > jnp.asarray(tol)[..., None], axis=-1)


@formula("numpy.linalg.cond")
def cond(x: Array, p: Any = None) -> Array:
    """Infinite, not NaN, for a matrix without NaN, as that of zeros."""
    found = jnp.linalg.cond(x, p)
    return jnp.where(jnp.isnan(found) & ~jnp.any(jnp.isnan(x), axis=(-2, -1)), jnp.inf, found)


_hermitian = hermitian  # also where a parameter has that name


@formula("scipy.linalg.eigh")
def scipy_eigh(
    a: Array,
    b: Array | None = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    type: int = 1,
    subset_by_index: tuple[int, int] | None = None,
) -> Any:
    """A v = w B v with B = L L^H: the values of L^-1 A L^-H, and L^-H times its vectors."""
    if type != 1:
        raise NotImplementedError("only `type=1` is supported")
    factor = None
    if b is not None:
        factor = lax.linalg.cholesky(b if lower else b.conj().mT, symmetrize_input=False)
        a = _solve_factor(factor, _solve_factor(factor, hermitian(a, lower)).conj().mT)
    values, vectors = _spectrum(a, lower or b is not None)
    if factor is not None:
        vectors = _solve_factor(factor, vectors, adjoint=True)
    if subset_by_index is not None:
        first, last = subset_by_index
        values, vectors = values[first : last + 1], vectors[:, first : last + 1]
    return values if eigvals_only else (values, vectors)


def _solve_factor(factor: Array, x: Array, adjoint: bool = False) -> Array:
    """L^-1 X, or L^-H X."""
    flags = dict(left_side=True, lower=True, transpose_a=adjoint, conjugate_a=adjoint)
    return lax.linalg.triangular_solve(factor, x, **flags)


@formula("scipy.linalg.eigvalsh")
def scipy_eigvalsh(a: Array, b: Array | None = None, **options: Any) -> Array:
    return scipy_eigh(a, b, eigvals_only=True, **options)


@formula("scipy.linalg.eigh_tridiagonal")
def eigh_tridiagonal(d: Array, e: Array, eigvals_only: bool = False) -> Any:
    """By the dense matrix: a bisection, which JAX has, has no derivative."""
    return scipy_eigh(jnp.diag(d) + jnp.diag(e, -1), eigvals_only=eigvals_only)


# ----- Systems of equations

# The matrix that LAPACK's routine for each structure reads from its argument.
MATRIX_STRUCTURES = {
    "sym": symmetric,
    "symmetric": symmetric,
    "her": hermitian,
    "hermitian": hermitian,
    "pos": hermitian,
    "positive definite": hermitian,
    "diagonal": lambda a, lower: a * jnp.eye(a.shape[-1], dtype=a.dtype),
    "tridiagonal": lambda a, lower: jnp.triu(jnp.tril(a, 1), -1),
    "lower triangular": lambda a, lower: jnp.tril(a),
    "upper triangular": lambda a, lower: jnp.triu(a),
}


@formula("scipy.linalg.solve")
def solve(
    a: Array, b: Array, lower: bool = False, assume_a: str | None = None, transposed: bool = False
) -> Array:
    if assume_a in MATRIX_STRUCTURES:
        a = MATRIX_STRUCTURES[assume_a](a, lower)
    elif assume_a not in (None, "gen", "general"):
        raise NotImplementedError(f"`assume_a={assume_a!r}`")
    return jnp.linalg.solve(a.mT if transposed else a, b)


@formula("numpy.linalg.lstsq")
def lstsq(a: Array, b: Array, rcond: Any = None) -> tuple[Array, Array, Array, Array]:
    """By the pseudo-inverse, whose derivative does not divide by differences of singular values.

    Residuals are empty where `a` has no more rows than columns; where it has a smaller rank than
    that at run time, NumPy has them empty too.
    """
    m, n = a.shape
    if rcond is None or (isinstance(rcond, int | float) and rcond == -1):
        rcond = jnp.finfo(a.dtype).eps * (max(m, n) if rcond is None else 1)
    s = jnp.linalg.svd(a, compute_uv=False)
    x = jnp.linalg.pinv(a, rtol=rcond) @ b
    rank = jnp.sum(s > rcond * s[:1]).astype(jnp.int32)
    error = b - a @ x
    residuals = jnp.sum((error * error.conj()).real.reshape(m, -1), axis=0)
    return x, residuals if m > n else residuals[:0], rank, s


@formula("numpy.linalg.pinv")
def pinv(a: Array, rcond: Any = None, hermitian: bool = False, *, rtol: Any = 1e-15) -> Array:
    if rcond is None:
        rcond = jnp.finfo(a.dtype).eps * max(a.shape[-2:]) if rtol is None else rtol
    return jnp.linalg.pinv(_hermitian(a) if hermitian else a, rtol=rcond, hermitian=hermitian)


@formula("scipy.linalg.pinv")
def scipy_pinv(a: Array, *, rtol: Any = None) -> Array:
    return jnp.linalg.pinv(a, rtol=max(a.shape) * jnp.finfo(a.dtype).eps if rtol is None else rtol)


# ----- Norms, products, forms


@formula("scipy.linalg.norm")
def norm(a: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    return jnp.linalg.norm(a, ord, axis, keepdims)


@formula("scipy.linalg.svdvals")
def svdvals(a: Array) -> Array:
    return jnp.linalg.svd(a, compute_uv=False)


@formula("scipy.linalg.khatri_rao")
def khatri_rao(a: Array, b: Array) -> Array:
    """Columns of the result are Kronecker products of columns."""
    a, b = jnp.broadcast_arrays(a[..., :, None, :], b[..., None, :, :])
    return (a * b).reshape(*a.shape[:-3], -1, a.shape[-1])


@formula("scipy.linalg.hankel")
def hankel(c: Array, r: Array | None = None) -> Array:
    """c stands in the first column, r (without its first element) goes on in the last row."""
    c = c.ravel()
    r = jnp.zeros_like(c) if r is None else r.ravel()
    indices = np.add.outer(np.arange(c.size), np.arange(r.size))
    return jnp.concatenate([c, r[1:]])[indices]
