"""MT19937, the Mersenne Twister of `np.random.RandomState` and `random.Random`: words of 32 bits.

    x[k + 624] = x[k + 397] ^ (the upper bit of x[k], the lower bits of x[k + 1]) A

(Matsumoto and Nishimura: Mersenne Twister, 1998.) Python and NumPy make 624 words at once, and keep
them with the position of the next one. Here each draw makes one word, 624 ahead of it: no loop in a
loop, which would copy the words. They are in a ring, where those are kept that NumPy would have.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.random.words.pcg64 import count_of

WORDS = 624
MIDDLE = 397
RING = 2048
MATRIX = 0x9908B0DF
UPPER, LOWER = 0x80000000, 0x7FFFFFFF
TOGETHER_FROM = 64  # so many words are made as an array


class MT19937:
    """The state of a `np.random.MT19937`.

    `ring`: words, of which `start` is the next one; `position`: its place among NumPy's 624.
    """

    __slots__ = ("position", "ring", "start")

    def __init__(self, ring: Any, start: Any, position: Any) -> None:
        self.ring = ring
        self.start = start
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
        """Numbers in [0, 1)."""
        return units_of(next_words(self, 2 * count))

    def ahead(self) -> Any:
        return Ahead(self, 2)

    def ahead32(self) -> Any:
        return Ahead(self, 1)

    def unit_float32(self) -> Any:
        return np.float32(next_word(self) >> 8) * np.float32(2.0**-24)

    def random_raw(self, size: Any = None, output: Any = True) -> Any:
        words = next_words(self, count_of(size)).astype(np.uint64)
        if not output:
            return None
        if size is None:
            return words[0]
        return words.reshape(size)


def next_word(bits: Any) -> Any:
    """The next word of a generator with a ring, in a uint32."""
    ring, i = bits.ring, bits.start
    word = ring[i % RING]
    ring[(i + WORDS) % RING] = twisted(word, ring[(i + 1) % RING], ring[(i + MIDDLE) % RING])
    bits.start = (i + 1) % RING
    bits.position = after(bits.position, 1)
    return tempered(word)


def next_words(bits: Any, count: int) -> Any:
    """The next words, in an array."""
    if count < TOGETHER_FROM:
        words = np.empty(count, np.uint32)
        for i in range(count):
            words[i] = next_word(bits)
        return words
    stream = stream_of(bits, count)
    bits.ring[: 2 * WORDS] = stream[count : count + 2 * WORDS]
    bits.start = np.int64(WORDS)
    bits.position = after(bits.position, count)
    return tempered(stream[WORDS : WORDS + count])


def stream_of(bits: Any, count: int) -> Any:
    """The 624 words before the next one, so many from it on, and 624 more; not tempered."""
    known = np.take(bits.ring, bits.start - WORDS + np.arange(2 * WORDS), mode="wrap")
    last = known[WORDS:].copy()
    rows = np.empty((2 + -(-count // WORDS), WORDS), np.uint32)
    rows[:2] = known.reshape(2, WORDS)
    for k in range(2, len(rows)):
        last = next_block(last)
        rows[k] = last
    return rows.reshape(-1)


class Ahead:
    """The next words of a generator, which are not drawn yet: of one or two words of 32 bits each.

    Those of 32 bits are `known`; the 624 before and after them belong to the generator's state.
    """

    def __init__(self, bits: Any, each: int) -> None:
        words = np.take(bits.ring, bits.start - WORDS + np.arange(2 * WORDS), mode="wrap")
        self.bits, self.each, self.position = bits, each, bits.position
        self.before, self.known = words[:WORDS], words[WORDS:]
        self.following = next_block(self.known)

    def words(self) -> Any:
        words = tempered(self.known).astype(np.uint64)
        if self.each == 1:
            return words
        pairs = words.reshape(WORDS // 2, 2)
        return (pairs[:, 0] << 32) | pairs[:, 1]

    def units(self) -> Any:
        """Numbers in [0, 1)."""
        return units_of(tempered(self.known))

    def draw(self, count: Any) -> None:
        """The generator has drawn so many of them."""
        self.bits.ring[:WORDS] = self.before
        self.bits.ring[WORDS : 2 * WORDS] = self.known
        self.bits.ring[2 * WORDS : 3 * WORDS] = self.following
        self.bits.start = np.int64(WORDS + self.each * count)
        self.bits.position = after(self.position, self.each * count)

    def go_on(self) -> None:
        """To the words after these."""
        self.before, self.known = self.known, self.following
        self.following = next_block(self.following)


def units_of(words: Any) -> Any:
    """Numbers in [0, 1), of two words each."""
    pairs = words.reshape(len(words) // 2, 2)
    high = (pairs[:, 0] >> 5).astype(np.float64)
    return (high * 67108864.0 + (pairs[:, 1] >> 6).astype(np.float64)) * 2.0**-53


def after(position: Any, count: Any) -> Any:
    """The position among 624 words, in 1, ..., 624, after so many words."""
    return (position + (count - 1)) % WORDS + 1


def twisted(word: Any, following: Any, middle: Any) -> Any:
    mixed = (word & UPPER) | (following & LOWER)
    return middle ^ (mixed >> 1) ^ (mixed & 1) * np.uint32(MATRIX)


def next_block(x: Any) -> Any:
    """The 624 words after 624."""
    step = WORDS - MIDDLE
    first = twisted(x[:step], x[1 : step + 1], x[MIDDLE:])
    second = twisted(x[step : 2 * step], x[step + 1 : 2 * step + 1], first)
    following = np.concatenate((x[2 * step + 1 :], first[:1]))
    return np.concatenate(
        (first, second, twisted(x[2 * step :], following, second[: MIDDLE - step]))
    )


def tempered(x: Any) -> Any:
    x = x ^ (x >> 11)
    x = x ^ ((x << 7) & 0x9D2C5680)
    x = x ^ ((x << 15) & 0xEFC60000)
    return x ^ (x >> 18)


# ----- NumPy's form: the 624 words that were made last, and the position of the next one


def ring_of(key: Any) -> Any:
    """A ring that begins with these words."""
    ring = np.zeros(RING, np.uint32)
    ring[:WORDS] = key
    ring[WORDS : 2 * WORDS] = next_block(ring[:WORDS])
    return ring


def key_of(ring: Any, start: int, position: int) -> Any:
    return np.take(ring, np.arange(start - position, start - position + WORDS), mode="wrap")


def seeded_ring(seed: Any) -> Any:
    """The words made of an integer of 32 bits."""
    key = np.empty(WORDS, np.uint32)
    word = np.int64(seed).astype(np.uint32)
    for i in range(WORDS):
        key[i] = word
        word = np.uint32(1812433253) * (word ^ (word >> 30)) + np.uint32(i + 1)
    return ring_of(key)
