"""Products of matrices and tensors: `dot_general`, as in XLA.

dot_general(x, y, contract=((1,), (0,)), batch=((), ()))      ->      x @ y
"""

from __future__ import annotations

import string
from typing import Any

import numpy as np
from jax import lax

from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.arrays.shaping import inverse, transpose
from myia.primitives.core.define import linear, require, require_kind

Pairs = tuple[tuple[int, ...], tuple[int, ...]]  # the axes of one operand, and of the other


def free_axes(ndim: int, contract: tuple[int, ...], batch: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(axis for axis in range(ndim) if axis not in contract and axis not in batch)


def _dot_avals(x: Aval, y: Aval, *, contract: Pairs, batch: Pairs) -> tuple[Aval]:
    """Axes of the result: the batch axes, the free axes of `x`, the free axes of `y`."""
    message = f"dot_general: {x} by {y}, contract {contract}, batch {batch}"
    require(x.dtype == y.dtype, message)
    require_kind("dot_general", x, "iufc")
    for pairs in (contract, batch):
        require(len(pairs[0]) == len(pairs[1]), message)
        require(all(x.shape[i] == y.shape[j] for i, j in zip(*pairs)), message)
    for a, contracted, batched in zip((x, y), contract, batch):
        require(len({*contracted, *batched}) == len(contracted) + len(batched), message)
        require(all(0 <= i < a.ndim for i in (*contracted, *batched)), message)
    x_free, y_free = (
        free_axes(x.ndim, contract[0], batch[0]),
        free_axes(y.ndim, contract[1], batch[1]),
    )
    shape = [x.shape[i] for i in (*batch[0], *x_free)] + [y.shape[j] for j in y_free]
    return (x.with_shape(tuple(shape)),)


def _evaluate_dot(x: np.ndarray, y: np.ndarray, *, contract: Pairs, batch: Pairs) -> Any:
    letters = iter(string.ascii_letters)
    x_names, y_names = [next(letters) for _ in x.shape], [next(letters) for _ in y.shape]
    for i, j in zip((*contract[0], *batch[0]), (*contract[1], *batch[1])):
        y_names[j] = x_names[i]
    out = [x_names[i] for i in (*batch[0], *free_axes(x.ndim, contract[0], batch[0]))]
    out += [y_names[j] for j in free_axes(y.ndim, contract[1], batch[1])]
    return np.einsum(f"{''.join(x_names)},{''.join(y_names)}->{''.join(out)}", x, y)


def _transpose_dot(
    i: int, ct: Value, x: Value, y: Value, *, contract: Pairs, batch: Pairs
) -> Value:
    """The cotangent of operand `i`: `ct` contracted with the free axes of the other operand."""
    this, other = (x, y) if i == 0 else (y, x)
    j = 1 - i
    rank, batched = len(ct.shape), len(batch[0])
    this_free = free_axes(len(this.shape), contract[i], batch[i])
    other_free = free_axes(len(other.shape), contract[j], batch[j])
    # The other operand's free axes in `ct`: the last ones for operand 0, else after the batch.
    start = rank - len(other_free) if i == 0 else batched
    in_ct = tuple(range(start, start + len(other_free)))
    # Axes of the product: batch, this operand's free axes, then its contracted axes in the order in
    # which the matching axes have in the other operand; or these first, if that order is needed.
    contracted = tuple(mine for _, mine in sorted(zip(contract[j], contract[i])))
    factors = [(ct, in_ct, tuple(range(batched))), (other, other_free, batch[j])]
    axes = (*batch[i], *this_free, *contracted)
    in_order = tuple(range(len(axes)))
    if (*batch[i], *contracted, *this_free) == in_order:
        factors, axes = factors[::-1], in_order
    (left, *of_left), (right, *of_right) = factors
    contract, batch = zip(of_left, of_right)
    product = dot_general(left, right, contract=contract, batch=batch)
    return product if axes == in_order else transpose(product, permutation=inverse(axes))


def _lower_dot(x: Any, y: Any, *, contract: Pairs, batch: Pairs) -> Any:
    if not contract[0] and batch[0]:  # nothing is summed: not every backend has such products
        return sum_of_products(x, y, contract=contract, batch=batch)
    return lax.dot_general(
        x, y, (contract, batch), precision=lax.Precision.HIGHEST, preferred_element_type=x.dtype
    )


def sum_of_products(x: Any, y: Any, *, contract: Pairs, batch: Pairs) -> Any:
    """`dot_general` of small arrays: sums of elementwise products, which XLA makes one loop."""
    x_free, y_free = (
        free_axes(x.ndim, contract[0], batch[0]),
        free_axes(y.ndim, contract[1], batch[1]),
    )
    x = lax.transpose(x, (*batch[0], *x_free, *contract[0]))
    y = lax.transpose(y, (*batch[1], *contract[1], *y_free))
    # Axes of the terms: batch, free of `x`, contracted, free of `y`, whose elements are adjacent.
    common, summed = len(batch[0]), len(contract[0])
    shape = (*x.shape, *y.shape[common + summed :])
    start = x.ndim - summed
    of_y = (*range(common), *range(start, len(shape)))
    terms = lax.mul(
        lax.broadcast_in_dim(x, shape, tuple(range(x.ndim))), lax.broadcast_in_dim(y, shape, of_y)
    )
    return lax.reduce_sum(terms, tuple(range(start, x.ndim))) if summed else terms


# Full precision: an accelerator's default would round single precision to fewer bits.
dot_general = linear(
    "dot_general",
    _dot_avals,
    _lower_dot,
    _evaluate_dot,
    groups=((0,), (1,)),
    transpose=_transpose_dot,
)
