"""Products of matrices and vectors: the loops of the kernels are products of whole arrays."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax


def gemm(alpha, beta, A, B, C):
    return [alpha * A @ B + beta * C]


def three_mm(A, B, C, D, G):
    return [(A @ B) @ (C @ D)]


def syrk(alpha, beta, A, C):
    lower = jnp.tri(A.shape[0], dtype=bool)
    return [jnp.where(lower, beta * C + alpha * A @ A.T, C)]


def syr2k(alpha, beta, A, B, C):
    lower = jnp.tri(A.shape[0], dtype=bool)
    return [jnp.where(lower, beta * C + alpha * (A @ B.T + B @ A.T), C)]


def trmm(alpha, A, B):
    return [alpha * (B + jnp.tril(A, -1).T @ B)]


def symm(alpha, beta, A, B, C):
    full = jnp.tril(A) + jnp.tril(A, -1).T
    return [alpha * full @ B + beta * C]


def gemver(alpha, beta, A, u1, v1, u2, v2, y, z, x, w):
    A = A + jnp.outer(u1, v1) + jnp.outer(u2, v2)
    x = x + beta * A.T @ y + z
    return A, x, w + alpha * A @ x


def gesummv(alpha, beta, A, B, x, y):
    return [alpha * A @ x + beta * B @ x]


def mvt(x1, x2, y1, y2, A):
    return x1 + A @ y1, x2 + A.T @ y2


def atax(A, x, y):
    return [lax.fori_loop(0, A.shape[0], lambda i, y: y + A[i] * (A[i] @ x), y)]


def bicg(A, p, r, s, q):
    return s + A.T @ r, A @ p


def doitgen(A, C):
    return [A @ C]


def sparse_product(values, columns, starts, x, y):
    rows = jnp.repeat(jnp.arange(len(y)), jnp.diff(starts), total_repeat_length=len(values))
    return [y.at[rows].add(values * x[columns])]
