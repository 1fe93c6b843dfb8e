"""Opaque barriers: values that XLA's CPU backend must compute before it uses them.

A barrier is a conditional on an opaque predicate: always true, but not known to XLA, which can
neither fold nor duplicate nor fuse it. Of one element it costs 2 to 5 ns (docs/emission.md).
`lax.optimization_barrier` is no substitute: XLA removes it before it fuses. `OpaqueBarriers` finds
three kinds of ops that get one, straight-line reads of long arrays, and long sums (`long_sums.py`).

1. Reads of arrays that a loop's body also writes, which would cost a copy:

    %v = dynamic_slice %a, %k            v = dynamic_slice(a, k)
    %a1 = dynamic_update_slice %a, ...   v = cond(k >= 0, lambda v: v, lambda v: 0, v)
                                         a1 = dynamic_update_slice(a, ...)

XLA duplicates the cheap read into the fusions that use its value. The old array then outlives the
write, and copy insertion copies the whole buffer in each iteration: O(n) becomes O(n²).

2. Writes of slices computed from the same array, which would be wrong:

    %v = slice %a                        v = slice(a)
    %a1 = dynamic_update_slice %a, %v    v = cond(true_after(v), lambda v: v, lambda v: 0, v)
                                         a1 = dynamic_update_slice(a, v)

XLA computes such an update in place, reading what it has just written, when a reshape is fused with
it (openxla/xla issue 49176). With the barrier stencils are faster, not slower.

3. Factors of large outer products, which would be recomputed for each product:

    %p = dot_general %x, %y              xy = cond(true_after_all(xy), lambda xy: xy, ..., (x, y))
    %a1 = add %a, %p                     a1 = add(a, dot_general(*xy))

XLA fuses the computation of the factors into the loop over the matrix, where LLVM neither hoists
nor vectorises it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from jax import lax
from jax.custom_batching import custom_vmap

from myia.backends.xla.cpu.buffer_aliasing import READS, WRITES, buffers_of
from myia.backends.xla.cpu.in_place_slices import in_place_reads, ops_outside
from myia.backends.xla.cpu.long_sums import ends_of_long_sums
from myia.ir.core import Op, Region, Value, walk
from myia.ir.dependence import needed
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice
from myia.primitives.arrays.shaping import slice
from myia.primitives.core.define import constant_p
from myia.primitives.core.structured import Loop, call_p, loop_p
from myia.primitives.linalg.dot import dot_general
from myia.rewriting.def_use import definitions

_MIN_STRAIGHT_LINE_WRITES = 8  # a few copies of an array do not matter
_MIN_STRAIGHT_LINE_ELEMENTS = 4096  # a copy of so many takes longer than a barrier outside of loops
_MIN_OUTER_PRODUCT_ELEMENTS = 8192  # beside so many a barrier costs nothing
_MIN_USES_OF_FACTOR_ELEMENT = 8
_MAX_SHARED_BARRIER_ELEMENTS = 8


def opaque_barrier(predicate: Any, values: Sequence[Any]) -> Sequence[Any]:
    """`values`, inside a conditional on an opaque predicate."""
    return _opaque_barrier(predicate, tuple(values))


@custom_vmap
def _opaque_barrier(predicate: Any, values: tuple[Any, ...]) -> Any:
    return lax.cond(predicate, lambda vs: vs, lambda vs: tuple(map(_zeros, vs)), values)


def _zeros(x: Any) -> Any:
    return lax.full_like(x, 0)


@_opaque_barrier.def_vmap
def _batched_opaque_barrier(
    size: int, batched: Any, predicate: Any, values: tuple[Any, ...]
) -> tuple[Any, Any]:
    """A conditional on a batch of predicates would become a `select`, which XLA fuses."""
    if size == 0:
        return values, batched[1]
    one = lax.index_in_dim(predicate, 0, keepdims=False) if batched[0] else predicate
    return _opaque_barrier(one, values), batched[1]


class OpaqueBarriers:
    """What gets a barrier: reads, by the loop whose body has them; writes; `factors`, by the
    product; sums."""

    def __init__(self, region: Region):
        loops = [op for op in walk(region) if op.primitive is loop_p]
        self.reads = {op: reads_behind_barriers(Loop.of(op).body) for op in loops}
        self.straight_line_reads = straight_line_reads(region)
        not_fused = in_place_reads(region).union(self.straight_line_reads, *self.reads.values())
        self.writes = frozenset(_overlapping_writes(region, not_fused))
        self.factors = dict(_computed_factors(region))
        self.long_sums = ends_of_long_sums(region)


# ----- Reads


def reads_behind_barriers(body: Region) -> frozenset[Op]:
    """The reads, in a loop's body, of arrays that the body writes.

    Without the reads of inner loops, which get their own: XLA does not duplicate a loop. Without
    static slices of what the iteration yields: no write of it follows them.
    """
    buffers = buffers_of(body)
    # What an iteration yields is an argument of the next one: one buffer.
    for x, y in zip(body.args[1:], body.yields):
        buffers.unite(x, y)
    written = {buffers.of(op.operands[0]) for op in walk(body) if op.primitive in WRITES}
    overwritten = {op.operands[0] for op in walk(body) if op.primitive in WRITES or op.regions}
    last = {y for y in body.yields if y not in overwritten and y not in body.args}
    rewriting = in_place_reads(body)
    reads = [
        op
        for op in ops_outside(body, lambda op: op.primitive is loop_p)
        if op.primitive in READS
        and op not in rewriting
        and buffers.of(op.operands[0]) in written
        and not (op.primitive is slice and op.operands[0] in last)
    ]
    return frozenset() if _feed_one_write(reads, body) else frozenset(reads)


def straight_line_reads(region: Region) -> frozenset[Op]:
    """The reads of slices of a long array in straight-line code with many writes of slices of it.

    Each of the writes would cost a copy of the array.
    """
    buffers = buffers_of(region)
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


def reads_sharing_a_barrier(
    region: Region, barrier_reads: Collection[Op]
) -> tuple[list[Op], list[Op]]:
    """The ops to emit first in a region, and then the small reads of its arguments in one barrier.

    None of the reads depends on another one, nor on a write.
    """
    before: list[Op] = []
    reads: list[Op] = []
    late: set[Value] = set()  # values that depend on a barrier, a write or a region
    for op in region.ops:
        ready = late.isdisjoint(op.operands)
        if op in barrier_reads and ready and op.operands[0] in region.args and _is_small(op):
            reads.append(op)
        elif op not in barrier_reads and ready and not op.regions and op.primitive not in WRITES:
            before.append(op)
            continue
        late.update(op.results)
    return needed(before, (x for op in reads for x in op.operands)), reads


def _is_small(read: Op) -> bool:
    """Larger slices get barriers of their own: XLA would copy the zeros of the other branch."""
    return read.results[0].aval.size <= _MAX_SHARED_BARRIER_ELEMENTS


def _feed_one_write(reads: Sequence[Op], body: Region) -> bool:
    """Does a single write, and nothing else, depend on the reads? XLA fuses that in place."""
    writes = [op for op in body.ops if op.primitive in WRITES]
    if len(writes) != 1 or any(op.regions for op in body.ops):
        return False
    dependent = {y for op in reads for y in op.results}
    for op in body.ops:
        if op is not writes[0] and not dependent.isdisjoint(op.operands):
            dependent.update(op.results)
    return dependent.isdisjoint(body.yields)


# ----- Writes


def _overlapping_writes(region: Region, not_fused: Collection[Op]) -> Iterator[Op]:
    """The writes of more than one element whose update is computed from the array they write.

    XLA does not fuse through loops, branches and `not_fused`: reads with barriers, and those that
    XLA updates in place.
    """
    buffers = buffers_of(region)
    written = {buffers.of(op.operands[0]) for op in walk(region) if _writes_a_slice(op)}
    # The written buffers that a value is computed from; of all buffers, straight code would have a
    # quadratic number.
    sources: dict[Value, frozenset[Value]] = {}

    def sources_of(x: Value) -> frozenset[Value]:
        found, buffer = sources.get(x, frozenset()), buffers.of(x)
        return found | {buffer} if buffer in written and buffer not in found else found

    def visit(block: Region) -> Iterator[Op]:
        for op in block.ops:
            if _writes_a_slice(op) and buffers.of(op.operands[0]) in sources_of(op.operands[1]):
                yield op
            # A call is emitted in place, so XLA fuses across it: its arguments and results keep
            # their sources.
            if op.primitive is call_p:
                (body,) = op.regions
                sources.update(zip(body.args, map(sources_of, op.operands)))
            for inner in op.regions:
                yield from visit(inner)
            if op.primitive is call_p:
                sources.update(zip(op.results, map(sources_of, body.yields)))
            elif not op.regions and op not in not_fused:
                computed_from = frozenset().union(*map(sources_of, op.operands))
                sources.update(dict.fromkeys(op.results, computed_from))

    if written:
        yield from visit(region)


def _writes_a_slice(op: Op) -> bool:
    return op.primitive is dynamic_update_slice and op.operands[1].aval.size > 1


# ----- Products


def _computed_factors(region: Region) -> Iterator[tuple[Op, tuple[Value, ...]]]:
    """Large outer products, and those of their factors that XLA may fuse into them.

    It does not fuse what comes from outside of the region, or what a product of matrices, a loop or
    a branch has made.
    """
    made = definitions(region)
    for op in region.ops:
        for inner in op.regions:
            yield from _computed_factors(inner)
        if _is_large_outer_product(op):
            factors = [x for x in op.operands if x in made and _may_be_fused(made[x])]
            if factors:
                yield op, tuple(dict.fromkeys(factors))


def _may_be_fused(op: Op) -> bool:
    if op.primitive is dot_general:
        return op.params["contract"] == ((), ())
    return not op.regions and op.primitive is not constant_p


def _is_large_outer_product(op: Op) -> bool:
    if op.primitive is not dot_general or op.params["contract"] != ((), ()):
        return False
    size = op.results[0].aval.size
    return size >= _MIN_OUTER_PRODUCT_ELEMENTS and all(
        _MIN_USES_OF_FACTOR_ELEMENT * x.aval.size <= size for x in op.operands
    )
