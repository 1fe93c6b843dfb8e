"""Compilation ahead of time: `lower(*args).compile()`."""

from __future__ import annotations

from typing import Any

from myia.api.dispatch import Call, Dispatcher, Variant
from myia.infer.signature import Flattener


class Lowered:
    """A program at given arguments, not yet compiled by XLA."""

    def __init__(self, dispatcher: Dispatcher, args: tuple, kwargs: dict[str, Any]):
        self._dispatcher = dispatcher
        call = dispatcher.take_apart(args, kwargs)
        self._call, self._variant, self._hidden = dispatcher.find(call)
        self._lowered = self._variant.executable.lower()

    def as_text(self) -> str:
        """StableHLO."""
        return self._lowered.as_text()

    def compile(self) -> Compiled:
        return Compiled(self._dispatcher, self._call, self._variant, self._lowered.compile())


class Compiled:
    """An executable for arguments of one signature; others are refused."""

    def __init__(self, dispatcher: Dispatcher, call: Call, variant: Variant, executable):
        self._dispatcher, self._key = dispatcher, call.key
        self._variant, self._executable = variant, executable

    def __call__(self, *args, **kwargs):
        call = self._dispatcher.take_apart(args, kwargs)
        if call.key != self._key:
            raise TypeError("these arguments differ in type, dtype or shape from those lowered for")
        hidden: list[Flattener] | None = self._variant.hidden()
        if hidden is None:
            raise TypeError("a global that the program reads has changed its type or shape")
        leaves = call.flat.leaves + [leaf for flat in hidden for leaf in flat.leaves]
        results = self._executable(*leaves)
        return self._dispatcher.put_together(self._variant, call, hidden, results)

    def as_text(self) -> str:
        """The optimised HLO."""
        return self._executable.as_text()

    def memory_analysis(self) -> Any:
        """XLA's: sizes of arguments, outputs and temporaries in bytes."""
        return self._executable.memory_analysis()

    def cost_analysis(self) -> Any:
        """XLA's: flops, bytes accessed, ..."""
        return self._executable.cost_analysis()
