"""Functions of linear algebra of JAX and SciPy, with arrays to try them on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
from jax import lax

from tests import sampled_arrays
from tests.sampled_arrays import definite, hermitian


@dataclass(frozen=True)
class Function:
    """A function of JAX, with arrays to try it on; it has derivatives in JAX up to `order`."""

    f: Callable
    inputs: tuple[np.ndarray, ...]
    order: int = 2

    def __str__(self) -> str:
        avals = ", ".join(f"{x.dtype}{list(x.shape)}" for x in self.inputs)
        return f"{getattr(self.f, '__name__', self.f)}({avals})"


# ----- Inputs


def matrix(*shape, dtype="f8", seed=0) -> np.ndarray:
    return sampled_arrays.matrix(np.random.default_rng([seed, *shape]), shape, dtype)


def vector(*shape, dtype="f8", seed=1) -> np.ndarray:
    rng = np.random.default_rng([seed, *shape])
    x = rng.uniform(-1, 1, shape)
    return (x + 1j * rng.uniform(-1, 1, shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def of(f: Callable, *inputs, order: int = 2) -> list[Function]:
    return [Function(f, inputs, order)]


def on_matrices(f: Callable, *shapes, dtypes="f8 c16", order: int = 2) -> list[Function]:
    return [
        Function(f, (matrix(*shape, dtype=dtype),), order)
        for dtype in dtypes.split()
        for shape in shapes
    ]


S3, S2, B2 = (3, 3), (2, 2), (2, 2, 2)
TALL, WIDE = (4, 3), (3, 4)
PAIR = (matrix(3, 3), vector(3, 2))
COMPLEX_PAIR = (matrix(3, 3, dtype="c16"), vector(3, 2, dtype="c16"))

GROUPS = {
    "solve": [
        *of(jnp.linalg.solve, matrix(3, 3), vector(3)),
        *of(jnp.linalg.solve, *PAIR),
        *of(jnp.linalg.solve, *COMPLEX_PAIR),
        *of(jnp.linalg.solve, matrix(2, 3, 3), vector(2, 3, 2)),
        *of(jnp.linalg.solve, matrix(2, 3, 3), vector(3)),
        *of(jnp.linalg.solve, matrix(3, 3), vector(4, 3, 2)),
        *of(jnp.linalg.solve, matrix(2, 1, 3, 3), vector(4, 3, 2)),
        *of(jax.vmap(jnp.linalg.solve, (2, None)), np.moveaxis(matrix(2, 3, 3), 0, 2), vector(3)),
        *of(jax.vmap(jnp.linalg.solve, (None, 1)), matrix(3, 3), vector(3, 2)),
        *on_matrices(jnp.linalg.inv, S3, B2),
        *on_matrices(jnp.linalg.inv, S3, dtypes="f4 c8"),
        *on_matrices(lambda x: jnp.linalg.matrix_power(x, -3), S3),
        *on_matrices(lambda x: jnp.linalg.matrix_power(x, 3), S3),
        *on_matrices(lambda x: jnp.linalg.tensorinv(x, ind=1), (4, 2, 2), dtypes="f8"),
        *of(jnp.linalg.tensorsolve, matrix(2, 2, 4), vector(2, 2)),
        *of(lambda a, b: jsl.solve(definite(a), b, assume_a="pos"), *PAIR),
        *of(lambda a, b: jsl.solve(definite(a), b, assume_a="pos", lower=True), *PAIR),
        *of(lambda a, b: jsl.solve(hermitian(a), b, assume_a="sym"), *PAIR),
        *of(jsl.inv, matrix(3, 3)),
    ],
    "triangles": [
        *on_matrices(lambda x: jnp.linalg.cholesky(x @ jnp.conj(x.mT)), S3, B2),
        *on_matrices(lambda x: jnp.linalg.cholesky(definite(x)), S3, dtypes="f4 c8"),
        *on_matrices(lambda x: jnp.linalg.cholesky(definite(x), upper=True), S3),
        *on_matrices(lambda x: jsl.cholesky(definite(x)), S3),
        *on_matrices(lambda x: jsl.cholesky(definite(x), lower=True), S3),
        *of(lambda a, b: jsl.cho_solve(jsl.cho_factor(definite(a)), b), *PAIR),
        *of(lambda a, b: jsl.cho_solve(jsl.cho_factor(definite(a), lower=True), b), *COMPLEX_PAIR),
        *of(lambda a, b: jsl.solve_triangular(a, b), *PAIR),
        *of(lambda a, b: jsl.solve_triangular(a, b, lower=True, trans=1), *PAIR),
        *of(lambda a, b: jsl.solve_triangular(a, b, trans=2), *COMPLEX_PAIR),
        *of(lambda a, b: jsl.solve_triangular(a, b, unit_diagonal=True), matrix(3, 3), vector(3)),
        *of(
            lambda a, b: lax.linalg.triangular_solve(a, b, conjugate_a=True, lower=True),
            matrix(2, 3, 3, dtype="c16"),
            vector(2, 2, 3, dtype="c16"),
        ),
        *of(
            lax.linalg.tridiagonal_solve,
            *(vector(4, seed=1), vector(4, seed=2) + 4, vector(4, seed=3), vector(4, 2)),
        ),
        *of(lax.linalg.symmetric_product, matrix(4, 3), matrix(4, 4), order=0),
    ],
    "lu": [
        *on_matrices(jsl.lu, S3, TALL, WIDE),
        *on_matrices(lambda x: jsl.lu(x, permute_l=True), S3, dtypes="f8"),
        *on_matrices(lambda x: jsl.lu_factor(x)[0], S3, B2),
        *of(lambda a, b: jsl.lu_solve(jsl.lu_factor(a), b), *PAIR),
        *of(lambda a, b: jsl.lu_solve(jsl.lu_factor(a), b, trans=1), *PAIR),
        *of(lambda a, b: jsl.lu_solve(jsl.lu_factor(a), b, trans=2), *COMPLEX_PAIR),
        *on_matrices(jnp.linalg.det, S2, S3, (2, 4, 4)),
        *on_matrices(jnp.linalg.det, (5, 5), dtypes="f4 c8"),
        *on_matrices(jnp.linalg.slogdet, S3, (2, 4, 4)),
        *on_matrices(jsl.det, (4, 4), dtypes="f8"),
        *on_matrices(lambda x: jnp.linalg.slogdet(x, method="qr"), S3, dtypes="f8", order=1),
    ],
    "qr": [
        *on_matrices(jnp.linalg.qr, S3, TALL, WIDE, (2, 3, 2)),
        *on_matrices(jnp.linalg.qr, TALL, dtypes="f4 c8"),
        *on_matrices(lambda x: jnp.linalg.qr(x, mode="complete"), TALL, WIDE),
        *on_matrices(lambda x: jnp.linalg.qr(x, mode="r"), TALL, (2, 2, 3)),
        *on_matrices(jsl.qr, S3, dtypes="f8"),
        *on_matrices(lambda x: jsl.qr(x, mode="economic", pivoting=True), TALL, WIDE),
    ],
    "spectra": [
        *on_matrices(jnp.linalg.eigh, S3, B2),
        *on_matrices(jnp.linalg.eigh, S3, dtypes="f4 c8", order=1),
        *on_matrices(lambda x: jnp.linalg.eigh(x, UPLO="U"), S3),
        *on_matrices(jnp.linalg.eigvalsh, S3, B2),
        *on_matrices(jsl.eigh, S3, dtypes="f8"),
        *on_matrices(lambda x: jnp.linalg.svd(x, full_matrices=False), S3, TALL, WIDE, B2),
        *on_matrices(jnp.linalg.svd, S3),
        *on_matrices(jnp.linalg.svd, TALL, order=0),
        *on_matrices(jnp.linalg.svdvals, TALL, WIDE),
        *on_matrices(jnp.linalg.svdvals, TALL, dtypes="f4 c8", order=1),
        *on_matrices(jnp.linalg.eigvals, S3, B2, order=1),
        *on_matrices(jnp.linalg.eig, S3, B2, order=0),
    ],
    "by singular values": [
        *on_matrices(jnp.linalg.pinv, S3, TALL, WIDE),
        *on_matrices(lambda x: jnp.linalg.pinv(hermitian(x), hermitian=True), S3, dtypes="f8"),
        *of(lambda a, b: jnp.linalg.lstsq(a, b)[0], matrix(4, 3), vector(4)),
        *of(lambda a, b: jnp.linalg.lstsq(a, b)[0], matrix(3, 4), vector(3, 2)),
        *on_matrices(jnp.linalg.cond, S3, TALL),
        *on_matrices(lambda x: jnp.linalg.cond(x, 1), S3, dtypes="f8"),
        *on_matrices(lambda x: jnp.linalg.norm(x, 2), TALL),
        *on_matrices(lambda x: jnp.linalg.norm(x, "nuc"), TALL),
        *on_matrices(lambda x: jnp.linalg.norm(x, -2), S3, dtypes="f8"),
        *on_matrices(jnp.linalg.norm, TALL),
        *on_matrices(jnp.linalg.matrix_rank, S3, TALL, order=0),
    ],
    "functions of matrices": [
        *on_matrices(jsl.expm, S2, dtypes="f8", order=1),
        *of(jsl.expm_frechet, matrix(2, 2), matrix(2, 2, seed=2), order=0),
        *on_matrices(jsl.sqrtm, S3, order=0),
        *on_matrices(lambda x: jsl.polar(x, method="svd"), S3, TALL, dtypes="f8"),
        *of(jsl.solve_sylvester, matrix(3, 3), matrix(3, 3) + 1, vector(3, 3), order=0),
        *on_matrices(lambda x: jsl.funm(x, jnp.sin), S3, dtypes="f8", order=0),
        *of(lambda a, b, c: jnp.linalg.multi_dot([a, b, c]), matrix(2, 3), matrix(3, 4), vector(4)),
        *of(lambda a, b: jsl.block_diag(a, b), matrix(2, 3), matrix(3, 2)),
        *of(jsl.toeplitz, vector(3), vector(4)),
        *of(jnp.linalg.cross, vector(2, 3), vector(3)),
    ],
    "condensed": [
        *on_matrices(jsl.schur, S3, B2, order=0),
        *on_matrices(jsl.hessenberg, (4, 4), order=0),
        *on_matrices(lambda x: jnp.linalg.qr(x, mode="raw"), TALL, order=0),
        *on_matrices(lambda x: lax.linalg.tridiagonal(hermitian(x)), (4, 4), order=0),
        *of(lax.linalg.householder_product, matrix(4, 3), vector(3), order=0),
        *of(
            lambda d, e: jsl.eigh_tridiagonal(d, e, eigvals_only=True),
            *(vector(4), vector(3)),
            order=0,
        ),
    ],
}
