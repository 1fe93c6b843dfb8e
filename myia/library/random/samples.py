"""What generators of NumPy share: distributions, as functions of what their sources draw.

A class of generators has `_source()`, which makes an instance of a class of `sources.py`. It draws
uniform, standard normal and standard exponential numbers: `random`, `standard_normal`,
`standard_exponential` of a size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from myia.library.random import distributions
from myia.library.random.parameters import (
    apart,
    as_drawn,
    broadcast_size,
    not_negative,
    positive,
    real,
)


class Samples:
    """The methods that a `Generator` and a `RandomState` share."""

    __slots__ = ()

    _source: Callable[[], Any]
    random: Callable[..., Any]
    standard_normal: Callable[..., Any]
    standard_exponential: Callable[..., Any]

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        loc, scale = real(loc), not_negative(scale, "scale")
        return loc + apart(scale * self.standard_normal(broadcast_size(size, loc, scale)))

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        scale = not_negative(scale, "scale")
        return scale * self.standard_exponential(broadcast_size(size, scale))

    # ----- Gamma and beta

    def standard_gamma(self, shape: Any, size: Any = None) -> Any:
        shape = not_negative(shape, "shape")
        return distributions.gammas(self._source(), broadcast_size(size, shape), shape)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        shape, scale = not_negative(shape, "shape"), not_negative(scale, "scale")
        return scale * self.standard_gamma(shape, broadcast_size(size, shape, scale))

    def chisquare(self, df: Any, size: Any = None) -> Any:
        return 2.0 * self.standard_gamma(positive(df, "df") / 2.0, size)

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:
        a, b = positive(a, "a"), positive(b, "b")
        return distributions.betas(self._source(), broadcast_size(size, a, b), a, b)

    def f(self, dfnum: Any, dfden: Any, size: Any = None) -> Any:
        m, n = positive(dfnum, "dfnum"), positive(dfden, "dfden")
        size = broadcast_size(size, m, n)
        x, y = distributions.gamma_pairs(self._source(), size, m / 2.0, n / 2.0)
        m, n = distributions.spread(m, size), distributions.spread(n, size)
        return distributions.gathered((2.0 * x * n) / (2.0 * y * m), size)

    def standard_t(self, df: Any, size: Any = None) -> Any:
        df = positive(df, "df")
        size = broadcast_size(size, df)
        x, y = distributions.normals_and_gammas(self._source(), size, df / 2.0)
        root = np.sqrt(distributions.spread(df, size) / 2.0)
        return distributions.gathered(root * x / np.sqrt(y), size)

    # ----- Functions of a uniform, normal or exponential number

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        loc, scale = real(loc), not_negative(scale, "scale")
        u = distributions.units(self._source(), broadcast_size(size, loc, scale))
        z = np.where(u >= 0.5, -np.log(2.0 - u - u), np.log(u + u))
        return loc + apart(scale * as_drawn(z))

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        loc, scale = real(loc), not_negative(scale, "scale")
        u = distributions.units(self._source(), broadcast_size(size, loc, scale))
        return loc + apart(scale * as_drawn(np.log(u / (1.0 - u))))

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        loc, scale = real(loc), not_negative(scale, "scale")
        u = distributions.units(self._source(), broadcast_size(size, loc, scale))
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

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> Any:
        left, mode, right = real(left), real(mode), real(right)
        if np.any(left > mode):
            raise ValueError("left > mode")
        if np.any(mode > right):
            raise ValueError("mode > right")
        if np.any(left == right):
            raise ValueError("left == right")
        u = self.random(broadcast_size(size, left, mode, right))
        width, below = right - left, mode - left
        is_below = u <= below / width
        root = np.sqrt(
            np.where(is_below, u * (below * width), (1.0 - u) * ((right - mode) * width))
        )
        return as_drawn(np.where(is_below, left + root, right - root))

    def standard_cauchy(self, size: Any = None) -> Any:
        count = distributions.count_of(size)
        z = self.standard_normal(2 * count).reshape(count, 2)
        return distributions.gathered(z[:, 0] / z[:, 1], size)

    # ----- Counts

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Any:
        lam = distributions.stopped(not_negative(lam, "lam"))
        return self._counts(distributions.poisson, size, lam)

    def _binomial(self, n: Any, p: Any, size: Any, draw: Any) -> Any:
        n, p = not_negative(n, "n"), distributions.stopped(real(p))
        if not np.all((p >= 0.0) & (p <= 1.0)):
            raise ValueError("p < 0, p > 1 or p is NaN")
        return self._counts(draw, size, n, p)

    def _geometric(self, p: Any, size: Any, draw: Any) -> Any:
        p = distributions.stopped(real(p))
        if not np.all((p > 0.0) & (p <= 1.0)):
            raise ValueError("p <= 0, p > 1 or p contains NaNs")
        return self._counts(draw, size, p)

    def _counts(self, one: Any, size: Any, *parameters: Any) -> Any:
        size = broadcast_size(size, *parameters)
        found = distributions.each(one, self._source(), size, *parameters).astype(np.int64)
        return int(found[0]) if size is None else found.reshape(size)
