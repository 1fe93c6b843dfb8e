"""Simulations: bodies, lattices, flows, epidemics, chemistry; steps that adapt."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.kernel_programs.define import LOOPS, SLICES, kernel


@kernel(
    lambda draw, n: (draw(n), draw.signed(n, 3), 0.1 * draw.signed(n, 3), 0.01, 2),
    writes="x v",
    tests=(8, 4),
    times=30,
)
def n_body(mass, x, v, dt, steps):
    """Pairs attract each other; velocities and positions are updated in place."""
    n = len(mass)
    for _ in range(steps):
        for i in range(n):
            for j in range(i + 1, n):
                d0, d1, d2 = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
                square = d0 * d0 + d1 * d1 + d2 * d2 + 0.1
                pull = dt / (square * math.sqrt(square))
                v[i, 0] += d0 * pull * mass[j]
                v[i, 1] += d1 * pull * mass[j]
                v[i, 2] += d2 * pull * mass[j]
                v[j, 0] -= d0 * pull * mass[i]
                v[j, 1] -= d1 * pull * mass[i]
                v[j, 2] -= d2 * pull * mass[i]
        x += dt * v


@kernel(
    lambda draw, n: (draw(n), draw.signed(n, 3), 0.1 * draw.signed(n, 3), 0.01, 4),
    writes="x v",
    style=SLICES,
    tests=(8, 4),
    times=60,
)
def n_body_arrays(mass, x, v, dt, steps):
    """The same, all pairs at once: kick, drift, and the energy in each step."""
    energies = np.zeros(steps)
    for t in range(steps):
        d = x[None, :, :] - x[:, None, :]
        square = np.sum(d * d, axis=2) + 0.1
        v += dt * np.sum(d * (mass[None, :] * square**-1.5)[:, :, None], axis=1)
        x += dt * v
        energies[t] = 0.5 * np.sum(mass[:, None] * v * v)
    return energies


@kernel(lambda draw, n: (draw(n, 3), 0.8, 5), writes="f", times=1_000)
def lattice_boltzmann(f, omega, steps):
    """One dimension, three velocities: collide in place, then stream to both sides."""
    n = len(f)
    for _ in range(steps):
        for i in range(n):
            density = f[i, 0] + f[i, 1] + f[i, 2]
            u = (f[i, 1] - f[i, 2]) / density
            f[i, 0] += omega * (2.0 / 3.0 * density * (1.0 - 1.5 * u * u) - f[i, 0])
            moving = density / 6.0 * (1.0 + 3.0 * u * u)
            f[i, 1] += omega * (moving + 0.5 * density * u - f[i, 1])
            f[i, 2] += omega * (moving - 0.5 * density * u - f[i, 2])
        last = f[n - 1, 1]
        for i in range(n - 1, 0, -1):
            f[i, 1] = f[i - 1, 1]
        f[0, 1] = last
        first = f[0, 2]
        for i in range(n - 1):
            f[i, 2] = f[i + 1, 2]
        f[n - 1, 2] = first


@kernel(
    lambda draw, n: (0.3 * draw.signed(n), draw.signed(n), 0.25, 0.05, 6), writes="q p", times=1_000
)
def spring_chain(q, p, beta, dt, steps):
    """Springs with a cubic force between fixed ends (Fermi, Pasta, Ulam, Tsingou)."""
    n = len(q)
    for _ in range(steps):
        for i in range(n):
            left = q[i] - (q[i - 1] if i > 0 else 0.0)
            right = (q[i + 1] if i < n - 1 else 0.0) - q[i]
            p[i] += dt * (right - left + beta * (right**3 - left**3))
        for i in range(n):
            q[i] += dt * p[i]


@kernel(lambda draw, n: (0.4, 0.1, np.zeros((n, 3))), writes="state", passive="state", times=2_000)
def epidemic(infection, recovery, state):
    """Susceptible, infected, recovered, day by day."""
    state[0] = np.array([0.99, 0.01, 0.0])
    for t in range(1, len(state)):
        s, i, r = state[t - 1]
        ill = infection * s * i
        well = recovery * i
        state[t, 0] = s - ill
        state[t, 1] = i + ill - well
        state[t, 2] = r + well


@kernel(lambda draw, n: (draw(n, n), 0.3 * draw(n, n), 0.04, 0.06, 4), writes="u v", style=SLICES)
def gray_scott(u, v, feed, kill, steps):
    """Two substances that react and diffuse; the border stays."""
    for _ in range(steps):
        lu = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        lv = v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] - 4.0 * v[1:-1, 1:-1]
        reaction = 0.1 * u[1:-1, 1:-1] * v[1:-1, 1:-1] ** 2
        u[1:-1, 1:-1] += 0.2 * lu - reaction + feed * (1.0 - u[1:-1, 1:-1])
        v[1:-1, 1:-1] += 0.1 * lv + reaction - (feed + kill) * v[1:-1, 1:-1]


@kernel(
    lambda draw, n: (0.1 * draw.signed(n, n), 0.1 * draw.signed(n, n), np.zeros((n, n)), 0.05, 3),
    writes="u v p",
    style=SLICES,
    tests=(16, 7),
    times=60,
)
def cavity_flow(u, v, p, viscosity, steps):
    """A lid drags the fluid in a box: a pressure that makes the flow free of sources."""
    dt = 0.001
    h = 2.0 / (u.shape[0] - 1)
    for _ in range(steps):
        du = (u[1:-1, 2:] - u[1:-1, :-2]) / (2.0 * h)
        dv = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2.0 * h)
        b = (du + dv) / dt - du * du - dv * dv
        for _ in range(5):
            around = p[1:-1, 2:] + p[1:-1, :-2] + p[2:, 1:-1] + p[:-2, 1:-1]
            p[1:-1, 1:-1] = 0.25 * (around - h * h * b)
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0.0
        old_u, old_v = u.copy(), v.copy()
        for field, old, slope in (
            (u, old_u, p[1:-1, 2:] - p[1:-1, :-2]),
            (v, old_v, p[2:, 1:-1] - p[:-2, 1:-1]),
        ):
            here = old[1:-1, 1:-1]
            west, east = old[1:-1, :-2], old[1:-1, 2:]
            south, north = old[:-2, 1:-1], old[2:, 1:-1]
            carried = old_u[1:-1, 1:-1] * (here - west) + old_v[1:-1, 1:-1] * (here - south)
            spread = viscosity / h * (west + east + south + north - 4.0 * here)
            field[1:-1, 1:-1] = here + dt / h * (spread - carried - 0.5 * slope)
        u[-1, :] = 1.0


@kernel(lambda draw, n: (draw.signed(n), draw.signed(n), np.zeros(n), 12), writes="out", times=500)
def mandelbrot(re, im, out, steps):
    """The size of z² + c when it escapes, or after a number of steps."""
    for k in range(len(re)):
        x = 0.0
        y = 0.0
        for _ in range(steps):
            x, y = x * x - y * y + re[k], 2.0 * x * y + im[k]
            if x * x + y * y > 4.0:
                break
        out[k] = 0.5 * math.log(x * x + y * y)


@kernel(lambda draw, n: (1.0, 0.5, 0.2 * n, 1e-4), passive="end tolerance", style=LOOPS, times=200)
def adaptive_steps(x, friction, end, tolerance):
    """A pendulum by Heun's method, whose step follows its error: a loop of unknown count."""
    v = 0.0
    t = 0.0
    h = 0.1
    while t < end:
        a = -math.sin(x) - friction * v
        x1, v1 = x + h * v, v + h * a
        a1 = -math.sin(x1) - friction * v1
        error = 0.5 * h * abs(a1 - a) + 1e-9
        if error < tolerance * 100.0:
            x += 0.5 * h * (v + v1)
            v += 0.5 * h * (a + a1)
            t += h
        h *= min(2.0, max(0.3, 0.9 * math.sqrt(tolerance * 100.0 / error)))
    return x + v
