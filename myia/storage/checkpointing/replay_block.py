"""The replay block of online checkpointing: buffers with the residuals of one block of iterations.

Where a carry and its value after the iteration are both residuals, the second is the first one's
residual of the next iteration. The two share a buffer with one more row, which is written when the
block ends.

    row     0    1    2    3    4
    x       x0   x1   x2   x3   x4         residuals of iteration 2: x2, and f(x2) = x3
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from myia.ir.core import Value
from myia.primitives.arrays.rows import read_row, rows_aval, write_row
from myia.primitives.arrays.shaping import broadcast
from myia.primitives.core.define import constant, zeros
from myia.primitives.pointwise.arithmetic import add
from myia.primitives.pointwise.logic import select
from myia.storage.residuals.record_or_recompute import SplitAdjoint


class ReplayBlock:
    """`successors` are pairs of residuals (x, y) such that y is x in the next iteration."""

    def __init__(self, split: SplitAdjoint, successors: Mapping[int, int]):
        self.split = split
        self.predecessors = {y: x for x, y in successors.items()}
        # The residuals with a buffer of their own: of a pair the first one.
        self.columns = [i for i in range(len(split.residuals)) if i not in self.predecessors]
        self.avals = [split.residuals[i].aval for i in self.columns]
        # buffer of a pair -> position of the carry that it holds
        self.paired = {
            self.columns.index(x): split.carry_args.index(split.residuals[x]) for x in successors
        }

    @property
    def bytes_per_iteration(self) -> int:
        return sum(aval.nbytes for aval in self.avals)

    @property
    def extra_bytes(self) -> int:
        """Bytes of the last rows of pairs."""
        return sum(self.avals[i].nbytes for i in self.paired)

    def initial_carries(self, block_length: int) -> list[Value]:
        """Empty buffers for the residuals of `block_length` iterations."""
        rows = [block_length + (i in self.paired) for i in range(len(self.avals))]
        return [zeros(rows_aval(aval, n)) for aval, n in zip(self.avals, rows)]

    def record(
        self, buffers: Sequence[Value], k: Value, replayed: Sequence[Value], row: Value
    ) -> list[Value]:
        """The buffers with the residuals of iteration `k`, which starts with these carries."""
        residuals = self.split.emit_residuals(k, replayed)
        return [write_row(b, residuals[i], row) for b, i in zip(buffers, self.columns)]

    def end(
        self,
        buffers: Sequence[Value],
        row: Value,
        xs: Mapping[int, Value] | Sequence[Value],
        unless: Value | None = None,
    ) -> list[Value]:
        """The buffers with the last rows of pairs: the carries `xs` after the last iteration.

        `unless`: a condition under which the rows are left as they are.
        """
        ended = list(buffers)
        for i, carry in self.paired.items():
            x = xs[carry]
            if unless is not None:
                unchanged = broadcast(unless, shape=x.shape, dims=())
                x = select(unchanged, read_row(buffers[i], row), x)
            ended[i] = write_row(buffers[i], x, row)
        return ended

    def read(self, buffers: Sequence[Value], row: Value) -> list[Value]:
        """The residuals of the iteration in this row."""
        buffer = dict(zip(self.columns, buffers))
        next_row = add(row, constant(1, row.dtype))
        return [
            read_row(buffer[self.predecessors[i]], next_row)
            if i in self.predecessors
            else read_row(buffer[i], row)
            for i in range(len(self.split.residuals))
        ]
