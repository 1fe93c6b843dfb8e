"""The methods of `random.Random` that are written in C or depend on how integers are drawn.

The others (`uniform`, `gauss`, `expovariate`, ...) are Python's own source, compiled like a user's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.random.constants import wrapped
from myia.library.random.words.mt19937 import next_word


class Random:
    """The state of a `random.Random`. `gauss_next`: the second number of a pair, or None."""

    __slots__ = ("gauss_next", "position", "ring", "start")

    def __init__(self, ring: Any, start: Any, position: Any, gauss_next: Any) -> None:
        self.ring = ring
        self.start = start
        self.position = position
        self.gauss_next = gauss_next

    def random(self) -> Any:
        high = float(next_word(self) >> 5)
        return (high * 67108864.0 + float(next_word(self) >> 6)) * 2.0**-53

    def getrandbits(self, k: Any) -> Any:
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        if k > 62:
            raise NotImplementedError(
                "`getrandbits` of more than 62 bits: an integer has 64 here; draw it in parts"
            )
        return int(top_bits(self, k)) if k > 0 else 0

    def _randbelow(self, n: Any) -> Any:
        """An int in 0, ..., n - 1: the upper bits of a word, drawn again if they are too large."""
        limit = wrapped(n)
        count = bit_length(limit)
        found = top_bits(self, count)
        while found >= limit:
            found = top_bits(self, count)
        return int(found)

    # ----- Integers

    def randrange(self, start: Any, stop: Any = None, step: Any = 1) -> Any:
        if stop is None:
            start, stop = 0, start
        width = stop - start
        if step == 0:
            raise ValueError("zero step for randrange()")
        count = (width + step - 1) // step if step > 0 else (width + step + 1) // step
        if count <= 0:
            raise ValueError(f"empty range in randrange({start}, {stop}, {step})")
        return start + step * self._randbelow(count)

    def randint(self, a: Any, b: Any) -> Any:
        return self.randrange(a, b + 1)

    # ----- Orders and choices

    def choice(self, seq: Any) -> Any:
        if len(seq) == 0:
            raise IndexError("Cannot choose from an empty sequence")
        return seq[self._randbelow(len(seq))]

    def shuffle(self, x: Any) -> Any:
        for i in range(len(x) - 1, 0, -1):
            j = self._randbelow(i + 1)
            x[i], x[j] = x[j], x[i]

    def sample(self, population: Any, k: Any) -> Any:
        n = len(population)
        if k < 0 or k > n:
            raise ValueError("Sample larger than population or is negative")
        taken = np.arange(n)
        found = np.empty(k, np.int64)
        if n <= pool_size(k):
            for i in range(k):
                j = self._randbelow(n - i)
                found[i] = taken[j]
                taken[j] = taken[n - i - 1]
        else:
            is_taken = np.zeros(n, bool)
            for i in range(k):
                j = self._randbelow(n)
                while is_taken[j]:
                    j = self._randbelow(n)
                is_taken[j] = True
                found[i] = j
        return [population[found[i]] for i in range(k)]


def take_over(rng: Any, other: Any) -> None:
    """Go on as another generator would."""
    rng.ring[:] = other.ring
    rng.start = other.start
    rng.position = other.position
    rng.gauss_next = other.gauss_next


def pool_size(k: int) -> int:
    """Populations up to this size are sampled from a list of those that are left."""
    size = 21
    if k > 5:
        power = 1
        while power < 3 * k:
            power *= 4
        size += power
    return size


def bit_length(x: Any) -> Any:
    count, rest = np.uint64(0), x
    for shift in (32, 16, 8, 4, 2, 1):
        step = np.uint64(rest >> shift != 0) * np.uint64(shift)
        count = count + step
        rest = rest >> step
    return count + rest


def top_bits(state: Any, count: Any) -> Any:
    """The upper bits of a word of 32 bits; of more, the lower word comes first."""
    if count <= 32:
        return np.uint64(next_word(state)) >> (np.uint64(32) - np.uint64(count))
    low = np.uint64(next_word(state))
    high = np.uint64(next_word(state)) >> (np.uint64(64) - np.uint64(count))
    return (high << 32) | low
