"""Strides of arrays, as far as a program can observe them.

NumPy's `reshape` and `ravel` give a view where the strides allow it, and a copy otherwise. Later
writes tell the two apart.

*What it computes*: a NumPy array with the strides of an abstract array and no memory of its own.
The strides of a view follow from those of its base. So NumPy itself decides between view and copy.

*When it gives up*: the strides of an argument that is not C-contiguous are not known. Its reshaped
array may be either: a write to one of the two invalidates the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.heap import ArrayObject, SelectedArray, ViewObject
from myia.infer.domain.heap_arrays import array_aval
from myia.infer.domain.values import Abstract, Ref, Scalar, as_ref
from myia.infer.domain.views import Permute, Reshape, StridedSlice
from myia.ir.core import Value


def strided_model(ctx: Context, x: Ref) -> np.ndarray | None:
    """An array with the strides of `x`; None when they are not known."""
    contents = ctx.contents(x)
    if isinstance(contents, ArrayObject):
        return _c_contiguous_model(contents.value.shape) if contents.contiguous else None
    if isinstance(contents, ViewObject):
        base = strided_model(ctx, Ref(contents.base))
        return None if base is None else _view_of_model(base, contents.step)
    if isinstance(contents, SelectedArray):
        model = [strided_model(ctx, Ref(id)) for id in contents.options]
        return None if any(k is None for k in model) else model[0]
    return None


def _c_contiguous_model(shape: tuple[int, ...]) -> np.ndarray:
    strides = [1] * len(shape)
    for axis in reversed(range(len(shape) - 1)):
        strides[axis] = strides[axis + 1] * max(1, shape[axis + 1])
    return _strided(shape, strides)


def _strided(shape: tuple[int, ...], strides: Sequence[int]) -> np.ndarray:
    return np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), shape, strides)


def _view_of_model(base: np.ndarray, step: Any) -> np.ndarray | None:
    """The model of a view of `base`; None if the strides do not follow from the step."""
    if isinstance(step, Permute):
        return base.transpose(step.permutation)
    if isinstance(step, StridedSlice):
        taken = _strided(step.sizes, [s * n for s, n in zip(step.strides, base.strides)])
        return reshaped(taken, step.shape)
    if isinstance(step, Reshape):
        return reshaped(base, step.shape)
    return None


def reshaped(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """A view of `x` in another shape; None when NumPy must copy."""
    try:
        return np.reshape(x, shape, copy=False)
    except ValueError:
        return None


def is_contiguous(ctx: Context, x: Abstract) -> bool:
    """True when `x` is known to be C-contiguous."""
    if not isinstance(x, Ref) or len(array_aval(ctx.heap, x.id).shape) == 0:
        return True
    model = strided_model(ctx, x)
    return model is not None and model.flags.c_contiguous


def is_in_c_order(ctx: Context, x: Abstract) -> bool:
    """True when the strides of `x` are known to decrease from axis to axis; gaps are allowed."""
    if not isinstance(x, Ref):
        return True
    shape = ctx.shape(x)
    if sum(n > 1 for n in shape) < 2:
        return True
    model = strided_model(ctx, x)
    if model is None:
        return False
    strides = [abs(step) for n, step in zip(shape, model.strides) if n > 1]
    return strides == sorted(strides, reverse=True)


def result_like(ctx: Context, value: Value, *operands: Abstract) -> Abstract:
    """The result of an elementwise operation: NumPy keeps the memory order of its operands."""
    return with_layout_of(ctx, ctx.array(value), *operands)


def with_layout_of(ctx: Context, new: Abstract, *operands: Abstract) -> Abstract:
    """A new array, in the memory order of the operands of its operator."""
    if not ctx.is_array(new) or len(ctx.shape(new)) < 2:
        return new
    if not all(is_in_c_order(ctx, x) for x in operands):
        ctx.heap.objects[new.id] = replace(ctx.contents(new), contiguous=False)
    return new


def reshape(ctx: Context, x: Ref, shape: tuple[int, ...]) -> Abstract:
    """`x.reshape(shape)`: a view where NumPy gives one, a copy where it copies.

    Where the strides of `x` are not known, it may be either. Then a write to one of the two
    invalidates the other, so that nothing is read that may be out of date.
    """
    model = strided_model(ctx, x)
    if _differ_in_unit_axes(ctx.shape(x), shape) or (
        model is not None and reshaped(model, shape) is not None
    ):
        return ctx.view(x, Reshape(shape), boxed=True)
    return copy_of(ctx, x, shape, may_be_view=model is None)


def ravel(ctx: Context, x: Ref) -> Abstract:
    """`x.ravel()`: a view of a contiguous array, else a copy."""
    model = strided_model(ctx, x)
    shape = (array_aval(ctx.heap, x.id).size,)
    if model is not None and model.flags.c_contiguous:
        return ctx.view(x, Reshape(shape))
    return copy_of(ctx, x, shape, may_be_view=model is None)


def copy_of(ctx: Context, x: Ref, shape: tuple[int, ...], may_be_view: bool) -> Abstract:
    """A new array with the elements of `x` in this shape."""
    new = ctx.array(ctx.reshape(ctx.read(x), shape))
    if may_be_view and isinstance(new, Ref):
        ctx.heap.add_possible_view(new.id, x.id)
    return new


def readonly_snapshot(ctx: Context, x: Ref, value: Value, what: str) -> Abstract:
    """A read-only array with this value, invalidated once `x` is written to.

    It serves as a view that is only read, where no view step computes it.
    """
    new = ctx.new(ArrayObject(value, what))
    ctx.heap.add_copy(x.id, new.id)
    return new


def copy_of_view(ctx: Context, x: Abstract, views: Sequence[Abstract]) -> Abstract:
    """A number that stands for one of these views, or for none; invalid once one is written to."""
    if not isinstance(x, Scalar) or not views:
        return x
    new = ctx.new(ArrayObject(x.value, "what may be a view"))
    for view in views:
        ctx.heap.add_copy(as_ref(view).id, new.id)
    return new


def _differ_in_unit_axes(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return [n for n in a if n != 1] == [n for n in b if n != 1]
