"""The leaves of the items of a list, as its template has them; items made of them.

{"a": 1.0, "xs": [2.0, 3.0]}        leaves  1.0, 2, f64[64] (2.0, 3.0, 0, 0, ...)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from myia.infer.capacities import Site
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import convert, number_value
from myia.infer.domain.heap import (
    ArrayObject,
    BufferObject,
    Contents,
    DictObject,
    Heap,
    InstanceObject,
    ListObject,
)
from myia.infer.domain.heap_arrays import IN_ROWS, ITEM_OF_LIST, ItemObject, RowObject, read_array
from myia.infer.domain.values import (
    NONE,
    TRUE,
    Abstract,
    Optional,
    Ref,
    Scalar,
    Static,
    Tuple,
    as_number,
    is_none,
    may_be_none,
)
from myia.infer.domain.views import reshape
from myia.infer.lists.item_templates import ItemTemplate, object_template
from myia.ir.avals import I64, Aval
from myia.ir.core import Value
from myia.primitives.arrays import dynamic_slices, shaping
from myia.primitives.core.define import constant, zeros
from myia.primitives.pointwise import arithmetic, logic

Build = Callable[[Context, ItemTemplate, list[Value]], Abstract]


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


def retyped(buffer: BufferObject, template: ItemTemplate, capacity: int) -> BufferObject:
    """The same list with rows for another template and more capacity."""
    if (template, capacity) == (buffer.template, buffer.capacity):
        return buffer
    rows = []
    values = [row.value for row in buffer.rows]
    if template.has_objects or template.has_none:
        values = converted_leaves(values, buffer.template, template, (buffer.capacity,))
    for value, aval in zip(values, template.leaves):
        value = convert(value, aval.dtype)
        if capacity != buffer.capacity:
            whole = zeros(aval.with_shape((capacity, *aval.shape)))
            start = [constant(0, np.int64)] * (1 + aval.ndim)
            value = dynamic_slices.dynamic_update_slice(whole, value, *start)
        rows.append(Scalar(value, False))
    return replace(buffer, template=template, rows=tuple(rows), capacity=capacity)


def flatten_item(x: Abstract, template: ItemTemplate, heap: Heap) -> list[Value]:
    """The leaves of an item, as the template has them."""
    if template.kind == "optional":
        return _flatten_optional(x, template, heap)
    if isinstance(x, Ref) and isinstance(row := heap[x.id], RowObject):
        return [number_value(row.index, I64.dtype)]
    if isinstance(x, Ref) and template.kind == "member":
        member = heap[x.id]
        assert isinstance(member, ItemObject)
        return [number_value(member.indices[0], I64.dtype)]
    if isinstance(x, Ref) and template.is_object:
        return flatten_object(heap[x.id], template, heap)
    if isinstance(x, Ref):
        return [read_array(heap, x.id)]
    if isinstance(x, Tuple):
        return [v for i, t in zip(x.items, template.items) for v in flatten_item(i, t, heap)]
    return [] if template.aval is None else [number_value(x, template.aval.dtype)]


def _flatten_optional(x: Abstract, template: ItemTemplate, heap: Heap) -> list[Value]:
    of, value = template.items
    if is_none(x):
        return [constant(False, bool), *map(zeros, value.leaves)]
    there, x = (x.present, x.value) if may_be_none(x) else (TRUE, x)
    return [*flatten_item(there, of, heap), *flatten_item(x, value, heap)]


def flatten_object(contents: Contents, template: ItemTemplate, heap: Heap) -> list[Value]:
    """The leaves of an object that a list holds."""
    own = object_template(contents, heap)
    assert own is not None
    if isinstance(contents, ItemObject):
        base = heap[contents.base]
        assert isinstance(base, BufferObject)
        first = number_value(contents.indices[0], I64.dtype)
        leaves = part_leaves(base, contents, [row_at(row.value, first) for row in base.rows])
    elif isinstance(contents, BufferObject):
        length = number_value(contents.base, I64.dtype)
        length = arithmetic.add(length, contents.offset) if contents.offset else length
        leaves = [length, *(row.value for row in contents.rows)]
    else:
        parts = zip(contents.children(), own.items)
        leaves = [leaf for x, t in parts for leaf in flatten_item(x, t, heap)]
    return converted_leaves(leaves, own, template, ())


def converted_leaves(
    leaves: list[Value], old: ItemTemplate, new: ItemTemplate, around: tuple[int, ...]
) -> list[Value]:
    """Leaves of one template as another has them; `around`: the axes before those of an item."""
    if old == new:
        return leaves
    if new.aval is not None:
        return [convert(leaves[0], new.aval.dtype)]
    if new.kind == "optional" and old.kind != "optional":
        there = constant(not old.is_none, np.dtype(bool), around)
        if old.is_none:
            return [there, *(zeros(a.with_shape((*around, *a.shape))) for a in new.leaves[1:])]
        return [there, *converted_leaves(leaves, old, new.items[1], around)]
    if new.kind != "ragged":
        return [
            leaf
            for part, a, b in zip(_parts(leaves, old), old.items, new.items)
            for leaf in converted_leaves(part, a, b, around)
        ]
    if not new.items:
        return leaves if old.kind == "ragged" else [constant(0, I64.dtype, around)]
    (inner,), axis, room = new.items, len(around), new.capacity
    if old.kind == "ragged":
        n, *rest = leaves
        rows = converted_leaves(rest, old.items[0], inner, (*around, old.capacity)) if rest else []
    else:
        n = constant(len(old.items), I64.dtype, around)
        parts = [
            converted_leaves(part, t, inner, around)
            for part, t in zip(_parts(leaves, old), old.items)
        ]
        rows = [_stacked(column, axis) for column in zip(*parts)]
    avals = [aval.with_shape((*around, room, *aval.shape)) for aval in inner.leaves]
    if not rows:
        return [n, *map(zeros, avals)]
    return [n, *(_padded(row, aval, axis) for row, aval in zip(rows, avals))]


def _parts(leaves: list[Value], template: ItemTemplate) -> list[list[Value]]:
    """The leaves of each part."""
    found, at = [], 0
    for item in template.items:
        n = len(item.leaves)
        found.append(leaves[at : at + n])
        at += n
    return found


def item_lengths(template: ItemTemplate, leaves: list[Value]) -> Iterator[tuple[Site, Value]]:
    """The lengths of lists in the items that grow without a bound, of all items at once."""
    if template.kind == "ragged" and template.site is not None:
        yield template.site, leaves[0]
    at = leaves[1:] if template.kind == "ragged" else leaves
    for part, item in zip(_parts(at, template), template.items):
        yield from item_lengths(item, part)


def _stacked(values: Sequence[Value], axis: int) -> Value:
    parts = [reshape(x, (*x.shape[:axis], 1, *x.shape[axis:])) for x in values]
    return parts[0] if len(parts) == 1 else shaping.concatenate(*parts, axis=axis)


def _padded(x: Value, aval: Aval, axis: int) -> Value:
    """The array with zeros behind it along the axis."""
    if x.shape == aval.shape:
        return x
    rest = list(aval.shape)
    rest[axis] -= x.shape[axis]
    return shaping.concatenate(x, zeros(aval.with_shape(tuple(rest))), axis=axis)


def values_there(ctx: Context, buffer: BufferObject) -> BufferObject:
    """The list without places for None: an item, or a part of one, that is None is an error."""
    if not buffer.template.has_none or buffer.template.has_objects:
        return buffer
    tests: list[Value] = []
    leaves = [row.value for row in buffer.rows]
    template, values = _without_none(buffer.template, leaves, tests)
    length, n = number_value(buffer.base, I64.dtype), buffer.capacity
    if buffer.offset:
        length = arithmetic.add(length, buffer.offset)
    number = shaping.iota(shape=(n,), axis=0, dtype=I64.dtype)
    used = logic.lt(number, shaping.broadcast(length, shape=(n,), dims=()))
    for there in tests:
        failed = ctx.any(logic.and_(used, logic.not_(there)))
        ctx.check(failed, TypeError, "this is None here", is_python=False)
    rows = tuple(Scalar(value, False) for value in values)
    return replace(buffer, template=template, rows=rows)


def _without_none(
    template: ItemTemplate, leaves: list[Value], tests: list[Value]
) -> tuple[ItemTemplate, list[Value]]:
    """The template without places for None, and its leaves; `tests` gets whether they are there."""
    if not template.has_none:
        return template, leaves
    parts = _parts(leaves, template)
    if template.kind == "optional":
        tests += parts[0]
        return _without_none(template.items[1], parts[1], tests)
    found = [_without_none(t, part, tests) for t, part in zip(template.items, parts)]
    items = tuple(item for item, _ in found)
    return replace(template, items=items), [leaf for _, part in found for leaf in part]


def part_leaves(base: BufferObject, item: ItemObject, leaves: list[Value]) -> list[Value]:
    """The leaves of a part of an item of a buffer; `leaves`: those of the item."""
    indices = [number_value(i, I64.dtype) for i in item.indices[1:]]
    leaves, template = list(leaves), base.template
    for step in item.path:
        if step == IN_ROWS:
            index = indices.pop(0)
            leaves, template = [row_at(row, index) for row in leaves[1:]], template.items[0]
        else:
            leaves, template = _parts(leaves, template)[step], template.items[step]
    return leaves


def first_leaf(template: ItemTemplate, path: tuple[int, ...]) -> int:
    """The number of the first leaf of a part of an item."""
    found = 0
    for step in path:
        before = template.items[:step] if step != IN_ROWS else ()
        found += 1 if step == IN_ROWS else sum(len(t.leaves) for t in before)
        template = template.items[max(step, 0)]
    return found


def with_part_leaves(
    base: BufferObject, item: ItemObject, old: list[Value], part: list[Value]
) -> BufferObject:
    """The buffer with other leaves for a part of an item; `old`: the leaves of the item."""
    first, *indices = (number_value(i, I64.dtype) for i in item.indices)
    new = _replaced(old, base.template, item.path, indices, part)
    rows = [
        row if a is b else Scalar(with_row(row.value, first, b), False)
        for row, a, b in zip(base.rows, old, new)
    ]
    return replace(base, rows=tuple(rows))


def _replaced(
    leaves: list[Value],
    template: ItemTemplate,
    path: tuple[int, ...],
    indices: list[Value],
    part: list[Value],
) -> list[Value]:
    if not path:
        return part
    if path[0] == IN_ROWS:
        i, rows = indices[0], leaves[1:]
        old = [row_at(row, i) for row in rows]
        new = _replaced(old, template.items[0], path[1:], indices[1:], part)
        rows = [x if a is b else with_row(x, i, b) for x, a, b in zip(rows, old, new)]
        return [leaves[0], *rows]
    parts, k = _parts(leaves, template), path[0]
    parts[k] = _replaced(parts[k], template.items[k], path[1:], indices, part)
    return [leaf for found in parts for leaf in found]


def build_item(ctx: Context, template: ItemTemplate, leaves: list[Value]) -> Abstract:
    """The item made of these leaves (taken from the front of the list)."""
    if template.kind == "number":
        return Scalar(leaves.pop(0), template.weak)
    if template.kind == "array":
        # A copy of the row. Read-only: a write to it would not reach the list.
        return ctx.new(ArrayObject(leaves.pop(0), ITEM_OF_LIST))
    if template.kind == "row":
        return ctx.new(RowObject(template.static.base, Scalar(leaves.pop(0), True)))
    if template.kind == "member":
        return ctx.new(ItemObject(template.static, (Scalar(leaves.pop(0), True, 0),)))
    if template.kind == "optional":
        there, value = (build_item(ctx, t, leaves) for t in template.items)
        return Optional(as_number(there), value, NONE)
    if template.kind == "tuple":
        return Tuple(tuple(build_item(ctx, t, leaves) for t in template.items), template.cls)
    if template.is_object:
        return ctx.new(build_object(ctx, template, leaves, build_item))
    return Static(template.static)


def build_object(
    ctx: Context, template: ItemTemplate, leaves: list[Value], build: Build
) -> Contents:
    """The contents of an object, whose parts are made by `build(ctx, template, leaves)`."""
    if template.kind == "ragged" and template.items:
        n, count = leaves.pop(0), len(template.leaves) - 1
        rows = tuple(Scalar(leaves.pop(0), False) for _ in range(count))
        length = Scalar(n, True, 0, template.capacity if template.site is None else None)
        return BufferObject(template.items[0], rows, length, 0, template.capacity, template.site)
    if template.kind == "ragged":
        leaves.pop(0)
    parts = tuple(build(ctx, t, leaves) for t in template.items)
    if template.kind == "dict":
        return DictObject(template.static, parts)
    if template.kind == "instance":
        cls, names, frozen = template.static
        return InstanceObject(cls, names, parts, frozen)
    return ListObject(parts)
