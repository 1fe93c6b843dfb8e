"""`math.gcd`, `comb` and their like, of integers known at run time.

They raise `OverflowError` where the result has more than 64 bits: no product before it is larger.
"""

from __future__ import annotations

import math
import operator
from typing import Any

MOST_FACTORS = 34  # of what fits: 21! and C(68, 34) do not


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
