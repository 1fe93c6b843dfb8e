"""Values of many arrays, used several times: a barrier ends the fusion after them.

    x = x + f(x)       one line for each layer of a network

XLA fuses additions with all that uses them. `f` of layer 50 then adds up the results of 50 layers,
as often as it uses `x`: compiling takes time in proportion to the square of the layers.
"""

from __future__ import annotations

from collections import Counter

from myia.ir.core import Op, Region, Value, reads, walk
from myia.primitives.arrays import shaping
from myia.primitives.core.define import PointwisePrimitive

# Arrays that one fusion reads. Measured for residual networks: 4 to 16 compile in the same time.
_MAX_ARRAYS = 16
_FUSED_MOVES = {shaping.broadcast, shaping.reshape, shaping.transpose}


def ends_of_long_sums(region: Region) -> frozenset[Op]:
    """The ops of the region, and of the regions in it, after which a barrier ends a fusion."""
    ends = set(_ends(region))
    for op in walk(region):
        for inner in op.regions:
            ends.update(_ends(inner))
    return frozenset(ends)


def _ends(region: Region) -> set[Op]:
    uses = Counter(x for op in region.ops for x in set(reads(op)))
    ends: set[Op] = set()
    arrays: dict[Value, int] = {}  # what a value is computed of: a bit for each array
    for op in region.ops:
        fused = _is_fused(op)
        found = 0
        for x in op.operands if fused else ():
            # What was not defined in this region is an array that is there.
            found |= arrays.setdefault(x, 1 << len(arrays) if x.aval.size > 1 else 0)
        is_long = fused and found.bit_count() > _MAX_ARRAYS and op.results[0].aval.size
        if is_long and uses[op.results[0]] > 1:
            ends.add(op)
            fused = False
        for x in op.results:
            arrays[x] = found if fused else 1 << len(arrays) if x.aval.size > 1 else 0
    return ends


def _is_fused(op: Op) -> bool:
    return isinstance(op.primitive, PointwisePrimitive) or op.primitive in _FUSED_MOVES
