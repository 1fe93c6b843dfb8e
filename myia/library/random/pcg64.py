"""PCG64, the bit generator of `np.random.default_rng`: 128 bits of state in two words.

    state' = state * MULTIPLIER + increment  (mod 2**128)
    word   = the two halves of state', xor-ed, rotated right by its six highest bits

(O'Neill: PCG: A family of simple fast space-efficient statistically good algorithms for random
number generation, 2014; XSL-RR 128/64.) Words of 32 bits are the halves of a word of 64, the low
one first; the other is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MULTIPLIER_HIGH = 0x2360ED051FC65DA4
MULTIPLIER_LOW = 0x4385DF649FCCF645
MASK = 0xFFFFFFFF


class PCG64:
    """The state of a `np.random.PCG64`: numbers of the dtype uint64."""

    __slots__ = ("half", "high", "increment_high", "increment_low", "kept", "low")

    def __init__(
        self, high: Any, low: Any, increment_high: Any, increment_low: Any, kept: Any, half: Any
    ) -> None:
        self.high = high
        self.low = low
        self.increment_high = increment_high
        self.increment_low = increment_low
        self.kept = kept  # 1 if there is half a word
        self.half = half

    def word(self) -> Any:
        """The next 64 bits."""
        high, low = self.high, self.low
        product = low * MULTIPLIER_LOW
        carried = (
            product_high(low, np.uint64(MULTIPLIER_LOW))
            + high * MULTIPLIER_LOW
            + low * MULTIPLIER_HIGH
        )
        low = product + self.increment_low
        high = carried + self.increment_high + np.uint64(low < product)
        self.high, self.low = high, low
        mixed, turn = high ^ low, high >> 58
        return (mixed >> turn) | (mixed << ((64 - turn) & 63))

    def word32(self) -> Any:
        """The next 32 bits, in a uint64."""
        if self.kept != 0:
            found = self.half
            self.kept = np.uint64(0)
        else:
            word = self.word()
            found = word & MASK
            self.kept = np.uint64(1)
            self.half = word >> 32
        return found

    def unit(self) -> Any:
        """A number in [0, 1)."""
        return np.float64(self.word() >> 11) * 2.0**-53

    def unit_float32(self) -> Any:
        return np.float32(self.word32() >> 8) * np.float32(2.0**-24)

    def random_raw(self, size: Any = None, output: Any = True) -> Any:
        count = count_of(size)
        words = np.empty(count, np.uint64)
        for i in range(count):
            words[i] = self.word()
        if not output:
            return None
        if size is None:
            return words[0]
        return words.reshape(size)


def count_of(size: Any) -> Any:
    """How many numbers an array of this size has; None stands for one number."""
    if size is None:
        return 1
    if not isinstance(size, (tuple, list)):
        return size
    count = 1
    for length in size:
        count *= length
    return count


def product_high(a: Any, b: Any) -> Any:
    """The upper 64 bits of a product of 128."""
    a0, a1, b0, b1 = a & MASK, a >> 32, b & MASK, b >> 32
    middle = a1 * b0 + (a0 * b0 >> 32)
    return a1 * b1 + (middle >> 32) + ((a0 * b1 + (middle & MASK)) >> 32)
