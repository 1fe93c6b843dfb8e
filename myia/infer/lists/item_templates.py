"""Templates of the items of a list: the leaves that an item is stacked as, and the rest of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.describe import describe
from myia.infer.domain.dtypes import is_number, is_weak, number_dtype, number_value, promote
from myia.infer.domain.heap import AnyList, ArrayObject, BufferObject, Contents, Heap, RowObject
from myia.infer.domain.heap_arrays import ITEM_OF_LIST, STATIC_ARRAYS, array_aval, read_array
from myia.infer.domain.mismatch import Mismatch, require_one_dtype
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, Tuple, same_static
from myia.ir.avals import I64, Aval
from myia.ir.core import Value


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of the buffer `base`, which were the lists `members`.

    `first`: their numbers then. `in_order`: the row numbers of a list of all of them, in order;
    `numbers`: those of the list that they were in. `was`: what that list and they held, by id.
    """

    base: int
    members: tuple[int, ...]
    was: Mapping[int, Contents]
    first: Value
    in_order: Value | None
    numbers: Value


@dataclass(frozen=True)
class ItemTemplate:
    """The structure of an item: a tree of leaves.

    `kind`: "number", "array", "tuple", "static"; "row" of a buffer, whose items are each a "list"
    of numbers (`list_rows.py`).
    """

    kind: str
    aval: Aval | None = None
    weak: bool = False
    static: Any = None
    items: tuple[ItemTemplate, ...] = ()
    cls: type | None = None

    @property
    def leaves(self) -> tuple[Aval, ...]:
        if self.aval is not None:
            return (self.aval,)
        return tuple(aval for item in self.items for aval in item.leaves)


def item_template(x: Abstract, heap: Heap) -> ItemTemplate:
    """The template of one item; raises Mismatch when it cannot be stacked."""
    if is_number(x):
        return ItemTemplate("number", Aval(number_dtype(x)), is_weak(x))
    if isinstance(x, Ref) and isinstance(heap[x.id], STATIC_ARRAYS):
        return ItemTemplate("array", array_aval(heap, x.id))
    if isinstance(x, Ref) and isinstance(row := heap[x.id], RowObject):
        return ItemTemplate("row", I64, True, static=_rows_of(row, heap))
    if isinstance(x, Tuple):
        items = tuple(item_template(item, heap) for item in x.items)
        return ItemTemplate("tuple", items=items, cls=x.cls)
    if isinstance(x, Static) and not isinstance(x.value, (list, dict)):
        return ItemTemplate("static", static=x.value)
    raise Mismatch("a list", f"a list with {describe(x, heap)} appended")


def _rows_of(row: RowObject, heap: Heap) -> Rows:
    base = heap[row.base]
    if not isinstance(base, BufferObject):  # invalidated
        raise Mismatch("a list of lists", "one that was changed under another name")
    return base.template.static


def of_numbers(number: ItemTemplate, rows: ItemTemplate) -> ItemTemplate:
    """The template of a row of such numbers."""
    if number.kind != "number" or number.aval is None or rows.aval is None:
        raise Mismatch("a list of lists of numbers", f"a list with {_plural(number)} in it")
    return replace(rows, aval=Aval(number.aval.dtype, rows.aval.shape), weak=number.weak)


def unify_templates(a: ItemTemplate, b: ItemTemplate) -> ItemTemplate:
    """The template that holds items of both; raises Mismatch."""
    if a.aval is not None and b.aval is not None and (a.kind, a.static) == (b.kind, b.static):
        if a.kind == "row":
            return a
        if a.kind == "number" or (a.kind == "list" and a.aval.shape == b.aval.shape):
            dtype, weak = promote((a.aval.dtype, a.weak), (b.aval.dtype, b.weak))
            weak_dtypes = [
                p.dtype for p, is_weak in ((a.aval, a.weak), (b.aval, b.weak)) if is_weak
            ]
            if any(x.kind in "fc" and x > dtype for x in weak_dtypes):
                raise Mismatch("a list of Python's floats", "a list of floats of fewer bits")
            return replace(a, aval=a.aval.with_dtype(dtype), weak=weak)
        if a.aval.shape == b.aval.shape:
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
    if isinstance(x, Ref) and isinstance(row := heap[x.id], RowObject):
        return [number_value(row.index, I64.dtype)]
    if isinstance(x, Ref):
        return [read_array(heap, x.id)]
    if isinstance(x, Tuple):
        return [v for i, t in zip(x.items, template.items) for v in flatten_item(i, t, heap)]
    return [] if template.aval is None else [number_value(x, template.aval.dtype)]


def build_item(ctx: Context, template: ItemTemplate, leaves: list[Value]) -> Abstract:
    """The item made of these leaves (taken from the front of the list)."""
    if template.kind == "number":
        return Scalar(leaves.pop(0), template.weak)
    if template.kind == "array":
        # A copy of the row. Read-only: a write to it would not reach the list.
        return ctx.new(ArrayObject(leaves.pop(0), ITEM_OF_LIST))
    if template.kind == "row":
        return ctx.new(RowObject(template.static.base, Scalar(leaves.pop(0), True)))
    if template.kind == "tuple":
        return Tuple(tuple(build_item(ctx, t, leaves) for t in template.items), template.cls)
    return Static(template.static)


def python_items(template: ItemTemplate, columns: list, count: int) -> list:
    """The first `count` Python objects, of columns of leaves (taken from the front of the list)."""
    if template.kind in ("number", "array"):
        column = columns.pop(0)[:count]
        return np.asarray(column).tolist() if template.weak else list(column)
    if template.kind == "tuple":
        parts = [python_items(t, columns, count) for t in template.items]
        items = list(zip(*parts)) if parts else [()] * count
        return items if template.cls is None else [template.cls(*item) for item in items]
    return [template.static] * count


def objects_in(item: Abstract) -> Iterator[int]:
    """The objects that an item consists of."""
    if isinstance(item, Ref):
        yield item.id
    for child in item.children():
        yield from objects_in(child)


def item_templates_of(contents: AnyList, heap: Heap) -> list[ItemTemplate]:
    if isinstance(contents, BufferObject):
        return [contents.template]
    return [item_template(item, heap) for item in contents.items]


def unified(templates: Iterable[ItemTemplate]) -> ItemTemplate:
    """One template for all items; raises Mismatch."""
    return reduce(unify_templates, templates)
