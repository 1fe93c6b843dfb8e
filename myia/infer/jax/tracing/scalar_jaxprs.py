"""Jaxprs of scalars, as reductions and scatters carry them, applied to each element of arrays.

    { lambda ; a:f64[] b:f64[]. let c:f64[] = add a b in (c,) }  on f64[3], f64[3]
      ->  %c: f64[3] = add %a %b

`jax.vmap` maps the jaxpr over one axis, and the mapped jaxpr is translated.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax
from jax.extend.core import ClosedJaxpr, Jaxpr, jaxpr_as_fun

from myia.infer.jax.tracing.translate import translate
from myia.ir.core import Value
from myia.primitives.arrays.shaping import reshape


def translate_pointwise(jaxpr: Jaxpr, consts: Sequence, operands: Sequence[Value]) -> list[Value]:
    """The results of `jaxpr`, a function of scalars, for each element of arrays of one shape."""
    shape, size = operands[0].shape, operands[0].aval.size
    rows = [jax.ShapeDtypeStruct((size,), x.dtype) for x in operands]
    with jax.enable_x64(True):
        mapped = jax.make_jaxpr(jax.vmap(jaxpr_as_fun(ClosedJaxpr(jaxpr, consts))))(*rows)
    results = translate(mapped, [reshape(x, shape=(size,)) for x in operands])
    return [reshape(y, shape=shape) for y in results]
