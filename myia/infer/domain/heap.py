"""The abstract heap: every object that a Python program can change.

An *object* has an identity (`Ref.id`) and contents, which are immutable here: to change an object
is to put other contents under its id. Names alias because they hold the same `Ref`.

Two ids may stand for one Python object: after `y = a if c else b`, a write to `y` is a write to
`a` or `b`. Such objects are connected by *may-alias edges*: a write to one makes the others
`Invalidated`. An invalidated object is refused when, and only when, it is read. So nothing is read
that may be out of date.

Where a run-time index tells which array is meant, no edge is needed: the object holds the index
and its options. This is so after names swap their arrays (`a, b = b, a`: `SelectedArray`), and for
a name that is assigned different arrays on the paths of a branch or in the iterations of a loop
(`PointsTo`).
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Self

from myia.infer.capacities import Site
from myia.infer.domain.dynamic_axes import DynamicAxes, values_in, with_values
from myia.infer.domain.values import Abstract, Node, Number, Scalar, Static, is_none
from myia.ir.core import Value
from myia.source.span import Span

VIEW_OF_ONE_PATH = "a view made inside a branch or a loop"


class Contents(Node):
    """Base of the contents of objects; a tree node like an abstract value."""

    __slots__ = ()

    @property
    def bases(self) -> tuple[int, ...]:
        """The objects that it is read from, if it has no elements of its own."""
        return ()


def _values(children: Sequence[Abstract]) -> list[Value]:
    return [x.value for x in children if isinstance(x, Scalar)]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayObject(Contents):
    """A NumPy array. `readonly` names why it cannot be written to, if it cannot.

    `contiguous`: it is known to be C-contiguous, so that `reshape` gives a view.
    `points_to`: it is one of these arrays, and `value` is valid while none of them is written to.
    """

    value: Value
    readonly: str | None = None
    contiguous: bool = True
    points_to: PointsTo | None = None

    @property
    def bases(self) -> tuple[int, ...]:
        return () if self.points_to is None else self.points_to.options

    def children(self) -> tuple[Abstract, ...]:
        value = Scalar(self.value, weak=False)
        return (value,) if self.points_to is None else (value, self.points_to.index)

    def rebuild(self, children: Sequence[Abstract]) -> ArrayObject:
        (value, *_), index = _values(children), children[1:]
        points_to = None if self.points_to is None else self.points_to.rebuild(index)
        return ArrayObject(value, self.readonly, self.contiguous, points_to)

    def key(self) -> Any:
        return (ArrayObject, self.value.aval, self.readonly)


@dataclass(frozen=True, slots=True, eq=False)
class View(Contents):
    """The array `base` seen through `step`."""

    base: int
    step: Any

    @property
    def bases(self) -> tuple[int, ...]:
        return (self.base,)

    def children(self) -> tuple[Abstract, ...]:
        values = self.step.values() if hasattr(self.step, "values") else ()  # run-time numbers
        return tuple(Scalar(v, weak=True) for v in values)

    def rebuild(self, children: Sequence[Abstract]) -> Self:
        if not children:
            return self
        return type(self)(self.base, self.step.with_values(_values(children)))


class ViewObject(View):
    """A view of known size (`infer/domain/views.py`)."""

    __slots__ = ()


class FlatView(ViewObject):
    """`x.flat`: parts of it are copies."""

    __slots__ = ()


class DynamicView(View):
    """A view of dynamic size (`infer/dynamic/access.py`)."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class SelectedArray(Contents):
    """An array whose elements are those of `options[index]` (`infer/domain/swapped_arrays.py`)."""

    PARTS = ("index",)
    index: Scalar
    options: tuple[int, ...]

    @property
    def bases(self) -> tuple[int, ...]:
        return self.options


class PointsTo(SelectedArray):
    """The points-to set of a name assigned different arrays (`infer/paths/points_to.py`)."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class DynamicArray(Contents):
    """An array with dynamic axes (`infer/dynamic/`): its elements, padded to their bounds.

    `dynamic_axes` has a `DynamicAxis` for each axis, or None for a static one.
    """

    value: Value
    dynamic_axes: DynamicAxes
    readonly: str | None = None

    def children(self) -> tuple[Abstract, ...]:
        values = (self.value, *values_in(self.dynamic_axes))
        return tuple(Scalar(v, weak=False) for v in values)

    def rebuild(self, children: Sequence[Abstract]) -> DynamicArray:
        value, *rest = _values(children)
        return DynamicArray(value, with_values(self.dynamic_axes, iter(rest)), self.readonly)


@dataclass(frozen=True, slots=True, eq=False)
class ListObject(Contents):
    """A list (or `cls`, a subclass) of known length."""

    PARTS = ("items",)
    items: tuple[Abstract, ...]
    cls: type = list


@dataclass(frozen=True, slots=True, eq=False)
class SetObject(Contents):
    """A set (or `cls`, a frozenset); its items, in Python's order.

    Only those of an argument may be known at run time. `ordered`: that order is known. Python
    makes a set of constants beforehand, in an order that depends on how it does that. `own`: the
    program has made it, and may change it.
    """

    PARTS = ("items",)
    cls: type
    items: tuple[Abstract, ...]
    ordered: bool = True
    own: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class BufferObject(Contents):
    """A list whose items were appended in a loop: the leaves of its items, stacked.

    `template` (`infer/lists/item_templates.py`) rebuilds an item from one row of each of `rows`.
    The length is `base + offset`, where `offset` is known at compile time. `capacity` is the number
    of rows: enough for the list, or, with a `site`, a guess that a run may outgrow
    (`infer/capacities.py`).
    """

    PARTS = ("rows", "base")
    template: Any
    rows: tuple[Scalar, ...]
    base: Number
    offset: int
    capacity: int
    site: Site | None = None


AnyList = ListObject | BufferObject


OF_AN_ARGUMENT: Abstract = Static("the factory of an argument")
KNOWN_DICTS = (dict, Counter, OrderedDict)


@dataclass(frozen=True, slots=True, eq=False)
class DictObject(Contents):
    """A dict (or `cls`, a subclass) with compile-time keys, in order.

    `factory`: of a `defaultdict` that the program has made; OF_AN_ARGUMENT: it has copied one of
    which the factory, or of another class of which more, is not known.
    """

    PARTS = ("values",)
    keys: tuple[Any, ...]
    values: tuple[Abstract, ...]
    cls: type = dict
    factory: Abstract | None = None

    @property
    def makes(self) -> Abstract | None:
        """What makes the value of a missing key, if that is known."""
        x = self.factory
        return None if x is None or is_none(x) or x is OF_AN_ARGUMENT else x

    def copied(self) -> DictObject:
        """The contents of a copy by the program."""
        is_known = self.factory is not None or self.cls in KNOWN_DICTS
        return self if is_known else replace(self, factory=OF_AN_ARGUMENT)

    def with_items(self, items: dict[Any, Abstract]) -> DictObject:
        return DictObject(tuple(items), tuple(items.values()), self.cls, self.factory)

    def key(self) -> Any:
        return (DictObject, self.keys, tuple(map(type, self.keys)), self.cls, id(self.factory))


@dataclass(frozen=True, slots=True, eq=False)
class InstanceObject(Contents):
    """An instance of a Python class: its attributes."""

    PARTS = ("values",)
    cls: type
    names: tuple[str, ...]
    values: tuple[Abstract, ...]
    frozen: bool = False

    def key(self) -> Any:
        return (InstanceObject, self.cls, self.names)


@dataclass(frozen=True, slots=True, eq=False)
class CellObject(Contents):
    """A variable shared by functions."""

    PARTS = ("content",)
    content: Abstract


@dataclass(frozen=True, slots=True, eq=False)
class Invalidated(Contents):
    """The object may have been changed through another name, by the write at `span`.

    `has_moved`: it was an item of a list, which has another place since.
    """

    span: Span | None
    has_moved: bool = False

    def key(self) -> Any:
        return (Invalidated,)


@dataclass(slots=True)
class Heap:
    """Objects by id, and their may-alias edges.

    `alias_edges[id]` are the objects that a write to `id` invalidates. The edges are directed: a
    write to an array invalidates a copy that was taken for a view, and not the other way round.
    `roots` are the objects that come from outside the program, whenever they are first met. They
    have negative ids, and are in every copy of the heap.
    """

    objects: dict[int, Contents] = field(default_factory=dict)
    alias_edges: dict[int, frozenset[int]] = field(default_factory=dict)
    roots: dict[int, Contents] = field(default_factory=dict)
    next_id: int = 0
    reads: set[int] | None = None  # while it is not None: the objects that are read

    def copy(self) -> Heap:
        return Heap(dict(self.objects), dict(self.alias_edges), self.roots, self.next_id)

    def restore(self, saved: Heap, *, ids: bool = True) -> None:
        """Go back to a saved state; `ids=False`: ids are not used again."""
        self.objects, self.alias_edges = dict(saved.objects), dict(saved.alias_edges)
        if ids:
            self.next_id = saved.next_id

    def new(self, contents: Contents) -> int:
        self.next_id += 1
        self.objects[self.next_id] = contents
        return self.next_id

    def new_root(self, contents: Contents) -> int:
        id = -1 - len(self.roots)
        self.roots[id] = contents
        return id

    def __getitem__(self, id: int) -> Contents:
        if self.reads is not None:
            self.reads.add(id)
        found = self.objects.get(id)
        return self.roots[id] if found is None else found

    def __contains__(self, id: int) -> bool:
        return id in self.objects or id in self.roots

    def owners(self, id: int) -> list[int]:
        """The objects that a write to `id` may go to: for a view, its base array."""
        return [origin for origin in self._origins(id) if not self[origin].bases]

    def invalidation(self, id: int) -> Invalidated | None:
        """The invalidation of the object, or of one that it is read from; None: it is valid."""
        contents = map(self.__getitem__, self._origins(id))
        return next((c for c in contents if isinstance(c, Invalidated)), None)

    def _origins(self, id: int) -> list[int]:
        """The object and those that it is read from, each once: bases may share theirs."""
        found: dict[int, None] = {}
        left = [id]
        while left:
            origin = left.pop()
            if origin not in found:
                found[origin] = None
                left += reversed(self[origin].bases)
        return list(found)

    @contextmanager
    def recorded_reads(self) -> Iterator[set[int]]:
        """The objects that are read inside."""
        outer, self.reads = self.reads, set()
        try:
            yield self.reads
        finally:
            if outer is not None:
                outer |= self.reads
            self.reads = outer

    def written_since(self, start: Heap, but: Collection[int] = ()) -> bool:
        """Whether an object that was there at `start` has other contents now; not one of `but`."""
        # Roots (negative ids) enter `objects` when they are first written to or invalidated.
        objects = self.objects
        changed = (i for i, c in start.objects.items() if c is not objects.get(i))
        new = (i for i in objects if i < 0 and i not in start.objects)
        return any(i not in but for i in (*changed, *new))

    def write(
        self, id: int, contents: Contents, span: Span | None, same_items: bool = False
    ) -> None:
        """Put `contents` under `id`, and invalidate every object that may be the same.

        `same_items`: of a list of objects, which are as they were. So are lists with some of them,
        to which the edges go one way.
        """
        before = self.objects.get(id) or self.roots.get(id)
        if isinstance(before, ListObject) and isinstance(contents, ListObject):
            contents = ListObject(contents.items, before.cls)
        self.objects[id] = contents
        for other in self.alias_edges.get(id, ()):
            mutual = id in self.alias_edges.get(other, ())
            if other in self and other != id and (mutual or not same_items):
                self.invalidate(other, span)

    def invalidate(self, id: int, span: Span | None, has_moved: bool = False) -> None:
        """Invalidate `id` and its views: the write at `span` may have changed them."""
        contents = self[id]
        if isinstance(contents, ArrayObject) and contents.points_to is not None:
            # The name's own copy of the elements is out of date; its options are not.
            contents = self.objects[id] = contents.points_to
        if isinstance(contents, PointsTo):
            return  # it is read from its options, which are up to date
        self.objects[id] = Invalidated(span, has_moved)
        for view, contents in list(self.objects.items()):
            if id in contents.bases:
                self.invalidate(view, span)

    def add_alias_edge(self, a: int, b: int) -> None:
        """A write to `a` invalidates `b`."""
        self.alias_edges[a] = self.alias_edges.get(a, frozenset()) | {b}

    def add_copy(self, a: int, b: int) -> None:
        """`b` is a copy of `a` used as a view: a write to `a` or its base invalidates `b`."""
        for owner in {a, *self.owners(a)}:
            self.add_alias_edge(owner, b)
            self.inherit_alias_edges(owner, b)

    def inherit_alias_edges(self, a: int, b: int) -> None:
        """Every write that invalidates `a` invalidates `b`."""
        for id, others in list(self.alias_edges.items()):
            if a in others and id not in (a, b):
                self.add_alias_edge(id, b)

    def add_possible_view(self, new: int, old: int) -> None:
        """The new object may be a view of the memory of `old`, and share all its aliases."""
        for owner in self.owners(old):
            for other in self.alias_edges.get(owner, ()):
                self.add_alias_edge(new, other)
            self.add_alias_edge(new, owner)
        self.add_copy(old, new)

    def add_mutual_alias(self, a: int, b: int) -> None:
        """`a` and `b` may be one object: a write to either invalidates the other."""
        self.add_alias_edge(a, b)
        self.add_alias_edge(b, a)
