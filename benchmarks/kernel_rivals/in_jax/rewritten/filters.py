"""Signals: recursive filters, convolutions, Fourier and wavelet transforms."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from benchmarks.kernel_rivals.in_jax.nest import nest


def deriche(alpha, image, out):
    rows, columns = image.shape
    decay = jnp.exp(-alpha)
    k = (1.0 - decay) ** 2 / (1.0 + 2.0 * alpha * decay - decay * decay)
    a1, a2 = k, k * decay * (alpha - 1.0)
    a3, a4 = k * decay * (alpha + 1.0), -k * decay * decay
    b1, b2 = 2.0 * decay, -decay * decay
    zero = jnp.zeros(())

    def row(i, out):
        def causal(j, state):
            x1, y1, y2, out = state
            y = a1 * image[i, j] + a2 * x1 + b1 * y1 + b2 * y2
            return image[i, j], y, y1, out.at[i, j].set(y)

        def anticausal(m, state):
            x1, x2, y1, y2, out = state
            j = columns - 1 - m
            y = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2
            return image[i, j], x1, y, y1, out.at[i, j].add(y)

        out = lax.fori_loop(0, columns, causal, (zero, zero, zero, out))[-1]
        return lax.fori_loop(0, columns, anticausal, (zero, zero, zero, zero, out))[-1]

    return [lax.fori_loop(0, rows, row, out)]


def smooth_columns(image, gain):
    rows = image.shape[0]

    def down(i, image):
        return image.at[i].set(gain * image[i] + (1.0 - gain) * image[i - 1])

    def up(m, image):
        i = rows - 2 - m
        return image.at[i].set(gain * image[i] + (1.0 - gain) * image[i + 1])

    image = lax.fori_loop(1, rows, down, image)
    return [lax.fori_loop(0, rows - 1, up, image)]


def biquad(x, c):
    def step(i, state):
        x, s1, s2 = state
        y = c[0] * x[i] + s1
        s1 = c[1] * x[i] - c[3] * y + s2
        s2 = c[2] * x[i] - c[4] * y
        return x.at[i].set(y), s1, s2

    return [lax.fori_loop(0, len(x), step, (x, jnp.zeros(()), jnp.zeros(())))[0]]


def convolution_loops(image, weights, out):
    def term(i, j, k, m, out):
        return out.at[i, j].add(image[i + k, j + m] * weights[k, m])

    return [nest(term, out, *out.shape, *weights.shape)]


def convolution_channels(image, weights, out):
    def window(i, j, out):
        window = lax.dynamic_slice(image, (i, j, 0), (3, 3, image.shape[2]))[..., None]
        return out.at[i, j].set(jnp.sum(window * weights, axis=(0, 1, 2)))

    return [nest(window, out, *out.shape[:2])]


def fourier_transform(re, im):
    n = len(re)
    half = n // 2
    while half >= 1:
        re, im = _butterflies(re, im, half)
        half //= 2
    return re, im


def _butterflies(re, im, half):
    def butterfly(block, k, state):
        re, im = state
        angle = -jnp.pi * k / half
        c, s = jnp.cos(angle), jnp.sin(angle)
        i = 2 * half * block + k
        j = i + half
        dr, di = re[i] - re[j], im[i] - im[j]
        re = re.at[i].add(re[j]).at[j].set(dr * c - di * s)
        im = im.at[i].add(im[j]).at[j].set(dr * s + di * c)
        return re, im

    return nest(butterfly, (re, im), len(re) // (2 * half), half)


def haar(x):
    length = len(x)
    while length > 1:
        half = length // 2
        even, odd = x[:length:2], x[1:length:2]
        x = x.at[:half].set((even + odd) * jnp.sqrt(0.5))
        x = x.at[half:length].set((even - odd) * jnp.sqrt(0.5))
        length = half
    return [x]
