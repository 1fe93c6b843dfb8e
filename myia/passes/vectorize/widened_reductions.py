"""Reductions over a new axis: a carried value, and what all iterations contribute to it.

    %s = add %s, %x     ->    in the order of the loop: add %s, %x[0]; add %s, %x[1]; ...
                              without an order: %t = the sum of %x; add %s, %t

What is summed of rows is the sum along the new axis, or a product of matrices that contracts the
axis; of vectors it is a tree, whose steps are vectors, too.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from myia.ir.builder import at, emit1
from myia.ir.core import Op, Value
from myia.passes.analysis.reductions import ReductionStep
from myia.passes.vectorize.wide_values import WideValues, entries, entry
from myia.primitives.arrays.shaping import concatenate, reduce_sum, reshape
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.logic import or_


def apply_reduction(
    values: WideValues,
    definitions: Mapping[Value, Op],
    steps: Sequence[ReductionStep],
    carry: Value,
) -> Value:
    """`carry` combined with what all iterations contribute to it by `steps`."""
    terms = [step.op.operands[step.term_position] for step in steps]
    with at(steps[0].op.span):
        if not _may_be_reordered(steps):
            return _in_order_of_loop(values, steps, [values.widened(x) for x in terms], carry)
        if values.layout == "vector":
            total = _tree_reduction(steps[0], [values.widened(x) for x in terms])
            return combine(steps[0], carry, reshape(total, shape=carry.shape))
        for step, term in zip(steps, terms):
            total = _sum_over_iterations(values, definitions, term)
            carry = combine(step, carry, reshape(total, shape=carry.shape))
        return carry


def combine(step: ReductionStep, running_sum: Value, term: Value) -> Value:
    operands = (running_sum, term) if step.term_position else (term, running_sum)
    return emit1(step.op.primitive, *operands, **step.op.params)


def _may_be_reordered(steps: Sequence[ReductionStep]) -> bool:
    """May the reduction be made in any order? That is so for disjunctions, too."""
    disjunction = all(step.op.primitive is or_ for step in steps)
    return disjunction or all(step.is_reassociable for step in steps)


def _in_order_of_loop(
    values: WideValues, steps: Sequence[ReductionStep], terms: Sequence[Value], carry: Value
) -> Value:
    """All terms of an iteration come before those of the next one: the order of the user."""
    for i in values.axis.in_order:
        for step, term in zip(steps, terms):
            carry = combine(step, carry, entry(term, i, carry.shape))
    return carry


def _tree_reduction(step: ReductionStep, terms: Sequence[Value]) -> Value:
    """The sum of all entries of all terms, which does not depend on earlier iterations."""
    total = functools.reduce(functools.partial(combine, step), terms)
    while half := total.shape[0] // 2:
        pairs = combine(step, entries(total, 0, half), entries(total, half, 2 * half))
        if total.shape[0] % 2:
            pairs = concatenate(pairs, entries(total, 2 * half, 2 * half + 1), axis=0)
        total = pairs
    return total


def _sum_over_iterations(values: WideValues, definitions: Mapping[Value, Op], x: Value) -> Value:
    """The sum of `x`; of a product, it is a product that contracts the iterations too."""
    op = definitions.get(x)
    product = op is not None and op.primitive is dot_general
    if product and all(factor in values.wide for factor in op.operands):
        # Unless it has other uses, the wide product is dead code.
        return _contract_iterations(values, op)
    return reduce_sum(values.widened(x), axes=(0,))


def _contract_iterations(values: WideValues, op: Op) -> Value:
    axes = {name: tuple(tuple(i + 1 for i in xs) for xs in op.params[name])
            for name in ("contract", "batch")}  # fmt: skip
    axes["contract"] = tuple((0, *xs) for xs in axes["contract"])
    return dot_general(*(values.wide[x] for x in op.operands), **axes)
