"""Lists that grow in loops: a preallocated buffer with a row for each item, and a length.

    hs = []                                 hs: a list of 0 items
    for x in xs:                            iteration k: rows f64[n,...], length 0 + 1*k
        hs.append(f(x))                     rows[k] = f(x)
    np.stack(hs)                            after the loop: the rows

If every iteration appends the same number of items, the length is an affine function of the loop
index. It is known after the loop if the trip count is. Otherwise the loop carries the length.

How many rows there are:

- The first round of the loop's fixed point sees how many items an iteration appends. Times the
  greatest trip count, that is the number of rows (`paths/merge_lists.py`, `ListGrowth`).
- A later iteration may append more: `loops/list_steps.py` reads off the body by how much at most.
  If that is too much the loop gets a capacity, or is unrolled, or the program is refused.
- In a loop whose trip count has no bound the rows are a capacity (`infer/capacities.py`): an append
  beyond it stops the run, and the program is compiled again with more rows (`api/capacities.py`).

*When it gives up* (Mismatch): the items have no common template (different shapes, dicts).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from myia.infer.capacities import Capacities, Site
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import bounds, number_value
from myia.infer.domain.heap import AnyList, BufferObject, Contents, Heap, ListObject
from myia.infer.domain.heap_arrays import IN_ROWS, ItemObject, RowObject
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import Abstract, Number, Ref, Scalar, Static, as_ref
from myia.infer.domain.views import reshape
from myia.infer.dynamic.unbounded import NO_BOUND, check_room, note_size
from myia.infer.lists import item_objects
from myia.infer.lists.item_aliases import (
    become_item,
    check_valid,
    link_taken,
    may_hold,
    owner,
    share_items,
    track_copies,
)
from myia.infer.lists.item_leaves import (
    build_item,
    flatten_item,
    item_lengths,
    retyped,
    row_at,
    with_row,
)
from myia.infer.lists.item_templates import (
    ItemTemplate,
    item_template,
    objects_in,
    unified,
    unify_templates,
)
from myia.ir.core import Value
from myia.primitives.arrays import reductions, shaping
from myia.primitives.core.define import constant, zeros
from myia.primitives.pointwise import arithmetic, logic
from myia.source.span import Span


def list_length(buffer: BufferObject) -> Number:
    """The number of items: a static int or an integer scalar."""
    base, offset = base_and_offset(buffer)
    if offset == 0:
        return base
    return Scalar(arithmetic.add(base.value, offset), True, *bounds(as_length((base, offset))))


def append(ctx: Context, ref: Ref, item: Abstract) -> None:
    """`list.append` on either kind of list."""
    contents = ctx.contents(ref)
    if isinstance(contents, ListObject):
        ctx.write(ref, ListObject((*contents.items, item)))
        return
    assert isinstance(contents, BufferObject)
    check_valid(ctx, item)
    template = unify_templates(contents.template, item_template(item, ctx.heap))
    if template.has_objects and may_hold(ctx.heap, owner(ctx.heap, ref.id), item):
        template = replace(template, shared=True)
    length = list_length(contents)
    max_length = bounds(length)[1]
    if isinstance(length, Scalar) and max_length is not None and max_length >= NO_BOUND:
        max_length = None
    contents = retyped(
        contents, template, max(contents.capacity, 0 if max_length is None else max_length + 1)
    )
    # The growth of one iteration, times the trip count, may be too little: so it is checked.
    if isinstance(length, Scalar) and max_length is None:
        # The loop that it grows in has found the capacity.
        ctx.checked_lengths[length.value] = 1
        full = logic.ge(length.value, constant(contents.capacity, np.int64))
        check_room(ctx, full, contents.site)
    grown = replace(contents, offset=contents.offset + 1)
    index = number_value(length, np.dtype(np.int64))
    _store_row(ctx, ref, grown, index, item, moves=False)
    if template.is_object:
        become_item(ctx, as_ref(item), _item(ctx.heap, ref, Scalar(index, True, 0)))


def count_items(ctx: Context, id: int) -> None:
    """Note how long a list without a bound has become: how many rows it should have had."""
    contents = ctx.heap[id]
    if not isinstance(contents, BufferObject) or contents.site is None:
        return
    length = number_value(list_length(contents), np.dtype(np.int64))
    note_size(ctx, contents.site, length)
    rows = [row.value for row in contents.rows]
    for site, lengths in item_lengths(contents.template, rows):
        note_size(ctx, site, reductions.reduce_max(lengths, axes=tuple(range(lengths.aval.ndim))))


def store_item(ctx: Context, ref: Ref, index: Value, item: Abstract) -> None:
    """`xs[index] = item` for a buffer; `index` is in range."""
    contents = ctx.contents_as(ref, BufferObject)
    check_valid(ctx, item)
    template = unify_templates(contents.template, item_template(item, ctx.heap))
    if template.has_objects and may_hold(ctx.heap, owner(ctx.heap, ref.id), item):
        template = replace(template, shared=True)
    _store_row(ctx, ref, retyped(contents, template, contents.capacity), index, item)


def _store_row(
    ctx: Context,
    ref: Ref,
    buffer: BufferObject,
    index: Value,
    item: Abstract,
    moves: bool = True,
) -> None:
    leaves = flatten_item(item, buffer.template, ctx.heap)
    rows = [with_row(row.value, index, leaf) for row, leaf in zip(buffer.rows, leaves)]
    ctx.write(ref, replace(buffer, rows=tuple(Scalar(row, False) for row in rows)), moves)
    track_copies(ctx.heap, item, ref.id)


def item_at(ctx: Context, ref: Ref, index: Value, taken: bool = False) -> Abstract:
    """Item number `index` (in range) of a buffer; `taken`: the list will not have it any more."""
    buffer = ctx.contents_as(ref, BufferObject)
    if buffer.template.kind == "row" and buffer.rows[0].value is buffer.template.static.in_order:
        return ctx.new(RowObject(buffer.template.static.base, Scalar(index, True)))
    if buffer.template.has_objects and not taken:
        return _object_at(ctx, ref, buffer.template, Scalar(index, True, 0))
    item = build_item(ctx, buffer.template, [row_at(row.value, index) for row in buffer.rows])
    of = owner(ctx.heap, ref.id)
    for copy in objects_in(item, ctx.heap):
        ctx.heap.inherit_alias_edges(of, copy)
        if buffer.template.has_objects:
            link_taken(ctx.heap, copy, of, buffer.template.shared)
    return item


def _object_at(ctx: Context, ref: Ref, template: ItemTemplate, index: Scalar) -> Abstract:
    """An item that is an object, or has objects in it: it is changed in the list."""
    return item_objects.part(ctx, _item(ctx.heap, ref, index), template)


def _item(heap: Heap, ref: Ref, index: Scalar) -> ItemObject:
    of = heap[ref.id]
    if isinstance(of, ItemObject):
        return ItemObject(of.base, (*of.indices, index), (*of.path, IN_ROWS))
    return ItemObject(ref.id, (index,))


def stacked_list(ctx: Context, items: tuple[Abstract, ...], objects: bool = False) -> Ref:
    """A buffer of these items; a write to one of them invalidates it."""
    template = unified([item_template(item, ctx.heap) for item in items])
    if template.has_objects and not objects:
        raise Mismatch("a list", "a list of objects")
    ref = ctx.new(to_buffer(ListObject(items), template, len(items), ctx.heap))
    for item in items:
        track_copies(ctx.heap, item, ref.id)
    return ref


def copied_list(ctx: Context, ref: Ref) -> Ref:
    """A new list of the same items."""
    copy = ctx.new(ctx.contents(ref))
    if isinstance(ctx.contents(copy), BufferObject):
        share_items(ctx, owner(ctx.heap, ref.id), copy.id)
    return copy


def to_buffer(contents: AnyList, template: ItemTemplate, capacity: int, heap: Heap) -> BufferObject:
    """Either kind of list as a buffer."""
    if isinstance(contents, BufferObject):
        return retyped(contents, template, capacity)
    items = [flatten_item(item, template, heap) for item in contents.items]
    rows = []
    for i, aval in enumerate(template.leaves):
        parts = [reshape(item[i], (1, *aval.shape)) for item in items]
        if capacity > len(items):
            parts.append(zeros(aval.with_shape((capacity - len(items), *aval.shape))))
        stacked = (
            shaping.concatenate(*parts, axis=0)
            if parts
            else zeros(aval.with_shape((0, *aval.shape)))
        )
        rows.append(Scalar(stacked, False))
    return BufferObject(template, tuple(rows), Static(len(items)), 0, capacity)


def bounded_by_capacity(buffer: Contents) -> Contents:
    """The same list, with its capacity as the upper bound of its length (unless invalidated)."""
    if not isinstance(buffer, BufferObject) or not isinstance(base := buffer.base, Scalar):
        return buffer
    if base.hi is not None:
        return buffer
    max_length = buffer.capacity - buffer.offset
    return replace(buffer, base=Scalar(base.value, True, base.lo, max_length))


def with_form_of(target: BufferObject, source: AnyList, heap: Heap) -> BufferObject:
    """`source` in the form of `target`: what a path yields for its placeholders."""
    buffer = to_buffer(source, target.template, target.capacity, heap)
    # The whole length is in the base: two paths may have different offsets.
    return replace(buffer, base=list_length(buffer), offset=0, site=target.site)


# ----- Lengths


@dataclass(frozen=True)
class AffineLength:
    """The length `start + offset + step * k` at the start of iteration k."""

    start: Number
    offset: int
    step: int


AffineSize = tuple[int, int]  # start and step of an axis


@dataclass(frozen=True)
class ListStep:
    """The most that an iteration appends, and the greatest length that one starts with."""

    most: int
    longest: int


@dataclass(frozen=True)
class ListGrowth:
    """What is known of lists and arrays that grow in a loop of at most `max_iterations` iterations.

    `affine_lengths` has the lists, by id, that grow by the same number in every iteration; this
    needs a loop without early exit (`runs_every_iteration`). `found_steps` has the lists whose
    capacity this loop has determined, from what an iteration appends; of those in `sites`, from
    what there is room for. `sizes` has the arrays, by id, that grow or shrink by the same numbers;
    `index`: the loop's, if such arrays are carried. `rooms` has the axes, by array, of those that
    grow otherwise, and have capacities.
    """

    max_iterations: int | None = None
    runs_every_iteration: bool = False
    affine_lengths: Mapping[int, AffineLength] = field(default_factory=dict)
    found_steps: Mapping[int, ListStep] = field(default_factory=dict)
    sizes: Mapping[int, tuple[AffineSize, ...]] = field(default_factory=dict)
    index: Value | None = None
    sites: Mapping[int, Site] = field(default_factory=dict)
    rooms: Mapping[tuple[int, int], Site] = field(default_factory=dict)
    capacities: Capacities | None = None
    span: Span | None = None  # of the loop

    def with_site(self, id: int, item_bytes: int, least: int) -> tuple[ListGrowth, Site, int]:
        """A list without a bound gets a capacity: what is then known, its site, its rows."""
        assert self.capacities is not None
        site = self._next_site()
        rows = self.capacities.size(site, item_bytes, self.span, least=least)
        return replace(self, sites={**self.sites, id: site}), site, rows

    def with_nested_site(self, item_bytes: int, least: int) -> tuple[ListGrowth, Site, int]:
        """As `with_site`, for the lists that are items of one."""
        return self.with_site(-len(self.sites) - 1, item_bytes, least)

    def with_room(self, id: int, axis: int, sizes: tuple[int, int], nbytes: int) -> ListGrowth:
        """The axis of an array gets a capacity; `sizes`: before and after an iteration."""
        assert self.capacities is not None
        site, (n, m) = self._next_site(), sizes
        most = m if self.max_iterations is None else n + (m - n) * self.max_iterations
        self.capacities.size(site, nbytes, self.span, "an array", most)
        return replace(self, rooms={**self.rooms, (id, axis): site})

    def room(self, id: int, axis: int) -> int:
        """The size that an axis has a capacity for."""
        assert self.capacities is not None
        return self.capacities[self.rooms[id, axis]].size

    def _next_site(self) -> Site:
        return Site.at(self.span, len(self.sites) + len(self.rooms))


def affine_lengths(growth: ListGrowth | None) -> Mapping[int, AffineLength]:
    return {} if growth is None else growth.affine_lengths


BaseAndOffset = tuple[Number, int]


def base_and_offset(contents: AnyList) -> BaseAndOffset:
    """The length as a base and an offset; a known length is all base."""
    if isinstance(contents, ListObject):
        return Static(len(contents.items)), 0
    if isinstance(contents.base, Static):
        return Static(contents.base.value + contents.offset), 0
    return contents.base, contents.offset


def have_same_length(x: BufferObject, y: BufferObject) -> bool:
    """The lengths are known to be equal."""
    (a, offset), (b, other) = base_and_offset(x), base_and_offset(y)
    if isinstance(a, Static) and isinstance(b, Static):
        return a.value == b.value
    return same_base((a, offset), (b, other)) and offset == other


def same_base(x: BaseAndOffset, y: BaseAndOffset) -> bool:
    if isinstance(x[0], Static) or isinstance(y[0], Static):
        return isinstance(x[0], Static) and isinstance(y[0], Static)
    return x[0].value is y[0].value


def as_length(length: BaseAndOffset) -> Number:
    """The length with its bounds (its value is right only where the offset is 0)."""
    base, offset = length
    if isinstance(base, Static):
        return base
    lo = None if base.lo is None else base.lo + offset
    return Scalar(base.value, True, lo, None if base.hi is None else base.hi + offset)


def max_length_of(contents: AnyList) -> int:
    """The greatest length that the list may have."""
    base, offset = base_and_offset(contents)
    if isinstance(base, Static):
        return int(base.value)
    if base.hi is None or base.hi >= NO_BOUND:
        return row_capacity(contents)
    return base.hi + offset


def row_capacity(contents: AnyList) -> int:
    """The number of rows that the list has."""
    return len(contents.items) if isinstance(contents, ListObject) else contents.capacity


def site_of(contents: AnyList) -> Site | None:
    """Where the list grows without a bound, if it does."""
    return contents.site if isinstance(contents, BufferObject) else None
