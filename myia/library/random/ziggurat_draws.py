"""Samples by the ziggurat method, of a bit generator (`words/`).

`one(bits)` is `(accepted, x)`: one word, and what else it takes to decide. Of words that are made
together, those are accepted that need no other word, and the others are decided one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.random import ziggurat
from myia.library.random.constants import constant
from myia.library.random.words.pcg64 import AHEAD_FROM

NORMAL, NORMAL_FLOAT32 = ziggurat.normal, ziggurat.normal_float32
EXPONENTIAL, EXPONENTIAL_FLOAT32 = ziggurat.exponential, ziggurat.exponential_float32
MANTISSA = 2**52 - 1
MANTISSA_FLOAT32 = 2**23 - 1


def normals(bits: Any, count: int) -> Any:
    """Standard normal numbers."""
    return many(bits, np.empty(count), normal_of, normal_attempt)


def normals_float32(bits: Any, count: int) -> Any:
    return many(bits, np.empty(count, np.float32), normal_of_float32, normal_attempt_float32)


def exponentials(bits: Any, count: int) -> Any:
    """Standard exponential numbers."""
    return many(bits, np.empty(count), exponential_of, exponential_attempt)


def exponentials_float32(bits: Any, count: int) -> Any:
    xs = np.empty(count, np.float32)
    return many(bits, xs, exponential_of_float32, exponential_attempt_float32)


def many(bits: Any, xs: Any, of: Any, one: Any) -> Any:
    """Samples into all of `xs`, in which a float32 takes a word of 32 bits."""
    if len(xs) < AHEAD_FROM:
        draw(bits, xs, one)
    elif xs.dtype == np.float32:
        draw_together(bits, bits.ahead32(), xs, of, one)
    else:
        draw_together(bits, bits.ahead(), xs, of, one)
    return xs


def draw(bits: Any, xs: Any, one: Any) -> None:
    """One loop, over attempts, whatever is refused."""
    k = 0
    while k < len(xs):
        accepted, x = one(bits)
        xs[k] = x
        if accepted:
            k += 1


def draw_together(bits: Any, coming: Any, xs: Any, of: Any, one: Any) -> None:
    """`of(words)`: the layers, integers and samples, and which of these are accepted."""
    k = i = 0
    while k < len(xs):
        _, _, x, accepted = of(coming.words())
        is_last = np.arange(len(x)) == len(x) - 1
        x = np.where(accepted & ~is_last, x, np.nan)  # NaN stands for what is decided alone
        while k < len(xs) and i < len(x):
            is_known = True
            while is_known and k < len(xs):
                xs[k] = x[i]
                is_known = x[i] == x[i]
                if is_known:
                    k, i = k + 1, i + 1
            coming.draw(i)
            if k < len(xs):
                counted = Counted(bits)
                accepted_one, xs[k] = one(counted)
                if accepted_one:
                    k += 1
                i += counted.count
        coming.go_on()
        i -= len(x)


class Counted:
    """A bit generator that counts the words that are drawn."""

    def __init__(self, bits: Any) -> None:
        self.bits = bits
        self.count = 0

    def word(self) -> Any:
        self.count += 1
        return self.bits.word()

    def word32(self) -> Any:
        self.count += 1
        return self.bits.word32()

    def unit(self) -> Any:
        self.count += 1
        return self.bits.unit()

    def unit_float32(self) -> Any:
        self.count += 1
        return self.bits.unit_float32()


def at(tables: Any, name: str, layer: Any) -> Any:
    """Elements of a table."""
    return np.take(constant(tables, name), layer, mode="clip")


def layer_of(word: Any) -> Any:
    return (word & 255).astype(np.int64)


# ----- Normal numbers


def normal_of(word: Any) -> Any:
    layer, number = layer_of(word), (word >> 9) & MANTISSA
    x = number.astype(np.float64) * at(NORMAL, "width", layer)
    x = np.where((word >> 8) & 1 != 0, -x, x)
    return layer, number, x, number < at(NORMAL, "limit", layer)


def normal_attempt(bits: Any) -> Any:
    layer, number, x, accepted = normal_of(bits.word())
    if not accepted:
        if layer == 0:
            x = normal_tail(bits, number)
            accepted = True
        else:
            above, f = at(NORMAL, "density", layer - 1), at(NORMAL, "density", layer)
            accepted = (above - f) * bits.unit() + f < np.exp(-0.5 * x * x)
    return accepted, x


def normal_tail(bits: Any, number: Any) -> Any:
    """Beyond the base: Marsaglia's method, by two exponential numbers."""
    x, y = np.float64(0.0), np.float64(0.0)
    while not y + y > x * x:
        x = -0.27366123732975827 * np.log(1.0 - bits.unit())
        y = -np.log(1.0 - bits.unit())
    x = x + 3.654152885361009
    return -x if (number >> 8) & 1 != 0 else x


def normal_of_float32(word: Any) -> Any:
    layer, number = layer_of(word), (word >> 9) & MANTISSA_FLOAT32
    x = number.astype(np.float32) * at(NORMAL_FLOAT32, "width", layer)
    x = np.where((word >> 8) & 1 != 0, -x, x)
    return layer, number, x, number < at(NORMAL_FLOAT32, "limit", layer).astype(np.uint64)


def normal_attempt_float32(bits: Any) -> Any:
    layer, number, x, accepted = normal_of_float32(bits.word32())
    if not accepted:
        if layer == 0:
            x = normal_tail_float32(bits, number)
            accepted = True
        else:
            density = NORMAL_FLOAT32
            above, f = at(density, "density", layer - 1), at(density, "density", layer)
            height = (above - f) * bits.unit_float32() + f
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


# ----- Exponential numbers


def exponential_of(word: Any) -> Any:
    layer, number = layer_of(word >> 3), word >> 11
    x = number.astype(np.float64) * at(EXPONENTIAL, "width", layer)
    return layer, number, x, number < at(EXPONENTIAL, "limit", layer)


def exponential_attempt(bits: Any) -> Any:
    layer, _, x, accepted = exponential_of(bits.word())
    if not accepted:
        u = bits.unit()
        if layer == 0:
            x = 7.69711747013105 - np.log(1.0 - u)
            accepted = True
        else:
            above, f = at(EXPONENTIAL, "density", layer - 1), at(EXPONENTIAL, "density", layer)
            accepted = (above - f) * u + f < np.exp(-x)
    return accepted, x


def exponential_of_float32(word: Any) -> Any:
    layer, number = layer_of(word >> 1), word >> 9
    x = number.astype(np.float32) * at(EXPONENTIAL_FLOAT32, "width", layer)
    return layer, number, x, number < at(EXPONENTIAL_FLOAT32, "limit", layer).astype(np.uint64)


def exponential_attempt_float32(bits: Any) -> Any:
    layer, _, x, accepted = exponential_of_float32(bits.word32())
    if not accepted:
        u = bits.unit_float32()
        if layer == 0:
            x = np.float32(7.69711747013105) - np.log(np.float32(1.0) - u)
            accepted = True
        else:
            density = EXPONENTIAL_FLOAT32
            above, f = at(density, "density", layer - 1), at(density, "density", layer)
            accepted = (above - f) * u + f < np.exp(-x)
    return accepted, x
