"""Translation of special functions, and of primitives that read numbers as bit patterns."""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.infer.jax.rules.elementwise import pointwise
from myia.infer.jax.tracing.rules import translation_rule
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import bits, logic
from myia.primitives.special import gamma_bessel

for _name, _primitive in {
    "erf": gamma_bessel.erf,
    "erfc": gamma_bessel.erfc,
    "erf_inv": gamma_bessel.erf_inv,
    "lgamma": gamma_bessel.lgamma,
    "digamma": gamma_bessel.digamma,
    "polygamma": gamma_bessel.polygamma,
    "zeta": gamma_bessel.zeta,
    "igamma": gamma_bessel.igamma,
    "igammac": gamma_bessel.igammac,
    "igamma_grad_a": gamma_bessel.igamma_grad_a,
    "regularized_incomplete_beta": gamma_bessel.betainc,
    "bessel_i0e": gamma_bessel.bessel_i0e,
    "bessel_i1e": gamma_bessel.bessel_i1e,
    "population_count": bits.population_count,
    "clz": bits.clz,
    "mulhi": bits.mulhi,
    "nextafter": bits.nextafter,
    "reduce_precision": bits.reduce_precision,
}.items():
    pointwise(_name, _primitive)


@translation_rule("bitcast_convert_type")
def _bitcast(x: Value, *, new_dtype: Any) -> Value:
    return bits.bitcast(x, dtype=new_dtype)


# ----- The total order of floats: -NaN < -inf < ... < -0 < 0 < ... < inf < NaN


def _total_order_key(x: Value) -> Value:
    """An integer in the total order of `x`: its bits, inverted for negative numbers."""
    if x.dtype.kind != "f":
        return x
    pattern = bits.bitcast(x, dtype=f"i{x.dtype.itemsize}")
    magnitude = constant(np.iinfo(pattern.dtype).max, pattern.dtype, x.shape)
    return logic.select(logic.lt(pattern, 0), logic.xor(pattern, magnitude), pattern)


for _name, _compare in {"eq_to": logic.eq, "lt_to": logic.lt, "le_to": logic.le}.items():
    pointwise(
        _name, lambda x, y, compare=_compare: compare(_total_order_key(x), _total_order_key(y))
    )
