"""A compiled function: the emitted program under one `jax.jit`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from myia.backends.xla.emit import emit
from myia.backends.xla.packing import UNPACKED, Packing
from myia.backends.xla.rules import UNDER_A_TRACE, Rules, rules_for_cpu
from myia.ir.avals import Aval
from myia.ir.core import Function


def compile_function(
    function: Function, donate: Sequence[int] = (), packing: Packing = UNPACKED
) -> Executable:
    """`donate` are positions of arguments whose memory the results may take over.

    `packing` says which scalars pass in vectors; callers pass and get them as if they did not.
    """
    return Executable(function, tuple(donate), packing)


class Executable:
    """`executable(*arrays) -> jax arrays (Python floats where packed)`, compiled on the first call.

    A function with run-time checks returns the code of the first that failed as its last result.
    """

    __slots__ = ("_jitted", "_packing", "function", "program")

    def __init__(
        self, function: Function, donate: tuple[int, ...] = (), packing: Packing = UNPACKED
    ):
        self.function = function
        self._packing = packing
        cpu = jax.default_backend() == "cpu"
        rules = rules_for_cpu(function) if cpu else Rules()
        self._jitted = jax.jit(
            packing.program(emit(function, rules)),
            donate_argnums=packing.positions(donate),
            compiler_options=rules.compiler_options,
        )
        # To be called under somebody else's trace.
        self.program = emit(function, UNDER_A_TRACE if cpu else Rules())

    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        packing = self._packing
        with jax.enable_x64(True):
            results = self._jitted(*packing.pack(arrays))
        return packing.unpack(results)

    def __call__(self, *arrays) -> Sequence[Any]:
        return self.run(arrays)

    def lower(self, *avals: Aval) -> Lowered:
        """JAX's ahead-of-time path; `avals` are by default those of the function's arguments."""
        avals = avals or tuple(x.aval for x in self.function.args)
        with jax.enable_x64(True):
            shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self._packing.avals(avals)]
            return Lowered(self._jitted.lower(*shapes), self._packing)

    def compile(self, *avals: Aval) -> Compiled:
        return self.lower(*avals).compile()

    def as_text(self) -> str:
        """The StableHLO of the program."""
        return self.lower().as_text()

    def memory_analysis(self) -> Any:
        return self.compile().memory_analysis()

    def cost_analysis(self) -> Any:
        return self.compile().cost_analysis()


class Lowered:
    """A program in StableHLO, not yet compiled."""

    __slots__ = ("_lowered", "_packing")

    def __init__(self, lowered: jax.stages.Lowered, packing: Packing):
        self._lowered = lowered
        self._packing = packing

    def as_text(self) -> str:
        return self._lowered.as_text()

    def compile(self) -> Compiled:
        with jax.enable_x64(True):
            return Compiled(self._lowered.compile(), self._packing)


class Compiled:
    """An executable for arguments of exactly the avals it was lowered for."""

    __slots__ = ("_compiled", "_packing")

    def __init__(self, compiled: jax.stages.Compiled, packing: Packing):
        self._compiled = compiled
        self._packing = packing

    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        packing = self._packing
        with jax.enable_x64(True):  # outside of it JAX refuses NumPy's float64
            results = self._compiled(*packing.pack(arrays))
        return packing.unpack(results)

    def __call__(self, *arrays) -> Sequence[Any]:
        return self.run(arrays)

    def as_text(self) -> str:
        """The optimised HLO."""
        return self._compiled.as_text()

    def memory_analysis(self) -> Any:
        return self._compiled.memory_analysis()

    def cost_analysis(self) -> Any:
        return self._compiled.cost_analysis()
