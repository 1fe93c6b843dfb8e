"""Joins (`infer/paths/merge.py`) of what only one of two paths has, or where only one goes on."""

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
from myia.infer.paths import merge_dynamic_arrays as sized_joins
from myia.ir.core import Op


def surviving_template(join, x: Abstract, left: bool, ops: Iterable[Op]) -> Abstract:
    """The skeleton of `x` where only one side goes on: what its `ops` define are slots."""
    join.survivor_defines = frozenset(r for op in ops for r in op.results)
    heap = join.left if left else join.right
    skeleton = one_sided_template(join, x, left)
    for id, contents in list(heap.objects.items()):
        changed = id in join.before and contents is not join.before[id]
        if changed and id not in join.merged:
            join.merged[id] = _contents(join, heap, id, left)
    return skeleton


def one_sided_template(join, x: Abstract, left: bool) -> Abstract:
    """The skeleton of a value that only one side has: all its run-time leaves are slots."""
    if isinstance(x, Scalar):
        if join.survivor_defines is not None and x.value not in join.survivor_defines:
            return x
        return x.with_value(join.slot(x.value.aval, x.value))
    if isinstance(x, Ref):
        if join.hinted is not None:  # the ids of a hint are those of another visit
            raise Mismatch("nothing", "an object")
        if x.id not in join.before and x.id not in join.merged:
            heap = join.left if left else join.right
            join.merged[x.id] = _contents(join, heap, x.id, left)
        return x
    return x.rebuild(tuple(one_sided_template(join, c, left) for c in x.children()))


def _contents(join, heap: Heap, id: int, left: bool) -> Contents:
    contents = heap[id]
    if not isinstance(contents, (ViewObject, DynamicView)):
        for base in contents.bases:
            one_sided_template(join, Ref(base), left)
    if isinstance(contents, (DynamicArray, DynamicView)):
        if join.loop and join.unrolls:  # then its size is known
            raise Mismatch("nothing", describe(Ref(id), heap))
        return sized_joins.one_sided_array(join, heap, id)
    if isinstance(contents, ViewObject):
        survives = join.survivor_defines is not None
        if (join.tracks_points_to and not join.loop) or (survives and not contents.children()):
            one_sided_template(join, Ref(contents.base), left)
            starts = tuple(one_sided_template(join, c, left) for c in contents.children())
            return contents.rebuild(starts)
        join.view_bases.append((contents.base, id))
        return ArrayObject(join.slot(join.read_array.aval(heap, id)), VIEW_OF_ONE_PATH, False)
    return contents.rebuild(tuple(one_sided_template(join, c, left) for c in contents.children()))
