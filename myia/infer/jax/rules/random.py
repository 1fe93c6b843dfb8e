"""Translation of primitives that make random keys or draw from them.

`tracing/random_keys.py` passes `impl`, the name of the generator.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.infer.jax.rules.elementwise import broadcast_to_shape
from myia.infer.jax.tracing.rules import same_primitive, translation_rule
from myia.ir.builder import emit
from myia.ir.core import Value
from myia.primitives import random
from myia.primitives.arrays.shaping import reshape

# In our IR a key is its words, so these are identities.
for _name in ("random_wrap", "random_unwrap", "random_clone"):

    @translation_rule(_name)
    def _same_words(words: Value, *, impl: str) -> Value:
        return words


translation_rule("random_seed")(random.random_seed)
translation_rule("random_gamma")(random.random_gamma)
same_primitive("random_split", random.random_split, impl="impl", shape="shape")


@translation_rule("random_fold_in")
def _fold_in(keys: Value, numbers: Value, *, impl: str) -> Value:
    """One key goes with many numbers, and many keys with one number."""
    *batch, size = keys.shape
    rank = max(len(batch), numbers.aval.ndim)
    keys = reshape(keys, shape=(1,) * (rank - len(batch)) + keys.shape)
    numbers = reshape(numbers, shape=(1,) * (rank - numbers.aval.ndim) + numbers.shape)
    shape = np.broadcast_shapes(keys.shape[:-1], numbers.shape)
    return random.random_fold_in(
        broadcast_to_shape(keys, (*shape, size)), broadcast_to_shape(numbers, shape), impl=impl
    )


@translation_rule("random_bits")
def _bits(keys: Value, *, impl: str, bit_width: int, shape: Any) -> Value:
    dtype = np.dtype(f"u{bit_width // 8}")
    return random.random_bits(keys, impl=impl, dtype=dtype, shape=tuple(shape))


@translation_rule("threefry2x32")
def _threefry(*words: Value) -> tuple[Value, ...]:
    shape = np.broadcast_shapes(*(x.shape for x in words))
    return emit(random.threefry2x32, *(broadcast_to_shape(x, shape) for x in words))


@translation_rule("rng_bit_generator")
def _generator(
    key: Value, *, shape: Any, dtype: Any, algorithm: Any, out_sharding: Any = None
) -> tuple[Value, ...]:
    return emit(
        random.rng_bit_generator,
        key,
        shape=tuple(shape),
        dtype=np.dtype(dtype),
        algorithm=algorithm.name,
    )
