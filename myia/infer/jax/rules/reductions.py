"""Translation of reductions: by a named operation, or by any associative function."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from myia.infer.domain.views import reshape
from myia.infer.jax.rules.elementwise import broadcast_to_shape
from myia.infer.jax.rules.shaping import slice_axis
from myia.infer.jax.tracing.rules import as_ints, translation_rule
from myia.infer.jax.tracing.translate import translate_pointwise, unsupported
from myia.ir.core import Value
from myia.primitives.arrays import reductions, shaping
from myia.primitives.core.define import CallablePrimitive
from myia.primitives.pointwise import arithmetic, logic
from myia.primitives.pointwise.logic import convert

# name: the operation, and the reduction by it
_OPERATIONS: dict[str, tuple[CallablePrimitive, CallablePrimitive]] = {
    "add": (arithmetic.add, reductions.reduce_sum),
    "mul": (arithmetic.mul, reductions.reduce_prod),
    "max": (arithmetic.max, reductions.reduce_max),
    "min": (arithmetic.min, reductions.reduce_min),
    "and": (logic.and_, reductions.reduce_and),
    "or": (logic.or_, reductions.reduce_or),
    "xor": (logic.xor, reductions.reduce_xor),
}
for _, _reduction in _OPERATIONS.values():

    @translation_rule(_reduction.name)
    def _reduce_named(
        x: Value,
        *,
        axes: Any,
        reduction: CallablePrimitive = _reduction,
        out_sharding: Any = None,
    ) -> Value:
        return reduction(x, axes=as_ints(axes)) if axes else x


for _position in (reductions.argmax, reductions.argmin):

    @translation_rule(_position.name)
    def _position_of_extremum(
        x: Value, *, axes: Any, index_dtype: Any, position: CallablePrimitive = _position
    ) -> Value:
        return convert(position(x, axis=int(axes[0])), dtype=index_dtype)


# ----- Collectives: `jax.vmap` has turned their named axes into axes of the array


for _name, _operation in {"psum": "add", "pmax": "max", "pmin": "min"}.items():

    @translation_rule(_name)
    def _collective(
        *xs: Value,
        axes: Any,
        name: str = _name,
        reduction: CallablePrimitive = _OPERATIONS[_operation][1],
        axis_index_groups: Any = None,
    ) -> list[Value]:
        if axis_index_groups is not None or any(isinstance(axis, str) for axis in axes):
            raise unsupported(f"`{name}` over devices")
        return [reduction(x, axes=as_ints(axes)) for x in xs]


# ----- Reductions by a function, which is associative


@translation_rule("reduce")
def _reduce(
    *operands: Value, computation: Any, jaxpr: Any, dimensions: Any, **_: Any
) -> Sequence[Value]:
    xs, inits = operands[: len(operands) // 2], operands[len(operands) // 2 :]
    axes = as_ints(dimensions)
    operation = single_operation(jaxpr.jaxpr)
    if operation is not None:
        combine, reduction = _OPERATIONS[operation]
        total = reduction(xs[0], axes=axes)
        return [combine(total, broadcast_to_shape(inits[0], total.shape))]
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
    return reshape(x, (math.prod(x.shape[: len(axes)]), *x.shape[len(axes) :]))


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
    return [reshape(x, x.shape[1:]) for x in rows]


def single_operation(jaxpr: Any) -> str | None:
    """The name of the operation if `jaxpr` is one operation on its two arguments; else None."""
    if len(jaxpr.eqns) != 1 or len(jaxpr.invars) != 2:
        return None
    (eqn,) = jaxpr.eqns
    commuted = list(eqn.invars) in ([*jaxpr.invars], [*jaxpr.invars[::-1]])
    name = eqn.primitive.name
    return (
        name
        if commuted and list(jaxpr.outvars) == list(eqn.outvars) and name in _OPERATIONS
        else None
    )
