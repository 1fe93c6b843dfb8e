"""Signals: recursive filters, convolutions, Fourier and wavelet transforms."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax
from jax.scipy.signal import correlate2d


def deriche(alpha, image, out):
    decay = jnp.exp(-alpha)
    k = (1.0 - decay) ** 2 / (1.0 + 2.0 * alpha * decay - decay * decay)
    a1, a2 = k, k * decay * (alpha - 1.0)
    a3, a4 = k * decay * (alpha + 1.0), -k * decay * decay
    b1, b2 = 2.0 * decay, -decay * decay

    def causal(state, x):
        x1, y1, y2 = state
        y = a1 * x + a2 * x1 + b1 * y1 + b2 * y2
        return (x, y, y1), y

    def anticausal(state, x):
        x1, x2, y1, y2 = state
        y = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2
        return (x, x1, y, y1), y

    columns, zero = image.T, jnp.zeros(len(image))
    _, forwards = lax.scan(causal, (zero, zero, zero), columns)
    _, backwards = lax.scan(anticausal, (zero, zero, zero, zero), columns, reverse=True)
    return [(forwards + backwards).T]


def smooth_columns(image, gain):
    def blend(before, row):
        row = gain * row + (1.0 - gain) * before
        return row, row

    _, below = lax.scan(blend, image[0], image[1:])
    image = jnp.concatenate([image[:1], below])
    _, above = lax.scan(blend, image[-1], image[:-1], reverse=True)
    return [jnp.concatenate([above, image[-1:]])]


def convolution_loops(image, weights, out):
    return [out + correlate2d(image, weights, mode="valid")]


def convolution_channels(image, weights, out):
    layout = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(image[None], weights, (1, 1), "VALID", dimension_numbers=layout)


def fourier_transform(re, im):
    n = len(re)
    half = n // 2
    while half >= 1:
        angles = -jnp.pi * jnp.arange(half) / half
        c, s = jnp.cos(angles), jnp.sin(angles)
        re, im = re.reshape(-1, 2, half), im.reshape(-1, 2, half)
        dr, di = re[:, 0] - re[:, 1], im[:, 0] - im[:, 1]
        re = jnp.stack([re[:, 0] + re[:, 1], dr * c - di * s], axis=1)
        im = jnp.stack([im[:, 0] + im[:, 1], dr * s + di * c], axis=1)
        half //= 2
    return re.reshape(n), im.reshape(n)
