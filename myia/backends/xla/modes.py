"""JAX's modes and the process: how a program is traced in them, and what their errors mean."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax

from myia.backends.xla.explicit_axes import refuse_explicit_axes
from myia.primitives.core.host_calls import host_exception
from myia.source import progress
from myia.source.process import compiling, process_of_xla

FORKED = (
    "XLA cannot compile in a process made by `os.fork` from one in which it has started: call the "
    "function with such arguments before the fork, or start processes by 'spawn' or 'forkserver' "
    "(multiprocessing.get_context)"
)
TRANSFER = (
    "`jax_transfer_guard` forbids passing NumPy arrays and Python numbers, as arguments or as "
    "globals that the program reads: pass `jax.Array`s (jax.device_put), or allow it "
    '(with jax.transfer_guard_host_to_device("allow"))'
)
ORDERED = (
    "a program that prints, or that JAX must call the host from in order, runs on one device: on "
    "several, return what is to be printed"
)
DONATED = "a donated array is passed, or read, under another name too: pass a copy"

XLA_HAS_COMPILED = "/jax/core/compile/backend_compile_duration"  # an event of JAX's


def _on_event(event: str, *_: object, **__: object) -> None:
    if event == XLA_HAS_COMPILED:
        progress.compiled_by_xla()


jax.monitoring.register_event_duration_secs_listener(_on_event)


class OtherModes(Exception):
    """A program was called in a mode of JAX in which it is not traced: enter `own_modes`."""


def _scope_of_64_bits() -> tuple[Callable[[bool], Any], Callable[[Any], None]]:
    """How `jax.enable_x64(x)` is entered, as `enter(x)`, and left, at a fifth of its cost where
    JAX's state can be swapped itself."""
    state: Any = jax.enable_x64
    swap, restore = getattr(state, "swap_local", None), getattr(state, "set_local", None)
    if swap and restore and not getattr(state, "_update_thread_local_hook", True):
        return swap, restore

    def enter(is_on: bool) -> Any:
        scope = jax.enable_x64(is_on)
        scope.__enter__()
        return scope

    return enter, lambda scope: scope.__exit__(None, None, None)


enter_64_bits, leave_64_bits = _scope_of_64_bits()


@contextmanager
def own_modes() -> Iterator[None]:
    """The modes in which programs are traced, whatever those of the user.

    Without `jit` JAX would call the program with Python's numbers, and run loops one op at a time.
    The check for leaked tracers takes those in the emitter's table for leaks.
    """
    with jax.disable_jit(False), jax.check_tracer_leaks(False):
        yield


def traced(program: Callable) -> Callable:
    """`program` as JAX is to trace it; `OtherModes` where it is called in other modes."""

    @functools.wraps(program)
    def run(*arrays: Any) -> Sequence[Any]:
        config: Any = jax.config  # its options are not declared
        if config.jax_disable_jit or config.jax_check_tracer_leaks:
            raise OtherModes
        _refuse_in_forked_process()
        refuse_explicit_axes(arrays)
        progress.stage("emission")
        with compiling():
            results = program(*arrays)
        progress.stage(progress.BY_XLA)
        return results

    return run


def _refuse_in_forked_process() -> None:
    if process_of_xla() != os.getpid():
        raise RuntimeError(FORKED)


def explain_ordered(error: ValueError) -> None:
    """Raise a clearer error where JAX refuses effects that have an order."""
    if "ordered effects are not supported" in str(error):
        raise ValueError(ORDERED) from None


def explain(error: jax.errors.JaxRuntimeError) -> None:
    """Raise a clearer error, where there is one. JAX has no class of exceptions for these."""
    raised = host_exception(error)
    if raised is not None:
        chain = raised.__cause__, raised.__context__, raised.__suppress_context__
        try:
            raise raised
        finally:  # not JAX's error, but what the user's function has chained
            raised.__cause__, raised.__context__, raised.__suppress_context__ = chain
    text = str(error)
    if "previously donated" in text or "donate the same buffer" in text:
        raise ValueError(DONATED) from error
    if "RESOURCE_EXHAUSTED" in text:
        raise MemoryError(text) from error
    if "Disallowed host-to-device transfer" in text:
        raise RuntimeError(TRANSFER) from error
