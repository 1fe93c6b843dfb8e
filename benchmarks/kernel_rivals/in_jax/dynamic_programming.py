"""Tables filled from their neighbours: paths, alignments, hidden states."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax


def floyd_warshall(paths):
    def through(k, paths):
        return jnp.minimum(paths, paths[:, k][:, None] + paths[k][None, :])

    return [lax.fori_loop(0, paths.shape[0], through, paths)]


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

    def cell(i, j, D):
        both = jnp.exp(D[i - 1, j - 1] + scores[i - 1, j - 1])
        either = jnp.exp(D[i - 1, j] - gap) + jnp.exp(D[i, j - 1] - gap)
        return D.at[i, j].set(jnp.log(both + either) - 1.0)

    return [_fill(cell, D)]


def time_warping(x, y, D):
    def cell(i, j, D):
        cost = (x[i - 1] - y[j - 1]) ** 2
        before = jnp.minimum(jnp.minimum(D[i - 1, j], D[i, j - 1]), D[i - 1, j - 1])
        return D.at[i, j].set(cost + before)

    return [_fill(cell, D.at[0, 0].set(0.0))]


def edit_distance(costs, first, second, D):
    n, m = len(first), len(second)
    D = D.at[1:, 0].set(costs[1] * jnp.arange(1, n + 1))
    D = D.at[0, 1:].set(costs[0] * jnp.arange(1, m + 1))

    def cell(i, j, D):
        best = jnp.minimum(D[i, j - 1] + costs[0], D[i - 1, j] + costs[1])
        best = jnp.minimum(best, D[i - 1, j - 1] + costs[2])
        same = first[i - 1] == second[j - 1]
        return D.at[i, j].set(jnp.where(same, D[i - 1, j - 1], best))

    return [_fill(cell, D)]


def _fill(cell, D):
    """All cells but the first row and column, row by row."""
    rows, columns = D.shape

    def row(i, D):
        return lax.fori_loop(1, columns, lambda j, D: cell(i, j, D), D)

    return lax.fori_loop(1, rows, row, D)


def viterbi(transitions, emissions, best):
    def step(t, best):
        return best.at[t].set(jnp.max(best[t - 1][:, None] + transitions, axis=0) + emissions[t])

    return [lax.fori_loop(1, len(emissions), step, best.at[0].set(emissions[0]))]


def hidden_markov(transitions, emissions, alpha):
    rows = transitions / transitions.sum(axis=1, keepdims=True)

    def step(t, state):
        alpha, likelihood = state
        here = alpha[t - 1] @ rows * emissions[t]
        total = here.sum()
        return alpha.at[t].set(here / total), likelihood + jnp.log(total)

    start = alpha.at[0].set(emissions[0]), jnp.zeros(())
    return lax.fori_loop(1, len(emissions), step, start)


def knapsack(values, weights, best):
    rooms = jnp.arange(len(best))

    def item(i, best):
        size = 1 + i % 5
        gain = best[rooms - size] + values[i] * (1.0 - weights[i])
        return jnp.where(rooms >= size, jnp.maximum(best, gain), best)

    return [lax.fori_loop(0, len(values), item, best)]
