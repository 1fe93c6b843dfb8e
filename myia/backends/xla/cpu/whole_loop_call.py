"""Compiling a whole loop as one LLVM function: XLA's "small call".

Otherwise XLA's CPU backend runs a loop's body op by op, at 30 to 350 ns an op. (Its own pass does
so for loops whose trips touch less than about 1 KB; `executable.py` says why it is off.)

    *ys = loop(0, *xs)           *ys, z = call(*xs)      the two keys in its attributes
                                 *ys, _ = optimization_barrier(*ys, z)
                                 where call(*xs) = *loop(min(z, 0), *xs), z

`z` counts the arguments that are negative, so it depends on all of them. XLA aborts the process on
a small call one of whose parameters nothing reads, and its own simplifications may well remove the
last reader; but it can remove neither a result of a call nor what that result depends on. The
barrier keeps JAX from removing it, and costs nothing: XLA drops it later. `min(z, 0)` is zero, and
makes the loop wait for `z`; otherwise a buffer that the loop writes would be copied for `z`.
The barrier before the call keeps XLA from moving a constant into it, where `z` would be known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import lax
from jax.custom_batching import custom_vmap
from jax.experimental.xla_metadata import set_xla_metadata

from myia.backends.xla.cpu.opaque_values import ZERO, number_of_negative

Array = Any


def whole_loop_call(loop: Callable[..., Sequence[Array]], args: Sequence[Array]) -> Sequence[Array]:
    """`loop(0, *args)` as a call that XLA compiles into one function.

    `loop` starts counting at its first argument and reads no other array; no argument is empty. It
    may be called later again: under `jax.vmap` it is compiled as any loop.
    Both keys are needed: without the second the call is inlined, and the first is lost with it.
    """

    def whole(*args: Array) -> tuple[Array, ...]:
        z = number_of_negative(args)
        return (*loop(lax.min(z, ZERO), *args), z)

    @custom_vmap
    def call(*args: Array) -> tuple[Array, ...]:
        with set_xla_metadata(xla_cpu_small_call="true", inlineable="false"):
            results = jax.jit(whole)(*lax.optimization_barrier(args))
        return lax.optimization_barrier(results)

    @call.def_vmap
    def batched(size, in_batched, *args):
        """A batch of trips is more than XLA compiles into one function."""
        axes = [0 if b else None for b in in_batched]
        results = jax.vmap(whole, axes, axis_size=size)(*args)
        return results, (True,) * len(results)

    return call(*args)[:-1]
