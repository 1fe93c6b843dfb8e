"""Samples by the ziggurat method, of a bit generator (`pcg64.py`).

`attempt(bits)` is `(accepted, x)`: one word, and what else it takes to decide. Loops are over
attempts: one loop, whatever is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.random import ziggurat
from myia.library.random.constants import constant

NORMAL, NORMAL_FLOAT32 = ziggurat.normal, ziggurat.normal_float32
EXPONENTIAL, EXPONENTIAL_FLOAT32 = ziggurat.exponential, ziggurat.exponential_float32
MANTISSA = 2**52 - 1
MANTISSA_FLOAT32 = 2**23 - 1


def normals(bits: Any, count: int) -> Any:
    """Standard normal numbers."""
    xs = np.empty(count)
    i = 0
    while i < count:
        accepted, x = normal_attempt(bits)
        xs[i] = x
        if accepted:
            i += 1
    return xs


def normal_attempt(bits: Any) -> Any:
    word = bits.word()
    layer = int(word & 255) % 256
    number = (word >> 9) & MANTISSA
    x = np.float64(number) * constant(NORMAL, "width")[layer]
    if (word >> 8) & 1 != 0:
        x = -x
    accepted = number < constant(NORMAL, "limit")[layer]
    if not accepted:
        if layer == 0:
            x = normal_tail(bits, number)
            accepted = True
        else:
            f = constant(NORMAL, "density")
            accepted = (f[layer - 1] - f[layer]) * bits.unit() + f[layer] < np.exp(-0.5 * x * x)
    return accepted, x


def normal_tail(bits: Any, number: Any) -> Any:
    """Beyond the base: Marsaglia's method, by two exponential numbers."""
    x, y = np.float64(0.0), np.float64(0.0)
    while not y + y > x * x:
        x = -0.27366123732975827 * np.log(1.0 - bits.unit())
        y = -np.log(1.0 - bits.unit())
    x = x + 3.654152885361009
    return -x if (number >> 8) & 1 != 0 else x


def normals_float32(bits: Any, count: int) -> Any:
    xs = np.empty(count, np.float32)
    i = 0
    while i < count:
        accepted, x = normal_attempt_float32(bits)
        xs[i] = x
        if accepted:
            i += 1
    return xs


def normal_attempt_float32(bits: Any) -> Any:
    word = bits.word32()
    layer = int(word & 255) % 256
    number = (word >> 9) & MANTISSA_FLOAT32
    x = np.float32(number) * constant(NORMAL_FLOAT32, "width")[layer]
    if (word >> 8) & 1 != 0:
        x = -x
    accepted = number < np.uint64(constant(NORMAL_FLOAT32, "limit")[layer])
    if not accepted:
        if layer == 0:
            x = normal_tail_float32(bits, number)
            accepted = True
        else:
            f = constant(NORMAL_FLOAT32, "density")
            height = (f[layer - 1] - f[layer]) * bits.unit_float32() + f[layer]
            wide = np.float64(x)
            accepted = np.float64(height) < np.exp(-0.5 * wide * wide)
    return accepted, x


def normal_tail_float32(bits: Any, number: Any) -> Any:
    x, y = np.float32(0.0), np.float32(0.0)
    while not y + y > x * x:
        x = np.float32(-0.27366123732975827) * np.log(np.float32(1.0) - bits.unit_float32())
        y = -np.log(np.float32(1.0) - bits.unit_float32())
    x = x + np.float32(3.654152885361009)
    return -x if (number >> 8) & 1 != 0 else x


def exponentials(bits: Any, count: int) -> Any:
    """Standard exponential numbers."""
    xs = np.empty(count)
    i = 0
    while i < count:
        accepted, x = exponential_attempt(bits)
        xs[i] = x
        if accepted:
            i += 1
    return xs


def exponential_attempt(bits: Any) -> Any:
    word = bits.word() >> 3
    layer = int(word & 255) % 256
    number = word >> 8
    x = np.float64(number) * constant(EXPONENTIAL, "width")[layer]
    accepted = number < constant(EXPONENTIAL, "limit")[layer]
    if not accepted:
        u = bits.unit()
        if layer == 0:
            x = 7.69711747013105 - np.log(1.0 - u)
            accepted = True
        else:
            f = constant(EXPONENTIAL, "density")
            accepted = (f[layer - 1] - f[layer]) * u + f[layer] < np.exp(-x)
    return accepted, x


def exponentials_float32(bits: Any, count: int) -> Any:
    xs = np.empty(count, np.float32)
    i = 0
    while i < count:
        accepted, x = exponential_attempt_float32(bits)
        xs[i] = x
        if accepted:
            i += 1
    return xs


def exponential_attempt_float32(bits: Any) -> Any:
    word = bits.word32() >> 1
    layer = int(word & 255) % 256
    number = word >> 8
    x = np.float32(number) * constant(EXPONENTIAL_FLOAT32, "width")[layer]
    accepted = number < np.uint64(constant(EXPONENTIAL_FLOAT32, "limit")[layer])
    if not accepted:
        u = bits.unit_float32()
        if layer == 0:
            x = np.float32(7.69711747013105) - np.log(np.float32(1.0) - u)
            accepted = True
        else:
            f = constant(EXPONENTIAL_FLOAT32, "density")
            accepted = (f[layer - 1] - f[layer]) * u + f[layer] < np.exp(-x)
    return accepted, x
