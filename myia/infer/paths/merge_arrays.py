"""Joins of arrays whose sizes are known (`infer/paths/merge.py`): after a branch, in a loop."""

from __future__ import annotations

from myia.infer.domain.dtypes import promote
from myia.infer.domain.heap import VIEW_OF_ONE_PATH, ArrayObject, Contents, PointsTo, ViewObject
from myia.infer.domain.mismatch import Mismatch
from myia.infer.paths import points_to


def merged_array(join, a: int, b: int, named: bool) -> Contents:
    """What stands for either of two arrays. `named`: as in `Join.contents`. Raises Mismatch."""
    left, right = join.left[a], join.right[b]
    if join.hinted is not None and getattr(right, "value", None) not in join.hinted:
        return left
    x, y = join.read_array.aval(join.left, a), join.read_array.aval(join.right, b)
    if x.shape != y.shape:
        raise Mismatch(f"an array {x}", f"an array {y}")
    dtype = promote((x.dtype, False), (y.dtype, False))[0] if named else x.dtype
    readonly, contiguous = None, True
    for side in (left, right):
        for base in side.bases if points_to.points_to_of(side) is None else ():
            if not (named or isinstance(side, ViewObject) or join.is_known(base)):
                continue
            join.view_bases.append((base, join.pairs.get((a, b), a)))
            readonly, contiguous = VIEW_OF_ONE_PATH, False
        if isinstance(side, ArrayObject):
            readonly, contiguous = readonly or side.readonly, contiguous and side.contiguous
    of = left.value if isinstance(left, ArrayObject) else None
    told = points_to.points_to_of(left) is not None  # then that is decided when all are joined
    if of is not None and not told and (left.readonly, left.contiguous) != (readonly, contiguous):
        join.widened = True
    widened = join.widened
    value = join.slot(x.with_dtype(dtype), of)
    if isinstance(left, PointsTo):
        join.widened = widened  # the value is dropped (`alternatives.attach`)
    return ArrayObject(value, readonly, contiguous)
