"""Algorithms on matrices that end early: iterations, rotations, pivots, and what may fail."""

from typing import NamedTuple, Optional

import numpy as np


class Result(NamedTuple):
    x: np.ndarray
    converged: bool
    iterations: int
    residual: Optional[float] = None


class ConvergenceError(RuntimeError):
    pass


def power_iteration(A, tol=1e-12, max_iter=500):
    x = np.ones(A.shape[0]) / np.sqrt(A.shape[0])
    old = 0.0
    for k in range(max_iter):
        y = A @ x
        value = x @ y
        x = y / np.linalg.norm(y)
        if abs(value - old) < tol:
            return value, Result(x, True, k + 1)
        old = value
    return value, Result(x, False, max_iter, np.linalg.norm(A @ x - value * x))


def conjugate_gradients(A, b, x0=None, tol=1e-10, maxiter=None):
    x = np.zeros_like(b) if x0 is None else x0.copy()
    maxiter = maxiter or 10 * len(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    if np.sqrt(rs) < tol:
        return Result(x, True, 0, np.sqrt(rs))
    for k in range(1, maxiter + 1):
        Ap = A @ p
        curvature = p @ Ap
        if curvature <= 0:
            raise ConvergenceError("the matrix is not positive definite")
        alpha = rs / curvature
        x += alpha * p
        r -= alpha * Ap
        new = r @ r
        if np.sqrt(new) < tol:
            return Result(x, True, k, np.sqrt(new))
        p = r + (new / rs) * p
        rs = new
    return Result(x, False, maxiter, np.sqrt(rs))


def jacobi_eigenvalues(A, tol=1e-12, sweeps=30):
    A = A.copy()
    n = len(A)
    for sweep in range(sweeps):
        off = np.sqrt(np.sum(np.tril(A, -1) ** 2))
        if off < tol:
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(A[p, q]) < tol:
                    continue
                theta = (A[q, q] - A[p, p]) / (2 * A[p, q])
                sign = 1.0 if theta >= 0 else -1.0
                t = sign / (abs(theta) + np.sqrt(theta**2 + 1))
                c = 1 / np.sqrt(t**2 + 1)
                s = t * c
                J = np.eye(n)
                J[p, p] = J[q, q] = c
                J[p, q], J[q, p] = s, -s
                A = J.T @ A @ J
    else:
        raise ConvergenceError(f"off-diagonal {off:.2e} after {sweeps} sweeps")
    return np.sort(np.diag(A))


def row_echelon(A, tol=1e-10):
    """The reduced echelon form in place, and the rank."""
    rows, cols = A.shape
    rank = 0
    for col in range(cols):
        if rank == rows:
            break
        pivot = rank + np.argmax(np.abs(A[rank:, col]))
        if abs(A[pivot, col]) < tol:
            continue
        if pivot != rank:
            A[[rank, pivot]] = A[[pivot, rank]]
        A[rank] /= A[rank, col]
        for r in range(rows):
            if r != rank:
                A[r] -= A[r, col] * A[rank]
        rank += 1
    return rank


def gram_schmidt(vectors, tol=1e-10):
    basis = []
    for v in vectors:
        w = v - sum((v @ b) * b for b in basis)
        if np.linalg.norm(w) > tol:
            basis.append(w / np.linalg.norm(w))
    return np.array(basis)


def solution(A, b):
    result = conjugate_gradients(A, b)
    return result.x, result.converged, result.residual < 1e-10


def energy(A, b):
    x = conjugate_gradients(A, b).x
    return 0.5 * x @ A @ x - b @ x
