"""Buffer aliasing: which values may share a buffer, and which buffers are written.

Values are in one class (`analysis/array_classes.py`) if XLA may keep them in one buffer. This is
conservative: XLA may still copy.
"""

from __future__ import annotations

from myia.analysis.array_classes import ArrayClasses
from myia.ir.core import Region
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_add,
    dynamic_update_slice,
)
from myia.primitives.arrays.gather import gather, scatter_add
from myia.primitives.arrays.scattering import scatter, scatter_max, scatter_min, scatter_mul
from myia.primitives.arrays.shaping import reshape, slice

READS = frozenset({slice, dynamic_slice, gather})
WRITES = frozenset(
    {
        dynamic_update_add,
        dynamic_update_slice,
        scatter,
        scatter_add,
        scatter_max,
        scatter_min,
        scatter_mul,
    }
)


def buffers_of(region: Region) -> ArrayClasses:
    """Classes of values that XLA may keep in one buffer: a reshape copies nothing, either."""
    return ArrayClasses(region, WRITES | {reshape})
