"""Tables filled from their neighbours: paths, alignments, hidden states."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from benchmarks.kernel_rivals.in_jax.nest import nest


def floyd_warshall(paths):
    def through(k, paths):
        return jnp.minimum(paths, paths[:, k][:, None] + paths[k][None, :])

    return [lax.fori_loop(0, paths.shape[0], through, paths)]


def floyd_warshall_loops(paths):
    n = paths.shape[0]

    def pair(k, i, j, paths):
        through = paths[i, k] + paths[k, j]
        shorter = through < paths[i, j]
        return paths.at[i, j].set(jnp.where(shorter, through, paths[i, j]))

    return [nest(pair, paths, n, n, n)]


def nussinov(pairs, table):
    n = len(table)

    def cell(m, j, table):
        i = n - 1 - m
        best = jnp.maximum(table[i, j - 1], table[i + 1, j])
        best = jnp.maximum(best, table[i + 1, j - 1] + pairs[i, j])

        def split(k, best):
            inside = (i < k) & (k < j)
            return jnp.where(inside, jnp.maximum(best, table[i, k] + table[k + 1, j]), best)

        best = nest(split, best, (1, n - 1))
        return table.at[i, j].set(jnp.where(i < j, best, table[i, j]))

    return [nest(cell, table, n, (1, n))]


def soft_alignment(scores, gap, D):
    n, m = scores.shape
    D = nest(lambda i, D: D.at[i, 0].set(D[i - 1, 0] - gap), D, (1, n + 1))
    D = nest(lambda j, D: D.at[0, j].set(D[0, j - 1] - gap), D, (1, m + 1))
    return [aligned(scores, gap, D)]


def aligned(scores, gap, D):
    """Given the first row and column."""

    def cell(i, j, D):
        both = jnp.exp(D[i - 1, j - 1] + scores[i - 1, j - 1])
        either = jnp.exp(D[i - 1, j] - gap) + jnp.exp(D[i, j - 1] - gap)
        return D.at[i, j].set(jnp.log(both + either) - 1.0)

    return _fill(cell, D)


def time_warping(x, y, D):
    def cell(i, j, D):
        cost = (x[i - 1] - y[j - 1]) ** 2
        before = jnp.minimum(jnp.minimum(D[i - 1, j], D[i, j - 1]), D[i - 1, j - 1])
        return D.at[i, j].set(cost + before)

    return [_fill(cell, D.at[0, 0].set(0.0))]


def edit_distance(costs, first, second, D):
    D = nest(lambda i, D: D.at[i, 0].set(i * costs[1]), D, (1, len(first) + 1))
    D = nest(lambda j, D: D.at[0, j].set(j * costs[0]), D, (1, len(second) + 1))
    return [edited(costs, first, second, D)]


def edited(costs, first, second, D):
    """Given the first row and column."""

    def cell(i, j, D):
        best = jnp.minimum(D[i, j - 1] + costs[0], D[i - 1, j] + costs[1])
        best = jnp.minimum(best, D[i - 1, j - 1] + costs[2])
        same = first[i - 1] == second[j - 1]
        return D.at[i, j].set(jnp.where(same, D[i - 1, j - 1], best))

    return _fill(cell, D)


def _fill(cell, D):
    """All cells but the first row and column, row by row."""
    rows, columns = D.shape
    return nest(cell, D, (1, rows), (1, columns))


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
    capacity = len(best)

    def fill(i, m, best):
        size, room = 1 + i % 5, capacity - 1 - m
        gain = best[room - size] + values[i] * (1.0 - weights[i])
        better = (room >= size) & (gain > best[room])
        return best.at[room].set(jnp.where(better, gain, best[room]))

    return [nest(fill, best, len(values), capacity)]
