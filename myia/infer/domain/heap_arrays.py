"""Types and values of the arrays and views of a heap."""

from __future__ import annotations

from typing import Any

from myia.infer.domain import swapped_arrays
from myia.infer.domain.dynamic_axes import DynamicAxes
from myia.infer.domain.dynamic_views import PaddedValue
from myia.infer.domain.heap import (
    ArrayObject,
    DynamicArray,
    DynamicView,
    Heap,
    SelectedArray,
    ViewObject,
)
from myia.infer.domain.views import composed_slice
from myia.ir.avals import Aval
from myia.ir.core import Value

STATIC_ARRAYS = (ArrayObject, ViewObject, SelectedArray)
DYNAMIC_ARRAYS = (DynamicArray, DynamicView)
ARRAYS = (*STATIC_ARRAYS, *DYNAMIC_ARRAYS)


def array_aval(heap: Heap, id: int) -> Aval:
    """The aval of an array or view, without emitting anything."""
    contents = heap[id]
    if isinstance(contents, ViewObject):
        return contents.step.aval(array_aval(heap, contents.base))
    if isinstance(contents, SelectedArray):
        return array_aval(heap, contents.options[0])
    assert isinstance(contents, (ArrayObject, DynamicArray))
    return contents.value.aval


def type_of_array(heap: Heap, id: int) -> tuple[Aval, DynamicAxes]:
    """Dtype and greatest shape; the dynamic axes, None for a static axis."""
    contents = heap[id]
    if isinstance(contents, DynamicArray):
        return contents.value.aval, contents.dynamic_axes
    if isinstance(contents, DynamicView):
        aval, _ = type_of_array(heap, contents.base)
        return aval.with_shape(contents.step.shape), contents.step.dynamic_axes
    aval = array_aval(heap, id)
    return aval, (None,) * aval.ndim


def read_array(heap: Heap, id: int) -> Value:
    """The value of an array or a view of static size."""
    contents = heap[id]
    if isinstance(contents, ViewObject):
        return read_view(heap, contents.base, contents.step)
    if isinstance(contents, SelectedArray):
        values = [read_array(heap, id) for id in contents.options]
        return swapped_arrays.selected_value(contents.index, values)
    assert isinstance(contents, ArrayObject)
    return contents.value


def read_view(heap: Heap, base: int, step: Any) -> Value:
    """The value of a view of an array; of a selected array, the view of each option."""
    contents = heap[base]
    if isinstance(contents, SelectedArray):
        parts = [read_view(heap, *composed_view(heap, id, step)) for id in contents.options]
        return swapped_arrays.selected_value(contents.index, parts)
    return step.read(read_array(heap, base))


def composed_view(heap: Heap, base: int, step: Any) -> tuple[int, Any]:
    """The same view as one step from the base of `base`, where one step can express it."""
    contents = heap[base]
    if isinstance(contents, ViewObject):
        shape = array_aval(heap, contents.base).shape
        if (found := composed_slice(contents.step, step, shape)) is not None:
            return contents.base, found
    return base, step


def padded_value(heap: Heap, id: int) -> PaddedValue:
    """The elements of an array of any size."""
    contents = heap[id]
    if isinstance(contents, DynamicArray):
        return PaddedValue(contents.value, contents.dynamic_axes)
    if isinstance(contents, DynamicView):
        base = padded_value(heap, contents.base).packed()
        return PaddedValue(contents.step.read(base.value), contents.step.dynamic_axes)
    value = read_array(heap, id)
    return PaddedValue(value, (None,) * len(value.shape))
