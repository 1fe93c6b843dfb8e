"""Random bits and keys, by JAX's generators.

A key is an array of `uint32` with a last axis of `KEY_SIZES[impl]` elements. The generator `impl`
("threefry2x32", "rbg", "unsafe_rbg") is a parameter of each op. Evaluation runs JAX's functions, as
lowering does: JAX defines the numbers, so a second implementation would test nothing.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import lax
from jax.extend.random import threefry2x32_p

from myia.ir.avals import Aval, Shape
from myia.ir.core import Value
from myia.ir.primitive import NONDIFFERENTIABLE, Derivative, Formula, Partials
from myia.primitives.core.define import CallablePrimitive, require, require_kind
from myia.primitives.pointwise.arithmetic import max
from myia.primitives.pointwise.transcendental import exp
from myia.primitives.special.gamma_bessel import random_gamma_grad

KEY_SIZES = {"threefry2x32": 2, "rbg": 4, "unsafe_rbg": 4}

U32 = np.dtype(np.uint32)


def _require_keys(name: str, keys: Aval, impl: str) -> tuple[int, ...]:
    """The shape of an array of keys."""
    size = KEY_SIZES[impl]
    good = keys.dtype == U32 and keys.ndim > 0 and keys.shape[-1] == size
    require(good, f"{name}: {keys} are no keys of {impl}")
    return keys.shape[:-1]


def _eagerly(lower: Formula) -> Formula:
    def evaluate(*xs: jax.Array, **params: Any) -> Any:
        with jax.enable_x64(True):
            ys = lower(*xs, **params)
        return [np.asarray(y) for y in ys] if isinstance(ys, (tuple, list)) else np.asarray(ys)

    return evaluate


def _random(
    name: str, avals: Formula, lower: Formula, derivative: Derivative | None = NONDIFFERENTIABLE
) -> CallablePrimitive:
    return CallablePrimitive(
        name=name, avals=avals, lower=lower, evaluate=_eagerly(lower), derivative=derivative
    )


def _each(f: Formula, *operands: jax.Array) -> jax.Array:
    """`f` mapped over an array of keys and the other operands, as JAX does it."""
    for _ in range(operands[0].ndim):
        f = jax.vmap(f)
    return f(*operands)


# ----- Making keys


def _seed_avals(seeds: Aval, *, impl: str) -> tuple[Aval]:
    require_kind("random_seed", seeds, "iu")
    return (Aval(U32, (*seeds.shape, KEY_SIZES[impl])),)


def _fold_in_avals(keys: Aval, numbers: Aval, *, impl: str) -> tuple[Aval]:
    shape = _require_keys("random_fold_in", keys, impl)
    require(numbers == Aval(U32, shape), f"random_fold_in: {numbers} into {keys}")
    return (keys,)


def _split_avals(keys: Aval, *, impl: str, shape: tuple[int, ...]) -> tuple[Aval]:
    batch = _require_keys("random_split", keys, impl)
    return (Aval(U32, (*batch, *shape, KEY_SIZES[impl])),)


def _lower_seed(seeds: jax.Array, *, impl: str) -> jax.Array:
    return jax.random.key_data(_each(lambda seed: jax.random.key(seed, impl=impl), seeds))


def _lower_fold_in(keys: jax.Array, numbers: jax.Array, *, impl: str) -> jax.Array:
    keys = jax.random.wrap_key_data(keys, impl=impl)
    return jax.random.key_data(_each(jax.random.fold_in, keys, numbers))


def _lower_split(keys: jax.Array, *, impl: str, shape: Shape) -> jax.Array:
    keys = jax.random.wrap_key_data(keys, impl=impl)
    return jax.random.key_data(_each(lambda key: jax.random.split(key, shape), keys))


random_seed = _random("random_seed", _seed_avals, _lower_seed)
random_fold_in = _random("random_fold_in", _fold_in_avals, _lower_fold_in)
random_split = _random("random_split", _split_avals, _lower_split)

# ----- Bits


def _bits_avals(keys: Aval, *, impl: str, dtype: np.dtype, shape: tuple[int, ...]) -> tuple[Aval]:
    require(dtype.kind == "u", f"random_bits: {dtype}")
    return (Aval(dtype, (*_require_keys("random_bits", keys, impl), *shape)),)


def _lower_bits(keys: jax.Array, *, impl: str, dtype: np.dtype, shape: Shape) -> jax.Array:
    keys = jax.random.wrap_key_data(keys, impl=impl)
    return _each(lambda key: jax.random.bits(key, shape, dtype), keys)


random_bits = _random("random_bits", _bits_avals, _lower_bits)

# ----- Samples of the gamma distribution: JAX's rejection sampling, for equal bits


def _gamma_avals(keys: Aval, a: Aval, *, impl: str, log_space: bool) -> tuple[Aval]:
    batch = _require_keys("random_gamma", keys, impl)
    require_kind("random_gamma", a, "f")
    require(a.shape[: len(batch)] == batch, f"random_gamma: {keys} for parameters {a}")
    return (a,)


def _lower_gamma(keys: jax.Array, a: jax.Array, *, impl: str, log_space: bool) -> jax.Array:
    keys = jax.random.wrap_key_data(keys, impl=impl)
    return jax.random.random_gamma_p.bind(keys, a, log_space=log_space)


def _gamma_partial(y: Value, keys: Value, a: Value, *, impl: str, log_space: bool) -> Value:
    """d sample / da; in log space divided by the sample, which may underflow."""
    if not log_space:
        return random_gamma_grad(a, y)
    sample = max(exp(y), float(np.finfo(y.dtype).tiny))
    return random_gamma_grad(a, sample) / sample


random_gamma = _random("random_gamma", _gamma_avals, _lower_gamma, Partials((None, _gamma_partial)))

# ----- The generators themselves


def _threefry_avals(*operands: Aval) -> tuple[Aval, ...]:
    alike = len(operands) == 4 and len(set(operands)) == 1 and operands[0].dtype == U32
    require(alike, "threefry2x32: two key words and two counts")
    return operands[:2]


def _lower_threefry(*operands: jax.Array) -> Any:
    return tuple(threefry2x32_p.bind(*operands))


def _generator_avals(
    key: Aval, *, shape: Shape, dtype: np.dtype, algorithm: str
) -> tuple[Aval, ...]:
    require(key.dtype.kind == "u" and key.ndim == 1, f"rng_bit_generator: a key of {key}")
    return (key, Aval(dtype, shape))


def _lower_generator(key: jax.Array, *, shape: Shape, dtype: np.dtype, algorithm: str) -> Any:
    return tuple(lax.rng_bit_generator(key, shape, dtype, lax.RandomAlgorithm[algorithm]))


threefry2x32 = _random("threefry2x32", _threefry_avals, _lower_threefry)
# The next key, and bits; `algorithm` is a name of `lax.RandomAlgorithm`.
rng_bit_generator = _random("rng_bit_generator", _generator_avals, _lower_generator)
