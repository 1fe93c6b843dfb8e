"""Several devices: whether a program is lowered for one device, or to be partitioned among many.

JAX tells only when it lowers: by the shardings of the arguments of a call, those that the user gave
to `jax.jit`, or the mesh of `jax.set_mesh`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.extend.core
import numpy as np
from jax import lax
from jax.interpreters import mlir

from myia.source.process import process_of_xla

_is_partitioned_p = jax.extend.core.Primitive("is_partitioned")
_is_partitioned_p.def_abstract_eval(lambda: jax.core.ShapedArray((), np.dtype(bool)))
_is_partitioned_p.def_impl(lambda: np.False_)


@functools.partial(mlir.register_lowering, _is_partitioned_p)
def _lower(ctx: Any) -> Any:
    count = getattr(ctx.module_context.axis_context, "num_devices", None)
    return [mlir.ir_constant(np.bool_(count != 1))]  # None: inside of `jax.shard_map`


@functools.cache
def has_several_devices() -> bool:
    """Are there several devices, here or in the other processes? Starts JAX's backends."""
    process_of_xla()
    return jax.device_count() > 1


def by_devices(one: Callable[..., Any], several: Callable[..., Any]) -> Callable[..., Any]:
    """`one` where the program is lowered for one device, `several` where XLA partitions it.

    JAX drops the other one before XLA sees it.
    """
    if not has_several_devices():
        return one
    return lambda *arrays: lax.cond(_is_partitioned_p.bind(), several, one, *arrays)
