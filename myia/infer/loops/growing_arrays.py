"""Arrays that a loop makes larger, with a capacity for each axis that grows.

    while x > tol:                            v: f64[64], the first n of them valid
        v = np.append(v, x)                   n + 1 > 64: "more room"

The merge of the start and the end of an iteration gives them the capacities
(`infer/paths/merge_arrays.py`, `infer/capacities.py`). The end of an iteration is cut to them: here
it is checked that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.heap import DynamicArray
from myia.infer.domain.heap_arrays import type_of_array
from myia.infer.dynamic.unbounded import check_room, note_size
from myia.infer.lists.growing_lists import ListGrowth
from myia.infer.paths.merge_result import Outgrown
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic


def check_sizes(ctx: Context, outgrown: Iterable[Outgrown]) -> None:
    """At the end of an iteration: stop the run where an axis is longer than its capacity."""
    for found in outgrown:
        axis = type_of_array(ctx.heap, found.id)[1][found.axis]
        if axis is not None:
            full = logic.gt(axis.length.value, constant(found.size, np.int64))
            check_room(ctx, full, found.site)


def note_sizes(ctx: Context, growth: ListGrowth) -> None:
    """After the loop: note how long the axes have become."""
    for (id, axis), site in growth.rooms.items():
        contents = ctx.heap[id]
        found = contents.dynamic_axes[axis] if isinstance(contents, DynamicArray) else None
        if found is not None:
            note_size(ctx, site, found.length.value)
