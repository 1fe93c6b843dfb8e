"""Products of matrices and vectors: one element, or one row, per iteration."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from benchmarks.kernel_rivals.in_jax.nest import nest

ROW_ENTRIES = 4


def gemm(alpha, beta, A, B, C):
    rows, columns = C.shape

    def row(i, C):
        C = nest(lambda j, C: C.at[i, j].set(beta * C[i, j]), C, columns)

        def term(k, j, C):
            return C.at[i, j].add(alpha * A[i, k] * B[k, j])

        return nest(term, C, A.shape[1], columns)

    return [nest(row, C, rows)]


def two_mm(alpha, beta, A, B, C, D):
    return [beta * D + alpha * A @ B @ C]


def three_mm(A, B, C, D, G):
    n = A.shape[0]

    def product(left, right, out):
        def cell(i, j, out):
            out = out.at[i, j].set(0.0)
            return nest(lambda k, out: out.at[i, j].add(left[i, k] * right[k, j]), out, n)

        return nest(cell, out, n, n)

    zero = jnp.zeros((n, n))
    return [product(product(A, B, zero), product(C, D, zero), G)]


def syrk(alpha, beta, A, C):
    n, m = A.shape

    def cell(i, j, C):
        lower = j <= i
        C = C.at[i, j].set(jnp.where(lower, beta * C[i, j], C[i, j]))

        def term(k, C):
            return C.at[i, j].add(jnp.where(lower, alpha * A[i, k] * A[j, k], 0.0))

        return nest(term, C, m)

    return [nest(cell, C, n, n)]


def syr2k(alpha, beta, A, B, C):
    n, m = A.shape
    columns = jnp.arange(n)

    def row(i, C):
        lower = columns <= i
        C = C.at[i].set(jnp.where(lower, beta * C[i], C[i]))

        def term(k, C):
            change = alpha * (A[:, k] * B[i, k] + B[:, k] * A[i, k])
            return C.at[i].add(jnp.where(lower, change, 0.0))

        return nest(term, C, m)

    return [nest(row, C, n)]


def trmm(alpha, A, B):
    n, m = B.shape

    def cell(i, j, B):
        def term(k, B):
            return B.at[i, j].add(jnp.where(k > i, A[k, i] * B[k, j], 0.0))

        B = nest(term, B, (1, n))
        return B.at[i, j].set(alpha * B[i, j])

    return [nest(cell, B, n, m)]


def symm(alpha, beta, A, B, C):
    n, m = C.shape

    def cell(i, j, C):
        def term(k, state):
            C, below = state
            change = jnp.where(k < i, alpha * B[i, j] * A[i, k], 0.0)
            return C.at[k, j].add(change), below + jnp.where(k < i, B[k, j] * A[i, k], 0.0)

        C, below = nest(term, (C, jnp.zeros(())), n - 1)
        return C.at[i, j].set(beta * C[i, j] + alpha * (B[i, j] * A[i, i] + below))

    return [nest(cell, C, n, m)]


def gemver(alpha, beta, A, u1, v1, u2, v2, y, z, x, w):
    n = A.shape[0]
    A = nest(lambda i, j, A: A.at[i, j].add(u1[i] * v1[j] + u2[i] * v2[j]), A, n, n)
    x = nest(lambda i, j, x: x.at[i].add(beta * A[j, i] * y[j]), x, n, n)
    x = nest(lambda i, x: x.at[i].add(z[i]), x, n)
    return A, x, nest(lambda i, j, w: w.at[i].add(alpha * A[i, j] * x[j]), w, n, n)


def gesummv(alpha, beta, A, B, x, y):
    n = len(x)

    def row(i, y):
        def term(j, state):
            first, second = state
            return first + A[i, j] * x[j], second + B[i, j] * x[j]

        first, second = nest(term, (jnp.zeros(()), jnp.zeros(())), n)
        return y.at[i].set(alpha * first + beta * second)

    return [nest(row, y, n)]


def mvt(x1, x2, y1, y2, A):
    n = len(x1)
    x1 = nest(lambda i, j, x1: x1.at[i].add(A[i, j] * y1[j]), x1, n, n)
    return x1, nest(lambda i, j, x2: x2.at[i].add(A[j, i] * y2[j]), x2, n, n)


def atax(A, x, y):
    rows, columns = A.shape

    def row(i, y):
        product = nest(lambda j, total: total + A[i, j] * x[j], jnp.zeros(()), columns)
        return nest(lambda j, y: y.at[j].add(A[i, j] * product), y, columns)

    return [nest(row, y, rows)]


def bicg(A, p, r, s, q):
    def row(i, state):
        s, q = state
        return s + r[i] * A[i], q.at[i].set(A[i] @ p)

    return lax.fori_loop(0, A.shape[0], row, (s, q))


def doitgen(A, C):
    return [nest(lambda r, q, A: A.at[r, q].set(A[r, q] @ C), A, *A.shape[:2])]


def sparse_product(values, columns, starts, x, y):
    """Reverse mode needs a static count: that of the longest row."""

    def term(i, m, y):
        k = starts[i] + m
        return y.at[i].add(jnp.where(k < starts[i + 1], values[k] * x[columns[k]], 0.0))

    return [nest(term, y, len(y), ROW_ENTRIES)]
