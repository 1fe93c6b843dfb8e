"""Recursive adaptive quadrature by Simpson's rule."""

import math


def simpson(f, a, fa, b, fb):
    """The midpoint, its value, and the estimate of the integral."""
    m = 0.5 * (a + b)
    fm = f(m)
    return m, fm, abs(b - a) / 6 * (fa + 4 * fm + fb)


def refine(f, a, fa, b, fb, eps, whole, m, fm, depth):
    lm, flm, left = simpson(f, a, fa, m, fm)
    rm, frm, right = simpson(f, m, fm, b, fb)
    delta = left + right - whole
    if depth <= 0 or abs(delta) <= 15 * eps:
        return left + right + delta / 15
    return refine(f, a, fa, m, fm, eps / 2, left, lm, flm, depth - 1) + refine(
        f, m, fm, b, fb, eps / 2, right, rm, frm, depth - 1
    )


def integrate(f, a, b, eps=1e-6, max_depth=20):
    if a == b:
        return 0.0
    sign = 1.0
    if a > b:
        a, b, sign = b, a, -1.0
    fa, fb = f(a), f(b)
    m, fm, whole = simpson(f, a, fa, b, fb)
    return sign * refine(f, a, fa, b, fb, eps, whole, m, fm, max_depth)


def peak(width, a, b):
    """The integral of a peak of the given width and of an oscillation."""
    return integrate(lambda x: 1 / (width**2 + x * x) + math.sin(3 * x), a, b)


def arc_length(p, q):
    """The length of an ellipse's arc."""

    def speed(t):
        return math.sqrt((p * math.sin(t)) ** 2 + (q * math.cos(t)) ** 2)

    return integrate(speed, 0.0, 2 * math.pi, eps=1e-8)
