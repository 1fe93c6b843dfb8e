"""`collections.deque`: an instance with a list of its items."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator
from typing import Any


class Deque:
    """What `deque(iterable, maxlen)` is in compiled code."""

    def __init__(self, iterable: Iterable[Any] = (), maxlen: int | None = None) -> None:
        self.items = list(iterable)
        self.maxlen = maxlen
        if maxlen is not None and len(self.items) > maxlen:
            self.items = self.items[len(self.items) - maxlen :]

    def in_python(self) -> collections.deque[Any]:
        """As a result of a program."""
        return collections.deque(self.items, self.maxlen)

    def append(self, x: Any) -> None:
        self.items.append(x)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop(0)

    def appendleft(self, x: Any) -> None:
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
        if len(self.items) == 0:
            raise IndexError("pop from an empty deque")
        return self.items.pop()

    def popleft(self) -> Any:
        if len(self.items) == 0:
            raise IndexError("pop from an empty deque")
        return self.items.pop(0)

    def rotate(self, n: int = 1) -> None:
        if len(self.items) > 0:
            k = n % len(self.items)
            self.items = self.items[len(self.items) - k :] + self.items[: len(self.items) - k]

    def insert(self, i: int, x: Any) -> None:
        if self.maxlen is not None and len(self.items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self.items.insert(i, x)

    def remove(self, x: Any) -> None:
        if x not in self.items:
            raise ValueError("deque.remove(x): x not in deque")
        self.items.remove(x)

    def clear(self) -> None:
        self.items.clear()

    def reverse(self) -> None:
        self.items.reverse()

    def copy(self) -> Deque:
        return Deque(self.items, self.maxlen)

    def count(self, x: Any) -> int:
        return self.items.count(x)

    def index(self, x: Any) -> int:
        return self.items.index(x)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self.items)

    def __contains__(self, x: Any) -> bool:
        return x in self.items

    def __getitem__(self, i: int) -> Any:
        return self.items[i]

    def __setitem__(self, i: int, x: Any) -> None:
        self.items[i] = x


def new_deque(iterable: Iterable[Any] = (), maxlen: int | None = None) -> Deque:
    return Deque(iterable, maxlen)
