"""The values of one path for the placeholders of a template: what the path's region yields.

The state of the path is walked beside the template (`merge.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from myia.infer.domain import swapped_arrays
from myia.infer.domain.dtypes import is_number, number_value
from myia.infer.domain.heap import (
    AnyList,
    ArrayObject,
    BufferObject,
    DynamicArray,
    Heap,
    Invalidated,
    PointsTo,
    SelectedArray,
    ViewObject,
)
from myia.infer.domain.heap_arrays import padded_value, read_array
from myia.infer.domain.values import Abstract, Choice, Optional, Ref, Scalar, Static, may_be_unbound
from myia.infer.domain.views import StridedSlice
from myia.infer.lists.growing_lists import with_form_of
from myia.infer.paths import choice, merge_arrays, points_to
from myia.infer.paths.merge_result import MergeResult
from myia.infer.paths.merge_template import is_absent, side_of
from myia.ir.avals import I64
from myia.ir.core import Value
from myia.primitives.core.define import constant, zeros


def path_values(result: MergeResult, xs: Sequence[Abstract], heap: Heap) -> list[Value]:
    """Emit the value that the state `(xs, heap)` has for each placeholder, in order."""
    walk = _PathWalk(result, heap)
    for x, template in zip(xs, result.template):
        walk.value(x, template)
    # An object merged of two different ones is reached through its references: its id means
    # nothing in this heap. So objects under their own id come first.
    for id in sorted(result.objects, key=result.new_ids.__contains__):
        if id not in walk.done and id in heap:
            walk.object(Ref(id), id)
    return walk.yields()


def values_of_object(result: MergeResult, id: int, heap: Heap) -> list[Value]:
    """As `path_values`, for a path that raises: only the object `id` of its state is read."""
    walk = _PathWalk(result, heap)
    walk.object(Ref(id), id)
    return walk.yields(whole=False)


class _PathWalk:
    def __init__(self, result: MergeResult, heap: Heap):
        self.result, self.heap = result, heap
        self.placeholders = frozenset(result.placeholders)
        self.values: dict[Value, Value] = {}
        self.done: set[int] = set()
        self.name_of: dict[int, int] = {}  # object of this state -> the merged object it becomes

    def yields(self, whole: bool = True) -> list[Value]:
        """A value for each placeholder: zeros where this state has none.

        `whole=False`: the state is that of a path that raises. Its swaps are not computed.
        """
        for id, target in self.result.objects.items() if whole else ():
            if type(target) is SelectedArray and id in self.heap:
                index = swapped_arrays.name_index(self.heap, id, target.options, self.name_of)
                self.values[target.index.value] = index
        return [
            self.values.get(placeholder) or zeros(placeholder.aval)
            for placeholder in self.result.placeholders
        ]

    def value(self, x: Abstract, template: Abstract) -> None:
        if isinstance(template, Optional):
            side = side_of(x, may_be_unbound(template))
            self.value(side.present, template.present)
            self.value(side.value, template.value)
        elif isinstance(template, Choice) and not is_absent(x):
            self.choice(x, template)
        elif is_absent(x):
            return  # no value here: the placeholders are filled with zeros
        elif isinstance(template, Scalar):
            if template.value in self.placeholders:
                self.values[template.value] = number_value(x, template.dtype)
        elif isinstance(template, Ref):
            assert isinstance(x, Ref)
            self.object(x, template.id)
        else:
            for child, inner in zip(x.children(), template.children()):
                self.value(child, inner)

    def choice(self, x: Abstract, template: Choice) -> None:
        same = self.is_of_kind if choice.is_of_objects(template) else choice.same_function
        at = choice.places(x, template, same)
        if template.index.value in self.placeholders:
            self.values[template.index.value] = choice.option_index(x, at)
        for option, place in sorted(zip(choice.options_of(x), at), key=itemgetter(1)):
            self.value(option, template.options[place])

    def is_of_kind(self, x: Abstract, option: Abstract) -> bool:
        """Is an object of this state merged in an option of the template?"""
        if isinstance(option, Ref) and option.id not in self.result.new_ids:
            return False  # another object, or one of the other path
        if is_number(x) and is_number(option) and isinstance(option, Static):
            return choice.is_held(x, option)
        known = self.result.objects
        merged = Heap({**self.heap.objects, **known}, roots=self.heap.roots)
        return choice.form(x, self.heap) == choice.form(option, merged)

    def object(self, x: Ref, merged_id: int) -> None:
        target = self.result.objects.get(merged_id)
        if target is None or merged_id in self.done:
            return
        # Once: every reference to a merged object is to the same object of this state.
        self.done.add(merged_id)
        source = self.heap[x.id]
        if isinstance(target, Invalidated) or isinstance(source, Invalidated):
            return
        if (points_to_set := points_to.points_to_of(target)) is not None:
            self.points_to_values(x.id, merged_id, points_to_set)
        elif isinstance(target, SelectedArray):
            return  # found in `yields`, once the names of all arrays are known
        else:
            self.name_of[x.id] = merged_id
        if isinstance(target, PointsTo):
            return
        if isinstance(target, ArrayObject):
            if target.value in self.placeholders:
                self.values[target.value] = read_array(self.heap, x.id)
            return
        if isinstance(target, DynamicArray):
            elements = padded_value(self.heap, x.id)
            self.values |= merge_arrays.coerced_array(elements, target, self.placeholders)
            return
        if isinstance(target, ViewObject) and isinstance(source, ViewObject):
            self.view(source, target)
            return
        if source.key() != target.key():
            assert isinstance(target, BufferObject) and isinstance(source, AnyList)
            source = with_form_of(target, source, self.heap)
        for child, inner in zip(source.children(), target.children()):
            self.value(child, inner)

    def view(self, source: ViewObject, target: ViewObject) -> None:
        """The start indices of a slice."""
        if isinstance(target.step, StridedSlice):
            for start, placeholder in zip(source.step.starts, target.step.starts):
                if placeholder in self.placeholders:
                    self.values[placeholder] = (
                        start if isinstance(start, Value) else constant(start, I64.dtype)
                    )

    def points_to_values(self, id: int, merged_id: int, points_to_set: PointsTo) -> None:
        """Which array of its points-to set a name is, and the value of its loop-private array."""
        options, private = points_to_set.options, self.result.private_arrays.get(merged_id)
        if points_to_set.index.value in self.placeholders:
            index = points_to.option_index(self.heap, id, options, private)
            self.values[points_to_set.index.value] = index
        if private is not None and points_to.may_be_new_array(self.heap, id, options):
            self.done.add(private)
            target = self.result.objects[private]
            assert isinstance(target, ArrayObject)
            self.values[target.value] = read_array(self.heap, id)
