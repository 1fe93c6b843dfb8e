"""`x.at[i].set(v)` and its relatives: JAX's functional array updates.

x.at            opaque: an array
x.at[i]         opaque: an array and a subscript
x.at[i].add(v)  traced
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myia.infer.domain.context import Context
from myia.infer.domain.values import Abstract, Opaque
from myia.infer.registry import property_


class At:
    """The class of `x.at`; a subscript of it is an `Updates`."""

    def __getitem__(self, key: Any) -> None: ...


class Updates:
    """The class of `x.at[i]`."""

    def set(self, *values: Any) -> None: ...

    add = subtract = multiply = mul = divide = power = min = max = get = set


@dataclass(frozen=True, slots=True)
class AtStructure:
    """The structure of both classes; the parts are the array and, for `Updates`, the subscript."""

    cls: type

    @property
    def is_tree(self) -> bool:
        return False

    def unflatten(self, parts: Sequence[Any]) -> Any:
        return parts[0].at if self.cls is At else parts[0].at[parts[1]]


AT, UPDATES = AtStructure(At), AtStructure(Updates)


@property_("array", "at")
def _at(ctx: Context, x: Abstract) -> Abstract:
    return Opaque(AT, (x,))


def subscript(x: Opaque, key: Abstract) -> Opaque:
    """`x.at[key]`"""
    return Opaque(UPDATES, (*x.parts, key))
