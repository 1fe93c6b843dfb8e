"""Integers in 0, ..., limit, all as likely: Lemire's method, on words of 64, 32, 16 and 8 bits.

The upper half of `word * (limit + 1)` is the number; a lower half below 2**bits mod (limit + 1) is
refused. (Lemire: Fast random integer generation in an interval, 2019.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.random.words.pcg64 import AHEAD_FROM, MASK, product_high

ALL32 = 2**32 - 1
ALL64 = 2**64 - 1
NUMBERS = (int, float, np.generic)


def check_bounds(low: Any, last: Any, kind: Any) -> None:
    least, most = (0, 1) if kind.kind == "b" else (np.iinfo(kind).min, np.iinfo(kind).max)
    if low < least:
        raise ValueError(f"low is out of bounds for {kind}")
    if last > most:
        raise ValueError(f"high is out of bounds for {kind}")


def below64(bits: Any, limit: Any) -> Any:
    """A uint64 in 0, ..., limit; limits of 32 bits take words of 32 bits."""
    if limit == 0:
        return np.uint64(0)
    if limit < ALL32:
        return lemire32(bits, limit)
    if limit == ALL32:
        return bits.word32()
    if limit == np.uint64(ALL64):
        return bits.word()
    return _lemire64(bits, limit)


def below32(bits: Any, limit: Any) -> Any:
    if limit == 0:
        return np.uint64(0)
    if limit == ALL32:
        return bits.word32()
    return lemire32(bits, limit)


def lemire32(bits: Any, limit: Any) -> Any:
    count = limit + np.uint64(1)
    product = bits.word32() * count
    if product & MASK < count:
        refused = (np.uint64(ALL32) - limit) % count
        while product & MASK < refused:
            product = bits.word32() * count
    return product >> 32


def _lemire64(bits: Any, limit: Any) -> Any:
    count = limit + np.uint64(1)
    word = bits.word()
    if word * count < count:
        refused = (np.uint64(ALL64) - limit) % count
        while word * count < refused:
            word = bits.word()
    return product_high(word, count)


# ----- By words without their upper bits, those above the limit refused


def masked64(bits: Any, limit: Any) -> Any:
    """A uint64 in 0, ..., limit; limits of 32 bits take words of 32 bits."""
    if limit == 0:
        return np.uint64(0)
    if limit <= ALL32:
        return masked(bits, limit, True)
    return masked(bits, limit, False)


def masked(bits: Any, limit: Any, is_narrow: bool) -> Any:
    mask = mask_of(limit)
    found = (bits.word32() if is_narrow else bits.word()) & mask
    while found > limit:
        found = (bits.word32() if is_narrow else bits.word()) & mask
    return found


def mask_of(limit: Any) -> Any:
    """All bits up to the highest of the limit."""
    mask = limit
    for shift in (1, 2, 4, 8, 16, 32):
        mask = mask | mask >> shift
    return mask


# ----- By pieces of words


class Pieces:
    """Words of 32 bits in pieces of `width` bits, the lowest first."""

    def __init__(self, bits: Any, width: int) -> None:
        self.bits = bits
        self.width = width
        self.left = 0
        self.word = np.uint64(0)

    def next(self) -> Any:
        if self.left == 0:
            self.word = self.bits.word32()
            self.left = 32 // self.width - 1
        else:
            self.word = self.word >> self.width
            self.left -= 1
        return self.word & np.uint64(2**self.width - 1)

    def below(self, limit: Any) -> Any:
        """In 0, ..., limit."""
        every = np.uint64(2**self.width - 1)
        if limit == 0:
            return np.uint64(0)
        if limit == every:
            return self.next()
        count = limit + np.uint64(1)
        product = self.next() * count
        if product & every < count:
            refused = (every - limit) % count
            while product & every < refused:
                product = self.next() * count
        return product >> self.width

    def masked(self, limit: Any) -> Any:
        """The same, those above the limit refused."""
        if limit == 0:
            return np.uint64(0)
        mask = mask_of(limit)
        found = self.next() & mask
        while found > limit:
            found = self.next() & mask
        return found


# ----- By dtypes


def drawing(bits: Any, dtype: Any) -> Any:
    """What draws an integer in 0, ..., limit: from words of 64 or 32 bits, or from their pieces."""
    kind = np.dtype(dtype)
    if kind.itemsize == 8:
        return lambda limit: below64(bits, limit)
    if kind.itemsize == 4:
        return lambda limit: below32(bits, limit)
    return Pieces(bits, width_of(kind)).below


def drawing_masked(bits: Any, dtype: Any) -> Any:
    """The same by words without their upper bits."""
    kind = np.dtype(dtype)
    if kind.itemsize >= 4:
        return lambda limit: masked64(bits, limit)
    return Pieces(bits, width_of(kind)).masked


def width_of(kind: Any) -> int:
    return 1 if kind.kind == "b" else 8 * int(kind.itemsize)


# ----- Many with one limit


def many(bits: Any, dtype: Any, limit: Any, count: int) -> Any:
    """Integers in 0, ..., limit."""
    return many_by(bits, dtype, limit, count, drawing, by_lemire32, by_lemire64)


def many_masked(bits: Any, dtype: Any, limit: Any, count: int) -> Any:
    """The same by words without their upper bits."""
    return many_by(bits, dtype, limit, count, drawing_masked, by_mask, by_mask)


def many_by(
    bits: Any, dtype: Any, limit: Any, count: int, one: Any, of_narrow: Any, of_wide: Any
) -> Any:
    """`one(bits, dtype)` draws one; `of_narrow` and `of_wide` take words of 32 and 64 bits."""
    if np.dtype(dtype).itemsize < 4 or count < AHEAD_FROM or limit in (0, ALL64):
        return one_by_one(one(bits, dtype), limit, count)
    if limit <= ALL32:
        return accepted(bits.ahead32(), lambda words: of_narrow(words, limit), count)
    return accepted(bits.ahead(), lambda words: of_wide(words, limit), count)


def one_by_one(draw: Any, limit: Any, count: int) -> Any:
    xs = np.empty(count, np.uint64)
    for i in range(count):
        xs[i] = draw(limit)
    return xs


def accepted(coming: Any, of: Any, count: int) -> Any:
    """`of(words)`: an integer for each word; `ALL64`: it is refused."""
    xs = np.empty(count, np.uint64)
    k = 0
    while k < count:
        x = of(coming.words())
        i = 0
        while i < len(x) and k < count:
            xs[k] = x[i]
            if x[i] != ALL64:
                k += 1
            i += 1
        coming.draw(i)
        coming.go_on()
    return xs


def by_lemire32(words: Any, limit: Any) -> Any:
    count = limit + np.uint64(1)
    product = words * count
    is_good = product & MASK >= (np.uint64(ALL32) - limit) % count
    return np.where(is_good, product >> 32, np.uint64(ALL64))


def by_lemire64(words: Any, limit: Any) -> Any:
    count = limit + np.uint64(1)
    is_good = words * count >= (np.uint64(ALL64) - limit) % count
    return np.where(is_good, product_high(words, count), np.uint64(ALL64))


def by_mask(words: Any, limit: Any) -> Any:
    found = words & mask_of(limit)
    return np.where(found <= limit, found, np.uint64(ALL64))


def between_arrays(draw: Any, low: Any, last: Any, shape: Any, dtype: Any) -> Any:
    """Integers in low, ..., last, of arrays of integers."""
    starts = np.broadcast_to(low, shape).reshape(-1).astype(np.uint64)
    limits = np.broadcast_to(last, shape).reshape(-1).astype(np.uint64) - starts
    words = np.empty(len(limits), np.uint64)
    for i in range(len(limits)):
        words[i] = draw(limits[i])
    return (starts + words).astype(dtype).reshape(shape)
