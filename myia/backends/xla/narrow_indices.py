"""Indices of 32 bits, for programs that are called by functions that JAX compiles.

JAX's rules may run after our trace, in the mode of the user. Without 64-bit mode they make bounds
of int32 for our int64 indices, and fail:

    dynamic_slice %a, %i           lax.dynamic_slice(a, [int32(i)], ...)

Indices into an axis of 2**31 and more elements stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jax import lax

from myia.ir.core import Op
from myia.ir.primitive import Primitive
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_add,
    dynamic_update_slice,
)
from myia.primitives.arrays.gather import gather, scatter_add
from myia.primitives.arrays.scattering import scatter, scatter_max, scatter_min, scatter_mul

# The operands that are indices.
INDICES: dict[Primitive, slice] = {
    dynamic_slice: slice(1, None),
    dynamic_update_slice: slice(2, None),
    dynamic_update_add: slice(2, None),
    **dict.fromkeys((gather, scatter, scatter_add), slice(1, 2)),
    **dict.fromkeys((scatter_max, scatter_min, scatter_mul), slice(1, 2)),
}


def with_narrow_indices(op: Op, operands: Sequence[Any]) -> Sequence[Any]:
    """The operands of an op, with its indices in 32 bits."""
    where = INDICES.get(op.primitive)
    if where is None or max(op.operands[0].shape, default=0) >= 2**31:
        return operands
    operands = list(operands)
    operands[where] = [_narrow(i) for i in operands[where]]
    return operands


def _narrow(i: Any) -> Any:
    if i.dtype != np.int64:
        return i
    return (
        i.astype(np.int32) if isinstance(i, np.generic) else lax.convert_element_type(i, np.int32)
    )
