"""Names that were given one array or another: `v = a if c else b`, `a = a + 1.0` in a loop.

    v = a if c else b         after the join `v` is the array `options[index]`: a write to it
    v[0] = 1.0                is a write to that array, and it shows what is written there
    return np.sum(a)

What a name holds after a join gets an id of its own (`Join.refs`), and its value. Here it is told
which objects it stands for (`ArrayObject.stands_for`). The value serves for as long as none of them
is written to; from then on the name is `PointsTo` them.

In a loop the objects that were there before are options. The arrays that its trips make are one
option, the *own* array of the name, which is carried from trip to trip:

    for i in range(n):        `a` is one of the argument and its own array
        a[i] = 0.0
        a = a + 1.0
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Protocol

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
from myia.ir.avals import I64, Aval
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic

MAX_POINTS_TO_OPTIONS = 4  # a write is a conditional write to each


class MergeState(Protocol):
    """What is read of a join (`infer/paths/merge.py`), and what is added to it."""

    before: Heap
    left: Heap
    right: Heap
    outer: Heap | None
    loop: bool
    hinted: frozenset[Value] | None
    widened: bool
    headers: frozenset[int]
    entry_slots: frozenset[Value]
    pairs: dict[tuple[int, int], int]
    merged: dict[int, Contents]
    view_bases: list[tuple[int, int]]
    holders: set[int]  # names that exchange arrays
    was_owned: Mapping[int, int]  # the own array of each name of a loop, at the start of a trip
    owned: dict[int, int]  # and at its end
    made: dict[int, list[int]]  # the arrays of the trip that an own array stands for
    given: set[tuple[int, int]]  # pairs that say what they stand for
    substitutes: list[tuple[int, int]]  # (it, what may be the same object)

    def slot(self, aval: Aval, of: Value | None = None, name: str | None = None) -> Value: ...

    def new_id(self) -> int: ...

    def is_name(self, id: int) -> bool: ...

    def drop(self, contents: Contents | None) -> None: ...


def points_to_of(contents: Contents) -> PointsTo | None:
    """What it stands for, if it stands for one of several objects."""
    return contents if isinstance(contents, PointsTo) else getattr(contents, "points_to", None)


def attach_points_to(join: MergeState) -> None:
    """Tell the names of a join what they stand for."""
    for (a, b), joined in list(join.pairs.items()):
        if joined in join.holders or not isinstance(join.merged.get(joined), ArrayObject):
            continue
        if join.loop:
            told = _attach_in_loop(join, a, b, joined)
        else:
            told = a != b and _attach_in_branch(join, a, b, joined)
        if told:
            join.given.add((a, b))
            join.view_bases += [(base, joined) for base in join.merged[joined].bases]
        elif points_to_of(join.left[a]) is not None or points_to_of(join.right[b]) is not None:
            _freeze(join, a, b, joined)


def _freeze(join: MergeState, a: int, b: int, joined: int) -> None:
    """A name of which it is not known what it stands for: it shows what the objects hold now."""
    join.view_bases += [(base, joined) for base in (*join.left[a].bases, *join.right[b].bases)]
    was = join.left[a]
    if not isinstance(was, ArrayObject) or was.readonly != VIEW_OF_ONE_PATH:
        join.widened = True
    join.merged[joined] = replace(join.merged[joined], readonly=VIEW_OF_ONE_PATH, contiguous=False)


# ----- Branches


def _attach_in_branch(join: MergeState, a: int, b: int, joined: int) -> bool:
    shared = sum(a == x or b == y for x, y in join.pairs) > 1
    seen = any(c.bases for c in (join.left[a], join.right[b]))
    if not (shared or seen or a in join.before or b in join.before):
        return False  # nothing else shows either of them
    aval = join.merged[joined].value.aval
    if not (_fits(join.left, a, aval) and _fits(join.right, b, aval)):
        return False
    for id, left in ((a, True), (b, False)):
        if id not in join.before:
            one_branch.one_sided_template(join, Ref(id), left)
        if _is_stale(join, id):
            return False
    contents = join.merged[joined]
    contiguous = all(map(_contiguous, (join.left[a], join.right[b])))
    index = Scalar(join.slot(I64), True, 0, 1)
    join.merged[joined] = ArrayObject(contents.value, None, contiguous, PointsTo(index, (a, b)))
    return True


def _fits(heap: Heap, id: int, aval: Aval) -> bool:
    """An array that another one of `aval` may stand for."""
    contents = heap[id]
    if isinstance(contents, ArrayObject):
        return contents.value.aval == aval
    if isinstance(contents, ViewObject):
        return (found := _aval(heap, id)) is not None and found == aval
    return isinstance(contents, SelectedArray) and _fits(heap, contents.options[0], aval)


def _aval(heap: Heap, id: int) -> Aval | None:
    """The aval of an array; None for what is of run-time size."""
    contents = heap[id]
    if isinstance(contents, ArrayObject):
        return contents.value.aval
    if isinstance(contents, ViewObject):
        base = _aval(heap, contents.base)
        return None if base is None else contents.step.aval(base)
    return _aval(heap, contents.options[0]) if isinstance(contents, SelectedArray) else None


def _is_stale(join: MergeState, id: int) -> bool:
    if isinstance(join.merged.get(id), Invalidated):
        return True
    return any(id in heap and heap.invalidation(id) is not None for heap in (join.left, join.right))


def _contiguous(contents: Contents) -> bool:
    return isinstance(contents, ArrayObject) and contents.contiguous


# ----- Loops


def _attach_in_loop(join: MergeState, a: int, b: int, joined: int) -> bool:
    before = join.before if join.outer is None else join.outer
    known = points_to_of(join.left[a])
    if a in before:  # the first trip that gives the name something else
        if a == b:
            return False
        options: tuple[int, ...] = (a,)
    elif known is not None:
        options = known.options
    else:
        return False
    made = [b] if join.hinted is not None else []
    if join.hinted is None:
        places = list(dict.fromkeys(_places(join.right, b, before)))
        options += tuple(id for id in places if id in before and id not in options)
        made = [id for id in places if id not in before]
    if not _possible(join, joined, options, made, before):
        join.substitutes += [(id, joined) for id in options]
        return False
    options = _with_own(join, a, joined, options, made, before)
    _stand_for(join, a, b, joined, options)
    return True


def _places(heap: Heap, id: int, before: Heap) -> Iterator[int]:
    """The objects that `id` may be: such as were there before the loop, or no names."""
    chosen = None if id in before else points_to_of(heap[id])
    if chosen is None:
        yield id
    else:
        for option in chosen.options:
            yield from _places(heap, option, before)


def _possible(join: MergeState, joined: int, options, made: list[int], before: Heap) -> bool:
    aval = join.merged[joined].value.aval
    old = [id for id in options if id in before]
    if len(old) >= MAX_POINTS_TO_OPTIONS or any(map(join.left.invalidation, old)):
        return False
    if join.hinted is None and not all(_is_plain(join.right[id]) for id in made):
        return False
    fresh_fit = join.hinted is not None or all(_fits(join.right, id, aval) for id in made)
    return fresh_fit and all(_fits(join.left, id, aval) for id in old)


def _is_plain(contents: Contents) -> bool:
    """An array of its own, which may be written to."""
    return isinstance(contents, ArrayObject) and contents.readonly is None


def _with_own(
    join: MergeState, a: int, joined: int, options: tuple[int, ...], made, before: Heap
) -> tuple[int, ...]:
    """The options, among them the own array of the name `joined` if it needs one."""
    was = join.was_owned.get(a)  # the own array of `a`, which is a name of the last trip
    own = was if joined == a else None
    if own is None and (made or was is not None):
        own = join.new_id()
    if own is None:
        return options
    join.owned[joined], join.made[own] = own, made
    old = join.left.objects.get(own)
    aval = join.merged[joined].value.aval
    of = old.value if isinstance(old, ArrayObject) else None
    if not made and isinstance(join.right[own], Invalidated):
        join.widened |= not isinstance(old, Invalidated)
        join.merged[own] = join.right[own]
    else:
        contiguous = all(_contiguous(join.right[id]) for id in (*made, *([own] if old else ())))
        join.widened |= contiguous != (old is not None and _contiguous(old))
        join.merged[own] = ArrayObject(join.slot(aval, of), None, contiguous)
    if was in options:
        return tuple(own if id == was else id for id in options)
    return (*options, own)


def _stand_for(join: MergeState, a: int, b: int, joined: int, options: tuple[int, ...]) -> None:
    left, right, contents = join.left[a], join.right[b], join.merged[joined]
    known = points_to_of(left) if joined == a else None
    if known is None or known.options != options:
        join.widened = True
    index = join.slot(I64, known.index.value if known is not None else None)
    chosen = PointsTo(Scalar(index, True, 0, len(options) - 1), options)
    was_one_of = known is not None and isinstance(left, PointsTo)
    if was_one_of or (join.hinted is None and isinstance(right, PointsTo)):
        join.widened |= not was_one_of
        join.drop(contents)
        join.merged[joined] = chosen
        return
    contiguous = _contiguous(left) and _contiguous(right)
    join.widened |= known is not None and contiguous != _contiguous(left)
    join.merged[joined] = ArrayObject(contents.value, None, contiguous, chosen)


# ----- Views of one array


def merged_view(join: MergeState, a: int, b: int) -> ViewObject | None:
    """Two windows of one size on one array: a window whose place is known at run time."""
    x, y = join.left[a], join.right[b]
    if not (isinstance(x, ViewObject) and isinstance(y, ViewObject)):
        return None
    one_base = x.base == y.base and join.hinted is None and not join.is_name(x.base)
    if not one_base or x.base not in join.before:
        return None
    first, then = x.step, y.step
    if not (isinstance(first, StridedSlice) and isinstance(then, StridedSlice)):
        return None
    alike = (first.sizes, first.strides, first.shape) == (then.sizes, then.strides, then.shape)
    moved = [i for i, start in enumerate(first.starts) if start != then.starts[i]]
    if not alike or any(first.strides[i] != 1 for i in moved):
        return None
    join.given.add((a, b))
    starts = tuple(_start(join, s, t) for s, t in zip(first.starts, then.starts))
    return ViewObject(x.base, replace(first, starts=starts))


def _start(join: MergeState, s: int | Value, t: int | Value) -> int | Value:
    if isinstance(s, Value):
        return s if s is t and s not in join.entry_slots else join.slot(I64, s)
    return s if not isinstance(t, Value) and s == t else join.slot(I64)


# ----- What a path has


def option_index(heap: Heap, id: int, options: tuple[int, ...], own: int | None) -> Value:
    """Which of the options the object `id` of this heap is; one that is new is the own array."""
    if id in options:
        return constant(options.index(id), I64.dtype)
    chosen = points_to_of(heap[id])
    if chosen is None:
        return constant(options.index(own), I64.dtype)
    if chosen.options == options:
        return chosen.index.value
    found = [option_index(heap, option, options, own) for option in chosen.options]
    return swapped_arrays.selected_value(chosen, found)


def may_be_new_array(heap: Heap, id: int, options: tuple[int, ...]) -> bool:
    """Whether the object `id` of this heap may be another array than the options."""
    chosen = None if id in options else points_to_of(heap[id])
    if chosen is None:
        return id not in options
    return any(may_be_new_array(heap, option, options) for option in chosen.options)


# ----- Identity


def is_ambiguous(heap: Heap, a: int, b: int) -> bool:
    """Whether one of the two stands for one of several objects."""
    return any(points_to_of(heap[id]) is not None for id in (a, b))


def identity_test(heap: Heap, a: int, b: int) -> Value | None:
    """Whether `a` is `b`, where one of them is an option of the other."""
    for one, other in ((a, b), (b, a)):
        chosen = points_to_of(heap[one])
        if chosen is not None and other in chosen.options and not _nested(heap, chosen.options):
            place = constant(chosen.options.index(other), I64.dtype)
            return logic.eq(chosen.index.value, place)
    return None


def _nested(heap: Heap, options: tuple[int, ...]) -> bool:
    return any(points_to_of(heap[id]) is not None for id in options)
