"""`jax.scipy.special`, `jax.scipy.stats` and `jax.nn`, translated, against JAX."""

from __future__ import annotations

import math

import jax
import jax.scipy.special as special
import jax.scipy.stats as stats
import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.avals import F64
from myia.ir.builder import build_region
from myia.ir.rewrite import inline
from myia.primitives.core.define import constant
from myia.primitives.pointwise import bits
from myia.source.diagnostics import MyiaError
from myia.transforms.vjp import vjp_region
from tests.infer.jax.jax_cases import (
    ACTIVATIONS,
    COMPLEX,
    DISTRIBUTIONS,
    ERROR_FUNCTIONS,
    GAMMA_FUNCTIONS,
    GUMBEL,
    INTEGRALS,
    LOGARITHMS,
    ONCE,
    SINGLE,
    STATISTICS,
    distribution,
)
from tests.infer.jax.jax_oracle import check, ours, staged_region
from tests.sampled_arrays import weights

FAMILIES = {
    "error functions": ERROR_FUNCTIONS,
    "gamma functions": GAMMA_FUNCTIONS,
    "logarithms": LOGARITHMS,
    "integrals": INTEGRALS,
    "statistics": STATISTICS,
    "activations": ACTIVATIONS,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_values_and_derivatives_to_second_order(family):
    check(FAMILIES[family], order=2)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions(name):
    check(distribution(name), order=2)


def test_values_and_first_derivatives():
    check(ONCE, order=1)


def test_rules_of_jax_that_fail_are_refused():
    check(GUMBEL, order=0)
    for f, *args in GUMBEL.values():
        with pytest.raises(MyiaError, match="the derivative rule of `xlog"):
            ours(f, args, 1)


def test_products_in_single_precision():
    check(SINGLE, order=1, rtol=1e-5)


def test_complex_numbers_by_jax_convention():
    """<a, b> = Re(a b), without conjugation: a gradient is u_x - i u_y."""
    check(COMPLEX, order=1)


def single(cases: dict[str, tuple]) -> dict[str, tuple]:
    def narrow(x):
        x = np.asarray(x)
        return x.astype(np.float32) if x.dtype == np.float64 else x

    return {name: (f, *map(narrow, args)) for name, (f, *args) in cases.items()}


@pytest.mark.parametrize("family", ["error functions", "gamma functions", "activations"])
def test_single_precision(family):
    check(single(FAMILIES[family]), order=1, rtol=3e-4)


# ----- Where derivatives are delicate


def derivatives(f, x: float, order: int) -> list[float]:
    """f and its derivatives at one point, by reverse mode of reverse mode."""
    region = staged_region(f, [np.asarray(x)])
    values = [evaluate(region, [x])[0]]
    for _ in range(order):
        pullback = vjp_region(region, [0], [0])
        region = build_region([F64], lambda x, pullback=pullback: _gradient(pullback, x))
        values.append(evaluate(region, [x])[0])
    return values


def _gradient(pullback, x):
    return inline(pullback, (x, constant(1, F64.dtype)))[1:]


def test_bessel_functions_are_smooth_at_zero():
    np.testing.assert_allclose(derivatives(special.i0, 0.0, 4), [1, 0, 1 / 2, 0, 3 / 8])
    np.testing.assert_allclose(derivatives(special.i1, 0.0, 4), [0, 1 / 2, 0, 3 / 8, 0])


def test_bessel_series_meets_the_quotient():
    below, above = (derivatives(special.i1e, x, 3) for x in (0.5 - 1e-9, 0.5 + 1e-9))
    np.testing.assert_allclose(below, above, rtol=1e-7)


def test_densities_at_the_ends_of_their_domain():
    a, x = np.array([1.0, 2.0]), np.array([0.0, 0.0])
    *_, slope = ours(lambda x: special.gammainc(a, x), [x], 1)
    assert slope == weights((2,), float, 0)[0] * weights((2,), float, 100)[0]
    one = np.array(1.0)
    assert derivatives(lambda x: special.betainc(one, one, x), 0.0, 1) == [0, 1]
    assert derivatives(lambda x: special.betainc(one, one, x), 1.0, 1) == [1, 1]


REFUSED = {
    "zeta": lambda x: jax.lax.zeta(x, x),
    "polygamma": lambda x: jax.lax.polygamma(x, x),
}


@pytest.mark.parametrize("name", REFUSED)
def test_derivatives_that_nobody_knows_are_refused(name):
    with pytest.raises(MyiaError, match=f"no derivative of {name} with respect to"):
        derivatives(REFUSED[name], 0.5, 1)


def test_the_third_derivative_in_the_parameter_of_a_gamma_distribution_is_refused():
    with pytest.raises(MyiaError, match="no derivative of the second derivative of the incomplete"):
        derivatives(lambda a: stats.gamma.cdf(1.5, a), 0.7, 3)


# ----- Bits


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
@pytest.mark.parametrize("compare", [jax.lax.le_to_p, jax.lax.lt_to_p, jax.lax.eq_to_p], ids=str)
def test_the_total_order_of_floats(compare, dtype):
    special_values = [-np.nan, -np.inf, -1.0, -0.0, 0.0, 1e-40, 1.0, np.inf, np.nan]
    values = np.array([-3, -1, 0, 2] if dtype == "i4" else special_values, dtype)
    x, y = np.repeat(values, len(values)), np.tile(values, len(values))
    with jax.enable_x64(True):
        expected = jax.jit(compare.bind)(x, y)
    np.testing.assert_array_equal(ours(compare.bind, [x, y], 0)[0], expected)


def test_reduced_precision_rounds_as_xla():
    tiny, large = np.float32(2.0**-14), np.float32(65504.0)
    x = np.array([1.0005, 1.00049, -1.0015, tiny, tiny / 2, large, 65519, 65520, np.inf, np.nan, 0])
    x = np.concatenate([x, -x]).astype(np.float32)
    for exponent_bits, mantissa_bits in ((5, 10), (8, 7), (4, 3), (8, 0)):
        params = dict(exponent_bits=exponent_bits, mantissa_bits=mantissa_bits)
        expected = jax.jit(lambda x, params=params: jax.lax.reduce_precision(x, **params))(x)
        np.testing.assert_array_equal(bits.reduce_precision.evaluate(x, **params), expected)


def test_the_neighbour_of_a_float_moves_with_it():
    f = lambda x: x * jax.numpy.nextafter(x, 5.0)  # noqa: E731
    assert derivatives(f, 3.0, 2) == pytest.approx([9, 6, 2])
    assert math.nextafter(3.0, 5.0) * 3.0 == derivatives(f, 3.0, 0)[0]
