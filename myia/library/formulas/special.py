"""`scipy.special`: functions that `jax.scipy.special` lacks, composed of those that it has.

Formulas are those of the NIST Digital Library of Mathematical Functions (DLMF), by section.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array
from jax.scipy import special

from myia.library.formulas.lookup import formula

# ----- Under another name

_SAME: dict[str, Callable] = {
    "psi": special.digamma,
    "cbrt": jnp.cbrt,
    "exp2": jnp.exp2,
    "expm1": jnp.expm1,
    "log1p": jnp.log1p,
    "round": jnp.round,
}


def _special(f: Callable[..., Any]) -> Callable[..., Any]:
    return formula(f"scipy.special.{f.__name__}")(f)


# ----- The beta function

# Of the series of Didonato and Morris, ACM TOMS 708 (1992), `algdiv`.
_STIRLING = (
    0.833333333333333e-01,
    -0.277777777760991e-02,
    0.793650666825390e-03,
    -0.595202931351870e-03,
    0.837308034031215e-03,
    -0.165322962780713e-02,
)


def _log_gamma_ratio(a: Array, b: Array) -> Array:
    """log(gamma(b) / gamma(a + b)) for b >= 8 and 0 < a <= b."""
    x, c = b / (a + b), a / (a + b)
    square, power, factor = (1 / b) ** 2, jnp.ones_like(b), jnp.ones_like(b)
    series = jnp.zeros_like(b)
    for coefficient in _STIRLING:  # the factors are 1, 1 + x + x^2, 1 + x + ... + x^4, ...
        series = series + coefficient * factor * power
        power, factor = power * square, 1 + x + x * x * factor
    return series * c / b - (b + (a - 0.5)) * jnp.log1p(a / b) - a * (jnp.log(b) - 1)


@_special
def betaln(a: Array, b: Array) -> Array:
    """That of JAX is off by 1e-6 where one argument is at least 8."""
    a, b = jnp.minimum(a, b), jnp.maximum(a, b)
    large = (b >= 8) & jnp.isfinite(b) & (a > 0)
    p, q = jnp.where(large, a, 1.0), jnp.where(large, b, 8.0)
    rest = jnp.where(jnp.isinf(b), -jnp.inf, special.gammaln(b) - special.gammaln(a + b))
    return special.gammaln(a) + jnp.where(large, _log_gamma_ratio(p, q), rest)


@_special
def beta(a: Array, b: Array) -> Array:
    sign = special.gammasgn(a) * special.gammasgn(b) * special.gammasgn(a + b)
    return sign * jnp.exp(betaln(a, b))


# ----- Elementary functions


@_special
def exprel(x: Array) -> Array:
    """expm1(x) / x; near 0 its Taylor polynomial, which has the derivatives."""
    near = jnp.abs(x) < 1e-3
    away = jnp.where(near, 1, x)
    series = 1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5 * (1 + x / 6))))
    return jnp.where(near, series, jnp.expm1(away) / away)


@_special
def powm1(x: Array, y: Array) -> Array:
    positive = x > 0
    return jnp.where(
        positive,
        jnp.expm1(y * jnp.log(jnp.where(positive, x, 1))),
        jnp.power(jnp.where(positive, 1, x), y) - 1,
    )


def _degrees(x: Array) -> Array:
    """An angle in degrees, brought into one turn and to radians."""
    return jnp.fmod(x, 360) * (math.pi / 180)


def _log_ratio(y: Array, k: Array) -> Array:
    """log1p(k y) / k; near k y = 0 its Taylor polynomial, which has the derivatives."""
    z = k * y
    near = jnp.abs(z) < 1e-3
    series = y * (1 - z * (1 / 2 - z * (1 / 3 - z * (1 / 4 - z * (1 / 5 - z / 6)))))
    safe = jnp.where(near, 1, k)
    return jnp.where(near, series, jnp.log1p(jnp.where(near, 1, z)) / safe)


# ----- Losses


@_special
def huber(delta: Array, r: Array) -> Array:
    size = jnp.abs(r)
    loss = jnp.where(size <= delta, r * r / 2, delta * (size - delta / 2))
    return jnp.where(delta < 0, jnp.inf, loss)


@_special
def pseudo_huber(delta: Array, r: Array) -> Array:
    safe = jnp.where(delta == 0, 1, delta)
    loss = r * r / (1 + jnp.sqrt(1 + (r / safe) ** 2))
    return jnp.where(delta < 0, jnp.inf, jnp.where((delta == 0) | (r == 0), 0 * r, loss))


# ----- Gamma and beta functions, distributions by them (DLMF 5, 8)


def _is_pole(x: Array) -> Array:
    """True at the poles of the gamma function."""
    return (x <= 0) & (x == jnp.floor(x))


@_special
def rgamma(x: Array) -> Array:
    pole = _is_pole(x)
    return jnp.where(pole, 0, 1 / special.gamma(jnp.where(pole, 1, x)))


@_special
def binom(n: Array, k: Array) -> Array:
    return jnp.exp(special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)) * (
        special.gammasgn(n + 1) * special.gammasgn(k + 1) * special.gammasgn(n - k + 1)
    )


@_special
def poch(z: Array, m: Array) -> Array:
    """Gamma(z + m) / Gamma(z)"""
    pole = _is_pole(z)
    sign = special.gammasgn(z + m) * special.gammasgn(jnp.where(pole, 1, z))
    return sign * jnp.exp(special.gammaln(z + m) - special.gammaln(z))


@_special
def perm(N: Array, k: Array) -> Array:
    found = jnp.exp(special.gammaln(N + 1) - special.gammaln(N - k + 1))
    return jnp.where((k <= N) & (N >= 0) & (k >= 0), found, 0)


@_special
def fdtr(dfn: Array, dfd: Array, x: Array) -> Array:
    return special.betainc(dfn / 2, dfd / 2, dfn * x / (dfd + dfn * x))


@_special
def fdtrc(dfn: Array, dfd: Array, x: Array) -> Array:
    """By the smaller of the two parts of the interval, the other one being rounded."""
    of_x, of_rest = dfn * x, dfd
    left = special.betainc(dfd / 2, dfn / 2, of_rest / (of_rest + of_x))
    return jnp.where(of_x < of_rest, 1 - fdtr(dfn, dfd, x), left)


@_special
def stdtr(df: Array, t: Array) -> Array:
    """By the tail that is the smaller one, DLMF 8.17."""
    tail = special.betainc(df / 2, jnp.full_like(df, 0.5), df / (df + t * t)) / 2
    return jnp.where(t > 0, 1 - tail, tail)


# ----- Error functions and relatives (DLMF 7)


@_special
def voigt_profile(x: Array, sigma: Array, gamma: Array) -> Array:
    wide = sigma * math.sqrt(2)
    return special.wofz((x + 1j * gamma) / wide).real / (wide * math.sqrt(math.pi))


# ----- Elliptic integrals by the arithmetic-geometric mean (DLMF 19.8)

AGM_STEPS = 8  # each doubles the number of digits


@_special
def agm(a: Array, b: Array) -> Array:
    for _ in range(AGM_STEPS):
        a, b = (a + b) / 2, jnp.sqrt(a * b)
    return a


@_special
def ellipk(m: Array) -> Array:
    return ellipkm1(1 - m)


@_special
def ellipkm1(p: Array) -> Array:
    end = p == 0
    mean = agm(jnp.ones_like(p), jnp.sqrt(jnp.where(end, 1, p)))
    return jnp.where(end, jnp.inf, math.pi / 2 / mean)


@_special
def ellipe(m: Array) -> Array:
    a, b = jnp.ones_like(m), jnp.sqrt(1 - m)
    total, weight = m / 2, 1.0
    for _ in range(AGM_STEPS):
        a, b, c = (a + b) / 2, jnp.sqrt(a * b), (a - b) / 2
        total, weight = total + weight * c * c, 2 * weight
    end = m == 1
    return jnp.where(end, 1, math.pi / 2 / jnp.where(end, 1, a) * (1 - jnp.where(end, 0, total)))


# ----- In one line: of degrees, distributions by incomplete gamma and beta functions (DLMF 8)

_FORMULAS: dict[str, Callable] = {
    "exp10": lambda x: jnp.power(jnp.asarray(10, x.dtype), x),
    "cosm1": lambda x: -2 * jnp.sin(x / 2) ** 2,
    "sindg": lambda x: jnp.sin(_degrees(x)),
    "cosdg": lambda x: jnp.cos(_degrees(x)),
    "tandg": lambda x: jnp.tan(_degrees(x)),
    "cotdg": lambda x: 1 / jnp.tan(_degrees(x)),
    "radian": lambda d, m, s: (d + (m + s / 60) / 60) * (math.pi / 180),
    "log_expit": lambda x: -jnp.logaddexp(jnp.zeros_like(x), -x),
    "softplus": lambda x: jnp.logaddexp(x, jnp.zeros_like(x)),
    "inv_boxcox": lambda y, lmbda: jnp.exp(_log_ratio(y, lmbda)),
    "inv_boxcox1p": lambda y, lmbda: jnp.expm1(_log_ratio(y, lmbda)),
    "betaincc": lambda a, b, x: special.betainc(b, a, 1 - x),
    "chdtr": lambda v, x: special.gammainc(v / 2, x / 2),
    "chdtrc": lambda v, x: special.gammaincc(v / 2, x / 2),
    "gdtr": lambda a, b, x: special.gammainc(b, a * x),
    "gdtrc": lambda a, b, x: special.gammaincc(b, a * x),
    "pdtr": lambda k, m: special.gammaincc(jnp.floor(k) + 1, m),
    "pdtrc": lambda k, m: special.gammainc(jnp.floor(k) + 1, m),
    "bdtr": lambda k, n, p: special.betainc(n - jnp.floor(k), jnp.floor(k) + 1, 1 - p),
    "bdtrc": lambda k, n, p: special.betainc(jnp.floor(k) + 1, n - jnp.floor(k), p),
    "nbdtr": lambda k, n, p: special.betainc(n, jnp.floor(k) + 1, p),
    "nbdtrc": lambda k, n, p: special.betainc(jnp.floor(k) + 1, n, 1 - p),
    "zeta": lambda x, q=None: special.zeta(x, 1 if q is None else q),
    "erfi": lambda x: 2 / math.sqrt(math.pi) * jnp.exp(x * x) * special.dawsn(x),
    "owens_t": lambda h, a: special.owens_t(h, a).astype(h.dtype),
}
for _name, _f in {**_SAME, **_FORMULAS}.items():
    formula(f"scipy.special.{_name}")(_f)
