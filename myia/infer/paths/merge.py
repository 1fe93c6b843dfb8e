"""The merge of two paths: the branches of an `if`, or the start and the end of an iteration.

*What it computes*: a *template* of two states (values and heap). The template is the tree that both
states share. Each leaf that differs is a fresh *placeholder* value: a phi.

*What it guarantees*: both states are instances of the template. A compile-time number merged with
another number is a run-time number, of the promoted dtype; None or an unbound name merged
with a value is an `Optional`. Objects that may be the same know of each other's writes
(`points_to.py`, `may_alias.py`).

*When it gives up*: two values without a common structure raise `Mismatch`. A loop is then unrolled,
if it can be.

    merge = Merge(before, left_heap, right_heap, arrays)
    template = merge.merge_values(left, right); merge.merge_heaps()
    yields = merge.coerce([left], [template], left_heap)       at the end of the left path
    after = merge.update_heap(heap, results)(template)         results: one for each placeholder
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
from myia.infer.paths import (
    function_choice,
    may_alias,
    merge_arrays,
    merge_dynamic_arrays,
    one_branch,
    points_to,
)
from myia.infer.paths.merge_state import MergeState
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


class Merge(MergeState):
    """Merges two states that both started from the heap `before` (inputs: `MergeState`).

    In a loop, a loop-header object stands for the object that its name holds at the start of an
    iteration. So merged with any object it stays itself.
    """

    # ----- Values

    def merge_values(self, a: Abstract, b: Abstract) -> Abstract:
        """The template of `a` and `b`; raises Mismatch."""
        if isinstance(a, Static) and isinstance(b, Static) and same_static(a.value, b.value):
            return a
        # Refit: `b` is of an earlier visit. Only whether it changed is of use, not its value.
        if self.is_refit and isinstance(b, (Static, Scalar)) and a is not ABSENT:
            changes = isinstance(b, Scalar) and b.value in self.refit_placeholders
            return self.merge_numbers(a, b) if changes and is_number(a) else a
        # A leaf that an earlier round has found to change stays a placeholder, even if this round
        # returns it as it was: each placeholder at the start needs a value at the end
        # (`_Iteration.yields`).
        if isinstance(a, Scalar) and isinstance(b, Scalar) and a.value is b.value:
            return self.merge_numbers(a, b) if a.value in self.entry_placeholders else a
        if a is b and isinstance(a, (UndefinedType, Absent)):
            return a
        if is_number(a) and is_number(b):
            return self.merge_numbers(a, b)
        if isinstance(a, Optional) or isinstance(b, Optional) or is_absent(a) != is_absent(b):
            return self.merge_optional(a, b)
        if isinstance(a, Ref) and isinstance(b, Ref):
            return self.merge_refs(a, b)
        if is_absent(a) and is_absent(b):
            return UNDEFINED  # one None, one undefined: reading it is an error either way
        if (
            function_choice.is_function(a)
            and function_choice.is_function(b)
            and function_choice.need_choice(a, b)
        ):
            if self.is_loop and function_choice.adds_nested_choice(a, b):
                raise Mismatch(describe(a, self.left), describe(b, self.right))
            return function_choice.merged_choice(self, a, b)
        if a.key() == b.key() and not isinstance(a, Static):
            return a.rebuild(tuple(map(self.merge_values, a.children(), b.children())))
        raise Mismatch(describe(a, self.left), describe(b, self.right))

    def merge_numbers(self, a: Abstract, b: Abstract) -> Scalar:
        """A placeholder with the promoted dtype, and a range that holds both integers."""
        dtype, weak = promote((number_dtype(a), is_weak(a)), (number_dtype(b), is_weak(b)))
        lo = hi = None
        if number_dtype(a).kind in "iu" and number_dtype(b).kind in "iu":
            lo, hi = interval_hull(a, b)
            if self.is_loop:
                # Widening: a bound that an iteration changes is dropped, so that the fixed point
                # is reached in finitely many rounds.
                alo, ahi = bounds(a)
                lo, hi = (lo if lo == alo else None), (hi if hi == ahi else None)
        of = a.value if isinstance(a, Scalar) else None
        one, other = (x.boxed if isinstance(x, Scalar) else False for x in (a, b))
        boxed = one if one is other else None
        if of is not None and (a.weak, a.lo, a.hi, a.boxed) != (weak, lo, hi, boxed):
            self.widened = True
        name = b.value.name if isinstance(b, Scalar) else None
        return Scalar(self.placeholder(Aval(dtype), of, name), weak, lo, hi, boxed=boxed)

    def merge_optional(self, a: Abstract, b: Abstract) -> Abstract:
        """A value on one side, None or no value on the other."""
        if isinstance(a, Absent) or isinstance(b, Absent):
            return one_branch.one_sided_template(
                self, a if isinstance(b, Absent) else b, isinstance(b, Absent)
            )
        sides = [x if isinstance(x, Optional) else as_optional(x) for x in (a, b)]
        absent = next(x.absent for x in sides if x.absent is not None)
        present = self.merge_values(sides[0].present, sides[1].present)
        return Optional(present, self.merge_values(sides[0].value, sides[1].value), absent)

    # ----- Objects

    def merge_refs(self, a: Ref, b: Ref) -> Ref:
        """Two references: the same object, or a new object that may be either."""
        if a.id == b.id and (a.id not in self.header_objects or self.is_swapped(a.id)):
            self.merge_object(a.id)
            return a
        pair = (a.id, b.id)
        if self.is_refit and a.id != b.id and self.keeps_identity(*pair):
            return a
        if a.id in self.header_objects and self.is_swapped(a.id):
            self.refuse_rebinding(a.id)
        if pair not in self.merged_ids:
            # The id is recorded before the contents are merged: this ends cycles of references.
            self.merged_ids[pair] = merged = self.claim_id(*pair)
            self.merged[merged] = self.merge_contents(a.id, b.id, named=a.id != b.id)
        return Ref(self.merged_ids[pair])

    def keeps_identity(self, a: int, b: int) -> bool:
        """Refit: the loop changes the array at most in place, so the name keeps this object.

        The last fixed point is of another visit: the same object has another id in it.
        """
        x, y = self.left[a], self.right[b]
        if not isinstance(x, ArrayObject) or not isinstance(y, ArrayObject):
            return False
        if y.value in self.refit_placeholders:
            if b not in self.refit_before:
                return False
            if a not in self.merged:
                self.merged[a] = self.merge_contents(a, b, named=False)
        return True

    def claim_id(self, a: int, b: int) -> int:
        """The id of the merged object of `a` and `b`: a header object keeps its id, once."""
        # Once: names that held one object at the start may hold different ones at the end.
        if (
            a in self.header_objects
            and a not in self.claimed_headers
            and (a == b or self.is_loop_name(a))
        ):
            self.claimed_headers.add(a)
            return a
        self.widened = True
        return self.new_id()

    def merge_object(self, id: int) -> None:
        """Merge the contents of an object that both sides hold under one id."""
        if points_to.points_to_of(self.left[id]) or points_to.points_to_of(self.right[id]):
            self.merge_points_to(id)
            return
        if self.is_selected(id):
            return  # merged in `merge_swapped`, once all names have been merged
        unreliable = isinstance(self.left[id], ViewObject) or isinstance(
            self.right[id], Invalidated
        )
        if self.is_refit and unreliable:
            return  # at another visit the id may be of another object, and the writes others
        if id not in self.merged and self.left[id] is not self.right[id]:
            self.merged[id] = self.left[id]  # ends cycles of references; replaced at once
            self.merged[id] = self.merge_contents(id, id, named=False)

    def merge_points_to(self, id: int) -> None:
        """A name with a points-to set from before, to an object of which a path has written.

        Its set stays the same. Its own copy of the elements is given up (`ArrayObject.points_to`).
        """
        x, y = points_to.points_to_of(self.left[id]), points_to.points_to_of(self.right[id])
        untouched = (
            self.left[id] is self.right[id] is self.before[id] and id not in self.header_objects
        )
        if untouched or id in self.merged or self.is_refit:
            return
        if x is None or y is None or x.options != y.options:
            raise InternalError("the points-to set of a name from before has changed")
        self.widened |= self.is_loop and not isinstance(self.left[id], PointsTo)
        self.merged[id] = PointsTo(self.merge_values(x.index, y.index), x.options)

    def merge_heaps(self) -> None:
        """Merge every object that was there before and that a path has changed."""
        present = dict.fromkeys((*self.before.objects, *self.before.roots))
        for id in present:
            if id in self.private_at_start.values():
                continue  # merged with its loop name
            if id in self.header_objects:
                if id not in self.claimed_headers and id in self.right:
                    self.merge_refs(Ref(id), Ref(id))
            elif id in self.left and id in self.right:
                self.merge_object(id)
        # The order matters. Swaps are found from the pairs of all names, so objects come first. A
        # name that swaps arrays gets no points-to set, so these come last.
        rebound = {id for a, b in self.merged_ids if a != b for id in (a, b)}
        both = [id for id in present if id in self.left and id in self.right]
        permuted = swapped_arrays.permuted_arrays(self, both) if self.tracks_points_to else both
        for id in both:
            self.merge_swapped(id, rebound, id in permuted)
        if self.tracks_points_to:
            points_to.assign_points_to(self)
        for a, b in self.merged_ids:
            if (
                a != b
                and a in self.header_objects
                and not self.is_loop_name(a)
                and (a, b) not in self.points_to_pairs
            ):
                self.refuse_rebinding(a)

    def refuse_rebinding(self, id: int) -> None:
        """Refuse a header object from before the loop that would also become a loop name.

        Other names may refer to it, and these do not change with the loop name.
        """
        one = f"{describe(Ref(id), self.left)}, which the loop writes to,"
        raise Mismatch(one, "another object of the same name")

    def is_swapped(self, id: int) -> bool:
        """An object from before whose names have been swapped."""
        return self.is_selected(id) and not self.is_loop_name(id)

    def is_selected(self, id: int) -> bool:
        """On some side a run-time index selects the array."""
        return any(isinstance(h[id], SelectedArray) for h in (self.left, self.right))

    def merge_swapped(self, id: int, rebound: set[int], permuted: bool) -> None:
        """Merge an array whose names were swapped on a path, or before (`swapped_arrays.py`).

        `rebound`: the objects of names that hold different objects on both sides. `permuted`: the
        array is one of a group that only changes names within the group.
        """
        x, y = self.left[id], self.right[id]
        if self.is_refit:
            if isinstance(y, SelectedArray) and y.index.value in self.refit_placeholders:
                raise Mismatch("nothing", "an array that changes names")
            return
        if points_to.points_to_of(x) or points_to.points_to_of(y):
            return
        same = x is y and id not in self.header_objects and rebound.isdisjoint((id, *x.bases))
        if self.is_loop_name(id) or same or not (id in rebound or self.is_selected(id)):
            return
        names = swapped_arrays.swapped_names(self, id) if permuted else ()
        if names:
            self.swapped_names |= {*names}
            # It may have been merged as an ordinary array. Now the carries of its names hold the
            # elements.
            self.drop_placeholder(self.merged.get(id))
            of = x.index.value if isinstance(x, SelectedArray) and x.options == names else None
            index = Scalar(self.placeholder(I64, of), True, 0, len(names) - 1)
            self.merged[id] = SelectedArray(index, names)
        elif self.is_selected(id):
            self.merged[id] = self.merge_contents(id, id, named=False)

    def is_referenced(self, id: int) -> bool:
        """Whether names or views of the object are left after the merge."""
        used = {id for pair in self.merged_ids for id in pair} | {base for base, _ in self.copies}
        return id in self.before or id in self.merged or id in used

    def merge_contents(self, a: int, b: int, named: bool) -> Contents:
        """The merged contents of object `a` on the left and `b` on the right; raises Mismatch.

        `named`: the two may be different objects, under one name.
        """
        x, y = self.left[a], self.right[b]
        invalidated = self.left.invalidation(a) or self.right.invalidation(b)
        if invalidated is not None:
            self.widened |= not isinstance(x, Invalidated)
            return invalidated
        view = points_to.merged_view(self, a, b) if self.tracks_points_to else None
        if view is not None:
            return view
        if self.is_refit and isinstance(y, PointsTo):
            raise Mismatch("nothing", "an array that is one of several")
        static = (ArrayObject, ViewObject, SelectedArray)
        if isinstance(x, static) and isinstance(y, static):
            return merge_arrays.merged_array(self, a, b, named)
        if any(isinstance(side, (DynamicArray, DynamicView)) for side in (x, y)) and all(
            isinstance(side, ARRAYS) for side in (x, y)
        ):
            merged = merge_dynamic_arrays.merged_dynamic_array(self, a, b)
            if merged is None:
                raise Mismatch(describe(Ref(a), self.left), describe(Ref(b), self.right))
            return merged
        if self.list_growth is not None and (x.key() != y.key() or isinstance(x, BufferObject)):
            grown = self.list_growth.merge_lists(self, a, b)
            if grown is not None:
                return grown
        if x.key() != y.key():
            raise Mismatch(describe(Ref(a), self.left), describe(Ref(b), self.right))
        return x.rebuild(tuple(map(self.merge_values, x.children(), y.children())))

    # ----- Coercion: what a path yields for the placeholders

    def coerce(
        self, xs: Sequence[Abstract], templates: Sequence[Abstract], heap: Heap
    ) -> list[Value]:
        """Emit the value that the state `(xs, heap)` has for each placeholder, in order."""
        coercion = Coercion(self, heap)
        for x, template in zip(xs, templates):
            coercion.value(x, template)
        # An object merged of two different ones is reached through its references: its id means
        # nothing in this heap. So objects under their own id come first.
        new = {merged for (a, b), merged in self.merged_ids.items() if a != b}
        for id in sorted(self.merged, key=new.__contains__):
            if id not in coercion.done and id in heap:
                coercion.object(Ref(id), id)
        return coercion.yields()

    def coerce_object(self, id: int, heap: Heap) -> list[Value]:
        """As `coerce`, for a path that raises: only the object `id` of its state is read."""
        coercion = Coercion(self, heap)
        coercion.object(Ref(id), id)
        return coercion.yields(whole=False)

    # ----- After the op

    def update_heap(self, heap: Heap, results: Sequence[Value]) -> Callable[[Abstract], Abstract]:
        """Update `heap` to the state after the op; returns the map from templates to values."""
        env = dict(zip(self.placeholders, results))
        heap.next_id = max(heap.next_id, self.next_id)
        for id, contents in self.merged.items():
            heap.objects[id] = substitute(contents, env)
        may_alias.add_alias_edges(self, heap)
        return lambda template: substitute(template, env)
