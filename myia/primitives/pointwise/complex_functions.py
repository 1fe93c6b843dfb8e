"""Elementary functions of complex numbers, in JAX's terms, where XLA's lose digits or the branch.

XLA ignores the sign of a zero, which says on which side of a branch cut a number lies; it squares
what then underflows; it subtracts exponentials near 0. The formulas are C99's and W. Kahan's.
"""

from __future__ import annotations

import math

import jax
import numpy as np
from jax import lax

from myia.ir.primitive import Formula


def lowered(of_reals: Formula, of_complex: Formula) -> Formula:
    """The lowering of a function of both."""

    def lower(*xs: jax.Array) -> jax.Array:
        return (of_complex if np.dtype(xs[0].dtype).kind == "c" else of_reals)(*xs)

    return lower


def _parts(z: jax.Array) -> tuple[jax.Array, ...]:
    return lax.real(z), lax.imag(z)


def _times_i(z: jax.Array) -> jax.Array:
    return lax.complex(lax.neg(lax.imag(z)), lax.real(z))


def _over_i(z: jax.Array) -> jax.Array:
    return lax.complex(lax.imag(z), lax.neg(lax.real(z)))


def _is_negative(x: jax.Array) -> jax.Array:
    """Also of -0.0."""
    return lax.bitcast_convert_type(x, f"i{x.dtype.itemsize}") < 0


def _copysign(x: jax.Array, sign: jax.Array) -> jax.Array:
    size = lax.abs(x)
    return lax.select(_is_negative(sign), lax.neg(size), size)


def _hypot(x: jax.Array, y: jax.Array) -> jax.Array:
    return lax.abs(lax.complex(x, y))


# ----- Logarithms to a base: by parts, since a quotient of complex numbers makes NaN of an infinity

exp2 = lax.exp2


def _logarithm_to_base(base: float) -> Formula:
    def logarithm(z: jax.Array) -> jax.Array:
        of_e = lax.log(z)
        return lax.complex(*(lax.div(x, lax.full_like(x, math.log(base))) for x in _parts(of_e)))

    return logarithm


log2, log10 = map(_logarithm_to_base, (2, 10))

# ----- Roots and inverses: the sides of the branch cuts


def sqrt(z: jax.Array) -> jax.Array:
    root = lax.sqrt(z)
    return lax.complex(lax.real(root), _copysign(lax.imag(root), lax.imag(z)))


def _odd(f: Formula) -> Formula:
    """`f` whose parts have the signs of the parts of z."""

    def signed(z: jax.Array) -> jax.Array:
        return lax.complex(*map(_copysign, _parts(f(z)), _parts(z)))

    return signed


asin = _odd(lax.asin)
asinh = _odd(lax.asinh)


def acos(z: jax.Array) -> jax.Array:
    x, y = _parts(lax.acos(z))
    return lax.complex(x, _copysign(y, lax.neg(lax.imag(z))))


def acosh(z: jax.Array) -> jax.Array:
    x, y = _parts(lax.acosh(z))
    return lax.complex(x, _copysign(y, lax.imag(z)))


@_odd
def atanh(z: jax.Array) -> jax.Array:
    """Near the poles at 1 and -1 from the distances to them."""
    x, y = _parts(z)
    size, found = lax.abs(x), lax.atanh(z)
    to_pole = _hypot(1 - size, y)
    from_pole = 0.5 * lax.log(_hypot(1 + size, y) / to_pole)
    return lax.complex(lax.select(to_pole < 0.25, from_pole, lax.real(found)), lax.imag(found))


def atan(z: jax.Array) -> jax.Array:
    return _over_i(atanh(_times_i(z)))


def log1p(z: jax.Array) -> jax.Array:
    x, y = _parts(z)
    found, distance = lax.log1p(z), _hypot(1 + x, y)
    return lax.complex(
        lax.select(distance < 0.25, lax.log(distance), lax.real(found)), lax.imag(found)
    )


# ----- Hyperbolic and trigonometric functions: by those of the real parts


def _growing(f: Formula, x: jax.Array, factor: jax.Array) -> jax.Array:
    """f(x) factor for f = sinh or cosh, also where f(x) alone overflows."""
    is_large = lax.abs(x) > np.log(np.finfo(x.dtype).max) - 1
    half = lax.exp(0.5 * lax.abs(x))
    scaled = 0.5 * half * factor * half
    if f is lax.sinh:
        scaled = lax.select(x < 0, lax.neg(scaled), scaled)
    return lax.select(is_large, scaled, f(x) * factor)


def sinh(z: jax.Array) -> jax.Array:
    x, y = _parts(z)
    imag = lax.select(y == 0, y, _growing(lax.cosh, x, lax.sin(y)))
    return lax.complex(_growing(lax.sinh, x, lax.cos(y)), imag)


def cosh(z: jax.Array) -> jax.Array:
    x, y = _parts(z)
    imag = lax.select(y == 0, _copysign(y, x * y), _growing(lax.sinh, x, lax.sin(y)))
    return lax.complex(_growing(lax.cosh, x, lax.cos(y)), imag)


def sin(z: jax.Array) -> jax.Array:
    return _over_i(sinh(_times_i(z)))


def cos(z: jax.Array) -> jax.Array:
    return cosh(_times_i(z))


def tanh(z: jax.Array) -> jax.Array:
    """Kahan's formula; far from the imaginary axis its limit."""
    x, y = _parts(z)
    is_far = lax.abs(x) > 20
    near = lax.select(is_far, lax.full_like(x, 0), x)
    t, s = lax.tan(y), lax.sinh(near)
    b = 1 + t * t
    denominator = 1 + b * s * s
    real = b * lax.sqrt(1 + s * s) * s / denominator
    decay = 4 * lax.exp(-2 * lax.abs(x)) * lax.sin(y) * lax.cos(y)
    return lax.complex(
        lax.select(is_far, _copysign(lax.full_like(x, 1), x), real),
        lax.select(is_far, decay, t / denominator),
    )


def tan(z: jax.Array) -> jax.Array:
    return _over_i(tanh(_times_i(z)))


# ----- Exponentials, powers


def expm1(z: jax.Array) -> jax.Array:
    x, y = _parts(z)
    half = lax.sin(0.5 * y)
    real = lax.expm1(x) * lax.cos(y) - 2 * half * half
    return lax.complex(real, lax.imag(lax.exp(z)))


def power(z: jax.Array, exponent: jax.Array) -> jax.Array:
    """0 to a power: 1, 0 or NaN, by the real part of the exponent."""
    at_zero = lax.select(
        lax.real(exponent) > 0, lax.full_like(z, 0), lax.full_like(z, complex(np.nan, np.nan))
    )
    at_zero = lax.select(exponent == 0, lax.full_like(z, 1), at_zero)
    return lax.select(z == 0, at_zero, lax.pow(z, exponent))
