"""Merges of values that only one path has, and of branches where only one path goes on.

The template of such a value is the value itself with a placeholder for each run-time leaf. The
other path yields zeros for them, which are never read.
"""

from __future__ import annotations

from collections.abc import Iterable

from myia.infer.domain.describe import describe
from myia.infer.domain.heap import (
    VIEW_OF_ONE_PATH,
    ArrayObject,
    Contents,
    DynamicArray,
    DynamicView,
    Heap,
    ViewObject,
)
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import Abstract, Ref, Scalar
from myia.infer.paths import merge_dynamic_arrays
from myia.infer.paths.merge_state import MergeState
from myia.ir.core import Op


def surviving_template(merge: MergeState, x: Abstract, left: bool, ops: Iterable[Op]) -> Abstract:
    """The template where only one path goes on: the values that its `ops` define are replaced."""
    merge.survivor_values = frozenset(r for op in ops for r in op.results)
    heap = merge.left if left else merge.right
    template = one_sided_template(merge, x, left)
    # The other path raises: objects from before are as the surviving path has left them.
    for id, contents in list(heap.objects.items()):
        changed = id in merge.before and contents is not merge.before[id]
        if changed and id not in merge.merged:
            merge.merged[id] = _contents(merge, heap, id, left)
    return template


def one_sided_template(merge: MergeState, x: Abstract, left: bool) -> Abstract:
    """The template of a value that only one side has: a placeholder for each run-time leaf."""
    if isinstance(x, Scalar):
        if merge.survivor_values is not None and x.value not in merge.survivor_values:
            return x
        return x.with_value(merge.placeholder(x.value.aval, x.value))
    if isinstance(x, Ref):
        if merge.is_refit:  # the ids of the last fixed point are of another visit
            raise Mismatch("nothing", "an object")
        if x.id not in merge.before and x.id not in merge.merged:
            heap = merge.left if left else merge.right
            merge.merged[x.id] = _contents(merge, heap, x.id, left)
        return x
    return x.rebuild(tuple(one_sided_template(merge, c, left) for c in x.children()))


def _contents(merge: MergeState, heap: Heap, id: int, left: bool) -> Contents:
    contents = heap[id]
    if not isinstance(contents, (ViewObject, DynamicView)):
        for base in contents.bases:
            one_sided_template(merge, Ref(base), left)
    if isinstance(contents, (DynamicArray, DynamicView)):
        if merge.is_loop and merge.can_unroll:  # its size is known in the unrolled loop
            raise Mismatch("nothing", describe(Ref(id), heap))
        return merge_dynamic_arrays.one_sided_array(merge, heap, id)
    if isinstance(contents, ViewObject):
        survives = merge.survivor_values is not None
        if (merge.tracks_points_to and not merge.is_loop) or (survives and not contents.children()):
            one_sided_template(merge, Ref(contents.base), left)
            starts = tuple(one_sided_template(merge, c, left) for c in contents.children())
            return contents.rebuild(starts)
        merge.copies.append((contents.base, id))
        return ArrayObject(merge.placeholder(merge.arrays.aval(heap, id)), VIEW_OF_ONE_PATH, False)
    return contents.rebuild(tuple(one_sided_template(merge, c, left) for c in contents.children()))
