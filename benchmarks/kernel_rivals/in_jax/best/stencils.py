"""Stencils on grids: relaxation, heat, waves, advection, Maxwell's equations."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from benchmarks.kernel_rivals.in_jax.rewritten.stencils import jacobi_2d

jacobi_2d_loops = jacobi_2d


def heat_1d(u, r, steps):
    def step(_, u):
        return u.at[1:-1].add(r * (u[:-2] - 2.0 * u[1:-1] + u[2:]))

    return [lax.fori_loop(0, steps, step, u)]


def seidel_2d(A, steps):
    n = A.shape[0]

    def cell(i, j, A):
        window = lax.dynamic_slice(A, (i - 1, j - 1), (3, 3))
        return A.at[i, j].set(jnp.sum(window) / 9.0)

    def row(i, A):
        return lax.fori_loop(1, n - 1, lambda j, A: cell(i, j, A), A)

    return [lax.fori_loop(0, steps, lambda _, A: lax.fori_loop(1, n - 1, row, A), A)]


def over_relaxation(p, f, omega, steps):
    n = p.shape[0]
    inner = jnp.arange(1, n - 1)
    black = (inner[:, None] + inner[None, :]) % 2 == 1

    def relax(p, chosen):
        mean = 0.25 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])
        change = omega * (mean - f[1:-1, 1:-1] / (n * n) - p[1:-1, 1:-1])
        return p.at[1:-1, 1:-1].add(jnp.where(chosen, change, 0.0))

    return [lax.fori_loop(0, steps, lambda _, p: relax(relax(p, ~black), black), p)]


def wave_1d(now, before, courant, steps):
    def step(_, state):
        now, before = state
        bend = now[:-2] - 2.0 * now[1:-1] + now[2:]
        new = 2.0 * now[1:-1] - before[1:-1] + courant * courant * bend
        return before.at[1:-1].set(new), now

    return lax.fori_loop(0, steps, step, (now, before))


def upwind(u, velocity, ratio, steps):
    wind = velocity[1:-1]

    def step(_, u):
        slope = jnp.where(wind > 0.0, u[1:-1] - u[:-2], u[2:] - u[1:-1])
        return u.at[1:-1].add(-ratio * wind * slope)

    return [lax.fori_loop(0, steps, step, u)]


def adi(u, r, steps):
    def step(_, u):
        v = jnp.ones_like(u).at[1:-1, 1:-1].set(_implicit_rows(u.T, r).T)
        u = u.at[:, 0].set(1.0).at[:, -1].set(1.0)
        return u.at[1:-1, 1:-1].set(_implicit_rows(v, r))

    return [lax.fori_loop(0, steps, step, u)]


def _implicit_rows(x, r):
    """The inner rows solved for, given what the rows beside them give explicitly."""
    explicit = x[1:-1, 1:-1] + r * (x[:-2, 1:-1] - 2.0 * x[1:-1, 1:-1] + x[2:, 1:-1])
    return jax.vmap(lambda d: _line(d, r))(explicit)


def _line(d, r):
    """(1 + 2r) x[i] - r (x[i-1] + x[i+1]) = d[i] inside a line with x = 1 at its ends."""

    def eliminate(state, d):
        factor, x = state
        pivot = 1.0 + 2.0 * r - r * factor
        state = r / pivot, (d + r * x) / pivot
        return state, state

    def substitute(after, state):
        factor, x = state
        x = x + factor * after
        return x, x

    one = jnp.ones(())
    _, states = lax.scan(eliminate, (jnp.zeros(()), one), d)
    _, x = lax.scan(substitute, one, states, reverse=True)
    return x
