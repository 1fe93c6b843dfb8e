"""`math.gcd`, `comb` and their like, and `pow` with a modulus, of integers known at run time.

They raise `OverflowError` where the result has more than 64 bits: no product before it is larger.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

MOST_FACTORS = 34  # of what fits: 21! and C(68, 34) do not
MOST_SQUARED = math.isqrt(2**63 - 1)


def gcd(*integers: Any) -> Any:
    found = 0
    for integer in integers:
        found = _gcd(found, operator.index(integer))
    return abs(found)


def _gcd(a: Any, b: Any) -> Any:
    while b != 0:
        a, b = b, a % b
    return a


def lcm(*integers: Any) -> Any:
    found = 1
    for integer in integers:
        n = operator.index(integer)
        found = 0 if found == 0 or n == 0 else found // _gcd(found, n) * n
    return abs(found)


def isqrt(n: Any, /) -> Any:
    n = operator.index(n)
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = int(math.sqrt(n))  # of `n` rounded to 53 bits
    if root * root > n:
        return root - 1
    return root + 1 if n - root * root > 2 * root else root


def factorial(x: Any, /) -> Any:
    n = operator.index(x)
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    return _falling(n, n)


def perm(n: Any, k: Any = None, /) -> Any:
    if k is None:
        return factorial(n)
    n, k = operator.index(n), operator.index(k)
    _check(n, k)
    return 0 if k > n else _falling(n, k)


def _falling(n: Any, k: Any) -> Any:
    """`n * (n - 1) * ... * (n - k + 1)`"""
    product = 1
    for i in range(min(k, MOST_FACTORS)):
        product *= n - i
    return product


def comb(n: Any, k: Any, /) -> Any:
    n, k = operator.index(n), operator.index(k)
    _check(n, k)
    if k > n:
        return 0
    k = min(k, n - k)
    found = 1
    for i in range(1, min(k, MOST_FACTORS) + 1):
        # C(n - k + i, i), by factors that divide: nothing is larger than it.
        common = _gcd(found, i)
        found = found // common * ((n - k + i) // (i // common))
    return found


def _check(n: Any, k: Any) -> None:
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")


# ----- Powers modulo an integer


def power_modulo(base: Any, exponent: Any, modulus: Any) -> Any:
    if modulus == 0:
        raise ValueError("pow() 3rd argument cannot be 0")
    m = abs(modulus)
    factor = base % m
    if exponent < 0:
        factor, exponent = _inverse(factor, m), -exponent
    found = 1 % m
    while exponent > 0:
        if exponent % 2 == 1:
            found = _product(found, factor, m)
        factor = _product(factor, factor, m)
        exponent //= 2
    return found - m if modulus < 0 < found else found


def _inverse(x: Any, m: Any) -> Any:
    """By Euclid's algorithm: `a` is `s * x`, and `b` is `t * x`, modulo `m`."""
    a, b, s, t = m, x, 0, 1
    while b > 1:
        q = a // b
        a, b, s, t = b, a % b, t, s - q * t
    if b == 0 and m > 1:
        raise ValueError("base is not invertible for the given modulus")
    return t % m


def _product(x: Any, y: Any, m: Any) -> Any:
    """`x * y % m`; by doubling, where the product may have more than 64 bits."""
    if m <= MOST_SQUARED:
        return x * y % m
    found = 0
    while y > 0:
        if y % 2 == 1:
            found = _sum(found, x, m)
        x = _sum(x, x, m)
        y //= 2
    return found


def _sum(x: Any, y: Any, m: Any) -> Any:
    return x + y if x < m - y else x - (m - y)


# ----- Bits


def bit_length(n: Any) -> Any:
    return int(bit_length_of_word(_magnitude(int(n))))


def bit_count(n: Any) -> Any:
    return int(np.bitwise_count(_magnitude(int(n))))


def _magnitude(n: Any) -> Any:
    """`abs(n)`, which may have 64 bits."""
    return np.uint64(n) if n >= 0 else np.uint64(~n) + np.uint64(1)


def bit_length_of_word(x: Any) -> Any:
    count, rest = np.uint64(0), x
    for shift in (32, 16, 8, 4, 2, 1):
        step = np.uint64(rest >> shift != 0) * np.uint64(shift)
        count = count + step
        rest = rest >> step
    return count + rest
