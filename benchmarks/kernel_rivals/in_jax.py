"""The kernels as an ordinary user of JAX writes them: `fori_loop`, `.at[].set`, masks.

Each takes the arguments of the kernel of its name and returns what that writes and returns.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


def jacobi_1d(A, B, steps):
    def step(_, state):
        A, B = state
        B = B.at[1:-1].set((A[:-2] + A[1:-1] + A[2:]) / 3.0)
        A = A.at[1:-1].set((B[:-2] + B[1:-1] + B[2:]) / 3.0)
        return A, B

    return lax.fori_loop(0, steps, step, (A, B))


def jacobi_2d(A, B, steps):
    def mean(x):
        return 0.2 * (x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1])

    def step(_, state):
        A, B = state
        B = B.at[1:-1, 1:-1].set(mean(A))
        A = A.at[1:-1, 1:-1].set(mean(B))
        return A, B

    return lax.fori_loop(0, steps, step, (A, B))


def jacobi_2d_loops(A, B, steps):
    n = A.shape[0]

    def cells(x, y):
        def cell(i, j, y):
            total = x[i, j] + x[i, j - 1] + x[i, j + 1] + x[i - 1, j] + x[i + 1, j]
            return y.at[i, j].set(0.2 * total)

        return _nest(n, cell, y)

    def step(_, state):
        A, B = state
        B = cells(A, B)
        return cells(B, A), B

    return lax.fori_loop(0, steps, step, (A, B))


def _nest(n, cell, y):
    """All inner cells of a grid, row by row."""

    def row(i, y):
        return lax.fori_loop(1, n - 1, lambda j, y: cell(i, j, y), y)

    return lax.fori_loop(1, n - 1, row, y)


def seidel_2d(A, steps):
    def cell(i, j, A):
        window = lax.dynamic_slice(A, (i - 1, j - 1), (3, 3))
        return A.at[i, j].set(jnp.sum(window) / 9.0)

    return [lax.fori_loop(0, steps, lambda _, A: _nest(A.shape[0], cell, A), A)]


def heat_1d(u, r, steps):
    def cell(i, state):
        u, left = state
        here = u[i]
        return u.at[i].set(here + r * (left - 2.0 * here + u[i + 1])), here

    def step(_, u):
        return lax.fori_loop(1, len(u) - 1, cell, (u, u[0]))[0]

    return [lax.fori_loop(0, steps, step, u)]


def fdtd_2d(ex, ey, hz, source):
    def step(t, state):
        ex, ey, hz = state
        ey = ey.at[0, :].set(source[t])
        ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        curl = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
        return ex, ey, hz.at[:-1, :-1].add(-0.7 * curl)

    return lax.fori_loop(0, len(source), step, (ex, ey, hz))


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


def gaussian_elimination(A):
    rows = jnp.arange(A.shape[0])

    def eliminate(k, A):
        factors = jnp.where(rows > k, A[:, k] / A[k, k], 0.0)
        A = A - jnp.outer(factors, jnp.where(rows > k, A[k], 0.0))
        return A.at[:, k].set(jnp.where(rows > k, factors, A[:, k]))

    return [lax.fori_loop(0, A.shape[0] - 1, eliminate, A)]


def trisolv(L, x, b):
    columns = jnp.arange(len(x))

    def row(i, x):
        known = jnp.sum(jnp.where(columns < i, L[i] * x, 0.0))
        return x.at[i].set((b[i] - known) / L[i, i])

    return [lax.fori_loop(0, len(x), row, x)]


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


def syrk(alpha, beta, A, C):
    n, m = A.shape

    def cell(i, j, C):
        new = beta * C[i, j]
        new = lax.fori_loop(0, m, lambda k, s: s + alpha * A[i, k] * A[j, k], new)
        return C.at[i, j].set(jnp.where(j <= i, new, C[i, j]))

    def row(i, C):
        return lax.fori_loop(0, n, lambda j, C: cell(i, j, C), C)

    return [lax.fori_loop(0, n, row, C)]


def atax(A, x, y):
    return [lax.fori_loop(0, A.shape[0], lambda i, y: y + A[i] * (A[i] @ x), y)]


def floyd_warshall(paths):
    def through(k, paths):
        return jnp.minimum(paths, paths[:, k][:, None] + paths[k][None, :])

    return [lax.fori_loop(0, paths.shape[0], through, paths)]


def time_warping(x, y, D):
    def cell(i, j, D):
        cost = (x[i - 1] - y[j - 1]) ** 2
        before = jnp.minimum(jnp.minimum(D[i - 1, j], D[i, j - 1]), D[i - 1, j - 1])
        return D.at[i, j].set(cost + before)

    def row(i, D):
        return lax.fori_loop(1, len(y) + 1, lambda j, D: cell(i, j, D), D)

    return [lax.fori_loop(1, len(x) + 1, row, D.at[0, 0].set(0.0))]


def viterbi(transitions, emissions, best):
    def step(t, best):
        return best.at[t].set(jnp.max(best[t - 1][:, None] + transitions, axis=0) + emissions[t])

    return [lax.fori_loop(1, len(emissions), step, best.at[0].set(emissions[0]))]


def biquad(x, c):
    def step(i, state):
        x, s1, s2 = state
        y = c[0] * x[i] + s1
        s1 = c[1] * x[i] - c[3] * y + s2
        s2 = c[2] * x[i] - c[4] * y
        return x.at[i].set(y), s1, s2

    return [lax.fori_loop(0, len(x), step, (x, jnp.zeros(()), jnp.zeros(())))[0]]


def convolution_loops(image, weights, out):
    rows, columns = out.shape
    size = weights.shape

    def row(i, out):
        def cell(j, out):
            window = lax.dynamic_slice(image, (i, j), size)
            return out.at[i, j].add(jnp.sum(window * weights))

        return lax.fori_loop(0, columns, cell, out)

    return [lax.fori_loop(0, rows, row, out)]


def n_body_arrays(mass, x, v, dt, steps):
    def step(t, state):
        x, v, energies = state
        d = x[None, :, :] - x[:, None, :]
        square = jnp.sum(d * d, axis=2) + 0.1
        v = v + dt * jnp.sum(d * (mass[None, :] * square**-1.5)[:, :, None], axis=1)
        return x + dt * v, v, energies.at[t].set(0.5 * jnp.sum(mass[:, None] * v * v))

    return lax.fori_loop(0, steps, step, (x, v, jnp.zeros(steps)))


def epidemic(infection, recovery, state):
    def day(t, state):
        s, i, r = state[t - 1]
        ill, well = infection * s * i, recovery * i
        return state.at[t].set(jnp.stack([s - ill, i + ill - well, r + well]))

    state = state.at[0].set(jnp.array([0.99, 0.01, 0.0]))
    return [lax.fori_loop(1, len(state), day, state)]


def lstm(inputs, by_input, by_hidden, bias, hidden, cell):
    units = len(cell)

    def step(t, state):
        h, cell, hidden = state
        z = inputs[t] @ by_input + h @ by_hidden + bias
        gates = jax.nn.sigmoid(z[: 3 * units])
        cell = cell * gates[:units] + gates[units : 2 * units] * jnp.tanh(z[3 * units :])
        h = gates[2 * units :] * jnp.tanh(cell)
        return h, cell, hidden.at[t].set(h)

    start = jnp.zeros(units), cell, hidden
    _, cell, hidden = lax.fori_loop(0, len(inputs), step, start)
    return hidden, cell
