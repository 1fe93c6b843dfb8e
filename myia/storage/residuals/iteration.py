"""One trip, seen twice: in the body of the forward loop, and as the adjoint runs it again."""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Region, Value
from myia.rewriting.value_numbering import Numbering
from myia.storage.residuals.record_or_recompute import Cut


class Trip:
    """`body` is that of the forward loop, where the carries of the `rev` are at `mapping`."""

    def __init__(self, cut: Cut, body: Region, mapping: Sequence[int]):
        self.cut, self.body, self.mapping = cut, body, mapping
        self.numbering = Numbering()
        k, *xs = body.args
        self.numbering.set_equal(cut.parts.adjoint.args[0], k)
        for x, i in zip(cut.xs, mapping, strict=True):
            self.numbering.set_equal(x, xs[i])
        self.numbering.visit(body.ops)
        forward = set(self.numbering.numbers_of(y for op in body.ops for y in op.results))
        self.numbering.visit(cut.primal)
        # What the forward loop does not compute anyhow: to leave it to the adjoint costs nothing.
        self.only_in_adjoint = {
            op for op in cut.primal if forward.isdisjoint(self.numbering.numbers_of(op.results))
        }
        self.foreign = {y for op in self.only_in_adjoint for y in op.results}
        self.yields = set(self.numbering.numbers_of(body.yields[i] for i in mapping))

    def discount(self, x: Value) -> float:
        """What the next trip starts with may be recorded anyhow; what is foreign is extra work."""
        if x in self.foreign:
            return 1.05
        return 0.6 if self.numbering.number(x) in self.yields else 1.0

    def successors(self, records: Sequence[Value]) -> dict[int, int]:
        """Pairs of positions in `records`: a carry, and the value that it has in the next trip."""
        number = self.numbering.number
        next_trip = {x: number(self.body.yields[i]) for x, i in zip(self.cut.xs, self.mapping)}
        found: dict[int, int] = {}
        for i, x in enumerate(records):
            for j, y in enumerate(records):
                paired = {*found, *found.values()}
                follows = x in next_trip and number(y) == next_trip[x]
                if follows and i != j and paired.isdisjoint((i, j)):
                    found[i] = j
        return found
