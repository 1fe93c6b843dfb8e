"""Joining what two paths know: the branches of an `if`, or the start and the end of a trip.

`Merge` merges two states (values and heap) into a *skeleton*: the same tree, in which every leaf
that differs is a fresh placeholder value, a *slot*. Then

    join = Join(before, left_heap, right_heap, arrays)
    skeleton = join.values(left, right); join.heaps()
    yields = join.coerce([left], [skeleton], left_heap)        at the end of the left path
    after = join.finish(heap, results)(skeleton)               results: one for each slot

Joining a compile-time number with a number gives a run-time number; numbers of different dtypes
are promoted; None or an undefined name joined with a value is an `Optional`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from myia.infer.domain import swapped_arrays
from myia.infer.domain.describe import describe
from myia.infer.domain.dtypes import (
    bounds,
    interval_hull,
    is_number,
    is_weak,
    number_dtype,
    promote,
)
from myia.infer.domain.dynamic_axes import DynamicAxes
from myia.infer.domain.dynamic_views import PaddedValue
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
from myia.infer.domain.values import (
    UNDEFINED,
    Abstract,
    Optional,
    Ref,
    Scalar,
    Static,
    UndefinedType,
    same_static,
)
from myia.infer.paths import function_choice, may_alias, merge_arrays, one_branch, points_to
from myia.infer.paths import merge_dynamic_arrays as sized_joins
from myia.infer.paths.merge_template import (
    ABSENT,
    Absent,
    Coercion,
    as_optional,
    is_absent,
    substitute,
)
from myia.ir.avals import I64, Aval
from myia.ir.core import Value
from myia.source.diagnostics import InternalError

ARRAYS = (ArrayObject, ViewObject, SelectedArray, DynamicArray, DynamicView)


class Arrays(Protocol):
    """How arrays and views are looked at."""

    def aval(self, heap: Heap, id: int) -> Aval: ...

    def read(self, heap: Heap, id: int) -> Value: ...

    def type_of(self, heap: Heap, id: int) -> tuple[Aval, DynamicAxes]: ...

    def padded_value(self, heap: Heap, id: int) -> PaddedValue: ...


class Merge:
    """Joins two states, `left` and `right`, that both started from the heap `before`.

    `aval` and `read` give an array object's or a view's aval and value; `growth` the common
    contents of lists of different lengths (`infer/paths/growing_lists.py`).

    In a loop, `left` is the state at the start of a trip: `entry_slots` are the slots of its
    skeleton and `headers` the objects whose contents have slots. A header stands for whatever
    object its name holds at the start of a trip, so joined with any object it stays itself.
    `widened` tells whether the skeleton differs from that of the start; `origin` maps the new
    slots to those of the start.
    """

    def __init__(
        self,
        before: Heap,
        left: Heap,
        right: Heap,
        arrays: Arrays,
        growth=None,
        *,
        loop: bool = False,
        entry_slots: Sequence[Value] = (),
        headers: Iterable[int] = (),
        hinted: Sequence[Value] | None = None,
        hint_before: Heap | None = None,
        outer: Heap | None = None,
        owned: Mapping[int, int] = MappingProxyType({}),
        tracks_points_to: bool = False,
        unrolls: bool = True,
    ):
        self.before, self.left, self.right = before, left, right
        self.read_array, self.growth, self.loop = arrays, growth, loop
        self.entry_slots, self.headers = frozenset(entry_slots), frozenset(headers)
        # When `right` is only a hint of what will change, the leaves that do: the rest stays.
        self.hinted = None if hinted is None else frozenset(hinted)
        self.hint_before = hint_before  # the heap before the loop in the visit of the hint
        self.outer = outer  # the heap before the loop
        self.tracks_points_to = tracks_points_to  # names are told what they stand for
        self.unrolls = unrolls  # of a loop: what has no common form may have one in straight code
        # What names stand for (`infer/paths/points_to.py`); `was_owned`: at the start of the trip.
        self.was_owned, self.owned = owned, {}
        self.made: dict[int, list[int]] = {}
        self.given: set[tuple[int, int]] = set()
        self.substitutes: list[tuple[int, int]] = []
        self.holders: set[int] = (
            set()
        )  # names that exchange arrays (`infer/domain/swapped_arrays.py`)
        self.slots: list[Value] = []
        self.origin: dict[Value, Value] = {}
        self.merged: dict[int, Contents] = {}
        self.pairs: dict[tuple[int, int], int] = {}
        self.claimed: set[int] = set()
        self.view_bases: list[tuple[int, int]] = []  # and other objects copied: (it, its copy)
        self.survivor_defines: frozenset[Value] | None = None
        self.widened = False
        self.next_id = max(left.next_id, right.next_id)

    def slot(self, aval: Aval, of: Value | None = None, name: str | None = None) -> Value:
        """A new slot; `points_to_of`: the value it had at the start of the trip."""
        value = Value(aval, name or (of.name if of is not None else None))
        self.slots.append(value)
        if of in self.entry_slots and of not in self.origin.values() and of.aval == aval:
            self.origin[value] = of
        else:
            self.widened = True
        return value

    # ----- Values

    def values(self, a: Abstract, b: Abstract) -> Abstract:
        """The skeleton of `a` and `b`; raises Mismatch."""
        if isinstance(a, Static) and isinstance(b, Static) and same_static(a.value, b.value):
            return a
        if self.hinted is not None and isinstance(b, (Static, Scalar)) and a is not ABSENT:
            changes = isinstance(b, Scalar) and b.value in self.hinted
            return self.numbers(a, b) if changes and is_number(a) else a
        if isinstance(a, Scalar) and isinstance(b, Scalar) and a.value is b.value:
            return self.numbers(a, b) if a.value in self.entry_slots else a
        if a is b and isinstance(a, (UndefinedType, Absent)):
            return a
        if is_number(a) and is_number(b):
            return self.numbers(a, b)
        if isinstance(a, Optional) or isinstance(b, Optional) or is_absent(a) != is_absent(b):
            return self.optional(a, b)
        if isinstance(a, Ref) and isinstance(b, Ref):
            return self.refs(a, b)
        if is_absent(a) and is_absent(b):
            return UNDEFINED  # one None, one undefined: reading it is an error either way
        if (
            function_choice.is_function(a)
            and function_choice.is_function(b)
            and function_choice.need_choice(a, b)
        ):
            if self.loop and function_choice.adds_nested_choice(a, b):
                raise Mismatch(describe(a, self.left), describe(b, self.right))
            return function_choice.merged_choice(self, a, b)
        if a.key() == b.key() and not isinstance(a, Static):
            return a.rebuild(tuple(map(self.values, a.children(), b.children())))
        raise Mismatch(describe(a, self.left), describe(b, self.right))

    def numbers(self, a: Abstract, b: Abstract) -> Scalar:
        dtype, weak = promote((number_dtype(a), is_weak(a)), (number_dtype(b), is_weak(b)))
        lo = hi = None
        if number_dtype(a).kind in "iu" and number_dtype(b).kind in "iu":
            lo, hi = interval_hull(a, b)
            if self.loop:  # a bound that moves during a trip is dropped: the fixed point is finite
                alo, ahi = bounds(a)
                lo, hi = (lo if lo == alo else None), (hi if hi == ahi else None)
        of = a.value if isinstance(a, Scalar) else None
        one, other = (x.boxed if isinstance(x, Scalar) else False for x in (a, b))
        boxed = one if one is other else None
        if of is not None and (a.weak, a.lo, a.hi, a.boxed) != (weak, lo, hi, boxed):
            self.widened = True
        name = b.value.name if isinstance(b, Scalar) else None
        return Scalar(self.slot(Aval(dtype), of, name), weak, lo, hi, boxed=boxed)

    def optional(self, a: Abstract, b: Abstract) -> Abstract:
        if isinstance(a, Absent) or isinstance(b, Absent):
            return one_branch.one_sided_template(
                self, a if isinstance(b, Absent) else b, isinstance(b, Absent)
            )
        sides = [x if isinstance(x, Optional) else as_optional(x) for x in (a, b)]
        absent = next(x.absent for x in sides if x.absent is not None)
        present = self.values(sides[0].present, sides[1].present)
        return Optional(present, self.values(sides[0].value, sides[1].value), absent)

    # ----- Objects

    def refs(self, a: Ref, b: Ref) -> Ref:
        """Two references: one object, or a new one that stands for either."""
        if a.id == b.id and (a.id not in self.headers or self.is_exchanged(a.id)):
            self.same_object(a.id)
            return a
        pair = (a.id, b.id)
        if self.hinted is not None and a.id != b.id and self.keeps_name(*pair):
            return a
        if a.id in self.headers and self.is_exchanged(a.id):
            self.refuse(a.id)
        if pair not in self.pairs:
            self.pairs[pair] = joined = self.claim(*pair)
            self.merged[joined] = self.contents(a.id, b.id, named=a.id != b.id)
        return Ref(self.pairs[pair])

    def keeps_name(self, a: int, b: int) -> bool:
        """An array that the hint, where it has another id, changes in place at most."""
        x, y = self.left[a], self.right[b]
        if not isinstance(x, ArrayObject) or not isinstance(y, ArrayObject):
            return False
        if y.value in self.hinted:
            if b not in self.hint_before:
                return False
            if a not in self.merged:
                self.merged[a] = self.contents(a, b, named=False)
        return True

    def claim(self, a: int, b: int) -> int:
        """The id for a pair whose left side is `a`: a header keeps its id, once."""
        if a in self.headers and a not in self.claimed and (a == b or self.is_name(a)):
            self.claimed.add(a)
            return a
        self.widened = True
        return self.new_id()

    def new_id(self) -> int:
        self.next_id += 1
        return self.next_id

    def is_name(self, id: int) -> bool:
        """A header that stands for what a name holds, not for an object of before the loop."""
        return id in self.headers and (self.outer is None or id not in self.outer)

    def same_object(self, id: int) -> None:
        """Contents of an object that both sides hold under one id."""
        if points_to.points_to_of(self.left[id]) or points_to.points_to_of(self.right[id]):
            self.same_alternatives(id)
            return
        if self.is_chosen(id):
            return  # when it is known who holds what
        other_visit = isinstance(self.left[id], ViewObject) or isinstance(
            self.right[id], Invalidated
        )
        if self.hinted is not None and other_visit:
            return  # in the visit that a hint is from, an id and what was written may be others
        if id not in self.merged and self.left[id] is not self.right[id]:
            self.merged[id] = self.left[id]  # against cycles; replaced in the next line
            self.merged[id] = self.contents(id, id, named=False)

    def same_alternatives(self, id: int) -> None:
        """A name from before, whose objects a path has written to: it is one of these now."""
        x, y = points_to.points_to_of(self.left[id]), points_to.points_to_of(self.right[id])
        untouched = self.left[id] is self.right[id] is self.before[id] and id not in self.headers
        if untouched or id in self.merged or self.hinted is not None:
            return
        if x is None or y is None or x.options != y.options:
            raise InternalError("a name from before stands for other objects now")
        self.widened |= self.loop and not isinstance(self.left[id], PointsTo)
        self.merged[id] = PointsTo(self.values(x.index, y.index), x.options)

    def heaps(self) -> None:
        """Join every object that was there before and that a path has changed."""
        present = dict.fromkeys((*self.before.objects, *self.before.roots))
        for id in present:
            if id in self.was_owned.values():
                continue  # joined with the name that owns it
            if id in self.headers:
                if id not in self.claimed and id in self.right:
                    self.refs(Ref(id), Ref(id))
            elif id in self.left and id in self.right:
                self.same_object(id)
        moved = {id for a, b in self.pairs if a != b for id in (a, b)}
        both = [id for id in present if id in self.left and id in self.right]
        permuted = swapped_arrays.permuted_arrays(self, both) if self.tracks_points_to else both
        for id in both:
            self.displace(id, moved, id in permuted)
        if self.tracks_points_to:
            points_to.attach_points_to(self)
        for a, b in self.pairs:
            if a != b and a in self.headers and not self.is_name(a) and (a, b) not in self.given:
                self.refuse(a)

    def refuse(self, id: int) -> None:
        """A header that is an object of its own, which others may know, has no second meaning."""
        one = f"{describe(Ref(id), self.left)}, which the loop writes to,"
        raise Mismatch(one, "another object of the same name")

    def is_exchanged(self, id: int) -> bool:
        """An object, not a name, that is one of several."""
        return self.is_chosen(id) and not self.is_name(id)

    def is_chosen(self, id: int) -> bool:
        return any(isinstance(h[id], SelectedArray) for h in (self.left, self.right))

    def displace(self, id: int, moved: set[int], permuted: bool) -> None:
        """An array whose names were exchanged on a path, or had been before.

        `moved`: the objects that names held on one side where they hold others on the other.
        """
        x, y = self.left[id], self.right[id]
        if self.hinted is not None:
            if isinstance(y, SelectedArray) and y.index.value in self.hinted:
                raise Mismatch("nothing", "an array that changes names")
            return
        if points_to.points_to_of(x) or points_to.points_to_of(y):
            return
        same = x is y and id not in self.headers and moved.isdisjoint((id, *x.bases))
        if self.is_name(id) or same or not (id in moved or self.is_chosen(id)):
            return
        holders = swapped_arrays.swapped_names(self, id) if permuted else ()
        if holders:
            self.holders |= {*holders}
            self.drop(self.merged.get(id))
            of = x.index.value if isinstance(x, SelectedArray) and x.options == holders else None
            index = Scalar(self.slot(I64, of), True, 0, len(holders) - 1)
            self.merged[id] = SelectedArray(index, holders)
        elif self.is_chosen(id):
            self.merged[id] = self.contents(id, id, named=False)

    def is_known(self, id: int) -> bool:
        """Whether an object has names, or views, that live on: all but those are joined."""
        seen = {id for pair in self.pairs for id in pair} | {base for base, _ in self.view_bases}
        return id in self.before or id in self.merged or id in seen

    def drop(self, contents: Contents | None) -> None:
        """Contents that are joined otherwise."""
        if isinstance(contents, ArrayObject) and contents.value in self.slots:
            self.slots.remove(contents.value)
            self.origin.pop(contents.value, None)

    def contents(self, a: int, b: int, named: bool) -> Contents:
        """`named`: two objects under one name, which may be promoted; an object itself never."""
        x, y = self.left[a], self.right[b]
        stale = self.left.invalidation(a) or self.right.invalidation(b)
        if stale is not None:
            self.widened |= not isinstance(x, Invalidated)
            return stale
        seen = points_to.merged_view(self, a, b) if self.tracks_points_to else None
        if seen is not None:
            return seen
        if self.hinted is not None and isinstance(y, PointsTo):
            raise Mismatch("nothing", "an array that is one of several")
        static = (ArrayObject, ViewObject, SelectedArray)
        if isinstance(x, static) and isinstance(y, static):
            return merge_arrays.merged_array(self, a, b, named)
        if any(isinstance(side, (DynamicArray, DynamicView)) for side in (x, y)) and all(
            isinstance(side, ARRAYS) for side in (x, y)
        ):
            found = sized_joins.merged_dynamic_array(self, a, b, named)
            if found is None:
                raise Mismatch(describe(Ref(a), self.left), describe(Ref(b), self.right))
            return found
        if self.growth is not None and (x.key() != y.key() or isinstance(x, BufferObject)):
            grown = self.growth.join(self, a, b)
            if grown is not None:
                return grown
        if x.key() != y.key():
            raise Mismatch(describe(Ref(a), self.left), describe(Ref(b), self.right))
        return x.rebuild(tuple(map(self.values, x.children(), y.children())))

    # ----- Coercion: what a path yields for the slots

    def coerce(
        self, xs: Sequence[Abstract], skeletons: Sequence[Abstract], heap: Heap
    ) -> list[Value]:
        """Emit what the state `(xs, heap)` has for every slot, in the order of the slots."""
        coercion = Coercion(self, heap)
        for x, skeleton in zip(xs, skeletons):
            coercion.value(x, skeleton)
        # What stands for two objects is found through what holds it; only then by its own id.
        apart = {joined for (a, b), joined in self.pairs.items() if a != b}
        for id in sorted(self.merged, key=apart.__contains__):
            if id not in coercion.done and id in heap:
                coercion.object(Ref(id), id)
        return coercion.yields()

    def coerce_object(self, id: int, heap: Heap) -> list[Value]:
        """As `coerce`, for a path that raises: of its state the object `id` alone matters."""
        coercion = Coercion(self, heap)
        coercion.object(Ref(id), id)
        return coercion.yields(whole=False)

    # ----- After the op

    def finish(self, heap: Heap, results: Sequence[Value]) -> Callable[[Abstract], Abstract]:
        """Update `heap` to the state after the op; returns the map from skeletons to values."""
        env = dict(zip(self.slots, results))
        heap.next_id = max(heap.next_id, self.next_id)
        for id, contents in self.merged.items():
            heap.objects[id] = substitute(contents, env)
        may_alias.add_alias_edges(self, heap)
        return lambda skeleton: substitute(skeleton, env)
