"""Conversions `np.float32(x)`, and compile-time objects that describe dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.heap_arrays import type_of_array
from myia.infer.domain.values import Abstract, Ref, Static
from myia.infer.numeric.constant_methods import evaluate_constant
from myia.infer.numeric.integer_elements import element
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.registry import as_is, function
from myia.library.support.arguments import cast, numeric, static_value

ZERO = Static(0)


def _conversion(dtype: np.dtype) -> Callable[..., Abstract]:
    def handler(ctx: Context, x: Abstract = ZERO) -> Abstract:
        operand = numeric(ctx, x)
        weak = operand_dtype(ctx, operand)[1]
        return cast(ctx, element(ctx, operand, dtype) if weak else operand, dtype)

    return handler


for _type in (
    np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
    np.float16, np.float32, np.float64, np.complex64, np.complex128,
):  # fmt: skip
    function(_type)(_conversion(np.dtype(_type)))


def _described(cls: type) -> Callable[..., Abstract]:
    """`np.dtype(x)`, `np.finfo(x)`, `np.iinfo(x)`: compile-time objects."""

    def handler(ctx: Context, x: Abstract) -> Abstract:
        return evaluate_constant(ctx, cls, static_value(ctx, x, "a dtype"))

    return handler


for _class in (np.dtype, np.finfo, np.iinfo):
    function(_class)(_described(_class))


@function(np.result_type, np.promote_types, dynamic=as_is)
def _result_type(ctx: Context, *xs: Abstract) -> Abstract:
    return Static(np.result_type(*(_promoted(ctx, x) for x in xs)))


def _promoted(ctx: Context, x: Abstract) -> Any:
    """What NumPy promotes in the place of `x`: a Python number is one, whatever its value."""
    if isinstance(x, Static):
        return x.value
    if isinstance(x, Ref):
        return type_of_array(ctx.heap, x.id)[0].dtype
    dtype, is_python = operand_dtype(ctx, x)
    return dtype.type(0).item() if is_python else dtype
