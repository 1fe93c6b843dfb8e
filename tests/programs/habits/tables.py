"""Dynamic programming over tables that are lists of lists."""

import math


def lcs(a, b):
    """The length of the longest common subsequence, and one."""
    m, n = len(a), len(b)
    table = [[0] * (n + 1) for _ in range(m + 1)]
    for i in range(m):
        for j in range(n):
            if a[i] == b[j]:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    sequence = []
    i, j = m, n
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            sequence.append(a[i - 1])
            i, j = i - 1, j - 1
        elif table[i - 1][j] >= table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return table[m][n], sequence[::-1]


def matrix_chain(dims):
    """The cheapest order of products of matrices."""
    n = len(dims) - 1
    cost = [[0.0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i][j] = math.inf
            for k in range(i, j):
                c = cost[i][k] + cost[k + 1][j] + dims[i] * dims[k + 1] * dims[j + 1]
                if c < cost[i][j]:
                    cost[i][j], split[i][j] = c, k
    return cost[0][n - 1], split


def cheapest_chain(dims):
    return matrix_chain(dims)[0]


def knapsack(values, weights, capacity):
    best = [[0.0 for _ in range(capacity + 1)] for _ in range(len(values) + 1)]
    for i, (v, w) in enumerate(zip(values, weights), start=1):
        for c in range(capacity + 1):
            best[i][c] = best[i - 1][c]
            if w <= c:
                best[i][c] = max(best[i][c], best[i - 1][c - w] + v)
    return best[-1][-1]


def floyd_warshall(edges, n):
    dist = [[math.inf] * n for _ in range(n)]
    for i in range(n):
        dist[i][i] = 0.0
    for u, v, w in edges:
        dist[int(u)][int(v)] = min(dist[int(u)][int(v)], w)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if dist[i][k] + dist[k][j] < dist[i][j]:
                    dist[i][j] = dist[i][k] + dist[k][j]
    return dist


def longest_run(xs):
    """The longest increasing subsequence: its length, and its greatest sum."""
    lengths, sums = [1] * len(xs), list(xs)
    for i in range(len(xs)):
        for j in range(i):
            if xs[j] < xs[i]:
                if lengths[j] + 1 > lengths[i]:
                    lengths[i] = lengths[j] + 1
                sums[i] = max(sums[i], sums[j] + xs[i])
    return max(lengths), max(sums)


def greatest_sum(xs):
    return longest_run(xs)[1]


def viterbi(observations, start, transition, emission):
    """The most likely states of a hidden Markov model."""
    n = len(start)
    V = [[math.log(start[s]) + math.log(emission[s][observations[0]]) for s in range(n)]]
    back = []
    for o in observations[1:]:
        row, pointers = [], []
        for s in range(n):
            scores = [V[-1][r] + math.log(transition[r][s]) for r in range(n)]
            best = max(range(n), key=lambda r: scores[r])
            row.append(scores[best] + math.log(emission[s][o]))
            pointers.append(best)
        V.append(row)
        back.append(pointers)
    state = max(range(n), key=lambda s: V[-1][s])
    path = [state]
    for pointers in reversed(back):
        state = pointers[state]
        path.insert(0, state)
    return max(V[-1]), path


def likelihood(start, transition, emission, observations):
    return viterbi(observations, start, transition, emission)[0]
