"""The methods of `np.random.Generator`, as NumPy source: they draw what NumPy draws.

Words, uniform numbers, integers and permutations are NumPy's to the bit; so is how many words are
taken. Samples of other distributions are functions of them, up to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.random import choices, distributions, ziggurat_draws
from myia.library.random.binomials import binomial
from myia.library.random.constants import wrapped
from myia.library.random.multivariate import draw_multivariate_normal, factor_of
from myia.library.random.parameters import (
    as_drawn,
    broadcast_size,
    is_float32,
    not_negative,
    part_of,
    positive,
    real,
    shaped,
    size_of,
)
from myia.library.random.samples import Samples
from myia.library.random.sources import Ziggurat
from myia.library.random.words import bounded
from myia.library.random.words.pcg64 import count_of


class Generator(Samples):
    """The state of a `np.random.Generator`: that of its bit generator."""

    __slots__ = ("bit_generator",)

    def __init__(self, bit_generator: Any) -> None:
        self.bit_generator = bit_generator

    def _source(self) -> Any:
        return Ziggurat(self.bit_generator)

    # ----- Numbers

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        count = count_of(size_of(size, out, dtype))
        bits = self.bit_generator
        is_narrow = is_float32(dtype, "random")
        if size is None and out is None:
            return float(bits.unit_float32() if is_narrow else bits.unit())
        if is_narrow:
            xs = np.empty(count, np.float32)
            for i in range(count):
                xs[i] = bits.unit_float32()
        else:
            xs = bits.units(count)
        return shaped(xs, size, out)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        count = count_of(size_of(size, out, dtype))
        if is_float32(dtype, "standard_normal"):
            xs = ziggurat_draws.normals_float32(self.bit_generator, count)
        else:
            xs = ziggurat_draws.normals(self.bit_generator, count)
        return shaped(xs, size, out)

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: Any = "zig", out: Any = None
    ) -> Any:
        count = count_of(size_of(size, out, dtype))
        is_narrow = is_float32(dtype, "standard_exponential")
        if method == "inv":
            xs = -np.log(1.0 - self.random(count, dtype))
        elif is_narrow:
            xs = ziggurat_draws.exponentials_float32(self.bit_generator, count)
        else:
            xs = ziggurat_draws.exponentials(self.bit_generator, count)
        return shaped(xs, size, out)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        low, high = real(low), real(high)
        width = high - low
        if not np.all(np.isfinite(width)):
            raise OverflowError("high - low range exceeds valid bounds")
        if np.any(width < 0.0):
            raise ValueError("high - low < 0")
        return low + part_of(width, self.random(broadcast_size(size, low, high)))

    # ----- Other distributions

    def standard_gamma(
        self, shape: Any, size: Any = None, dtype: Any = np.float64, out: Any = None
    ) -> Any:
        if is_float32(dtype, "standard_gamma"):
            raise NotImplementedError(
                "`standard_gamma` in float32: draw in float64, or pass the numbers in"
            )
        shape = not_negative(shape, "shape")
        size = broadcast_size(size_of(size, out, dtype), shape)
        found = distributions.gammas(self._source(), size, shape)
        if out is None:
            return found
        out[...] = found
        return out

    def pareto(self, a: Any, size: Any = None) -> Any:
        a = positive(a, "a")
        return as_drawn(np.expm1(self.standard_exponential(broadcast_size(size, a)) / a))

    def power(self, a: Any, size: Any = None) -> Any:
        a = positive(a, "a")
        x = self.standard_exponential(broadcast_size(size, a))
        return as_drawn((-np.expm1(-x)) ** (1.0 / a))

    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Any = None,
        check_valid: Any = "warn",
        tol: Any = 1e-8,
        *,
        method: Any = "svd",
    ) -> Any:
        factor = factor_of(cov, method, check_valid, tol)
        return draw_multivariate_normal(self, mean, factor, size)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return self._binomial(n, p, size, binomial)

    def geometric(self, p: Any, size: Any = None) -> Any:
        return self._geometric(p, size, distributions.geometric)

    # ----- Integers

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = np.int64,
        endpoint: Any = False,
    ) -> Any:
        if high is None:
            low, high = 0, low
        if isinstance(low, bounded.NUMBERS) and isinstance(high, bounded.NUMBERS):
            return self._integers(int(low), int(high), size, dtype, endpoint)
        low, high = np.asarray(low), np.asarray(high)
        if low.dtype.kind not in "iu" or high.dtype.kind not in "iu":
            raise NotImplementedError(
                "`integers` between arrays that are not of integers: use `low.astype(int)`"
            )
        if np.any(low > high if endpoint else low >= high):
            raise ValueError("low > high" if endpoint else "low >= high")
        shape = broadcast_size(size, low, high)
        draw = bounded.drawing(self.bit_generator, dtype)
        return bounded.between_arrays(draw, low, high if endpoint else high - 1, shape, dtype)

    def _integers(self, low: Any, high: Any, size: Any, dtype: Any, endpoint: Any) -> Any:
        last = high if endpoint else high - 1
        if low > last:
            raise ValueError(("low > high" if endpoint else "low >= high") if low else "high <= 0")
        kind = np.dtype(dtype)
        if kind.kind not in "iub":
            raise TypeError(f"Unsupported dtype {kind!r} for integers")
        bounded.check_bounds(low, last, kind)
        start, limit = wrapped(low), wrapped(last) - wrapped(low)
        if size is None:
            draw = bounded.drawing(self.bit_generator, dtype)
            found = (start + draw(limit)).astype(kind)
            if dtype is int:
                found = int(found)
            return bool(found) if dtype is bool else found
        words = bounded.many(self.bit_generator, dtype, limit, count_of(size))
        return (start + words).astype(kind).reshape(size)

    # ----- Orders and choices

    def shuffle(self, x: Any, axis: Any = 0) -> Any:
        if isinstance(x, np.ndarray) and x.ndim > 1:
            choices.shuffle(self.bit_generator, np.swapaxes(x, 0, axis))
        else:
            choices.shuffle(self.bit_generator, x)

    def permutation(self, x: Any, axis: Any = 0) -> Any:
        if isinstance(x, (int, np.integer)):
            return choices.order_of(self.bit_generator, int(x))
        x = np.asarray(x)
        return np.take(x, choices.order_of(self.bit_generator, x.shape[axis]), axis)

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: Any = True,
        p: Any = None,
        axis: Any = 0,
        shuffle: Any = True,
    ) -> Any:
        is_count = isinstance(a, (int, np.integer))
        a = a if is_count else np.asarray(a)
        count = a if is_count else a.shape[axis]
        wanted = count_of(size)
        if count <= 0 and wanted > 0:
            raise ValueError("a must be a positive integer unless no samples are taken")
        if p is not None:
            p = choices.probabilities(p, count)
        if replace and p is None:
            found = self.integers(0, count, wanted)
        elif replace:
            found = choices.inverted(choices.cumulative(p), self.random(wanted))
        elif wanted > count:
            text = "Cannot take a larger sample than population when replace is False"
            raise ValueError(text)
        elif p is None:
            found = choices.distinct(self.bit_generator, count, wanted, shuffle)
        else:
            found = choices.distinct_by(self.bit_generator, p, wanted)
        if size is None:
            return int(found[0]) if is_count else np.take(a, found[0], axis)
        found = found.reshape(size)
        return found if is_count else np.take(a, found, axis)
