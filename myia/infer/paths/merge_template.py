"""Skeletons of joined states: what is at their leaves, and what a path yields for their slots."""

from __future__ import annotations

from myia.infer.domain import swapped_arrays
from myia.infer.domain.dtypes import convert, number_value
from myia.infer.domain.heap import (
    ArrayObject,
    DynamicArray,
    Heap,
    Invalidated,
    PointsTo,
    SelectedArray,
    ViewObject,
)
from myia.infer.domain.values import (
    FALSE,
    TRUE,
    Abstract,
    Choice,
    Optional,
    Ref,
    Scalar,
    Static,
    UndefinedType,
)
from myia.infer.domain.views import StridedSlice
from myia.infer.paths import function_choice, points_to
from myia.infer.paths import merge_dynamic_arrays as sized_joins
from myia.ir.avals import I64
from myia.ir.core import Value
from myia.primitives.core.define import constant, zeros


class Absent(Abstract):
    """Stands on the side of a join where there is nothing."""


ABSENT = Absent()


def is_absent(x) -> bool:
    return isinstance(x, (UndefinedType, Absent)) or (isinstance(x, Static) and x.value is None)


def as_optional(x: Abstract) -> Optional:
    if is_absent(x):
        return Optional(FALSE, ABSENT, x)
    return Optional(TRUE, x, None)


def substitute(x, env: dict[Value, Value]):
    """`x` (a value or contents) with its run-time leaves replaced."""
    if isinstance(x, Scalar):
        return x.with_value(env[x.value]) if x.value in env else x
    children = x.children()
    if not children:
        return x
    replaced = tuple(substitute(c, env) for c in children)
    if all(a is b for a, b in zip(children, replaced)):
        return x
    return x.rebuild(replaced)


class Coercion:
    """The values that one state has for the slots of a skeleton."""

    def __init__(self, join, heap: Heap):
        self.join, self.heap = join, heap
        self.slots = frozenset(join.slots)
        self.found: dict[Value, Value] = {}
        self.done: set[int] = set()
        self.held: dict[int, int] = {}  # what stands for each object

    def yields(self, whole: bool = True) -> list[Value]:
        """A value for each slot: zeros where this state has none, or (not `whole`) is not asked."""
        for id, target in self.join.merged.items() if whole else ():
            exchanged = isinstance(target, SelectedArray) and not isinstance(target, PointsTo)
            if exchanged and id in self.heap:
                place = swapped_arrays.name_index(self.heap, id, target.options, self.held)
                self.found[target.index.value] = place
        return [self.found.get(slot) or zeros(slot.aval) for slot in self.join.slots]

    def value(self, x: Abstract, skeleton: Abstract) -> None:
        if isinstance(skeleton, Optional):
            side = x if isinstance(x, Optional) else as_optional(x)
            self.value(side.present, skeleton.present)
            self.value(side.value, skeleton.value)
        elif isinstance(skeleton, Choice) and not is_absent(x):
            self.choice(x, skeleton)
        elif is_absent(x):
            return  # nothing here: the slots are filled with zeros
        elif isinstance(skeleton, Scalar):
            if skeleton.value in self.slots:
                self.found[skeleton.value] = number_value(x, skeleton.dtype)
        elif isinstance(skeleton, Ref):
            self.object(x, skeleton.id)
        else:
            for child, inner in zip(x.children(), skeleton.children()):
                self.value(child, inner)

    def choice(self, x: Abstract, skeleton: Choice) -> None:
        if skeleton.index.value in self.slots:
            self.found[skeleton.index.value] = function_choice.option_index(x, skeleton)
        for option in skeleton.options:
            own = function_choice.matching_option(option, x)
            if own is not None:
                self.value(own, option)

    def object(self, x: Ref, joined: int) -> None:
        target = self.join.merged.get(joined)
        if target is None or joined in self.done:
            return
        self.done.add(joined)
        source = self.heap[x.id]
        if isinstance(target, Invalidated) or isinstance(source, Invalidated):
            return
        if (points_to_set := points_to.points_to_of(target)) is not None:
            self.alternative(x.id, joined, points_to_set)
        elif isinstance(target, SelectedArray):
            return  # when all that is held is known
        else:
            self.held[x.id] = joined
        if isinstance(target, PointsTo):
            return
        if isinstance(target, ArrayObject):
            if target.value in self.slots:
                value = self.join.read_array.read(self.heap, x.id)
                self.found[target.value] = convert(value, target.value.dtype)
            return
        if isinstance(target, DynamicArray):
            elements = self.join.read_array.padded_value(self.heap, x.id)
            self.found |= sized_joins.coerced_array(elements, target, self.slots)
            return
        if isinstance(target, ViewObject):
            self.view(source, target)
            return
        if source.key() != target.key():
            source = self.join.growth.convert(self.heap, source, target)
        for child, inner in zip(source.children(), target.children()):
            self.value(child, inner)

    def view(self, source: ViewObject, target: ViewObject) -> None:
        """Where the window lies."""
        if isinstance(target.step, StridedSlice):
            for start, slot in zip(source.step.starts, target.step.starts):
                if slot in self.slots:
                    self.found[slot] = (
                        start if isinstance(start, Value) else constant(start, I64.dtype)
                    )

    def alternative(self, id: int, joined: int, points_to_set: PointsTo) -> None:
        """Which object a name stands for, and its own array (`infer/paths/points_to.py`)."""
        options, own = points_to_set.options, self.join.owned.get(joined)
        if points_to_set.index.value in self.slots:
            index = points_to.option_index(self.heap, id, options, own)
            self.found[points_to_set.index.value] = index
        if own is not None and points_to.may_be_new_array(self.heap, id, options):
            self.done.add(own)
            target = self.join.merged[own]
            self.found[target.value] = self.join.read_array.read(self.heap, id)
