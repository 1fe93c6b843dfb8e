"""Arithmetic: integers, signs, powers, promotion, `math`."""

from __future__ import annotations

import math

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array


@program((7.3, 2.0), (-7.3, 2.0), (7.3, -2.0), (-7.3, -2.0))
def floor_division_and_modulo(x, y):
    return (x // y) * y + (x % y) * x


@program((7, 2, 1.5), (-7, 2, 1.5), (7, -2, 1.5), (-7, -2, 1.5))
def integer_division(a, b, x):
    return (a // b) * x + (a % b) * x * x + a / b


@program((7, 3), (-7, 3), (0, 5))
def integer_operators(a, b):
    return a + b, a - b, a * b, a // b, a % b, a / b, a**b, -a, abs(a), ~a, a << 1, a >> 1, a & b


@program((2.0, 3), (-2.0, 3), (2.0, -2), (2.0, 0))
def integer_powers(x, n):
    return x**n + x**2 + x**-1 + x**0


@program((2.0, 3.5), (0.5, -1.5))
def float_powers(x, y):
    return x**y + 2**y + x**0.5


@program((2, 3, 1.5), (2, -1, 1.5))
def integer_to_a_power(a, b, x):
    return a**b * x


@program((2.4,), (-2.7,), exact=[((2.5,), (4.0,))])
def divmod_and_round(x):
    q, r = divmod(x, 2.0)
    return q * x + r * r + round(x) * x


@program((2.5, 3), (-2.5, -3))
def int_and_float_conversions(x, n):
    return float(n) * x + int(x) * x + float(x) ** 2 + bool(n) * x


@program((True, 1.5), (False, 1.5))
def bool_arithmetic(b, x):
    return b + b * x + (b + 1) * 2 - (not b) * x


@program((0.5,), (0.25,))
def math_functions(x):
    y = math.sin(x) + math.cos(x) * math.tan(x) + math.exp(-x) + math.log(x) + math.sqrt(x)
    return y + math.atan2(x, 2.0) + math.tanh(x) + math.pow(x, 1.5) + math.hypot(x, 1.0)


@program((2.7,), (-2.7,))
def math_rounding(x):
    return math.floor(x) * x + math.ceil(x) + math.trunc(x) * x * x + math.fabs(x)


@program((0.5,), (0.25,))
def math_constants(x):
    return math.pi * x + math.e**x + (0.0 if x < math.inf else 1.0)


@program((4, 0.5), (6, 0.25))
def math_of_integers(n, x):
    return math.factorial(n) * x + math.gcd(n, 10) * x * x + math.comb(n, 2)


@program((0.5,), (-0.25,))
def polynomial(x):
    return 3 * x**4 - 2 * x**3 + x / 2 - 7


@program((1.5, np.float64(2.5)), (0.5, np.float64(-2.5)))
def numpy_scalars(x, y):
    return x * y, y * y, x + 1


@program((np.float32(1.5),), (np.float32(-0.5),))
def float32_scalars(x):
    return x * 2 + x**2 / 3


@program((np.float32(1.5), np.int64(3)), (np.float32(-0.5), np.int64(2)))
def float32_meets_int64(x, n):
    return x * n + n


@program(exact=[((1.5,), (3.0,)), ((-0.5,), (3.0,))])
def weak_numbers(x):
    a = np.array([1.0, 2.0], np.float32)
    return a * 2 + a * np.float32(x)


@program((2.0, 3.0), (-1.0, 0.5))
def complex_inside(x, y):
    z = complex(x, y)
    w = z * z + 1j
    return w.real * x + abs(w) + w.imag


@program((1e-3,), (30.0,))
def stable_softplus(x):
    if x > 20:
        return x
    return math.log1p(math.exp(x))


@program((0.3, 0.7), (2.0, -1.0))
def constants_fold(x, y):
    k = 2 * 3 + 1
    z = (k - 7) * y + x * (4 // 3)
    return z + 10**2 * x


@program((3.1,), (0.55,))
def augmented_operators(x):
    y = x
    y += 1
    y *= x
    y -= 0.5
    y /= 2
    y **= 2
    y %= 50.0
    y //= 10.0
    return y * x


@program((3.0,), (0.5,))
def unary_operators(x):
    return -x + +x * -(-x) + (not x) * 3


@program((3.0, 5), (0.5, 2))
def large_integers(x, n):
    big = 10**12 + n
    return (big % 7) * x + (big // 10**10) * x


@program((A([7, -7, 3]), 0.5), (A([1, 0, -1]), 0.5))
def integer_array_arithmetic(k, x):
    return (k // 2) * x + (k % 3) * x * x + k / 2 + k**2


@program((A([7.5, -7.5, 3.1]),), (A([1.1, 0.3, -1.2]),))
def array_floor_and_modulo(a):
    return (a // 2) * a + (a % 3) * a + np.floor(a) + np.sign(a) * a


@program((A([0.0, 1.0, 2.0]), A([2.0, 3.0, 0.0])), (A([1.5, 0.5]), A([0.0, 2.0])))
def array_integer_powers(a, b):
    return a**2 + a**3 + b**1


@program((3.0,), (-2.0,))
def sign_by_comparison(x):
    return ((x > 0) - (x < 0)) * x * x


@program((0.7, 3), (0.7, 6))
def factorial_series(x, n):
    term, s = 1.0, 0.0
    for k in range(1, n + 1):
        s += term
        term *= -x / k
    return s


@program((12, 18, 0.5), (7, 3, 0.5))
def euclid(a, b, x):
    while b:
        a, b = b, a % b
    return a * x


@program((1.0, 2.0), (3.0, 0.5))
def kahan_sum(x, y):
    s, c = 0.0, 0.0
    for v in (x, y, 1e-9, x * y):
        t = v - c
        u = s + t
        c = (u - s) - t
        s = u
    return s * s
