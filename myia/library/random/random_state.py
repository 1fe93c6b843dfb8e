"""The methods of `np.random.RandomState`, as NumPy source: they draw what NumPy draws.

Its numbers will not change in later versions of NumPy. Normal numbers come in pairs (Marsaglia's
polar method); the second is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.random import choices, distributions
from myia.library.random.binomials import any_binomial
from myia.library.random.constants import fresh, wrapped
from myia.library.random.multivariate import draw_multivariate_normal, legacy_factor_of
from myia.library.random.parameters import as_drawn, broadcast_size, part_of, positive, real
from myia.library.random.samples import Samples
from myia.library.random.sources import Polar, polar_normal, polar_normals
from myia.library.random.words import bounded
from myia.library.random.words.mt19937 import WORDS, ring_of, seeded_ring
from myia.library.random.words.pcg64 import count_of


class RandomState(Samples):
    """The state of a `np.random.RandomState`."""

    __slots__ = ("_bit_generator", "gauss", "has_gauss")

    def __init__(self, bit_generator: Any, has_gauss: Any, gauss: Any) -> None:
        self._bit_generator = bit_generator
        self.has_gauss = has_gauss
        self.gauss = gauss

    def _source(self) -> Any:
        return Polar(self)

    def seed(self, seed: Any = None) -> Any:
        bits = self._bit_generator
        if seed is None:
            words = fresh().words(WORDS)
            bits.ring[:] = ring_of(words.astype(np.uint32))
        else:
            if seed < 0 or seed > 2**32 - 1:
                raise ValueError("Seed must be between 0 and 2**32 - 1")
            bits.ring[:] = seeded_ring(seed)
        bits.start = bits.position = np.int64(WORDS)
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
        return polar_normals(self, count_of(size)).reshape(size)

    def standard_exponential(self, size: Any = None) -> Any:
        x = -np.log(1.0 - self.random_sample(size))
        return float(x) if size is None else x

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        low, high = real(low), real(high)
        width = high - low
        if not np.all(np.isfinite(width)):
            raise OverflowError("Range exceeds valid bounds")
        return low + part_of(width, self.random_sample(broadcast_size(size, low, high)))

    # ----- Other distributions

    def pareto(self, a: Any, size: Any = None) -> Any:
        a = positive(a, "a")
        return as_drawn(np.exp(self.standard_exponential(broadcast_size(size, a)) / a) - 1.0)

    def power(self, a: Any, size: Any = None) -> Any:
        a = positive(a, "a")
        x = self.standard_exponential(broadcast_size(size, a))
        return as_drawn((1.0 - np.exp(-x)) ** (1.0 / a))

    def multivariate_normal(
        self, mean: Any, cov: Any, size: Any = None, check_valid: Any = "warn", tol: Any = 1e-8
    ) -> Any:
        factor = legacy_factor_of(cov, check_valid, tol)
        return draw_multivariate_normal(self, mean, factor, size)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return self._binomial(n, p, size, any_binomial)

    def geometric(self, p: Any, size: Any = None) -> Any:
        return self._geometric(p, size, distributions.legacy_geometric)

    # ----- Integers

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        if high is None:
            low, high = 0, low
        if not isinstance(low, bounded.NUMBERS) or not isinstance(high, bounded.NUMBERS):
            return self._between_arrays(np.asarray(low), np.asarray(high), size, dtype)
        low, high = int(low), int(high)
        if low >= high:
            raise ValueError("low >= high" if low else "high <= 0")
        kind = np.dtype(dtype)
        if kind.kind not in "iub":
            raise TypeError(f"Unsupported dtype {kind!r} for randint")
        bounded.check_bounds(low, high - 1, kind)
        start, limit = wrapped(low), wrapped(high - 1) - wrapped(low)
        if size is None:
            draw = bounded.drawing_masked(self._bit_generator, dtype)
            found = (start + draw(limit)).astype(kind)
            if dtype is int:
                found = int(found)
            return bool(found) if dtype is bool else found
        words = bounded.many_masked(self._bit_generator, dtype, limit, count_of(size))
        return (start + words).astype(kind).reshape(size)

    def _between_arrays(self, low: Any, high: Any, size: Any, dtype: Any) -> Any:
        if low.dtype.kind not in "iu" or high.dtype.kind not in "iu":
            raise NotImplementedError(
                "`randint` between arrays that are not of integers: use `low.astype(int)`"
            )
        if np.any(low >= high):
            raise ValueError("low >= high")
        draw = bounded.drawing_masked(self._bit_generator, dtype)
        return bounded.between_arrays(draw, low, high - 1, broadcast_size(size, low, high), dtype)

    # ----- Orders and choices

    def shuffle(self, x: Any) -> Any:
        choices.shuffle(self._bit_generator, x)

    def permutation(self, x: Any) -> Any:
        if isinstance(x, (int, np.integer)):
            return choices.order_of(self._bit_generator, int(x))
        x = np.asarray(x)
        return x[choices.order_of(self._bit_generator, len(x))]

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
