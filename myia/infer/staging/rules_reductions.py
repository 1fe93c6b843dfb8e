"""Reductions and products of tensors in jaxprs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from myia.infer.staging.jaxprs import refuse
from myia.infer.staging.registry import translates
from myia.infer.staging.rules_elementwise import spread
from myia.infer.staging.rules_shaping import ints
from myia.ir.core import Value
from myia.primitives import arithmetic, linalg, logic, reductions
from myia.primitives.logic import convert

_REDUCTIONS = {
    "reduce_sum": reductions.reduce_sum,
    "reduce_prod": reductions.reduce_prod,
    "reduce_max": reductions.reduce_max,
    "reduce_min": reductions.reduce_min,
    "reduce_and": reductions.reduce_and,
    "reduce_or": reductions.reduce_or,
    "reduce_xor": reductions.reduce_xor,
}


def _register(name: str, primitive: Callable[..., Value]) -> None:
    @translates(name)
    def rule(x: Value, *, axes, out_sharding=None) -> Value:
        return primitive(x, axes=ints(axes)) if axes else x


for _name, _primitive in _REDUCTIONS.items():
    _register(_name, _primitive)


@translates("argmax")
def _argmax(x: Value, *, axes, index_dtype) -> Value:
    return convert(reductions.argmax(x, axis=int(axes[0])), dtype=index_dtype)


@translates("argmin")
def _argmin(x: Value, *, axes, index_dtype) -> Value:
    return convert(reductions.argmin(x, axis=int(axes[0])), dtype=index_dtype)


# ----- Reductions by a function: those that are one of the above

_COMBINING = {
    "add": arithmetic.add,
    "mul": arithmetic.mul,
    "max": arithmetic.max,
    "min": arithmetic.min,
    "and": logic.and_,
    "or": logic.or_,
    "xor": logic.xor,
}
_OF_COMBINING = {
    "add": "reduce_sum",
    "mul": "reduce_prod",
    **{name: f"reduce_{name}" for name in ("max", "min", "and", "or", "xor")},
}


@translates("reduce")
def _reduce(x: Value, *inits: Value, computation, jaxpr, dimensions, **_) -> Value:
    operation = combining(jaxpr.jaxpr)
    if operation is None or len(inits) != 1:
        raise refuse("a reduction by this function", "it is none of +, *, max, min, &, |, ^")
    total = _REDUCTIONS[_OF_COMBINING[operation]](x, axes=ints(dimensions))
    return _COMBINING[operation](total, spread(inits[0], total.shape))


def combining(jaxpr) -> str | None:
    """The name of the operation that is all that `jaxpr` does to its two arguments, if any."""
    if len(jaxpr.eqns) != 1 or len(jaxpr.invars) != 2:
        return None
    (eqn,) = jaxpr.eqns
    commuted = list(eqn.invars) in ([*jaxpr.invars], [*jaxpr.invars[::-1]])
    name = eqn.primitive.name
    return (
        name
        if commuted and list(jaxpr.outvars) == list(eqn.outvars) and name in _COMBINING
        else None
    )


# ----- Products


@translates("dot_general")
def _dot_general(
    x: Value,
    y: Value,
    *,
    dimension_numbers,
    precision=None,
    preferred_element_type=None,
    out_sharding=None,
) -> Value:
    """Computed in the wider of the operands' and the result's dtypes; bools count as 0 and 1."""
    result = np.dtype(preferred_element_type or np.promote_types(x.dtype, y.dtype))
    wide = np.result_type(x.dtype, y.dtype, result)
    if wide.kind == "b":
        wide = np.dtype(np.int32)
    contract, batch = (tuple(ints(axes) for axes in pair) for pair in dimension_numbers)
    product = linalg.dot_general(
        convert(x, dtype=wide), convert(y, dtype=wide), contract=contract, batch=batch
    )
    return convert(product, dtype=result)
