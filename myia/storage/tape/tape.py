"""The tape: one buffer per residual, written at k in the forward loop, read at k in the adjoint
loop.

It is used for loops whose count has a static bound that fits the limits, and for those that record
nothing. Masks of large arrays share a buffer, with a bit for each element (`packed_masks.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, prod

from myia.ir.core import Value
from myia.primitives.arrays.dynamic_slices import static_indices
from myia.primitives.arrays.rows import read_row, rows_aval, write_row
from myia.primitives.core.define import empty, zeros
from myia.primitives.core.emit_structured import loop
from myia.primitives.pointwise.arithmetic import add, sub
from myia.storage.model.memory_limits import Limits
from myia.storage.residuals.record_or_recompute import SplitAdjoint
from myia.storage.tape.packed_masks import PackedMasks, group_masks


class Tape:
    """The buffers of a loop that records all iterations.

    `initial_carries` and `updated_carries` are further carries of the forward loop; `adjoint_loop`
    reads them.

    `successors` are pairs of residuals (x, y) such that y is x in the next iteration. They share a
    buffer with one more row: x is read at k, y at k + 1.

    `is_inner`: the loop is in another one. Its buffers are then not cleared for each execution, and
    its masks are not packed, nor are those that an inner loop records: inner loops write rows of
    the outer tape in place (`copy_elision.py`).
    """

    def __init__(
        self,
        split: SplitAdjoint,
        capacity: int | None,
        successors: Mapping[int, int],
        limits: Limits,
        is_inner: bool = False,
    ):
        self.split = split
        self.capacity = capacity
        self.new_buffer = empty if is_inner else zeros
        self.successors = successors
        self.predecessors = {y: x for x, y in successors.items()}
        self.packed_masks = {} if is_inner else self._packed_masks(limits)
        packed = {i for group in self.packed_masks for i in group}
        # The residuals with a buffer of their own: of a pair the second one.
        rest = [i for i in range(len(split.residuals)) if i not in packed]
        self.columns = [i for i in rest if i not in successors]

    def _packed_masks(self, limits: Limits) -> dict[tuple[int, ...], PackedMasks]:
        """group of residuals that share bytes -> layout"""
        from_inner_loops = {y for op in self.split.primal if op.regions for y in op.results}
        candidates = {
            i: x.aval
            for i, x in enumerate(self.split.residuals)
            if x not in from_inner_loops and i not in self.successors and i not in self.predecessors
        }
        min_per_iteration, min_in_all = limits.min_packed_elements
        groups = group_masks(candidates, min_per_iteration)
        elements = sum(masks.count * prod(masks.shape) for masks in groups.values())
        return groups if elements * (self.capacity or 0) >= min_in_all else {}

    @property
    def rows(self) -> int:
        """The iterations for which there is room."""
        assert self.capacity is not None
        return self.capacity

    @property
    def bytes_per_iteration(self) -> int:
        """Rounded up where iterations share bytes."""
        packed = sum(
            ceil(prod(masks.shape) / masks.iterations_per_row)
            for masks in self.packed_masks.values()
        )
        return packed + sum(self.split.residuals[i].aval.nbytes for i in self.columns)

    @property
    def recompute_ns(self) -> float:
        return self.split.recompute_ns

    @property
    def nbytes(self) -> int:
        own = sum(self.split.residuals[i].aval.nbytes for i in self.columns)
        avals = [masks.buffer_aval(self.rows) for masks in self.packed_masks.values()]
        return sum(aval.nbytes for aval in avals) + (self.rows * own if own else 0)

    # ----- Forwards

    def initial_carries(self) -> list[Value]:
        packed = [
            self.new_buffer(masks.buffer_aval(self.rows)) for masks in self.packed_masks.values()
        ]
        return [*(self._initial_buffer(i) for i in self.columns), *packed]

    def _initial_buffer(self, i: int) -> Value:
        aval = self.split.residuals[i].aval
        if i not in self.predecessors:
            return self.new_buffer(rows_aval(aval, self.rows))
        carry = self.split.carry_args.index(self.split.residuals[self.predecessors[i]])
        start, (zero,) = self.split.rev.carries[carry], static_indices([0])
        return write_row(self.new_buffer(rows_aval(aval, self.rows + 1)), start, zero)

    def updated_carries(
        self, k: Value, xs: Sequence[Value], buffers: Sequence[Value]
    ) -> list[Value]:
        """The buffers with the residuals of iteration `k`, which starts with the carries `xs`."""
        residuals = self.split.emit_residuals(k, [xs[i] for i in self.split.replayed_carries])
        n = len(self.columns)
        own = [
            write_row(b, residuals[i], self._row(i, k)) for b, i in zip(buffers[:n], self.columns)
        ]
        packed = [
            masks.write(b, [residuals[i] for i in group], k)
            for b, (group, masks) in zip(buffers[n:], self.packed_masks.items(), strict=True)
        ]
        return own + packed

    def _row(self, i: int, k: Value) -> Value:
        return add(k, 1) if i in self.predecessors else k

    # ----- Backwards

    def adjoint_loop(
        self,
        trip_count: Value,
        buffers: Sequence[Value],
        cotangents: Sequence[Value],
        _: Sequence[Value],
    ) -> Sequence[Value]:
        def adjoint(j: Value, *cotangents: Value) -> list[Value]:
            k = sub(sub(trip_count, 1), j)
            return self.split.emit_adjoint(k, self._residuals(buffers, k), cotangents)

        return loop(cotangents, adjoint, count=trip_count, bound=self.capacity)

    def _residuals(self, buffers: Sequence[Value], k: Value) -> list[Value]:
        """The residuals of iteration `k`."""
        n = len(self.columns)
        buffer = dict(zip(self.columns, buffers[:n]))
        buffer |= {x: buffer[y] for x, y in self.successors.items()}
        found = {i: read_row(b, self._row(i, k)) for i, b in buffer.items()}
        for b, (group, masks) in zip(buffers[n:], self.packed_masks.items(), strict=True):
            found.update(zip(group, masks.read(b, k), strict=True))
        return [found[i] for i in range(len(found))]
