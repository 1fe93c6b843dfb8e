"""Small algorithms as people write them: everything at once."""

from __future__ import annotations

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array
SPD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
GENERAL = np.array([[0.1, 2.0, 1.0], [3.0, 0.5, -1.0], [1.0, 1.0, 2.0]])
B = np.array([1.0, -2.0, 0.5])


@program((SPD, B), (GENERAL, B))
def solve_with_pivoting(m, b):
    m, b = m.copy(), b.copy()
    n = len(b)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(m[i, k]) > abs(m[p, k]):
                p = i
        if p != k:
            m[[k, p]] = m[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            f = m[i, k] / m[k, k]
            m[i] -= f * m[k]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - np.sum(m[i] * x)) / m[i, i]
    return x


@program((SPD, B), (SPD * 2, B + 1))
def conjugate_gradients(m, b):
    x = np.zeros(len(b))
    r = b - m @ x
    p, rs = r, r @ r
    for _ in range(2):
        q = m @ p
        alpha = rs / (p @ q)
        x = x + alpha * p
        r = r - alpha * q
        new = r @ r
        p = r + new / rs * p
        rs = new
    return x


@program((A([1.0, 0.2]), 0.05, 8), (A([0.1, 1.0]), 0.1, 3))
def runge_kutta(y, h, n):
    def f(t, y):
        return np.array([y[1], (1 - y[0] ** 2) * y[1] - y[0] + t])

    t = 0.0
    for _ in range(n):
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y


@program((1.0, 0.3, 0.5), (0.2, 0.1, 2.0))
def adaptive_steps(y, h, end):
    t = 0.0
    while t < end:
        if t + h > end:
            h = end - t
        slope = -2 * y + t
        better = -2 * (y + h * slope / 2) + t + h / 2
        error = abs(h * (better - slope))
        if error > 0.1:
            h = h / 2
            continue
        y = y + h * better
        t = t + h
        if error < 0.02:
            h = h * 1.5
    return y


@program((A([0.3, -0.2, 0.8]), A([[0.5, 0.1], [0.2, -0.3]]), A([0.7, -0.4])))
@program((A([0.1, 0.9]), A([[0.5, 0.1], [0.2, -0.3]]), A([0.2, 0.3])))
def recurrent_network(xs, w, u):
    h = np.zeros(2)
    hs = []
    for x in xs:
        h = np.tanh(w @ h + u * x)
        hs.append(h)
    out = np.stack(hs)
    return np.mean(out[-1]) + np.sum(out**2) + hs[0][1]


@program(
    ({"wf": A([0.5, -0.2]), "wi": A([0.1, 0.9]), "wc": A([1.0, 0.4])}, A([0.3, -0.5, 1.0])),
    ({"wf": A([0.1, 0.2]), "wi": A([0.3, 0.2]), "wc": A([-1.0, 0.4])}, A([0.7])),
)
def gated_cell(params, xs):
    def sigmoid(t):
        return 1 / (1 + np.exp(-t))

    def gate(name, x, h):
        w = params[name]
        return w[0] * x + w[1] * h

    h = c = 0.0
    for x in xs:
        f, i = sigmoid(gate("wf", x, h)), sigmoid(gate("wi", x, h))
        c = f * c + i * np.tanh(gate("wc", x, h))
        h = np.tanh(c)
    return h * c


@program((A([1.0, 2.0, 1.5]), A([1.2, 1.9])), (A([0.1, 0.5]), A([0.1, 0.6, 0.9])))
def time_warping(a, b):
    n, m = len(a), len(b)
    d = np.full((n + 1, m + 1), 1e3)
    d[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (a[i - 1] - b[j - 1]) ** 2
            d[i, j] = cost + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d[n, m]


@program((A([[0.7, 0.3], [0.4, 0.6]]), A([[0.1, 0.9], [0.5, 0.5]]), A([0, 1, 1, 0])))
@program((A([[0.5, 0.5], [0.2, 0.8]]), A([[0.3, 0.7], [0.6, 0.4]]), A([1])))
def hidden_markov_model(transition, emission, observed):
    p = np.ones(2) / 2 * emission[:, observed[0]]
    total = np.log(np.sum(p))
    p = p / np.sum(p)
    for k in observed[1:]:
        p = p @ transition * emission[:, k]
        s = np.sum(p)
        total += np.log(s)
        p = p / s
    return total


@program((A([0.0, 0.2, 1.0, 1.3]), A([0.1, 1.1]), 3), (A([0.0, 0.2, 1.0, 1.3]), A([0.3, 0.9]), 0))
def k_means(xs, centers, n):
    centers = centers.copy()
    for _ in range(n):
        sums, counts = np.zeros(len(centers)), np.zeros(len(centers))
        for x in xs:
            best = 0
            for j in range(1, len(centers)):
                if abs(x - centers[j]) < abs(x - centers[best]):
                    best = j
            sums[best] += x
            counts[best] += 1
        for j in range(len(centers)):
            if counts[j] > 0:
                centers[j] = sums[j] / counts[j]
    return centers


@program((-0.4, 0.3), (0.4, 0.5))
def escape_time(a, b):
    x = y = 0.0
    for n in range(12):
        if x * x + y * y > 4:
            break
        x, y = x * x - y * y + a, 2 * x * y + b
    return x + y * n


@program((A([[1.0, 0.2], [0.1, 0.9]]), 5), (A([[1.0, 0.2], [0.1, 0.9]]), 0))
def matrix_power(m, n):
    result = np.eye(len(m))
    while n > 0:
        if n % 2 == 1:
            result = result @ m
        m = m @ m
        n //= 2
    return result


@program((A([0.2, 0.5, 0.9]), 0.4), (A([0.2, 0.5, 0.9]), 0.95))
def interpolation(knots, x):
    values = knots * knots + 1
    for i in range(len(knots) - 1):
        if knots[i] <= x < knots[i + 1]:
            t = (x - knots[i]) / (knots[i + 1] - knots[i])
            return values[i] * (1 - t) + values[i + 1] * t
    return values[-1]


@program((A([0.5, -0.3]), A([[1.0, 0.2], [0.3, -1.0], [0.5, 0.5]]), A([1.0, 0.0, 1.0])))
@program((A([0.1, 0.2]), A([[1.0, 0.2]]), A([0.0])))
def logistic_regression(w, xs, ys):
    loss = 0.0
    for x, y in zip(xs, ys):
        z = x @ w
        loss += max(z, 0.0) - z * y + np.log1p(np.exp(-abs(z)))
    return loss / len(ys) + 0.01 * np.sum(w**2)


@program((A([[0.2, 0.4], [0.1, -0.3], [0.6, 0.5]]),), (A([[0.2, 0.4]]),))
def attention(x):
    scores = x @ x.T / np.sqrt(x.shape[1])
    n = len(x)
    out = np.zeros_like(x)
    for i in range(n):
        top = scores[i, 0]
        for j in range(1, i + 1):
            top = max(top, scores[i, j])
        norm = 0.0
        for j in range(i + 1):
            weight = np.exp(scores[i, j] - top)
            out[i] += weight * x[j]
            norm += weight
        out[i] /= norm
    return out


@program((A([1.0, 0.5, 0.2]), 0.3), (A([0.2, 0.7]), 0.9))
def clenshaw(c, x):
    b1 = b2 = 0.0
    for ck in reversed(c[1:]):
        b1, b2 = ck + 2 * x * b1 - b2, b1
    return c[0] + x * b1 - b2


@program((A([0.3, 0.6, 0.1]), 4), (A([0.3, 0.6, 0.1]), 1))
def cellular_automaton(cells, steps):
    n = len(cells)
    history = [cells]
    for t in range(steps):
        old = history[-1]
        new = np.zeros(n)
        for i in range(n):
            left, right = old[i - 1], old[(i + 1) % n]
            new[i] = 0.5 * old[i] + 0.25 * (left + right) * (1 - old[i])
        history.append(new)
    return history[-1] * len(history)


@program(
    (A([[0.5, 1.0, 4.0], [1.1, 0.6, 1.5], [4.2, 1.4, 0.7]]),),
    (A([[0.5, 9.0, 2.0], [9.5, 0.6, 3.0], [2.1, 3.3, 0.4]]),),
)
def shortest_paths(d):
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through
    return d


LEFT, RIGHT = A([1, 3, -1, -1, -1]), A([2, 4, -1, -1, -1])


@program(
    (A([0.5, -1.0, 2.0, 0.3, 0.7]), A([0]), 1.5), (A([1.2, 0.4, -0.6, 2.0, -0.3]), A([1]), -0.8)
)
def tree_over_index_arrays(v, root, x):
    def visit(i):
        if i < 0:
            return x
        return v[i] * visit(LEFT[i]) + np.sin(visit(RIGHT[i]) * v[i])

    return visit(root[0])


@program((A([0.5, -1.0, 2.0, 0.3, 0.7]),), (A([3.0, 2.5, 0.1, -1.0, -2.0]),))
def sorting_by_recursion(v):
    v = v.copy()

    def sort(lo, hi):
        if lo >= hi:
            return
        i = lo
        for j in range(lo, hi):
            if v[j] < v[hi]:
                v[i], v[j] = v[j], v[i]
                i += 1
        v[i], v[hi] = v[hi], v[i]
        sort(lo, i - 1)
        sort(i + 1, hi)

    sort(0, len(v) - 1)
    return np.sum(v * v * np.arange(5))
