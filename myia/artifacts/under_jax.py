"""A saved program in a function that JAX transforms: one primitive, which `jax.jit` compiles.

JAX's own errors for a derivative or a batch of an exported function name neither the program nor a
way out; these do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.export
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

REFUSED = (
    "a saved program has no {0}: save {1} beside it (`myia.save(path, *programs)`), or take it of "
    "the function"
)

saved_p = Primitive("myia_saved")
saved_p.multiple_results = True


def call_under_jax(exported: jax.export.Exported, arrays: Sequence[Any]) -> Sequence[Any]:
    """The results of an exported program of flat arrays, some of which are tracers."""
    found: Sequence[Any] = saved_p.bind(*arrays, exported=exported)
    return found


def _run(*arrays: Any, exported: jax.export.Exported) -> Sequence[Any]:
    found = exported.call(*arrays)
    return found if isinstance(found, (tuple, list)) else [found]


def _refuse_derivative(primals: Any, tangents: Any, *, exported: Any) -> Any:
    raise TypeError(REFUSED.format("derivative", "the program of `myia.value_and_grad(f)`"))


def _refuse_batch(arrays: Any, axes: Any, *, exported: Any) -> Any:
    raise TypeError(REFUSED.format("batches", "the program of `myia.vmap(f)`"))


saved_p.def_impl(_run)
saved_p.def_abstract_eval(lambda *avals, exported: exported.out_avals)
mlir.register_lowering(saved_p, mlir.lower_fun(_run))
ad.primitive_jvps[saved_p] = _refuse_derivative
batching.primitive_batchers[saved_p] = _refuse_batch
