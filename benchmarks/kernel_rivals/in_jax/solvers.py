"""Systems of equations: factorizations, substitutions, iterations."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

ITERATIONS = 20


def cholesky(A):
    n = A.shape[0]
    columns = jnp.arange(n)

    def row(i, A):
        def below(j, A):
            known = jnp.where(columns < j, A[i] * A[j], 0.0)
            return A.at[i, j].set(jnp.where(j < i, (A[i, j] - jnp.sum(known)) / A[j, j], A[i, j]))

        A = lax.fori_loop(0, n, below, A)
        known = jnp.where(columns < i, A[i] * A[i], 0.0)
        return A.at[i, i].set(jnp.sqrt(A[i, i] - jnp.sum(known)))

    return [lax.fori_loop(0, n, row, A)]


cholesky_loops = cholesky


def lu(A):
    n = A.shape[0]
    places = jnp.arange(n)

    def row(i, A):
        def cell(j, A):
            known = jnp.where(places < jnp.minimum(i, j), A[i] * A[:, j], 0.0)
            rest = A[i, j] - jnp.sum(known)
            return A.at[i, j].set(jnp.where(j < i, rest / A[j, j], rest))

        return lax.fori_loop(0, n, cell, A)

    return [lax.fori_loop(0, n, row, A)]


def gaussian_elimination(A):
    rows = jnp.arange(A.shape[0])

    def eliminate(k, A):
        factors = jnp.where(rows > k, A[:, k] / A[k, k], 0.0)
        A = A - jnp.outer(factors, jnp.where(rows > k, A[k], 0.0))
        return A.at[:, k].set(jnp.where(rows > k, factors, A[:, k]))

    return [lax.fori_loop(0, A.shape[0] - 1, eliminate, A)]


def ludcmp(A, b, x, y):
    n = len(b)
    places = jnp.arange(n)
    A = lu(A)[0]

    def forwards(i, y):
        return y.at[i].set(b[i] - jnp.sum(jnp.where(places < i, A[i] * y, 0.0)))

    y = lax.fori_loop(0, n, forwards, y)

    def backwards(k, x):
        i = n - 1 - k
        known = jnp.sum(jnp.where(places > i, A[i] * x, 0.0))
        return x.at[i].set((y[i] - known) / A[i, i])

    return A, lax.fori_loop(0, n, backwards, x), y


def pivoted_solve(A, b):
    n = len(b)
    rows = jnp.arange(n)

    def eliminate(k, state):
        A, b = state
        best = jnp.argmax(jnp.where(rows >= k, jnp.abs(A[:, k]), -1.0))
        here, there = jnp.array([k, best]), jnp.array([best, k])
        A, b = A.at[here].set(A[there]), b.at[here].set(b[there])
        factors = jnp.where(rows > k, A[:, k] / A[k, k], 0.0)
        return A - jnp.outer(factors, A[k]), b - factors * b[k]

    A, b = lax.fori_loop(0, n, eliminate, (A, b))

    def substitute(k, b):
        i = n - 1 - k
        known = jnp.sum(jnp.where(rows > i, A[i] * b, 0.0))
        return b.at[i].set((b[i] - known) / A[i, i])

    return [lax.fori_loop(0, n, substitute, b)]


def trisolv(L, x, b):
    columns = jnp.arange(len(x))

    def row(i, x):
        known = jnp.sum(jnp.where(columns < i, L[i] * x, 0.0))
        return x.at[i].set((b[i] - known) / L[i, i])

    return [lax.fori_loop(0, len(x), row, x)]


def back_substitution(U, b):
    n = len(b)
    rows = jnp.arange(n)

    def column(k, b):
        j = n - 1 - k
        b = b.at[j].divide(U[j, j])
        return b - jnp.where(rows < j, U[:, j] * b[j], 0.0)

    return [lax.fori_loop(0, n, column, b)]


def durbin(r, y):
    n = len(r)
    places = jnp.arange(n)

    def step(k, state):
        y, alpha, beta = state
        beta = beta * (1.0 - alpha * alpha)
        backwards = jnp.where(places < k, k - 1 - places, 0)
        known = jnp.where(places < k, r[backwards] * y, 0.0)
        alpha = -(r[k] + jnp.sum(known)) / beta
        y = jnp.where(places < k, y + alpha * y[backwards], y)
        return y.at[k].set(alpha), alpha, beta

    y = y.at[0].set(-r[0])
    return [lax.fori_loop(1, n, step, (y, -r[0], jnp.ones(())))[0]]


durbin_loops = durbin


def gram_schmidt(A, Q, R):
    n = A.shape[1]

    def column(k, state):
        def project(j, state):
            A, R = state
            product = jnp.where(j > k, Q[:, k] @ A[:, j], 0.0)
            R = R.at[k, j].set(jnp.where(j > k, product, R[k, j]))
            return A.at[:, j].add(-Q[:, k] * product), R

        A, Q, R = state
        R = R.at[k, k].set(jnp.sqrt(A[:, k] @ A[:, k]))
        Q = Q.at[:, k].set(A[:, k] / R[k, k])
        A, R = lax.fori_loop(0, n, project, (A, R))
        return A, Q, R

    return lax.fori_loop(0, n, column, (A, Q, R))


def householder(A, b):
    n = len(b)
    places = jnp.arange(n)

    def reflect(k, state):
        A, b = state
        v = jnp.where(places >= k, A[:, k], 0.0)
        v = v.at[k].add(jnp.sqrt(v @ v) * jnp.where(A[k, k] > 0.0, 1.0, -1.0))
        v_scaled = 2.0 / (v @ v) * v
        A = A - jnp.where(places >= k, jnp.outer(v_scaled, v @ A), 0.0)
        return A, b - v_scaled * (v @ b)

    return lax.fori_loop(0, n - 1, reflect, (A, b))


def conjugate_gradients(A, b, x, tolerance):
    """Reverse mode needs a static count: iterations after the last change nothing."""

    def iterate(_, state):
        x, r, p, square = state
        going = square > tolerance * tolerance
        q = A @ p
        alpha = jnp.where(going, square / jnp.where(going, p @ q, 1.0), 0.0)
        x, r = x + alpha * p, r - alpha * q
        new = r @ r
        p = jnp.where(going, r + new / square * p, p)
        return x, r, p, new

    r = b - A @ x
    return [lax.fori_loop(0, ITERATIONS, iterate, (x, r, r, r @ r))[0]]


def thomas(a, b, c, d):
    n = len(d)

    def forwards(i, state):
        factor, d = state
        pivot = b[i] - a[i] * factor[i - 1]
        return factor.at[i].set(c[i] / pivot), d.at[i].set((d[i] - a[i] * d[i - 1]) / pivot)

    def backwards(k, d):
        i = n - 2 - k
        return d.at[i].add(-factor[i] * d[i + 1])

    start = jnp.zeros(n).at[0].set(c[0] / b[0]), d.at[0].set(d[0] / b[0])
    factor, d = lax.fori_loop(1, n, forwards, start)
    return [lax.fori_loop(0, n - 1, backwards, d)]


def crank_nicolson(u, r, steps):
    def eliminate(state, right):
        factor, before = state
        pivot = 1.0 + r + 0.5 * r * factor
        state = -0.5 * r / pivot, (right + 0.5 * r * before) / pivot
        return state, state

    def substitute(after, state):
        factor, right = state
        here = right - factor * after
        return here, here

    def step(_, u):
        right = u[1:-1] + 0.5 * r * (u[:-2] - 2.0 * u[1:-1] + u[2:])
        _, states = lax.scan(eliminate, (jnp.zeros(()), u[0]), right)
        _, inner = lax.scan(substitute, u[-1], states, reverse=True)
        return u.at[1:-1].set(inner)

    return [lax.fori_loop(0, steps, step, u)]


def gauss_seidel(A, b, x, sweeps):
    def cell(i, x):
        total = b[i] - A[i].at[i].set(0.0) @ x
        return x.at[i].set(total / A[i, i])

    def sweep(_, x):
        return lax.fori_loop(0, len(b), cell, x)

    return [lax.fori_loop(0, sweeps, sweep, x)]
