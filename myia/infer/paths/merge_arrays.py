"""The merge of two arrays whose shapes are known: after a branch, in a loop (`merge.py`)."""

from __future__ import annotations

from myia.infer.domain.heap import (
    VIEW_OF_ONE_PATH,
    ArrayObject,
    Contents,
    PointsTo,
    ViewObject,
)
from myia.infer.domain.mismatch import ONE_DTYPE, Mismatch
from myia.infer.paths import points_to
from myia.ir.avals import Aval


def merged_array(merge, a: int, b: int, named: bool) -> Contents:
    """The template of two arrays; `named`: as in `Merge.merge_contents`. Raises Mismatch.

    If one of them is a view, the merged array is a read-only copy of its elements.
    """
    left, right = merge.left[a], merge.right[b]
    if merge.is_refit and getattr(right, "value", None) not in merge.refit_placeholders:
        return left
    x, y = merge.arrays.aval(merge.left, a), merge.arrays.aval(merge.right, b)
    if x.shape != y.shape:
        raise Mismatch(f"an array {x}", f"an array {y}")
    require_one_dtype(x, y)
    readonly, contiguous = None, True
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
    value = merge.placeholder(x, of)
    if isinstance(left, PointsTo):
        merge.widened = widened  # the placeholder is dropped in `assign_points_to`
    return ArrayObject(value, readonly, contiguous)


def require_one_dtype(x: Aval, y: Aval) -> None:
    """Raise Mismatch for arrays of different dtypes.

    They have no common form. As elements of the promoted dtype they would be rounded, would wrap
    and would be stored to in another way than those of the path that is taken.
    """
    if x.dtype != y.dtype:
        raise Mismatch(f"an array {x}", f"an array {y}", ONE_DTYPE)
