"""Objects of NumPy that are subscripted: `np.r_[x, 1:4]`, `np.c_`, `np.s_`, `np.mgrid`."""

from __future__ import annotations

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import promote
from myia.infer.domain.values import NONE, Abstract, SliceValue, Static, Tuple, is_none
from myia.infer.dynamic.access import is_dynamic
from myia.infer.numeric.constant_methods import abstract_of
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.registry import subscript
from myia.infer.unsupported import UnsupportedFunction
from myia.library.numpy.arrays.shaping import view_with_shape
from myia.library.support.arguments import cast, numeric
from myia.library.support.traced import python_value


def _items(key: Abstract) -> tuple[Abstract, ...]:
    return key.items if isinstance(key, Tuple) else (key,)


# ----- The subscript itself


@subscript(np.s_)
def _s(ctx: Context, key: Abstract) -> Abstract:
    return key


@subscript(np.index_exp)
def _index_exp(ctx: Context, key: Abstract) -> Abstract:
    return Tuple(_items(key))


# ----- Grids, known at compile time


def _grid(name: str) -> None:
    grid = getattr(np, name)

    @subscript(grid)
    def handler(ctx: Context, key: Abstract) -> Abstract:
        return abstract_of(ctx, grid[python_value(ctx, key, f"the subscript of `numpy.{name}`")])


_grid("mgrid")
_grid("ogrid")

# ----- Concatenation


@subscript(np.r_)
def _r(ctx: Context, key: Abstract) -> Abstract:
    """Concatenate arrays, numbers and ranges."""
    parts = [_part(ctx, item, "numpy.r_") for item in _items(key)]
    return _joined(ctx, parts, [_at_least(ctx, x, 1) for x in parts], 0)


@subscript(np.c_)
def _c(ctx: Context, key: Abstract) -> Abstract:
    """Concatenate arrays as columns."""
    parts = [_part(ctx, item, "numpy.c_") for item in _items(key)]
    return _joined(ctx, parts, [_at_least(ctx, x, 2) for x in parts], -1)


def _part(ctx: Context, item: Abstract, name: str) -> Abstract:
    if isinstance(item, Static) and isinstance(item.value, str):
        ctx.fail(
            UnsupportedFunction, what=f"a directive of `{name}`", help_text="use `np.concatenate`"
        )
    if not isinstance(item, SliceValue):
        return item if is_dynamic(ctx, item) else numeric(ctx, item)
    start = Static(0) if is_none(item.start) else item.start
    step = Static(1) if is_none(item.step) else item.step
    if isinstance(step, Static) and isinstance(step.value, complex):
        return ctx.call(Static(np.linspace), (start, item.stop, Static(int(abs(step.value)))), {})
    return ctx.call(Static(np.arange), (start, item.stop, step), {})


def _at_least(ctx: Context, x: Abstract, ndim: int) -> Abstract:
    """`x` with axes of length 1 added after its own."""
    if is_dynamic(ctx, x):
        return x
    shape = ctx.shape(x)
    return view_with_shape(ctx, x, shape + (1,) * (ndim - len(shape))) if len(shape) < ndim else x


def _joined(ctx: Context, parts: list[Abstract], shaped: list[Abstract], axis: int) -> Abstract:
    """The concatenation; Python's numbers take the dtype of the others."""
    if any(is_dynamic(ctx, x) for x in parts):
        join = np.hstack if axis == 0 else np.column_stack
        return ctx.call(Static(join), (Tuple(tuple(parts)),), {})
    dtype, _ = promote(*(operand_dtype(ctx, x) for x in parts))
    arrays = Tuple(tuple(cast(ctx, x, dtype) for x in shaped))
    return ctx.call(Static(np.concatenate), (arrays, Static(axis), NONE), {})
