"""`x.at[i].set(v)` and its relatives: JAX's way to change an array, which makes a new one.

x.at            opaque: an array
x.at[i]         opaque: an array and a subscript
x.at[i].add(v)  staged
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myia.infer.domain.context import Context
from myia.infer.domain.values import Abstract, Opaque
from myia.infer.registry import property_


class At:
    """What `x.at` is an instance of; its subscript is an `Updates`."""

    def __getitem__(self, key): ...


class Updates:
    """What `x.at[i]` is an instance of."""

    def set(self, values): ...
    def add(self, values): ...
    def subtract(self, values): ...
    def multiply(self, values): ...
    def mul(self, values): ...
    def divide(self, values): ...
    def power(self, values): ...
    def min(self, values): ...
    def max(self, values): ...
    def get(self): ...


@dataclass(frozen=True, slots=True)
class AtStructure:
    """The structure of both; the parts are the array and, of the second, the subscript."""

    cls: type

    def unflatten(self, parts: Sequence[Any]) -> Any:
        return parts[0].at if self.cls is At else parts[0].at[parts[1]]


AT, UPDATES = AtStructure(At), AtStructure(Updates)


@property_("array", "at")
def _at(ctx: Context, x: Abstract) -> Abstract:
    return Opaque(AT, (x,))


def subscript(x: Opaque, key: Abstract) -> Opaque:
    """`x.at[key]`"""
    return Opaque(UPDATES, (*x.parts, key))
