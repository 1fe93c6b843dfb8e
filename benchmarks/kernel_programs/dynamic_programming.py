"""Tables filled from their neighbours: paths, alignments, hidden states."""

from __future__ import annotations

import numpy as np

from benchmarks.kernel_programs.define import SLICES, kernel


@kernel(lambda draw, n: (draw(n, n),), writes="paths", style=SLICES, times=60)
def floyd_warshall(paths):
    """Shortest paths, through one more vertex at a time."""
    for k in range(paths.shape[0]):
        paths[:] = np.minimum(paths, np.add.outer(paths[:, k], paths[k, :]))


@kernel(lambda draw, n: (draw(n, n),), writes="paths", times=40)
def floyd_warshall_loops(paths):
    """The same, pair by pair; nothing is written where nothing is gained."""
    n = paths.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = paths[i, k] + paths[k, j]
                if through < paths[i, j]:
                    paths[i, j] = through


@kernel(lambda draw, n: (draw(n, n), np.zeros((n, n))), writes="table", passive="table", times=40)
def nussinov(pairs, table):
    """The best nested pairing of a sequence, where a pair (i, j) is worth pairs[i, j]."""
    n = table.shape[0]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            best = max(table[i, j - 1], table[i + 1, j])
            best = max(best, table[i + 1, j - 1] + pairs[i, j])
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best


@kernel(lambda draw, n: (draw.signed(n, n), 0.6, np.zeros((n + 1, n + 1))), writes="D", times=60)
def soft_alignment(scores, gap, D):
    """Needleman and Wunsch with a soft maximum over the three moves."""
    n, m = scores.shape
    for i in range(1, n + 1):
        D[i, 0] = D[i - 1, 0] - gap
    for j in range(1, m + 1):
        D[0, j] = D[0, j - 1] - gap
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            both = np.exp(D[i - 1, j - 1] + scores[i - 1, j - 1])
            either = np.exp(D[i - 1, j] - gap) + np.exp(D[i, j - 1] - gap)
            D[i, j] = np.log(both + either) - 1.0


@kernel(lambda draw, n: (draw(n), draw(n), np.full((n + 1, n + 1), 1e3)), writes="D", times=60)
def time_warping(x, y, D):
    """Dynamic time warping of two series, by squares of differences."""
    D[0, 0] = 0.0
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            cost = (x[i - 1] - y[j - 1]) ** 2
            D[i, j] = cost + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])


@kernel(
    lambda draw, n: (draw(3), draw.integers(5, n), draw.integers(5, n), np.zeros((n + 1, n + 1))),
    writes="D",
    passive="D",
    times=60,
)
def edit_distance(costs, first, second, D):
    """Wagner and Fischer, with the costs of an insertion, a deletion, a change."""
    n, m = len(first), len(second)
    for i in range(1, n + 1):
        D[i, 0] = i * costs[1]
    for j in range(1, m + 1):
        D[0, j] = j * costs[0]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if first[i - 1] == second[j - 1]:
                D[i, j] = D[i - 1, j - 1]
                continue
            best = D[i, j - 1] + costs[0]
            if D[i - 1, j] + costs[1] < best:
                best = D[i - 1, j] + costs[1]
            D[i, j] = min(best, D[i - 1, j - 1] + costs[2])


@kernel(
    lambda draw, n: (draw.signed(6, 6), draw.signed(n, 6), np.zeros((n, 6))),
    writes="best",
    style=SLICES,
    times=500,
)
def viterbi(transitions, emissions, best):
    """The score of the best path to each state."""
    best[0] = emissions[0]
    for t in range(1, len(emissions)):
        best[t] = np.max(best[t - 1][:, None] + transitions, axis=0) + emissions[t]


@kernel(
    lambda draw, n: (draw(6, 6), draw(n, 6), np.zeros((n, 6))),
    writes="alpha",
    passive="alpha",
    style=SLICES,
    times=500,
)
def hidden_markov(transitions, emissions, alpha):
    """The likelihood of a series, by the forward algorithm, normalised in each step."""
    rows = transitions / transitions.sum(axis=1, keepdims=True)
    alpha[0] = emissions[0]
    likelihood = 0.0
    for t in range(1, len(emissions)):
        alpha[t] = alpha[t - 1] @ rows * emissions[t]
        total = alpha[t].sum()
        alpha[t] /= total
        likelihood += np.log(total)
    return likelihood


@kernel(
    lambda draw, n: (draw(n), draw(n) / n, np.zeros(40)), writes="best", times=200, passive="best"
)
def knapsack(values, weights, best):
    """The best value within each capacity, items in any number of halves."""
    capacity = len(best)
    for i in range(len(values)):
        size = 1 + i % 5
        for room in range(capacity - 1, size - 1, -1):
            gain = best[room - size] + values[i] * (1.0 - weights[i])
            if gain > best[room]:
                best[room] = gain
