"""Functions of one example, written with NumPy as a user would: what `batching.py` measures.

Each is also written for `jax.vmap` by hand, in `batched_in_jax.py`.
"""

from __future__ import annotations

import numpy as np

import myia

EXAMPLES = 256


def mlp_loss(p, x, y):
    hidden = np.tanh(p["w1"] @ x + p["b1"])
    return np.sum((p["w2"] @ hidden + p["b2"] - y) ** 2)


def adaptive_ode(y, k):
    """Heun's method with an error estimate, to t = 1."""
    t, h = 0.0, 0.1
    while t < 1.0:
        h = min(h, 1.0 - t)
        a = -k * y + np.sin(5 * t)
        b = -k * (y + h * a) + np.sin(5 * (t + h))
        error = abs(h * (b - a)) / 2 + 1e-12
        if error < 1e-4:
            y = y + h * (a + b) / 2
            t = t + h
        h = h * min(2.0, max(0.3, 0.9 * np.sqrt(1e-4 / error)))
        if h < 1e-7:
            break
    return y


def cholesky(a):
    n = len(a)
    lower = np.zeros((n, n))
    for j in range(n):
        s = a[j, j]
        for k in range(j):
            s -= lower[j, k] ** 2
        lower[j, j] = np.sqrt(s)
        for i in range(j + 1, n):
            s = a[i, j]
            for k in range(j):
                s -= lower[i, k] * lower[j, k]
            lower[i, j] = s / lower[j, j]
    return lower


def time_warp(x, y):
    n, m = len(x), len(y)
    d = np.full((n + 1, m + 1), 1e9)
    d[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            near = min(d[i, j], min(d[i, j + 1], d[i + 1, j]))
            d[i + 1, j + 1] = (x[i] - y[j]) ** 2 + near
    return d[n, m]


def kepler(mean, e):
    """The eccentric anomaly, by Newton's method."""
    x = mean
    step = 1.0
    while abs(step) > 1e-12:
        step = (x - e * np.sin(x) - mean) / (1 - e * np.cos(x))
        x = x - step
    return x


def escape(re, im):
    x, y, n = 0.0, 0.0, 0
    while n < 200 and x * x + y * y < 4.0:
        x, y = x * x - y * y + re, 2 * x * y + im
        n += 1
    return n


def logistic_loss(w, x, y):
    return np.log(1 + np.exp(-y * (x @ w))) + 0.05 * (w @ w)


def kalman(z, q, r):
    """The log likelihood of a series under a constant-velocity model."""
    f = np.array([[1.0, 1.0], [0.0, 1.0]])
    m, p = np.zeros(2), np.eye(2)
    total = 0.0
    for v in z:
        m = f @ m
        p = f @ p @ f.T + q * np.eye(2)
        s = p[0, 0] + r
        gain = p[:, 0] / s
        error = v - m[0]
        m = m + gain * error
        p = p - np.outer(gain, p[0])
        total -= 0.5 * (np.log(s) + error**2 / s)
    return total


def pendulum(state, length):
    """The angle after 100 steps of Runge's method."""
    angle, speed = state[0], state[1]
    h = 0.02
    for _ in range(100):
        a = -9.81 / length * np.sin(angle)
        middle, middle_speed = angle + h / 2 * speed, speed + h / 2 * a
        angle = angle + h * middle_speed
        speed = speed - h * 9.81 / length * np.sin(middle)
    return angle


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def descent(x):
    for _ in range(50):
        x = x - 1e-4 * myia.grad(rosenbrock)(x)
    return x


def american_put(spot, strike):
    """By a binomial tree of 40 steps."""
    n, up, rate = 40, 1.03, 0.9995
    p = (1 / rate - 1 / up) / (up - 1 / up)
    values = np.zeros(n + 1)
    for j in range(n + 1):
        values[j] = max(strike - spot * up ** (2.0 * j - n), 0.0)
    for i in range(n):
        for j in range(n - i):
            hold = rate * (p * values[j + 1] + (1 - p) * values[j])
            values[j] = max(hold, strike - spot * up ** (2.0 * j - (n - i - 1)))
    return values[0]


def first_passage(x, noise):
    """Where a path leaves a band, and when: it stops early."""
    for i in range(len(noise)):
        x = x + 0.1 * noise[i]
        if abs(x) > 1.0:
            return x * i
    return x * len(noise)
