"""Options with which JAX compiles a test's oracle quickly: that takes nearly all of its time."""

from __future__ import annotations

import jax
import jax.numpy as jnp


def _exists(option: str) -> bool:
    try:
        jax.jit(jnp.negative, compiler_options={option: False})(1.0)
    except jax.errors.JaxRuntimeError:
        return False
    return True


QUICKLY: dict[str, int | bool] = {"xla_backend_optimization_level": 0}
# Without fusion's emitters it takes less than half of the time. Later jaxlibs, 0.11.1 the first,
# cannot turn them off.
if _exists("xla_cpu_use_fusion_emitters"):
    QUICKLY["xla_cpu_use_fusion_emitters"] = False
