"""A compiled function: the emitted program under one `jax.jit`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax
from jax import lax

from myia.backends.xla.cpu.emission_options import UNDER_A_TRACE, Rules, rules_for_cpu
from myia.backends.xla.emit import emit
from myia.backends.xla.modes import OtherModes, explain, own_modes, traced
from myia.backends.xla.scalar_packing import Packing
from myia.ir.core import Function, walk
from myia.primitives.core.host_calls import in_one_thread, is_host_call
from myia.source.process import compiling


def compile_function(
    function: Function,
    donate: Sequence[int] = (),
    packing: Packing | None = None,
    under_a_trace: bool = False,
    transformed: bool = False,
    exact: bool = False,
) -> Executable:
    """`donate`: positions of arguments whose memory the results may reuse.

    `packing`: which scalars travel in vectors; callers pass and get them one by one.
    `under_a_trace`: the executable is called by a function that JAX compiles.
    `transformed`: JAX applies `vmap`, or derivatives of its own, to the executable.
    `exact`: XLA must not combine operations of arithmetic.
    """
    packing = packing or Packing(len(function.args))
    rules = replace(_rules(function, under_a_trace), narrow_indices=transformed, exact=exact)
    return Executable(function, tuple(donate), packing, rules, under_a_trace)


class OtherAvals(Exception):
    """An executable was called with arrays of other shapes or dtypes than those it is for."""


class Runnable:
    """`runnable(*arrays) -> jax arrays (Python floats where packed)`

    A function with run-time checks returns the code of the first that failed as its last result.
    """

    __slots__ = ("_callable", "_calls_host", "_pack", "_packing", "_unpack")

    def __init__(
        self, callable: Callable[..., Sequence[jax.Array]], packing: Packing, calls_host: bool
    ):
        self._packing, self._calls_host = packing, calls_host
        self._callable = in_one_thread(callable) if calls_host else callable
        self._pack = packing.given.pack if packing.given.positions else None
        self._unpack = packing.results.unpack if packing.results.positions else None

    def __call__(self, *arrays: Any) -> Sequence[Any]:
        count = self._packing.count
        return self.run(arrays[:count], self.hidden(arrays[count:]))

    def run(self, given: Sequence[Any], hidden: Sequence[Any]) -> Sequence[Any]:
        """`hidden`: the arguments that no user passes, as the method `hidden` prepares them."""
        if self._pack is not None:
            given = self._pack(given)
        with jax.enable_x64(True):  # outside of it JAX refuses NumPy's float64, or rounds it
            try:
                results = self._callable(*given, *hidden)
                return results if self._unpack is None else self._unpack(results)
            except jax.errors.JaxRuntimeError as error:
                explain(error)
                raise
            except OtherModes:
                context = own_modes()
            except RecursionError:  # while JAX compiles: its calls nest as the program does
                context = compiling()
            with context:
                results = self._callable(*given, *hidden)
                return results if self._unpack is None else self._unpack(results)

    def hidden(self, arrays: Sequence[Any], keep: bool = False) -> Sequence[Any]:
        """These arrays prepared for `run`; with `keep` for many runs, on the device."""
        numbers = self._packing.hidden
        packed = numbers.pack(arrays) if numbers.positions else arrays
        if not (keep and packed):
            return packed
        with jax.enable_x64(True):
            return jax.device_put(packed)


class Executable(Runnable):
    """Compiled on the first call."""

    __slots__ = ("__weakref__", "_jitted", "function")

    def __init__(
        self,
        function: Function,
        donate: tuple[int, ...],
        packing: Packing,
        rules: Rules,
        under_a_trace: bool,
    ):
        self.function = function
        program = _of_these_avals(packing, function, packing.program(emit(function, rules)))
        program = traced(program)
        self._jitted = jax.jit(
            program,
            donate_argnums=packing.packed_positions(donate),
            compiler_options=rules.compiler_options,
        )
        calls_host = any(map(is_host_call, walk(function.region)))
        super().__init__(self._jitted, packing, calls_host and not under_a_trace)
        if rules.narrow_indices:  # JAX transforms it
            pack = self._pack or list
            self._pack = lambda arrays: pack([*map(_strongly_typed, arrays)])

    def lower(self) -> jax.stages.Lowered:
        """JAX's ahead-of-time path: the program in StableHLO."""
        avals = self._packing.avals([x.aval for x in self.function.args])
        with jax.enable_x64(True), own_modes():
            shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
            return self._jitted.lower(*shapes)

    def compile(self, lowered: jax.stages.Lowered | None = None) -> Compiled:
        lowered = lowered or self.lower()
        with jax.enable_x64(True):
            return Compiled(lowered.compile(), self._packing, self._calls_host)


def _strongly_typed(x: Any) -> Any:
    """`x` in the mode of the user: a weakly typed tracer may hold a Python float, which has 64 bits
    in ours."""
    return lax.convert_element_type(x, x.dtype) if getattr(x, "weak_type", False) else x


def _rules(function: Function, under_a_trace: bool) -> Rules:
    if jax.default_backend() != "cpu":
        return Rules()
    return UNDER_A_TRACE if under_a_trace else rules_for_cpu(function)


def _of_these_avals(packing: Packing, function: Function, program: Callable) -> Callable:
    """`program`, which refuses to be traced at other avals.

    JAX traces again only for other avals. So its own look-up at each call is also the check that
    the executable fits the arguments.
    """
    expected = [(a.shape, a.dtype) for a in packing.avals([x.aval for x in function.args])]

    @functools.wraps(program)
    def checked(*arrays: Any) -> Any:
        if [(a.shape, a.dtype) for a in arrays] != expected:
            raise OtherAvals
        return program(*arrays)

    return checked


class Compiled(Runnable):
    """A program compiled ahead of time, `stage`, for exactly the avals that it was lowered for."""

    __slots__ = ("stage",)

    def __init__(self, stage: jax.stages.Compiled, packing: Packing, calls_host: bool):
        super().__init__(stage, packing, calls_host)
        self.stage = stage

    def run(self, given: Sequence[Any], hidden: Sequence[Any]) -> Sequence[Any]:
        config: Any = jax.config  # its options are not declared
        if config.jax_disable_jit:  # JAX would refuse
            with own_modes():
                return super().run(given, hidden)
        return super().run(given, hidden)
