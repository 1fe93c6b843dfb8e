"""`collections.deque`: an instance with a list of its items."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator
from typing import Any

from myia.infer.recursion.blocks import following


def items_of(deque: Deque, items: list[Any], changes: Any) -> Iterator[Any]:
    """The items, of a deque that does not change meanwhile: inference has a handler for it."""
    raise NotImplementedError


def reversed_items_of(deque: Deque, items: list[Any], changes: Any) -> Iterator[Any]:
    """The same from the last one on."""
    raise NotImplementedError


def added_by_the_other(deque: Deque, items: list[Any], other: Any) -> Any:
    """By `__radd__`, which Python asks before a deque; NotImplemented if it leaves it."""
    raise NotImplementedError


class Deque:
    """What `deque(iterable, maxlen)` is in compiled code.

    `changes`: how often items may have come or gone; a loop over it compares them.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, iterable: Iterable[Any] = (), maxlen: int | None = None) -> None:
        if maxlen is not None and not isinstance(maxlen, int):
            raise TypeError("an integer is required")
        if maxlen is not None and maxlen < 0:
            raise ValueError("maxlen must be non-negative")
        self.items = list(iterable)
        self.maxlen, self.changes = maxlen, 0
        if maxlen is not None and len(self.items) > maxlen:
            self.items = self.items[len(self.items) - maxlen :]

    def in_python(self) -> collections.deque[Any]:
        """As a result of a program."""
        return collections.deque(self.items, self.maxlen)

    def append(self, x: Any) -> None:
        self.changes = following(self.changes)
        self.items.append(x)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop(0)

    def appendleft(self, x: Any) -> None:
        self.changes = following(self.changes)
        self.items.insert(0, x)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop()

    def extend(self, xs: Iterable[Any]) -> None:
        for x in xs:
            self.append(x)

    def extendleft(self, xs: Iterable[Any]) -> None:
        for x in xs:
            self.appendleft(x)

    def pop(self) -> Any:
        self.changes = following(self.changes)
        if len(self.items) == 0:
            raise IndexError("pop from an empty deque")
        return self.items.pop()

    def popleft(self) -> Any:
        self.changes = following(self.changes)
        if len(self.items) == 0:
            raise IndexError("pop from an empty deque")
        return self.items.pop(0)

    def rotate(self, n: int = 1) -> None:
        self.changes = following(self.changes)
        if len(self.items) > 0:
            k = n % len(self.items)
            self.items = self.items[len(self.items) - k :] + self.items[: len(self.items) - k]

    def insert(self, i: int, x: Any) -> None:
        self.changes = following(self.changes)
        if self.maxlen is not None and len(self.items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self.items.insert(i, x)

    def remove(self, x: Any) -> None:
        self.changes = following(self.changes)
        if x not in self.items:
            raise ValueError(f"{x!r} is not in deque")
        self.items.remove(x)

    def clear(self) -> None:
        self.changes = following(self.changes)
        self.items.clear()

    def reverse(self) -> None:
        self.changes = following(self.changes)
        self.items.reverse()

    def copy(self) -> Deque:
        return Deque(self.items, self.maxlen)

    def count(self, x: Any) -> int:
        return self.items.count(x)

    def index(self, x: Any) -> int:
        if x not in self.items:
            raise ValueError(f"{x!r} is not in deque")
        return self.items.index(x)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Any]:
        return items_of(self, self.items, self.changes)

    def __reversed__(self) -> Iterator[Any]:
        return reversed_items_of(self, self.items, self.changes)

    def __contains__(self, x: Any) -> bool:
        return x in self.items

    def __getitem__(self, i: int) -> Any:
        self.require(i)
        return self.items[i]

    def __setitem__(self, i: int, x: Any) -> None:
        self.require(i)
        self.items[i] = x

    def __delitem__(self, i: int) -> None:
        self.changes = following(self.changes)
        self.require(i)
        del self.items[i]

    def require(self, i: int) -> None:
        if i >= len(self.items) or i < -len(self.items):
            raise IndexError("deque index out of range")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, collections.deque) and self.items == list(other)

    def __add__(self, other: Any) -> Any:
        found = added_by_the_other(self, self.items, other)
        if found is not NotImplemented:
            return found
        if not isinstance(other, collections.deque):
            name = type(other).__name__
            raise TypeError(f'can only concatenate deque (not "{name}") to deque')
        found = self.copy()
        found.extend(other)
        return found

    def __iadd__(self, other: Any) -> Any:
        found = added_by_the_other(self, self.items, other)
        if found is not NotImplemented:
            return found
        self.extend(list(other))
        return self

    def __mul__(self, n: int) -> Deque:
        return Deque(self.items * n, self.maxlen)

    def __rmul__(self, n: int) -> Deque:
        return Deque(self.items * n, self.maxlen)

    def __imul__(self, n: int) -> Deque:
        found = self.items * n
        self.clear()
        self.extend(found)
        return self


def new_deque(iterable: Iterable[Any] = (), maxlen: int | None = None) -> Deque:
    return Deque(iterable, maxlen)
