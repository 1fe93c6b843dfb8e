"""The merge of two paths: the branches of an `if`, or the start and the end of an iteration.

*What it computes*: a *template* of two states (values and heap). The template is the tree that both
states share. Each leaf that differs is a fresh *placeholder* value: a phi.

*What it guarantees*: both states are instances of the template. A compile-time number merged with
another number is a run-time number of the type that is both (`infer/domain/dtypes.py`), or
else a choice of them (`choice.py`); None or an unbound name merged with a value is an `Optional`.
Objects that may be the same know of each other's writes (`points_to.py`, `may_alias.py`). Its laws,
for states x, y and their template t:

- idempotent: the template of x and x is x, without placeholders;
- monotone: the template of t and x, or of t and y, is t up to the names of placeholders;
- commutative: the templates of x and y and of y and x differ in names, new ids and the order of
  options only (of two branches; a loop widens the range of its start).

*When it gives up*: two values without a common structure raise `Mismatch`. A loop is then unrolled,
if it can be.

    result = merge_states(Merge(before, left_heap, right_heap, join), left, right)
    yields = path_values(result, left, left_heap)              at the end of the left path
    after = result.update(heap, results)                       results: one for each placeholder
    values = [after(template) for template in result.template]
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from myia.infer.domain import swapped_arrays
from myia.infer.domain.describe import describe
from myia.infer.domain.dtypes import (
    NumberKind,
    are_joined,
    is_number,
    joined,
    number_dtype,
    same_bool,
)
from myia.infer.domain.heap import (
    VIEW_OF_ONE_PATH,
    AnyList,
    ArrayObject,
    BufferObject,
    CellObject,
    Contents,
    DynamicView,
    Invalidated,
    SelectedArray,
    ViewObject,
)
from myia.infer.domain.heap_arrays import ARRAYS, DYNAMIC_ARRAYS, ItemObject, array_aval
from myia.infer.domain.mismatch import Mismatch, ObjectsDiffer, UnboundedGrowth
from myia.infer.domain.values import (
    IS_INNER,
    Abstract,
    Optional,
    Ref,
    Scalar,
    Static,
    UndefinedType,
    as_number,
    same_static,
)
from myia.infer.lists.growing_lists import affine_lengths
from myia.infer.paths import choice, merge_arrays, merge_lists, points_to
from myia.infer.paths.may_alias import adds_edges, alias_edges
from myia.infer.paths.merge_result import Alias, Joined, Merge, MergeResult, Merging
from myia.infer.paths.merge_template import (
    ABSENT,
    SCALAR_FACTS,
    Absent,
    has_same_form,
    is_absent,
    is_of_unbound,
    live_placeholders,
    side_of,
)
from myia.ir.avals import I64, Aval


def merge_states(merge: Merge, xs: Sequence[Abstract], ys: Sequence[Abstract]) -> MergeResult:
    """The merge of the states `(xs, merge.left)` and `(ys, merge.right)`; raises Mismatch."""
    walk = Walk(merge)
    template = tuple(map(walk.merge_values, xs, ys))
    walk.merge_heaps()
    return walk.result(xs, template)


class Walk(Merging):
    """The walk over two states, and what it has merged so far.

    In a loop, a loop-header object stands for the object that its name holds at the start of an
    iteration. So merged with any object it stays itself.
    """

    def __init__(self, merge: Merge):
        super().__init__(merge)
        self.join = merge.join
        self.before, self.left, self.right = merge.before, merge.left, merge.right
        # Header objects whose id has been given to a merged object.
        self.claimed: set[int] = set()
        self.growth = merge.join.growth

    # ----- Values

    def merge_values(self, a: Abstract, b: Abstract) -> Abstract:
        """The template of `a` and `b`; raises Mismatch."""
        if isinstance(a, Static) and isinstance(b, Static) and same_static(a.value, b.value):
            return a
        # A leaf that an earlier round has found to change stays a placeholder, even if this round
        # returns it as it was: each placeholder at the start needs a value at the end.
        if isinstance(a, Scalar) and isinstance(b, Scalar) and a.value is b.value:
            same = all(getattr(a, fact) == getattr(b, fact) for fact in SCALAR_FACTS)
            changes = a.value in self.join.entry_placeholders
            return a if same and not changes else self.merge_numbers(a, b)
        if a is b and isinstance(a, (UndefinedType, Absent)):
            return a
        if is_number(a) and is_number(b) and are_joined(a, b):
            return same_bool(a, b) or self.merge_numbers(a, b)
        if isinstance(a, Optional) or isinstance(b, Optional) or is_absent(a) != is_absent(b):
            return self.merge_optional(a, b)
        if choice.need_choice_of_objects(self, a, b):
            found = choice.merged_objects(self, a, b)
            if found is None:
                one, other = describe(a, self.left), describe(b, self.right)
                raise ObjectsDiffer(one, other)
            return found
        if isinstance(a, Ref) and isinstance(b, Ref):
            return self.merge_refs(a, b)
        if is_absent(a) and is_absent(b):
            return self.merge_optional(a, b)
        if choice.need_choice(a, b):
            if self.join.takes_choice(a, b):
                return choice.merged_choice(self, a, b)
        elif a.key() == b.key() and not isinstance(a, Static):
            return a.rebuild(tuple(map(self.merge_values, a.children(), b.children())))
        raise Mismatch(describe(a, self.left), describe(b, self.right))

    def merge_numbers(self, a: Abstract, b: Abstract) -> Scalar:
        """A placeholder of the type that is both, and a range that holds both integers."""
        found = joined(NumberKind.of(a), NumberKind.of(b))
        assert found is not None
        dtype, weak = found
        lo = hi = None
        if number_dtype(a).kind in "iu" and number_dtype(b).kind in "iu":
            lo, hi = self.join.bounds(a, b)
        of = a.value if isinstance(a, Scalar) else None
        name = b.value.name if isinstance(b, Scalar) else None
        one, other = (x.boxed if isinstance(x, Scalar) else False for x in (a, b))
        boxed = one if one is other else None
        return Scalar(self.placeholder(Aval(dtype), of, name), weak, lo, hi, boxed=boxed)

    def merge_optional(self, a: Abstract, b: Abstract) -> Abstract:
        """A value on one side, None or no value on the other."""
        if isinstance(a, Absent) or isinstance(b, Absent):
            return self.one_sided(a if isinstance(b, Absent) else b, isinstance(b, Absent))
        of_unbound = is_of_unbound(a) or is_of_unbound(b)
        sides = [side_of(x, of_unbound) for x in (a, b)]
        absent = next(x.absent for x in sides if x.absent is not None)
        present = as_number(self.merge_values(sides[0].present, sides[1].present))
        return Optional(present, self.merge_values(sides[0].value, sides[1].value), absent)

    def one_sided(self, x: Abstract, left: bool) -> Abstract:
        """The template of a value that only one side has: a placeholder for each run-time leaf.

        The other path yields zeros for them, which are never read.
        """
        if isinstance(x, Scalar):
            return (
                x.with_value(self.placeholder(x.value.aval, x.value))
                if self.join.replaces(x.value)
                else x
            )
        if isinstance(x, Ref):
            if x.id not in self.before and x.id not in self.objects:
                self.objects[x.id] = self.one_sided_contents(x.id, left)
            return x
        return x.rebuild(tuple(self.one_sided(c, left) for c in x.children()))

    # ----- Objects

    def one_sided_contents(self, id: int, left: bool) -> Contents:
        heap = self.left if left else self.right
        contents = heap[id]
        if isinstance(contents, ItemObject) and not self.keeps_item(contents):
            return Invalidated(None)
        if not isinstance(contents, (ViewObject, DynamicView)):
            for base in contents.bases:
                self.one_sided(Ref(base), left)
        if isinstance(contents, DYNAMIC_ARRAYS):
            if not self.join.takes_new_sizes:
                raise UnboundedGrowth("nothing", describe(Ref(id), heap))
            return self.add_copies(merge_arrays.one_sided_array(self, heap, id), id)
        if isinstance(contents, ViewObject):
            if not self.join.keeps_view(contents, self.merge.tracks_points_to):
                self.copies.append((contents.base, id))
                value = self.placeholder(array_aval(heap, id))
                return ArrayObject(value, VIEW_OF_ONE_PATH, False)
            self.one_sided(Ref(contents.base), left)
        return contents.rebuild(tuple(self.one_sided(c, left) for c in contents.children()))

    def keeps_item(self, item: ItemObject) -> bool:
        """Whether the list of an item is there after the merge, and holds it still."""
        return item.base in self.before and not self.join.is_loop_name(item.base)

    def add_copies(self, joined: Joined, id: int) -> Contents:
        self.copies += [(base, id) for base in joined.copied]
        return joined.contents

    def merge_refs(self, a: Ref, b: Ref) -> Ref:
        """Two references: the same object, or a new object that may be either."""
        if a.id == b.id and (a.id not in self.join.header_objects or self.is_swapped(a.id)):
            self.merge_object(a.id)
            return a
        pair = (a.id, b.id)
        if a.id in self.join.header_objects and self.is_swapped(a.id):
            self.refuse_rebinding(a.id)
        if pair not in self.ids:
            # The id is recorded before the contents are merged: this ends cycles of references.
            self.ids[pair] = merged = self.claim_id(*pair)
            self.objects[merged] = self.merge_contents(a.id, b.id, named=a.id != b.id)
        return Ref(self.ids[pair])

    def claim_id(self, a: int, b: int) -> int:
        """The id of the merged object of `a` and `b`: a header object keeps its id, once."""
        # Once: names that held one object at the start may hold different ones at the end.
        if (
            a in self.join.header_objects
            and a not in self.claimed
            and (a == b or self.join.is_loop_name(a))
        ):
            self.claimed.add(a)
            return a
        return self.new_id()

    def merge_object(self, id: int) -> None:
        """Merge the contents of an object that both sides hold under one id."""
        if points_to.points_to_of(self.left[id]) or points_to.points_to_of(self.right[id]):
            unchanged = self.left[id] is self.right[id] is self.before[id]
            if id not in self.objects and (id in self.join.header_objects or not unchanged):
                self.objects[id] = points_to.merged_set(self, id)
            return
        if self.is_selected(id):
            return  # merged in `merge_swapped`, once all names have been merged
        if id not in self.objects and self.left[id] is not self.right[id]:
            self.objects[id] = self.left[id]  # ends cycles of references; replaced at once
            self.objects[id] = self.merge_contents(id, id, named=False)

    def merge_heaps(self) -> None:
        """Merge every object that was there before and that a path has changed."""
        present = dict.fromkeys((*self.before.objects, *self.before.roots))
        for id in present:
            if id in self.join.private_arrays.values():
                continue  # merged with its loop name
            if id in self.join.header_objects:
                if id not in self.claimed and id in self.right:
                    self.merge_refs(Ref(id), Ref(id))
            elif id in self.left and id in self.right:
                self.merge_object(id)
            elif id in self.left or id in self.right:  # the other path has dropped it
                heap = self.left if id in self.left else self.right
                if heap[id] is not self.before[id]:
                    self.objects[id] = self.one_sided_contents(id, heap is self.left)
        # The order matters. Swaps are found from the pairs of all names, so objects come first. A
        # name that swaps arrays gets no points-to set, so these come last.
        rebound = {id for a, b in self.ids if a != b for id in (a, b)}
        both = [id for id in present if id in self.left and id in self.right]
        tracks_points_to, permuted = self.merge.tracks_points_to, set(both)
        if tracks_points_to:
            permuted = swapped_arrays.permuted_arrays(self.merge.sides, self.ids, both)
        may_swap = [id for id in both if id in rebound or self.is_selected(id)]
        swapped = {
            name for id in may_swap for name in self.merge_swapped(id, rebound, id in permuted)
        }
        for pair, id in list(self.ids.items()) if tracks_points_to else ():
            if id not in swapped and isinstance(self.objects.get(id), ArrayObject):
                self.join.add_points_to(self, *pair, id)
        for a, b in self.ids:
            if (
                a != b
                and a in self.join.header_objects
                and not self.join.is_loop_name(a)
                and (a, b) not in self.exact
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
        return self.is_selected(id) and not self.join.is_loop_name(id)

    def is_selected(self, id: int) -> bool:
        """On some side a run-time index selects the array."""
        return any(isinstance(h[id], SelectedArray) for h in (self.left, self.right))

    def merge_swapped(self, id: int, rebound: set[int], permuted: bool) -> tuple[int, ...]:
        """Merge an array whose names were swapped on a path, or before (`swapped_arrays.py`).

        `rebound`: the objects of names that hold different objects on both sides. `permuted`: the
        array is one of a group that only changes names within the group. Returns these names.
        """
        x, y = self.left[id], self.right[id]
        if points_to.points_to_of(x) or points_to.points_to_of(y):
            return ()
        same = x is y and id not in self.join.header_objects and rebound.isdisjoint((id, *x.bases))
        if self.join.is_loop_name(id) or same:
            return ()
        found = swapped_arrays.swapped_names(self.merge.sides, self.ids, id) if permuted else ()
        if found:
            # Also where it has been merged as an ordinary array: the carries of its names hold the
            # elements.
            of = x.index.value if isinstance(x, SelectedArray) and x.options == found else None
            index = Scalar(self.placeholder(I64, of), True, 0, len(found) - 1)
            self.objects[id] = SelectedArray(index, found)
        elif self.is_selected(id):
            self.objects[id] = self.merge_contents(id, id, named=False)
        return found

    def is_referenced(self, id: int) -> bool:
        """Whether names or views of the object are left after the merge."""
        used = {id for pair in self.ids for id in pair} | {base for base, _ in self.copies}
        return id in self.before or id in self.objects or id in used

    def merge_contents(self, a: int, b: int, named: bool) -> Contents:
        """The merged contents of object `a` on the left and `b` on the right; raises Mismatch.

        `named`: the two may be different objects, under one name.
        """
        x, y = self.left[a], self.right[b]
        invalidated = self.left.invalidation(a) or self.right.invalidation(b)
        if invalidated is not None:
            return invalidated
        if isinstance(x, ItemObject) and x.key() == y.key() and not self.keeps_item(x):
            return Invalidated(None)
        view = points_to.merged_view(self, a, b) if self.merge.tracks_points_to else None
        if view is not None:
            self.exact.add((a, b))
            return view
        if isinstance(x, CellObject) and isinstance(y, CellObject) and _hold_classes(x, y):
            return Invalidated(None)
        lists = isinstance(x, AnyList) and isinstance(y, AnyList)
        if isinstance(x, ARRAYS) and isinstance(y, ARRAYS):
            joined, self.growth = merge_arrays.merged_arrays(
                self, a, b, self.growth, lambda i: named or self.is_referenced(i)
            )
        elif lists and (x.key() != y.key() or isinstance(x, BufferObject)):
            joined, self.growth = merge_lists.merged_list(self, a, b, self.growth)
        elif x.key() == y.key():
            return x.rebuild(tuple(map(self.merge_values, x.children(), y.children())))
        else:
            joined = None
        if joined is None:
            raise Mismatch(describe(Ref(a), self.left), describe(Ref(b), self.right))
        return self.add_copies(joined, self.ids.get((a, b), a))

    # ----- The result

    def result(self, xs: Sequence[Abstract], template: tuple[Abstract, ...]) -> MergeResult:
        """`xs`: the values of the left state."""
        contents = self.objects.values()
        entry, growth = self.join.entry_placeholders, self.join.growth
        placeholders, replaced = live_placeholders((*template, *contents), self.placeholders, entry)
        may_alias = alias_edges(
            self.merge, self.objects, self.all_aliases(), self.copies, self.items
        )
        old = {**self.left.roots, **self.left.objects}
        was = [old.get(id, ABSENT) for id in self.objects]
        changed = (
            not all(map(has_same_form, (*xs, *was), (*template, *contents), repeat(replaced)))
            or affine_lengths(self.growth) != affine_lengths(growth)
            or adds_edges(self.left, may_alias)
        )
        return MergeResult(
            template,
            placeholders,
            self.objects,
            frozenset(
                id for (a, b), id in self.ids.items() if a != b or self.join.is_loop_name(id)
            ),
            self.private_arrays,
            may_alias,
            self.growth,
            replaced,
            changed,
            self.next_id,
            tuple(self.outgrown),
        )

    def all_aliases(self) -> list[Alias]:
        """Which merged objects may be each object of the left and of the right."""
        pairs = [(pair, id) for pair, id in self.ids.items() if pair not in self.exact]
        sides = [Alias(left, pair[1 - left], id) for pair, id in pairs for left in (True, False)]
        return [*sides, *self.aliases]


def _hold_classes(a: CellObject, b: CellObject) -> bool:
    """Do they hold two classes that the program makes? Neither can be used from now on."""
    left, right = map(_class_in, (a, b))
    return left is not None and right is not None and left is not right


def _class_in(cell: CellObject) -> type | None:
    x = cell.content.value if isinstance(cell.content, Optional) else cell.content
    if not isinstance(x, Static) or not isinstance(x.value, type):
        return None
    return x.value if IS_INNER in vars(x.value) else None
