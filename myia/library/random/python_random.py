"""The methods of `random.Random` that are written in C or depend on how integers are drawn.

The others (`uniform`, `gauss`, `expovariate`, ...) are Python's own source, compiled like a user's.
"""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

from myia.library.random.constants import at_quantile, wrapped
from myia.library.random.words.mt19937 import next_word
from myia.library.source.python.integers import bit_length_of_word
from myia.library.support.from_source import stopped

small_gamma: Any = random.Random.gammavariate  # compiled from Python's source


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
        count = bit_length_of_word(limit)
        found = top_bits(self, count)
        while found >= limit:
            found = top_bits(self, count)
        return int(found)

    # ----- The gamma distribution: a sample moves with its shape at a fixed quantile

    def gammavariate(self, alpha: Any, beta: Any) -> Any:
        if alpha <= 0.0 or beta <= 0.0:
            raise ValueError("gammavariate: alpha and beta must be > 0.0")
        shape = float(stopped(alpha))
        x = self._large_gamma(shape) if shape > 1.0 else small_gamma(self, shape, 1.0)
        moving = at_quantile(np.reshape(np.float64(alpha), 1), np.reshape(x, 1))
        return float(moving[0]) * beta

    def _large_gamma(self, shape: Any) -> Any:
        """Cheng's method, 1977, as Python has it.

        An error of `y` is one of `x`, so it has to be Python's, and XLA would multiply by the
        inverse of a root that is known: the comparison is always true, which nobody knows but us.
        """
        root = math.sqrt(2.0 * shape - 1.0)
        x, is_drawn = 0.0, False
        while not is_drawn:
            u = self.random()
            if 1e-7 < u < 0.9999999:
                v = 1.0 - self.random()
                y = math.log(u / (1.0 - u)) / np.where(u < 1.0, root, 1.0)
                x = shape * exponential(y)
                z, left = u * u * v, shape - math.log(4.0) + (shape + root) * y - x
                is_drawn = left + 1.0 + math.log(4.5) - 4.5 * z >= 0.0 or left >= math.log(z)
        return x

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


LOG2 = 0.6931471803691238, 1.9082149292705877e-10  # in two parts, the first of which has 32 bits
SERIES = tuple(1.0 / math.factorial(n) for n in range(13, 1, -1))


def exponential(x: Any) -> Any:
    """exp(x), rounded to the nearest number but for a few, as Python's is: XLA's may be off by two
    units in the last place, and they add up in quotients."""
    k = np.floor(x / math.log(2.0) + 0.5)
    reduced, rest = x - k * LOG2[0], k * LOG2[1]
    r = reduced - rest
    rest = (reduced - r) - rest
    series = 0.0
    for coefficient in SERIES:
        series = series * r + coefficient
    total = 1.0 + r
    return (total + ((1.0 - total + r) + (rest + series * r * r))) * 2.0**k


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


def top_bits(state: Any, count: Any) -> Any:
    """The upper bits of a word of 32 bits; of more, the lower word comes first."""
    if count <= 32:
        return np.uint64(next_word(state)) >> (np.uint64(32) - np.uint64(count))
    low = np.uint64(next_word(state))
    high = np.uint64(next_word(state)) >> (np.uint64(64) - np.uint64(count))
    return (high << 32) | low
