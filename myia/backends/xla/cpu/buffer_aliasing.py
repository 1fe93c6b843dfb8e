"""Buffer aliasing: which values may share a buffer, and which buffers are written.

Values are in one class if XLA may keep them in one buffer: the operand and the result of a write or
a reshape, and the values that a loop, branch or call passes on. This is conservative: XLA may still
copy.
"""

from __future__ import annotations

from myia.ir.core import Region, Value, walk
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_add,
    dynamic_update_slice,
)
from myia.primitives.arrays.gather import gather, scatter_add
from myia.primitives.arrays.scattering import scatter, scatter_max, scatter_min, scatter_mul
from myia.primitives.arrays.shaping import reshape, slice
from myia.primitives.core.region_dataflow import dataflow_edges
from myia.primitives.core.structured import call_p, if_p, loop_p
from myia.rewriting.value_classes import ValueClasses

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


class Buffers(ValueClasses):
    """Classes of values that may share a buffer."""

    def __init__(self, region: Region):
        super().__init__()
        self.writes: list[Value] = []
        for op in walk(region):
            if op.primitive in WRITES or op.primitive is reshape:
                self.unite(op.operands[0], op.results[0])
            elif op.primitive in (if_p, call_p, loop_p):
                for x, y in dataflow_edges(op):
                    self.unite(x, y)
            if op.primitive in WRITES:
                # A value, not its class: later ops may still unite classes.
                self.writes.append(op.operands[0])

    def written(self, x: Value) -> bool:
        buffer = self.of(x)
        return any(self.of(y) is buffer for y in self.writes)
