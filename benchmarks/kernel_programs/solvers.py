"""Systems of equations: factorizations, substitutions, iterations."""

from __future__ import annotations

import numpy as np

from benchmarks.kernel_programs.define import SLICES, kernel


@kernel(lambda draw, n: (draw.positive_definite(n),), writes="A", times=60)
def cholesky_loops(A):
    """A = L Lᵀ in the lower triangle, element by element."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = np.sqrt(A[i, i])


@kernel(lambda draw, n: (draw.positive_definite(n),), writes="A", style=SLICES, times=60)
def cholesky(A):
    """The same with products of the rows computed so far."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[j, :j]) / A[j, j]
        A[i, i] = np.sqrt(A[i, i] - A[i, :i] @ A[i, :i])


@kernel(lambda draw, n: (draw.dominant(n),), writes="A", style=SLICES, times=60)
def lu(A):
    """A = L U without pivots, by Doolittle's rows."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]


@kernel(lambda draw, n: (draw.dominant(n),), writes="A", style=SLICES, times=80)
def gaussian_elimination(A):
    """A = L U, the rest of the matrix updated by an outer product at a time."""
    n = A.shape[0]
    for k in range(n - 1):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])


@kernel(
    lambda draw, n: (draw.dominant(n), draw(n), np.zeros(n), np.zeros(n)), writes="A x y", times=60
)
def ludcmp(A, b, x, y):
    """L U factors and both substitutions, element by element with a running sum."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            w = A[i, j]
            for k in range(j):
                w -= A[i, k] * A[k, j]
            A[i, j] = w / A[j, j]
        for j in range(i, n):
            w = A[i, j]
            for k in range(i):
                w -= A[i, k] * A[k, j]
            A[i, j] = w
    for i in range(n):
        w = b[i]
        for j in range(i):
            w -= A[i, j] * y[j]
        y[i] = w
    for i in range(n - 1, -1, -1):
        w = y[i]
        for j in range(i + 1, n):
            w -= A[i, j] * x[j]
        x[i] = w / A[i, i]


@kernel(lambda draw, n: (draw.dominant(n), draw(n)), writes="b", times=60)
def pivoted_solve(A, b):
    """Elimination with the largest pivot of each column; rows are swapped in a copy."""
    n = A.shape[0]
    A = A.copy()
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if best != k:
            for j in range(n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
            b[k], b[best] = b[best], b[k]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            for j in range(k, n):
                A[i, j] -= factor * A[k, j]
            b[i] -= factor * b[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= A[i, j] * b[j]
        b[i] /= A[i, i]


@kernel(
    lambda draw, n: (draw.dominant(n), np.zeros(n), draw(n)), writes="x", style=SLICES, times=300
)
def trisolv(L, x, b):
    """Forward substitution."""
    for i in range(len(x)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


@kernel(lambda draw, n: (draw.dominant(n), draw(n)), writes="b", times=300)
def back_substitution(U, b):
    """Column by column, in place."""
    n = len(b)
    for j in range(n - 1, -1, -1):
        b[j] /= U[j, j]
        for i in range(j):
            b[i] -= U[i, j] * b[j]


@kernel(lambda draw, n: (draw(n) / n, np.zeros(n)), writes="y", style=SLICES, times=300)
def durbin(r, y):
    """Levinson and Durbin: the Yule-Walker equations of a Toeplitz matrix."""
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, len(r)):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha


@kernel(lambda draw, n: (draw(n) / n, np.zeros(n)), writes="y", times=200)
def durbin_loops(r, y):
    """The same, element by element, with a scratch vector."""
    n = len(r)
    z = np.zeros(n)
    y[0] = -r[0]
    alpha = -r[0]
    beta = 1.0
    for k in range(1, n):
        beta = (1.0 - alpha * alpha) * beta
        total = 0.0
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -(r[k] + total) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha


@kernel(
    lambda draw, n: (draw.dominant(n), np.zeros((n, n)), np.zeros((n, n))),
    writes="A Q R",
    style=SLICES,
    times=60,
)
def gram_schmidt(A, Q, R):
    """A = Q R, column by column; what is left of A is projected as we go."""
    n = A.shape[1]
    for k in range(n):
        R[k, k] = np.sqrt(np.dot(A[:, k], A[:, k]))
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]


@kernel(lambda draw, n: (draw.dominant(n), draw(n)), writes="A b", times=40)
def householder(A, b):
    """Reflections turn A into R and b into Qᵀ b, element by element."""
    n = A.shape[0]
    v = np.zeros(n)
    for k in range(n - 1):
        square = 0.0
        for i in range(k, n):
            v[i] = A[i, k]
            square += v[i] * v[i]
        norm = np.sqrt(square)
        v[k] += norm if A[k, k] > 0.0 else -norm
        scale = 0.0
        for i in range(k, n):
            scale += v[i] * v[i]
        for j in range(k, n):
            product = 0.0
            for i in range(k, n):
                product += v[i] * A[i, j]
            for i in range(k, n):
                A[i, j] -= 2.0 * product / scale * v[i]
        product = 0.0
        for i in range(k, n):
            product += v[i] * b[i]
        for i in range(k, n):
            b[i] -= 2.0 * product / scale * v[i]


@kernel(
    lambda draw, n: (draw.positive_definite(n), draw(n), np.zeros(n), 1e-3),
    writes="x",
    passive="tolerance",
    style=SLICES,
    times=200,
)
def conjugate_gradients(A, b, x, tolerance):
    """Until the residual is small: a loop of unknown count."""
    r = b - A @ x
    p = r.copy()
    square = r @ r
    while square > tolerance * tolerance:
        q = A @ p
        alpha = square / (p @ q)
        x += alpha * p
        r -= alpha * q
        before, square = square, r @ r
        p = r + square / before * p


@kernel(
    lambda draw, n: (draw.signed(n), 4.0 + draw(n), draw.signed(n), draw(n)),
    writes="d",
    times=3_000,
)
def thomas(a, b, c, d):
    """A tridiagonal system; the scratch vector is made anew, the right side becomes the answer."""
    n = len(d)
    factor = np.zeros(n)
    factor[0] = c[0] / b[0]
    d[0] /= b[0]
    for i in range(1, n):
        pivot = b[i] - a[i] * factor[i - 1]
        factor[i] = c[i] / pivot
        d[i] = (d[i] - a[i] * d[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        d[i] -= factor[i] * d[i + 1]


@kernel(lambda draw, n: (draw(n), 0.4, 4), writes="u", times=1_000)
def crank_nicolson(u, r, steps):
    """Heat with a mean of old and new slopes: a tridiagonal system in every step."""
    n = len(u)
    factor = np.zeros(n)
    right = np.zeros(n)
    for _ in range(steps):
        for i in range(1, n - 1):
            right[i] = u[i] + 0.5 * r * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        for i in range(1, n - 1):
            pivot = 1.0 + r + 0.5 * r * (factor[i - 1] if i > 1 else 0.0)
            factor[i] = -0.5 * r / pivot
            right[i] = (right[i] + 0.5 * r * (right[i - 1] if i > 1 else u[0])) / pivot
        for i in range(n - 2, 0, -1):
            u[i] = right[i] - factor[i] * u[i + 1]


@kernel(lambda draw, n: (draw.dominant(n), draw(n), np.zeros(n), 4), writes="x", times=200)
def gauss_seidel(A, b, x, sweeps):
    """Sweeps that use what is already new."""
    n = len(b)
    for _ in range(sweeps):
        for i in range(n):
            total = b[i]
            for j in range(n):
                if j == i:
                    continue
                total -= A[i, j] * x[j]
            x[i] = total / A[i, i]
