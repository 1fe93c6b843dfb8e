"""Closing a region: the values that are visible after it become its yields.

A call, or the function that a derivative is taken of, is inferred into a builder of its own. It may
return values and change objects. `Exports` collects every run-time value that is visible
afterwards. `substitute_results` puts the results of the op in the place of these values.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from myia.infer.domain.context import Context
from myia.infer.domain.heap import (
    ArrayObject,
    BufferObject,
    Contents,
    DynamicArray,
    DynamicView,
    Heap,
    SelectedArray,
    ViewObject,
)
from myia.infer.domain.heap_arrays import ItemObject, RowObject
from myia.infer.domain.memory_order import is_contiguous
from myia.infer.domain.values import Abstract, Ref, Scalar, as_ref
from myia.infer.dynamic.access import read as read_sized
from myia.infer.paths.merge_template import substitute
from myia.infer.stand_ins import is_resource
from myia.ir.core import Value


@dataclass
class Exports:
    """Values that leave a region, in order."""

    values: dict[Value, None] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)

    def add(self, ctx: Context, x: Abstract, before: Heap) -> None:
        """All run-time leaves of `x`, through objects that are new since `before`."""
        if isinstance(x, Scalar):
            self.values[x.value] = None
        elif isinstance(x, Ref):
            if x.id not in before:
                self.object(ctx, x.id, before)
        else:
            for child in x.children():
                self.add(ctx, child, before)

    def object(self, ctx: Context, id: int, before: Heap) -> None:
        if id in self.seen:
            return
        self.seen.add(id)
        contents = ctx.heap[id]
        for base in contents.bases:
            self.add(ctx, Ref(base), before)
        for child in contents.children():
            self.add(ctx, child, before)

    def changed(self, ctx: Context, before: Heap) -> None:
        """The contents of every object that was there before and has been written to."""
        for id, contents in list(ctx.heap.objects.items()):
            if id in before and contents is not before[id]:
                self.object(ctx, id, before)


def substitute_results(
    ctx: Context, exports: Exports, results: list[Value], xs: list[Abstract]
) -> list[Abstract]:
    """Replace what was exported by the op's results, in `xs` and in the objects."""
    env = dict(zip(exports.values, results))
    for old, new in env.items():
        new.name = new.name or old.name
    for id in exports.seen:
        ctx.heap.objects[id] = substitute(ctx.heap[id], env)
    return [substitute(x, env) for x in xs]


def deep_copied(
    ctx: Context, x: Abstract, made: dict[int, Ref], *, with_resources: bool = False
) -> Abstract:
    """`x` with copies of the arrays and containers in it; `made` keeps aliases aliases.

    `with_resources`: of what has a stand-in, too (`infer/stand_ins.py`).
    """

    def copy(x: Abstract) -> Abstract:
        return deep_copied(ctx, x, made, with_resources=with_resources)

    if not isinstance(x, Ref):
        return x.rebuild(tuple(map(copy, x.children())))
    if is_resource(ctx.heap[x.id]) and not with_resources:
        return x
    if x.id not in made:
        if (found := _copied_rows(ctx, ctx.heap[x.id], made)) is not None:
            made[x.id] = found
            return found
        contents = ctx.contents(x)
        if isinstance(contents, (ViewObject, SelectedArray)):
            contents = ArrayObject(ctx.read(x), contiguous=is_contiguous(ctx, x))
        if isinstance(contents, ArrayObject):
            contents = replace(contents, points_to=None)
        if isinstance(contents, DynamicView):
            elements = read_sized(ctx, x)
            contents = DynamicArray(elements.value, elements.dynamic_axes)
        made[x.id] = ctx.new(contents)
        children = tuple(map(copy, contents.children()))
        ctx.heap.objects[made[x.id].id] = contents.rebuild(children)
    return made[x.id]


def _copied_rows(ctx: Context, contents: Contents, made: dict[int, Ref]) -> Ref | None:
    """The copy of a list of rows, or of a row, with a copy of the buffer of the rows."""
    if isinstance(contents, (RowObject, ItemObject)):
        base = deep_copied(ctx, Ref(contents.base), made)
        return ctx.new(replace(contents, base=as_ref(base).id))
    if isinstance(contents, BufferObject) and contents.template.kind == "member":
        pool = deep_copied(ctx, Ref(contents.template.static), made)
        template = replace(contents.template, static=as_ref(pool).id)
        return ctx.new(replace(contents, template=template))
    if isinstance(contents, BufferObject) and contents.template.kind in ("row", "list"):
        rows = contents.template.static
        new = made.get(rows.base)
        if new is None:
            old = ctx.contents_as(Ref(rows.base), BufferObject)
            new = made[rows.base] = ctx.new(old)
            copied = replace(rows, base=new.id, members=(0,) * len(rows.members))
            ctx.heap.objects[new.id] = replace(old, template=replace(old.template, static=copied))
        if contents.template.kind == "list":
            return new
        template = ctx.contents_as(new, BufferObject).template
        return ctx.new(
            replace(contents, template=replace(contents.template, static=template.static))
        )
    return None
