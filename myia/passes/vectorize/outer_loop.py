"""Vectorization of loops over rows and of outer loops around recurrences, whole or in strips.

    %a, %s = for %k < 60 (%a = %a, %s = %s) {        %1 = dynamic_slice %a, 0, 0 {sizes=(60, 5)}
      %1 = dynamic_slice %a, %k, 0 {sizes=(1, 5)}    %2 = dot_general %1, %m
      %2 = reshape %1 {shape=(5,)}              ->   %a = dynamic_update_slice %a, %2, 0, 0
      %3 = dot_general %2, %m                        %4 = dot_general %1, %2, contracting iterations
      %4 = reshape %3 {shape=(1, 5)}                 %s = add %s, %4 {reassoc=True}
      %a = dynamic_update_slice %a, %4, %k, 0
      %5 = dot_general %2, %3
      %s = add %s, %5 {reassoc=True}
      yield %a, %s
    }

An iteration on a short row mostly pays for starting its ops; ops on whole arrays are started once.
Each row is computed from the same numbers as before. Sums of cotangents have no order that a user
wrote: the contributions of all iterations are summed first, those that are outer products as one
product of matrices. A loop over rows that makes sums in the user's order is left alone, unless an
iteration has a large product with a matrix that all iterations share (`s += loss(A @ x[i])`): then
the terms of all iterations come first, and the sums after them (`ordered_sums.py`).

Outer loops around recurrences are vectorized, too, as many recurrences side by side. An iteration
of the inner loop then works on vectors, and each of its sums keeps its order; a sum of the user in
the outer loop is made after it, too. A nest in which all inner loops can be vectorized themselves
(`inner_loop.py`) is left alone.

Branches that work on arrays, and inner loops that end at different iterations, run masked: both
sides for all iterations, until the last one has ended. No derivative is taken any more, so that
what a side computes for iterations that do not take it is seen nowhere. Iterations on scalars run
one by one, since each then takes the time of its own inner iterations. Under `vmap` they run masked
in short strips, if their inner loops access no array.

If the rows of all iterations together are larger than the caches, the loop is strip-mined.

Runs after derivatives. `loop_summary.py` says which loops qualify, `myia/widening` emits them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

from myia.analysis.linear_indices import IndexRanges
from myia.analysis.loop_summary import is_scalar_op, summary_if_independent
from myia.ir.avals import I64
from myia.ir.builder import Builder, append
from myia.ir.core import Function, Op, Region, Value, walk
from myia.passes.vectorize.ordered_sums import add_in_order, ordered_sums
from myia.passes.vectorize.product_fission import products_apart
from myia.primitives.arrays.dynamic_slices import STORES, dynamic_slice, slice_sizes
from myia.primitives.arrays.shaping import reshape
from myia.primitives.core.define import constant, constant_p, empty_p
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import add, mul
from myia.rewriting.def_use import loop_variant_values, uses
from myia.rewriting.walk import Walk, rewrite
from myia.widening.batching_rules import can_batch
from myia.widening.summary import LoopSummary
from myia.widening.widener import widen_iterations

MAX_VECTOR_ELEMENTS = 1 << 17  # of a batch: 1 MB of float64
MAX_NEST_VECTOR_ELEMENTS = 1 << 10  # of a batch in a nest, whose loops are emitted as one function
# The same in a nest that is not emitted as one function: 256 kB of float64.
MAX_ARRAY_ELEMENTS = 1 << 15
MAX_SHORT_LOOP = 4  # iterations of an inner loop: started seldom, whatever it is emitted as
# If each access of each iteration is in a cache line of its own: with so many iterations the lines
# of three arrays are still in the first-level cache when their next elements are accessed.
MAX_STRIDED_ITERATIONS = 128
# A slice of so many bytes uses most of the cache line that is fetched for it.
MIN_BYTES_PER_CACHE_LINE = 32
# An inner iteration with more ops that compute is bound by arithmetic, not by memory.
MAX_MEMORY_BOUND_OPS = 32
# Examples of a batch whose scalar loops run side by side until the last has ended. A step of all
# takes as long as 5 to 20 steps of one, so only few shall wait for a slow one. LLVM vectorizes no
# shorter loop.
MAX_MASKED_EXAMPLES = 32
MIN_WIDTH = 4  # iterations
MIN_LONG_BODY = 16  # ops that compute: of longer iterations all are widened, also two or three
DATA_MOVEMENT = (dynamic_slice, reshape)
# Multiply-adds of a product, by elements that an iteration computes.
MIN_WORK_BY_ELEMENT = 4
# The same, of a loop over rows that makes a sum in the user's order: with less, one function that
# computes and adds term by term is as fast.
MIN_WORK_BY_TERM = 512
MAX_ROW_GROWTH = 2  # elements of an array that is computed, by elements of the longest row accessed


def outer_loop(function: Function, elements: int = MAX_VECTOR_ELEMENTS) -> Function:
    """`function` with loops of independent iterations over rows as ops on whole arrays.

    No array that is computed and read again has more than `elements` elements. Of nested loops the
    inner ones are vectorized first; the outer ones in a later round, once the indices have been
    simplified.
    """
    ranges = IndexRanges(function.region)

    def rule(op: Op, walk: Walk) -> Sequence[Value] | None:
        if op.primitive is not loop_p:
            return None
        found = _vectorized(op, walk, ranges, elements)
        return _products_apart(op, walk, ranges, elements) if found is None else found

    return rewrite(function, rule)


def _products_apart(
    op: Op, walk: Walk, ranges: IndexRanges, elements: int
) -> Sequence[Value] | None:
    """A recurrence with products before and after it, as wide as all iterations."""
    loop = Loop.of(op)
    count = walk.constant_value(loop.count)
    if count is None or count < MIN_WIDTH or loop.cond is not None:
        return None
    return products_apart(loop, count, lambda each: _vectorized(each, walk, ranges, elements))


def _vectorized(op: Op, walk: Walk, ranges: IndexRanges, elements: int) -> Sequence[Value] | None:
    loop = Loop.of(op)
    count = walk.constant_value(loop.count)
    # Widths are axes of arrays, so the trip count must be a constant. Bodies of scalar ops are left
    # to `inner_loop.py`.
    if count is None or all(map(is_scalar_op, loop.body.ops)):
        return None
    constants = {x for x in loop.carries if _is_constant_array(walk.definition(x))}
    width, summary = _plan(loop, ranges, elements, constants)
    if summary is None:
        return _terms_apart(op, count, ranges, elements, constants)
    width = min(count, width)
    if width < MIN_WIDTH and not (width == count > 1 and _is_long(loop.body)):
        return None
    strips, remaining = divmod(count, width)
    if strips == 1:
        carries = widen_iterations(loop, summary, _i64(0), loop.carries, width, "rows")
    else:
        carries = _emit_strips(op, summary, strips, width)
    if not remaining:
        return carries
    return widen_iterations(loop, summary, _i64(count - remaining), carries, remaining, "rows")


def _terms_apart(
    op: Op, count: int, ranges: IndexRanges, elements: int, constants: Set[Value]
) -> Sequence[Value] | None:
    """A loop with sums in the order of the user: their terms in wide iterations, then the sums."""
    loop = Loop.of(op)
    with Builder() as b:
        found = ordered_sums(loop, count)
        if found is None:
            return None
        constants = constants | set(found.terms.carries[len(loop.carries) - len(found.sums) :])
        width, summary = _plan(found.terms, ranges, elements, constants)
        if summary is None or min(count, width) < MIN_WIDTH:
            return None
        if not _is_nest(loop) and _most_shared_work(loop.body, summary) < MIN_WORK_BY_TERM:
            return None
        results = emit_loop(found.terms)
    for each in b.ops:
        append(each)
    return add_in_order(loop, found, results)


def _is_constant_array(op: Op | None) -> bool:
    return op is not None and op.primitive in (constant_p, empty_p)


def _plan(
    loop: Loop, ranges: IndexRanges, elements: int, constants: Set[Value]
) -> tuple[int, LoopSummary | None]:
    if _is_nest(loop):
        return _plan_for_nest(loop, ranges, elements, constants)
    return _plan_for_rows(loop, ranges, elements)


def _is_nest(loop: Loop) -> bool:
    return any(op.primitive in (if_p, loop_p) for op in loop.body.ops)


def _plan_for_nest(
    loop: Loop, ranges: IndexRanges, elements: int, constants: Set[Value]
) -> tuple[int, LoopSummary | None]:
    """How many iterations of an outer loop to widen at once; its summary, if that is possible.

    Some inner loop must be a recurrence. Branches, and inner loops that end at different times, run
    masked, if they work on arrays. `constants`: initial values that `data_layout.py` may lay
    out in the order in which the loop accesses them.
    """
    inner = [Loop.of(op) for op in walk(loop.body) if op.primitive is loop_p]
    has_recurrence = any(summary_if_independent(each, ranges, MIN_WIDTH) is None for each in inner)
    if inner and not has_recurrence:
        return 0, None
    short = loop.is_over_examples and _are_scalar_loops(loop.body)
    masks = short or all(map(_works_on_arrays, walk(loop.body)))
    summary = summary_if_independent(loop, ranges, None, _can_widen, masks=masks)
    if summary is None:
        return 0, None
    if short:
        return MAX_MASKED_EXAMPLES, summary
    is_compute_bound = any(len(_computing_ops(each.body)) > MAX_MEMORY_BOUND_OPS for each in inner)
    not_laid_out = {
        version
        for version, arg in summary.arrays.items()
        if loop.carries[loop.body.args.index(arg) - 1] not in constants
    }
    is_strided = not is_compute_bound and any(
        stride is not None
        and _is_strided(op, stride.axis)
        and (op.operands[0] in not_laid_out or op.operands[0] not in summary.arrays)
        for op, stride in summary.strides.items()
    )
    bodies = [loop.body, *(each.body for each in inner)]
    largest = _largest_computed(bodies, summary.varying)
    width = min(elements, _most_elements(inner, summary)) // largest
    return min(width, MAX_STRIDED_ITERATIONS) if is_strided else width, summary


def _is_long(body: Region) -> bool:
    """Does an iteration pay for starting many ops? Then two are worth one with wider ones."""
    return len(_computing_ops(body)) >= MIN_LONG_BODY


def _most_elements(inner: Sequence[Loop], summary: LoopSummary) -> int:
    """Of a batch in a nest: more where the inner loops have products, or are short."""
    are_short = all(each.bound is not None and each.bound <= MAX_SHORT_LOOP for each in inner)
    have_products = any(_most_shared_work(each.body, summary) >= MIN_WORK_BY_TERM for each in inner)
    return MAX_ARRAY_ELEMENTS if are_short or have_products else MAX_NEST_VECTOR_ELEMENTS


def _works_on_arrays(op: Op) -> bool:
    """Of a branch or an inner loop: does it compute arrays? Scalars are left to `inner_loop.py`."""
    masked = op.primitive is if_p or (op.primitive is loop_p and op.params["conditional"])
    return not masked or any(
        op.primitive not in DATA_MOVEMENT and not is_scalar_op(op)
        for region in op.regions
        for op in region.ops
    )


def _are_scalar_loops(body: Region) -> bool:
    """Are all inner loops conditional ones of scalars, which access no array?"""
    inner = [op for op in walk(body) if op.primitive in (if_p, loop_p)]
    ops = (op for each in inner for region in each.regions for op in region.ops)
    conditional = all(op.primitive is loop_p and op.params["conditional"] for op in inner)
    return bool(inner) and conditional and all(map(_is_scalar_arithmetic, ops))


def _is_scalar_arithmetic(op: Op) -> bool:
    return is_scalar_op(op) and op.primitive not in (*STORES, *DATA_MOVEMENT)


def _is_strided(access: Op, axis: int) -> bool:
    """Are consecutive slices along `axis` in different cache lines?"""
    array, sizes, after = access.operands[0], slice_sizes(access), slice(axis + 1, None)
    uses_lines = math.prod(sizes[after]) * array.dtype.itemsize >= MIN_BYTES_PER_CACHE_LINE
    return not uses_lines and sizes[after] != array.shape[after]


def _plan_for_rows(
    loop: Loop, ranges: IndexRanges, elements: int
) -> tuple[int, LoopSummary | None]:
    """How many iterations of an innermost loop to widen at once; its summary, if that pays."""
    varying = loop_variant_values(loop.body) - _sums_of_outer_products(loop.body)
    varying -= _only_stored(loop.body)
    width = elements // _largest_computed([loop.body], varying)
    summary = summary_if_independent(loop, ranges, width, _can_widen)
    pays = summary is not None and _has_no_order(summary) and _is_over_rows(loop.body, summary)
    return width, summary if pays else None


def _can_widen(op: Op, varying: Set[Value], is_access: bool) -> bool:
    return is_access or varying.isdisjoint(op.operands) or can_batch(op, varying)


def _largest_computed(bodies: Sequence[Region], varying: Set[Value]) -> int:
    """The number of elements of the largest varying array that an iteration computes."""
    results = (y for body in bodies for op in _computing_ops(body) for y in op.results)
    return max((y.aval.size for y in results if y in varying), default=1) or 1


def _is_over_rows(body: Region, summary: LoopSummary) -> bool:
    """Are the arrays that an iteration computes hardly larger than the rows that it accesses?

    If not, their batches would be larger than the arrays of the program. It does not matter where
    products with arrays that all iterations share take most of the time.
    """
    row = max(
        math.prod(slice_sizes(op)) for op, stride in summary.strides.items() if stride is not None
    )
    largest = max(MAX_ROW_GROWTH * row, _most_shared_work(body, summary) // MIN_WORK_BY_ELEMENT)
    # `widening/reductions.py` contracts outer products that are only summed: they have no batch.
    summed = {x for steps in summary.reductions.values() for s in steps for x in s.op.operands}
    return all(
        y.aval.size <= largest
        for op in _computing_ops(body)
        if op not in summary.reduction_ops
        for y in op.results
        if y in summary.varying and y not in summed
    )


def _sums_of_outer_products(body: Region) -> set[Value]:
    """Outer products that are only summed, and the sums: over iterations they are products."""
    found: set[Value] = set()
    for op in body.ops:
        if op.primitive is dot_general and not op.params["contract"][0]:
            (y,) = op.results
            sums = uses(body).get(y, ())
            if all(use.primitive is add and use.params.get("reassoc") for use in sums):
                found.update((y, *(z for use in sums for z in use.results)))
    return found


def _only_stored(body: Region) -> set[Value]:
    """Arrays that nothing reads after they are stored: they need not stay in a cache."""
    found: set[Value] = set()
    users = uses(body)
    for op in reversed(body.ops):
        for y in op.results:
            after = users.get(y, ())
            stored = [use for use in after if use.primitive in STORES and use.operands[1] is y]
            shaped = [use for use in after if use.primitive is reshape and use.results[0] in found]
            if after and len(stored) + len(shaped) == len(after) and y not in body.yields:
                found.add(y)
    return found


def _most_shared_work(body: Region, summary: LoopSummary) -> int:
    return max((_shared_work(op, summary.varying) for op in body.ops), default=0)


def _shared_work(op: Op, varying: Set[Value]) -> int:
    """The multiply-adds of an iteration in a product with an array that all iterations share.

    One product of matrices does what many products of a matrix and a vector did.
    """
    if op.primitive is not dot_general or sum(x in varying for x in op.operands) != 1:
        return 0
    (x, _), (contracted, _) = op.operands, op.params["contract"]
    work: int = op.results[0].aval.size * math.prod(x.shape[i] for i in contracted)
    return work


def _computing_ops(body: Region) -> list[Op]:
    """The ops that compute new arrays, rather than read or update existing ones."""
    return [op for op in body.ops if op.primitive not in (*STORES, *DATA_MOVEMENT, loop_p)]


def _has_no_order(summary: LoopSummary) -> bool:
    """Do all scalar reductions have no order that a user wrote? And are there no recurrences?"""
    steps = [step for found in summary.reductions.values() for step in found]
    return not summary.recurrences and all(step.is_reassociable for step in steps)


def _i64(n: int) -> Value:
    return constant(n, I64.dtype)


def _emit_strips(op: Op, summary: LoopSummary, strips: int, width: int) -> tuple[Value, ...]:
    """Emit a loop with `strips` iterations, each of `width` iterations of loop `op`."""
    loop = Loop.of(op)
    strip, args = Value(I64), [Value(x.aval, x.name) for x in loop.body.args[1:]]
    with Builder() as b:
        base = mul(strip, _i64(width))
        yields = widen_iterations(loop, summary, base, args, width, "rows")
    body = Region((strip, *args), tuple(b.ops), tuple(yields))
    params = {**op.params, "bound": strips}
    results = tuple(Value(x.aval, x.name) for x in op.results)
    append(Op(loop_p, (_i64(strips), *loop.carries), params, (body,), results, op.span))
    return results
