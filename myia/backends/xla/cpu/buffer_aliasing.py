"""Buffer aliasing: which values may share a buffer, and which buffers are written.

Values are in one class if XLA may keep them in one buffer: the operand and the result of a write or
a reshape, and the values that a loop, branch or call passes on. This is conservative: XLA may still
copy.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Region, Value
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


class Buffers:
    """Classes of values that may share a buffer, by union-find."""

    def __init__(self, region: Region):
        self.parent: dict[Value, Value] = {}
        self.writes: list[Value] = []
        self._visit(region)

    def written(self, x: Value) -> bool:
        buffer = self.of(x)
        return any(self.of(y) is buffer for y in self.writes)

    def of(self, x: Value) -> Value:
        """The representative of the class of `x`."""
        while x in self.parent:
            x = self.parent[x]
        return x

    def join(self, xs: Sequence[Value], ys: Sequence[Value]) -> None:
        for x, y in zip(xs, ys):
            x, y = self.of(x), self.of(y)
            if x is not y:
                self.parent[x] = y

    def _visit(self, region: Region) -> None:
        for op in region.ops:
            if op.primitive in WRITES:
                self.join(op.operands[:1], op.results)
                # A value, not its class: later ops may still join classes.
                self.writes.append(op.operands[0])
            elif op.primitive is reshape:
                self.join(op.operands, op.results)
            elif op.primitive in (if_p, call_p, loop_p):
                for x, y in dataflow_edges(op):
                    self.join([x], [y])
            for inner in op.regions:
                self._visit(inner)
