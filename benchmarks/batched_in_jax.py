"""The functions of `batched_programs.py` as one writes them for `jax.vmap`: with loops of `lax`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


def mlp_loss(p, x, y):
    hidden = jnp.tanh(p["w1"] @ x + p["b1"])
    return jnp.sum((p["w2"] @ hidden + p["b2"] - y) ** 2)


def adaptive_ode(y, k):
    def running(state):
        t, h, _ = state
        return (t < 1.0) & (h >= 1e-7)

    def step(state):
        t, h, y = state
        h = jnp.minimum(h, 1.0 - t)
        a = -k * y + jnp.sin(5 * t)
        b = -k * (y + h * a) + jnp.sin(5 * (t + h))
        error = jnp.abs(h * (b - a)) / 2 + 1e-12
        good = error < 1e-4
        y = jnp.where(good, y + h * (a + b) / 2, y)
        t = jnp.where(good, t + h, t)
        factor = jnp.minimum(2.0, jnp.maximum(0.3, 0.9 * jnp.sqrt(1e-4 / error)))
        return t, h * factor, y

    return lax.while_loop(running, step, (0.0, 0.1, y))[2]


def cholesky(a):
    n = len(a)

    def column(j, lower):
        s = a[:, j] - lower @ lower[j]
        s = jnp.where(jnp.arange(n) >= j, s, 0.0)
        return lower.at[:, j].set(s / jnp.sqrt(s[j]))

    return lax.fori_loop(0, n, column, jnp.zeros((n, n)))


def time_warp(x, y):
    def row(above, u):
        def cell(carry, at):
            left, corner = carry
            up, v = at
            new = (u - v) ** 2 + jnp.minimum(corner, jnp.minimum(up, left))
            return (new, up), new

        _, new = lax.scan(cell, (1e9, above[0]), (above[1:], y))
        return jnp.concatenate((jnp.array([1e9]), new)), None

    first = jnp.full(len(y) + 1, 1e9).at[0].set(0.0)
    return lax.scan(row, first, x)[0][-1]


def kepler(mean, e):
    def step(state):
        x, _ = state
        move = (x - e * jnp.sin(x) - mean) / (1 - e * jnp.cos(x))
        return x - move, move

    return lax.while_loop(lambda s: jnp.abs(s[1]) > 1e-12, step, (mean, 1.0))[0]


def escape(re, im):
    def running(state):
        x, y, n = state
        return (n < 200) & (x * x + y * y < 4.0)

    def step(state):
        x, y, n = state
        return x * x - y * y + re, 2 * x * y + im, n + 1

    return lax.while_loop(running, step, (0.0, 0.0, 0))[2]


def logistic_loss(w, x, y):
    return jnp.log(1 + jnp.exp(-y * (x @ w))) + 0.05 * (w @ w)


def kalman(z, q, r):
    f = jnp.array([[1.0, 1.0], [0.0, 1.0]])

    def step(state, v):
        m, p, total = state
        m = f @ m
        p = f @ p @ f.T + q * jnp.eye(2)
        s = p[0, 0] + r
        gain = p[:, 0] / s
        error = v - m[0]
        total = total - 0.5 * (jnp.log(s) + error**2 / s)
        return (m + gain * error, p - jnp.outer(gain, p[0]), total), None

    return lax.scan(step, (jnp.zeros(2), jnp.eye(2), 0.0), z)[0][2]


def pendulum(state, length):
    h = 0.02

    def step(_, s):
        angle, speed = s
        a = -9.81 / length * jnp.sin(angle)
        middle, middle_speed = angle + h / 2 * speed, speed + h / 2 * a
        return angle + h * middle_speed, speed - h * 9.81 / length * jnp.sin(middle)

    return lax.fori_loop(0, 100, step, (state[0], state[1]))[0]


def rosenbrock(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def descent(x):
    return lax.fori_loop(0, 50, lambda _, x: x - 1e-4 * jax.grad(rosenbrock)(x), x)


def american_put(spot, strike):
    n, up, rate = 40, 1.03, 0.9995
    p = (1 / rate - 1 / up) / (up - 1 / up)
    j = jnp.arange(n + 1)

    def step(i, values):
        hold = rate * (p * jnp.roll(values, -1) + (1 - p) * values)
        return jnp.maximum(hold, strike - spot * up ** (2.0 * j - (n - i - 1)))

    return lax.fori_loop(0, n, step, jnp.maximum(strike - spot * up ** (2.0 * j - n), 0.0))[0]


def first_passage(x, noise):
    n = len(noise)

    def running(state):
        x, i = state
        return (i < n) & (jnp.abs(x) <= 1.0)

    x, i = lax.while_loop(running, lambda s: (s[0] + 0.1 * noise[s[1]], s[1] + 1), (x, 0))
    return jnp.where(jnp.abs(x) > 1.0, x * (i - 1), x * n)
