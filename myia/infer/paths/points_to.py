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
than `MAX_POINTS_TO_OPTIONS`. Then the name is a read-only copy, or has may-alias edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from myia.infer.domain import swapped_arrays
from myia.infer.domain.heap import (
    VIEW_OF_ONE_PATH,
    ArrayObject,
    Contents,
    Heap,
    Invalidated,
    PointsTo,
    SelectedArray,
    ViewObject,
)
from myia.infer.domain.values import Ref, Scalar
from myia.infer.domain.views import StridedSlice
from myia.infer.paths import one_branch
from myia.infer.paths.merge_state import MergeState
from myia.ir.avals import I64, Aval
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

MAX_POINTS_TO_OPTIONS = 4  # a write through the name is a conditional write to each option


def points_to_of(contents: Contents) -> PointsTo | None:
    """The points-to set of an object; None where it is an object of its own."""
    return contents if isinstance(contents, PointsTo) else getattr(contents, "points_to", None)


def assign_points_to(merge: MergeState) -> None:
    """Give the names of a merge their points-to sets, where these are known."""
    for (a, b), merged_id in list(merge.merged_ids.items()):
        if merged_id in merge.swapped_names or not isinstance(
            merge.merged.get(merged_id), ArrayObject
        ):
            continue
        if merge.is_loop:
            assigned = _assign_in_loop(merge, a, b, merged_id)
        else:
            assigned = a != b and _assign_in_branch(merge, a, b, merged_id)
        if assigned:
            merge.points_to_pairs.add((a, b))
            merge.copies += [(base, merged_id) for base in merge.merged[merged_id].bases]
        elif points_to_of(merge.left[a]) is not None or points_to_of(merge.right[b]) is not None:
            _make_snapshot(merge, a, b, merged_id)


def _make_snapshot(merge: MergeState, a: int, b: int, merged_id: int) -> None:
    """A name without a points-to set becomes a read-only copy of the present elements."""
    merge.copies += [(base, merged_id) for base in (*merge.left[a].bases, *merge.right[b].bases)]
    was = merge.left[a]
    if not isinstance(was, ArrayObject) or was.readonly != VIEW_OF_ONE_PATH:
        merge.widened = True
    # Read-only: the array that the name stands for would not show a write to the copy.
    merge.merged[merged_id] = replace(
        merge.merged[merged_id], readonly=VIEW_OF_ONE_PATH, contiguous=False
    )


# ----- Branches


def _assign_in_branch(merge: MergeState, a: int, b: int, merged_id: int) -> bool:
    """The options are the arrays of the two branches. False where no set is given."""
    shared = sum(a == x or b == y for x, y in merge.merged_ids) > 1
    has_views = any(c.bases for c in (merge.left[a], merge.right[b]))
    if not (shared or has_views or a in merge.before or b in merge.before):
        return False  # no other name or view shows either of them: the value is enough
    aval = merge.merged[merged_id].value.aval
    if not (_fits(merge.left, a, aval) and _fits(merge.right, b, aval)):
        return False
    # An array made on one path must exist after the merge to be an option: the other path yields
    # zeros for it.
    for id, left in ((a, True), (b, False)):
        if id not in merge.before:
            one_branch.one_sided_template(merge, Ref(id), left)
        if _is_invalidated(merge, id):
            return False
    contents = merge.merged[merged_id]
    contiguous = all(map(_is_contiguous, (merge.left[a], merge.right[b])))
    index = Scalar(merge.placeholder(I64), True, 0, 1)
    merge.merged[merged_id] = ArrayObject(contents.value, None, contiguous, PointsTo(index, (a, b)))
    return True


def _fits(heap: Heap, id: int, aval: Aval) -> bool:
    """An array of this type, whose size is known."""
    contents = heap[id]
    if isinstance(contents, ArrayObject):
        return contents.value.aval == aval
    if isinstance(contents, ViewObject):
        return (view_aval := _aval(heap, id)) is not None and view_aval == aval
    return isinstance(contents, SelectedArray) and _fits(heap, contents.options[0], aval)


def _aval(heap: Heap, id: int) -> Aval | None:
    """The aval of an array; None for a dynamic array."""
    contents = heap[id]
    if isinstance(contents, ArrayObject):
        return contents.value.aval
    if isinstance(contents, ViewObject):
        base = _aval(heap, contents.base)
        return None if base is None else contents.step.aval(base)
    return _aval(heap, contents.options[0]) if isinstance(contents, SelectedArray) else None


def _is_invalidated(merge: MergeState, id: int) -> bool:
    if isinstance(merge.merged.get(id), Invalidated):
        return True
    return any(
        id in heap and heap.invalidation(id) is not None for heap in (merge.left, merge.right)
    )


def _is_contiguous(contents: Contents) -> bool:
    return isinstance(contents, ArrayObject) and contents.contiguous


# ----- Loops


def _assign_in_loop(merge: MergeState, a: int, b: int, merged_id: int) -> bool:
    """The options are arrays from before the loop, and the loop-private array of the name."""
    before = merge.before if merge.before_loop is None else merge.before_loop
    points_to = points_to_of(merge.left[a])
    if a in before:  # the first iteration that assigns another array to the name
        if a == b:
            return False
        options: tuple[int, ...] = (a,)
    elif points_to is not None:
        options = points_to.options
    else:
        return False
    # The ids on the right of a refit are of another visit: `b` is taken for an array of the
    # iteration. The rounds check this guess.
    new_arrays = [b] if merge.is_refit else []
    if not merge.is_refit:
        targets = list(dict.fromkeys(_targets(merge.right, b, before)))
        options += tuple(id for id in targets if id in before and id not in options)
        new_arrays = [id for id in targets if id not in before]
    if not _can_assign(merge, merged_id, options, new_arrays, before):
        merge.possible_aliases += [(id, merged_id) for id in options]
        return False
    options = _with_private_array(merge, a, merged_id, options, new_arrays, before)
    _assign(merge, a, b, merged_id, options)
    return True


def _targets(heap: Heap, id: int, before: Heap) -> Iterator[int]:
    """The arrays that `id` may be: arrays from before the loop, and new ones; no names."""
    points_to = None if id in before else points_to_of(heap[id])
    if points_to is None:
        yield id
    else:
        for option in points_to.options:
            yield from _targets(heap, option, before)


def _can_assign(
    merge: MergeState, merged_id: int, options, new_arrays: list[int], before: Heap
) -> bool:
    """All options are arrays of one type that may be written to."""
    aval = merge.merged[merged_id].value.aval
    old = [id for id in options if id in before]
    if len(old) >= MAX_POINTS_TO_OPTIONS or any(map(merge.left.invalidation, old)):
        return False
    if not merge.is_refit and not all(_is_writable_array(merge.right[id]) for id in new_arrays):
        return False
    fresh_fit = merge.is_refit or all(_fits(merge.right, id, aval) for id in new_arrays)
    return fresh_fit and all(_fits(merge.left, id, aval) for id in old)


def _is_writable_array(contents: Contents) -> bool:
    """An array that is no view, and may be written to."""
    return isinstance(contents, ArrayObject) and contents.readonly is None


def _with_private_array(
    merge: MergeState, a: int, merged_id: int, options: tuple[int, ...], new_arrays, before: Heap
) -> tuple[int, ...]:
    """The options, with a loop-private array for the name `merged_id` if it needs one."""
    was = merge.private_at_start.get(a)  # that of `a`, if `a` is a loop name
    private = was if merged_id == a else None
    if private is None and (new_arrays or was is not None):
        private = merge.new_id()
    if private is None:
        return options
    merge.private_at_end[merged_id], merge.iteration_arrays[private] = private, new_arrays
    old = merge.left.objects.get(private)
    aval = merge.merged[merged_id].value.aval
    of = old.value if isinstance(old, ArrayObject) else None
    if not new_arrays and isinstance(merge.right[private], Invalidated):
        merge.widened |= not isinstance(old, Invalidated)
        merge.merged[private] = merge.right[private]
    else:
        contiguous = all(
            _is_contiguous(merge.right[id]) for id in (*new_arrays, *([private] if old else ()))
        )
        merge.widened |= contiguous != (old is not None and _is_contiguous(old))
        merge.merged[private] = ArrayObject(merge.placeholder(aval, of), None, contiguous)
    if was in options:
        return tuple(private if id == was else id for id in options)
    return (*options, private)


def _assign(merge: MergeState, a: int, b: int, merged_id: int, options: tuple[int, ...]) -> None:
    """Give the name `merged_id` the points-to set `options`."""
    left, right, contents = merge.left[a], merge.right[b], merge.merged[merged_id]
    old = points_to_of(left) if merged_id == a else None
    if old is None or old.options != options:
        merge.widened = True
    index = merge.placeholder(I64, old.index.value if old is not None else None)
    points_to = PointsTo(Scalar(index, True, 0, len(options) - 1), options)
    # Once an option is written to, the name's own copy of the elements is out of date. As the
    # state must hold for every iteration, the copy is then dropped for the whole loop.
    had_no_value = old is not None and isinstance(left, PointsTo)
    if had_no_value or (not merge.is_refit and isinstance(right, PointsTo)):
        merge.widened |= not had_no_value
        merge.drop_placeholder(contents)
        merge.merged[merged_id] = points_to
        return
    contiguous = _is_contiguous(left) and _is_contiguous(right)
    merge.widened |= old is not None and contiguous != _is_contiguous(left)
    merge.merged[merged_id] = ArrayObject(contents.value, None, contiguous, points_to)


# ----- Views of one array


def merged_view(merge: MergeState, a: int, b: int) -> ViewObject | None:
    """Two slices of one array with equal sizes: a slice whose start indices are placeholders."""
    x, y = merge.left[a], merge.right[b]
    if not (isinstance(x, ViewObject) and isinstance(y, ViewObject)):
        return None
    one_base = x.base == y.base and not merge.is_refit and not merge.is_loop_name(x.base)
    if not one_base or x.base not in merge.before:
        return None
    first, then = x.step, y.step
    if not (isinstance(first, StridedSlice) and isinstance(then, StridedSlice)):
        return None
    # `StridedSlice` allows a run-time start only where the stride is 1.
    alike = (first.sizes, first.strides, first.shape) == (then.sizes, then.strides, then.shape)
    differing = [i for i, start in enumerate(first.starts) if start != then.starts[i]]
    if not alike or any(first.strides[i] != 1 for i in differing):
        return None
    merge.points_to_pairs.add((a, b))
    starts = tuple(_merged_start(merge, s, t) for s, t in zip(first.starts, then.starts))
    return ViewObject(x.base, replace(first, starts=starts))


def _merged_start(merge: MergeState, s: int | Value, t: int | Value) -> int | Value:
    if isinstance(s, Value):
        return s if s is t and s not in merge.entry_placeholders else merge.placeholder(I64, s)
    return s if not isinstance(t, Value) and s == t else merge.placeholder(I64)


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
    return swapped_arrays.selected_value(points_to, indices)


def may_be_new_array(heap: Heap, id: int, options: tuple[int, ...]) -> bool:
    """Whether the object `id` of this heap may be an array that is not among the options."""
    points_to = None if id in options else points_to_of(heap[id])
    if points_to is None:
        return id not in options
    return any(may_be_new_array(heap, option, options) for option in points_to.options)


# ----- Identity


def is_ambiguous(heap: Heap, a: int, b: int) -> bool:
    """Whether one of the two has a points-to set."""
    return any(points_to_of(heap[id]) is not None for id in (a, b))


def identity_test(heap: Heap, a: int, b: int) -> Value | None:
    """`a is b` at run time, where one of them is an option of the other; else None."""
    for one, other in ((a, b), (b, a)):
        points_to = points_to_of(heap[one])
        if (
            points_to is not None
            and other in points_to.options
            and not _has_nested_sets(heap, points_to.options)
        ):
            index = constant(points_to.options.index(other), I64.dtype)
            return logic.eq(points_to.index.value, index)
    return None


def _has_nested_sets(heap: Heap, options: tuple[int, ...]) -> bool:
    return any(points_to_of(heap[id]) is not None for id in options)
