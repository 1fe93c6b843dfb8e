"""Watches: at each call, are the globals and closures that a program reads unchanged?

Each call checks every global, closure and default that its program reads (the roots). Most hold
modules, functions and numbers, which change only by being replaced: for these it suffices that the
object is the same as at the last call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple

from myia.infer.boundary.arguments import Root
from myia.infer.boundary.signature import (
    Constant,
    Flattener,
    FunctionSignature,
    Identity,
    Leaf,
    LibraryFunction,
    Node,
    variables,
)
from myia.infer.registry import is_marked_for_tracing, is_traced


class Watches:
    """The roots of a program. `lasting`: their objects can only change by being replaced."""

    __slots__ = ("_kept", "_last", "_others", "_roots", "lasting")

    def __init__(self, roots: Sequence[Root]):
        self._roots = roots
        self._kept = [(i, root.read) for i, root in enumerate(roots) if _is_lasting(root.signature)]
        kept = {i for i, _ in self._kept}
        self._others = [i for i in range(len(roots)) if i not in kept]
        self.lasting = not self._others
        self._last: _Last | None = None

    def now(self) -> list[Flattener] | None:
        """The flattened objects of the roots; None if the program does not fit them."""
        last = self._last
        if last is None or not self._is_unchanged(last):
            last = self._last = self._flatten_lasting()
            if last is None:
                return None
        found = last.found
        if self._others:
            found = list(found)
            for i in self._others:
                found[i] = _flattened(self._roots[i], self._roots[i].read())
                if found[i] is None:
                    return None
        return found

    def _is_unchanged(self, last: _Last) -> bool:
        """Do the lasting roots hold the objects of the last call, unchanged?"""
        for (_, read), x in zip(self._kept, last.objects):
            if read() is not x:
                return False
        return not last.functions or _are_unchanged(last.functions)

    def _flatten_lasting(self) -> _Last | None:
        """The lasting roots, flattened anew; None if the program does not fit them."""
        objects = [read() for _, read in self._kept]
        found: list[Flattener | None] = [None] * len(self._roots)
        for (i, _), x in zip(self._kept, objects):
            found[i] = _flattened(self._roots[i], x)
            if found[i] is None:
                return None
        return _Last(objects, [state for x in objects for state in _functions(x)], found)


def _flattened(root: Root, x: Any) -> Flattener | None:
    flat = Flattener()
    return flat if flat.add(x) == root.signature else None


def _is_lasting(signature: Any) -> bool:
    """Can such an object change only by being replaced, or by a new part of its functions?"""
    if isinstance(signature, Leaf):
        return signature.kind != "array"
    if isinstance(signature, Constant):
        return not isinstance(
            signature.value, frozenset
        )  # it may stand for a set, which can change
    if isinstance(signature, FunctionSignature):
        return not signature.function.__kwdefaults__ and all(map(_is_lasting, signature.parts))
    if isinstance(signature, LibraryFunction):
        return True
    if isinstance(signature, Node):
        return signature.kind == "tuple" and all(map(_is_lasting, signature.parts))
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


class _Last(NamedTuple):
    """The objects of the lasting roots at a call, the functions in them, and them flattened."""

    objects: Sequence[Any]
    functions: Sequence[_State]
    found: list[Flattener | None]


def _functions(x: Any) -> Iterator[_State]:
    """The functions in `x`: itself, those in its closure and defaults, those in a tuple."""
    if type(x) is FunctionType and (is_marked_for_tracing(x) or not is_traced(x)):
        found = tuple(variables(x))
        cells = x.__closure__ or ()
        yield _State(x, x.__code__, x.__defaults__, cells, found[: len(cells)])
        for value in found:
            yield from _functions(value)
    elif isinstance(x, tuple):
        for item in x:
            yield from _functions(item)


def _are_unchanged(functions: Sequence[_State]) -> bool:
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
