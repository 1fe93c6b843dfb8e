"""State that a differentiated function changes in its copies of the arguments: it is lost.

    def loss(net, x):
        net.mean = 0.9 * net.mean + 0.1 * x.mean()      # grad(loss)(net, x) leaves net.mean alone

What the function returns is not lost. An array that is differentiated itself is no state: in-place
algorithms work in the memory of their argument.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from myia.infer.boundary.undifferentiated import places_of
from myia.infer.derivatives.parameters import code_of, function_name, parameter_names
from myia.infer.domain.context import Context
from myia.infer.domain.heap import (
    ArrayObject,
    Contents,
    DictObject,
    DynamicArray,
    Heap,
    InstanceObject,
)
from myia.infer.domain.heap_arrays import STATIC_ARRAYS
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, same_static
from myia.infer.lists.list_rows import is_as_before
from myia.infer.stand_ins import is_resource
from myia.ir.core import Value


@dataclass
class LostState:
    """What a differentiated function changes, and the caller does not see. `code`: its code."""

    code: Any
    name: str
    paths: list[str] = field(default_factory=list)


def record_lost_state(
    ctx: Context,
    f: Abstract,
    copies: Sequence[Abstract],
    options: dict[str, Abstract],
    differentiated: Collection[int],
    before: Heap,
    result: Abstract,
) -> None:
    """Add to `ctx.lost_state` what `f(*copies, **options)` has changed and `result` does not hold.

    `before`: the heap before the call; `differentiated`: the positions of these arguments.
    """
    walk = _Walk(ctx, before)
    walk.add_returned(result)
    names = parameter_names(ctx, f, len(copies))
    found: list[str] = []
    for i, (name, x) in enumerate(zip(names, copies)):
        if not (i in differentiated and ctx.is_array(x)):
            found += walk.changes(x, name)
    for name, x in options.items():
        found += walk.changes(x, name)
    if not found:
        return
    code = code_of(ctx, f)
    state = ctx.lost_state.setdefault(id(code), LostState(code, function_name(ctx, f)))
    state.paths += [path for path in found if path not in state.paths]


class _Walk:
    """The walk through the copies, after the call."""

    def __init__(self, ctx: Context, before: Heap) -> None:
        self.ctx, self.before = ctx, before
        self.ids: set[int] = set()  # the objects in the result
        self.values: set[Value] = set()  # and the numbers
        self.seen: set[int] = set()

    def add_returned(self, x: Abstract) -> None:
        if isinstance(x, Scalar):
            self.values.add(x.value)
        elif not isinstance(x, Ref):
            for child in x.children():
                self.add_returned(child)
        elif x.id not in self.ids:
            self.ids.add(x.id)
            for child in self.ctx.heap[x.id].children():
                self.add_returned(child)

    def is_returned(self, x: Abstract) -> bool:
        if isinstance(x, Scalar):
            return x.value in self.values
        if isinstance(x, Ref):
            contents = self.ctx.heap[x.id]
            held = isinstance(contents, ArrayObject) and contents.value in self.values
            return held or x.id in self.ids
        children = x.children()
        return bool(children) and all(map(self.is_returned, children))

    def changes(self, x: Abstract, path: str) -> Iterator[str]:
        """The paths in `x`, which was there before the call, to what has changed."""
        if not isinstance(x, Ref):
            for place, child in zip(places_of(x), x.children()):
                yield from self.changes(child, f"{path}{place}")
            return
        if x.id in self.seen or self.is_returned(x) or is_resource(self.before[x.id]):
            return
        self.seen.add(x.id)
        old, new = self.before[x.id], self.ctx.heap[x.id]
        if isinstance(old, STATIC_ARRAYS):
            if old is not new:
                yield path
        elif isinstance(old, DynamicArray):
            return  # it is not known: reads move the elements, too (`pack_to_prefixes`)
        elif is_as_before(self.ctx.heap, x.id, old):
            return
        elif type(old) is type(new):
            yield from self.changed_parts(old, new, path)
        else:
            yield path

    def changed_parts(self, old: Contents, new: Contents, path: str) -> Iterator[str]:
        before = dict(zip(_places(old), old.children()))
        after = dict(zip(_places(new), new.children()))
        for place, child in after.items():
            if place in before and _is_same(before[place], child):
                yield from self.changes(child, f"{path}{place}")
            elif not (self.is_returned(child) or _is_cache(new, place)):
                yield f"{path}{place}"
        yield from (f"{path}{place}" for place in before if place not in after)


def _places(x: Contents) -> Iterator[str]:
    named = isinstance(x, (InstanceObject, DictObject))
    return places_of(x) if named else (f"[{i}]" for i in range(len(x.children())))


def _is_same(a: Abstract, b: Abstract) -> bool:
    if isinstance(a, Ref) or isinstance(b, Ref):
        return a == b
    if isinstance(a, Static) and isinstance(b, Static):
        return same_static(a.value, b.value)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a.value is b.value
    pairs = list(zip(a.children(), b.children()))
    alike = type(a) is type(b) and len(a.children()) == len(b.children())
    return a is b or (alike and bool(pairs) and all(_is_same(x, y) for x, y in pairs))


def _is_cache(contents: Contents, place: str) -> bool:
    """A `functools.cached_property`: it is computed again, and nothing is lost."""
    if not isinstance(contents, InstanceObject):
        return False
    found = inspect.getattr_static(contents.cls, place.removeprefix("."), None)
    return isinstance(found, functools.cached_property)
