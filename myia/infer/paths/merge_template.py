"""Templates of merged states: substitution, and the values of a path for the placeholders.

A template is a tree of abstract values and heap contents, the same on both paths, whose differing
leaves are placeholders (`merge.py`). `Coercion` walks the state of one path beside the template and
finds the value for each placeholder: what the path's region yields. After the op, `substitute`
puts its results in the place of the placeholders.
"""

from __future__ import annotations

from myia.infer.domain import swapped_arrays
from myia.infer.domain.dtypes import number_value
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
from myia.infer.paths import function_choice, merge_dynamic_arrays, points_to
from myia.ir.avals import I64
from myia.ir.core import Value
from myia.primitives.core.define import constant, zeros


class Absent(Abstract):
    """The side of a merge that has no value."""


ABSENT = Absent()


def is_absent(x) -> bool:
    """No value, an unbound name, or None."""
    return isinstance(x, (UndefinedType, Absent)) or (isinstance(x, Static) and x.value is None)


def as_optional(x: Abstract) -> Optional:
    """`x` as an optional that is present, or absent, at compile time."""
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
    """The values that one state has for the placeholders of a template."""

    def __init__(self, merge, heap: Heap):
        self.merge, self.heap = merge, heap
        self.placeholders = frozenset(merge.placeholders)
        self.values: dict[Value, Value] = {}
        self.done: set[int] = set()
        self.name_of: dict[int, int] = {}  # object of this state -> the merged object it becomes

    def yields(self, whole: bool = True) -> list[Value]:
        """A value for each placeholder: zeros where this state has none.

        `whole=False`: the state is that of a path that raises. Its swaps are not computed.
        """
        for id, target in self.merge.merged.items() if whole else ():
            swapped = isinstance(target, SelectedArray) and not isinstance(target, PointsTo)
            if swapped and id in self.heap:
                index = swapped_arrays.name_index(self.heap, id, target.options, self.name_of)
                self.values[target.index.value] = index
        return [
            self.values.get(placeholder) or zeros(placeholder.aval)
            for placeholder in self.merge.placeholders
        ]

    def value(self, x: Abstract, template: Abstract) -> None:
        if isinstance(template, Optional):
            side = x if isinstance(x, Optional) else as_optional(x)
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
            self.object(x, template.id)
        else:
            for child, inner in zip(x.children(), template.children()):
                self.value(child, inner)

    def choice(self, x: Abstract, template: Choice) -> None:
        if template.index.value in self.placeholders:
            self.values[template.index.value] = function_choice.option_index(x, template)
        for option in template.options:
            same = function_choice.matching_option(option, x)
            if same is not None:
                self.value(same, option)

    def object(self, x: Ref, merged_id: int) -> None:
        target = self.merge.merged.get(merged_id)
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
                self.values[target.value] = self.merge.arrays.read(self.heap, x.id)
            return
        if isinstance(target, DynamicArray):
            elements = self.merge.arrays.padded_value(self.heap, x.id)
            self.values |= merge_dynamic_arrays.coerced_array(elements, target, self.placeholders)
            return
        if isinstance(target, ViewObject):
            self.view(source, target)
            return
        if source.key() != target.key():
            source = self.merge.list_growth.convert(self.heap, source, target)
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
        options, private = points_to_set.options, self.merge.private_at_end.get(merged_id)
        if points_to_set.index.value in self.placeholders:
            index = points_to.option_index(self.heap, id, options, private)
            self.values[points_to_set.index.value] = index
        if private is not None and points_to.may_be_new_array(self.heap, id, options):
            self.done.add(private)
            target = self.merge.merged[private]
            self.values[target.value] = self.merge.arrays.read(self.heap, id)
