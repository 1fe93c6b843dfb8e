"""Stencils on grids: relaxation, heat, waves, advection, Maxwell's equations."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from benchmarks.kernel_rivals.in_jax.nest import nest


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
    inner = 1, A.shape[0] - 1

    def mean(x, i, j):
        return 0.2 * (x[i, j] + x[i, j - 1] + x[i, j + 1] + x[i - 1, j] + x[i + 1, j])

    def step(_, state):
        A, B = state
        B = nest(lambda i, j, B: B.at[i, j].set(mean(A, i, j)), B, inner, inner)
        A = nest(lambda i, j, A: A.at[i, j].set(mean(B, i, j)), A, inner, inner)
        return A, B

    return lax.fori_loop(0, steps, step, (A, B))


def heat_1d(u, r, steps):
    def cell(i, state):
        u, left = state
        here = u[i]
        return u.at[i].set(here + r * (left - 2.0 * here + u[i + 1])), here

    def step(_, u):
        return lax.fori_loop(1, len(u) - 1, cell, (u, u[0]))[0]

    return [lax.fori_loop(0, steps, step, u)]


def heat_3d(A, B, steps):
    def heated(x):
        middle = x[1:-1, 1:-1, 1:-1]
        return (
            0.125 * (x[2:, 1:-1, 1:-1] - 2.0 * middle + x[:-2, 1:-1, 1:-1])
            + 0.125 * (x[1:-1, 2:, 1:-1] - 2.0 * middle + x[1:-1, :-2, 1:-1])
            + 0.125 * (x[1:-1, 1:-1, 2:] - 2.0 * middle + x[1:-1, 1:-1, :-2])
            + middle
        )

    def step(_, state):
        A, B = state
        B = B.at[1:-1, 1:-1, 1:-1].set(heated(A))
        A = A.at[1:-1, 1:-1, 1:-1].set(heated(B))
        return A, B

    return lax.fori_loop(0, steps, step, (A, B))


def seidel_2d(A, steps):
    inner = 1, A.shape[0] - 1

    def cell(_, i, j, A):
        above = A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
        beside = A[i, j - 1] + A[i, j] + A[i, j + 1]
        below = A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]
        return A.at[i, j].set((above + beside + below) / 9.0)

    return [nest(cell, A, steps, inner, inner)]


def over_relaxation(p, f, omega, steps):
    n = p.shape[0]
    h = 1.0 / n
    inner = 1, n - 1

    def cell(_, colour, i, j, p):
        mean = 0.25 * (p[i - 1, j] + p[i + 1, j] + p[i, j - 1] + p[i, j + 1])
        change = omega * (mean - h * h * f[i, j] - p[i, j])
        return p.at[i, j].add(jnp.where((i + j) % 2 == colour, change, 0.0))

    return [nest(cell, p, steps, 2, inner, inner)]


def fdtd_2d(ex, ey, hz, source):
    def step(t, state):
        ex, ey, hz = state
        ey = ey.at[0, :].set(source[t])
        ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        curl = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
        return ex, ey, hz.at[:-1, :-1].add(-0.7 * curl)

    return lax.fori_loop(0, len(source), step, (ex, ey, hz))


def wave_1d(now, before, courant, steps):
    n = len(now)

    def swap(i, state):
        now, before = state
        return now.at[i].set(before[i]), before.at[i].set(now[i])

    def step(_, state):
        now, before = state

        def cell(i, before):
            bend = now[i - 1] - 2.0 * now[i] + now[i + 1]
            return before.at[i].set(2.0 * now[i] - before[i] + courant * courant * bend)

        before = lax.fori_loop(1, n - 1, cell, before)
        return lax.fori_loop(0, n, swap, (now, before))

    return lax.fori_loop(0, steps, step, (now, before))


def upwind(u, velocity, ratio, steps):
    def step(_, old):
        def cell(i, u):
            slope = jnp.where(velocity[i] > 0.0, old[i] - old[i - 1], old[i + 1] - old[i])
            return u.at[i].add(-ratio * velocity[i] * slope)

        return lax.fori_loop(1, len(u) - 1, cell, old)

    return [lax.fori_loop(0, steps, step, u)]


def horizontal_diffusion(field, coefficient, out):
    laplacian = 4.0 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    flux = laplacian[1:, 1:-1] - laplacian[:-1, 1:-1]
    slope = field[2:-1, 2:-2] - field[1:-2, 2:-2]
    along = jnp.where(flux * slope > 0.0, 0.0, flux)
    flux = laplacian[1:-1, 1:] - laplacian[1:-1, :-1]
    slope = field[2:-2, 2:-1] - field[2:-2, 1:-2]
    across = jnp.where(flux * slope > 0.0, 0.0, flux)
    divergence = along[1:] - along[:-1] + across[:, 1:] - across[:, :-1]
    return [field[2:-2, 2:-2] - coefficient * divergence]


def vertical_advection(u, w, dt):
    levels = u.shape[2]

    def eliminate(k, state):
        upper, u = state
        gain = 0.5 * dt * w[:, :, k]
        pivot = 1.0 + gain * (1.0 + upper[:, :, k - 1])
        upper = upper.at[:, :, k].set(gain / pivot)
        return upper, u.at[:, :, k].set((u[:, :, k] + gain * u[:, :, k - 1]) / pivot)

    def substitute(m, u):
        k = levels - 2 - m
        return u.at[:, :, k].add(-upper[:, :, k] * u[:, :, k + 1])

    upper, u = lax.fori_loop(1, levels, eliminate, (jnp.zeros_like(u), u))
    return [lax.fori_loop(0, levels - 1, substitute, u)]


def adi(u, r, steps):
    inner = 1, u.shape[0] - 1

    def step(_, u):
        def column(j, v):
            return v.at[:, j].set(_sweep(u[:, j - 1], u[:, j], u[:, j + 1], r))

        v = lax.fori_loop(*inner, column, jnp.zeros_like(u).at[0].set(1.0).at[-1].set(1.0))

        def row(i, u):
            return u.at[i].set(_sweep(v[i - 1], v[i], v[i + 1], r))

        return lax.fori_loop(*inner, row, u.at[:, 0].set(1.0).at[:, -1].set(1.0))

    return [lax.fori_loop(0, steps, step, u)]


def _sweep(before, here, after, r):
    """(1 + 2r) x[i] - r (x[i-1] + x[i+1]) = d[i] along a line with x = 1 at its ends."""
    n = len(here)

    def eliminate(i, state):
        line, factor = state
        explicit = here[i] + r * (before[i] - 2.0 * here[i] + after[i])
        pivot = 1.0 + 2.0 * r - r * factor[i - 1]
        known = jnp.where(i > 1, explicit + r * line[i - 1], explicit + r)
        return line.at[i].set(known / pivot), factor.at[i].set(r / pivot)

    def substitute(m, line):
        i = n - 2 - m
        return line.at[i].add(factor[i] * line[i + 1])

    ends = jnp.zeros(n).at[0].set(1.0).at[-1].set(1.0)
    line, factor = lax.fori_loop(1, n - 1, eliminate, (ends, jnp.zeros(n)))
    return lax.fori_loop(0, n - 2, substitute, line)
