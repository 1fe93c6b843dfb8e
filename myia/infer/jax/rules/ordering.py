"""Translation of sorting, of the k largest elements, and of cumulative operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from myia.infer.jax.tracing.rules import same_primitive, translation_rule
from myia.infer.jax.tracing.translate import unsupported
from myia.ir.builder import emit
from myia.ir.core import Value
from myia.primitives.arrays import cumulative, sorting
from myia.primitives.pointwise.logic import convert

same_primitive("sort", sorting.sort_p, axis="dimension", keys="num_keys")


@translation_rule("top_k")
def _top_k(x: Value, *, k: Any, axis: Any, is_stable: bool = True) -> Sequence[Value]:
    """Ours is always stable; since JAX 0.11 it need not be."""
    y, indices = emit(sorting.top_k_p, x, k=k, axis=axis)
    return y, convert(indices, dtype=np.dtype(np.int32))


@translation_rule("approx_top_k")
def _approx_top_k(
    x: Value, *, k: Any, reduction_dimension: Any, is_max_k: Any, aggregate_to_topk: Any, **_: Any
) -> Sequence[Value]:
    """The exact `k` largest (smallest) elements, which satisfy any requested recall."""
    if not aggregate_to_topk:
        raise unsupported("`approx_max_k` with `aggregate_to_topk=False`")
    axis = reduction_dimension % x.aval.ndim
    y, indices = _top_k(x if is_max_k else -x, k=k, axis=axis)
    return (y if is_max_k else -y), indices


for _name, _primitive in {
    "cumsum": cumulative.cumsum,
    "cumprod": cumulative.cumprod,
    "cumlogsumexp": cumulative.cumlogsumexp,
    "cummax": sorting.cummax,
    "cummin": sorting.cummin,
}.items():
    translation_rule(_name)(_primitive)
