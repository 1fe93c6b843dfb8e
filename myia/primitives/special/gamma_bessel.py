"""Special functions: error functions, gamma and beta functions, zeta, Bessel functions.

Formulas are from the Digital Library of Mathematical Functions, https://dlmf.nist.gov.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np
import scipy
from jax import lax

from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.ir.primitive import Formula
from myia.primitives.core.define import PointwisePrimitive, constant, pointwise
from myia.primitives.pointwise import arithmetic, logic
from myia.primitives.pointwise.transcendental import exp, log, log1p
from myia.primitives.special import parameter_integrals
from myia.primitives.special.parameter_integrals import OF_JAX, OF_NUMPY
from myia.source.diagnostics import Diagnostic, MyiaError


def real_function(
    name: str, lower: Formula, evaluate: Formula | str, *partials: Formula
) -> PointwisePrimitive:
    """A function of real numbers; `evaluate` may be its name in `scipy.special`.

    SciPy, which computes some of them in double precision only, is imported when one is evaluated.
    """

    def in_dtype(*xs: np.ndarray) -> np.ndarray:
        f = getattr(scipy.special, evaluate) if isinstance(evaluate, str) else evaluate
        return np.asarray(f(*xs)).astype(xs[0].dtype)

    return pointwise(name, lower, in_dtype, partials=partials, kinds="f")


class NoParameterDerivative(Diagnostic):
    title = "no derivative of {function} with respect to {operand} is known"
    label = "a derivative passes through {operand} here"
    help = "hold it constant, with `myia.stop_gradient`, where its derivative does not count"

    function: str
    operand: str


def undefined_partial(function: str, operand: str) -> Formula:
    """A partial derivative without a closed form here: an error when it is needed."""

    def partial(y: Value, *xs: Value) -> NoReturn:
        raise MyiaError(NoParameterDerivative(current_span(), function, operand))

    return partial


# ----- Error functions

_TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)

erf = real_function("erf", lax.erf, "erf", lambda y, x: _TWO_OVER_SQRT_PI * exp(-x * x))
erfc = real_function("erfc", lax.erfc, "erfc", lambda y, x: -_TWO_OVER_SQRT_PI * exp(-x * x))
erf_inv = real_function(
    "erf_inv",
    lax.erf_inv,
    "erfinv",
    lambda y, x: exp(y * y) / _TWO_OVER_SQRT_PI,
)

# ----- The gamma function: log|Γ|, ψ = (log Γ)', and the derivatives of ψ

lgamma = real_function("lgamma", lax.lgamma, "gammaln", lambda y, x: digamma(x))
digamma: PointwisePrimitive = real_function(
    "digamma", lax.digamma, "digamma", lambda y, x: polygamma(1, x)
)
# The m-th derivative of digamma.
polygamma: PointwisePrimitive = real_function(
    "polygamma",
    lax.polygamma,
    "polygamma",
    undefined_partial("polygamma", "its order"),
    lambda y, m, x: polygamma(m + 1, x),
)
# Hurwitz's zeta function, DLMF 25.11.17.
zeta: PointwisePrimitive = real_function(
    "zeta",
    lax.zeta,
    "zeta",
    undefined_partial("zeta", "its exponent"),
    lambda y, s, q: -s * zeta(s + 1, q),
)


def _power_logarithm(x: Value, y: Value) -> Value:
    """log x^y; at 0^0 it is 0, where y log x would be NaN."""
    both_zero = logic.and_(logic.eq(x, 0), logic.eq(y, 0))
    return y * log(logic.select(both_zero, 1, x))


def _power_logarithm1(x: Value, y: Value) -> Value:
    """log (1 - x)^y; 0 at 0^0."""
    both_zero = logic.and_(logic.eq(x, 1), logic.eq(y, 0))
    return y * log1p(logic.select(both_zero, 0, -x))


# ----- Incomplete gamma functions P(a, x) and Q = 1 - P


def gamma_density(a: Value, x: Value) -> Value:
    """dP/dx, DLMF 8.8.13: the density of the gamma distribution."""
    return exp(_power_logarithm(x, a - 1) - x - lgamma(a))


def _evaluate_igamma_grad_a(a: np.ndarray, x: np.ndarray) -> Any:
    """The derivative of DLMF 8.7.1, P = sum_k x^(a+k) e^-x / Γ(a+k+1), term by term."""
    wide = np.asarray(x, np.float64)
    largest = np.max(wide, initial=0, where=np.isfinite(wide))
    n = np.asarray(a, np.float64)[..., None] + np.arange(int(largest + 12 * largest**0.5 + 80))
    log_x = np.log(wide)[..., None]
    terms = np.exp(n * log_x - wide[..., None] - scipy.special.gammaln(n + 1))
    return np.sum(terms * (log_x - scipy.special.digamma(n + 1)), axis=-1)


igamma = real_function(
    "igamma",
    lax.igamma,
    "gammainc",
    lambda y, a, x: igamma_grad_a(a, x),
    lambda y, a, x: gamma_density(a, x),
)
igammac = real_function(
    "igammac",
    lax.igammac,
    "gammaincc",
    lambda y, a, x: -igamma_grad_a(a, x),
    lambda y, a, x: -gamma_density(a, x),
)
igamma_grad_a: PointwisePrimitive = real_function(
    "igamma_grad_a",
    lax.igamma_grad_a,
    _evaluate_igamma_grad_a,
    lambda y, a, x: logic.select(logic.eq(x, 0), 0, gamma_density(a, x) * gamma_second(a, x)),
    lambda y, a, x: gamma_density(a, x) * (log(x) - digamma(a)),
)
# The second derivative of P in a, over the density.
gamma_second: PointwisePrimitive = real_function(
    "gamma_second",
    lambda a, x: parameter_integrals.gamma_second(OF_JAX, a, x),
    lambda a, x: parameter_integrals.gamma_second(OF_NUMPY, a, x),
    undefined_partial("the second derivative of the incomplete gamma function", "its parameter"),
    lambda y, a, x: (log(x) - digamma(a)) ** 2 - polygamma(1, a) - y * ((a - 1) / x - 1),
)


def _evaluate_random_gamma_grad(a: np.ndarray, x: np.ndarray) -> Any:
    density = np.exp((a - 1) * np.log(x) - x - scipy.special.gammaln(a))
    return -_evaluate_igamma_grad_a(a, x) / density


# The derivative of a sample x of the gamma distribution in its parameter a, at fixed P(a, x):
# dx/da = -(dP/da) / (dP/dx), implicit reparametrization (arXiv:1805.08498).
random_gamma_grad = real_function(
    "random_gamma_grad",
    lax.random_gamma_grad,
    _evaluate_random_gamma_grad,
    lambda y, a, x: -gamma_second(a, x) - y * (log(x) - digamma(a)),
    lambda y, a, x: digamma(a) - log(x) - y * ((a - 1) / x - 1),
)

# A sample x of the gamma distribution, drawn for the parameter a, as a function of a.
gamma_sample = real_function(
    "gamma_sample",
    lambda a, x: x,
    lambda a, x: x,
    lambda y, a, x: random_gamma_grad(a, y),
    lambda y, a, x: 1.0 + 0.0 * x,
)

# ----- The incomplete beta function I_x(a, b)


def _beta_density(a: Value, b: Value, x: Value) -> Value:
    """dI/dx, DLMF 8.17.1: the density of the beta distribution."""
    log_beta = lgamma(a) + lgamma(b) - lgamma(a + b)
    return exp(_power_logarithm1(x, b - 1) + _power_logarithm(x, a - 1) - log_beta)


betainc = real_function(
    "betainc",
    lax.betainc,
    "betainc",
    lambda y, a, b, x: _beta_density(a, b, x) * beta_integral(a, b, x, orders=(1, 0)),
    lambda y, a, b, x: _beta_density(a, b, x) * beta_integral(a, b, x, orders=(0, 1)),
    lambda y, a, b, x: _beta_density(a, b, x),
)


def _log_beta_density(orders: tuple[int, int], a: Value, b: Value, x: Value) -> Value:
    """The derivative of the logarithm of the density in a or b; of second orders, over it."""
    first = log(x) - digamma(a) + digamma(a + b)
    second = log1p(-x) - digamma(b) + digamma(a + b)
    match orders:
        case (1, 0):
            return first
        case (0, 1):
            return second
        case (1, 1):
            return first * second + polygamma(1, a + b)
        case (2, 0):
            return first * first - polygamma(1, a) + polygamma(1, a + b)
    return second * second - polygamma(1, b) + polygamma(1, a + b)


def _beta_integral_in(which: int) -> Formula:
    def partial(y: Value, a: Value, b: Value, x: Value, *, orders: tuple[int, int]) -> Value:
        if sum(orders) > 1:
            undefined_partial("the second derivative of betainc", "its parameters")(y)
        further = (orders[0] + (which == 0), orders[1] + (which == 1))
        moved = _log_beta_density((1, 0) if which == 0 else (0, 1), a, b, x)
        return beta_integral(a, b, x, orders=further) - y * moved

    return partial


def _beta_integral_in_x(
    y: Value, a: Value, b: Value, x: Value, *, orders: tuple[int, int]
) -> Value:
    return _log_beta_density(orders, a, b, x) - y * ((a - 1) / x - (b - 1) / (1 - x))


# The derivative of I_x(a, b) of these orders in a and b, over the density.
beta_integral: PointwisePrimitive = pointwise(
    "beta_integral",
    lambda a, b, x, orders: parameter_integrals.beta_integral(OF_JAX, a, b, x, orders),
    lambda a, b, x, orders: parameter_integrals.beta_integral(OF_NUMPY, a, b, x, orders),
    partials=[_beta_integral_in(0), _beta_integral_in(1), _beta_integral_in_x],
    kinds="f",
)

# A sample x of the beta distribution, drawn for the parameters a and b, as a function of them.
beta_sample = real_function(
    "beta_sample",
    lambda a, b, x: x,
    lambda a, b, x: x,
    lambda y, a, b, x: -beta_integral(a, b, y, orders=(1, 0)),
    lambda y, a, b, x: -beta_integral(a, b, y, orders=(0, 1)),
    lambda y, a, b, x: 1.0 + 0.0 * x,
)

# ----- Bessel functions, exponentially scaled: e^-|x| I_n(x)


def _i1e_over_x(y: Value, x: Value) -> Value:
    """I_1(x) e^-|x| / x, near 0 by its series (DLMF 10.25.2), so that derivatives are accurate."""
    near = logic.lt(arithmetic.abs(x), 0.5)
    small = logic.select(near, x, 0)
    quarter = small * small * 0.25
    series = constant(0, x.dtype, x.shape)
    for k in reversed(range(9)):
        series = series * quarter + 0.5 / (math.factorial(k) * math.factorial(k + 1))
    scaled = series * exp(-arithmetic.abs(small))
    return logic.select(near, scaled, y / logic.select(near, 1, x))


bessel_i0e = real_function(
    "bessel_i0e",
    lax.bessel_i0e,
    "i0e",
    lambda y, x: bessel_i1e(x) - arithmetic.sign(x) * y,
)
bessel_i1e: PointwisePrimitive = real_function(
    "bessel_i1e",
    lax.bessel_i1e,
    "i1e",
    lambda y, x: bessel_i0e(x) - arithmetic.sign(x) * y - _i1e_over_x(y, x),
)
