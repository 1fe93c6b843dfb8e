"""The form of a product that XLA's CPU backend computes fastest: measured rules, first match wins.

    a product of matrices                             emitted as
    of at most 1,000 multiply-adds, in a whole        sums of elementwise products
      loop call, where library calls are impossible
    of the columns of two arrays, one by one          sums of products, by `reduction_forms.py`
    of integers other than int32, for which there     the product of operands whose summed axis
      is no library, from 8 x 64 by 64 x 8 on           is last, stored in that order
    of float32 and float64, from 1,500 rows times a   products of about 500 rows, in a loop: XLA's
      matrix of 2,000,000 elements on, summed along     library for rows computes these faster
      the last axis of the first operand
    any other                                         `dot_general`

`benchmarks/emission/products.py` has the measurements.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from jax import lax

from myia.backends.xla.cpu.reduction_forms import form_without_library
from myia.backends.xla.cpu.whole_loop_cost import is_emitted_as_sum
from myia.ir.core import Op
from myia.primitives.arrays.shaping import reduce_sum
from myia.primitives.core import named_by_opcode as hlo
from myia.primitives.linalg.dot import Pairs, dot_general, free_axes, sum_of_products

Array = Any

_MIN_SUMMED, _MIN_FREE = 64, 8  # elements along the summed axes, and along the others
_MIN_ROWS, _MIN_SIDE, _MIN_SHARED_ELEMENTS = 1_500, 256, 2_000_000  # of a product in blocks
_BLOCK_ROWS = 500  # about


def product_form(op: Op, in_whole_loop_call: bool) -> Callable[..., Array] | None:
    """What emits the product, from arrays and the op's parameters; None: its own lowering."""
    if op.primitive is not dot_general:
        return None
    if in_whole_loop_call:
        return sum_of_products if is_emitted_as_sum(op) else None
    if (form := _form_of_dots(op)) is not None:
        return form
    if _is_large(op):
        return _by_blocks_of_rows
    return _by_adjacent_elements if _has_no_library(op) else None


def _form_of_dots(op: Op) -> Callable[..., Array] | None:
    """Dot products of the columns of two arrays: a sum that XLA would give to its library."""
    (x, y), (contract, batch) = op.operands, (op.params["contract"], op.params["batch"])
    alike = x.shape == y.shape and contract[0] == contract[1] and batch[0] == batch[1]
    if (
        not alike
        or len(contract[0]) + len(batch[0]) < x.aval.ndim
        or batch[0] != (*sorted(batch[0]),)
    ):
        return None
    reduce = form_without_library(x.aval, contract[0])
    if reduce is None:
        return None
    return lambda x, y, **_: reduce(reduce_sum, lax.mul(x, y), axes=contract[0])


def _is_large(op: Op) -> bool:
    x, y = op.operands
    return (
        x.dtype.kind == "f"
        and x.aval.ndim == y.aval.ndim == 2
        and op.params["contract"][0] == (1,)
        and not op.params["batch"][0]
        and x.shape[0] >= _MIN_ROWS
        and x.shape[1] >= _MIN_SIDE
        and y.aval.size >= _MIN_SIDE * x.shape[1]
        and y.aval.size >= _MIN_SHARED_ELEMENTS
    )


def _by_blocks_of_rows(x: Array, y: Array, *, contract: Pairs, batch: Pairs) -> Array:
    count = round(x.shape[0] / _BLOCK_ROWS)
    rows = -(-x.shape[0] // count)

    def body(i: Array, out: Array) -> Array:
        # The last block begins earlier where it would be smaller, and repeats rows.
        start = lax.min(i * np.int32(rows), np.int32(x.shape[0] - rows))
        first = (start, np.int32(0))
        block = hlo.dynamic_slice(x, first, (rows, x.shape[1]))
        product = lax.dot_general(block, y, (contract, batch), precision=lax.Precision.HIGHEST)
        return hlo.dynamic_update_slice(out, product, first)

    free = free_axes(2, contract[1], batch[1])[0]
    out = lax.full((x.shape[0], y.shape[free]), 0, x.dtype)
    return lax.fori_loop(np.int32(0), np.int32(count), body, out)


def _has_no_library(op: Op) -> bool:
    x, y = op.operands
    if x.dtype.kind not in "iu" or x.dtype == np.int32:
        return False
    contract, batch = op.params["contract"], op.params["batch"]
    summed = math.prod(x.shape[i] for i in contract[0])
    common = math.prod(x.shape[i] for i in batch[0])
    free = min(a.aval.size // max(1, summed * common) for a in (x, y))
    return summed >= _MIN_SUMMED and free >= _MIN_FREE


def _by_adjacent_elements(x: Array, y: Array, *, contract: Pairs, batch: Pairs) -> Array:
    x, y = (_with_summed_last(a, contract[i], batch[i]) for i, a in enumerate((x, y)))
    common, summed = len(batch[0]), len(contract[0])
    last = (tuple(range(x.ndim - summed, x.ndim)), tuple(range(y.ndim - summed, y.ndim)))
    first = tuple(range(common))
    return lax.dot_general(x, y, (last, (first, first)), preferred_element_type=x.dtype)


def _with_summed_last(x: Array, contract: tuple[int, ...], batch: tuple[int, ...]) -> Array:
    """XLA would make a transposition part of the product; the barrier has it stored."""
    order = (*batch, *free_axes(x.ndim, contract, batch), *contract)
    return lax.optimization_barrier(lax.transpose(x, order))
