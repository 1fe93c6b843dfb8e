"""Random keys in jaxprs: in our IR a key is an array of its words, along a last axis.

    key<fry>[3]  ->  u32[3,2]

Primitives that make keys or draw from them are told the name of the generator. Primitives that only
move keys do not know the axis of words, so their rule is applied to each word separately:

    a:key<fry>[] = squeeze b:key<fry>[1]
      ->  squeeze b[:, 0] and squeeze b[:, 1], stacked
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import jax
import numpy as np
from jax.extend.core import JaxprEqn

from myia.infer.unsupported import UnsupportedJax
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.primitives.arrays import shaping
from myia.primitives.random import KEY_SIZES
from myia.source.diagnostics import MyiaError

Rule = Callable[..., Value | Sequence[Value]]

STRUCTURAL_PRIMITIVES = {
    "broadcast_in_dim",
    "concatenate",
    "dynamic_slice",
    "dynamic_update_slice",
    "expand_dims",
    "gather",
    "reshape",
    "rev",
    "scatter",
    "select_n",
    "slice",
    "split",
    "squeeze",
    "stack",
    "tile",
    "transpose",
    "unstack",
}


def is_key(aval: Any) -> bool:
    dtype: Any = getattr(aval, "dtype", None)
    return jax.numpy.issubdtype(dtype, jax.dtypes.prng_key)


def rule_for_keys(rule: Rule, eqn: JaxprEqn) -> Rule:
    """`rule`, adapted to the random keys among the operands and results of `eqn`."""
    of_operands = [is_key(x.aval) for x in eqn.invars]
    avals: list[Any] = [x.aval for x in (*eqn.invars, *eqn.outvars)]
    keys = [aval.dtype for aval in avals if is_key(aval)]
    if keys and eqn.primitive.name in STRUCTURAL_PRIMITIVES:
        return partial(_apply_to_each_word, rule, of_operands)
    if keys and eqn.primitive.name.startswith("random_"):
        return lambda *operands, **params: rule(
            *operands, **{**params, "impl": _generator_name(keys[0])}
        )
    return rule


def _generator_name(dtype: np.dtype) -> str:
    """The name of the generator whose keys have this dtype."""
    if dtype not in _generators():
        raise MyiaError(UnsupportedJax(current_span(), f"the random generator of {dtype}"))
    return _generators()[dtype]


@cache
def _generators() -> dict:
    return {jax.random.key_dtype(name): name for name in KEY_SIZES}


def _apply_to_each_word(
    rule: Rule, are_keys: Sequence[bool], *operands: Value, **params: Any
) -> list[Value]:
    size = next(x.shape[-1] for x, keys in zip(operands, are_keys) if keys)
    results_by_word = []
    for word in range(size):
        parts = [_word(x, word) if keys else x for x, keys in zip(operands, are_keys)]
        results = rule(*parts, **params)
        results_by_word.append([results] if isinstance(results, Value) else results)
    return [_stack_words(words) for words in zip(*results_by_word)]


def _word(keys: Value, word: int) -> Value:
    *shape, _ = keys.shape
    start, limit = (0,) * len(shape) + (word,), (*shape, word + 1)
    part = shaping.slice(keys, start=start, limit=limit, stride=(1,) * len(start))
    return shaping.reshape(part, shape=tuple(shape))


def _stack_words(words: Sequence[Value]) -> Value:
    columns = [shaping.reshape(x, shape=(*x.shape, 1)) for x in words]
    return shaping.concatenate(*columns, axis=columns[0].aval.ndim - 1)
