"""Points-to sets of names that are assigned different arrays: `v = a if c else b`.

*What it computes*: for a name that a merge has given a new id (`Merge.merge_refs`), the set of
arrays that it may be, and the run-time index of the one that it is (`ArrayObject.points_to`).

    v = a if c else b         after the merge `v` is the array `options[index]`: a write to `v`
    v[0] = 1.0                is a write to that array, and a write to `a` shows in `v`
    return np.sum(a)

*What it guarantees*: reads and writes through the name are exact; it needs no may-alias edges. At
first the name also has a merged value. This value is read as long as no array of the set is written
to. From then on the name is a `PointsTo`: it is read from its options.

In a loop the arrays from before it are options. All arrays that the iterations make for the name
are one option: the *loop-private* array of the name, which the loop carries.

    for i in range(n):        the points-to set of `a`: the argument, and a loop-private array
        a[i] = 0.0
        a = a + 1.0

*When it gives up*: the arrays differ in type, one is invalidated or read-only, or a loop gives more
than `MAX_POINTS_TO_OPTIONS`. Then the name is a read-only copy, or has may-alias edges. If that is
not enough, it is a choice (`choice.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from myia.infer.domain import swapped_arrays
from myia.infer.domain.heap import (
    VIEW_OF_ONE_PATH,
    ArrayObject,
    Contents,
    DynamicArray,
    Heap,
    Invalidated,
    PointsTo,
    SelectedArray,
    ViewObject,
)
from myia.infer.domain.heap_arrays import type_of_array
from myia.infer.domain.values import Ref, Scalar
from myia.infer.domain.views import StridedSlice
from myia.infer.paths.merge_result import Alias, Merging
from myia.ir.avals import I64, Aval
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.source.diagnostics import InternalError

MAX_POINTS_TO_OPTIONS = 4  # a write through the name is a conditional write to each option


def points_to_of(contents: Contents) -> PointsTo | None:
    """The points-to set of an object; None where it is an object of its own."""
    return contents if isinstance(contents, PointsTo) else getattr(contents, "points_to", None)


def merged_set(merging: Merging, id: int) -> PointsTo:
    """A name with a points-to set from before, to an object of which a path has written.

    Its set stays the same. Its own copy of the elements is given up (`ArrayObject.points_to`).
    """
    x, y = (points_to_of(heap[id]) for heap in merging.merge.sides)
    if x is None or y is None or x.options != y.options:
        raise InternalError("the points-to set of a name from before has changed")
    index = merging.merge_values(x.index, y.index)
    assert isinstance(index, Scalar)
    return PointsTo(index, x.options)


def _array(merging: Merging, id: int) -> ArrayObject:
    """What has been merged for the name `id`."""
    contents = merging.objects[id]
    assert isinstance(contents, ArrayObject)
    return contents


def _drop_set(merging: Merging, a: int, b: int, id: int) -> None:
    """A name without a points-to set that had one becomes a read-only copy of the elements."""
    left, right = merging.merge.left[a], merging.merge.right[b]
    if points_to_of(left) is not None or points_to_of(right) is not None:
        # Read-only: the array that the name stands for would not show a write to the copy.
        copy = replace(_array(merging, id), readonly=VIEW_OF_ONE_PATH, contiguous=False)
        merging.objects[id] = copy
        merging.copies += [(base, id) for base in (*left.bases, *right.bases)]


# ----- Branches


def add_set_of_branches(merging: Merging, a: int, b: int, id: int) -> None:
    """The options are the arrays `a` and `b` of the two branches."""
    if a == b or not _are_options(merging, a, b, _array(merging, id).value.aval):
        return _drop_set(merging, a, b, id)
    merge = merging.merge
    # An array made on one path must exist after the merge to be an option: the other path yields
    # zeros for it.
    for option, left in ((a, True), (b, False)):
        if option not in merge.before:
            merging.one_sided(Ref(option), left)
        if any(h.invalidation(option) is not None for h in merge.sides if option in h):
            return _drop_set(merging, a, b, id)
    contiguous = all(map(_is_contiguous, (merge.left[a], merge.right[b])))
    index = Scalar(merging.placeholder(I64), True, 0, 1)
    value, options = _array(merging, id).value, (a, b)
    merging.objects[id] = ArrayObject(value, None, contiguous, PointsTo(index, options))
    merging.exact.add((a, b))
    merging.copies += [(base, id) for base in options]


def _are_options(merging: Merging, a: int, b: int, aval: Aval) -> bool:
    """Arrays of this type, and names or views besides show one of them."""
    merge = merging.merge
    shared = sum(a == x or b == y for x, y in merging.ids) > 1
    has_views = any(c.bases for c in (merge.left[a], merge.right[b]))
    shown = shared or has_views or a in merge.before or b in merge.before
    return shown and _fits(merge.left, a, aval) and _fits(merge.right, b, aval)


def _fits(heap: Heap, id: int, aval: Aval) -> bool:
    """An array of this type, whose size is known."""
    return type_of_array(heap, id) == (aval, (None,) * aval.ndim)


def _is_contiguous(contents: Contents) -> bool:
    return isinstance(contents, ArrayObject) and contents.contiguous


# ----- Loops


def add_set_of_loop(
    merging: Merging, a: int, b: int, id: int, before: Heap, private_arrays: Mapping[int, int]
) -> None:
    """The options are arrays from before the loop, and the loop-private array of the name.

    `private_arrays`: those at the start of the iteration, by loop name.
    """
    merge = merging.merge
    points_to = points_to_of(merge.left[a])
    if a in before:  # the first iteration that assigns another array to the name
        options: tuple[int, ...] = (a,) if a != b else ()
    else:
        options = points_to.options if points_to is not None else ()
    if not options:
        return _drop_set(merging, a, b, id)
    targets = list(dict.fromkeys(_targets(merge.right, b, before)))
    options += tuple(target for target in targets if target in before and target not in options)
    new_arrays = tuple(target for target in targets if target not in before)
    if not _can_assign(merging, id, options, new_arrays, before):
        merging.aliases += [Alias(True, old, id) for old in options]
        return _drop_set(merging, a, b, id)
    was = private_arrays.get(a)
    private = was if id == a else None
    if private is None and (new_arrays or was is not None):
        private = merging.new_id()
    if private is not None:
        merging.private_arrays[id] = private
        merging.objects[private] = _private_contents(merging, private, id, new_arrays)
        merging.aliases += [Alias(False, new, private) for new in new_arrays]
        if was in options:
            options = tuple(private if option == was else option for option in options)
        else:
            options = (*options, private)
    merging.objects[id] = _name(merging, a, b, id, options)
    merging.exact.add((a, b))
    merging.copies += [(base, id) for base in options]


def _targets(heap: Heap, id: int, before: Heap) -> Iterator[int]:
    """The arrays that `id` may be: arrays from before the loop, and new ones; no names."""
    points_to = None if id in before else points_to_of(heap[id])
    if points_to is None:
        yield id
    else:
        for option in points_to.options:
            yield from _targets(heap, option, before)


def _can_assign(
    merging: Merging, id: int, options: tuple[int, ...], new_arrays: tuple[int, ...], before: Heap
) -> bool:
    """All options are arrays of one type that may be written to; no new one is a view."""
    merge, aval = merging.merge, _array(merging, id).value.aval
    old = [option for option in options if option in before]
    return (
        len(old) < MAX_POINTS_TO_OPTIONS
        and not any(map(merge.left.invalidation, old))
        and all(
            isinstance(new, ArrayObject) and new.readonly is None
            for new in map(merge.right.__getitem__, new_arrays)
        )
        and all(_fits(merge.right, new, aval) for new in new_arrays)
        and all(_fits(merge.left, option, aval) for option in old)
    )


def _private_contents(
    merging: Merging, private: int, id: int, new_arrays: tuple[int, ...]
) -> Contents:
    """The loop-private array of the name `id`."""
    merge = merging.merge
    old = merge.left.objects.get(private)
    if not new_arrays and isinstance(merge.right[private], Invalidated):
        return merge.right[private]
    of = old.value if isinstance(old, ArrayObject) else None
    arrays = (*new_arrays, *([private] if old else ()))
    value = merging.placeholder(_array(merging, id).value.aval, of)
    return ArrayObject(value, None, all(_is_contiguous(merge.right[array]) for array in arrays))


def _name(merging: Merging, a: int, b: int, id: int, options: tuple[int, ...]) -> Contents:
    """The name `id` with the points-to set `options`."""
    left, right = merging.merge.left[a], merging.merge.right[b]
    old = points_to_of(left) if id == a else None
    index = merging.placeholder(I64, old.index.value if old is not None else None)
    points_to = PointsTo(Scalar(index, True, 0, len(options) - 1), options)
    # Once an option is written to, the name's own copy of the elements is out of date. As the
    # state must hold for every iteration, the copy is then dropped for the whole loop.
    if (old is not None and isinstance(left, PointsTo)) or isinstance(right, PointsTo):
        return points_to
    contiguous = _is_contiguous(left) and _is_contiguous(right)
    return ArrayObject(_array(merging, id).value, None, contiguous, points_to)


# ----- Views of one array


def merged_view(merging: Merging, a: int, b: int) -> ViewObject | None:
    """Two slices of one array with equal sizes: a slice whose start indices are placeholders."""
    merge = merging.merge
    x, y = merge.left[a], merge.right[b]
    if not (isinstance(x, ViewObject) and isinstance(y, ViewObject)):
        return None
    if slice_form(x) is None or slice_form(x) != slice_form(y):
        return None
    if x.base not in merge.before or merge.join.is_loop_name(x.base):
        return None
    first, then = x.step, y.step
    # `StridedSlice` allows a run-time start only where the stride is 1.
    differing = [i for i, start in enumerate(first.starts) if start != then.starts[i]]
    if any(first.strides[i] != 1 for i in differing):
        return None
    starts = tuple(_merged_start(merging, s, t) for s, t in zip(first.starts, then.starts))
    return ViewObject(x.base, replace(first, starts=starts))


def slice_form(view: ViewObject) -> tuple[object, ...] | None:
    """What slices have in common that differ in their start indices only; None: it is no slice."""
    step = view.step
    if not isinstance(step, StridedSlice):
        return None
    return view.base, step.sizes, step.strides, step.shape


def _merged_start(merging: Merging, s: int | Value, t: int | Value) -> int | Value:
    if isinstance(s, Value):
        fixed = s is t and s not in merging.merge.join.entry_placeholders
        return s if fixed else merging.placeholder(I64, s)
    return s if not isinstance(t, Value) and s == t else merging.placeholder(I64)


# ----- Values of the placeholders on a path


def option_index(heap: Heap, id: int, options: tuple[int, ...], private: int | None) -> Value:
    """Which option the object `id` of this heap is; a new array becomes the loop-private one."""
    if id in options:
        return constant(options.index(id), I64.dtype)
    points_to = points_to_of(heap[id])
    if points_to is None:
        return constant(options.index(private), I64.dtype)
    if points_to.options == options:
        return points_to.index.value
    indices = [option_index(heap, option, options, private) for option in points_to.options]
    return swapped_arrays.selected_value(points_to.index, indices)


def may_be_new_array(heap: Heap, id: int, options: tuple[int, ...]) -> bool:
    """Whether the object `id` of this heap may be an array that is not among the options."""
    points_to = None if id in options else points_to_of(heap[id])
    if points_to is None:
        return id not in options
    return any(may_be_new_array(heap, option, options) for option in points_to.options)


# ----- Identity


def identity_test(heap: Heap, a: int, b: int) -> Value | bool | None:
    """`a is b`, at run time where one is swapped or an option of the other; None: not known."""
    if a == b:
        return True
    for one, other in ((a, b), (b, a)):
        if type(swapped := heap[one]) is SelectedArray:
            return _swapped_identity(heap, swapped, other)
    for one, other in ((a, b), (b, a)):
        points_to = points_to_of(heap[one])
        if points_to is None or other not in points_to.options:
            continue
        if all(points_to_of(heap[id]) is None for id in points_to.options):
            index = constant(points_to.options.index(other), I64.dtype)
            return logic.eq(points_to.index.value, index)
    if any(points_to_of(heap[id]) or _is_copy(heap[id]) for id in (a, b)):
        return None
    linked = b in heap.alias_edges.get(a, ()) or a in heap.alias_edges.get(b, ())
    return None if linked or _may_be_one_view(heap[a], heap[b]) else False


def _is_copy(contents: Contents) -> bool:
    """A read-only copy of what may be another array: it has only the edges that writes need."""
    arrays = (ArrayObject, DynamicArray)
    return isinstance(contents, arrays) and contents.readonly == VIEW_OF_ONE_PATH


def _may_be_one_view(a: Contents, b: Contents) -> bool:
    """Slices of one array and one form: one of them may be merged of the other."""
    if not (isinstance(a, ViewObject) and isinstance(b, ViewObject)):
        return False
    return slice_form(a) is not None and slice_form(a) == slice_form(b)


def _swapped_identity(heap: Heap, swapped: SelectedArray, other: int) -> Value | None:
    tests = []
    for name in swapped.options:
        if (test := identity_test(heap, name, other)) is None:
            return None
        tests.append(test if isinstance(test, Value) else constant(test, np.dtype(bool)))
    return swapped_arrays.selected_value(swapped.index, tests)
