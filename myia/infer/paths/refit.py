"""The last fixed point of a loop as a guess at the end of an iteration, when it is visited again.

*What it computes*: a state like the present one, before the loop, in which the leaves have changed
that changed at the last visit. Merged with the present state like the end of any iteration it gives
the leaves that are placeholders from the first round on.

*What it guarantees*: nothing; it is a guess. The rounds of the loop check it. Leaves that did not
change keep their present value.

*When it gives up*: the state has another structure than at that visit, or has objects that are not
predicted (Mismatch). The first round then starts from the exact state.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from myia.infer.domain.dtypes import is_number, is_weak, number_dtype
from myia.infer.domain.heap import (
    ArrayObject,
    BufferObject,
    Contents,
    DynamicArray,
    DynamicView,
    Heap,
    Invalidated,
    PointsTo,
    SelectedArray,
    ViewObject,
)
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import Abstract, Choice, Optional, Ref, Scalar, Static, as_number
from myia.infer.paths.choice import has_equal_options, kind_of_option, matching_option
from myia.infer.paths.merge_template import ABSENT, is_of_unbound, side_of
from myia.ir.core import Value

VIEWS = (ViewObject, DynamicView)


@dataclass(frozen=True)
class FixedPoint:
    """What a loop has found: its state at the start of an iteration, and the state before it."""

    init: Sequence[Abstract]
    values: Sequence[Abstract]
    heap: Heap
    before: Heap
    placeholders: frozenset[Value]
    header_objects: Collection[int]


def predicted_end(
    last: FixedPoint, values: Sequence[Abstract], before: Heap
) -> tuple[list[Abstract], Heap]:
    """The state that an iteration from `(values, before)` may end in; raises Mismatch."""
    for x, then in zip(values, last.init):
        _require_same_types(x, then)
    prediction = _Prediction(last, before)
    end = list(map(prediction.value, values, last.values))
    for id in last.header_objects:
        if id in last.before and id in before:
            prediction.change(id, id)
    return end, prediction.heap


def _require_same_types(x: Abstract, then: Abstract) -> None:
    """Numbers of the types that they had: a guess of another type would never be taken back."""
    if is_number(x) and is_number(then):
        if (number_dtype(x), is_weak(x)) != (number_dtype(then), is_weak(then)):
            raise Mismatch("a number", "a number of another type")
    elif not isinstance(x, Ref) and x.key() == then.key():
        for child, was in zip(x.children(), then.children()):
            _require_same_types(child, was)


class _Prediction:
    """Walks a state and the last fixed point; object ids are those of the present state."""

    def __init__(self, last: FixedPoint, before: Heap):
        self.last, self.before, self.heap = last, before, before.copy()
        self.changed: set[int] = set()
        self.new_ids: dict[int, int] = {}  # id at the last visit -> new id

    def value(self, x: Abstract, last: Abstract) -> Abstract:
        if isinstance(last, Optional) or isinstance(x, Optional):
            of_unbound = is_of_unbound(x) or is_of_unbound(last)
            x, last = (side_of(v, of_unbound) for v in (x, last))
            present = as_number(self.value(x.present, last.present))
            absent = last.absent if x.absent is None else x.absent
            return Optional(present, self.value(x.value, last.value), absent)
        if x is ABSENT:
            return self.value_of_last(last)
        if isinstance(last, (Static, Scalar)):
            changes = isinstance(last, Scalar) and last.value in self.last.placeholders
            return last if changes and is_number(x) else x
        if isinstance(x, Ref) and isinstance(last, Ref):
            return self.reference(x, last)
        if isinstance(last, Choice) and kind_of_option(x) is not None:
            if has_equal_options(x) or has_equal_options(last):
                raise Mismatch("a function", "another function")
            index = self.value(x.index if isinstance(x, Choice) else ABSENT, last.index)
            assert isinstance(index, Scalar)
            found = ((matching_option(o, x) or ABSENT, o) for o in last.options)
            return Choice(index, tuple(self.value(*pair) for pair in found))
        if x.key() != last.key():
            raise Mismatch("a value", "another value")
        return x.rebuild(tuple(map(self.value, x.children(), last.children())))

    def value_of_last(self, last: Abstract) -> Abstract:
        """A value that is present after an iteration only."""
        if isinstance(last, Ref):
            raise Mismatch("nothing", "an object")
        return last.rebuild(tuple(map(self.value_of_last, last.children())))

    def reference(self, x: Ref, last: Ref) -> Ref:
        """The same object, or a new one if the loop assigns another object to the name."""
        now, then = self.before[x.id], self.last.heap[last.id]
        if last.id in self.last.before:
            self.change(x.id, last.id)
            return x
        unchanged = isinstance(then, ArrayObject) and then.value not in self.last.placeholders
        if unchanged or (isinstance(now, VIEWS) and isinstance(then, VIEWS)):
            return x
        if last.id not in self.new_ids:
            # The id is recorded before the contents are found: this ends cycles of references.
            self.new_ids[last.id] = new = self.heap.new(now)
            self.heap.objects[new] = self.contents(now, then)
        return Ref(self.new_ids[last.id])

    def change(self, id: int, last: int) -> None:
        """The object `id` changes as `last` did at that visit."""
        now, then = self.before[id], self.last.heap[last]
        was = self.last.before[last]
        changes = then is not was and not isinstance(now, VIEWS)
        if changes and now.key() == was.key():
            for child, before in zip(now.children(), was.children()):
                _require_same_types(child, before)
        if changes and id not in self.changed:
            self.changed.add(id)
            self.heap.objects[id] = self.contents(now, then)

    def contents(self, now: Contents, then: Contents) -> Contents:
        """The contents `now` as they are after an iteration, if they change as `then` did."""
        if isinstance(then, SelectedArray) and then.index.value in self.last.placeholders:
            raise Mismatch("an array", "an array that is one of several")
        kept = (Invalidated, PointsTo, SelectedArray)
        if isinstance(now, kept) or isinstance(then, (*kept, *VIEWS)):
            return now
        if isinstance(now, (ArrayObject, DynamicArray, *VIEWS)):
            if not isinstance(then, (ArrayObject, DynamicArray)):
                raise Mismatch("an array", "another object")
            if getattr(now, "points_to", None) or then.value not in self.last.placeholders:
                return now
            # Without a points-to set: its options are of another visit.
            if isinstance(then, ArrayObject):
                return ArrayObject(then.value, then.readonly, then.contiguous)
            return then
        if now.key() != then.key() or self.is_other_buffer(now, then):
            raise Mismatch("an object", "another object")
        return now.rebuild(tuple(map(self.value, now.children(), then.children())))

    def is_other_buffer(self, now: Contents, then: Contents) -> bool:
        """Whether one of two lists has other rows, or another length in each iteration."""
        if not (isinstance(now, BufferObject) and isinstance(then, BufferObject)):
            return False
        if (now.template, now.capacity, now.offset) != (then.template, then.capacity, then.offset):
            return True
        return isinstance(then.base, Scalar) and then.base.value in self.last.placeholders
