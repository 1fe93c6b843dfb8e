"""Pointwise arithmetic."""

from __future__ import annotations

import numpy as np
from jax import lax

from myia.primitives.define import pointwise

# ----- Sums and products

neg = pointwise("neg", lax.neg, np.negative, partials=[lambda y, x: -1])
add = pointwise("add", lax.add, np.add, partials=[lambda z, x, y: 1, lambda z, x, y: 1])
sub = pointwise("sub", lax.sub, np.subtract, partials=[lambda z, x, y: 1, lambda z, x, y: -1])
mul = pointwise("mul", lax.mul, np.multiply, partials=[lambda z, x, y: y, lambda z, x, y: x])
