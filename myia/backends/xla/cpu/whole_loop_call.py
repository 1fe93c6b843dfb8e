"""Whole loop calls: a loop is emitted as one LLVM function, by XLA's "small call" attribute.

Otherwise XLA's CPU backend runs the body of a loop op by op, at 30 to 350 ns an op. XLA's own pass
makes such calls only for loops that touch less than about 1 KB an iteration, and is off in programs
with region analysis (`emission_options.py` says why).

    *ys = loop(0, *xs)           *ys, z = call(*xs)      with two attributes
                                 *ys, _ = optimization_barrier(*ys, z)
                                 where call(*xs) = *loop(min(z, 0), *xs), z

XLA aborts the process on a small call with a parameter that nothing reads, and its simplifications
may remove the last reader of one. It cannot remove a result of a call, nor what that depends on. So
the call has one more result `z`, the number of arguments that begin with a negative number, which
depends on all arguments. The barrier after the call keeps JAX from removing `z`; it is free, since
XLA drops it later. `min(z, 0)` is zero: the loop depends on `z`, or XLA would copy the buffers
that the loop writes to compute `z` from them. The barrier before the call keeps XLA from moving
constants into it, where `z` would be known.
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
    """`loop(0, *args)` as a call that XLA emits as one function.

    `loop` counts from its first argument and reads no array but its arguments, none of them empty.
    Under `jax.vmap` it is called once more, and emitted as any loop. Both attributes are needed:
    without the second the call is inlined, and the first is lost with it.
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
    def batched(size: int, in_batched: Sequence[bool], *args: Array) -> tuple[Any, Any]:
        """A batch exceeds the limits of what XLA emits as one function."""
        axes = [0 if b else None for b in in_batched]
        results = jax.vmap(whole, axes, axis_size=size)(*args)
        return results, (True,) * len(results)

    return call(*args)[:-1]
