"""Tables filled from their neighbours: paths, alignments, hidden states."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from benchmarks.kernel_rivals.in_jax.rewritten.dynamic_programming import (
    aligned,
    edited,
    floyd_warshall,
)

floyd_warshall_loops = floyd_warshall


def nussinov(pairs, table):
    n = len(table)
    places = jnp.arange(n)

    def row(m, table):
        i = n - 1 - m

        def cell(j, table):
            best = jnp.maximum(table[i, j - 1], table[i + 1, j])
            best = jnp.maximum(best, table[i + 1, j - 1] + pairs[i, j])
            split = table[i] + jnp.roll(table[:, j], -1)
            inside = (i < places) & (places < j)
            best = jnp.maximum(best, jnp.max(jnp.where(inside, split, -jnp.inf)))
            return table.at[i, j].set(jnp.where(i < j, best, table[i, j]))

        return lax.fori_loop(1, n, cell, table)

    return [lax.fori_loop(0, n, row, table)]


def soft_alignment(scores, gap, D):
    n, m = scores.shape
    D = D.at[1:, 0].set(D[0, 0] - gap * jnp.arange(1, n + 1))
    D = D.at[0, 1:].set(D[0, 0] - gap * jnp.arange(1, m + 1))
    return [aligned(scores, gap, D)]


def edit_distance(costs, first, second, D):
    D = D.at[1:, 0].set(costs[1] * jnp.arange(1, len(first) + 1))
    D = D.at[0, 1:].set(costs[0] * jnp.arange(1, len(second) + 1))
    return [edited(costs, first, second, D)]


def knapsack(values, weights, best):
    rooms = jnp.arange(len(best))

    def item(i, best):
        size = 1 + i % 5
        gain = best[rooms - size] + values[i] * (1.0 - weights[i])
        return jnp.where(rooms >= size, jnp.maximum(best, gain), best)

    return [lax.fori_loop(0, len(values), item, best)]
