"""An array computed in blocks of rows, each small enough for the cache.

    %d = sub %a, (dot_general %x, %y)      ->      loop over blocks: rows of %a and %x,
    extrema of the rows of %d                      their rows of %d, the extrema of these

Only what is computed from the rows is stored. The array would be memory that no call has used yet.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from myia.ir.avals import I64
from myia.ir.builder import emit, emit1
from myia.ir.core import Op, Value
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.reductions import lone_extremum_p
from myia.primitives.arrays.shaping import broadcast, reduce_sum, transpose
from myia.primitives.core.define import PointwisePrimitive, constant, constant_p, empty
from myia.primitives.core.emit_structured import loop
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import min as minimum

BLOCK_ELEMENTS = 32_768  # of float64: 256 kB, which the second cache holds

RECOMPUTED = (broadcast, transpose, reduce_sum, dot_general, constant_p)


def is_recomputed(op: Op) -> bool:
    return isinstance(op.primitive, PointwisePrimitive) or op.primitive in RECOMPUTED


def extrema_in_blocks(
    d: Value, axis: int, largest: bool, chain: Collection[Op]
) -> tuple[Value, Value]:
    """`lone_extremum` of `d`, which the ops `chain` compute, in blocks along another axis."""
    rows = 0 if axis else 1
    length, made_by = d.shape[rows], {y: op for op in chain for y in op.results}
    count = min(length, max(1, BLOCK_ELEMENTS * length // d.aval.size))
    along = rows - (axis < rows)
    y, index = lone_extremum_p.avals(d.aval, axis=axis, largest=largest)

    def body(k: Value, extrema: Value, indices: Value) -> list[Value]:
        start = minimum(k * count, constant(length - count, I64.dtype))
        block = _Rows(made_by, start, count).of(d, rows)
        found = emit(lone_extremum_p, block, axis=axis, largest=largest)
        place = [constant(0, I64.dtype) for _ in y.shape]
        place[along] = start
        return [dynamic_update_slice(x, u, *place) for x, u in zip((extrema, indices), found)]

    blocks = constant(-(-length // count), I64.dtype)
    extrema, indices = loop([empty(y), empty(index)], body, count=blocks)
    return extrema, indices


class _Rows:
    """Slices of `count` rows from `start` on."""

    def __init__(self, made_by: Mapping[Value, Op], start: Value, count: int):
        self.made_by = made_by
        self.start = start
        self.count = count
        self.found: dict[tuple[Value, int], Value] = {}

    def of(self, x: Value, axis: int) -> Value:
        if (x, axis) not in self.found:
            self.found[x, axis] = self._of(x, axis)
        return self.found[x, axis]

    def _of(self, x: Value, axis: int) -> Value:
        op = self.made_by.get(x)
        shape = (*x.shape[:axis], self.count, *x.shape[axis + 1 :])
        if op is None:
            start = [constant(0, I64.dtype) for _ in shape]
            start[axis] = self.start
            return dynamic_slice(x, *start, sizes=shape)
        if op.primitive is constant_p:
            return constant(op.params["value"], x.dtype, shape)
        if op.primitive is broadcast:
            return self._of_broadcast(op, axis, shape)
        if op.primitive is transpose:
            permutation = op.params["permutation"]
            return transpose(self.of(op.operands[0], permutation[axis]), permutation=permutation)
        if op.primitive is reduce_sum:
            axes = op.params["axes"]
            kept = [i for i in range(op.operands[0].aval.ndim) if i not in axes]
            return reduce_sum(self.of(op.operands[0], kept[axis]), axes=axes)
        if op.primitive is dot_general:
            return self._of_dot(op, axis)
        return emit1(op.primitive, *(self.of(y, axis) for y in op.operands), **op.params)

    def _of_broadcast(self, op: Op, axis: int, shape: tuple[int, ...]) -> Value:
        (x,), dims = op.operands, op.params["dims"]
        if axis in dims and x.shape[dims.index(axis)] != 1:
            x = self.of(x, dims.index(axis))
        return broadcast(x, shape=shape, dims=dims)

    def _of_dot(self, op: Op, axis: int) -> Value:
        (x, y), batch, contract = op.operands, op.params["batch"], op.params["contract"]
        free = [
            [i for i in range(v.aval.ndim) if i not in (*batch[k], *contract[k])]
            for k, v in enumerate((x, y))
        ]
        shared = len(batch[0])
        if axis < shared:
            x, y = self.of(x, batch[0][axis]), self.of(y, batch[1][axis])
        elif axis < shared + len(free[0]):
            x = self.of(x, free[0][axis - shared])
        else:
            y = self.of(y, free[1][axis - shared - len(free[0])])
        return dot_general(x, y, batch=batch, contract=contract)
