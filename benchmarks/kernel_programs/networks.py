"""Networks in plain NumPy: layers, recurrent cells, training steps written out."""

from __future__ import annotations

import numpy as np

from benchmarks.kernel_programs.define import SLICES, kernel


@kernel(
    lambda draw, n: (
        draw.signed(n, 5), 0.3 * draw.signed(5, 24), 0.3 * draw.signed(6, 24),
        draw.signed(24), np.zeros((n, 6)), np.zeros(6),
    ),
    writes="hidden cell",
    style=SLICES,
    times=300,
)  # fmt: skip
def lstm(inputs, by_input, by_hidden, bias, hidden, cell):
    """A long short-term memory, step by step; all hidden states are kept."""
    units = len(cell)
    h = np.zeros(units)
    for t in range(len(inputs)):
        z = inputs[t] @ by_input + h @ by_hidden + bias
        gates = 1.0 / (1.0 + np.exp(-z[: 3 * units]))
        cell *= gates[:units]
        cell += gates[units : 2 * units] * np.tanh(z[3 * units :])
        h = gates[2 * units :] * np.tanh(cell)
        hidden[t] = h


@kernel(
    lambda draw, n: (
        draw.signed(n, 6), draw.signed(n), 0.4 * draw.signed(6, 8), 0.4 * draw.signed(8), 0.02, 5,
    ),
    writes="W w",
    style=SLICES,
    times=300,
)  # fmt: skip
def training(inputs, targets, W, w, rate, epochs):
    """Gradient descent of a network of two layers, its derivative written by hand."""
    rows = len(targets)
    for _ in range(epochs):
        hidden = np.tanh(inputs @ W)
        error = (hidden @ w - targets) / rows
        back = np.outer(error, w) * (1.0 - hidden * hidden)
        w -= rate * (hidden.T @ error)
        W -= rate * (inputs.T @ back)


@kernel(
    lambda draw, n: (draw.signed(n, n, 2), 0.3 * draw.signed(2, 3, 3, 2, 2)),
    writes="x",
    style=SLICES,
    tests=(8, 5),
    times=24,
)
def residual_block(x, weights):
    """Two convolutions by loops over their windows, and a shortcut."""
    rows, columns, channels = x.shape
    branch = x.copy()
    for layer in weights:
        padded = np.zeros((rows + 2, columns + 2, channels))
        padded[1:-1, 1:-1] = np.maximum(branch, 0.1 * branch)
        for i in range(rows):
            for j in range(columns):
                window = padded[i : i + 3, j : j + 3, :, None]
                branch[i, j] = np.sum(window * layer, axis=(0, 1, 2))
    x += branch


@kernel(lambda draw, n: (draw(n, n), np.zeros((n // 2, n // 2))), writes="out", times=100)
def max_pooling(x, out):
    """Of windows of two by two."""
    rows, columns = out.shape
    for i in range(rows):
        for j in range(columns):
            largest = x[2 * i, 2 * j]
            for k in range(2):
                for m in range(2):
                    largest = max(largest, x[2 * i + k, 2 * j + m])
            out[i, j] = largest


@kernel(
    lambda draw, n: (draw.signed(n, 8), draw.signed(n, 8), draw(n, 8), np.zeros((n, 8))),
    writes="out",
    style=SLICES,
    times=100,
)
def causal_attention(queries, keys, values, out):
    """Each row attends to the rows up to itself."""
    for i in range(len(out)):
        scores = keys[: i + 1] @ queries[i] / np.sqrt(8.0)
        scores = np.exp(scores - np.max(scores))
        out[i] = scores @ values[: i + 1] / np.sum(scores)
