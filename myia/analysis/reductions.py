"""Reductions: values and array elements that a loop only adds to (or multiplies, ...).

    g[i - 1] += a; g[i] += b; g[i + 1] += c

    %h = sub %i, 1
    %1 = dynamic_slice %g, %h                  an element gets c first, in the iteration in which
    %2 = add %1, %a                            its index is i + 1; b one iteration later, where
    %g.1 = dynamic_update_slice %g, %2, %h     it is i; and a after two, where it is i - 1
    ...                                        the same with i and b, with i + 1 and c

What it computes: the steps by which a carried value becomes what an iteration yields for it; the
steps between the load of an element and its store; the reductions into an array, in an order in
which a whole vector of iterations can apply them: first all contributions of these iterations to
the leading index, then all contributions to the one behind it, and so on.

What it guarantees: a running sum has no other use. Each element receives its contributions in the
order of the loop. All indices have the same stride, so this order is that of the distances between
the indices, the same for all elements. Only cotangents (`reassoc`) may be added in another order,
and so at indices with different strides. Every other load from the array finds an element to which
the loop has not yet added.

When it gives up: a store of something else than the element plus contributions, a partial sum that
is used elsewhere, an element that is read after the first contribution to it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from myia.analysis.array_versions import oldest_equal_version
from myia.analysis.linear_indices import ONE, IndexRanges, is_same_slice, minus
from myia.ir.core import Op, Region, Value, reads
from myia.ir.primitive import Primitive
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice, start_indices
from myia.primitives.arrays.shaping import reshape
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise import arithmetic, logic
from myia.rewriting.def_use import definitions, uses
from myia.widening.summary import REDUCTIONS, SHAPE_CHANGES, ArrayReduction, ReductionStep, Stride

ADDITIONS = {arithmetic.add, arithmetic.sub}


def array_reductions_of(
    body: Region,
    versions: Sequence[Value],
    strides: Mapping[Op, Stride | None],
    ranges: IndexRanges,
) -> tuple[ArrayReduction, ...] | None:
    """The reductions into an array, given its versions, in an order that is right for each element.

    None if the array is used in another way.
    """
    accesses = [op for x in versions for op in uses(body).get(x, ())]
    stores = [op for op in accesses if op.primitive is dynamic_update_slice]
    found = (array_reduction_at(store, body, versions, ranges) for store in stores)
    reductions = [reduction for reduction in found if reduction is not None]
    if len(reductions) < len(stores):
        return None
    other_reads = set(accesses) - {op for reduction in reductions for op in reduction.ops}

    def reads_before(read: Op, store: Op) -> bool:
        lead = _iterations_between(read, store, strides, ranges)
        in_order = versions.index(read.operands[0]) <= versions.index(store.operands[0])
        return lead is not None and (lead < 0 or (lead == 0 and in_order))

    if not all(reads_before(read, store) for read in other_reads for store in stores):
        return None
    leads = {
        reduction: lead
        for reduction in reductions
        if (lead := _iterations_between(stores[0], reduction.store, strides, ranges)) is not None
    }
    if len(leads) == len(stores):
        return tuple(sorted(reductions, key=lambda reduction: -leads[reduction]))
    return tuple(reductions) if all(x.is_reassociable for x in reductions) else None


def array_reduction_at(
    store: Op, body: Region, versions: Collection[Value], ranges: IndexRanges
) -> ArrayReduction | None:
    """The reduction that ends with `store`, if it adds to the element that it overwrites."""

    def is_start(x: Value) -> bool:
        op = definitions(body).get(x)
        if op is None or op.primitive is not dynamic_slice or op.operands[0] not in versions:
            return False
        return _overwrites(store, op, body, ranges)

    matched = _match(store.operands[1], body, is_start, ADDITIONS)
    steps, ops = _steps_and_ops(matched or [])
    return ArrayReduction(store, steps, (*ops, store)) if steps else None


def _overwrites(store: Op, load: Op, body: Region, ranges: IndexRanges) -> bool:
    """Does `store` overwrite what `load` finds: the same elements, unchanged in between?"""
    if not is_same_slice(load, store, ranges):
        return False
    versions = (load.operands[0], store.operands[0])
    if versions[0] is versions[1]:  # mostly so: nothing has to be searched
        return True
    found, before = (oldest_equal_version(x, store, body, ranges) for x in versions)
    return found == before


def _iterations_between(
    op: Op, other: Op, strides: Mapping[Op, Stride | None], ranges: IndexRanges
) -> int | None:
    """How many iterations earlier than `op` does `other` access an element? None if not constant.

    Negative if it accesses the element later.
    """
    stride = strides[op]
    if stride is None or stride != strides[other]:
        return None
    axis, step = stride.axis, stride.step
    start, other_start = (ranges.linear_form(start_indices(x)[axis]) for x in (op, other))
    distance = minus(other_start, start)
    return distance[ONE] * step if set(distance) <= {ONE} else None


# ----- Carried values


def scalar_reduction(
    body: Region, arg: Value, y: Value
) -> tuple[tuple[ReductionStep, ...], tuple[Op, ...]] | None:
    """The steps by which carry `arg` becomes `y`, and all ops that do this.

    None if it becomes `y` in another way, or if a running sum has another use.
    """
    if not _has_one_use(arg, body):
        return None
    matched = _match(y, body, lambda x: x is arg, REDUCTIONS | ADDITIONS)
    steps, ops = _steps_and_ops(matched or [])
    return (steps, ops) if steps else None


def is_reassociable_sum(x: Value, last: Value, body: Region) -> bool:
    """Is `last` a sum of `x` and of terms independent of it, in any order, with no other uses?

    Inner loops may add to it, too.
    """
    sums = {x}
    for op in body.ops:
        if not sums.isdisjoint(reads(op)):
            results = _results_that_are_sums(op, sums)
            if not results:
                return False
            sums.update(results)
    return last in sums and sum(y in sums for y in body.yields) == 1


def _is_read(region: Region, i: int) -> bool:
    return any(region.args[i] in reads(op) for op in region.ops)


def _results_that_are_sums(op: Op, sums: set[Value]) -> list[Value]:
    """The results of `op`, which reads `sums`, that are such sums again; none if it does more."""
    positions = [i for i, x in enumerate(op.operands) if x in sums]
    if op.primitive is loop_p:
        body, cond = Loop.of(op).body, Loop.of(op).cond
        carries = [i - (len(op.operands) - len(op.results)) for i in positions]
        captured = [x for region in op.regions for x in region.captured]
        if len(carries) != 1 or carries[0] < 0 or not sums.isdisjoint(captured):
            return []
        (i,) = carries
        if cond is not None and (cond.args[1 + i] in cond.yields or _is_read(cond, 1 + i)):
            return []
        adds = is_reassociable_sum(body.args[1 + i], body.yields[i], body)
        return [op.results[i]] if adds else []
    adds = op.primitive is arithmetic.add and bool(op.params.get("reassoc"))
    # A term under a condition: select(c, s + x, s).
    selects = op.primitive is logic.select and positions == [1, 2]
    is_sum = (adds and len(positions) == 1) or selects or op.primitive is reshape
    return list(op.results) if is_sum else []


# ----- Steps


def _match(
    x: Value, body: Region, is_start: Callable[[Value], bool], combining: Collection[Primitive]
) -> list[Op | ReductionStep] | None:
    """The ops and steps that compute `x` from a start, the first one first.

    None if `x` is computed in another way, or if a partial sum has another use. A load where it
    starts is the first op if it has no other use.
    """
    op = definitions(body).get(x)
    has_one_use = _has_one_use(x, body)
    if is_start(x):
        return [op] if op is not None and has_one_use else []
    if op is None or not has_one_use:
        return None
    if op.primitive in SHAPE_CHANGES:
        before = _match(op.operands[0], body, is_start, combining)
        return None if before is None else [*before, op]
    for step in (ReductionStep(op, 1), ReductionStep(op, 0)) if op.primitive in combining else ():
        running_sum = op.operands[1 - step.term_position]
        before = _match(running_sum, body, is_start, combining) if step.accumulates else None
        if before is not None:
            return [*before, step]
    return None


def _has_one_use(x: Value, body: Region) -> bool:
    read = sum(reads(user).count(x) for user in uses(body).get(x, ()))
    return read + body.yields.count(x) == 1


def _steps_and_ops(
    matched: Sequence[Op | ReductionStep],
) -> tuple[tuple[ReductionStep, ...], tuple[Op, ...]]:
    steps = tuple(x for x in matched if isinstance(x, ReductionStep))
    return steps, tuple(x.op if isinstance(x, ReductionStep) else x for x in matched)
