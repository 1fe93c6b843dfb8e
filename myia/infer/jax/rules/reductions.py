"""Translation of reductions: by a named operation, or by any associative function."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from myia.infer.jax.rules.elementwise import broadcast_to_shape
from myia.infer.jax.rules.shaping import as_ints, reshape_to, slice_axis
from myia.infer.jax.tracing.rules import translation_rule
from myia.infer.jax.tracing.scalar_jaxprs import translate_pointwise
from myia.infer.jax.tracing.translate import unsupported
from myia.ir.core import Value
from myia.primitives.arrays import reductions, shaping
from myia.primitives.pointwise import arithmetic, logic
from myia.primitives.pointwise.logic import convert

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
    @translation_rule(name)
    def rule(x: Value, *, axes: Any, out_sharding: Any = None) -> Value:
        return primitive(x, axes=as_ints(axes)) if axes else x


for _name, _primitive in _REDUCTIONS.items():
    _register(_name, _primitive)


@translation_rule("argmax")
def _argmax(x: Value, *, axes: Any, index_dtype: Any) -> Value:
    return convert(reductions.argmax(x, axis=int(axes[0])), dtype=index_dtype)


@translation_rule("argmin")
def _argmin(x: Value, *, axes: Any, index_dtype: Any) -> Value:
    return convert(reductions.argmin(x, axis=int(axes[0])), dtype=index_dtype)


# ----- Collectives: `jax.vmap` has turned their named axes into axes of the array


def _register_collective(name: str, primitive: Callable[..., Value]) -> None:
    @translation_rule(name)
    def rule(*xs: Value, axes: Any, axis_index_groups: Any = None) -> list[Value]:
        if axis_index_groups is not None or any(isinstance(axis, str) for axis in axes):
            raise unsupported(f"`{name}` over devices")
        return [primitive(x, axes=as_ints(axes)) for x in xs]


_register_collective("psum", reductions.reduce_sum)
_register_collective("pmax", reductions.reduce_max)
_register_collective("pmin", reductions.reduce_min)


# ----- Reductions by a function, which is associative

_BINARY_OPERATIONS = {
    "add": arithmetic.add,
    "mul": arithmetic.mul,
    "max": arithmetic.max,
    "min": arithmetic.min,
    "and": logic.and_,
    "or": logic.or_,
    "xor": logic.xor,
}
_REDUCTION_OF_OPERATION = {
    "add": "reduce_sum",
    "mul": "reduce_prod",
    **{name: f"reduce_{name}" for name in ("max", "min", "and", "or", "xor")},
}


@translation_rule("reduce")
def _reduce(
    *operands: Value, computation: Any, jaxpr: Any, dimensions: Any, **_: Any
) -> Sequence[Value]:
    xs, inits = operands[: len(operands) // 2], operands[len(operands) // 2 :]
    axes = as_ints(dimensions)
    operation = single_operation(jaxpr.jaxpr)
    if operation is not None:
        total = _REDUCTIONS[_REDUCTION_OF_OPERATION[operation]](xs[0], axes=axes)
        return [_BINARY_OPERATIONS[operation](total, broadcast_to_shape(inits[0], total.shape))]
    rows = [_reduced_axis_first(x, axes) for x in xs]
    kept = rows[0].shape[1:]
    starts = [broadcast_to_shape(init, kept) for init in inits]
    if 0 in rows[0].shape:
        return starts
    totals = _tree_reduce(rows, lambda *ys: translate_pointwise(jaxpr.jaxpr, jaxpr.consts, ys))
    return translate_pointwise(jaxpr.jaxpr, jaxpr.consts, (*starts, *totals))


def _reduced_axis_first(x: Value, axes: Sequence[int]) -> Value:
    """`x` with its reduced `axes` merged into one first axis."""
    kept = [axis for axis in range(x.aval.ndim) if axis not in axes]
    x = shaping.transpose(x, permutation=(*axes, *kept))
    return reshape_to(x, (math.prod(x.shape[: len(axes)]), *x.shape[len(axes) :]))


def _tree_reduce(rows: Sequence[Value], combine: Callable) -> list[Value]:
    """Reduce the rows by a tree: combine one half with the other until one row is left."""
    rows = list(rows)
    while (n := rows[0].shape[0]) > 1:
        half = n // 2
        first, second = ([slice_axis(x, 0, k, k + half) for x in rows] for k in (0, half))
        left_over = [slice_axis(x, 0, 2 * half, n) for x in rows]
        rows = combine(*first, *second)
        if n % 2:
            rows = [shaping.concatenate(x, y, axis=0) for x, y in zip(rows, left_over)]
    return [reshape_to(x, x.shape[1:]) for x in rows]


def single_operation(jaxpr: Any) -> str | None:
    """The name of the operation if `jaxpr` is one operation on its two arguments; else None."""
    if len(jaxpr.eqns) != 1 or len(jaxpr.invars) != 2:
        return None
    (eqn,) = jaxpr.eqns
    commuted = list(eqn.invars) in ([*jaxpr.invars], [*jaxpr.invars[::-1]])
    name = eqn.primitive.name
    return (
        name
        if commuted and list(jaxpr.outvars) == list(eqn.outvars) and name in _BINARY_OPERATIONS
        else None
    )
