"""Numerical recipes: routines with many arguments and results, and loops that end early."""

import numpy as np

MAXIT = 60
EPS = 3.0e-12
FPMIN = 1.0e-30


def zbrent(func, x1, x2, tol=1e-10):
    """A root of a function between x1 and x2, by Brent's method."""
    a, b = x1, x2
    fa, fb = func(a), func(b)
    if fa * fb > 0.0:
        raise ValueError("root must be bracketed in zbrent")
    c, fc = b, fb
    d = e = b - a
    for iter in range(MAXIT):
        if fb * fc > 0.0:
            c, fc = a, fa
            e = d = b - a
        if abs(fc) < abs(fb):
            a, b, c = b, c, b
            fa, fb, fc = fb, fc, fb
        tol1 = 2.0 * EPS * abs(b) + 0.5 * tol
        xm = 0.5 * (c - b)
        if abs(xm) <= tol1 or fb == 0.0:
            return b
        if abs(e) >= tol1 and abs(fa) > abs(fb):
            s = fb / fa
            if a == c:
                p = 2.0 * xm * s
                q = 1.0 - s
            else:
                q = fa / fc
                r = fb / fc
                p = s * (2.0 * xm * q * (q - r) - (b - a) * (r - 1.0))
                q = (q - 1.0) * (r - 1.0) * (s - 1.0)
            if p > 0.0:
                q = -q
            p = abs(p)
            min1 = 3.0 * xm * q - abs(tol1 * q)
            min2 = abs(e * q)
            if 2.0 * p < (min1 if min1 < min2 else min2):
                e = d
                d = p / q
            else:
                d = xm
                e = d
        else:
            d = xm
            e = d
        a, fa = b, fb
        if abs(d) > tol1:
            b += d
        else:
            b += tol1 if xm > 0 else -tol1
        fb = func(b)
    raise RuntimeError("Maximum number of iterations exceeded in zbrent")


def betacf(a, b, x):
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    qab, qap, qam = a + b, a + 1.0, a - 1.0
    c = 1.0
    d = 1.0 - qab * x / qap
    if abs(d) < FPMIN:
        d = FPMIN
    d = 1.0 / d
    h = d
    m = 1
    while m <= MAXIT:
        m2 = 2 * m
        aa = m * (b - m) * x / ((qam + m2) * (a + m2))
        d = 1.0 + aa * d
        if abs(d) < FPMIN:
            d = FPMIN
        c = 1.0 + aa / c
        if abs(c) < FPMIN:
            c = FPMIN
        d = 1.0 / d
        h *= d * c
        aa = -(a + m) * (qab + m) * x / ((a + m2) * (qap + m2))
        d = 1.0 + aa * d
        if abs(d) < FPMIN:
            d = FPMIN
        c = 1.0 + aa / c
        if abs(c) < FPMIN:
            c = FPMIN
        d = 1.0 / d
        delta = d * c
        h *= delta
        if abs(delta - 1.0) < EPS:
            break
        m += 1
    else:
        raise RuntimeError("a or b too big in betacf")
    return h


def ludcmp(a):
    """The LU decomposition of a matrix in place, with the rows that were exchanged."""
    n = len(a)
    indx = np.zeros(n, dtype=int)
    d = 1.0
    vv = [0.0] * n
    for i in range(n):
        big = max(abs(a[i, j]) for j in range(n))
        if big == 0.0:
            raise ArithmeticError("Singular matrix in routine ludcmp")
        vv[i] = 1.0 / big
    for j in range(n):
        for i in range(j):
            total = a[i, j]
            for k in range(i):
                total -= a[i, k] * a[k, j]
            a[i, j] = total
        big, imax = 0.0, j
        for i in range(j, n):
            total = a[i, j]
            for k in range(j):
                total -= a[i, k] * a[k, j]
            a[i, j] = total
            dum = vv[i] * abs(total)
            if dum >= big:
                big, imax = dum, i
        if j != imax:
            for k in range(n):
                a[imax, k], a[j, k] = a[j, k], a[imax, k]
            d = -d
            vv[imax] = vv[j]
        indx[j] = imax
        if a[j, j] == 0.0:
            a[j, j] = FPMIN
        for i in range(j + 1, n):
            a[i, j] /= a[j, j]
    return indx, d


def determinant(matrix):
    a = matrix.copy()
    _, d = ludcmp(a)
    for j in range(len(a)):
        d *= a[j, j]
    return d


def kepler(mean_anomaly, eccentricity):
    """The eccentric anomaly."""
    return zbrent(lambda E: E - eccentricity * np.sin(E) - mean_anomaly, -1.0, 7.0)
