"""`jax.random`, translated: the same bits as JAX's in the same mode, and derivatives as JAX's."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.random as random
import numpy as np
import pytest

from myia.backends.xla.executable import compile_function
from myia.infer.jax.tracing.trace import trace_in_user_mode
from myia.infer.jax.tracing.translate import translate
from myia.ir.avals import aval_of
from myia.ir.builder import build_region
from myia.ir.core import Function
from myia.pipeline import lowered
from myia.primitives.random import KEY_SIZES
from myia.source.diagnostics import MyiaError
from tests.infer.jax.jax_cases import P, U, W
from tests.infer.jax.jax_oracle import arrays_of, check, ours

GENERATORS = list(KEY_SIZES)


def key_words(impl: str = "threefry2x32") -> np.ndarray:
    return np.asarray(random.key_data(random.key(-7, impl=impl)))


def of_words(f, impl: str = "threefry2x32"):
    """A function of a key, as one of the words of the key."""
    return lambda words, *args: f(random.wrap_key_data(words, impl=impl), *args)


# ----- Samples are JAX's, bit by bit

SAMPLERS = {
    "bits": (lambda k: random.bits(k, (3,)),),
    "uniform": (lambda k, a, b: random.uniform(k, (3,), minval=a, maxval=b), U, W),
    "normal": (lambda k: random.normal(k, (3,)),),
    "bernoulli": (random.bernoulli, U),
    "categorical": (random.categorical, U),
    "choice": (lambda k, x: random.choice(k, x, (2,)), U),
    "choice_by_weight": (lambda k, x, p: random.choice(k, x, (2,), p=p), U, P),
    "choice_at_most_once": (lambda k, x: random.choice(k, x, (2,), replace=False), U),
    "permutation": (random.permutation, W),
    "permutation_of_range": (lambda k: random.permutation(k, 5),),
    "randint": (lambda k: random.randint(k, (4,), 0, 9),),
    "exponential": (lambda k: random.exponential(k, (3,)),),
    "truncated_normal": (random.truncated_normal, -U, W),
    "gumbel": (lambda k: random.gumbel(k, (3,)),),
    "laplace": (lambda k: random.laplace(k, (3,)),),
    "cauchy": (lambda k: random.cauchy(k, (3,)),),
    "logistic": (lambda k: random.logistic(k, (3,)),),
    "geometric": (random.geometric, U),
    "rademacher": (lambda k: random.rademacher(k, (3,)),),
    "rayleigh": (random.rayleigh, W),
    "triangular": (random.triangular, U, U + 0.2, U + W),
    "weibull_min": (random.weibull_min, W, W + U),
    "pareto": (random.pareto, W),
}
SLOW_SAMPLERS = {
    "gamma": (random.gamma, W),
    "loggamma": (random.loggamma, W),
    "poisson": (random.poisson, 5 * W),
    "binomial": (lambda k, p: random.binomial(k, 10.0, p), U),
    "multivariate_normal": (random.multivariate_normal, U[:2], np.eye(2) + 0.1),
}
KEYS = {
    "split": (lambda k: random.key_data(random.split(k, 3)),),
    "fold_in": (lambda k: random.key_data(random.fold_in(k, 5)),),
    "fold_in_negative": (lambda k, n: random.uniform(random.fold_in(k, n)), np.int32(-3)),
    "index": (lambda k, n: random.key_data(random.split(k, 4)[n]), np.int32(2)),
    "parts": (lambda k: [random.uniform(part) for part in random.split(k)],),
    "where": (lambda k, x: random.uniform(jnp.where(x > 0.5, k, random.split(k)[0])), U[1]),
    "clone": (lambda k: random.uniform(random.clone(k)),),
    "of_seed": (lambda k, n: random.uniform(random.key(n)), np.int32(-11)),
    "of_constant": (lambda k: random.uniform(random.key(11)),),
    "old_style": (lambda k: random.uniform(random.PRNGKey(11)),),
    "mapped": (
        lambda k, x: jax.vmap(lambda s, x: x * random.uniform(s, (2,)))(random.split(k, 3), x),
        U,
    ),
    "mapped_numbers": (
        lambda k, n: jax.vmap(lambda i: random.uniform(random.fold_in(k, i)))(n),
        np.arange(3, dtype=np.int32),
    ),
    "scanned": (
        lambda k, x: jax.lax.scan(lambda c, s: (c * random.uniform(s), c), x, random.split(k, 4)),
        U,
    ),
    "carried": (
        lambda k, x: jax.lax.fori_loop(
            0, 4, lambda i, c: (random.split(c[0])[0], c[1] + random.uniform(c[0])), (k, x)
        )[1],
        U,
    ),
    "moved": (
        lambda k: random.key_data(
            jnp.concatenate([random.split(k, 2), random.split(k, 3)])[::2].reshape(3, 1)
        ),
    ),
}


def check_samples(cases: dict[str, tuple], impl: str, wide: bool) -> None:
    """All cases in one executable of ours and one of JAX's, traced in the given mode."""
    cases = {name: (of_words(f, impl), *args) for name, (f, *args) in cases.items()}
    counts = {name: len(args) for name, (_, *args) in cases.items()}
    words = key_words(impl)

    def everything(words, *args):
        rest, results = iter(args), []
        for name, (f, *_) in cases.items():
            results.append(arrays_of(f)(words, *(next(rest) for _ in range(counts[name]))))
        return results

    with jax.enable_x64(wide):
        # Copies: of an array that JAX met in the other mode it remembers the dtype.
        args = [np.asarray(jnp.asarray(np.copy(x))) for _, *args in cases.values() for x in args]
        wanted = jax.tree.map(np.asarray, jax.jit(everything)(words, *args))
        avals = [aval_of(x) for x in (words, *args)]
        closed = trace_in_user_mode(lambda *xs: jax.tree.leaves(everything(*xs)), avals)
    region = build_region(avals, lambda *xs: translate(closed, xs))
    got = iter(compile_function(lowered(Function("f", region)))(words, *args))
    for name, results in zip(cases, wanted):
        for y in results:
            np.testing.assert_array_equal(np.asarray(next(got)), y, err_msg=name, strict=True)


@pytest.mark.parametrize("wide", [False, True], ids=["32 bits", "64 bits"])
def test_samples(wide):
    check_samples(SAMPLERS, "threefry2x32", wide)


@pytest.mark.parametrize("impl", ["rbg", "unsafe_rbg"])
def test_samples_of_other_generators(impl):
    few = {name: SAMPLERS[name] for name in ("bits", "uniform", "normal", "randint")}
    check_samples(few | KEYS, impl, wide=True)


def test_samples_by_rejection_and_by_products():
    check_samples(SLOW_SAMPLERS, "threefry2x32", wide=True)


@pytest.mark.parametrize("wide", [False, True], ids=["32 bits", "64 bits"])
def test_keys(wide):
    check_samples(KEYS, "threefry2x32", wide)


# ----- Derivatives of samples

MOVING = {
    "location_and_scale": (lambda k, m, s: m + s * random.normal(k, (3,)), U, W),
    "uniform": SAMPLERS["uniform"],
    "truncated_normal": SAMPLERS["truncated_normal"],
    "permutation": SAMPLERS["permutation"],
    "triangular": SAMPLERS["triangular"],
    "weibull_min": SAMPLERS["weibull_min"],
    "pareto": SAMPLERS["pareto"],
    "gamma": (random.gamma, W),
    "loggamma": (random.loggamma, W),
    "mapped": KEYS["mapped"],
    "scanned": KEYS["scanned"],
}


def test_samples_move_as_in_jax():
    cases = {n: (of_words(f), key_words(), *args) for n, (f, *args) in MOVING.items()}
    check(cases, order=1, rtol=1e-8)


# ----- Words

WORDS = {
    "threefry": lambda k: jax.extend.random.threefry_2x32(k, np.arange(6, dtype=np.uint32)),
    "generator": lambda k: jax.lax.rng_bit_generator(jnp.tile(k, 2), (3,), "uint32"),
}


@pytest.mark.parametrize("name", WORDS)
def test_generators_of_words(name):
    words = key_words()
    with jax.enable_x64(True):
        expected = arrays_of(WORDS[name])(words)
    for x, y in zip(ours(WORDS[name], [words], 0), expected, strict=True):
        np.testing.assert_array_equal(x, y)


def test_a_generator_with_hidden_state_is_refused():
    with pytest.raises(MyiaError, match="the JAX operation `rng_uniform` is not supported"):
        ours(lambda a, b: jax.lax.rng_uniform(a, b, (3,)), [np.array(0.0), np.array(1.0)], 0)
