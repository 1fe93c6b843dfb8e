"""The state of one merge of two paths: its inputs, and the tables that merging fills.

`Merge` (`merge.py`) does the merging. `points_to.py`, `may_alias.py`, `one_branch.py` and the
merges of arrays and lists read and fill the same tables.

Words used for loops. A *loop-header object* is an object whose contents hold placeholders at the
start of an iteration (a phi of the loop, for an object). Some header objects are *loop names*: they
exist only inside the loop and stand for whichever object a variable holds. A *loop-private array*
is the one array that stands for all arrays that iterations make for a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from myia.infer.domain.dynamic_axes import DynamicAxes
from myia.infer.domain.dynamic_views import PaddedValue
from myia.infer.domain.heap import ArrayObject, Contents, Heap
from myia.ir.avals import Aval
from myia.ir.core import Value


class Arrays(Protocol):
    """Types and values of the arrays and views of a heap."""

    def aval(self, heap: Heap, id: int) -> Aval: ...

    def read(self, heap: Heap, id: int) -> Value: ...

    def type_of(self, heap: Heap, id: int) -> tuple[Aval, DynamicAxes]: ...

    def padded_value(self, heap: Heap, id: int) -> PaddedValue: ...


class MergeState:
    """Inputs and tables of a merge. It has three uses, which set different inputs:

    - two branches of an `if`: `left` and `right` are the heaps at their ends;
    - a loop (`is_loop`): `left` is the heap at the start of an iteration, `right` at its end;
    - a refit (`is_refit`): `left` is the heap before a loop, `right` the last fixed point of the
      same loop, found at an earlier visit. It only predicts which leaves will change.
    """

    def __init__(
        self,
        before: Heap,
        left: Heap,
        right: Heap,
        arrays: Arrays,
        list_growth=None,
        *,
        is_loop: bool = False,
        entry_placeholders: Sequence[Value] = (),
        header_objects: Iterable[int] = (),
        refit_placeholders: Sequence[Value] | None = None,
        refit_before: Heap | None = None,
        before_loop: Heap | None = None,
        private_at_start: Mapping[int, int] = MappingProxyType({}),
        tracks_points_to: bool = False,
        can_unroll: bool = True,
    ):
        # ----- Inputs
        # The heap that both paths started from, and the heaps at their ends.
        self.before, self.left, self.right = before, left, right
        self.arrays = arrays
        # Merges lists of different lengths (`growing_lists.ListGrowth`).
        self.list_growth = list_growth
        self.is_loop = is_loop
        # Loop: the placeholders in the state at the start of the iteration, and the objects that
        # hold them.
        self.entry_placeholders = frozenset(entry_placeholders)
        self.header_objects = frozenset(header_objects)
        # Refit: the placeholders of the last fixed point (all other leaves stay as on the left),
        # and the heap before the loop at that earlier visit.
        self.is_refit = refit_placeholders is not None
        self.refit_placeholders = frozenset(refit_placeholders or ())
        self.refit_before = refit_before
        # Loop: the heap before the loop (`before` is the heap at the start of the iteration).
        self.before_loop = before_loop
        # The second mode of inference (`infer/eval/program.py`): names have points-to sets.
        self.tracks_points_to = tracks_points_to
        # Loop: it can be unrolled. Values without a common form may have one in straight code.
        self.can_unroll = can_unroll

        # ----- Tables: the template
        # The placeholders, in order: the results of the `if` or the carries of the loop.
        self.placeholders: list[Value] = []
        # Loop: new placeholder -> the entry placeholder that it replaces.
        self.entry_placeholder_of: dict[Value, Value] = {}
        # Id -> merged contents, of every object that the paths have changed differently.
        self.merged: dict[int, Contents] = {}
        # (id on the left, id on the right) -> id of the object that may be either.
        self.merged_ids: dict[tuple[int, int], int] = {}
        # Header objects whose id has been given to a merged object.
        self.claimed_headers: set[int] = set()
        # The template is more general than the state at the start: infer another iteration.
        self.widened = False
        self.next_id = max(left.next_id, right.next_id)
        # Only one path goes on: the values that it defines. Only these become placeholders.
        self.survivor_values: frozenset[Value] | None = None

        # ----- Tables: aliases
        # (object, a copy of its elements): a write to the object invalidates the copy.
        self.copies: list[tuple[int, int]] = []
        # Keys of `merged_ids` whose object has a points-to set: it needs no may-alias edges.
        self.points_to_pairs: set[tuple[int, int]] = set()
        # (object, merged object that may be the same) where no points-to set was possible.
        self.possible_aliases: list[tuple[int, int]] = []
        # Merged names that swap their arrays (`infer/domain/swapped_arrays.py`).
        self.swapped_names: set[int] = set()
        # Loop name -> its loop-private array, at the start and at the end of the iteration.
        self.private_at_start, self.private_at_end = private_at_start, {}
        # Loop-private array -> the arrays of this iteration that become it.
        self.iteration_arrays: dict[int, list[int]] = {}

    def placeholder(self, aval: Aval, of: Value | None = None, name: str | None = None) -> Value:
        """A new placeholder; `of`: the value of the same leaf at the start of the iteration."""
        value = Value(aval, name or (of.name if of is not None else None))
        self.placeholders.append(value)
        # Two leaves that held one value at the start may differ at the end: only one of them
        # replaces the entry placeholder, the other one is a new carry. So is a leaf of another
        # dtype.
        replaced = self.entry_placeholder_of.values()
        if of in self.entry_placeholders and of not in replaced and of.aval == aval:
            self.entry_placeholder_of[value] = of
        else:
            self.widened = True
        return value

    def drop_placeholder(self, contents: Contents | None) -> None:
        """Take back the placeholder of an array that is represented in another way."""
        if isinstance(contents, ArrayObject) and contents.value in self.placeholders:
            self.placeholders.remove(contents.value)
            self.entry_placeholder_of.pop(contents.value, None)

    def new_id(self) -> int:
        self.next_id += 1
        return self.next_id

    def is_loop_name(self, id: int) -> bool:
        """A header object that stands for what a variable holds, not an object from before."""
        old = self.before_loop is not None and id in self.before_loop
        return id in self.header_objects and not old
