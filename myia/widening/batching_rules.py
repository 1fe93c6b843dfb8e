"""Batching rules: what an op computes for many iterations together, a rule for each primitive.

The *batch* of a value that varies from iteration to iteration is an array with one more axis, the
first, along which the iterations lie. A value that does not vary is *shared*; a rule repeats it
where it needs that:

    %y = reduce_sum %x {axes=(0,)}          ->      %y = reduce_sum %x {axes=(1,)}
    %z = dot_general %y, %m (m is shared)   ->      %z = dot_general %y, %m, iterations a free axis
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any

from myia.ir.avals import I64
from myia.ir.builder import emit, emit1
from myia.ir.core import Op, Value
from myia.ir.primitive import Primitive
from myia.primitives.arrays import cumulative, fft, reductions, shaping, sorting
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_add,
    dynamic_update_slice,
)
from myia.primitives.arrays.gather import gather, scatter_add
from myia.primitives.arrays.scattering import scatter
from myia.primitives.arrays.shaping import broadcast, transpose
from myia.primitives.core.define import PointwisePrimitive, constant
from myia.primitives.linalg import eig, eigh_svd, lu, qr, schur_hessenberg, triangular
from myia.primitives.linalg.dot import dot_general
from myia.widening.batched_indexing import gather_rule, scatter_rule

# The op, its operands, which of them are shared by all iterations, and the number of iterations.
Rule = Callable[[Op, Sequence[Value], Sequence[bool], int], Value | tuple[Value, ...]]


def batch(
    op: Op, operands: Sequence[Value], shared: Sequence[bool], width: int
) -> tuple[Value, ...]:
    """Emit `op` for `width` iterations. Some operand varies, and `can_batch(op)` holds."""
    rule = _rule(op)
    assert rule is not None
    found = rule(op, operands, shared, width)
    return (found,) if isinstance(found, Value) else found


def can_batch(op: Op, varying: Set[Value]) -> bool:
    """Is there a rule for `op`, some operand of which varies?"""
    if _rule(op) is None:
        return False
    return varying.isdisjoint(
        op.operands[_FIRST_SHARED_OPERAND.get(op.primitive, len(op.operands)) :]
    )


def repeated(x: Value, width: int) -> Value:
    """The batch of a shared value: the value, `width` times."""
    return broadcast(x, shape=(width, *x.shape), dims=tuple(range(1, len(x.shape) + 1)))


def _rule(op: Op) -> Rule | None:
    return _pointwise if isinstance(op.primitive, PointwisePrimitive) else _RULES.get(op.primitive)


def _batches(operands: Sequence[Value], shared: Sequence[bool], width: int) -> list[Value]:
    return [repeated(x, width) if same else x for x, same in zip(operands, shared)]


def _pointwise(op: Op, operands: Sequence[Value], shared: Sequence[bool], width: int) -> Value:
    return emit1(op.primitive, *_batches(operands, shared, width), **op.params)


# ----- Rules: parameters that name axes, or have an entry for each


def _with_axes(**change: Callable[[Any, int], Any]) -> Rule:
    """The op itself on batches, with each named parameter changed.

    `change` maps a parameter to a function of its value and the number of iterations.
    """

    def rule(
        op: Op, operands: Sequence[Value], shared: Sequence[bool], width: int
    ) -> tuple[Value, ...]:
        params = {name: change[name](x, width) if name in change else x
                  for name, x in op.params.items()}  # fmt: skip
        return emit(op.primitive, *_batches(operands, shared, width), **params)

    return rule


def _shifted_axes(axes: Sequence[int], width: int) -> tuple[int, ...]:
    return tuple(axis + 1 for axis in axes)


def _prepend(first: int) -> Callable[[Any, int], Any]:
    return lambda entries, width: (first, *entries)


def _batch_shape(shape: Sequence[int], width: int) -> tuple[int, ...]:
    return (width, *shape)


_shift_axis = _with_axes(axis=lambda axis, width: axis + 1)
_shift_axes = _with_axes(axes=_shifted_axes)
_unchanged = _with_axes()  # the op takes any axes before those that it works on


def _broadcast(op: Op, operands: Sequence[Value], shared: Sequence[bool], width: int) -> Value:
    dims = (0, *_shifted_axes(op.params["dims"], width))
    return broadcast(operands[0], shape=(width, *op.params["shape"]), dims=dims)


def _transpose(op: Op, operands: Sequence[Value], shared: Sequence[bool], width: int) -> Value:
    return transpose(operands[0], permutation=(0, *_shifted_axes(op.params["permutation"], width)))


def _pad(op: Op, operands: Sequence[Value], shared: Sequence[bool], width: int) -> Value:
    x, value = operands
    params = {name: (0, *entries) for name, entries in op.params.items()}
    return shaping.pad(repeated(x, width) if shared[0] else x, value, **params)


def _read(op: Op, operands: Sequence[Value], shared: Sequence[bool], width: int) -> Value:
    """A slice of an array that varies, at the same start indices in all iterations."""
    x, *starts = operands
    zero = constant(0, I64.dtype)
    return dynamic_slice(x, zero, *starts, sizes=(width, *op.params["sizes"]))


def _store(op: Op, operands: Sequence[Value], shared: Sequence[bool], width: int) -> Value:
    array, update = _batches(operands[:2], shared[:2], width)
    return emit1(op.primitive, array, update, constant(0, I64.dtype), *operands[2:])


def _dot(op: Op, operands: Sequence[Value], shared: Sequence[bool], width: int) -> Value:
    """The iterations are a batch axis of the product, or a free axis if one operand is shared."""
    (x, y), (x_shared, y_shared) = operands, shared
    contract, batched = op.params["contract"], op.params["batch"]
    params: dict[str, Any] = {
        "contract": _axes_of_batches(contract, x_shared, y_shared),
        "batch": _axes_of_batches(batched, x_shared, y_shared),
    }
    if not (x_shared or y_shared):
        params["batch"] = tuple((0, *axes) for axes in params["batch"])
        return dot_general(x, y, **params)
    if x_shared and not batched[0] and len(y.shape) == 1 + len(contract[1]):
        # No axis of `y` stays but that of the iterations: it is the first one at once.
        swapped = {name: tuple(reversed(axes)) for name, axes in params.items()}
        return dot_general(y, x, **swapped)
    product = dot_general(x, y, **params)
    # The axes before that of the iterations: batch axes, and the free ones of a shared `x`.
    before = len(x.shape) - len(contract[0]) if x_shared else len(batched[0])
    axes = range(len(product.shape))
    order = (before, *(axis for axis in axes if axis != before))
    return transpose(product, permutation=order) if before else product


def _axes_of_batches(
    pairs: tuple[Sequence[int], Sequence[int]], x_shared: bool, y_shared: bool
) -> tuple[Sequence[int], Sequence[int]]:
    xs, ys = pairs
    return (xs if x_shared else _shifted_axes(xs, 0), ys if y_shared else _shifted_axes(ys, 0))


_RULES: dict[Primitive, Rule] = {
    **dict.fromkeys(
        (
            shaping.reduce_sum,
            reductions.reduce_max,
            reductions.reduce_min,
            reductions.reduce_prod,
            reductions.reduce_and,
            reductions.reduce_or,
            reductions.reduce_xor,
            shaping.flip,
        ),
        _shift_axes,
    ),
    **dict.fromkeys(
        (
            shaping.concatenate,
            cumulative.cumsum,
            cumulative.cumprod,
            cumulative.cumlogsumexp,
            cumulative.linear_recurrence,
            sorting.cummax,
            sorting.cummin,
            reductions.argmax,
            reductions.argmin,
            reductions.lone_extremum_p,
            sorting.sort_p,
            sorting.top_k_p,
        ),
        _shift_axis,
    ),
    **dict.fromkeys(
        (
            *(fft.fft, fft.ifft, fft.rfft, fft.irfft),
            *(triangular.cholesky, triangular.triangular_solve, triangular.tridiagonal_solve),
            *(lu.lu_p, lu.lu_pivots_to_permutation, lu.lu_solve, lu.cholesky_solve),
            *(qr.qr_p, eigh_svd.eigh_p, eigh_svd.svd_p, eig.eig_p, eig.smooth_eig_p),
            *(schur_hessenberg.householder_product, schur_hessenberg.geqrf_p),
        ),
        _unchanged,
    ),
    gather: gather_rule,
    **dict.fromkeys((scatter_add, scatter), scatter_rule),
    shaping.reshape: _with_axes(shape=_batch_shape),
    shaping.slice: _with_axes(start=_prepend(0), limit=_batch_shape, stride=_prepend(1)),
    shaping.broadcast: _broadcast,
    shaping.transpose: _transpose,
    shaping.pad: _pad,
    dot_general: _dot,
    dynamic_slice: _read,
    dynamic_update_slice: _store,
    dynamic_update_add: _store,
}

# From this operand on, operands must be shared: indices, and the number that `pad` fills in.
_FIRST_SHARED_OPERAND: dict[Primitive, int] = {
    dynamic_slice: 1,
    dynamic_update_slice: 2,
    dynamic_update_add: 2,
    shaping.pad: 1,
}
