"""`heapq` and `bisect`, sorting by comparison: on lists of numbers, tuples or objects.

They compare as Python's do, so a heap has Python's order of items.
"""

from __future__ import annotations

import bisect
import heapq
import operator
from typing import Any

from myia.library.support.from_source import from_source

EMPTY = "index out of range"

# ----- Heaps: heap[i] <= heap[2 * i + 1] and heap[i] <= heap[2 * i + 2]


@from_source(heapq.heappush)
def heappush(heap: Any, item: Any, /) -> None:
    heap.append(item)
    if holds_objects(heap):
        order = positions(heap)
        _to_parent(order, 0, len(heap) - 1, _less_at(heap))
        reorder(heap, order)
    else:
        _to_parent(heap, 0, len(heap) - 1, operator.lt)


@from_source(heapq.heappop)
def heappop(heap: Any, /) -> Any:
    if holds_objects(heap):
        return _least_object(heap)
    last = take_last(heap)
    if len(heap) > 0:
        least = heap[0]
        heap[0] = last
        _to_leaf(heap, 0, len(heap), operator.lt)
    else:
        least = last
    return least


@from_source(heapq.heapreplace)
def heapreplace(heap: Any, item: Any, /) -> Any:
    if len(heap) == 0:
        raise IndexError(EMPTY)
    least = heap[0]
    if holds_objects(heap):
        heap.append(item)
        return _least_object(heap)
    heap[0] = item
    _to_leaf(heap, 0, len(heap), operator.lt)
    return least


@from_source(heapq.heappushpop)
def heappushpop(heap: Any, item: Any, /) -> Any:
    least = item
    if len(heap) > 0 and heap[0] < item:
        least = heapq.heapreplace(heap, item)
    return least


@from_source(heapq.heapify)
def heapify(heap: Any, /) -> None:
    if holds_objects(heap):
        order, less = positions(heap), _less_at(heap)
        for i in range(len(heap) // 2 - 1, -1, -1):
            _to_leaf(order, i, len(heap), less)
        reorder(heap, order)
    else:
        for i in range(len(heap) // 2 - 1, -1, -1):
            _to_leaf(heap, i, len(heap), operator.lt)


@from_source(heapq.nsmallest)
def nsmallest(n: int, iterable: Any, key: Any = None) -> Any:
    return sorted(iterable, key=key)[: max(n, 0)]


@from_source(heapq.nlargest)
def nlargest(n: int, iterable: Any, key: Any = None) -> Any:
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def _to_parent(heap: Any, start: int, i: int, less: Any) -> None:
    """Move item `i` up until its parent is not greater."""
    item = heap[i]
    while i > start:
        above = (i - 1) >> 1
        parent = heap[above]
        if not less(item, parent):
            break
        heap[i] = parent
        i = above
    heap[i] = item


def _to_leaf(heap: Any, i: int, end: int, less: Any) -> None:
    """Move item `i` down to a leaf, the lesser child up each time; then up to its place."""
    start = i
    item = heap[i]
    child = 2 * i + 1
    while child < end:
        right = child + 1
        if right < end and not less(heap[child], heap[right]):
            child = right
        heap[i] = heap[child]
        i = child
        child = 2 * i + 1
    heap[i] = item
    _to_parent(heap, start, i, less)


# ----- Parts of them. Of objects: while they are compared their numbers move, and then all objects


def take_last(heap: Any) -> Any:
    """`heap.pop()`, whose error says `EMPTY`."""
    raise NotImplementedError


def holds_objects(heap: Any) -> bool:
    """Whether items are objects, or have objects in them: these have names."""
    raise NotImplementedError


def positions(heap: Any) -> Any:
    """0, 1, 2, ...: an array with a number for each item."""
    raise NotImplementedError


def reorder(heap: Any, order: Any) -> None:
    """Put the items with these numbers, in this order, into the list."""
    raise NotImplementedError


def _less_at(heap: Any) -> Any:
    return lambda i, j: heap[i] < heap[j]


def _least_object(heap: Any) -> Any:
    """`heappop`: the last item takes the place of the least, and moves down."""
    last = len(heap) - 1
    if last > 0:
        order = positions(heap)
        order[0], order[last] = last, 0
        _to_leaf(order, 0, last, _less_at(heap))
        reorder(heap, order)
    return take_last(heap)


# ----- Sorted lists


def sorted_by_comparison(iterable: Any, compare: Any, reverse: bool) -> Any:
    """Of `functools.cmp_to_key`: by how many items are less."""
    xs = list(iterable)
    ranked = [(sum([compare(y, x) < 0 for y in xs]), x) for x in xs]
    return [x for _, x in sorted(ranked, key=operator.itemgetter(0), reverse=reverse)]


def sorted_by_order(xs: Any, keys: Any, reverse: bool) -> Any:
    """By how many keys are less than theirs: only `<` is asked."""
    ranked = [(sum([y < x for y in keys]), item) for x, item in zip(keys, xs)]
    return [x for _, x in sorted(ranked, key=operator.itemgetter(0), reverse=reverse)]


@from_source(bisect.bisect_left)
def bisect_left(a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> Any:
    lo = operator.index(lo)
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if holds_objects(a):
        positions(a)  # before the loop: there they would be other objects
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            lo = middle + 1
        else:
            end = middle
    return lo


@from_source(bisect.bisect_right)
def bisect_right(a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> Any:
    lo = operator.index(lo)
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if holds_objects(a):
        positions(a)  # before the loop: there they would be other objects
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            end = middle
        else:
            lo = middle + 1
    return lo


@from_source(bisect.insort_left)
def insort_left(a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> None:
    by = x if key is None else key(x)
    _insert(a, bisect.bisect_left(a, by, lo, hi, key=key), x)


@from_source(bisect.insort_right)
def insort_right(a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> None:
    by = x if key is None else key(x)
    _insert(a, bisect.bisect_right(a, by, lo, hi, key=key), x)


def _insert(xs: Any, at: int, x: Any) -> None:
    if holds_objects(xs):
        xs.append(x)
        order = positions(xs)
        for i in range(len(xs) - 1, at, -1):
            order[i] = i - 1
        order[at] = len(xs) - 1
        reorder(xs, order)
    else:
        xs.insert(at, x)
