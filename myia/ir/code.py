"""Functions of IR(py): the code that `py.function` makes a closure of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import CellType
from typing import Any

from myia.ir.core import Region
from myia.source.span import Span


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Namespace:
    """The variables that `py.global` and `py.free` read: those of the outermost function."""

    globals: Mapping[str, Any]
    cells: Mapping[str, CellType]

    def is_same(self, other: Namespace) -> bool:
        """Does it have the same variables, not only equal ones?"""
        same_cells = all(x is y for x, y in zip(self.cells.values(), other.cells.values()))
        return (
            self.globals is other.globals and self.cells.keys() == other.cells.keys() and same_cells
        )


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. `kind` is that of `inspect.Parameter`: its `.name`, e.g. KEYWORD_ONLY."""

    name: str
    kind: str
    has_default: bool = False


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True, repr=False)
class Code:
    """A function of IR(py). Arguments of `region`: the captured cells, then the parameters.

    It yields one value, what the function returns. `closing`: of a generator, the same with a
    return after each `py.yield` that says so.
    """

    name: str
    parameters: tuple[Parameter, ...]
    captured: tuple[str, ...]
    region: Region
    namespace: Namespace
    span: Span | None = field(default=None)
    closing: Region | None = None
