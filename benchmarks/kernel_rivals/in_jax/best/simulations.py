"""Simulations: bodies, lattices, flows, epidemics, chemistry; steps that adapt."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax


def n_body(mass, x, v, dt, steps):
    def step(_, state):
        x, v = state
        d = x[None, :, :] - x[:, None, :]
        square = jnp.sum(d * d, axis=2) + 0.1
        pull = dt * mass[None, :] / (square * jnp.sqrt(square))
        v = v + jnp.sum(d * pull[:, :, None], axis=1)
        return x + dt * v, v

    return lax.fori_loop(0, steps, step, (x, v))


def lattice_boltzmann(f, omega, steps):
    def step(_, f):
        rest, right, left = f[:, 0], f[:, 1], f[:, 2]
        density = rest + right + left
        u = (right - left) / density
        moving = density / 6.0 * (1.0 + 3.0 * u * u)
        rest = rest + omega * (2.0 / 3.0 * density * (1.0 - 1.5 * u * u) - rest)
        right = right + omega * (moving + 0.5 * density * u - right)
        left = left + omega * (moving - 0.5 * density * u - left)
        return jnp.stack([rest, jnp.roll(right, 1), jnp.roll(left, -1)], axis=1)

    return [lax.fori_loop(0, steps, step, f)]


def spring_chain(q, p, beta, dt, steps):
    def step(_, state):
        q, p = state
        stretch = jnp.diff(jnp.pad(q, 1))
        left, right = stretch[:-1], stretch[1:]
        p = p + dt * (right - left + beta * (right**3 - left**3))
        return q + dt * p, p

    return lax.fori_loop(0, steps, step, (q, p))


def mandelbrot(re, im, out, steps):
    def iterate(_, state):
        x, y = state
        inside = x * x + y * y <= 4.0
        new_x, new_y = x * x - y * y + re, 2.0 * x * y + im
        return jnp.where(inside, new_x, x), jnp.where(inside, new_y, y)

    x, y = lax.fori_loop(0, steps, iterate, (jnp.zeros_like(re), jnp.zeros_like(im)))
    return [0.5 * jnp.log(x * x + y * y)]
