"""The methods of `np.random.RandomState`, as NumPy source: they draw what NumPy draws.

Its numbers will not change in later versions of NumPy. Normal numbers come in pairs (Marsaglia's
polar method); the second is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.random import bounded, choices
from myia.library.random.constants import wrapped
from myia.library.random.generator import apart, broadcast_size, part_of, real
from myia.library.random.mt19937 import WORDS, seed_key
from myia.library.random.pcg64 import count_of


class RandomState:
    """The state of a `np.random.RandomState`."""

    __slots__ = ("_bit_generator", "gauss", "has_gauss")

    def __init__(self, bit_generator: Any, has_gauss: Any, gauss: Any) -> None:
        self._bit_generator = bit_generator
        self.has_gauss = has_gauss
        self.gauss = gauss

    def seed(self, seed: Any = None) -> Any:
        if seed is None:
            raise NotImplementedError("`seed()` without a seed")
        if seed < 0 or seed > 2**32 - 1:
            raise ValueError("Seed must be between 0 and 2**32 - 1")
        seed_key(self._bit_generator.key, seed)
        self._bit_generator.position = np.int64(WORDS)
        self.has_gauss = np.int64(0)
        self.gauss = 0.0

    # ----- Numbers

    def random_sample(self, size: Any = None) -> Any:
        bits = self._bit_generator
        if size is None:
            return float(bits.unit())
        return bits.units(count_of(size)).reshape(size)

    def random(self, size: Any = None) -> Any:
        return self.random_sample(size)

    def rand(self, *shape: Any) -> Any:
        return self.random_sample(shape or None)

    def randn(self, *shape: Any) -> Any:
        return self.standard_normal(shape or None)

    def standard_normal(self, size: Any = None) -> Any:
        if size is None:
            return polar_normal(self)
        xs = np.empty(count_of(size))
        for i in range(len(xs)):
            xs[i] = polar_normal(self)
        return xs.reshape(size)

    def standard_exponential(self, size: Any = None) -> Any:
        x = -np.log(1.0 - self.random_sample(size))
        return float(x) if size is None else x

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        loc, scale = real(loc), real(scale)
        if np.any(scale < 0.0):
            raise ValueError("scale < 0")
        return loc + apart(scale * self.standard_normal(broadcast_size(size, loc, scale)))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        low, high = real(low), real(high)
        width = high - low
        if not np.all(np.isfinite(width)):
            raise OverflowError("Range exceeds valid bounds")
        if np.any(width < 0.0):
            raise NotImplementedError("`uniform` with high < low")
        return low + part_of(width, self.random_sample(broadcast_size(size, low, high)))

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        scale = real(scale)
        if np.any(scale < 0.0):
            raise ValueError("scale < 0")
        return scale * self.standard_exponential(broadcast_size(size, scale))

    # ----- Integers

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        if high is None:
            low, high = 0, low
        if not isinstance(low, bounded.NUMBERS) or not isinstance(high, bounded.NUMBERS):
            raise NotImplementedError("`randint` between arrays")
        low, high = int(low), int(high)
        if low >= high:
            raise ValueError("low >= high" if low else "high <= 0")
        kind = np.dtype(dtype)
        if kind.kind not in "iub" or kind.itemsize < 4:
            raise NotImplementedError(f"`randint` of the dtype {kind}")
        bounded.check_bounds(low, high - 1, kind)
        start, limit = wrapped(low), wrapped(high - 1) - wrapped(low)
        bits = self._bit_generator
        if size is None:
            found = (start + bounded.masked64(bits, limit)).astype(kind)
            return int(found) if dtype is int else found
        words = np.empty(count_of(size), np.uint64)
        for i in range(len(words)):
            words[i] = bounded.masked64(bits, limit)
        return (start + words).astype(kind).reshape(size)

    # ----- Orders and choices

    def shuffle(self, x: Any) -> Any:
        if isinstance(x, np.ndarray) and x.ndim > 1:
            choices.shuffle_rows(self._bit_generator, x)
        else:
            choices.shuffle(self._bit_generator, x)

    def permutation(self, x: Any) -> Any:
        is_count = isinstance(x, (int, np.integer))
        x = x if is_count else np.asarray(x)
        order = np.arange(x if is_count else len(x))
        choices.shuffle(self._bit_generator, order)
        return order if is_count else x[order]

    def choice(self, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
        is_count = isinstance(a, (int, np.integer))
        a = a if is_count else np.asarray(a)
        count = a if is_count else len(a)
        wanted = count_of(size)
        if count <= 0 and wanted > 0:
            raise ValueError("a must be greater than 0 unless no samples are taken")
        if p is not None:
            p = choices.probabilities(p, count)
        if replace and p is None:
            found = self.randint(0, count, wanted)
        elif replace:
            found = choices.inverted(choices.cumulative(p), self.random_sample(wanted))
        elif wanted > count:
            text = "Cannot take a larger sample than population when 'replace=False'"
            raise ValueError(text)
        elif p is None:
            found = self.permutation(count)[:wanted]
        else:
            found = choices.distinct_by(self._bit_generator, p, wanted)
        if size is None:
            return int(found[0]) if is_count else a[found[0]]
        found = found.reshape(size)
        return found if is_count else a[found]


def polar_normal(state: Any) -> Any:
    """A standard normal number: the one that was kept, or the first of a pair."""
    if state.has_gauss != 0:
        found = state.gauss
        state.has_gauss = np.int64(0)
        state.gauss = 0.0
    else:
        x, y, square = 0.0, 0.0, 0.0
        while square >= 1.0 or square == 0.0:
            x = 2.0 * float(state._bit_generator.unit()) - 1.0
            y = 2.0 * float(state._bit_generator.unit()) - 1.0
            square = float(squared(x) + squared(y))
        factor = float(np.sqrt(-2.0 * np.log(square) / square))
        found = factor * y
        state.gauss = factor * x
        state.has_gauss = np.int64(1)
    return found


def squared(x: Any) -> Any:
    """The square of a number in [-1, 1], rounded by itself.

    Near 1 the logarithm of a sum of two depends on their last bits. The comparison is always true,
    which nobody knows but us: XLA does not join the product to the sum.
    """
    square = x * x
    return np.where(square <= 1.0, square, 2.0)
