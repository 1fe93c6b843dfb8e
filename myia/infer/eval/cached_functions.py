"""Functions of a module under `functools.cache`.

Their results outlive the program: what Python ran once for all calls of it may have no effects
here, nor a mutable result that somebody changes. So they may be computed again at any time. Within
a program a result is kept where the call is sure to have run: another call gives the same object.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from myia.infer.boundary import inner_classes
from myia.infer.domain.context import Context
from myia.infer.domain.heap import Contents, Heap
from myia.infer.domain.heap_arrays import ARRAYS
from myia.infer.domain.values import Abstract, Ref, Scalar, Static
from myia.infer.eval.calls import CALLABLE_TYPES, call
from myia.infer.eval.library_calls import name_of
from myia.infer.numeric.samples import require_hashable
from myia.infer.unsupported import UnsupportedFunction
from myia.ir.builder import Builder, current_builder, is_open
from myia.ir.core import Op, has_effect

LEAVE_OUT = "leave the cache out, or call it outside and pass in the result"


@dataclass(frozen=True, slots=True)
class Kept:
    """A result, and where it was computed. `reads`: the objects that it depends on."""

    result: Abstract
    builder: Builder
    ops: tuple[int, Op | None]  # how many there were, and the last
    objects: dict[int, Contents]
    reads: frozenset[int]

    def is_here(self, ctx: Context) -> bool:
        """Is the call sure to have run on this path?"""
        if isinstance(self.result, Static) and not self.reads:
            return True  # the same on every path
        count, last = self.ops
        ops = self.builder.ops
        in_path = count == 0 or (count <= len(ops) and ops[count - 1] is last)
        heap = ctx.heap
        same = (id in heap and heap[id] is contents for id, contents in self.objects.items())
        return is_open(self.builder) and in_path and all(same)


@dataclass
class CachedResults:
    """The results of a program under `functools.cache`."""

    kept: dict[Any, Kept] = field(default_factory=dict)
    # The mutable objects that they hold, and what is in them.
    objects: dict[int, Contents] = field(default_factory=dict)
    function: Any = None  # that is being called, which may change only objects with larger ids
    largest_id: int = 0

    @contextmanager
    def calling(self, f: Any, largest_id: int) -> Iterator[None]:
        before = self.function, self.largest_id
        self.function, self.largest_id = f, largest_id
        try:
            yield
        finally:
            self.function, self.largest_id = before


def refuse_change(ctx: Context, id: int) -> None:
    """An error if a change of the object makes a difference to a cached function."""
    results: CachedResults | None = ctx.cached_results
    if results is None:
        return
    if results.function is not None and id <= results.largest_id and not ctx.is_of_checks(id):
        _refuse_effects(ctx, results.function)
    kept = results.objects.get(id)
    if kept is not None and kept is ctx.heap.objects.get(id):
        what = "a change of what a function under `functools.cache` has returned"
        help_text = "copy it first: Python changes the object in the cache, for all later calls"
        ctx.fail(UnsupportedFunction, what=what, help_text=help_text)


def keep_in_form(ctx: Context, id: int, old: Contents, new: Contents) -> None:
    """A list becomes a buffer, of the same items."""
    results: CachedResults | None = ctx.cached_results
    if results is not None and results.objects.get(id) is old:
        results.objects[id] = new


def _refuse_effects(ctx: Context, f: Any) -> NoReturn:
    what = f"an effect of `{name_of(f)}`, which is under `functools.cache`,"
    ctx.fail(UnsupportedFunction, what=what, help_text=LEAVE_OUT)


def _call_cached(ctx: Context, f: Any, args: tuple, kwargs: dict) -> Abstract:
    given = (*args, *kwargs.values())
    for x in given:
        require_hashable(ctx, x)
    results: CachedResults = ctx.cached_results or CachedResults()
    ctx.cached_results = results
    key = _key(f, args, kwargs)
    if key in results.kept and (kept := results.kept[key]).is_here(ctx):
        if ctx.heap.reads is not None:
            ctx.heap.reads |= kept.reads
        return kept.result
    heap, builder = ctx.heap, current_builder()
    largest_id, (ops, checks, _) = heap.next_id, ctx.mark()
    with results.calling(f, largest_id), heap.recorded_reads() as reads:
        result = call(ctx, Static(f.__wrapped__), args, kwargs)
    if any(map(has_effect, builder.ops[ops:])):
        _refuse_effects(ctx, f)
    objects = {id: heap[id] for id in _objects(heap, result) if id > largest_id}
    results.objects.update(objects)
    is_inner = isinstance(result, Static) and inner_classes.is_inner(result.value)
    if key is not None and len(ctx.checks) == checks and not is_inner:
        place = len(builder.ops), builder.ops[-1] if builder.ops else None
        before = frozenset(id for id in reads if id <= largest_id and not ctx.is_of_checks(id))
        results.kept[key] = Kept(result, builder, place, objects, before)
    return result


def _key(f: Any, args: tuple, kwargs: dict) -> Any:
    """With the types: 1, 1.0 and True are equal. None: Python's `==` could find another result."""
    found: list[Any] = [f, len(args), *kwargs]
    for x in (*args, *kwargs.values()):
        if isinstance(x, Static):
            found.append((type(x.value), x.value))
        elif isinstance(x, Scalar):
            found.append((x.weak, x.value))
        else:
            return None
    return tuple(found)


def _objects(heap: Heap, x: Abstract) -> set[int]:
    """The mutable objects in a value."""
    found: set[int] = set()
    left: list[Any] = [x]
    while left:
        x = left.pop()
        if not isinstance(x, Ref):
            left += x.children()
        elif x.id not in found and x.id in heap:
            found.add(x.id)
            contents = heap[x.id]
            left += map(Ref, contents.bases)
            if not isinstance(contents, ARRAYS):
                left += contents.children()
    return found


CALLABLE_TYPES[type(functools.cache(len))] = _call_cached
