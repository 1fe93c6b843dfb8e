"""The merge of lists of different lengths (`merge.py`): both become buffers, and so one buffer.

*When it gives up* (Mismatch): the items have no common template.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from myia.infer.domain.dtypes import bounds
from myia.infer.domain.heap import AnyList, BufferObject, ListObject
from myia.infer.domain.mismatch import longer_list
from myia.infer.domain.values import Scalar
from myia.infer.lists.growing_lists import (
    AffineLength,
    BaseAndOffset,
    ListGrowth,
    ListStep,
    affine_lengths,
    as_length,
    base_and_offset,
    max_length_of,
    row_capacity,
    same_base,
    site_of,
)
from myia.infer.lists.item_aliases import item_templates_of
from myia.infer.lists.item_templates import (
    ItemTemplate,
    objects_in,
    room_of,
    unified,
)
from myia.infer.paths.merge_result import Joined, Merging
from myia.ir.core import Value


def merged_list(
    merging: Merging, a: int, b: int, growth: ListGrowth | None
) -> tuple[Joined, ListGrowth | None]:
    """The buffer that holds both lists, and what is then known of their growth in a loop."""
    merge, id = merging.merge, merging.ids.get((a, b), a)
    x, y = merge.left[a], merge.right[b]
    assert isinstance(x, AnyList) and isinstance(y, AnyList)
    template = unified([*item_templates_of(x, merge.left), *item_templates_of(y, merge.right)])
    may_grow = not template.is_pool
    if may_grow and template.has_objects and growth is not None and growth.capacities is None:
        raise longer_list()  # unrolled they stay objects of their own
    template, growth = _with_rooms(template, item_templates_of(x, merge.left), growth)
    capacity = max(row_capacity(x), row_capacity(y))
    site = site_of(x) or site_of(y)
    has_bound = bounds(base_and_offset(x)[0])[1] is not None
    if may_grow and growth is not None and id not in growth.found_steps and has_bound:
        # No earlier round of this loop, nor a loop around it, has found the capacity.
        longest = max_length_of(x)
        room, step = 0, max(0, max_length_of(y) - longest)
        if site is None and growth.max_iterations is not None:
            # What this round appends is taken for every iteration. Later ones may append more
            # (`list_steps.py`). Where a path raises in this round but not at the fixed point, items
            # are missing: `fixed_point.py` compares `dead_paths`.
            longest += step * max(growth.max_iterations - 1, 0)
            # Within the iteration it has been as long as it has rows.
            room = longest + max(step, row_capacity(y) - max_length_of(x) if step else 0)
        elif growth.capacities is None and step:
            raise longer_list()
        if growth.capacities is not None:
            item_bytes = sum(aval.nbytes for aval in template.leaves)
            growth, site, room = growth.with_site(id, item_bytes, room)
        capacity = max(capacity, room)
        steps = {**growth.found_steps, id: ListStep(step, longest)}
        growth = replace(growth, found_steps=steps)
    avals = [aval.with_shape((capacity, *aval.shape)) for aval in template.leaves]
    before: list[Value | None] = [None] * len(avals)
    if isinstance(x, BufferObject) and (x.template, x.capacity) == (template, capacity):
        before = [row.value for row in x.rows]
    rows = tuple(Scalar(merging.placeholder(v, of), False) for v, of in zip(avals, before))
    for side, on_left in ((x, True), (y, False)):
        items = side.items if isinstance(side, ListObject) else ()
        heap = merge.left if on_left else merge.right
        merging.items += [(on_left, i, id) for item in items for i in objects_in(item, heap)]
    length, growth = _merged_length(merging, id, base_and_offset(x), base_and_offset(y), growth)
    return Joined(BufferObject(template, rows, *length, capacity, site)), growth


def _with_rooms(
    template: ItemTemplate, before: Sequence[ItemTemplate], growth: ListGrowth | None
) -> tuple[ItemTemplate, ListGrowth | None]:
    """The template, in which lists in the items that grow in the loop get a capacity."""
    if growth is None or not template.has_objects:
        return template, growth
    items: list[ItemTemplate] = []
    for k, item in enumerate(template.items):
        inner = [t.items[min(k, len(t.items) - 1)] for t in before if t.items]
        found, known = _with_rooms(item, inner, growth)
        growth = known or growth
        items.append(found)
    template = replace(template, items=tuple(items))
    room = max((room_of(t) for t in before), default=0)
    if template.kind == "ragged" and template.site is None and template.capacity > room:
        nbytes = sum(aval.nbytes for aval in template.items[0].leaves)
        growth, site, room = growth.with_nested_site(nbytes, template.capacity)
        template = replace(template, capacity=room, site=site)
    return template, growth


def _merged_length(
    merging: Merging, id: int, x: BaseAndOffset, y: BaseAndOffset, growth: ListGrowth | None
) -> tuple[BaseAndOffset, ListGrowth | None]:
    affine = affine_lengths(growth).get(id)
    if same_base(x, y):
        step = y[1] - x[1] if isinstance(x[0], Scalar) else y[0].value - x[0].value
        if step == 0:
            entry = merging.merge.join.entry_placeholders
            if isinstance(x[0], Scalar) and x[0].value in entry:  # carried, if it must be or not
                return (merging.merge_numbers(as_length(x), as_length(y)), 0), growth
            return x, growth
        if growth is not None and growth.runs_every_iteration and step > 0:
            # The first round assumes the step. A later round with another step gives the
            # assumption up, and the loop carries the length.
            if affine is None and id not in merging.merge.join.header_objects:
                known = {**growth.affine_lengths, id: AffineLength(*x, step)}
                return x, replace(growth, affine_lengths=known)
            if affine is not None and affine.step == step:
                return x, growth
    if growth is not None and affine is not None:
        known = {i: length for i, length in growth.affine_lengths.items() if i != id}
        growth = replace(growth, affine_lengths=known)
    return (merging.merge_numbers(as_length(x), as_length(y)), 0), growth
