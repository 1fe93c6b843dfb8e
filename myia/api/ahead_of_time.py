"""Compilation ahead of time: `lower(*args).compile()`."""

from __future__ import annotations

from typing import Any

from myia.api.dispatch import Dispatcher, signatures
from myia.api.pickling import NotPortable
from myia.api.programs.decision_tree import DecisionTree
from myia.api.variant import Programs, Variant
from myia.infer.boundary.signature import CallFlattener


class Lowered(NotPortable):
    """A program at given arguments, not yet compiled by XLA."""

    def __init__(self, dispatcher: Dispatcher, args: tuple[Any, ...], kwargs: dict[str, Any]):
        call, (self._variant, _) = dispatcher.find(args, kwargs)
        self._programs, self._integers = call.programs, call.integers
        self._lowered = self._variant.executable.lower()

    def as_text(self) -> str:
        """StableHLO."""
        return self._lowered.as_text()

    def compile(self) -> Compiled:
        executable = self._variant.executable.compile(self._lowered)
        return Compiled(self._programs, self._integers, self._variant, executable)


class Compiled(NotPortable):
    """An executable for arguments of one signature; others are refused."""

    def __init__(
        self, programs: Programs, integers: tuple[int, ...], variant: Variant, executable: Any
    ):
        self._programs, self._integers = programs, integers
        self._tree, self._executable = DecisionTree(variant), executable

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        flat = CallFlattener()
        same = signatures(flat, args, kwargs) == self._programs.key
        if not same or self._programs.split(flat) != self._integers:
            raise TypeError("these arguments differ in type, dtype or shape from those lowered for")
        found = self._tree.find(flat)
        if found is None:
            raise TypeError("a global that the program reads has changed its type or shape")
        return found.variant.run(self._executable, flat.leaves, flat, found.hidden)

    def as_text(self) -> str:
        """The optimised HLO."""
        return self._executable.stage.as_text() or ""

    def memory_analysis(self) -> Any:
        """XLA's: sizes of arguments, outputs and temporaries in bytes."""
        return self._executable.stage.memory_analysis()

    def cost_analysis(self) -> Any:
        """XLA's: flops, bytes accessed, ..."""
        return self._executable.stage.cost_analysis()
