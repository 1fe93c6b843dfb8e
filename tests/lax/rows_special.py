"""Rows of the sampled table: special functions, and random numbers of given keys."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
import jax.random as random
from jax import lax

from tests.lax.sampled_case import pointwise, row, whole, within

WIDE, UNIT, POSITIVE, FRACTION = (-2.0, 2.0), (-0.9, 0.9), (0.5, 3.0), (0.1, 0.9)
VECTOR = within(*POSITIVE, (2, 3))

FUNCTIONS = [
    *pointwise("erf", lax.erf, WIDE),
    *pointwise("erfc", lax.erfc, WIDE),
    *pointwise("erf_inv", lax.erf_inv, UNIT),
    *pointwise("lgamma", lax.lgamma, POSITIVE),
    *pointwise("digamma", lax.digamma, POSITIVE),
    *pointwise("polygamma", lambda x: lax.polygamma(jnp.full_like(x, 2), x), POSITIVE),
    *pointwise("bessel_i0e", lax.bessel_i0e, WIDE),
    *pointwise("bessel_i1e", lax.bessel_i1e, POSITIVE),
    *row("igamma", lax.igamma, VECTOR, VECTOR, order=1),
    *row("igamma", lambda x: lax.igamma(jnp.full_like(x, 1.3), x), VECTOR),
    *row("igammac", lax.igammac, VECTOR, VECTOR, order=1),
    *row("igammac", lambda x: lax.igammac(jnp.full_like(x, 1.3), x), VECTOR),
    *row(
        "regularized_incomplete_beta",
        lambda x: lax.betainc(jnp.full_like(x, 1.3), jnp.full_like(x, 0.7), x),
        within(*FRACTION, (2, 3)),
    ),
]


def keyed(f: Callable) -> Callable:
    """A function of a key, as one of the two words that a key consists of."""
    return lambda words, *xs: f(random.wrap_key_data(words.astype(jnp.uint32)), *xs)


WORDS = whole(0, 2**31, (2,), "u4")
X = (2, 3)

RANDOM = [
    *row("random_wrap", keyed(lambda key, x: x * random.uniform(key, dtype=x.dtype)), WORDS, X),
    *row(
        "random_bits",
        keyed(lambda key, x: x * (random.bits(key, x.shape) % 7).astype(x.dtype)),
        WORDS,
        X,
    ),
    *row(
        "random_split",
        keyed(lambda key, x: x * random.normal(random.split(key)[1], dtype=x.dtype)),
        WORDS,
        X,
    ),
    *row(
        "random_fold_in",
        keyed(lambda key, x: x * random.normal(random.fold_in(key, 3), dtype=x.dtype)),
        WORDS,
        X,
    ),
    *row(
        "random_seed",
        lambda n, x: x * random.normal(random.key(n), dtype=x.dtype),
        whole(0, 100, ()),
        X,
    ),
    *row(
        "random_unwrap",
        keyed(lambda key, x: x * (random.key_data(key)[0] % 5).astype(x.dtype)),
        WORDS,
        X,
    ),
    *row(
        "random_gamma",
        keyed(random.gamma),
        WORDS,
        within(0.5, 3, (2,)),
        dtypes=("f8",),
        batched=False,
        order=1,
    ),
]

TABLE = [*FUNCTIONS, *RANDOM]
