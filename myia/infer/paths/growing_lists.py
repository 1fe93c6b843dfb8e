"""Lists that grow in loops: a preallocated buffer with a row for each item, and a length.

    hs = []                                 hs: a list of 0 items
    for x in xs:                            iteration k: rows f64[n,...], length 0 + 1*k
        hs.append(f(x))                     rows[k] = f(x)
    np.stack(hs)                            after the loop: the rows

If every iteration appends the same number of items, the length is an affine function of the loop
index. It is known after the loop if the trip count is. Otherwise the loop carries the length.

*When it gives up* (Mismatch): the items have no common template (different shapes, dicts), or the
list grows in a loop whose trip count has no bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from myia.infer.domain.context import ITEM_OF_LIST, STATIC_ARRAYS, Context, HeapArrays
from myia.infer.domain.describe import describe
from myia.infer.domain.dtypes import (
    bounds,
    convert,
    is_number,
    is_weak,
    number_dtype,
    number_value,
    promote,
)
from myia.infer.domain.heap import ArrayObject, BufferObject, Contents, Heap, ListObject
from myia.infer.domain.mismatch import Mismatch
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, Tuple, same_static
from myia.infer.domain.views import reshape
from myia.infer.paths.merge import Merge
from myia.infer.paths.merge_arrays import require_one_dtype
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.arrays import dynamic_slices
from myia.primitives.core.define import constant, zeros
from myia.primitives.pointwise import arithmetic, logic

BOUND_THE_LOOP = "bound the number of iterations: `for i in myia.bounded(range(n), most)`"


@dataclass(frozen=True)
class ItemTemplate:
    """The structure of an item: a tree of leaves. `kind`: "number", "array", "tuple", "static"."""

    kind: str
    aval: Aval | None = None
    weak: bool = False
    static: object = None
    items: tuple[ItemTemplate, ...] = ()
    cls: type | None = None

    @property
    def leaves(self) -> tuple[Aval, ...]:
        if self.kind in ("number", "array"):
            return (self.aval,)
        return tuple(aval for item in self.items for aval in item.leaves)


def item_template(x: Abstract, heap: Heap) -> ItemTemplate:
    """The template of one item; raises Mismatch when it cannot be stacked."""
    if is_number(x):
        return ItemTemplate("number", Aval(number_dtype(x)), is_weak(x))
    if isinstance(x, Ref) and isinstance(heap[x.id], STATIC_ARRAYS):
        return ItemTemplate("array", HeapArrays.aval(heap, x.id))
    if isinstance(x, Tuple):
        items = tuple(item_template(item, heap) for item in x.items)
        return ItemTemplate("tuple", items=items, cls=x.cls)
    if isinstance(x, Static) and not isinstance(x.value, (list, dict)):
        return ItemTemplate("static", static=x.value)
    raise Mismatch("a list", f"a list with {describe(x, heap)} appended")


def unify_templates(a: ItemTemplate, b: ItemTemplate) -> ItemTemplate:
    """The template that holds items of both; raises Mismatch."""
    if a.kind == b.kind == "number":
        dtype, weak = promote((a.aval.dtype, a.weak), (b.aval.dtype, b.weak))
        return ItemTemplate("number", Aval(dtype), weak)
    if a.kind == b.kind == "array" and a.aval.shape == b.aval.shape:
        require_one_dtype(a.aval, b.aval)
        return a
    if a.kind == b.kind == "tuple" and (a.cls, len(a.items)) == (b.cls, len(b.items)):
        return ItemTemplate("tuple", items=tuple(map(unify_templates, a.items, b.items)), cls=a.cls)
    if a.kind == b.kind == "static" and same_static(a.static, b.static):
        return a
    raise Mismatch(f"a list of {_plural(a)}", f"a list with {_plural(b)} appended")


def _plural(t: ItemTemplate) -> str:
    return {"number": "numbers", "array": f"arrays {t.aval}"}.get(t.kind, f"{t.kind}s")


def flatten_item(x: Abstract, template: ItemTemplate, heap: Heap) -> list[Value]:
    """The leaves of an item, as the template has them."""
    if template.kind == "number":
        return [number_value(x, template.aval.dtype)]
    if template.kind == "array":
        return [HeapArrays.read(heap, x.id)]
    if template.kind == "tuple":
        return [v for i, t in zip(x.items, template.items) for v in flatten_item(i, t, heap)]
    return []


def build_item(ctx: Context, template: ItemTemplate, leaves: list[Value]) -> Abstract:
    """The item made of these leaves (taken from the front of the list)."""
    if template.kind == "number":
        return Scalar(leaves.pop(0), template.weak)
    if template.kind == "array":
        # A copy of the row. Read-only: a write to it would not reach the list.
        return ctx.new(ArrayObject(leaves.pop(0), ITEM_OF_LIST))
    if template.kind == "tuple":
        return Tuple(tuple(build_item(ctx, t, leaves) for t in template.items), template.cls)
    return Static(template.static)


def python_item(template: ItemTemplate, leaves: list) -> object:
    """The Python object of these leaves (taken from the front of the list)."""
    if template.kind == "number":
        leaf = leaves.pop(0)
        return leaf.item() if template.weak else leaf
    if template.kind == "array":
        return leaves.pop(0)
    if template.kind == "tuple":
        items = [python_item(t, leaves) for t in template.items]
        return tuple(items) if template.cls is None else template.cls(*items)
    return template.static


# ----- Operations on buffers


def list_length(buffer: BufferObject) -> Abstract:
    """The number of items: a static int or an integer scalar."""
    if isinstance(buffer.base, Static):
        return Static(buffer.base.value + buffer.offset)
    if buffer.offset == 0:
        return buffer.base
    length = _as_length((buffer.base, buffer.offset))
    return Scalar(arithmetic.add(buffer.base.value, buffer.offset), True, length.lo, length.hi)


def with_row(rows: Value, index: Value, item: Value) -> Value:
    """`rows` with row `index` replaced."""
    zero = constant(0, np.int64)
    row = reshape(item, (1, *item.shape))
    return dynamic_slices.dynamic_update_slice(rows, row, index, *[zero] * len(item.shape))


def row_at(rows: Value, index: Value) -> Value:
    """Row `index`."""
    zero = constant(0, np.int64)
    shape = rows.shape[1:]
    row = dynamic_slices.dynamic_slice(rows, index, *[zero] * len(shape), sizes=(1, *shape))
    return reshape(row, shape)


def append(ctx: Context, ref: Ref, item: Abstract) -> None:
    """`list.append` on either kind of list."""
    contents = ctx.contents(ref)
    if isinstance(contents, ListObject):
        ctx.write(ref, ListObject((*contents.items, item)))
        return
    template = unify_templates(contents.template, item_template(item, ctx.heap))
    length = list_length(contents)
    max_length = bounds(length)[1]
    contents = retyped(
        contents, template, max(contents.capacity, 0 if max_length is None else max_length + 1)
    )
    # The growth of one iteration, times the trip count, may be too little: so it is checked.
    if max_length is None:  # the loop that it grows in has found the capacity
        full = logic.ge(length.value, constant(contents.capacity, np.int64))
        ctx.check(full, RuntimeError, "a list outgrew the bound found for it")
    grown = replace(contents, offset=contents.offset + 1)
    _store_row(ctx, ref, grown, number_value(length, np.dtype(np.int64)), item)


def store_item(ctx: Context, ref: Ref, index: Value, item: Abstract) -> None:
    """`xs[index] = item` for a buffer; `index` is in range."""
    contents = ctx.contents(ref)
    template = unify_templates(contents.template, item_template(item, ctx.heap))
    _store_row(ctx, ref, retyped(contents, template, contents.capacity), index, item)


def _store_row(ctx: Context, ref: Ref, buffer: BufferObject, index: Value, item: Abstract) -> None:
    leaves = flatten_item(item, buffer.template, ctx.heap)
    rows = [with_row(row.value, index, leaf) for row, leaf in zip(buffer.rows, leaves)]
    ctx.write(ref, replace(buffer, rows=tuple(Scalar(row, False) for row in rows)))
    track_copies(ctx.heap, item, ref.id)


def track_copies(heap: Heap, item: Abstract, id: int) -> None:
    """The buffer `id` holds a copy of the item: a later write to the item invalidates it."""
    for origin in objects_in(item):
        heap.add_copy(origin, id)


def objects_in(item: Abstract) -> Iterator[int]:
    """The objects that an item consists of."""
    if isinstance(item, Ref):
        yield item.id
    for child in item.children():
        yield from objects_in(child)


def item_at(ctx: Context, ref: Ref, index: Value) -> Abstract:
    """Item number `index` (in range) of a buffer."""
    buffer = ctx.contents(ref)
    item = build_item(ctx, buffer.template, [row_at(row.value, index) for row in buffer.rows])
    for copy in objects_in(item):
        ctx.heap.inherit_alias_edges(ref.id, copy)
    return item


def stacked_list(ctx: Context, items: tuple[Abstract, ...]) -> Ref:
    """A buffer of these items; a write to one of them invalidates it."""
    template = _unify_all([item_template(item, ctx.heap) for item in items])
    ref = ctx.new(to_buffer(ListObject(items), template, len(items), ctx.heap))
    for item in items:
        track_copies(ctx.heap, item, ref.id)
    return ref


def copied_list(ctx: Context, ref: Ref) -> Ref:
    """A new list of the same items."""
    contents = ctx.contents(ref)
    copy = ctx.new(contents)
    if isinstance(contents, BufferObject):
        ctx.heap.inherit_alias_edges(ref.id, copy.id)
    return copy


def retyped(buffer: BufferObject, template: ItemTemplate, capacity: int) -> BufferObject:
    """The same list with rows for another template and more capacity."""
    if (template, capacity) == (buffer.template, buffer.capacity):
        return buffer
    rows = []
    for row, aval in zip(buffer.rows, template.leaves):
        value = convert(row.value, aval.dtype)
        if capacity != buffer.capacity:
            whole = zeros(aval.with_shape((capacity, *aval.shape)))
            start = [constant(0, np.int64)] * (1 + aval.ndim)
            value = dynamic_slices.dynamic_update_slice(whole, value, *start)
        rows.append(Scalar(value, False))
    return BufferObject(template, tuple(rows), buffer.base, buffer.offset, capacity)


def to_buffer(
    contents: Contents, template: ItemTemplate, capacity: int, heap: Heap
) -> BufferObject:
    """Either kind of list as a buffer."""
    if isinstance(contents, BufferObject):
        return retyped(contents, template, capacity)
    leaves = [zeros(a.with_shape((capacity, *a.shape))) for a in template.leaves]
    for i, item in enumerate(contents.items):
        index = constant(i, np.int64)
        leaves = [with_row(r, index, x) for r, x in zip(leaves, flatten_item(item, template, heap))]
    rows = tuple(Scalar(leaf, False) for leaf in leaves)
    return BufferObject(template, rows, Static(len(contents.items)), 0, capacity)


def bounded_by_capacity(buffer: Contents) -> Contents:
    """The same list, with its capacity as the upper bound of its length (unless invalidated)."""
    base = getattr(buffer, "base", None)
    if not isinstance(base, Scalar) or base.hi is not None:
        return buffer
    max_length = buffer.capacity - buffer.offset
    return replace(buffer, base=Scalar(base.value, True, base.lo, max_length))


# ----- Merging


@dataclass(frozen=True)
class AffineLength:
    """The length `start + offset + step * k` at the start of iteration k."""

    start: Abstract
    offset: int
    step: int


@dataclass
class ListGrowth:
    """Merges lists of different lengths (`MergeState.list_growth`).

    In a loop of at most `max_iterations` iterations a list that grows becomes a buffer.
    `affine_lengths` has the lists, by id, that grow by the same number in every iteration; this
    needs a loop without early exit (`runs_every_iteration`). `found_capacity` has the lists whose
    capacity this loop has determined: their greatest length after it.
    """

    max_iterations: int | None = None
    runs_every_iteration: bool = False
    affine_lengths: dict[int, AffineLength] = field(default_factory=dict)
    found_capacity: set[int] = field(default_factory=set)

    def merge_lists(self, merge: Merge, a: int, b: int) -> Contents | None:
        x, y = merge.left[a], merge.right[b]
        if not all(isinstance(side, (ListObject, BufferObject)) for side in (x, y)):
            return None
        template = _unify_all([*_item_templates(x, merge.left), *_item_templates(y, merge.right)])
        merged_id = merge.merged_ids.get((a, b), a)
        capacity = self.capacity(merge, merged_id, x, y)
        avals = [aval.with_shape((capacity, *aval.shape)) for aval in template.leaves]
        kept = isinstance(x, BufferObject) and (x.template, x.capacity) == (template, capacity)
        before = [row.value for row in x.rows] if kept else [None] * len(avals)
        rows = tuple(Scalar(merge.placeholder(v, of), False) for v, of in zip(avals, before))
        for side in (x, y):
            items = side.items if isinstance(side, ListObject) else ()
            merge.copies += [(id, merged_id) for item in items for id in objects_in(item)]
        base, offset = self.base(merge, merged_id, _base_and_offset(x), _base_and_offset(y))
        return BufferObject(template, rows, base, offset, capacity)

    def capacity(self, merge: Merge, merged_id: int, x: Contents, y: Contents) -> int:
        """The number of rows: for a list that grows in this loop, its length after the loop."""
        min_capacity = max(_row_capacity(x), _row_capacity(y))
        if not merge.is_loop or self.has_found_capacity(merge, merged_id, x):
            return min_capacity
        # What this round appends is taken for every iteration. Where a path raises in this round
        # but not at the fixed point, items are missing: `fixed_point.py` compares `dead_paths`.
        growth = max(0, _max_length(y) - _max_length(x))
        if growth and self.max_iterations is None:
            longer = "a longer list, while the number of iterations has no bound"
            raise Mismatch("a list", longer, BOUND_THE_LOOP)
        self.found_capacity.add(merged_id)
        return max(min_capacity, _max_length(x) + growth * (self.max_iterations or 0))

    def has_found_capacity(self, merge: Merge, id: int, x: Contents) -> bool:
        """Has an earlier round of this loop, or a loop around it, found the capacity?"""
        return id in merge.header_objects or bounds(_base_and_offset(x)[0])[1] is None

    def base(self, merge: Merge, id: int, x: BaseAndOffset, y: BaseAndOffset) -> BaseAndOffset:
        if _same_base(x, y):
            step = y[1] - x[1] if isinstance(x[0], Scalar) else y[0].value - x[0].value
            if step == 0:
                return x
            if merge.is_loop and self.runs_every_iteration and step > 0:
                # The first round assumes the step. A later round with another step gives the
                # assumption up, and the loop carries the length.
                affine = self.affine_lengths.get(id)
                if affine is None and id not in merge.header_objects:
                    merge.widened = True
                    self.affine_lengths[id] = AffineLength(*x, step)
                    return x
                if affine is not None and affine.step == step:
                    return x
        if self.affine_lengths.pop(id, None) is not None:
            merge.widened = True
        return merge.merge_numbers(_as_length(x), _as_length(y)), 0

    def convert(self, heap: Heap, source: Contents, target: Contents) -> Contents:
        """`source` in the form of `target`: what a path yields for its placeholders."""
        buffer = to_buffer(source, target.template, target.capacity, heap)
        # The whole length is in the base: the two paths may have different offsets.
        return BufferObject(buffer.template, buffer.rows, list_length(buffer), 0, buffer.capacity)


BaseAndOffset = tuple[Abstract, int]


def _base_and_offset(contents: Contents) -> BaseAndOffset:
    """The length as a base and an offset; a known length is all base."""
    if isinstance(contents, ListObject):
        return Static(len(contents.items)), 0
    if isinstance(contents.base, Static):
        return Static(contents.base.value + contents.offset), 0
    return contents.base, contents.offset


def have_same_length(x: BufferObject, y: BufferObject) -> bool:
    """The lengths are known to be equal."""
    (a, offset), (b, other) = _base_and_offset(x), _base_and_offset(y)
    if isinstance(a, Static) and isinstance(b, Static):
        return a.value == b.value
    return _same_base((a, offset), (b, other)) and offset == other


def _same_base(x: BaseAndOffset, y: BaseAndOffset) -> bool:
    if isinstance(x[0], Static) or isinstance(y[0], Static):
        return isinstance(x[0], Static) and isinstance(y[0], Static)
    return x[0].value is y[0].value


def _as_length(length: BaseAndOffset) -> Abstract:
    """The length with its bounds (its value is right only where the offset is 0)."""
    base, offset = length
    if isinstance(base, Static):
        return base
    lo = None if base.lo is None else base.lo + offset
    return Scalar(base.value, True, lo, None if base.hi is None else base.hi + offset)


def _max_length(contents: Contents) -> int:
    """The greatest length that the list may have."""
    base, offset = _base_and_offset(contents)
    if isinstance(base, Static):
        return base.value
    return contents.capacity if base.hi is None else base.hi + offset


def _row_capacity(contents: Contents) -> int:
    """The number of rows that the list has."""
    return len(contents.items) if isinstance(contents, ListObject) else contents.capacity


def _item_templates(contents: Contents, heap: Heap) -> list[ItemTemplate]:
    if isinstance(contents, BufferObject):
        return [contents.template]
    return [item_template(item, heap) for item in contents.items]


def common_template(contents: Iterable[Contents], heap: Heap) -> ItemTemplate:
    """One template for the items of several lists; raises Mismatch."""
    return _unify_all([t for c in contents for t in _item_templates(c, heap)])


def _unify_all(templates: list[ItemTemplate]) -> ItemTemplate:
    result = templates[0]
    for other in templates[1:]:
        result = unify_templates(result, other)
    return result
