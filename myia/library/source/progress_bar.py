"""Progress bars of `tqdm`: the items of an iterable, with a call of the bar after each.

`library/python/effects.py` has the handler of `shown`: a call of the bar that exists while the
program runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


class Shown:
    """The place of a bar while a program runs: the bar that it has started last."""

    def __init__(self, cls: Any) -> None:
        self.cls, self.bar = cls, None

    def start(self, total: int | None, **options: Any) -> None:
        if self.bar is not None:  # its loop was left early
            self.bar.close()
        self.bar = self.cls(total=total, **options)

    def call(self, method: str, *args: Any, **options: Any) -> None:
        getattr(self.bar, method)(*args, **options)


def shown(place: Shown, method: str, *args: Any, **options: Any) -> None:
    """A call of the bar, which is made on the host."""
    place.call(method, *args, **options)


class ProgressBar:
    """What `tqdm(iterable)` is in compiled code."""

    def __init__(self, iterable: Iterable[Any], place: Shown) -> None:
        self.iterable = iterable
        self.place = place

    def __iter__(self) -> Iterator[Any]:
        for item in self.iterable:
            yield item
            shown(self.place, "update")
        shown(self.place, "close")

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        shown(self.place, "close")

    def update(self, n: Any = 1) -> None:
        shown(self.place, "update", n)

    def close(self) -> None:
        shown(self.place, "close")

    def set_postfix(self, *args: Any, **numbers: Any) -> None:
        shown(self.place, "set_postfix", *args, **numbers)

    def set_postfix_str(self, text: str) -> None:
        shown(self.place, "set_postfix_str", text)

    def set_description(self, text: str | None = None) -> None:
        shown(self.place, "set_description", text)
