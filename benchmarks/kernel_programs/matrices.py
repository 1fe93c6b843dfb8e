"""Products of matrices and vectors with the loops written out, or row by row."""

from __future__ import annotations

import numpy as np

from benchmarks.kernel_programs.define import SLICES, kernel


@kernel(
    lambda draw, n: (1.5, 0.7, draw(n, n), draw(n, n + 2), draw(n, n + 2)), writes="C", times=60
)
def gemm(alpha, beta, A, B, C):
    """C = alpha A B + beta C."""
    rows, columns = C.shape
    for i in range(rows):
        for j in range(columns):
            C[i, j] *= beta
        for k in range(A.shape[1]):
            for j in range(columns):
                C[i, j] += alpha * A[i, k] * B[k, j]


@kernel(
    lambda draw, n: (1.5, 0.7, draw(n, n), draw(n, n), draw(n, n), draw(n, n)),
    writes="D",
    style=SLICES,
    times=150,
)
def two_mm(alpha, beta, A, B, C, D):
    """D = alpha A B C + beta D."""
    D *= beta
    D += alpha * A @ B @ C


@kernel(
    lambda draw, n: (draw(n, n), draw(n, n), draw(n, n), draw(n, n), np.zeros((n, n))),
    writes="G",
    times=40,
)
def three_mm(A, B, C, D, G):
    """G = (A B) (C D), each product a triple loop."""
    n = A.shape[0]
    E, F = np.zeros((n, n)), np.zeros((n, n))
    for left, right, out in ((A, B, E), (C, D, F), (E, F, G)):
        for i in range(n):
            for j in range(n):
                out[i, j] = 0.0
                for k in range(n):
                    out[i, j] += left[i, k] * right[k, j]


@kernel(lambda draw, n: (1.5, 0.7, draw(n, n), draw(n, n)), writes="C", times=60)
def syrk(alpha, beta, A, C):
    """C = alpha A Aᵀ + beta C in the lower triangle."""
    n, m = A.shape
    for i in range(n):
        for j in range(i + 1):
            C[i, j] *= beta
            for k in range(m):
                C[i, j] += alpha * A[i, k] * A[j, k]


@kernel(
    lambda draw, n: (1.5, 0.7, draw(n, n), draw(n, n), draw(n, n)),
    writes="C",
    style=SLICES,
    times=80,
)
def syr2k(alpha, beta, A, B, C):
    """C = alpha (A Bᵀ + B Aᵀ) + beta C in the lower triangle, row by row."""
    n, m = A.shape
    for i in range(n):
        C[i, : i + 1] *= beta
        for k in range(m):
            C[i, : i + 1] += alpha * (A[: i + 1, k] * B[i, k] + B[: i + 1, k] * A[i, k])


@kernel(lambda draw, n: (1.5, draw(n, n), draw(n, n)), writes="B", times=60)
def trmm(alpha, A, B):
    """B = alpha Aᵀ B with a unit lower triangle A, in place."""
    n, m = B.shape
    for i in range(n):
        for j in range(m):
            for k in range(i + 1, n):
                B[i, j] += A[k, i] * B[k, j]
            B[i, j] *= alpha


@kernel(lambda draw, n: (1.5, 0.7, draw(n, n), draw(n, n), draw(n, n)), writes="C", times=60)
def symm(alpha, beta, A, B, C):
    """C = alpha A B + beta C, where only the lower triangle of the symmetric A is read."""
    n, m = C.shape
    for i in range(n):
        for j in range(m):
            below = 0.0
            for k in range(i):
                C[k, j] += alpha * B[i, j] * A[i, k]
                below += B[k, j] * A[i, k]
            C[i, j] = beta * C[i, j] + alpha * (B[i, j] * A[i, i] + below)


@kernel(
    lambda draw, n: (1.5, 0.7, draw(n, n) / n, *(draw(n) for _ in range(8))),
    writes="A x w",
    times=200,
)
def gemver(alpha, beta, A, u1, v1, u2, v2, y, z, x, w):
    """A += u1 v1ᵀ + u2 v2ᵀ; x += beta Aᵀ y + z; w += alpha A x."""
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            A[i, j] += u1[i] * v1[j] + u2[i] * v2[j]
    for i in range(n):
        for j in range(n):
            x[i] += beta * A[j, i] * y[j]
    for i in range(n):
        x[i] += z[i]
    for i in range(n):
        for j in range(n):
            w[i] += alpha * A[i, j] * x[j]


@kernel(
    lambda draw, n: (1.5, 0.7, draw(n, n), draw(n, n), draw(n), np.zeros(n)), writes="y", times=200
)
def gesummv(alpha, beta, A, B, x, y):
    """y = alpha A x + beta B x."""
    n = len(x)
    for i in range(n):
        first = 0.0
        second = 0.0
        for j in range(n):
            first += A[i, j] * x[j]
            second += B[i, j] * x[j]
        y[i] = alpha * first + beta * second


@kernel(lambda draw, n: (draw(n), draw(n), draw(n), draw(n), draw(n, n)), writes="x1 x2", times=200)
def mvt(x1, x2, y1, y2, A):
    """x1 += A y1; x2 += Aᵀ y2."""
    n = len(x1)
    for i in range(n):
        for j in range(n):
            x1[i] += A[i, j] * y1[j]
    for i in range(n):
        for j in range(n):
            x2[i] += A[j, i] * y2[j]


@kernel(lambda draw, n: (draw(n, n + 1), draw(n + 1), np.zeros(n + 1)), writes="y", times=200)
def atax(A, x, y):
    """y += Aᵀ (A x), a row of A at a time."""
    rows, columns = A.shape
    for i in range(rows):
        product = 0.0
        for j in range(columns):
            product += A[i, j] * x[j]
        for j in range(columns):
            y[j] += A[i, j] * product


@kernel(
    lambda draw, n: (draw(n + 1, n), draw(n), draw(n + 1), np.zeros(n), np.zeros(n + 1)),
    writes="s q",
    style=SLICES,
    times=200,
)
def bicg(A, p, r, s, q):
    """s = Aᵀ r and q = A p, a row of A at a time."""
    for i in range(A.shape[0]):
        s += r[i] * A[i]
        q[i] = A[i] @ p


@kernel(
    lambda draw, n: (draw(n, n, 5), draw(5, 5)),
    writes="A",
    style=SLICES,
    tests=(8, 3),
    times=60,
)
def doitgen(A, C):
    """Every vector along the last axis times a matrix."""
    for r in range(A.shape[0]):
        for q in range(A.shape[1]):
            A[r, q, :] = A[r, q, :] @ C


def _sparse(draw, n):
    """Four elements a row, in compressed rows; a vector and the product."""
    starts = np.arange(0, 4 * n + 1, 4)
    return draw.signed(4 * n), draw.integers(n, 4 * n), starts, draw(n), np.zeros(n)


@kernel(_sparse, writes="y", times=3_000)
def sparse_product(values, columns, starts, x, y):
    """y = A x in compressed rows: the bounds of the inner loop are read from an array."""
    for i in range(len(y)):
        for k in range(starts[i], starts[i + 1]):
            y[i] += values[k] * x[columns[k]]
