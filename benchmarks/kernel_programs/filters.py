"""Signals: recursive filters, convolutions, Fourier and wavelet transforms."""

from __future__ import annotations

import numpy as np

from benchmarks.kernel_programs.define import SLICES, kernel


@kernel(lambda draw, n: (0.25, draw(n, n), np.zeros((n, n))), writes="out", times=100)
def deriche(alpha, image, out):
    """Deriche's smoothing of rows: a causal and an anticausal recurrence of second order."""
    rows, columns = image.shape
    decay = np.exp(-alpha)
    k = (1.0 - decay) ** 2 / (1.0 + 2.0 * alpha * decay - decay * decay)
    a1, a2 = k, k * decay * (alpha - 1.0)
    a3, a4 = k * decay * (alpha + 1.0), -k * decay * decay
    b1, b2 = 2.0 * decay, -decay * decay
    for i in range(rows):
        x1 = 0.0
        y1 = 0.0
        y2 = 0.0
        for j in range(columns):
            y = a1 * image[i, j] + a2 * x1 + b1 * y1 + b2 * y2
            x1 = image[i, j]
            y2 = y1
            y1 = y
            out[i, j] = y
        x1 = 0.0
        x2 = 0.0
        y1 = 0.0
        y2 = 0.0
        for j in range(columns - 1, -1, -1):
            y = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2
            x2 = x1
            x1 = image[i, j]
            y2 = y1
            y1 = y
            out[i, j] += y


@kernel(lambda draw, n: (draw(n, n), 0.3), writes="image", style=SLICES, times=150)
def smooth_columns(image, gain):
    """Exponential smoothing down and up all columns, in place."""
    rows = image.shape[0]
    for i in range(1, rows):
        image[i] = gain * image[i] + (1.0 - gain) * image[i - 1]
    for i in range(rows - 2, -1, -1):
        image[i] = gain * image[i] + (1.0 - gain) * image[i + 1]


@kernel(lambda draw, n: (draw(n), 0.2 * draw(5)), writes="x", times=3_000)
def biquad(x, c):
    """A filter of second order in place (direct form II, transposed)."""
    s1 = 0.0
    s2 = 0.0
    for i in range(len(x)):
        y = c[0] * x[i] + s1
        s1 = c[1] * x[i] - c[3] * y + s2
        s2 = c[2] * x[i] - c[4] * y
        x[i] = y


@kernel(
    lambda draw, n: (draw(n, n), draw.signed(3, 3), np.zeros((n - 2, n - 2))),
    writes="out",
    times=60,
)
def convolution_loops(image, weights, out):
    """Four loops."""
    rows, columns = out.shape
    for i in range(rows):
        for j in range(columns):
            for k in range(weights.shape[0]):
                for m in range(weights.shape[1]):
                    out[i, j] += image[i + k, j + m] * weights[k, m]


@kernel(
    lambda draw, n: (draw(n, n, 2), draw.signed(3, 3, 2, 4), np.zeros((n - 2, n - 2, 4))),
    writes="out",
    style=SLICES,
    tests=(9, 5),
    times=30,
)
def convolution_channels(image, weights, out):
    """Windows of several channels, each times all filters."""
    rows, columns = out.shape[:2]
    for i in range(rows):
        for j in range(columns):
            window = image[i : i + 3, j : j + 3, :, None]
            out[i, j, :] = np.sum(window * weights, axis=(0, 1, 2))


@kernel(
    lambda draw, n: (draw.signed(n), draw.signed(n)), writes="re im", tests=(32, 8), times=4_096
)
def fourier_transform(re, im):
    """Cooley and Tukey's butterflies in place, on real and imaginary parts, bits not reversed."""
    n = len(re)
    half = n // 2
    while half >= 1:
        for start in range(0, n, 2 * half):
            for k in range(half):
                angle = -np.pi * k / half
                c, s = np.cos(angle), np.sin(angle)
                i, j = start + k, start + k + half
                dr, di = re[i] - re[j], im[i] - im[j]
                re[i] += re[j]
                im[i] += im[j]
                re[j] = dr * c - di * s
                im[j] = dr * s + di * c
        half //= 2


@kernel(lambda draw, n: (draw.signed(n),), writes="x", style=SLICES, tests=(32, 8), times=8_192)
def haar(x):
    """The Haar wavelet transform, level by level."""
    length = len(x)
    while length > 1:
        half = length // 2
        even, odd = x[:length:2].copy(), x[1:length:2].copy()
        x[:half] = (even + odd) * np.sqrt(0.5)
        x[half:length] = (even - odd) * np.sqrt(0.5)
        length = half
