"""Twenty loop bodies, each written once for NumPy and `jax.numpy`."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy

SIZE = 32
ITERATIONS = 200


def steps(np: ModuleType) -> dict[str, Callable]:
    """`step(w, x, k)`: the state after iteration k; w and x have the shape (SIZE,)."""

    def sine(w, x, k):
        return np.sin(x) * w

    def logistic(w, x, k):
        return w * x * (1 - x)

    def relaxation(w, x, k):
        return x + 0.1 * (w - x)

    def rectifier(w, x, k):
        return np.maximum(w * x + 0.1, 0.01 * x)

    def gated(w, x, k):
        gate = 1 / (1 + np.exp(-w * x))
        return gate * np.tanh(w + x) + (1 - gate) * x

    def newton(w, x, k):
        return x - (x * x - w * w - 1) / (2 * x + 1)

    def oscillator(w, x, k):
        q, p = x[: SIZE // 2], x[SIZE // 2 :]
        p = p - 0.1 * np.sin(q) * w[: SIZE // 2]
        return np.concatenate([q + 0.1 * p, p])

    def runge_kutta(w, x, k):
        def slope(y):
            return w * y - y**3

        k1 = slope(x)
        k2 = slope(x + 0.05 * k1)
        k3 = slope(x + 0.05 * k2)
        k4 = slope(x + 0.1 * k3)
        return x + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    def selection(w, x, k):
        return np.where(x > 0.5, x * w, x + 0.1)

    def normalised(w, x, k):
        y = x * w + 0.1
        return y / np.sqrt(np.sum(y * y))

    def softmax(w, x, k):
        y = np.exp(x - np.max(x))
        return y / np.sum(y) * w + 0.5 * x

    def diffusion(w, x, k):
        c = 1 + x * x
        flux = 0.5 * (c[1:] + c[:-1]) * (x[1:] - x[:-1])
        return np.concatenate([x[:1], x[1:-1] + 0.1 * (flux[1:] - flux[:-1]), x[-1:]])

    def advection(w, x, k):
        return x - 0.1 * w * (x - np.roll(x, 1))

    def polynomial(w, x, k):
        return 0.1 * (w + x * (w + x * (w + x * (w + x))))

    def annealed(w, x, k):
        return x - 0.1 / (1 + k) * (np.tanh(w * x) + x)

    def outer_product(w, x, k):
        return np.tanh(np.outer(w, x) @ x) * 0.1 + x

    def momentum(w, x, k):
        v, y = x[: SIZE // 2], x[SIZE // 2 :]
        v = 0.9 * v - 0.01 * (y**3 - w[: SIZE // 2])
        return np.concatenate([v, y + v])

    def attention(w, x, k):
        scores = np.exp(-np.abs(x - w))
        return np.sum(scores * x) / np.sum(scores) * np.ones(SIZE) + 0.5 * np.sin(x)

    def clipped(w, x, k):
        return np.minimum(np.maximum(w * x * 1.1, -1.0), 1.0)

    def geometric(w, x, k):
        return np.sqrt(x * x * w + 0.1) * np.cos(0.1 * x)

    found = dict(locals())
    del found["np"]
    return found


W = numpy.linspace(0.5, 0.9, SIZE)
X = numpy.linspace(0.1, 0.8, SIZE)
