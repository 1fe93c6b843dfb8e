"""Orders and choices drawn at random, as `np.random.Generator` draws them."""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.random.words.bounded import ALL32, below64, lemire32, mask_of, masked
from myia.library.random.words.pcg64 import AHEAD_FROM

SHUFFLED_FROM = 10000  # of so many, a large part is chosen by the end of a shuffle
TOLERANCE = 2.0**-26  # of the sum of probabilities


def index(bits: Any, last: Any, count: int) -> Any:
    """An int in 0, ..., last; `count`: at compile time, more than `last` can be."""
    if count < ALL32:
        return int(lemire32(bits, np.uint64(last))) if last > 0 else 0
    return int(below64(bits, np.uint64(last)))


def masked_index(bits: Any, last: Any, count: int) -> Any:
    """The same by words without their upper bits, those above `last` refused."""
    return int(masked(bits, np.uint64(last), count < ALL32))


def shuffle(bits: Any, x: Any) -> None:
    """The items of a list, or the rows of an array, in place."""
    if isinstance(x, np.ndarray):
        x[...] = x[order_of(bits, len(x))]
    else:
        for i in range(len(x) - 1, 0, -1):
            j = masked_index(bits, i, len(x))
            x[i], x[j] = x[j], x[i]


def order_of(bits: Any, count: int) -> Any:
    """0, ..., count - 1, shuffled (Fisher and Yates)."""
    order = np.arange(count)
    if count < AHEAD_FROM:
        for i in range(count - 1, 0, -1):
            j = masked_index(bits, i, count)
            order[i], order[j] = order[j], order[i]
        return order
    last, mask = count - 1, mask_of(np.uint64(count - 1))
    coming = bits.ahead32()
    while last > 0:
        words = coming.words()
        i = 0
        while i < len(words) and last > 0:
            drawn = int(words[i] & mask)
            j = min(drawn, last)  # a word that is refused changes nothing
            order[last], order[j] = order[j], order[last]
            if drawn <= last:
                last -= 1
                if last <= int(mask >> 1):
                    mask = mask >> 1
            i += 1
        coming.draw(i)
        coming.go_on()
    return order


def shuffle_end(bits: Any, x: Any, first: int) -> None:
    """The same of integers, as far as the positions from `first` on are concerned."""
    for i in range(len(x) - 1, first - 1, -1):
        j = index(bits, i, len(x))
        x[i], x[j] = x[j], x[i]


# ----- Without replacement


def distinct(bits: Any, count: int, wanted: int, in_any_order: Any) -> Any:
    """Some of 0, ..., count - 1, each once."""
    if count > SHUFFLED_FROM and wanted > count // (50 if in_any_order else 20):
        order = np.arange(count)
        shuffle_end(bits, order, max(count - wanted, 1))
        return order[count - wanted :].copy()
    found = np.empty(wanted, np.int64)
    seen = np.full(places(wanted), -1)  # a hash table
    for k in range(wanted):
        last = count - wanted + k
        drawn = index(bits, last, count)
        place = place_of(seen, drawn)
        if seen[place] == drawn:
            drawn = last
            place = place_of(seen, drawn)
        seen[place] = drawn
        found[k] = drawn
    if in_any_order:
        shuffle_end(bits, found, 1)
    return found


def places(count: int) -> int:
    n = 2
    while n < 2 * count:
        n *= 2
    return n


def place_of(seen: Any, x: Any) -> Any:
    """Where a number is in a table of numbers, or the empty place for it."""
    place = x % len(seen)
    while seen[place] != -1 and seen[place] != x:
        place = (place + 1) % len(seen)
    return place


# ----- By probabilities


def probabilities(p: Any, count: int) -> Any:
    p = np.asarray(p, np.float64)
    if p.ndim != 1:
        raise ValueError("p must be 1-dimensional")
    if len(p) != count:
        raise ValueError("a and p must have same size")
    total = np.sum(p)
    if np.isnan(total):
        raise ValueError("Probabilities contain NaN")
    if np.any(p < 0.0):
        raise ValueError("Probabilities are not non-negative")
    if np.abs(total - 1.0) > TOLERANCE:
        raise ValueError(
            "Probabilities do not sum to 1. See Notes section of docstring for more information."
        )
    return p


def cumulative(p: Any) -> Any:
    """The distribution function, summed in order."""
    sums = np.empty(len(p))
    total = 0.0
    for i in range(len(p)):
        total += p[i]
        sums[i] = total
    return sums / total


def inverted(distribution: Any, u: Any) -> Any:
    return np.searchsorted(distribution, u, side="right")


def distinct_by(bits: Any, p: Any, wanted: int) -> Any:
    """Drawn again for those that were drawn twice, without those that have been drawn."""
    if np.sum(p > 0.0) < wanted:
        raise ValueError("Fewer non-zero entries in p than size")
    p = p.copy()
    found = np.empty(wanted, np.int64)
    count = 0
    while count < wanted:
        distribution = cumulative(p)
        before = count
        for _ in range(wanted - before):
            drawn = np.searchsorted(distribution, bits.unit(), side="right")
            if p[drawn] > 0.0:
                p[drawn] = 0.0
                found[count] = drawn
                count += 1
    return found
