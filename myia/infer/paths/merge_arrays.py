"""The merge of two arrays whose shapes are known: after a branch, in a loop (`merge.py`)."""

from __future__ import annotations

import numpy as np

from myia.infer.domain.dtypes import promote
from myia.infer.domain.heap import (
    DTYPE_OF_ONE_PATH,
    VIEW_OF_ONE_PATH,
    ArrayObject,
    Contents,
    PointsTo,
    ViewObject,
)
from myia.infer.domain.mismatch import Mismatch
from myia.infer.paths import points_to
from myia.ir.avals import Aval


def merged_array(merge, a: int, b: int, named: bool) -> Contents:
    """The template of two arrays; `named`: as in `Merge.merge_contents`. Raises Mismatch.

    If one of them is a view, the merged array is a read-only copy of its elements. Arrays of
    different dtypes are promoted, and are read-only, too: a store would not be cast as in NumPy.
    """
    left, right = merge.left[a], merge.right[b]
    if merge.is_refit and getattr(right, "value", None) not in merge.refit_placeholders:
        return left
    x, y = merge.arrays.aval(merge.left, a), merge.arrays.aval(merge.right, b)
    if x.shape != y.shape:
        raise Mismatch(f"an array {x}", f"an array {y}")
    dtype = promote((x.dtype, False), (y.dtype, False))[0] if named else x.dtype
    readonly, contiguous = dtype_of_one_path(x, y, dtype), True
    for side in (left, right):
        for base in side.bases if points_to.points_to_of(side) is None else ():
            if not (named or isinstance(side, ViewObject) or merge.is_referenced(base)):
                continue
            merge.copies.append((base, merge.merged_ids.get((a, b), a)))
            readonly, contiguous = VIEW_OF_ONE_PATH, False
        if isinstance(side, ArrayObject):
            readonly, contiguous = readonly or side.readonly, contiguous and side.contiguous
    of = left.value if isinstance(left, ArrayObject) else None
    # The flags of a name with a points-to set are decided once all objects are merged.
    has_points_to = points_to.points_to_of(left) is not None
    if (
        of is not None
        and not has_points_to
        and (left.readonly, left.contiguous) != (readonly, contiguous)
    ):
        merge.widened = True
    widened = merge.widened
    value = merge.placeholder(x.with_dtype(dtype), of)
    if isinstance(left, PointsTo):
        merge.widened = widened  # the placeholder is dropped in `assign_points_to`
    return ArrayObject(value, readonly, contiguous)


def dtype_of_one_path(x: Aval, y: Aval, dtype: np.dtype) -> str | None:
    """Why stores are refused into an array that one of two paths promotes to `dtype`."""
    return None if x.dtype == y.dtype == dtype else DTYPE_OF_ONE_PATH
