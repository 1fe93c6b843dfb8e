"""Equations of jaxprs that are special functions, or read numbers as patterns of bits."""

from __future__ import annotations

import numpy as np

from myia.infer.jax.rules.elementwise import pointwise
from myia.infer.jax.tracing.rules import translates
from myia.ir.core import Value
from myia.primitives import bits, logic, special
from myia.primitives.define import constant

for _name, _primitive in {
    "erf": special.erf,
    "erfc": special.erfc,
    "erf_inv": special.erf_inv,
    "lgamma": special.lgamma,
    "digamma": special.digamma,
    "polygamma": special.polygamma,
    "zeta": special.zeta,
    "igamma": special.igamma,
    "igammac": special.igammac,
    "igamma_grad_a": special.igamma_grad_a,
    "regularized_incomplete_beta": special.betainc,
    "bessel_i0e": special.bessel_i0e,
    "bessel_i1e": special.bessel_i1e,
    "population_count": bits.population_count,
    "clz": bits.clz,
    "mulhi": bits.mulhi,
    "nextafter": bits.nextafter,
    "reduce_precision": bits.reduce_precision,
}.items():
    pointwise(_name, _primitive)


@translates("bitcast_convert_type")
def _bitcast(x: Value, *, new_dtype) -> Value:
    return bits.bitcast(x, dtype=new_dtype)


# ----- The total order of floats: -NaN < -inf < ... < -0 < 0 < ... < inf < NaN


def _rank(x: Value) -> Value:
    """An integer that grows with `x` in the total order: the bits, of negative numbers inverted."""
    if x.dtype.kind != "f":
        return x
    pattern = bits.bitcast(x, dtype=f"i{x.dtype.itemsize}")
    magnitude = constant(np.iinfo(pattern.dtype).max, pattern.dtype, x.shape)
    return logic.select(logic.lt(pattern, 0), logic.xor(pattern, magnitude), pattern)


for _name, _compare in {"eq_to": logic.eq, "lt_to": logic.lt, "le_to": logic.le}.items():
    pointwise(_name, lambda x, y, compare=_compare: compare(_rank(x), _rank(y)))
