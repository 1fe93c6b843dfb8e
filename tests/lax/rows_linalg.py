"""Rows of the sampled table: factorizations and systems of equations, all well-conditioned.

What a factorization leaves free (the phase of a complex eigenvector) is taken out of its results.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from tests import sampled_arrays
from tests.lax.sampled_case import COMPLEXES, INEXACT, REALS, Make, row
from tests.sampled_arrays import definite, hermitian

linalg = lax.linalg


def matrix(*shape: int) -> Make:
    return lambda rng, dtype: sampled_arrays.matrix(rng, shape, dtype)


def magnitudes(*vectors):
    """Eigenvectors without their phases."""
    return [jnp.abs(v) ** 2 for v in vectors]


def eigh(x, **options):
    vectors, values = linalg.eigh(hermitian(x), symmetrize_input=False, **options)
    return [values, *magnitudes(vectors)]


def svd(x, **options):
    u, s, v = linalg.svd(x, **options)
    return [s, *magnitudes(u, v)]


def lu(x):
    return linalg.lu(x)[0]


SQUARE, BATCH, EMPTY = (3, 3), (2, 2, 2), (0, 0)
TALL, WIDE = (4, 3), (2, 4)

FACTORIZATIONS = [
    *row("cholesky", lambda x: linalg.cholesky(definite(x)), matrix(*SQUARE), dtypes=INEXACT),
    *row("cholesky", lambda x: linalg.cholesky(definite(x)), matrix(*BATCH)),
    # Of one matrix, JAX fails to differentiate its derivative again in compiled code.
    *row("lu", lu, matrix(*SQUARE), dtypes=INEXACT, batched=False, order=1),
    *row("lu", lu, matrix(2, *SQUARE), dtypes=INEXACT),
    *row("lu", lu, matrix(2, *TALL), batched=False),
    *row("lu", lu, matrix(2, *WIDE), batched=False),
    *row("qr", lambda x: linalg.qr(x, full_matrices=False), matrix(*SQUARE), dtypes=INEXACT),
    *row("qr", lambda x: linalg.qr(x, full_matrices=False), matrix(*TALL)),
    *row("eigh", eigh, matrix(*SQUARE), dtypes=INEXACT),
    *row("eigh", lambda x: eigh(x, lower=False), matrix(*BATCH)),
    *row("svd", lambda x: svd(x, full_matrices=False), matrix(*SQUARE), dtypes=("f8", "f4", "c16")),
    *row("svd", lambda x: svd(x, full_matrices=False), matrix(*TALL), batched=False),
    *row("svd", lambda x: linalg.svd(x, compute_uv=False), matrix(*WIDE), dtypes=INEXACT),
    *row(
        "eig",
        lambda x: linalg.eig(x, compute_left_eigenvectors=False, compute_right_eigenvectors=False),
        matrix(*SQUARE),
        dtypes=("f8", "c16"),
        order=1,
    ),
]


def triangular(**options):
    return lambda a, b: linalg.triangular_solve(a, b, **options)


def tridiagonal(below, diagonal, above, b):
    return linalg.tridiagonal_solve(below, diagonal + 4, above, b)


SYSTEMS = [
    *row(
        "triangular_solve",
        triangular(left_side=True, lower=True),
        matrix(*SQUARE),
        (3, 2),
        dtypes=INEXACT,
    ),
    *row(
        "triangular_solve",
        triangular(left_side=False, lower=False, transpose_a=True),
        matrix(*SQUARE),
        (2, 3),
    ),
    *row(
        "triangular_solve",
        triangular(left_side=True, lower=True, transpose_a=True, conjugate_a=True),
        matrix(*SQUARE),
        (3, 2),
        dtypes=COMPLEXES,
    ),
    *row(
        "triangular_solve",
        triangular(left_side=True, lower=False, unit_diagonal=True),
        matrix(*SQUARE),
        (3, 1),
    ),
    *row("triangular_solve", triangular(left_side=True), matrix(*BATCH), (2, 2, 3)),
    *row("tridiagonal_solve", tridiagonal, (4,), (4,), (4,), (4, 2)),
    *row("custom_linear_solve", jnp.linalg.solve, matrix(*SQUARE), (3, 2), dtypes=INEXACT),
    *row("custom_linear_solve", jnp.linalg.solve, matrix(*SQUARE), (3,)),
    *row("custom_linear_solve", jnp.linalg.inv, matrix(*BATCH), dtypes=REALS),
]

TABLE = [*FACTORIZATIONS, *SYSTEMS]
