"""Templates of the items of a list: the leaves that an item is stacked as, and the rest of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from myia.infer.capacities import Site
from myia.infer.domain.describe import describe
from myia.infer.domain.dtypes import (
    FLOATS,
    ONE_KIND,
    NumberKind,
    exact_floats,
    is_number,
    is_weak,
    joined,
    number_dtype,
    promote,
)
from myia.infer.domain.heap import (
    BufferObject,
    Contents,
    DictObject,
    Heap,
    InstanceObject,
    ListObject,
)
from myia.infer.domain.heap_arrays import STATIC_ARRAYS, ItemObject, RowObject, array_aval
from myia.infer.domain.mismatch import Mismatch, require_one_dtype
from myia.infer.domain.values import Abstract, Choice, Ref, Static, Tuple, may_be_none, same_static
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

    `floats`: those that hold its numbers of Python exactly.
    `kind`: "number", "array", "tuple", "static"; "optional", None or else of the second of `items`,
    by whether it is there; "row" of a buffer, whose items are each a "list"
    of numbers (`list_rows.py`). Of objects, which are changed in the list (`item_objects.py`):
    "dict", "instance", with `items` for their values; "items", a list with a template for each;
    "ragged", a list of as many as `capacity`, of the template `items[0]` (none: it is empty), whose
    length is its first leaf. `site`: where it grows without a bound.
    `shared`: one object may be several items. "member" of the pool `static`, a buffer of objects
    whose template `is_pool` (`list_members.py`).
    """

    kind: str
    aval: Aval | None = None
    weak: bool = False
    static: Any = None
    items: tuple[ItemTemplate, ...] = ()
    cls: type | None = None
    capacity: int = 0
    site: Site | None = None
    shared: bool = False
    is_pool: bool = False
    floats: np.dtype = FLOATS[-1]

    @property
    def leaves(self) -> tuple[Aval, ...]:
        if self.aval is not None:
            return (self.aval,)
        inner = tuple(aval for item in self.items for aval in item.leaves)
        if self.kind != "ragged":
            return inner
        return (I64, *(aval.with_shape((self.capacity, *aval.shape)) for aval in inner))

    @property
    def value_leaves(self) -> tuple[Aval, ...]:
        """The leaves without those that say whether a value is there."""
        if self.kind == "optional":
            return self.items[1].value_leaves
        if self.aval is not None or self.kind == "ragged":
            return self.leaves
        return tuple(aval for item in self.items for aval in item.value_leaves)

    @property
    def is_object(self) -> bool:
        """Whether items can be changed, in the list."""
        return self.kind in OBJECTS

    @property
    def has_objects(self) -> bool:
        return self.is_object or any(item.has_objects for item in self.items)

    @property
    def has_none(self) -> bool:
        return self.kind == "optional" or any(item.has_none for item in self.items)

    @property
    def has_static(self) -> bool:
        """Whether all items have the same string, function or the like in one place."""
        is_static = self.kind == "static" and not self.is_none
        return is_static or any(item.has_static for item in self.items)

    @property
    def is_none(self) -> bool:
        return self.kind == "static" and self.static is None


OBJECTS = ("dict", "instance", "items", "ragged")
MAX_DEPTH = 6


def item_template(x: Abstract, heap: Heap, depth: int = 0) -> ItemTemplate:
    """The template of one item; raises Mismatch when it cannot be stacked."""
    if is_number(x):
        floats = exact_floats(x) if is_weak(x) else FLOATS[-1]
        return ItemTemplate("number", Aval(number_dtype(x)), is_weak(x), floats=floats)
    if may_be_none(x):
        return _optional(item_template(x.value, heap, depth))
    if isinstance(x, Ref) and isinstance(heap[x.id], STATIC_ARRAYS):
        return ItemTemplate("array", array_aval(heap, x.id))
    if isinstance(x, Ref) and isinstance(row := heap[x.id], RowObject):
        return ItemTemplate("row", I64, True, static=_rows_of(row, heap))
    if isinstance(x, Ref) and (pool := pool_of(heap, x.id)) is not None:
        return ItemTemplate("member", I64, True, static=pool)
    if isinstance(x, Tuple):
        items = tuple(item_template(item, heap, depth) for item in x.items)
        return ItemTemplate("tuple", items=items, cls=x.cls)
    if isinstance(x, Static) and not isinstance(x.value, (list, dict)):
        return ItemTemplate("static", static=x.value)
    if isinstance(x, Ref) and (found := object_template(heap[x.id], heap, depth)) is not None:
        return found
    help_text = ONE_KIND if isinstance(x, Choice) and is_number(x.options[0]) else None
    raise Mismatch("a list", f"a list with {describe(x, heap)} appended", help_text)


def _optional(there: ItemTemplate) -> ItemTemplate:
    if there.has_objects or there.kind in ("row", "member"):
        raise Mismatch("a list", f"a list with None or {_plural(there)} appended")
    return ItemTemplate(
        "optional", items=(ItemTemplate("number", Aval(np.dtype(bool)), True), there)
    )


def pool_of(heap: Heap, id: int) -> int | None:
    """The pool that the object is a member of."""
    item = heap[id]
    if not isinstance(item, ItemObject) or item.path:
        return None
    base = heap[item.base]
    return item.base if isinstance(base, BufferObject) and base.template.is_pool else None


def object_template(contents: Contents, heap: Heap, depth: int = 0) -> ItemTemplate | None:
    """The template of an object that a list holds; None: it cannot be stacked."""
    if isinstance(contents, ItemObject):
        base = heap[contents.base]
        return part_at(base.template, contents.path) if isinstance(base, BufferObject) else None
    if isinstance(contents, BufferObject) and contents.template.kind not in ("row", "list"):
        items, room = (contents.template,), contents.capacity
        return ItemTemplate("ragged", items=items, capacity=room, site=contents.site)
    if isinstance(contents, ListObject):
        kind, static = "items", None
    elif isinstance(contents, DictObject) and contents.factory is None and contents.cls is dict:
        kind, static = "dict", contents.keys
    elif isinstance(contents, InstanceObject):
        kind, static = "instance", (contents.cls, contents.names, contents.frozen)
    else:
        return None
    if depth == MAX_DEPTH:  # an object that holds itself
        return None
    parts = tuple(item_template(x, heap, depth + 1) for x in contents.children())
    return ItemTemplate(kind, static=static, items=parts)


def part_at(template: ItemTemplate, path: tuple[int, ...]) -> ItemTemplate:
    """The template of a part of an item."""
    for step in path:
        template = template.items[max(step, 0)]
    return template


def with_part(template: ItemTemplate, path: tuple[int, ...], part: ItemTemplate) -> ItemTemplate:
    """The template with another one for a part of the item."""
    if not path:
        return part
    i, items = max(path[0], 0), template.items
    inner = with_part(items[i], path[1:], part)
    return replace(template, items=(*items[:i], inner, *items[i + 1 :]))


def is_shared(template: ItemTemplate, path: tuple[int, ...]) -> bool:
    """Whether this part of an item, or one that it is in, may be in the list twice."""
    return any(part_at(template, path[:n]).shared for n in range(len(path) + 1))


def with_shared(template: ItemTemplate, more: Iterable[ItemTemplate] = ()) -> ItemTemplate:
    """The template where a shared object, or one of `more`, may be any one of its kind."""
    kinds = {kind for t in more for kind in _kinds_in(t)}
    kinds |= set(_shared_kinds(template))
    return _marked(template, kinds) if kinds else template


def _shared_kinds(template: ItemTemplate) -> Iterator[Any]:
    if template.shared:
        yield from _kinds_in(template)
    else:
        for item in template.items:
            yield from _shared_kinds(item)


def _kinds_in(template: ItemTemplate) -> Iterator[Any]:
    if template.is_object:
        yield _kind(template)
    for item in template.items:
        yield from _kinds_in(item)


def _kind(template: ItemTemplate) -> Any:
    if template.kind == "instance":
        return template.static[0]
    return "dict" if template.kind == "dict" else "list"


def _marked(template: ItemTemplate, kinds: set[Any]) -> ItemTemplate:
    shared = template.shared or (template.is_object and _kind(template) in kinds)
    items = tuple(_marked(item, kinds) for item in template.items)
    return replace(template, items=items, shared=shared)


def _rows_of(row: RowObject, heap: Heap) -> Rows:
    base = heap[row.base]
    if not isinstance(base, BufferObject):  # invalidated
        raise Mismatch("a list of lists", "one that was changed under another name")
    return base.template.static


def of_numbers(number: ItemTemplate, rows: ItemTemplate) -> ItemTemplate:
    """The template of a row of such numbers."""
    if number.kind != "number" or number.aval is None or rows.aval is None:
        raise Mismatch("a list of lists of numbers", f"a list with {_plural(number)} in it")
    aval = Aval(number.aval.dtype, rows.aval.shape)
    return replace(rows, aval=aval, weak=number.weak, floats=number.floats)


def unify_templates(a: ItemTemplate, b: ItemTemplate) -> ItemTemplate:
    """The template that holds items of both; raises Mismatch."""
    if "optional" in (a.kind, b.kind):
        there = [t.items[1] if t.kind == "optional" else t for t in (a, b) if not t.is_none]
        return _optional(reduce(unify_templates, there))
    if a.aval is not None and b.aval is not None and (a.kind, a.static) == (b.kind, b.static):
        if a.kind in ("row", "member"):
            return a
        if a.kind == "number" or (a.kind == "list" and a.aval.shape == b.aval.shape):
            dtype, weak = _type_of_items(a, b)
            aval, floats = a.aval.with_dtype(dtype), max(a.floats, b.floats)
            return replace(a, aval=aval, weak=weak, floats=floats)
        if a.aval.shape == b.aval.shape:
            require_one_dtype(a.aval, b.aval)
            return a
    if a.kind == b.kind == "tuple" and (a.cls, len(a.items)) == (b.cls, len(b.items)):
        items = tuple(map(unify_templates, a.items, b.items))
        return ItemTemplate("tuple", items=items, cls=a.cls, shared=a.shared or b.shared)
    if a.is_object and b.is_object:
        found = _unified_objects(a, b)
        return replace(found, shared=a.shared or b.shared)
    if a.kind == b.kind == "static" and same_static(a.static, b.static):
        return a
    raise Mismatch(f"a list of {_plural(a)}", f"a list with {_plural(b)} appended")


def _type_of_items(a: ItemTemplate, b: ItemTemplate) -> tuple[np.dtype, bool]:
    """The dtype of a list with numbers of both kinds in it.

    It is that which they have where paths meet, or that of both of Python's (bools among ints are
    ints, ints among floats floats), or that of NumPy's if it holds the other ones exactly
    (`[0] * n`, before it is filled).
    """
    assert a.aval is not None and b.aval is not None
    x, y = NumberKind(a.aval.dtype, a.weak), NumberKind(b.aval.dtype, b.weak)
    if (found := joined(x, y)) is not None:
        return found
    dtype, weak = promote(x.type, y.type)
    if weak:
        return dtype, weak
    python, numpy = ((a, x), (b, y)) if a.weak else ((b, y), (a, x))
    real = np.zeros(0, dtype).real.dtype
    is_exact = real == np.zeros(0, numpy[1].dtype).real.dtype and python[0].floats <= real
    if python[0].weak and python[1].dtype.kind != "b" and dtype.kind in "fc" and is_exact:
        return dtype, False
    raise Mismatch(f"a list of {x.text}", f"a list with {y.text} in it", ONE_KIND)


def _unified_objects(a: ItemTemplate, b: ItemTemplate) -> ItemTemplate:
    lists = all(t.kind in ("items", "ragged") for t in (a, b))
    if a.kind == b.kind != "ragged" and (a.static, len(a.items)) == (b.static, len(b.items)):
        try:
            return replace(a, items=tuple(map(unify_templates, a.items, b.items)))
        except Mismatch:
            if not lists:
                raise
    if not lists:
        raise Mismatch(f"a list of {_plural(a)}", f"a list with other {_plural(b)} appended")
    kinds = dict.fromkeys((*a.items, *b.items))
    items = (reduce(unify_templates, kinds),) if kinds else ()
    room = max(room_of(t) for t in (a, b))
    return ItemTemplate("ragged", items=items, capacity=room, site=a.site or b.site)


def room_of(template: ItemTemplate) -> int:
    """How many items a list that is an item has room for."""
    return template.capacity if template.kind == "ragged" else len(template.items)


def _plural(t: ItemTemplate) -> str:
    known = {"number": "numbers", "array": f"arrays {t.aval}", "items": "lists", "ragged": "lists"}
    return known.get(t.kind, f"{t.kind}s")


def objects_in(item: Abstract, heap: Heap | None = None) -> Iterator[int]:
    """The objects that an item consists of; with `heap`, those in its containers, too."""
    if isinstance(item, Ref):
        yield item.id
        contents = None if heap is None else heap[item.id]
        if isinstance(contents, (ListObject, DictObject, InstanceObject)):
            for child in contents.children():
                yield from objects_in(child, heap)
    for child in item.children():
        yield from objects_in(child, heap)


def unified(templates: Iterable[ItemTemplate]) -> ItemTemplate:
    """One template for all items; raises Mismatch."""
    return reduce(unify_templates, templates)
