"""Networks: layers, recurrent cells, training steps written out."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from benchmarks.kernel_rivals.in_jax.nest import nest


def lstm(inputs, by_input, by_hidden, bias, hidden, cell):
    units = len(cell)

    def step(t, state):
        h, cell, hidden = state
        z = inputs[t] @ by_input + h @ by_hidden + bias
        gates = jax.nn.sigmoid(z[: 3 * units])
        cell = cell * gates[:units] + gates[units : 2 * units] * jnp.tanh(z[3 * units :])
        h = gates[2 * units :] * jnp.tanh(cell)
        return h, cell, hidden.at[t].set(h)

    start = jnp.zeros(units), cell, hidden
    _, cell, hidden = lax.fori_loop(0, len(inputs), step, start)
    return hidden, cell


def training(inputs, targets, W, w, rate, epochs):
    rows = len(targets)

    def epoch(_, state):
        W, w = state
        hidden = jnp.tanh(inputs @ W)
        error = (hidden @ w - targets) / rows
        back = jnp.outer(error, w) * (1.0 - hidden * hidden)
        return W - rate * (inputs.T @ back), w - rate * (hidden.T @ error)

    return lax.fori_loop(0, epochs, epoch, (W, w))


def residual_block(x, weights):
    rows, columns, channels = x.shape
    branch = x
    for layer in weights:
        padded = jnp.pad(jnp.maximum(branch, 0.1 * branch), ((1, 1), (1, 1), (0, 0)))

        def window(i, j, branch, padded=padded, layer=layer):
            window = lax.dynamic_slice(padded, (i, j, 0), (3, 3, channels))[..., None]
            return branch.at[i, j].set(jnp.sum(window * layer, axis=(0, 1, 2)))

        branch = nest(window, branch, rows, columns)
    return [x + branch]


def max_pooling(x, out):
    def window(i, j, out):
        largest = x[2 * i, 2 * j]
        for k in range(2):
            for m in range(2):
                largest = jnp.maximum(largest, x[2 * i + k, 2 * j + m])
        return out.at[i, j].set(largest)

    return [nest(window, out, *out.shape)]


def causal_attention(queries, keys, values, out):
    places = jnp.arange(len(out))

    def row(i, out):
        scores = jnp.where(places <= i, keys @ queries[i] / jnp.sqrt(8.0), -jnp.inf)
        scores = jnp.exp(scores - jnp.max(scores))
        return out.at[i].set(scores @ values / jnp.sum(scores))

    return [lax.fori_loop(0, len(out), row, out)]
