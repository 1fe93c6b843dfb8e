"""A compiled function: the emitted program under one `jax.jit`.

Which rules of emission it gets depends on the platform (`_emitted`): those of `cpu/`, none, or, in
a function that JAX compiles, both forms under `lax.platform_dependent`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
from jax import lax

from myia.backends.xla.cpu.emission_options import (
    UNDER_A_TRACE,
    Rules,
    has_cpu_rules,
    rules_for_cpu,
)
from myia.backends.xla.devices import by_devices
from myia.backends.xla.emit import emit
from myia.backends.xla.explicit_axes import (
    ExplicitAxes,
    automatic,
    call_on_automatic_axes,
    on_any_axes,
)
from myia.backends.xla.host_copies import host_copy
from myia.backends.xla.modes import (
    OtherModes,
    enter_64_bits,
    explain,
    explain_ordered,
    leave_64_bits,
    own_modes,
    traced,
)
from myia.backends.xla.packing import Packing, Vectors
from myia.backends.xla.shardings import CHOSEN_BY_JAX, Shardings
from myia.ir.avals import Aval
from myia.ir.core import Function, walk
from myia.primitives.core.host_calls import in_one_thread, is_host_call
from myia.primitives.core.platforms import ANY, default_platform, devices_of
from myia.source.process import compiling


def compile_function(
    function: Function,
    donate: Sequence[int] = (),
    packing: Packing | None = None,
    under_a_trace: bool = False,
    exact: bool = False,
    platform: str | None = None,
    elsewhere: Function | None = None,
    shardings: Shardings = CHOSEN_BY_JAX,
) -> Executable:
    """`donate`: positions of arguments whose memory the results may reuse.

    `packing`: what travels in vectors; callers pass and get it one by one.
    `under_a_trace`: the executable is called by a function that JAX compiles.
    `exact`: XLA must not combine operations of arithmetic.
    `platform`: that of the device which runs it; None: that of JAX's default device. `ANY`, as
    under a trace: JAX tells it when it lowers the program.
    `elsewhere`: the function for other platforms than a CPU, and for programs that XLA partitions
    among devices, if it is another one.
    """
    packing = packing or Packing(Vectors(len(function.args)))
    common = Rules(narrow_indices=under_a_trace, exact=exact)
    platform = ANY if under_a_trace else platform or default_platform()
    program, compiler_options = _emitted(function, elsewhere or function, common, platform)
    alone = packing.results_count(len(function.results)) == 1
    program = traced(_of_these_avals(packing, function, packing.program(program), alone))
    donated = packing.packed_positions(donate)
    jitted = jax.jit(
        program,
        donate_argnums=donated,
        compiler_options=compiler_options,
        **shardings.options(packing, alone),
    )
    how = Emission(elsewhere or function, common, compiler_options or {}, shardings)
    return Executable(jitted, function, packing, alone, under_a_trace, platform, donated, how)


@dataclass(frozen=True)
class Emission:
    """How a program was emitted. `elsewhere`: the function for other platforms than a CPU, with the
    rules that are `common` to all."""

    elsewhere: Function
    common: Rules
    compiler_options: dict[str, bool | str]
    shardings: Shardings


NO_DEVICE = "this process has no device of the platform {0!r}: its programs can be lowered, not run"


class OtherAvals(Exception):
    """An executable was called with arrays of other shapes or dtypes than those it is for."""


class Inlined(NamedTuple):
    """A call of an executable with one result as lines of Python, for functions that are generated.

    `finish` are lines that return what becomes of `result`.
    """

    names: dict[str, Any]
    finish: tuple[str, ...]

    def lines(self, leaves: Sequence[str], hidden: Sequence[str], late: str | None) -> list[str]:
        """The call with these expressions; `late`: groups of hidden arguments."""
        given = [f"*pack(({', '.join(leaves)},))"] if "pack" in self.names else [*leaves]
        given += hidden if late is None else [f"*prepare([x for xs in {late} for x in xs])"]
        passed = ", ".join(given)
        finish = [f"    {line}" for line in self.finish]
        return [
            "before = enter(True)",
            "try:",
            f"    result = execute({passed})",
            *finish,
            "except (Exception, KeyboardInterrupt) as error:",
            f"    result = again(execute, error, [{passed}])",
            *finish,
            "finally:",
            "    leave(before)",
        ]


class Runnable:
    """`runnable(*arrays) -> jax arrays (of NumPy, and Python numbers, where packed)`

    A function with run-time checks returns the code of the first that failed as its last result.
    `alone`: the callable returns its only result, not a tuple of it, which takes longer.
    `shardings`: those that the user gave.
    """

    __slots__ = (
        "_callable",
        "_calls_host",
        "_pack",
        "_pack_hidden",
        "_shardings",
        "_unpack",
        "alone",
        "packing",
    )

    def __init__(
        self,
        callable: Callable[..., Any],
        packing: Packing,
        alone: bool,
        calls_host: bool,
        shardings: Sequence[Any] = (),
    ):
        self.packing, self._calls_host, self.alone = packing, calls_host, alone
        self._shardings = shardings
        callable = on_any_axes(callable, shardings)
        self._callable = in_one_thread(callable) if calls_host else callable
        self._pack = packing.given.pack() if packing.given.vectors else None
        self._pack_hidden = packing.hidden.pack() if packing.hidden.vectors else None
        self._unpack = packing.results.unpack() if packing.results.vectors else None

    def __call__(self, *arrays: Any) -> Sequence[Any]:
        count = self.packing.given.count
        return self.bound(self.hidden(arrays[count:]))(arrays[:count])

    def bound(self, hidden: Sequence[Any]) -> Callable[..., Sequence[Any]]:
        """A call with these hidden arguments, which no user passes, as the method `hidden` prepares
        them: a function of a list of the others.

        `late`: groups of hidden arguments that only the call tells.
        """
        call, pack, unpack, prepare = self._callable, self._pack, self._unpack, self.hidden
        enter, leave, hidden, alone = enter_64_bits, leave_64_bits, tuple(hidden), self.alone

        def run(given: Sequence[Any], late: Sequence[Sequence[Any]] | None = None) -> Sequence[Any]:
            if pack is not None:
                given = pack(given)
            if late is not None:
                given = (*given, *prepare([x for xs in late for x in xs]))
            elif hidden:
                given = (*given, *hidden)
            before = enter(True)  # outside of it JAX refuses NumPy's float64, or rounds it
            try:
                results = (call(*given),) if alone else call(*given)
                return results if unpack is None else unpack(results)
            except (Exception, KeyboardInterrupt) as error:
                results = again(call, error, given)
                results = (results,) if alone else results
                return results if unpack is None else unpack(results)
            finally:
                leave(before)

        return run

    def inlined(self, convert: Callable[[Any], Any] | None, copied: Aval | None = None) -> Inlined:
        """A call as `bound` makes it, whose only result `convert` converts.

        `copied`: it is an array of NumPy with these elements.
        """
        names: dict[str, Any] = {"execute": self._callable, "prepare": self.hidden}
        names |= {} if convert is None else {"convert": convert}
        finish: tuple[str, ...] = (f"return {'result' if convert is None else 'convert(result)'}",)
        if self._unpack is not None:
            (vector,) = self.packing.results.vectors
            names["split"] = vector.split()
            finish = (finish[0].replace("result", "split(result)[0]"),)
        elif copied is not None and (copy := host_copy(copied)) is not None:
            names |= copy.names
            finish = (
                "try:",
                f"    return {copy.expression}",
                "except Exception:",  # not in the memory of the host, or never computed: it raises
                f"    {finish[0]}",
            )
        names |= {"enter": enter_64_bits, "leave": leave_64_bits, "again": again}
        return Inlined(names if self._pack is None else {**names, "pack": self._pack}, finish)

    def hidden(self, arrays: Sequence[Any], keep: bool = False) -> Sequence[Any]:
        """These arrays prepared for `run`; with `keep` for many runs, on the device."""
        packed = arrays if self._pack_hidden is None else self._pack_hidden(arrays)
        if not (keep and packed):
            return packed
        with jax.enable_x64(True):
            return jax.device_put(packed)


def again(call: Callable[..., Any], error: BaseException, given: Sequence[Any]) -> Any:
    """The results of a call that the modes of JAX or Python have made fail."""
    config: Any = jax.config  # its options are not declared
    if isinstance(error, KeyboardInterrupt):
        jax.clear_caches()  # or JAX waits for ever for what it was compiling
    if isinstance(error, jax.errors.JaxRuntimeError):
        explain(error)
    if isinstance(error, ValueError):
        explain_ordered(error)
    if isinstance(error, ExplicitAxes) and not any(isinstance(x, jax.core.Tracer) for x in given):
        return call_on_automatic_axes(call, (), *given)
    # Without `jit` JAX refuses (ValueError) to call what has been compiled ahead of time.
    refused = isinstance(error, ValueError) and config.jax_disable_jit
    if isinstance(error, OtherModes) or refused:
        context = own_modes()
    elif isinstance(error, RecursionError):  # while JAX compiles: its calls nest as the program
        context = compiling()
    else:
        raise error
    with context:
        return call(*given)


class Executable(Runnable):
    """Compiled on the first call."""

    __slots__ = ("__weakref__", "donated", "emission", "function", "jitted", "platform")

    def __init__(
        self,
        jitted: Any,
        function: Function,
        packing: Packing,
        alone: bool,
        under_a_trace: bool,
        platform: str,
        donated: tuple[int, ...],
        emission: Emission | None,
    ):
        self.jitted, self.function, self.platform = jitted, function, platform
        self.emission, self.donated = emission, donated
        calls_host = any(map(is_host_call, walk(function.region)))
        shardings = () if emission is None else emission.shardings.all
        super().__init__(jitted, packing, alone, calls_host and not under_a_trace, shardings)

    def lower(
        self,
        where: Any = None,
        platforms: tuple[str, ...] | None = None,
        each: Sequence[Any] = (),
    ) -> jax.stages.Lowered:
        """JAX's ahead-of-time path: the program in StableHLO.

        `where`: the sharding of the arguments, if JAX is not to choose it; `each`: that of each of
        the given ones. `platforms`: for which JAX lowers it, though it has no devices of them.
        """
        avals = self.packing.avals([x.aval for x in self.function.args])
        told = self.packing.given.told_of_each(each) if each else ()
        places = [*told, *[where] * (len(avals) - len(told))]
        with jax.enable_x64(True), own_modes():
            shapes = [
                jax.ShapeDtypeStruct(a.shape, a.dtype, sharding=automatic(place))
                for a, place in zip(avals, places)
            ]
            return self.jitted.trace(*shapes).lower(lowering_platforms=platforms)

    @property
    def vectors(self) -> tuple[Vectors, Vectors, Vectors]:
        """How arguments, hidden ones and results travel."""
        return self.packing.given, self.packing.hidden, self.packing.results

    @property
    def shapes(self) -> list[jax.ShapeDtypeStruct]:
        """Of the arguments, as they travel."""
        avals = self.packing.avals([x.aval for x in self.function.args])
        return [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]

    def compile(self, lowered: jax.stages.Lowered | None = None) -> Compiled:
        """RuntimeError: this process has no device of the platform."""
        where = None
        if self.platform not in (ANY, default_platform()):
            devices = devices_of(self.platform)
            if not devices:
                raise RuntimeError(NO_DEVICE.format(self.platform))
            where = jax.sharding.SingleDeviceSharding(devices[0])
        lowered = lowered or self.lower(where)
        with jax.enable_x64(True):
            return Compiled(
                lowered.compile(), self.packing, self.alone, self._calls_host, self._shardings
            )


def _emitted(
    function: Function, elsewhere: Function, common: Rules, platform: str
) -> tuple[Callable, dict[str, bool | str] | None]:
    """The program for a platform, and XLA's compiler options; `common`: the rules of all."""
    if platform == "cpu":
        rules = common | rules_for_cpu(function)
        program = by_devices(emit(function, rules), emit(elsewhere, common))
        return _named(program, function), rules.compiler_options
    others = emit(elsewhere, common)
    if platform != ANY or not has_cpu_rules(function):
        return others, None
    cpu = by_devices(emit(function, common | UNDER_A_TRACE), others)

    def program_for_any(*arrays: Any) -> Any:
        return lax.platform_dependent(*arrays, cpu=cpu, default=others)

    return _named(program_for_any, function), None


def _named(program: Callable, function: Function) -> Callable:
    program.__name__ = program.__qualname__ = function.name
    return program


def _of_these_avals(
    packing: Packing, function: Function, program: Callable, alone: bool
) -> Callable:
    """`program`, which refuses to be traced at other avals; `alone`: it returns its only result.

    JAX traces again only for other avals. So its own look-up at each call is also the check that
    the executable fits the arguments.
    """
    expected = [(a.shape, a.dtype) for a in packing.avals([x.aval for x in function.args])]

    @functools.wraps(program)
    def checked(*arrays: Any) -> Any:
        if [(a.shape, a.dtype) for a in arrays] != expected:
            raise OtherAvals
        results = program(*arrays)
        return results[0] if alone else results

    return checked


class Compiled(Runnable):
    """A program compiled ahead of time, `stage`, for exactly the avals that it was lowered for."""

    __slots__ = ("stage",)

    def __init__(
        self,
        stage: jax.stages.Compiled,
        packing: Packing,
        alone: bool,
        calls_host: bool,
        shardings: Sequence[Any],
    ):
        super().__init__(stage, packing, alone, calls_host, shardings)
        self.stage = stage
