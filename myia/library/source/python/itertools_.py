"""`itertools` over generators, as generators: each item is computed when it is taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def count_(start: Any = 0, step: Any = 1) -> Iterator[Any]:
    while True:
        yield start
        start += step


def repeat_(item: Any) -> Iterator[Any]:
    while True:
        yield item


def cycle_(iterable: Any) -> Iterator[Any]:
    items = []
    for item in iterable:
        yield item
        items.append(item)
    while len(items) > 0:
        for item in items:
            yield item


def repeated_(items: Any) -> Iterator[Any]:
    while True:
        yield from items


def islice_checked(iterable: Any, *limits: Any) -> Any:
    which = "Stop argument" if len(limits) == 1 else "Indices"
    for limit in limits[:2]:
        if limit is not None and (not isinstance(limit, (int, np.integer)) or limit < 0):
            raise ValueError(
                f"{which} for islice() must be None or an integer: 0 <= x <= sys.maxsize."
            )
    if len(limits) == 3 and limits[2] is not None and limits[2] < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")
    return islice_(iterable, *limits)


def islice_(iterable: Any, *limits: Any) -> Iterator[Any]:
    if len(limits) == 1:
        limits = (0, *limits)
    start, stop, step = limits if len(limits) == 3 else (*limits, 1)
    start, step = start or 0, step or 1
    last = None if stop is None else max(start, stop)
    i = 0
    if last != 0:
        for item in iterable:
            if (step == 1 and start == 0) or (
                i >= start and (i - start) % step == 0 and (stop is None or i < stop)
            ):
                yield item
            i += 1
            if last is not None and i >= last:
                return


def chain_(*iterables: Any) -> Iterator[Any]:
    for iterable in iterables:
        yield from iterable


def chain_from(iterables: Any) -> Iterator[Any]:
    for iterable in iterables:
        yield from iterable


def accumulate_(iterable: Any, func: Any = None, *, initial: Any = None) -> Iterator[Any]:
    first, total = initial is None, initial
    if initial is not None:
        yield initial
    for item in iterable:
        if first:
            total, first = item, False
        elif func is None:
            total = total + item
        else:
            total = func(total, item)
        yield total


def pairwise_(iterable: Any) -> Iterator[Any]:
    first, before = True, None
    for item in iterable:
        if not first:
            yield before, item
        first, before = False, item


def starmap_(f: Any, iterable: Any) -> Iterator[Any]:
    for args in iterable:
        try:
            found = f(*args)
        except StopIteration:  # Python's `starmap` lets it through: it ends the loop
            return
        yield found


def takewhile_(predicate: Any, iterable: Any) -> Iterator[Any]:
    for item in iterable:
        if not predicate(item):
            return
        yield item


def dropwhile_(predicate: Any, iterable: Any) -> Iterator[Any]:
    dropping = True
    for item in iterable:
        if dropping and not predicate(item):
            dropping = False
        if not dropping:
            yield item


def filterfalse_(predicate: Any, iterable: Any) -> Iterator[Any]:
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


def compress_(data: Any, selectors: Any) -> Iterator[Any]:
    for item, selected in zip(data, selectors):
        if selected:
            yield item


def groupby_(iterable: Any, key: Any = None) -> Iterator[Any]:
    first, current = True, None
    group: Any = []
    for item in iterable:
        new = key_of(key, item)
        if not first and new != current:
            items = iter(group)
            yield current, items
            forget(items)
            group = []
        first, current = False, new
        group.append(item)
    if not first:
        items = iter(group)
        yield current, items
        forget(items)


def key_of(key: Any, item: Any) -> Any:
    """The key of an item, which Python may compute later."""


def forget(items: Any) -> None:
    """Python gives no more items of a group when it has gone on to the next."""
