"""Sample inputs of special functions, of patterns of bits, and of random numbers."""

from __future__ import annotations

import itertools

import numpy as np

from myia.primitives import random as r
from myia.primitives.pointwise import bits as b
from myia.primitives.special import exponential_integrals as i
from myia.primitives.special import gamma_bessel as f
from myia.primitives.special import hypergeometric as h
from myia.primitives.special import normal as n
from tests.primitives.case import INTS, MODERATE, POSITIVE, REALS, UNIT, WIDE, Case, case, pointwise

FRACTION = (0.05, 0.95)


def refusing(primitive, *ranges: tuple[float, float], held: int) -> list[Case]:
    """Cases of a function whose derivative in operand `held` is refused, so that it is constant."""
    plain = pointwise(primitive, REALS, *ranges, special=False)
    return [Case(c.primitive, c.inputs, c.params, held=(held,)) for c in plain]


def vectors(cases: list[Case]) -> list[Case]:
    """The cases of one shape, of functions whose every case takes XLA long to compile."""
    return [c for c in cases if c.inputs[-1].shape == (3,)]


def once(cases: list[Case], order: int = 1) -> list[Case]:
    """Cases that have derivatives up to `order` only."""
    return [Case(c.primitive, c.inputs, c.params, c.special, c.held, order) for c in cases]


def beta_integrals(orders: tuple[int, int]) -> list[Case]:
    ranges = POSITIVE, POSITIVE, FRACTION
    return pointwise(f.beta_integral, REALS, *ranges, special=False, orders=orders)


def keyed(primitive, impl: str, batch, /, *more, **params) -> list[Case]:
    """A case on an array of keys. Its samples move as JAX says, not as a sampler's steps do."""
    words = np.random.default_rng(0).integers(0, 2**32, (*batch, r.KEY_SIZES[impl]), np.uint32)
    return once(case(primitive, words, *more, dtypes="f8", impl=impl, **params), order=0)


U32_VECTOR = np.arange(3, dtype=np.uint32)
TABLE = [
    # ----- Special functions
    pointwise(f.erf, REALS, WIDE),
    pointwise(f.erfc, REALS, WIDE),
    pointwise(f.erf_inv, REALS, UNIT),
    pointwise(f.lgamma, REALS, POSITIVE, special=False),
    pointwise(f.digamma, REALS, POSITIVE, special=False),
    refusing(f.polygamma, (2.0, 2.0), POSITIVE, held=0),
    refusing(f.zeta, (1.5, 6.0), POSITIVE, held=0),
    vectors(once(pointwise(f.igamma, REALS, POSITIVE, POSITIVE, special=False))),
    vectors(refusing(f.igamma, POSITIVE, POSITIVE, held=0)),
    vectors(once(pointwise(f.igammac, REALS, POSITIVE, POSITIVE, special=False))),
    vectors(refusing(f.igammac, POSITIVE, POSITIVE, held=0)),
    vectors(once(pointwise(f.igamma_grad_a, REALS, POSITIVE, POSITIVE, special=False))),
    vectors(refusing(f.gamma_second, POSITIVE, POSITIVE, held=0)),
    vectors(once(pointwise(f.random_gamma_grad, REALS, MODERATE, MODERATE, special=False))),
    vectors(once(pointwise(f.gamma_sample, REALS, POSITIVE, POSITIVE, special=False), order=0)),
    pointwise(f.betainc, REALS, POSITIVE, POSITIVE, FRACTION, special=False),
    vectors(once(beta_integrals((1, 0)))),
    vectors(once(beta_integrals((0, 1)))),
    *(
        vectors(
            [Case(c.primitive, c.inputs, c.params, held=(0, 1)) for c in beta_integrals(orders)]
        )
        for orders in ((2, 0), (1, 1), (0, 2))
    ),
    vectors(
        once(pointwise(f.beta_sample, REALS, POSITIVE, POSITIVE, FRACTION, special=False), order=0)
    ),
    pointwise(f.bessel_i0e, REALS, WIDE),
    pointwise(f.bessel_i1e, REALS, WIDE),
    vectors(pointwise(n.ndtri, REALS, FRACTION, special=False)),
    vectors(pointwise(n.log_ndtr, REALS, (-30.0, 4.0), special=False)),
    vectors(pointwise(i.erfc_inv, REALS, (0.1, 1.9), special=False)),
    vectors(pointwise(i.expi, "f8", (-4.0, 0.3), special=False)),
    vectors(pointwise(i.exp1, REALS, POSITIVE, special=False)),
    [
        Case(i.expn, (np.array(n), np.array(x)), held=(0,))
        for n, x in (
            ([1.0, 2, 5, 0, -1, -2], [0.3, 1.0, 0.7, 2.0, 1.5, 0.4]),
            ([1.0, 2, 40, 7], [1.2, 5.0, 3.0, 30.0]),
        )
    ],
    vectors(pointwise(i.spence, REALS, POSITIVE, special=False)),
    vectors(pointwise(h.series_1f1, REALS, WIDE, POSITIVE, WIDE, special=False, orders=(0, 0, 0))),
    vectors(
        pointwise(h.series_2f0, "f8", WIDE, WIDE, (-0.01, 0.01), special=False, orders=(0,) * 3)
    ),
    vectors(
        pointwise(h.series_2f1, REALS, WIDE, WIDE, POSITIVE, UNIT, special=False, orders=(0,) * 4)
    ),
    # ----- Bits
    pointwise(b.population_count, f"{INTS} u8", WIDE),
    pointwise(b.clz, f"{INTS} u8", WIDE),
    pointwise(b.mulhi, "i4 u4", WIDE, WIDE),
    case(b.mulhi, np.array([2**62, -(2**63), -1]), np.array([12, 7, 2**62])),
    pointwise(b.nextafter, REALS, WIDE, WIDE),
    case(b.bitcast_p, (2, 3), dtypes="f8 i8", dtype=np.dtype("u8")),
    case(b.bitcast_p, (2, 3), dtypes="f8 i8", dtype=np.dtype("u4")),
    case(b.bitcast_p, (3, 2), dtypes="f4 i4", dtype=np.dtype("f8")),
    case(b.bitcast_p, (), dtypes="f4", dtype=np.dtype("u1")),
    pointwise(b.reduce_precision, "f8", WIDE, exponent_bits=11, mantissa_bits=52),
    once(pointwise(b.reduce_precision, REALS, WIDE, exponent_bits=5, mantissa_bits=10), order=0),
    once(pointwise(b.reduce_precision, REALS, WIDE, exponent_bits=2, mantissa_bits=0), order=0),
    # ----- Random numbers
    case(r.random_seed, np.array([0, -5, 2**40]), impl="threefry2x32"),
    case(r.random_seed, np.int32(-5), impl="rbg"),
    keyed(r.random_fold_in, "threefry2x32", (3,), U32_VECTOR),
    keyed(r.random_fold_in, "unsafe_rbg", (), np.uint32(7)),
    keyed(r.random_split, "threefry2x32", (2,), shape=(3,)),
    keyed(r.random_split, "rbg", (), shape=(2, 2)),
    *(
        keyed(r.random_bits, impl, shape, dtype=np.dtype(dtype), shape=(2, 3))
        for impl, shape, dtype in itertools.product(r.KEY_SIZES, ((), (2,)), ("u4", "u8"))
    ),
    keyed(r.random_gamma, "threefry2x32", (), np.array([0.3, 2.0]), log_space=False),
    keyed(r.random_gamma, "threefry2x32", (2,), np.array([0.3, 2.0]), log_space=True),
    case(r.threefry2x32, *[U32_VECTOR] * 4),
    case(
        r.rng_bit_generator,
        np.arange(4, dtype=np.uint32),
        shape=(3,),
        dtype=np.dtype("u4"),
        algorithm="RNG_THREE_FRY",
    ),
]
