"""What a program reads outside its arguments: is it still what it was?

Every call asks this of every global, closure and default that its program reads. Most hold modules,
functions and numbers, which change only by being replaced; for these it is enough to look whether
the object is the one of the last call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple

from myia.infer.arguments import Root
from myia.infer.signature import (
    Constant,
    Flattener,
    FunctionSignature,
    Identity,
    Leaf,
    variables,
)


class Watch:
    """One root of a program. `lasting`: what it holds can only change by being replaced."""

    __slots__ = ("_last", "_read", "_signature", "lasting")

    def __init__(self, root: Root):
        self._read, self._signature = root.read, root.signature
        self.lasting = _lasting(root.signature)
        self._last = (object(), (), Flattener())  # what was there, its functions, it taken apart

    def now(self) -> Flattener | None:
        """What is there, taken apart; None when the program does not fit it."""
        x = self._read()
        last, functions, flat = self._last
        if x is last and (not functions or _unchanged(functions)):
            return flat
        flat = Flattener()
        if flat.add(x) != self._signature:
            return None
        if self.lasting:
            self._last = (x, tuple(_functions(x)), flat)
        return flat


def _lasting(signature: Any) -> bool:
    """Does an object stay what it is unless something in its functions is replaced?"""
    if isinstance(signature, Leaf):
        return signature.kind != "array"
    if isinstance(signature, Constant):
        return not isinstance(signature.value, frozenset)  # a set's, maybe
    if isinstance(signature, FunctionSignature):
        return not signature.function.__kwdefaults__ and all(map(_lasting, signature.parts))
    if isinstance(signature, Identity):  # of a function: one whose closure holds itself
        return not isinstance(signature.object, FunctionType)
    return False


class _State(NamedTuple):
    """What can be replaced in a function without keyword-only defaults."""

    function: FunctionType
    code: CodeType
    defaults: tuple[Any, ...] | None
    cells: tuple[CellType, ...]
    contents: tuple[Any, ...]


def _functions(x: Any) -> Iterator[_State]:
    """`x`, if it is a function, and those in its closure and defaults."""
    if type(x) is FunctionType:
        found = tuple(variables(x))
        cells = x.__closure__ or ()
        yield _State(x, x.__code__, x.__defaults__, cells, found[: len(cells)])
        for value in found:
            yield from _functions(value)


def _unchanged(functions: Sequence[_State]) -> bool:
    try:
        for function, code, defaults, cells, contents in functions:
            if function.__code__ is not code or function.__defaults__ is not defaults:
                return False
            if function.__kwdefaults__:
                return False
            for cell, content in zip(cells, contents):
                if cell.cell_contents is not content:
                    return False
    except ValueError:  # an empty cell
        return False
    return True
