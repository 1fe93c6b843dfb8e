"""Products of matrices and tensors: each becomes one `dot_general`."""

from __future__ import annotations

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import convert, promote
from myia.infer.domain.dynamic_axes import DynamicAxis, fill_masked, stop_masked_gradients
from myia.infer.domain.errors import BadValue
from myia.infer.domain.values import NONE, Abstract, Ref, Static
from myia.infer.domain.views import reshape
from myia.infer.dynamic.access import (
    PaddedValue,
    dtype_of,
    is_dynamic,
    new_array,
    read,
    refuse_dynamic,
)
from myia.infer.dynamic.broadcasting import align_axes, apply_elementwise
from myia.infer.numeric.constant_methods import python_result
from myia.infer.numeric.promotion import is_numeric, operand_dtype
from myia.infer.operators import operators
from myia.infer.registry import for_dynamic_arrays, function, method
from myia.ir.core import Value
from myia.library.support.arguments import (
    array,
    boxed,
    numeric,
    store_out,
    value_of,
)
from myia.library.support.dynamic_variants import store_dynamic_out
from myia.library.support.traced import python_value
from myia.primitives.arrays import shaping
from myia.primitives.core.define import constant
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise import arithmetic, logic

Axes = tuple[int, ...]


def contract(
    x: Value, y: Value, over: tuple[Axes, Axes], batch: tuple[Axes, Axes] = ((), ())
) -> Value:
    """The contraction over pairs of axes. Axes of the result: batch, free of x, free of y."""
    if x.dtype.kind != "b":
        return dot_general(x, y, contract=over, batch=batch)
    # Of booleans: "and" for times, "or" for plus.
    counts = (convert(v, np.dtype(np.int64)) for v in (x, y))
    found = dot_general(*counts, contract=over, batch=batch)
    return logic.ne(found, constant(0, np.int64, found.shape))


def factors(ctx: Context, a: Abstract, b: Abstract) -> tuple[Value, Value]:
    """The values of both operands at one dtype."""
    xs = array(ctx, a), array(ctx, b)
    dtype, _ = promote(*(operand_dtype(ctx, x) for x in xs))
    return value_of(ctx, xs[0], dtype), value_of(ctx, xs[1], dtype)


def _mismatch(ctx: Context, x: Value, y: Value, i: int, j: int) -> None:
    """Refuse contracted axes of different lengths."""
    if x.shape[i] != y.shape[j]:
        i, j = i % len(x.shape), j % len(y.shape)
        message = f"shapes {x.shape} and {y.shape} not aligned: {x.shape[i]} (dim {i}) != "
        ctx.fail(BadValue, message=f"{message}{y.shape[j]} (dim {j})")


# ----- matmul


@function(np.matmul, np.linalg.matmul)
def _matmul(ctx: Context, x1: Abstract, x2: Abstract, out: Abstract = NONE) -> Abstract:
    x, y = factors(ctx, x1, x2)
    if not x.shape or not y.shape:
        message = "matmul: an operand does not have enough dimensions: it is a number"
        ctx.fail(BadValue, message=message)
    _mismatch(ctx, x, y, -1, -2 if len(y.shape) > 1 else 0)
    return store_out(ctx, ctx.array(_matrix_product(ctx, x, y)), out)


def _matrix_product(ctx: Context, x: Value, y: Value) -> Value:
    m, n = len(x.shape), len(y.shape)
    if m == 1 or n <= 2:
        return contract(x, y, ((m - 1,), (max(n - 2, 0),)))
    if m == 2:  # the batch of y goes before the rows of x
        product = contract(x, y, ((1,), (n - 2,)))
        order = (*range(1, n - 1), 0, n - 1)
        return shaping.transpose(product, permutation=order)
    try:
        np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    except ValueError:
        message = f"operands could not be broadcast together with shapes {x.shape} {y.shape}"
        ctx.fail(BadValue, message=message)
    return _stacks_product(x, y)


def _stacks_product(x: Value, y: Value) -> Value:
    """Stacks of matrices: an axis that only one of them has is a free axis of it, not repeated."""
    rank = max(len(x.shape), len(y.shape))
    names: list[list[int]] = []  # of each operand: its axes, by their place in the result
    operands = []
    for a, other, last in ((x, y, (rank - 2, rank)), (y, x, (rank, rank - 1))):
        shape, beside = ((1,) * (rank - len(v.shape)) + v.shape for v in (a, other))
        kept = [i for i in range(rank - 2) if shape[i] != 1 or beside[i] == 1]
        names.append([*kept, *last])  # `rank` is the axis that is summed
        operands.append(reshape(a, (*(shape[i] for i in kept), *shape[-2:])))
    common = [i for i in names[0] if i in names[1] and i != rank]
    over, batch = (
        (tuple(names[0].index(i) for i in axes), tuple(names[1].index(i) for i in axes))
        for axes in ([rank], common)
    )
    product = contract(operands[0], operands[1], over, batch)
    order = common + [i for axes in names for i in axes if i not in common and i != rank]
    return shaping.transpose(product, permutation=shaping.inverse(tuple(order)))


# ----- dot


@method("array", "dot")
@method("number", "dot")
@function(np.dot)
def _dot(ctx: Context, a: Abstract, b: Abstract, out: Abstract = NONE) -> Abstract:
    """Contract the last axis of `a` with the last but one of `b`; of numbers `*`."""
    xs = array(ctx, a), array(ctx, b)
    if any(ctx.shape(x) == () for x in xs):
        return store_out(ctx, operators.binary(ctx, "*", *xs), out)
    x, y = factors(ctx, *xs)
    j = max(len(y.shape) - 2, 0)
    _mismatch(ctx, x, y, -1, j)
    return store_out(ctx, ctx.array(contract(x, y, ((len(x.shape) - 1,), (j,)))), out)


@function(np.outer, np.linalg.outer)
def _outer(ctx: Context, a: Abstract, b: Abstract, out: Abstract = NONE) -> Abstract:
    x, y = (reshape(v, (v.aval.size,)) for v in factors(ctx, a, b))
    column, row = reshape(x, (*x.shape, 1)), reshape(y, (1, *y.shape))
    return store_out(ctx, operators.binary(ctx, "*", ctx.array(column), ctx.array(row)), out)


# ----- tensordot


@function(np.tensordot, np.linalg.tensordot)
def _tensordot(
    ctx: Context,
    a: Abstract,
    b: Abstract,
    axes: Abstract = Static(2),
) -> Abstract:
    x, y = factors(ctx, a, b)
    over = _paired_axes(ctx, axes, len(x.shape), len(y.shape))
    if any(x.shape[i] != y.shape[j] for i, j in zip(*over)) or len(over[0]) != len(over[1]):
        ctx.fail(BadValue, message="shape-mismatch for sum")
    return boxed(ctx, ctx.array(contract(x, y, over)))


def _paired_axes(ctx: Context, axes: Abstract, m: int, n: int) -> tuple[Axes, Axes]:
    given = python_value(ctx, axes, "the axes of `numpy.tensordot`")
    if np.ndim(given) == 0:
        given = range(m - given, m), range(given)
    left, right = given
    return (
        python_result(ctx, normalize_axis_tuple, left, m),
        python_result(ctx, normalize_axis_tuple, right, n),
    )


# ----- Of dynamic arrays: `x[:i] @ y[:i]`, `A[i, :j] @ A[j, :j]`

NOT_ALIGNED = "shapes not aligned: the axes that are summed over differ in size"


def _factors(ctx: Context, a: Abstract, b: Abstract) -> tuple[PaddedValue, PaddedValue]:
    """Both operands at one dtype."""
    given = [x if is_dynamic(ctx, x) else numeric(ctx, x) for x in (a, b)]
    xs = [x for x in given if isinstance(x, Ref)]
    if len(xs) < 2:
        ctx.fail(BadValue, message="matmul: an operand is a number")
    dtype, _ = promote(*((dtype_of(ctx, x), False) for x in xs))
    if dtype.kind == "b":
        refuse_dynamic(ctx, "the product of bools")
    x, y = (read(ctx, x) for x in xs)
    return (
        PaddedValue(convert(x.value, dtype), x.dynamic_axes),
        PaddedValue(convert(y.value, dtype), y.dynamic_axes),
    )


def contract_dynamic(ctx: Context, x: PaddedValue, y: PaddedValue, i: int, j: int) -> Abstract:
    """The sum of products over axis `i` of x and `j` of y; then their other axes."""
    x, y, dynamic_axis = align_axes(ctx, x, y, i, j, NOT_ALIGNED)
    x, y = _zero_padding(x, i, dynamic_axis), _zero_padding(y, j, dynamic_axis)
    dynamic_axes = tuple(e for k, e in enumerate(x.dynamic_axes) if k != i)
    dynamic_axes += tuple(e for k, e in enumerate(y.dynamic_axes) if k != j)
    if x.value.aval.ndim == y.value.aval.ndim == 1:  # fused, without a temporary
        product = arithmetic.mul(x.value, y.value)
        return ctx.array(shaping.reduce_sum(product, axes=(0,)))
    product = dot_general(x.value, y.value, contract=((i,), (j,)), batch=((), ()))
    return new_array(ctx, stop_masked_gradients(product, dynamic_axes), dynamic_axes)


def _zero_padding(x: PaddedValue, axis: int, dynamic_axis: DynamicAxis | None) -> PaddedValue:
    """Zeros for the masked elements along `axis`: an infinity there would make the sum NaN."""
    along = tuple(dynamic_axis if k == axis else None for k in range(x.value.aval.ndim))
    return PaddedValue(fill_masked(x.value, along, 0), x.dynamic_axes)


@for_dynamic_arrays(_matmul)
def _matmul_dynamic(ctx: Context, x1: Abstract, x2: Abstract, out: Abstract = NONE) -> Abstract:
    x, y = _factors(ctx, x1, x2)
    if max(x.value.aval.ndim, y.value.aval.ndim) > 2:
        refuse_dynamic(ctx, "the product of stacks of matrices")
    return store_dynamic_out(ctx, _product(ctx, x, y), out)


@for_dynamic_arrays(_dot)
def _dot_dynamic(ctx: Context, a: Abstract, b: Abstract, out: Abstract = NONE) -> Abstract:
    if any(is_numeric(ctx, x) and ctx.shape(x) == () for x in (a, b)):
        return store_dynamic_out(ctx, operators.binary(ctx, "*", a, b), out)
    return store_dynamic_out(ctx, _product(ctx, *_factors(ctx, a, b)), out)


def _product(ctx: Context, x: PaddedValue, y: PaddedValue) -> Abstract:
    return contract_dynamic(ctx, x, y, x.value.aval.ndim - 1, max(y.value.aval.ndim - 2, 0))


@for_dynamic_arrays(_outer)
def _outer_dynamic(ctx: Context, a: Abstract, b: Abstract, out: Abstract = NONE) -> Abstract:
    x, y = _factors(ctx, a, b)
    if x.value.aval.ndim != 1 or y.value.aval.ndim != 1:
        refuse_dynamic(ctx, "`numpy.outer` of several axes")
    (n,), (m,) = x.value.shape, y.value.shape
    column = new_array(ctx, ctx.reshape(x.value, (n, 1)), (*x.dynamic_axes, None))
    row = new_array(ctx, ctx.reshape(y.value, (1, m)), (None, *y.dynamic_axes))
    product = apply_elementwise(ctx, [column, row], lambda xs: operators.binary(ctx, "*", *xs))
    return store_dynamic_out(ctx, product, out)
