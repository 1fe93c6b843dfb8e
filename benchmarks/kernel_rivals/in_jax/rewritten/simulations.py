"""Simulations: bodies, lattices, flows, epidemics, chemistry; steps that adapt."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from benchmarks.kernel_rivals.in_jax.nest import nest

MAX_STEPS = 200


def n_body(mass, x, v, dt, steps):
    n = len(mass)

    def step(_, state):
        x, v = state

        def pair(i, j, v):
            d0, d1, d2 = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            square = d0 * d0 + d1 * d1 + d2 * d2 + 0.1
            pull = jnp.where(i < j, dt / (square * jnp.sqrt(square)), 0.0)
            v = v.at[i, 0].add(d0 * pull * mass[j])
            v = v.at[i, 1].add(d1 * pull * mass[j])
            v = v.at[i, 2].add(d2 * pull * mass[j])
            v = v.at[j, 0].add(-d0 * pull * mass[i])
            v = v.at[j, 1].add(-d1 * pull * mass[i])
            return v.at[j, 2].add(-d2 * pull * mass[i])

        v = nest(pair, v, n, (1, n))
        return x + dt * v, v

    return lax.fori_loop(0, steps, step, (x, v))


def n_body_arrays(mass, x, v, dt, steps):
    def step(t, state):
        x, v, energies = state
        d = x[None, :, :] - x[:, None, :]
        square = jnp.sum(d * d, axis=2) + 0.1
        v = v + dt * jnp.sum(d * (mass[None, :] * square**-1.5)[:, :, None], axis=1)
        return x + dt * v, v, energies.at[t].set(0.5 * jnp.sum(mass[:, None] * v * v))

    return lax.fori_loop(0, steps, step, (x, v, jnp.zeros(steps)))


def lattice_boltzmann(f, omega, steps):
    n = len(f)

    def collide(i, f):
        density = f[i, 0] + f[i, 1] + f[i, 2]
        u = (f[i, 1] - f[i, 2]) / density
        f = f.at[i, 0].add(omega * (2.0 / 3.0 * density * (1.0 - 1.5 * u * u) - f[i, 0]))
        moving = density / 6.0 * (1.0 + 3.0 * u * u)
        f = f.at[i, 1].add(omega * (moving + 0.5 * density * u - f[i, 1]))
        return f.at[i, 2].add(omega * (moving - 0.5 * density * u - f[i, 2]))

    def to_the_right(m, f):
        i = n - 1 - m
        return f.at[i, 1].set(f[i - 1, 1])

    def step(_, f):
        f = lax.fori_loop(0, n, collide, f)
        last = f[n - 1, 1]
        f = lax.fori_loop(0, n - 1, to_the_right, f).at[0, 1].set(last)
        first = f[0, 2]
        f = lax.fori_loop(0, n - 1, lambda i, f: f.at[i, 2].set(f[i + 1, 2]), f)
        return f.at[n - 1, 2].set(first)

    return [lax.fori_loop(0, steps, step, f)]


def spring_chain(q, p, beta, dt, steps):
    n = len(q)

    def step(_, state):
        q, p = state

        def kick(i, p):
            left = q[i] - jnp.where(i > 0, q[i - 1], 0.0)
            right = jnp.where(i < n - 1, q[i + 1], 0.0) - q[i]
            return p.at[i].add(dt * (right - left + beta * (right**3 - left**3)))

        p = lax.fori_loop(0, n, kick, p)
        return lax.fori_loop(0, n, lambda i, q: q.at[i].add(dt * p[i]), q), p

    return lax.fori_loop(0, steps, step, (q, p))


def epidemic(infection, recovery, state):
    def day(t, state):
        s, i, r = state[t - 1]
        ill, well = infection * s * i, recovery * i
        return state.at[t].set(jnp.stack([s - ill, i + ill - well, r + well]))

    state = state.at[0].set(jnp.array([0.99, 0.01, 0.0]))
    return [lax.fori_loop(1, len(state), day, state)]


def gray_scott(u, v, feed, kill, steps):
    def laplacian(x):
        return x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4.0 * x[1:-1, 1:-1]

    def step(_, state):
        u, v = state
        lu, lv = laplacian(u), laplacian(v)
        inner_u, inner_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
        reaction = 0.1 * inner_u * inner_v**2
        u = u.at[1:-1, 1:-1].add(0.2 * lu - reaction + feed * (1.0 - inner_u))
        v = v.at[1:-1, 1:-1].add(0.1 * lv + reaction - (feed + kill) * inner_v)
        return u, v

    return lax.fori_loop(0, steps, step, (u, v))


def cavity_flow(u, v, p, viscosity, steps):
    dt = 0.001
    h = 2.0 / (u.shape[0] - 1)

    def relax(p, b):
        around = p[1:-1, 2:] + p[1:-1, :-2] + p[2:, 1:-1] + p[:-2, 1:-1]
        p = p.at[1:-1, 1:-1].set(0.25 * (around - h * h * b))
        p = p.at[:, -1].set(p[:, -2])
        p = p.at[0, :].set(p[1, :])
        p = p.at[:, 0].set(p[:, 1])
        return p.at[-1, :].set(0.0)

    def moved(x, u, v, slope):
        here = x[1:-1, 1:-1]
        west, east, south, north = x[1:-1, :-2], x[1:-1, 2:], x[:-2, 1:-1], x[2:, 1:-1]
        carried = u[1:-1, 1:-1] * (here - west) + v[1:-1, 1:-1] * (here - south)
        spread = viscosity / h * (west + east + south + north - 4.0 * here)
        return x.at[1:-1, 1:-1].set(here + dt / h * (spread - carried - 0.5 * slope))

    def step(_, state):
        u, v, p = state
        du = (u[1:-1, 2:] - u[1:-1, :-2]) / (2.0 * h)
        dv = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2.0 * h)
        b = (du + dv) / dt - du * du - dv * dv
        p = lax.fori_loop(0, 5, lambda _, p: relax(p, b), p)
        new_u = moved(u, u, v, p[1:-1, 2:] - p[1:-1, :-2])
        new_v = moved(v, u, v, p[2:, 1:-1] - p[:-2, 1:-1])
        return new_u.at[-1, :].set(1.0), new_v, p

    return lax.fori_loop(0, steps, step, (u, v, p))


def mandelbrot(re, im, out, steps):
    def point(k, out):
        def iterate(_, state):
            x, y = state
            inside = x * x + y * y <= 4.0
            new_x, new_y = x * x - y * y + re[k], 2.0 * x * y + im[k]
            return jnp.where(inside, new_x, x), jnp.where(inside, new_y, y)

        x, y = lax.fori_loop(0, steps, iterate, (jnp.zeros(()), jnp.zeros(())))
        return out.at[k].set(0.5 * jnp.log(x * x + y * y))

    return [lax.fori_loop(0, len(re), point, out)]


def adaptive_steps(x, friction, end, tolerance):
    """Reverse mode needs a static count: steps after the end change nothing."""

    def step(_, state):
        x, v, t, h = state
        a = -jnp.sin(x) - friction * v
        x1, v1 = x + h * v, v + h * a
        a1 = -jnp.sin(x1) - friction * v1
        error = 0.5 * h * jnp.abs(a1 - a) + 1e-9
        going = t < end
        taken = going & (error < tolerance * 100.0)
        x = jnp.where(taken, x + 0.5 * h * (v + v1), x)
        v = jnp.where(taken, v + 0.5 * h * (a + a1), v)
        t = jnp.where(taken, t + h, t)
        growth = jnp.clip(0.9 * jnp.sqrt(tolerance * 100.0 / error), 0.3, 2.0)
        return x, v, t, jnp.where(going, h * growth, h)

    start = x, jnp.zeros(()), jnp.zeros(()), jnp.full((), 0.1)
    x, v, _, _ = lax.fori_loop(0, MAX_STEPS, step, start)
    return [x + v]
