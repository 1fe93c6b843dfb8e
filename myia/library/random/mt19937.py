"""MT19937, the Mersenne Twister of `np.random.RandomState` and `random.Random`: words of 32 bits.

    x[k + 624] = x[k + 397] ^ (the upper bit of x[k], the lower bits of x[k + 1]) A

(Matsumoto and Nishimura: Mersenne Twister, 1998.) 624 words are made at once; `position` is that of
the next one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.random.pcg64 import count_of

WORDS = 624
MIDDLE = 397
MATRIX = 0x9908B0DF
UPPER, LOWER = 0x80000000, 0x7FFFFFFF


class MT19937:
    """The state of a `np.random.MT19937`: an array of the dtype uint32, and an int64."""

    __slots__ = ("key", "position")

    def __init__(self, key: Any, position: Any) -> None:
        self.key = key
        self.position = position

    def word32(self) -> Any:
        """The next 32 bits, in a uint64."""
        return np.uint64(next_word(self))

    def word(self) -> Any:
        """The next 64 bits."""
        high = self.word32()
        return (high << 32) | self.word32()

    def unit(self) -> Any:
        """A number in [0, 1)."""
        high = np.float64(next_word(self) >> 5)
        return (high * 67108864.0 + np.float64(next_word(self) >> 6)) * 2.0**-53

    def units(self, count: int) -> Any:
        """Numbers in [0, 1): one word in an iteration, since XLA copies the state for two."""
        words = np.empty(2 * count, np.uint32)
        for i in range(2 * count):
            words[i] = next_word(self)
        pairs = words.reshape(count, 2)
        high = (pairs[:, 0] >> 5).astype(np.float64)
        return (high * 67108864.0 + (pairs[:, 1] >> 6).astype(np.float64)) * 2.0**-53

    def unit_float32(self) -> Any:
        return np.float32(next_word(self) >> 8) * np.float32(2.0**-24)

    def random_raw(self, size: Any = None, output: Any = True) -> Any:
        words = np.empty(count_of(size), np.uint64)
        for i in range(len(words)):
            words[i] = self.word32()
        if not output:
            return None
        if size is None:
            return words[0]
        return words.reshape(size)


def next_word(bits: Any) -> Any:
    """The next word of a generator with a `key` and a `position`, in a uint32."""
    key, position = bits.key, bits.position
    # A loop, not a branch: that would copy the words each time.
    for i in range(WORDS if position >= WORDS else 0):
        mixed = (key[i] & UPPER) | (key[(i + 1) % WORDS] & LOWER)
        key[i] = key[(i + MIDDLE) % WORDS] ^ (mixed >> 1) ^ (mixed & 1) * np.uint32(MATRIX)
    position = position % WORDS
    bits.position = position + 1
    return tempered(key[position])


def tempered(x: Any) -> Any:
    x = x ^ (x >> 11)
    x = x ^ ((x << 7) & 0x9D2C5680)
    x = x ^ ((x << 15) & 0xEFC60000)
    return x ^ (x >> 18)


def seed_key(key: Any, seed: Any) -> None:
    """The words made of an integer of 32 bits."""
    word = np.int64(seed).astype(np.uint32)
    for i in range(WORDS):
        key[i] = word
        word = np.uint32(1812433253) * (word ^ (word >> 30)) + np.uint32(i + 1)
