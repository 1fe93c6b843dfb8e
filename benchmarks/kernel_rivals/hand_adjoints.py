"""Adjoints of kernels as one writes them by hand, in loops that numba compiles.

Each takes the cotangents of what its kernel writes, then the kernel's arguments, and returns the
gradients of the active ones, in their order. Derived from the kernels' formulas, statement by
statement in reverse; g is the cotangent of what the letter after it names. Arguments stay as they
are; what is recorded, and no more, is what the reverse sweep reads.
"""

from __future__ import annotations

import numpy as np


def seidel_2d(w, A, steps):
    """Linear: A[i, j] becomes a mean of nine, so its cotangent goes to these nine."""
    g = w.copy()
    n = A.shape[0]
    for _ in range(steps):
        for i in range(n - 2, 0, -1):
            for j in range(n - 2, 0, -1):
                share = g[i, j] / 9.0
                g[i, j] = share
                g[i, j - 1] += share
                g[i, j + 1] += share
                for k in range(j - 1, j + 2):
                    g[i - 1, k] += share
                    g[i + 1, k] += share
    return (g,)


def jacobi_1d(wA, wB, A, B, steps):
    """Linear: what a cell is made of shares its cotangent in thirds."""
    gA, gB = wA.copy(), wB.copy()
    n = len(A)
    for _ in range(steps):
        for g, source in ((gA, gB), (gB, gA)):
            shares = g / 3.0
            shares[0] = shares[n - 1] = 0.0
            for i in range(1, n - 1):
                g[i] = 0.0
            for i in range(1, n - 1):
                source[i] += shares[i - 1] + shares[i] + shares[i + 1]
            source[0] += shares[1]
            source[n - 1] += shares[n - 2]
    return gA, gB


def cholesky_loops(w, A):
    """L[i, j] L[j, j] = A[i, j] - sum_k L[i, k] L[j, k];  L[i, i]^2 = A[i, i] - sum_k L[i, k]^2"""
    n = A.shape[0]
    L = A.copy()
    for i in range(n):
        for j in range(i):
            for k in range(j):
                L[i, j] -= L[i, k] * L[j, k]
            L[i, j] /= L[j, j]
        for k in range(i):
            L[i, i] -= L[i, k] * L[i, k]
        L[i, i] = np.sqrt(L[i, i])
    g = w.copy()
    for i in range(n - 1, -1, -1):
        g[i, i] /= 2.0 * L[i, i]
        for k in range(i):
            g[i, k] -= 2.0 * g[i, i] * L[i, k]
        for j in range(i - 1, -1, -1):
            g[i, j] /= L[j, j]
            g[j, j] -= g[i, j] * L[i, j]
            for k in range(j):
                g[i, k] -= g[i, j] * L[j, k]
                g[j, k] -= g[i, j] * L[i, k]
    return (g,)


def thomas(w, a, b, c, d):
    """factor[i] = c[i] / pivot[i];  middle[i] = (d[i] - a[i] middle[i-1]) / pivot[i];
    x[i] = middle[i] - factor[i] x[i+1]"""
    n = len(d)
    pivot, factor, middle = np.empty(n), np.empty(n), np.empty(n)
    pivot[0] = b[0]
    factor[0] = c[0] / b[0]
    middle[0] = d[0] / b[0]
    for i in range(1, n):
        pivot[i] = b[i] - a[i] * factor[i - 1]
        factor[i] = c[i] / pivot[i]
        middle[i] = (d[i] - a[i] * middle[i - 1]) / pivot[i]
    x = middle.copy()
    for i in range(n - 2, -1, -1):
        x[i] -= factor[i] * x[i + 1]

    gd, gfactor = w.copy(), np.zeros(n)
    for i in range(n - 1):
        gfactor[i] -= gd[i] * x[i + 1]
        gd[i + 1] -= gd[i] * factor[i]
    ga, gb, gc = np.zeros(n), np.empty(n), np.empty(n)
    for i in range(n - 1, 0, -1):
        gc[i] = gfactor[i] / pivot[i]
        gb[i] = -(gd[i] * middle[i] + gfactor[i] * factor[i]) / pivot[i]
        gd[i] /= pivot[i]
        ga[i] = -gd[i] * middle[i - 1] - gb[i] * factor[i - 1]
        gd[i - 1] -= gd[i] * a[i]
        gfactor[i - 1] -= gb[i] * a[i]
    gc[0] = gfactor[0] / pivot[0]
    gb[0] = -(gd[0] * middle[0] + gfactor[0] * factor[0]) / pivot[0]
    gd[0] /= pivot[0]
    return ga, gb, gc, gd


def soft_alignment(w, scores, gap, D):
    """The derivative of log(sum of exp) is each term's share of the sum."""
    n, m = scores.shape
    D = D.copy()
    for i in range(1, n + 1):
        D[i, 0] = D[i - 1, 0] - gap
    for j in range(1, m + 1):
        D[0, j] = D[0, j - 1] - gap
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            both = np.exp(D[i - 1, j - 1] + scores[i - 1, j - 1])
            either = np.exp(D[i - 1, j] - gap) + np.exp(D[i, j - 1] - gap)
            D[i, j] = np.log(both + either) - 1.0

    g, gscores, ggap = w.copy(), np.empty((n, m)), 0.0
    for i in range(n, 0, -1):
        for j in range(m, 0, -1):
            total = D[i, j] + 1.0
            both = g[i, j] * np.exp(D[i - 1, j - 1] + scores[i - 1, j - 1] - total)
            above = g[i, j] * np.exp(D[i - 1, j] - gap - total)
            left = g[i, j] * np.exp(D[i, j - 1] - gap - total)
            g[i, j] = 0.0
            g[i - 1, j - 1] += both
            g[i - 1, j] += above
            g[i, j - 1] += left
            gscores[i - 1, j - 1] = both
            ggap -= above + left
    for j in range(m, 0, -1):
        g[0, j - 1] += g[0, j]
        ggap -= g[0, j]
        g[0, j] = 0.0
    for i in range(n, 0, -1):
        g[i - 1, 0] += g[i, 0]
        ggap -= g[i, 0]
        g[i, 0] = 0.0
    return gscores, ggap, g


def spring_chain(wq, wp, q, p, beta, dt, steps):
    """p' = p + dt F(q), q' = q + dt p';  F = right - left + beta (right^3 - left^3)"""
    n = len(q)
    qs, ps = np.empty((steps, n)), np.empty((steps, n))
    q, p = q.copy(), p.copy()
    for t in range(steps):
        for i in range(n):
            left = q[i] - (q[i - 1] if i > 0 else 0.0)
            right = (q[i + 1] if i < n - 1 else 0.0) - q[i]
            p[i] += dt * (right - left + beta * (right**3 - left**3))
        for i in range(n):
            qs[t, i] = q[i]
            ps[t, i] = p[i]
            q[i] += dt * p[i]

    gq, gp, gbeta, gdt = wq.copy(), wp.copy(), 0.0, 0.0
    for t in range(steps - 1, -1, -1):
        for i in range(n):
            gdt += gq[i] * ps[t, i]
            gp[i] += dt * gq[i]
        for i in range(n):
            left = qs[t, i] - (qs[t, i - 1] if i > 0 else 0.0)
            right = (qs[t, i + 1] if i < n - 1 else 0.0) - qs[t, i]
            cubes = right**3 - left**3
            gdt += gp[i] * (right - left + beta * cubes)
            gbeta += gp[i] * dt * cubes
            gright = gp[i] * dt * (1.0 + 3.0 * beta * right * right)
            gleft = gp[i] * dt * (1.0 + 3.0 * beta * left * left)
            gq[i] -= gright + gleft
            if i > 0:
                gq[i - 1] += gleft
            if i < n - 1:
                gq[i + 1] += gright
    return gq, gp, gbeta, gdt


def biquad(w, x, c):
    """y = c0 x + s1;  s1' = c1 x - c3 y + s2;  s2' = c2 x - c4 y"""
    n = len(x)
    y = np.empty(n)
    s1, s2 = 0.0, 0.0
    for i in range(n):
        y[i] = c[0] * x[i] + s1
        s1 = c[1] * x[i] - c[3] * y[i] + s2
        s2 = c[2] * x[i] - c[4] * y[i]

    g, gc, gs1, gs2 = np.empty(n), np.zeros(5), 0.0, 0.0
    for i in range(n - 1, -1, -1):
        gy = w[i] - gs2 * c[4] - gs1 * c[3]
        g[i] = gs2 * c[2] + gs1 * c[1] + gy * c[0]
        gc[0] += gy * x[i]
        gc[1] += gs1 * x[i]
        gc[2] += gs2 * x[i]
        gc[3] -= gs1 * y[i]
        gc[4] -= gs2 * y[i]
        gs1, gs2 = gy, gs1
    return g, gc


def time_warping(w, x, y, D):
    """The cotangent follows the way that was shortest; of equal ones the first."""
    n, m = len(x), len(y)
    D = D.copy()
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (x[i - 1] - y[j - 1]) ** 2
            D[i, j] = cost + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])

    g, gx, gy = w.copy(), np.zeros(n), np.zeros(m)
    for i in range(n, 0, -1):
        for j in range(m, 0, -1):
            share = g[i, j]
            g[i, j] = 0.0
            slope = 2.0 * (x[i - 1] - y[j - 1]) * share
            gx[i - 1] += slope
            gy[j - 1] -= slope
            above, left, corner = D[i - 1, j], D[i, j - 1], D[i - 1, j - 1]
            if above <= left and above <= corner:
                g[i - 1, j] += share
            elif left <= corner:
                g[i, j - 1] += share
            else:
                g[i - 1, j - 1] += share
    g[0, 0] = 0.0
    return gx, gy, g


def running_moments(wmeans, wvariances, x, means, variances):
    """d = x - mean;  mean' = mean + d / (i+1);  squares' = squares + d (x - mean')"""
    n = len(x)
    after = np.empty(n)
    mean, squares = 0.0, 0.0
    for i in range(n):
        difference = x[i] - mean
        mean += difference / (i + 1)
        squares += difference * (x[i] - mean)
        after[i] = mean

    g, gmean, gsquares = np.empty(n), 0.0, 0.0
    for i in range(n - 1, -1, -1):
        difference = x[i] - (after[i - 1] if i > 0 else 0.0)
        gmean += wmeans[i]
        gsquares += wvariances[i] / (i + 1)
        g[i] = gsquares * difference
        gmean -= g[i]
        slope = gsquares * (x[i] - after[i]) + gmean / (i + 1)
        g[i] += slope
        gmean -= slope
    return g, np.zeros(n), np.zeros(n)


def epidemic(w, infection, recovery, state):
    """ill = infection s i and well = recovery i move people from s to i, from i to r."""
    n = len(state)
    s, i = np.empty(n), np.empty(n)
    s[0], i[0] = 0.99, 0.01
    for t in range(1, n):
        ill = infection * s[t - 1] * i[t - 1]
        s[t] = s[t - 1] - ill
        i[t] = i[t - 1] + ill - recovery * i[t - 1]

    gs, gi, gr, ginfection, grecovery = 0.0, 0.0, 0.0, 0.0, 0.0
    for t in range(n - 1, 0, -1):
        gs += w[t, 0]
        gi += w[t, 1]
        gr += w[t, 2]
        gill, gwell = gi - gs, gr - gi
        ginfection += gill * s[t - 1] * i[t - 1]
        grecovery += gwell * i[t - 1]
        gs += gill * infection * i[t - 1]
        gi += gill * infection * s[t - 1] + gwell * recovery
    return ginfection, grecovery


ADJOINTS = (
    jacobi_1d,
    seidel_2d,
    thomas,
    soft_alignment,
    biquad,
    running_moments,
    epidemic,
    time_warping,
    spring_chain,
    cholesky_loops,
)
