"""The methods of `np.random.Generator`, as NumPy source: they draw what NumPy draws.

Words, uniform numbers, integers and permutations are NumPy's to the bit; so is how many words are
taken. Samples of other distributions are functions of them, up to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.random import bounded, choices, distributions, ziggurat_draws
from myia.library.random.binomials import binomial
from myia.library.random.constants import wrapped
from myia.library.random.pcg64 import count_of


class Generator:
    """The state of a `np.random.Generator`: that of its bit generator."""

    __slots__ = ("bit_generator",)

    def __init__(self, bit_generator: Any) -> None:
        self.bit_generator = bit_generator

    # ----- Numbers

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        count = count_of(size_of(size, out, dtype))
        bits = self.bit_generator
        if is_float32(dtype, "random"):
            xs = np.empty(count, np.float32)
            for i in range(count):
                xs[i] = bits.unit_float32()
        else:
            xs = np.empty(count)
            for i in range(count):
                xs[i] = bits.unit()
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

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        loc, scale = real(loc), real(scale)
        if np.any(scale < 0.0):
            raise ValueError("scale < 0")
        return loc + apart(scale * self.standard_normal(broadcast_size(size, loc, scale)))

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        scale = real(scale)
        if np.any(scale < 0.0):
            raise ValueError("scale < 0")
        return scale * self.standard_exponential(broadcast_size(size, scale))

    # ----- Other distributions

    def standard_gamma(
        self, shape: Any, size: Any = None, dtype: Any = np.float64, out: Any = None
    ) -> Any:
        if is_float32(dtype, "standard_gamma") or out is not None:
            raise NotImplementedError("`standard_gamma` in float32, or with `out`")
        shape = not_negative(shape, "shape")
        return distributions.gammas(self.bit_generator, broadcast_size(size, shape), shape)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        shape, scale = not_negative(shape, "shape"), not_negative(scale, "scale")
        return scale * self.standard_gamma(shape, broadcast_size(size, shape, scale))

    def chisquare(self, df: Any, size: Any = None) -> Any:
        return 2.0 * self.standard_gamma(positive(df, "df") / 2.0, size)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        loc, scale = real(loc), not_negative(scale, "scale")
        u = distributions.units(self.bit_generator, broadcast_size(size, loc, scale))
        z = np.where(u >= 0.5, -np.log(2.0 - u - u), np.log(u + u))
        return loc + apart(scale * as_drawn(z))

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        loc, scale = real(loc), not_negative(scale, "scale")
        u = distributions.units(self.bit_generator, broadcast_size(size, loc, scale))
        return loc + apart(scale * as_drawn(np.log(u / (1.0 - u))))

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        loc, scale = real(loc), not_negative(scale, "scale")
        u = distributions.units(self.bit_generator, broadcast_size(size, loc, scale))
        return loc - apart(scale * as_drawn(np.log(-np.log(1.0 - u))))

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
        return as_drawn(np.exp(self.normal(mean, not_negative(sigma, "sigma"), size)))

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> Any:
        scale = not_negative(scale, "scale")
        x = self.standard_exponential(broadcast_size(size, scale))
        return scale * as_drawn(np.sqrt(2.0 * x))

    def weibull(self, a: Any, size: Any = None) -> Any:
        a = positive(a, "a")
        return self.standard_exponential(broadcast_size(size, a)) ** (1.0 / a)

    def pareto(self, a: Any, size: Any = None) -> Any:
        a = positive(a, "a")
        return as_drawn(np.expm1(self.standard_exponential(broadcast_size(size, a)) / a))

    def power(self, a: Any, size: Any = None) -> Any:
        a = positive(a, "a")
        x = self.standard_exponential(broadcast_size(size, a))
        return as_drawn((-np.expm1(-x)) ** (1.0 / a))

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:
        a, b = positive(a, "a"), positive(b, "b")
        if np.any((a <= 1.0) & (b <= 1.0)):
            raise NotImplementedError("`beta` of two parameters that are at most 1")
        size = broadcast_size(size, a, b)
        x, y = distributions.gamma_pairs(self.bit_generator, size, a, b)
        return distributions.gathered(x / (x + y), size)

    def f(self, dfnum: Any, dfden: Any, size: Any = None) -> Any:
        m, n = positive(dfnum, "dfnum"), positive(dfden, "dfden")
        size = broadcast_size(size, m, n)
        x, y = distributions.gamma_pairs(self.bit_generator, size, m / 2.0, n / 2.0)
        m, n = distributions.spread(m, size), distributions.spread(n, size)
        return distributions.gathered((2.0 * x * n) / (2.0 * y * m), size)

    def standard_t(self, df: Any, size: Any = None) -> Any:
        df = positive(df, "df")
        size = broadcast_size(size, df)
        x, y = distributions.normals_and_gammas(self.bit_generator, size, df / 2.0)
        root = np.sqrt(distributions.spread(df, size) / 2.0)
        return distributions.gathered(root * x / np.sqrt(y), size)

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
        if method != "cholesky":
            raise NotImplementedError("`multivariate_normal` but by method='cholesky'")
        mean, cov = np.asarray(mean, np.float64), np.asarray(cov, np.float64)
        given = () if size is None else size if isinstance(size, (tuple, list)) else (size,)
        z = self.standard_normal((*given, len(mean)))
        return mean + z @ np.linalg.cholesky(cov).T

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        n, p = not_negative(n, "n"), distributions.stopped(real(p))
        if not np.all((p >= 0.0) & (p <= 1.0)):
            raise ValueError("p < 0, p > 1 or p is NaN")
        return self._counts(binomial, size, n, p)

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Any:
        lam = distributions.stopped(not_negative(lam, "lam"))
        return self._counts(distributions.poisson, size, lam)

    def geometric(self, p: Any, size: Any = None) -> Any:
        p = distributions.stopped(real(p))
        if not np.all((p > 0.0) & (p <= 1.0)):
            raise ValueError("p <= 0, p > 1 or p contains NaNs")
        return self._counts(distributions.geometric, size, p)

    def _counts(self, one: Any, size: Any, *parameters: Any) -> Any:
        size = broadcast_size(size, *parameters)
        found = distributions.each(one, self.bit_generator, size, *parameters).astype(np.int64)
        return int(found[0]) if size is None else found.reshape(size)

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
            raise NotImplementedError("`integers` between arrays that are not of integers")
        if np.any(low > high if endpoint else low >= high):
            raise ValueError("low > high" if endpoint else "low >= high")
        shape = broadcast_size(size, low, high)
        starts = np.broadcast_to(low, shape).reshape(-1).astype(np.uint64)
        limits = np.broadcast_to(high, shape).reshape(-1).astype(np.uint64) - starts
        if not endpoint:
            limits = limits - np.uint64(1)
        draw = drawing(self.bit_generator, dtype)
        words = np.empty(len(limits), np.uint64)
        for i in range(len(limits)):
            words[i] = draw(limits[i])
        return (starts + words).astype(dtype).reshape(shape)

    def _integers(self, low: Any, high: Any, size: Any, dtype: Any, endpoint: Any) -> Any:
        last = high if endpoint else high - 1
        if low > last:
            raise ValueError(("low > high" if endpoint else "low >= high") if low else "high <= 0")
        kind = np.dtype(dtype)
        if kind.kind not in "iub":
            raise TypeError(f"Unsupported dtype {kind!r} for integers")
        bounded.check_bounds(low, last, kind)
        draw = drawing(self.bit_generator, dtype)
        start, limit = wrapped(low), wrapped(last) - wrapped(low)
        if size is None:
            found = (start + draw(limit)).astype(kind)
            if dtype is int:
                found = int(found)
            return bool(found) if dtype is bool else found
        words = np.empty(count_of(size), np.uint64)
        for i in range(len(words)):
            words[i] = draw(limit)
        return (start + words).astype(kind).reshape(size)

    # ----- Orders and choices

    def shuffle(self, x: Any, axis: Any = 0) -> Any:
        if isinstance(x, np.ndarray) and x.ndim > 1:
            choices.shuffle_rows(self.bit_generator, np.swapaxes(x, 0, axis))
        else:
            choices.shuffle(self.bit_generator, x)

    def permutation(self, x: Any, axis: Any = 0) -> Any:
        if isinstance(x, (int, np.integer)):
            order = np.arange(x)
            choices.shuffle(self.bit_generator, order)
            return order
        x = np.asarray(x)
        order = np.arange(x.shape[axis])
        choices.shuffle(self.bit_generator, order)
        return np.take(x, order, axis)

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


def drawing(bits: Any, dtype: Any) -> Any:
    """What draws an integer in 0, ..., limit: from words of 64 or 32 bits, or from their pieces."""
    kind = np.dtype(dtype)
    if kind.itemsize == 8:
        return lambda limit: bounded.below64(bits, limit)
    if kind.itemsize == 4:
        return lambda limit: bounded.below32(bits, limit)
    pieces = bounded.Pieces(bits, 1 if kind.kind == "b" else 8 * kind.itemsize)
    return pieces.below


# ----- Sizes


def real(x: Any) -> Any:
    """A parameter of a distribution."""
    return float(x) if np.ndim(x) == 0 else np.asarray(x, np.float64)


def not_negative(x: Any, name: str) -> Any:
    x = real(x)
    if np.any(x < 0.0):
        raise ValueError(f"{name} < 0")
    return x


def positive(x: Any, name: str) -> Any:
    x = real(x)
    if np.any(x <= 0.0):
        raise ValueError(f"{name} <= 0")
    return x


def as_drawn(x: Any) -> Any:
    """One number is a float of Python."""
    return x if np.ndim(x) else float(x)


def apart(product: Any) -> Any:
    """A product rounded by itself, as NumPy's C code rounds it: XLA would join it to a sum."""
    found = np.where(product == product, product, np.nan)
    return found if np.ndim(product) else float(found)


def part_of(width: Any, u: Any) -> Any:
    """`width * u` for u below 1, rounded by itself: the comparison is always true."""
    product = width * u
    found = np.where(product <= width, product, width)
    return found if np.ndim(product) else float(found)


def broadcast_size(size: Any, *parameters: Any) -> Any:
    """The size of samples with these parameters; None: they are numbers."""
    shape = np.broadcast_shapes(*[np.shape(x) for x in parameters])
    if shape == ():
        return size
    if size is None:
        return shape
    given = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    if np.broadcast_shapes(shape, given) != given:
        raise ValueError(f"shape mismatch: parameters of shape {shape} for the size {given}")
    return given


def is_float32(dtype: Any, name: str) -> bool:
    kind = np.dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise TypeError(f"Unsupported dtype {kind!r} for {name}")
    return bool(kind == np.float32)


def size_of(size: Any, out: Any, dtype: Any) -> Any:
    """The size of what is drawn, which must fit into `out`."""
    if out is None:
        return size
    if out.dtype != np.dtype(dtype):
        text = f"Expected {np.dtype(dtype).name}, got {out.dtype.name}"
        raise TypeError(f"Supplied output array has the wrong type. {text}")
    if size is not None and np.empty(size).shape != out.shape:
        raise ValueError("size must match out.shape when used together")
    return out.shape


def shaped(xs: Any, size: Any, out: Any) -> Any:
    """Numbers as they are asked for: in an array of this size, in `out`, or one Python float."""
    if out is not None:
        out[...] = xs.reshape(out.shape)
        return out
    return float(xs[0]) if size is None else xs.reshape(size)
