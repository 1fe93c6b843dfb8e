"""Systems of equations: factorizations, substitutions, iterations."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from benchmarks.kernel_rivals.in_jax.nest import nest

ITERATIONS = 20


def cholesky_loops(A):
    n = A.shape[0]

    def row(i, A):
        def below(j, A):
            def term(k, A):
                return A.at[i, j].add(jnp.where((k < j) & (j < i), -A[i, k] * A[j, k], 0.0))

            A = lax.fori_loop(0, n, term, A)
            return A.at[i, j].set(jnp.where(j < i, A[i, j] / A[j, j], A[i, j]))

        def square(k, A):
            return A.at[i, i].add(jnp.where(k < i, -A[i, k] * A[i, k], 0.0))

        A = lax.fori_loop(0, n, below, A)
        A = lax.fori_loop(0, n, square, A)
        return A.at[i, i].set(jnp.sqrt(A[i, i]))

    return [lax.fori_loop(0, n, row, A)]


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

    def cell(i, j, A):
        """Both loops over j in one."""
        known = jnp.minimum(i, j)

        def term(k, w):
            return w - jnp.where(k < known, A[i, k] * A[k, j], 0.0)

        w = nest(term, A[i, j], n)
        return A.at[i, j].set(jnp.where(j < i, w / A[j, j], w))

    A = nest(cell, A, n, n)

    def forwards(i, y):
        w = nest(lambda j, w: w - jnp.where(j < i, A[i, j] * y[j], 0.0), b[i], n)
        return y.at[i].set(w)

    y = nest(forwards, y, n)

    def backwards(m, x):
        i = n - 1 - m
        w = nest(lambda j, w: w - jnp.where(j > i, A[i, j] * x[j], 0.0), y[i], n)
        return x.at[i].set(w / A[i, i])

    return A, nest(backwards, x, n), y


def pivoted_solve(A, b):
    n = len(b)

    def eliminate(k, state):
        A, b = _pivoted(k, *state)

        def row(i, state):
            A, b = state
            factor = jnp.where(i > k, A[i, k] / A[k, k], 0.0)

            def term(j, A):
                return A.at[i, j].add(jnp.where(j >= k, -factor * A[k, j], 0.0))

            return nest(term, A, n), b.at[i].add(-factor * b[k])

        return nest(row, (A, b), (1, n))

    A, b = nest(eliminate, (A, b), n)

    def substitute(m, b):
        i = n - 1 - m

        def term(j, b):
            return b.at[i].add(jnp.where(j > i, -A[i, j] * b[j], 0.0))

        b = nest(term, b, (1, n))
        return b.at[i].set(b[i] / A[i, i])

    return [nest(substitute, b, n)]


def _pivoted(k, A, b):
    """The row with the largest element of column k in row k; it may be that already."""

    def larger(i, best):
        return jnp.where((i > k) & (jnp.abs(A[i, k]) > jnp.abs(A[best, k])), i, best)

    best = nest(larger, k, (1, len(b)))

    def swap(j, A):
        return A.at[k, j].set(A[best, j]).at[best, j].set(A[k, j])

    return nest(swap, A, len(b)), b.at[k].set(b[best]).at[best].set(b[k])


def trisolv(L, x, b):
    columns = jnp.arange(len(x))

    def row(i, x):
        known = jnp.sum(jnp.where(columns < i, L[i] * x, 0.0))
        return x.at[i].set((b[i] - known) / L[i, i])

    return [lax.fori_loop(0, len(x), row, x)]


def back_substitution(U, b):
    n = len(b)

    def column(m, b):
        j = n - 1 - m
        b = b.at[j].divide(U[j, j])
        return nest(lambda i, b: b.at[i].add(jnp.where(i < j, -U[i, j] * b[j], 0.0)), b, n - 1)

    return [nest(column, b, n)]


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


def durbin_loops(r, y):
    n = len(r)

    def step(k, state):
        y, alpha, beta = state
        beta = (1.0 - alpha * alpha) * beta

        def term(i, total):
            return total + jnp.where(i < k, r[k - i - 1] * y[i], 0.0)

        alpha = -(r[k] + nest(term, jnp.zeros(()), n - 1)) / beta
        z = nest(lambda i, z: z.at[i].set(y[i] + alpha * y[k - i - 1]), jnp.zeros(n), n - 1)
        y = nest(lambda i, y: y.at[i].set(jnp.where(i < k, z[i], y[i])), y, n - 1)
        return y.at[k].set(alpha), alpha, beta

    start = y.at[0].set(-r[0]), -r[0], jnp.ones(())
    return [nest(step, start, (1, n))[0]]


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
    zero = jnp.zeros(())

    def reflect(k, state):
        A, b = state

        def copy(i, state):
            v, square = state
            v = v.at[i].set(jnp.where(i >= k, A[i, k], 0.0))
            return v, square + v[i] * v[i]

        v, square = nest(copy, (jnp.zeros(n), zero), n)
        norm = jnp.sqrt(square)
        v = v.at[k].add(jnp.where(A[k, k] > 0.0, norm, -norm))
        scale = nest(lambda i, total: total + v[i] * v[i], zero, n)

        def column(j, A):
            product = nest(lambda i, total: total + v[i] * A[i, j], zero, n)
            change = jnp.where(j >= k, -2.0 * product / scale, 0.0)
            return nest(lambda i, A: A.at[i, j].add(change * v[i]), A, n)

        A = nest(column, A, n)
        product = nest(lambda i, total: total + v[i] * b[i], zero, n)
        return A, nest(lambda i, b: b.at[i].add(-2.0 * product / scale * v[i]), b, n)

    return nest(reflect, (A, b), n - 1)


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
    n = len(u)

    def step(_, u):
        def explicit(i, right):
            return right.at[i].set(u[i] + 0.5 * r * (u[i - 1] - 2.0 * u[i] + u[i + 1]))

        def eliminate(i, state):
            factor, right = state
            pivot = 1.0 + r + 0.5 * r * jnp.where(i > 1, factor[i - 1], 0.0)
            before = jnp.where(i > 1, right[i - 1], u[0])
            right = right.at[i].set((right[i] + 0.5 * r * before) / pivot)
            return factor.at[i].set(-0.5 * r / pivot), right

        right = lax.fori_loop(1, n - 1, explicit, jnp.zeros(n))
        factor, right = lax.fori_loop(1, n - 1, eliminate, (jnp.zeros(n), right))

        def substitute(m, u):
            i = n - 2 - m
            return u.at[i].set(right[i] - factor[i] * u[i + 1])

        return lax.fori_loop(0, n - 2, substitute, u)

    return [lax.fori_loop(0, steps, step, u)]


def gauss_seidel(A, b, x, sweeps):
    n = len(b)

    def cell(_, i, x):
        def term(j, total):
            return total - jnp.where(j == i, 0.0, A[i, j] * x[j])

        return x.at[i].set(nest(term, b[i], n) / A[i, i])

    return [nest(cell, x, sweeps, n)]
