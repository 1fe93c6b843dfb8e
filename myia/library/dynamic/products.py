"""Products of dynamic arrays: `x[:i] @ y[:i]`, `A[i, :j] @ A[j, :j]`, `np.outer`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import convert, promote
from myia.infer.domain.dynamic_axes import DynamicAxis, fill_masked, stop_masked_gradients
from myia.infer.domain.errors import BadValue
from myia.infer.domain.values import NONE, Abstract, Ref
from myia.infer.dynamic.access import (
    PaddedValue,
    dtype_of,
    is_dynamic,
    new_array,
    read,
    refuse_dynamic,
)
from myia.infer.dynamic.broadcasting import align_axes, apply_elementwise
from myia.infer.numeric.promotion import is_numeric
from myia.infer.operators import operators
from myia.infer.registry import FUNCTIONS, for_dynamic_arrays
from myia.library.numpy import products
from myia.library.support.arguments import numeric
from myia.library.support.dynamic_variants import store_dynamic_out
from myia.library.support.value_formulas import conjugate
from myia.primitives.arrays import shaping
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise import arithmetic

MODULES_EXTENDED = (products,)
MESSAGE = "shapes not aligned: the axes that are summed over differ in size"


def _factors(ctx: Context, a: Abstract, b: Abstract) -> tuple[PaddedValue, PaddedValue]:
    """Both operands at one dtype."""
    xs = [x if is_dynamic(ctx, x) else numeric(ctx, x) for x in (a, b)]
    if not all(isinstance(x, Ref) for x in xs):
        ctx.fail(BadValue, message="matmul: an operand is a number")
    dtype, _ = promote(*((dtype_of(ctx, x), False) for x in xs))
    if dtype.kind == "b":
        refuse_dynamic(ctx, "the product of bools")
    found = [read(ctx, x) for x in xs]
    return tuple(PaddedValue(convert(x.value, dtype), x.dynamic_axes) for x in found)


def contract_dynamic(ctx: Context, x: PaddedValue, y: PaddedValue, i: int, j: int) -> Abstract:
    """The sum of products over axis `i` of x and `j` of y; then their other axes."""
    x, y, dynamic_axis = align_axes(ctx, x, y, i, j, MESSAGE)
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


@for_dynamic_arrays(FUNCTIONS[np.matmul])
def _matmul(ctx: Context, x1: Abstract, x2: Abstract, out: Abstract = NONE) -> Abstract:
    x, y = _factors(ctx, x1, x2)
    if max(x.value.aval.ndim, y.value.aval.ndim) > 2:
        refuse_dynamic(ctx, "the product of stacks of matrices")
    return store_dynamic_out(ctx, contract_dynamic(ctx, x, y, x.value.aval.ndim - 1, _rows(y)), out)


def _rows(y: PaddedValue) -> int:
    return max(y.value.aval.ndim - 2, 0)


def _multiply_numbers(product: Callable) -> Callable:
    def rule(ctx: Context, a: Abstract, b: Abstract, out: Abstract = NONE) -> Abstract:
        if any(is_numeric(ctx, x) and ctx.shape(x) == () for x in (a, b)):
            return store_dynamic_out(ctx, operators.binary(ctx, "*", a, b), out)
        return store_dynamic_out(ctx, product(ctx, *_factors(ctx, a, b)), out)

    return rule


def _dot(ctx: Context, x: PaddedValue, y: PaddedValue) -> Abstract:
    return contract_dynamic(ctx, x, y, x.value.aval.ndim - 1, _rows(y))


def _inner(ctx: Context, x: PaddedValue, y: PaddedValue) -> Abstract:
    return contract_dynamic(ctx, x, y, x.value.aval.ndim - 1, y.value.aval.ndim - 1)


for_dynamic_arrays(FUNCTIONS[np.dot])(_multiply_numbers(_dot))
for_dynamic_arrays(FUNCTIONS[np.inner])(_multiply_numbers(_inner))


@for_dynamic_arrays(FUNCTIONS[np.vdot])
def _vdot(ctx: Context, a: Abstract, b: Abstract) -> Abstract:
    x, y = _factors(ctx, a, b)
    if x.value.aval.ndim != 1 or y.value.aval.ndim != 1:
        refuse_dynamic(ctx, "`numpy.vdot` of several axes")
    return contract_dynamic(ctx, PaddedValue(conjugate(x.value), x.dynamic_axes), y, 0, 0)


@for_dynamic_arrays(FUNCTIONS[np.outer])
def _outer(ctx: Context, a: Abstract, b: Abstract, out: Abstract = NONE) -> Abstract:
    x, y = _factors(ctx, a, b)
    if x.value.aval.ndim != 1 or y.value.aval.ndim != 1:
        refuse_dynamic(ctx, "`numpy.outer` of several axes")
    (n,), (m,) = x.value.shape, y.value.shape
    column = new_array(ctx, ctx.reshape(x.value, (n, 1)), (*x.dynamic_axes, None))
    row = new_array(ctx, ctx.reshape(y.value, (1, m)), (None, *y.dynamic_axes))
    return store_dynamic_out(
        ctx, apply_elementwise(ctx, [column, row], lambda xs: operators.binary(ctx, "*", *xs)), out
    )
