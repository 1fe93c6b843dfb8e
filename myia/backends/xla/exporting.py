"""Exported programs: an executable as StableHLO for a file, and an executable of it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.export

from myia.backends.xla.emit import emit
from myia.backends.xla.executable import Executable, OtherAvals
from myia.backends.xla.modes import own_modes, traced
from myia.backends.xla.packing import Packing
from myia.ir.core import Function
from myia.source.process import compiling


class Interface(NamedTuple):
    """What an exported program is called with: `function` has its avals."""

    function: Function
    packing: Packing
    alone: bool
    donated: tuple[int, ...]
    compiler_options: dict[str, bool | str]


def interface_of(executable: Executable) -> Interface:
    """That of the program which `exported` returns."""
    how = executable.emission
    assert how is not None, "only of a program that was compiled here"
    packing, alone = executable.packing, executable.alone
    options = how.compiler_options
    return Interface(executable.function, packing, alone, executable.donated, options)


def exported(executable: Executable) -> jax.export.Exported:
    """The program as it runs here: for this platform, to be compiled with the options of its
    emission."""
    with jax.enable_x64(True), own_modes(), compiling():
        how = jax.export.export(executable.jitted, platforms=[executable.platform])
        return how(*executable.shapes)


def exported_plain(executable: Executable, platforms: Sequence[str]) -> jax.export.Exported:
    """The program for plain JAX: without the rules of a CPU, and without compiler options."""
    how = executable.emission
    assert how is not None, "only of a program that was compiled here"
    several = executable.packing.program(emit(how.elsewhere, how.common))

    def program(*arrays: Any) -> Any:
        results = several(*arrays)
        return results[0] if executable.alone else results

    program.__name__ = program.__qualname__ = executable.function.name
    with jax.enable_x64(True), own_modes(), compiling():
        return jax.export.export(jax.jit(program), platforms=platforms)(*executable.shapes)


def executable_of(
    call: Callable[..., Any], platform: str, like: Executable | None, interface: Interface
) -> Executable:
    """The executable of a program that was exported for this platform; `like`: the one that it was
    exported from, in the same process."""
    function, packing, alone = interface.function, interface.packing, interface.alone
    avals = packing.avals([x.aval for x in function.args])
    expected = [(a.shape, a.dtype) for a in avals]

    def program(*arrays: Any) -> Any:
        if [(a.shape, a.dtype) for a in arrays] != expected:
            raise OtherAvals
        return call(*arrays)

    program.__name__ = program.__qualname__ = function.name
    jitted = jax.jit(
        traced(program),
        donate_argnums=interface.donated,
        compiler_options=interface.compiler_options or None,
    )
    emission = None if like is None else like.emission
    donated = interface.donated
    return Executable(jitted, function, packing, alone, False, platform, donated, emission)
