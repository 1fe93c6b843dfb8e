"""Inputs and result of a merge of two paths (`merge.py`): values, which nothing edits.

Words used for loops. A *loop-header object* is an object whose contents hold placeholders at the
start of an iteration (a phi of the loop, for an object). Some header objects are *loop names*: they
exist only inside the loop and stand for whichever object a variable holds. A *loop-private array*
is the one array that stands for all arrays that iterations make for a name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from myia.infer.capacities import Site
from myia.infer.domain.dtypes import interval_hull
from myia.infer.domain.dynamic_axes import DynamicAxes
from myia.infer.domain.heap import Contents, Heap, ViewObject
from myia.infer.domain.values import Abstract, Scalar
from myia.infer.lists.growing_lists import ListGrowth
from myia.infer.paths.merge_template import substitute
from myia.ir.avals import Aval
from myia.ir.core import Value


@dataclass(frozen=True)
class Merge:
    """Two states that started from the heap `before`, and how they are joined.

    `tracks_points_to`: the second mode of inference (`infer/eval/program.py`).
    """

    before: Heap
    left: Heap
    right: Heap
    join: Join
    tracks_points_to: bool = False

    @property
    def sides(self) -> tuple[Heap, Heap]:
        return self.left, self.right


class Join(ABC):
    """Where merges of branches (`merge_branch.py`) and of iterations (`merge_loop.py`) differ.

    `entry_placeholders`: the placeholders in the state at the start of the iteration.
    `header_objects`: the objects that hold them. `private_arrays`: loop name -> its loop-private
    array at the start. `growth`: how far lists grow in the loop.

    The defaults are those of branches, which are merged exactly.
    """

    entry_placeholders: frozenset[Value] = frozenset()
    header_objects: frozenset[int] = frozenset()
    private_arrays: Mapping[int, int] = MappingProxyType({})
    growth: ListGrowth | None = None
    takes_objects: bool = False  # objects of several kinds become a choice
    takes_arrays: bool = False  # so do arrays of several types
    keeps_apart: bool = False  # so do objects of one kind that a name may hold
    takes_any_size: bool = False  # arrays of different sizes become one of run-time size

    @property
    def takes_new_sizes(self) -> bool:
        """Whether a dynamic array that one side alone has is merged."""
        return True

    def outside(self, merge: Merge) -> Heap:
        """The heap before the branches, or before the loop."""
        return merge.before

    def is_loop_name(self, id: int) -> bool:
        """A header object that stands for what a variable holds, not an object from before."""
        return False

    def bounds(self, a: Abstract, b: Abstract) -> tuple[int | None, int | None]:
        """A range that holds both integers."""
        return interval_hull(a, b)

    def takes_choice(self, a: Abstract, b: Abstract) -> bool:
        """Whether the functions become a choice."""
        return True

    def takes_sizes(self, a: int, x: ArrayType, y: ArrayType) -> bool:
        """Whether the types of two arrays, one of them dynamic, have a common form."""
        return True

    def replaces(self, value: Value) -> bool:
        """Whether a value that one side alone has becomes a placeholder."""
        return True

    def keeps_view(self, view: ViewObject, tracks_points_to: bool) -> bool:
        """Whether a view that one side alone has stays a view."""
        return False

    @abstractmethod
    def add_points_to(self, merging: Merging, a: int, b: int, id: int) -> None:
        """Give the name `id`, of the arrays `a` and `b`, its points-to set, where it is known."""


ArrayType = tuple[Aval, DynamicAxes]


@dataclass(frozen=True)
class Outgrown:
    """The axis of an array, at the end of an iteration, that a capacity has to hold."""

    id: int
    axis: int
    size: int
    site: Site


@dataclass(frozen=True)
class Joined:
    """Merged contents; they are a copy of elements of the objects `copied`."""

    contents: Contents
    copied: tuple[int, ...] = ()


@dataclass(frozen=True)
class Alias:
    """The object `id` of the left or the right side may be the object `merged`."""

    on_left: bool
    id: int
    merged: int


class Merging(ABC):
    """A merge that is being computed, as the merges of one kind of object see it."""

    def __init__(self, merge: Merge) -> None:
        self.merge = merge
        # Each placeholder with the value of the same leaf at the start of the iteration.
        self.placeholders: dict[Value, Value | None] = {}
        # Id -> merged contents, of every object that the paths have changed differently.
        self.objects: dict[int, Contents] = {}
        # (id on the left, id on the right) -> id of the object that may be either.
        self.ids: dict[tuple[int, int], int] = {}
        # (object, a copy of its elements): a write to the object invalidates the copy.
        self.copies: list[tuple[int, int]] = []
        # (whether on the left, object, list with that item): as `copies`, but of that side only.
        self.items: list[tuple[bool, int, int]] = []
        # Keys of `ids` that need no may-alias edges; further objects that may be merged ones.
        self.exact: set[tuple[int, int]] = set()
        self.aliases: list[Alias] = []
        self.private_arrays: dict[int, int] = {}  # as in `Join`, after the iteration
        self.outgrown: list[Outgrown] = []
        self.next_id = max(merge.left.next_id, merge.right.next_id)

    def placeholder(self, aval: Aval, of: Value | None = None, name: str | None = None) -> Value:
        """A new placeholder; `of`: the value of the same leaf at the start of the iteration."""
        value = Value(aval, name or (of.name if of is not None else None))
        self.placeholders[value] = of
        return value

    def new_id(self) -> int:
        self.next_id += 1
        return self.next_id

    @abstractmethod
    def merge_values(self, a: Abstract, b: Abstract) -> Abstract: ...

    @abstractmethod
    def merge_numbers(self, a: Abstract, b: Abstract) -> Scalar: ...

    @abstractmethod
    def one_sided(self, x: Abstract, left: bool) -> Abstract: ...


@dataclass(frozen=True)
class MergeResult:
    """A template of two states.

    `placeholders` are the results of the `if` or the carries of the loop, in order; `replaced` maps
    them to the entry placeholder of the same leaf. `objects` are the merged contents of every
    object that the paths have changed differently, those in `new_ids` merged of two objects,
    or loop names, which stand for several.
    `private_arrays`: loop name -> its loop-private array. `may_alias`: all edges of the heap after
    the merge. `changed`: the template is more general than the left state. `outgrown`: axes at the
    end of an iteration that may be too long for the template.
    """

    template: tuple[Abstract, ...] = ()
    placeholders: tuple[Value, ...] = ()
    objects: Mapping[int, Contents] = field(default_factory=dict)
    new_ids: frozenset[int] = frozenset()
    private_arrays: Mapping[int, int] = field(default_factory=dict)
    may_alias: Mapping[int, frozenset[int]] = field(default_factory=dict)
    growth: ListGrowth | None = None
    replaced: Mapping[Value, Value] = field(default_factory=dict)
    changed: bool = False
    next_id: int = 0
    outgrown: tuple[Outgrown, ...] = ()

    def update(self, heap: Heap, results: Sequence[Value]) -> Callable[[Abstract], Abstract]:
        """Update `heap` to the state after the op; returns the map from templates to values."""
        env = dict(zip(self.placeholders, results))
        for placeholder, result in env.items():  # the user's names of the merged values
            result.name = placeholder.name
        heap.next_id = max(heap.next_id, self.next_id)
        for id, contents in self.objects.items():
            heap.objects[id] = substitute(contents, env)
        heap.alias_edges = dict(self.may_alias)
        return lambda template: substitute(template, env)
