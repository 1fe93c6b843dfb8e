"""Fences around the reads of arrays that a loop's body also writes.

    %v = dynamic_slice %a, %k            v = dynamic_slice(a, k)
    %a1 = dynamic_update_slice %a, ...   v = cond(k >= 0, lambda v: v, lambda v: 0, v)
                                         a1 = dynamic_update_slice(a, ...)

XLA's CPU backend duplicates the cheap read into the fusions that use its value. The old array then
outlives the write, and copy insertion protects it with a copy of the whole buffer in every trip: an
O(n) program becomes O(n²). A conditional on something that is true, but not known to be, cannot be
duplicated. It costs 2 to 5 ns (docs/emission.md). `lax.optimization_barrier` does not help: XLA
removes it before it fuses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jax import lax

from myia.ir.core import Op, Region, Value
from myia.primitives.indexing import gather, scatter, scatter_add
from myia.primitives.shaping import reshape, slice
from myia.primitives.structured import Loop, call_p, if_p, loop_p
from myia.primitives.windows import dynamic_slice, dynamic_update_slice

READS = frozenset({slice, dynamic_slice, gather})
WRITES = frozenset({dynamic_update_slice, scatter, scatter_add})


def fence(alive: Any, values: Sequence[Any]) -> Sequence[Any]:
    """`values`, computed before anything that depends on them; `alive` is a run-time true."""
    return lax.cond(
        alive, lambda *vs: vs, lambda *vs: tuple(lax.full_like(v, 0) for v in vs), *values
    )


def reads_to_fence(body: Region) -> frozenset[Op]:
    """The ops of a loop's body that read an array which the body writes.

    The reads of a loop nested in it are that loop's own affair: XLA does not duplicate a loop.
    """
    buffers = _Buffers(body)
    reads = [op for op in _own_ops(body) if op.primitive in READS and buffers.written(op)]
    return frozenset() if _feed_one_write(reads, body) else frozenset(reads)


def _own_ops(region: Region) -> Iterator[Op]:
    """The ops that run once per trip: those of branches and calls, but not of inner loops."""
    for op in region.ops:
        yield op
        if op.primitive is not loop_p:
            for inner in op.regions:
                yield from _own_ops(inner)


def _feed_one_write(reads: Sequence[Op], body: Region) -> bool:
    """True when a single write, and nothing else, depends on the reads: XLA fuses that in place."""
    writes = [op for op in body.ops if op.primitive in WRITES]
    if len(writes) != 1 or any(op.regions for op in body.ops):
        return False
    tainted = {y for op in reads for y in op.results}
    for op in body.ops:
        if op is not writes[0] and not tainted.isdisjoint(op.operands):
            tainted.update(op.results)
    return tainted.isdisjoint(body.yields)


class _Buffers:
    """Values that may share a buffer, in classes (union-find), and which classes are written."""

    def __init__(self, body: Region):
        self.parent: dict[Value, Value] = {}
        self.writes: list[Value] = []
        self.join(body.args[1:], body.yields)
        self.visit(body)

    def written(self, read: Op) -> bool:
        buffer = self.find(read.operands[0])
        return any(self.find(x) is buffer for x in self.writes)

    def find(self, x: Value) -> Value:
        while x in self.parent:
            x = self.parent[x]
        return x

    def join(self, xs: Sequence[Value], ys: Sequence[Value]) -> None:
        for x, y in zip(xs, ys):
            x, y = self.find(x), self.find(y)
            if x is not y:
                self.parent[x] = y

    def visit(self, region: Region) -> None:
        for op in region.ops:
            if op.primitive in WRITES or op.primitive is reshape:
                self.join(op.operands[:1], op.results)
                self.writes += op.operands[:1] if op.primitive in WRITES else ()
            elif op.primitive is if_p:
                for branch in op.regions:
                    self.join(branch.yields, op.results)
            elif op.primitive is call_p:
                self.join(op.operands, op.regions[0].args)
                self.join(op.regions[0].yields, op.results)
            elif op.primitive is loop_p:
                self.loop(Loop.of(op), op.results)
            for inner in op.regions:
                self.visit(inner)

    def loop(self, parts: Loop, results: Sequence[Value]) -> None:
        self.join(parts.carries, parts.body.args[1:])
        self.join(parts.carries, parts.body.yields)
        self.join(parts.carries, results)
        if parts.cond is not None:
            self.join(parts.carries, parts.cond.args[1:])
