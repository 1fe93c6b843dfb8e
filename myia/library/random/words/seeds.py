"""Seeds known at run time: the words that `np.random.SeedSequence` makes of an integer.

(O'Neill: Developing a seed_seq alternative, 2015: two hashes of 32 bits, whose multipliers change
from use to use.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.random.words.pcg64 import PCG64

HASH_A, MULTIPLIER_A = 0x43B0D7E5, 0x931E8875
HASH_B, MULTIPLIER_B = 0x8B51F9DD, 0x58F38DED
LEFT, RIGHT = 0xCA01F9DD, 0x4973F715
POOL = 4


class Hash:
    """A hash whose multiplier changes each time."""

    def __init__(self, start: Any, multiplier: Any) -> None:
        self.constant = np.uint32(start)
        self.multiplier = np.uint32(multiplier)

    def of(self, word: Any) -> Any:
        word = word ^ self.constant
        self.constant = self.constant * self.multiplier
        return folded(word * self.constant)


def folded(word: Any) -> Any:
    return word ^ (word >> 16)


def seed_words(seed: Any) -> Any:
    """Four words of 64 bits, of an integer in 0, ..., 2**63 - 1."""
    word = np.int64(seed).astype(np.uint64)
    low, high = word.astype(np.uint32), (word >> 32).astype(np.uint32)
    zero = np.uint32(0)
    first = Hash(HASH_A, MULTIPLIER_A)
    pool = [first.of(low), first.of(high), first.of(zero), first.of(zero)]
    for i in range(POOL):
        for j in range(POOL):
            if i != j:
                pool[j] = folded(np.uint32(LEFT) * pool[j] - np.uint32(RIGHT) * first.of(pool[i]))
    second = Hash(HASH_B, MULTIPLIER_B)
    halves = [second.of(pool[k % POOL]).astype(np.uint64) for k in range(8)]
    return [halves[k] | (halves[k + 1] << 32) for k in range(0, 8, 2)]


def seeded(seed: Any) -> Any:
    """`np.random.PCG64(seed)`"""
    if seed < 0:
        raise ValueError("expected non-negative integer")
    return started(*seed_words(seed))


def started(high: Any, low: Any, increment_high: Any, increment_low: Any) -> Any:
    """A generator of a state and an increment, of which it makes use first."""
    odd_high = (increment_high << 1) | (increment_low >> 63)
    odd_low = (increment_low << 1) | np.uint64(1)
    zero = np.uint64(0)
    bits = PCG64(zero, zero, odd_high, odd_low, zero, zero)
    bits.word()
    total = bits.low + low
    bits.high = bits.high + high + np.uint64(total < low)
    bits.low = total
    bits.word()
    return bits


def drawn(entropy: Any) -> Any:
    """A generator that another one seeds."""
    high, low = entropy.word(), entropy.word()
    increment_high, increment_low = entropy.word(), entropy.word()
    return started(high, low, increment_high, increment_low)
