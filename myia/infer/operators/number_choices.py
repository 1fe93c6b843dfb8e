"""A choice of numbers that becomes one number where the kind of number makes no difference.

    v = a[0] if c else -1       v: Choice(index, (uint8, int))
    b[v]                  ->    an index is an integer of any kind:  b[int(v)]
    y = np.float32(2) if c else 0.1
    y * w                 ->    both meet a float32 at float32:      np.float32(y) * w

Elsewhere what is done with it is done with each option (`infer/paths/branches.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import (
    PYTHON_DTYPES,
    bounds,
    is_number,
    is_of_numbers,
    number_value,
    promote,
)
from myia.infer.domain.values import Abstract, Ref, Scalar, SliceValue, Tuple, as_ref
from myia.infer.dynamic.access import dtype_of, is_dynamic
from myia.infer.numeric.integer_elements import element
from myia.infer.numeric.promotion import operand, operand_dtype
from myia.infer.paths.branches import branch_options
from myia.ir.avals import I64, Aval
from myia.ir.primitive import Primitive
from myia.primitives.core import py

SUBSCRIPTS = (py.getitem, py.setitem, py.delitem)
OF_KNOWN_NUMBERS = ("**", "<<", ">>", "@")  # what they compute depends on known operands


def may_settle(x: Abstract) -> bool:
    """Is it a choice of numbers, or a subscript that may have one inside?"""
    return is_of_numbers(x) or isinstance(x, (Tuple, SliceValue))


def settled(
    ctx: Context, primitive: Primitive, op: str | None, xs: Sequence[Abstract]
) -> Sequence[Abstract]:
    """The operands, in which choices of numbers are one number where all options do the same."""
    if primitive in (py.binary, py.inplace):
        assert op is not None
        return with_one_operand(ctx, op, xs)
    if primitive in SUBSCRIPTS:
        x, key, *values = xs
        if is_of_numbers(x):
            return xs
        return x, with_one_integer(ctx, key), *(_as_element(ctx, x, v) for v in values)
    return xs


def with_one_operand(ctx: Context, op: str, xs: Sequence[Abstract]) -> Sequence[Abstract]:
    """The operands of an operator, of which one that is a choice has the dtype of the operation."""
    for i, x in enumerate(xs):
        other = xs[1 - i]
        if not is_of_numbers(x) or op in OF_KNOWN_NUMBERS or not _is_of_numpy(ctx, other):
            continue
        of = (dtype_of(ctx, other), False) if isinstance(other, Ref) else operand_dtype(ctx, other)
        found = {promote(operand_dtype(ctx, option), of)[0] for option in x.options}
        if len(found) > 1 or (dtype := found.pop()).kind == "b":
            continue
        if op[-1:] in "=<>" and dtype.kind in "iu":
            continue  # comparisons of integers are exact
        one = branch_options(ctx, x, lambda o: _operand(ctx, o, dtype))
        return (one, other) if i == 0 else (other, one)
    return xs


def _is_of_numpy(ctx: Context, x: Abstract) -> bool:
    if is_number(x):
        return not operand_dtype(ctx, x)[1]
    return ctx.is_array(x) or is_dynamic(ctx, x)


def _operand(ctx: Context, x: Abstract, dtype: np.dtype) -> Scalar:
    return Scalar(operand(ctx, x, Aval(dtype, ())), weak=False)


def with_one_integer(ctx: Context, key: Abstract) -> Abstract:
    """A subscript, a bound of a slice or of a range: integers of all kinds mean the same there."""
    if isinstance(key, (Tuple, SliceValue)):
        return key.rebuild(tuple(with_one_integer(ctx, part) for part in key.children()))
    if not is_of_numbers(key) or not all(_is_index(ctx, option) for option in key.options):
        return key
    of = lambda o: Scalar(number_value(o, I64.dtype), True, *bounds(o))  # noqa: E731
    return branch_options(ctx, key, of)


def with_one_float(ctx: Context, result: Abstract) -> Abstract:
    """The result of a function that is differentiated: a derivative is taken of one float."""
    if isinstance(result, Tuple):
        return result.rebuild(tuple(with_one_float(ctx, part) for part in result.items))
    if not is_of_numbers(result):
        return result
    dtypes = {operand_dtype(ctx, option)[0] for option in result.options}
    if any(d.kind == "c" for d in dtypes) or all(d.kind != "f" for d in dtypes):
        return result
    of = lambda o: Scalar(number_value(o, PYTHON_DTYPES[float]), weak=True)  # noqa: E731
    return branch_options(ctx, result, of)


def with_one_dtype(ctx: Context, x: Abstract) -> Abstract:
    """A number as an element of an array of several such, one for each example of a batch."""
    if not is_of_numbers(x):
        return x
    dtype = np.result_type(*(operand_dtype(ctx, option)[0] for option in x.options))
    of = lambda o: Scalar(number_value(o, dtype), weak=False)  # noqa: E731
    return branch_options(ctx, x, of)


def _is_index(ctx: Context, x: Abstract) -> bool:
    dtype, _ = operand_dtype(ctx, x)
    return dtype.kind in "iu" and np.can_cast(dtype, I64.dtype)


def _as_element(ctx: Context, x: Abstract, value: Abstract) -> Abstract:
    """A number that is stored in an array, as an element of it."""
    if not is_of_numbers(value) or not (ctx.is_array(x) or is_dynamic(ctx, x)):
        return value
    dtype = dtype_of(ctx, as_ref(x))
    of = lambda o: _operand(ctx, element(ctx, o, dtype), dtype)  # noqa: E731
    return branch_options(ctx, value, of)
