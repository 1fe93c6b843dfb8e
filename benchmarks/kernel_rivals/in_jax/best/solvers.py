"""Systems of equations: factorizations, substitutions, iterations."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from benchmarks.kernel_rivals.in_jax.rewritten.solvers import cholesky, durbin, lu

cholesky_loops = cholesky


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


def back_substitution(U, b):
    n = len(b)
    rows = jnp.arange(n)

    def column(k, b):
        j = n - 1 - k
        b = b.at[j].divide(U[j, j])
        return b - jnp.where(rows < j, U[:, j] * b[j], 0.0)

    return [lax.fori_loop(0, n, column, b)]


durbin_loops = durbin


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
