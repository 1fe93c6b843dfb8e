"""Fences: values that are there before anything that depends on them is computed.

Reads of arrays that a loop's body also writes, which would cost a copy:

    %v = dynamic_slice %a, %k            v = dynamic_slice(a, k)
    %a1 = dynamic_update_slice %a, ...   v = cond(k >= 0, lambda v: v, lambda v: 0, v)
                                         a1 = dynamic_update_slice(a, ...)

XLA's CPU backend duplicates the cheap read into the fusions that use its value. The old array then
outlives the write, and copy insertion protects it with a copy of the whole buffer in every trip: an
O(n) program becomes O(n²). A conditional on something that is true, but not known to be, cannot be
duplicated. It costs 2 to 5 ns (docs/emission.md). `lax.optimization_barrier` does not help: XLA
removes it before it fuses.

Writes of windows computed from the same array, which would be wrong:

    %v = slice %a                        v = slice(a)
    %a1 = dynamic_update_slice %a, %v    v = cond(true_after(v), lambda v: v, lambda v: 0, v)
                                         a1 = dynamic_update_slice(a, v)

XLA's CPU backend computes such an update in place, reading what it has just written, when a reshape
is fused with it (openxla/xla issue 49176). With this fence stencils are faster, not slower.

Factors of large outer products, which would be computed anew for each product:

    %p = dot_general %x, %y              xy = cond(true_after_all(xy), lambda xy: xy, ..., (x, y))
    %a1 = add %a, %p                     a1 = add(a, dot_general(*xy))

XLA's CPU backend fuses what vectors are computed of into the loop over the matrix, where LLVM
neither takes it out nor uses vectors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from jax import lax
from jax.custom_batching import custom_vmap

from myia.backends.xla.cpu.buffer_aliasing import READS, WRITES, Buffers
from myia.backends.xla.cpu.in_place_slices import in_place_reads
from myia.ir.core import Op, Region, Value, walk
from myia.ir.dependence import needed
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice
from myia.primitives.core.structured import Loop, call_p, loop_p
from myia.primitives.linalg.dot import dot_general

_MIN_STRAIGHT_LINE_WRITES = 8  # writes in straight code: a few copies of an array do not matter
_MIN_STRAIGHT_LINE_ELEMENTS = (
    4096  # elements: a copy takes longer than a fence that is not compiled into a loop
)
_MIN_OUTER_PRODUCT_ELEMENTS = (
    8192  # elements of an outer product, so many that a fence costs nothing
)
_MIN_PRODUCT_ELEMENTS_PER_FACTOR_ELEMENT = (
    8  # for one element of a factor, the elements of the product
)
_MAX_SHARED_BARRIER_ELEMENTS = 8  # elements of windows that are read through one fence


def opaque_barrier(true: Any, values: Sequence[Any]) -> Sequence[Any]:
    """`values`, given something true that the compiler does not know to be."""
    return _opaque_barrier(true, tuple(values))


@custom_vmap
def _opaque_barrier(true, values):
    return lax.cond(true, lambda vs: vs, lambda vs: tuple(lax.full_like(v, 0) for v in vs), values)


@_opaque_barrier.def_vmap
def _batched_opaque_barrier(size, batched, true, values):
    """A conditional on a batch of conditions would become a selection, which is no fence."""
    one = lax.index_in_dim(true, 0, keepdims=False) if batched[0] else true
    return _opaque_barrier(one, values), batched[1]


class OpaqueBarriers:
    """What is to be fenced: reads, by the loop in whose body they are, writes, and products."""

    def __init__(self, region: Region):
        loops = [op for op in walk(region) if op.primitive is loop_p]
        self.reads = {op: reads_behind_barriers(Loop.of(op).body) for op in loops}
        self.straight_line_reads = straight_line_reads(region)
        apart = in_place_reads(region).union(self.straight_line_reads, *self.reads.values())
        self.writes = frozenset(_overlapping_writes(region, apart))
        self.products = frozenset(filter(_is_large_outer_product, walk(region)))


# ----- Reads


def reads_behind_barriers(body: Region) -> frozenset[Op]:
    """The ops of a loop's body that read an array which the body writes.

    The reads of a loop nested in it are that loop's own affair: XLA does not duplicate a loop.
    """
    buffers = Buffers(body)
    buffers.join(body.args[1:], body.yields)
    reads = [op for op in _ops_outside_inner_loops(body) if op.primitive in READS]
    rewriting = in_place_reads(body)
    reads = [op for op in reads if op not in rewriting and buffers.written(op.operands[0])]
    return frozenset() if _feed_one_write(reads, body) else frozenset(reads)


def straight_line_reads(region: Region) -> frozenset[Op]:
    """The reads of parts of a long array in straight code that goes on writing parts of it.

    Each of the writes would cost a copy of the array.
    """
    buffers = Buffers(region)
    writes = Counter(buffers.of(op.operands[0]) for op in region.ops if op.primitive in WRITES)
    rewriting = in_place_reads(region)
    return frozenset(
        op
        for op in region.ops
        if op.primitive in READS
        and op not in rewriting
        and writes[buffers.of(op.operands[0])] >= _MIN_STRAIGHT_LINE_WRITES
        and op.operands[0].aval.size
        >= max(_MIN_STRAIGHT_LINE_ELEMENTS, 2 * op.results[0].aval.size)
    )


def reads_sharing_a_barrier(region: Region, fenced: Collection[Op]) -> tuple[list[Op], list[Op]]:
    """The `fenced` reads of what a region is given that can all come first, and the ops before it.

    One conditional then stands for all.
    """
    before: list[Op] = []
    reads: list[Op] = []
    late: set[Value] = set()  # not there before a fenced read
    for op in region.ops:
        ready = late.isdisjoint(op.operands)
        if op in fenced and ready and op.operands[0] in region.args and _is_small(op):
            reads.append(op)
        elif op not in fenced and ready and not op.regions and op.primitive not in WRITES:
            before.append(op)
            continue
        late.update(op.results)
    return needed(before, (x for op in reads for x in op.operands)), reads


def _is_small(read: Op) -> bool:
    """Larger windows keep fences of their own: XLA would copy the zeros of the other branch."""
    return read.results[0].aval.size <= _MAX_SHARED_BARRIER_ELEMENTS


def _ops_outside_inner_loops(region: Region) -> Iterator[Op]:
    """The ops that run once per trip: those of branches and calls, but not of inner loops."""
    for op in region.ops:
        yield op
        if op.primitive is not loop_p:
            for inner in op.regions:
                yield from _ops_outside_inner_loops(inner)


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


# ----- Writes


def _overlapping_writes(region: Region, apart: Collection[Op]) -> Iterator[Op]:
    """The writes of more than one element whose update is computed from the array they write.

    XLA does not fuse through loops, branches and fenced reads; `apart` are these, and reads of what
    is then written.
    """
    buffers = Buffers(region)
    sources: dict[Value, frozenset[Value]] = {}  # the buffers that a value is computed from

    def sources_of(x: Value) -> frozenset[Value]:
        return sources.get(x, frozenset()) | {buffers.of(x)}

    def visit(block: Region) -> Iterator[Op]:
        for op in block.ops:
            if _writes_a_slice(op) and buffers.of(op.operands[0]) in sources_of(op.operands[1]):
                yield op
            if op.primitive is call_p:
                (body,) = op.regions
                sources.update(zip(body.args, map(sources_of, op.operands)))
            for inner in op.regions:
                yield from visit(inner)
            if op.primitive is call_p:
                sources.update(zip(op.results, map(sources_of, body.yields)))
            elif not op.regions and op not in apart:
                computed_from = frozenset().union(*map(sources_of, op.operands))
                sources.update(dict.fromkeys(op.results, computed_from))

    yield from visit(region)


def _writes_a_slice(op: Op) -> bool:
    return op.primitive is dynamic_update_slice and op.operands[1].aval.size > 1


# ----- Products


def _is_large_outer_product(op: Op) -> bool:
    if op.primitive is not dot_general or op.params["contract"] != ((), ()):
        return False
    size = op.results[0].aval.size
    return size >= _MIN_OUTER_PRODUCT_ELEMENTS and all(
        _MIN_PRODUCT_ELEMENTS_PER_FACTOR_ELEMENT * x.aval.size <= size for x in op.operands
    )
