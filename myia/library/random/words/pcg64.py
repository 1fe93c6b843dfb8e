"""PCG64, the bit generator of `np.random.default_rng`: 128 bits of state in two words.

    state' = state * MULTIPLIER + increment  (mod 2**128)
    word   = the two halves of state', xor-ed, rotated right by its six highest bits

(O'Neill: PCG: A family of simple fast space-efficient statistically good algorithms for random
number generation, 2014; XSL-RR 128/64.) Words of 32 bits are the halves of a word of 64, the low
one first; the other is kept.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from myia.library.random.constants import computed

HALF = 2**64 - 1
MULTIPLIER_HIGH = 0x2360ED051FC65DA4
MULTIPLIER_LOW = 0x4385DF649FCCF645
MASK = 0xFFFFFFFF
TOGETHER_FROM = 32  # so many words are made as an array
VECTOR = 128  # at once
AHEAD_FROM = 256  # for so many samples, words are made ahead


@functools.cache
def jump_by(count: int) -> np.ndarray:
    """A state s becomes `a s + b increment` after so many words: a and b, in two words each."""
    modulus, multiplier = 2**128, MULTIPLIER_HIGH << 64 | MULTIPLIER_LOW
    a, b, power, added = 1, 0, multiplier, 1  # power, added: of 1, 2, 4, ... words
    while count:
        if count & 1:
            a, b = a * power % modulus, (b * power + added) % modulus
        power, added = power * power % modulus, (power + 1) * added % modulus
        count >>= 1
    return np.array([a >> 64, a & HALF, b >> 64, b & HALF], np.uint64)


@functools.cache
def jumps(count: int) -> np.ndarray:
    """Those of 1, ..., count words, in columns."""
    return np.stack([jump_by(k + 1) for k in range(count)], axis=1)


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
        multiplier = np.uint64(MULTIPLIER_HIGH), np.uint64(MULTIPLIER_LOW)
        high, low = product(self.high, self.low, *multiplier)
        self.high, self.low = total(high, low, self.increment_high, self.increment_low)
        return mixed(self.high, self.low)

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

    def units(self, count: int) -> Any:
        """Numbers in [0, 1)."""
        return (self.words(count) >> 11).astype(np.float64) * 2.0**-53

    def words(self, count: int) -> Any:
        """The next words, in an array: in steps of so many that none waits for the one before."""
        if count < TOGETHER_FROM:
            words = np.empty(count, np.uint64)
            for i in range(count):
                words[i] = self.word()
            return words
        several = computed(jumps, min(count, VECTOR))
        high, low = self.after(several)
        rows = np.empty((-(-count // VECTOR), len(low)), np.uint64)
        rows[0] = mixed(high, low)
        jump = computed(jump_by, VECTOR)
        power_high, power_low = jump[0], jump[1]
        sum_high, sum_low = product(jump[2], jump[3], self.increment_high, self.increment_low)
        for k in range(1, len(rows)):
            high, low = product(high, low, power_high, power_low)
            high, low = total(high, low, sum_high, sum_low)
            rows[k] = mixed(high, low)
        self.high, self.low = self.after(computed(jump_by, count))
        return rows.reshape(-1)[:count]

    def ahead(self) -> Any:
        return Ahead(self)

    def ahead32(self) -> Any:
        return Ahead32(self)

    def after(self, jump: Any) -> Any:
        """The states after so many words: `jump` holds their multipliers and sums (`jump_by`)."""
        high, low = product(self.high, self.low, jump[0], jump[1])
        sum_high, sum_low = product(jump[2], jump[3], self.increment_high, self.increment_low)
        return total(high, low, sum_high, sum_low)

    def random_raw(self, size: Any = None, output: Any = True) -> Any:
        words = self.words(count_of(size))
        if not output:
            return None
        if size is None:
            return words[0]
        return words.reshape(size)


class Ahead:
    """The next words of a generator, which are not drawn yet: as many states as there are."""

    def __init__(self, bits: Any) -> None:
        self.bits = bits
        self.high, self.low = bits.after(computed(jumps, VECTOR))

    def words(self) -> Any:
        return mixed(self.high, self.low)

    def draw(self, count: Any) -> None:
        """The generator has drawn so many of them."""
        if count > 0:
            self.bits.high, self.bits.low = self.high[count - 1], self.low[count - 1]

    def go_on(self) -> None:
        """To the words after these."""
        jump, bits = computed(jump_by, VECTOR), self.bits
        added = product(jump[2], jump[3], bits.increment_high, bits.increment_low)
        self.high, self.low = total(*product(self.high, self.low, jump[0], jump[1]), *added)


class Ahead32(Ahead):
    """Words of 32 bits: `half` of a word and these, where it is kept."""

    def __init__(self, bits: Any) -> None:
        super().__init__(bits)
        self.kept, self.half = bits.kept, bits.half

    def words(self) -> Any:
        words = mixed(self.high, self.low)
        halves = np.stack((words & MASK, words >> 32), axis=1).reshape(-1)
        after_half = np.concatenate((np.reshape(self.half, 1), halves[:-1]))
        return np.where(self.kept != 0, after_half, halves)

    def draw(self, count: Any) -> None:
        halves = count - int(self.kept)
        if count > 0:
            self.bits.kept = np.uint64(halves % 2)
        if halves > 0:
            super().draw((halves + 1) // 2)
            self.bits.half = mixed(self.bits.high, self.bits.low) >> 32

    def go_on(self) -> None:
        self.half = mixed(self.high[-1], self.low[-1]) >> 32
        super().go_on()


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


# ----- Numbers of 128 bits, in two words


def product(a_high: Any, a_low: Any, b_high: Any, b_low: Any) -> Any:
    return product_high(a_low, b_low) + a_high * b_low + a_low * b_high, a_low * b_low


def total(a_high: Any, a_low: Any, b_high: Any, b_low: Any) -> Any:
    low = a_low + b_low
    return a_high + b_high + (low < b_low).astype(np.uint64), low


def mixed(high: Any, low: Any) -> Any:
    """The word of a state."""
    word, turn = high ^ low, high >> 58
    return (word >> turn) | (word << ((64 - turn) & 63))


def product_high(a: Any, b: Any) -> Any:
    """The upper 64 bits of a product of 128."""
    a0, a1, b0, b1 = a & MASK, a >> 32, b & MASK, b >> 32
    middle = a1 * b0 + (a0 * b0 >> 32)
    return a1 * b1 + (middle >> 32) + ((a0 * b1 + (middle & MASK)) >> 32)
