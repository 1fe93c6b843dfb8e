"""`while` on data and on counters."""

from __future__ import annotations

import math

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array


@program((9.0,), (0.3,))
def halve_until_small(x):
    y = x * x
    while y > 1.1:
        y = y / 2 + 0.1
    return y


@program((2.0,), (5.0,))
def newton_square_root(a):
    x = a
    while abs(x * x - a) > 1e-9:
        x = 0.5 * (x + a / x)
    return x


@program((0.7, 4), (0.7, 0))
def counter(x, n):
    i = 0
    y = x
    while i < n:
        y = np.sin(y)
        i += 1
    return y


@program((0.7, 4), (0.7, 0))
def counting_down(x, n):
    y = x
    while n > 0:
        y = y * x + n
        n -= 1
    return y


@program((0.7,), (3.0,))
def two_conditions(x):
    i, y = 0, x
    while y < 10 and i < 5:
        y = y * 2.1
        i = i + 1
    return y * i + x


@program((12.5,), (-1.0,))
def condition_with_a_function(x):
    steps = 0
    while math.sqrt(abs(x)) > 2:
        x = x / 3
        steps += 1
    return x * steps + x * x


@program((A([1.0, 2.0, 4.0]),), (A([0.1, 0.2, 0.3]),))
def array_until_small(a):
    while np.sum(a) > 2:
        a = a * 0.7
    return a


@program((A([1.0, 2.0, 4.0, 3.0]), 5.0), (A([1.0, 2.0, 4.0, 3.0]), 0.5))
def index_until_the_sum(a, limit):
    i, s = 0, 0.0
    while i < len(a) and s < limit:
        s += a[i]
        i += 1
    return s * i


@program((5.0, 0.3), (0.2, 0.3))
def while_in_while(x, y):
    s = x
    while s > 1:
        t = s
        while t > 2:
            t = t * 0.6
        s = s * 0.4 + t * y
    return s


@program((5.3, 3), (0.2, 3), (5.3, 0))
def while_in_for(x, n):
    s = x
    for i in range(n):
        while s > 2:
            s = s / 2.5
        s = s * s + i
    return s


@program((5.0, 2.5), (0.2, 2.5))
def for_in_while(x, y):
    s = x
    while s > 1:
        for i in range(3):
            s = s - y * 0.1 * i
    return s * y


@program((5.0,), (0.5,))
def assigned_in_the_condition(x):
    while (y := x * 0.5) > 1:
        x = y + 0.1
    return x * y


@program((6.0,), (0.5,))
def while_true_with_break(x):
    while True:
        x = x * 0.7
        if x < 1:
            break
    return x * x


@program((27,), (1,))
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@program((4.0, 1.5), (0.5, 1.5))
def branch_in_while(x, y):
    while x > 1:
        if x > 2:
            x = x / y
        else:
            x = x - 0.8
    return x * y


@program((0.5, 0.7), (1.2, 0.1))
def fixed_point(a, b):
    x, previous = a, a + 1
    while abs(x - previous) > 1e-10:
        previous = x
        x = np.cos(x) * b
    return x


@program((20.0, 7), (0.5, 7))
def while_makes_a_name(x, k):
    while x > 3:
        last = x
        x = x / 2
        k = k + last
    return x * k


@program((1.0, 0.0, 0.1, 20), (0.5, 0.2, 0.05, 0))
def oscillator(q, p, dt, n):
    i = 0
    while i < n:
        p = p - dt * q
        q = q + dt * p
        i += 1
    return 0.5 * (q * q + p * p)
