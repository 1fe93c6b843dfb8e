"""Reductions over a new axis: a carried value, and what all iterations contribute to it.

    %s = add %s, %x     ->    in the order of the loop: add %s, %x[0]; add %s, %x[1]; ...
                              without an order: %t = the sum of %x; add %s, %t

What is summed of rows is the sum along the new axis, or a product of matrices that contracts the
axis; of vectors it is a tree, whose steps are vectors, too. Iterations that do not run contribute
neutral elements.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from myia.ir.builder import at, emit1
from myia.ir.core import Op, Value
from myia.ir.primitive import Primitive
from myia.primitives.arrays.reductions import greatest, least, reduce_or
from myia.primitives.arrays.shaping import concatenate, reduce_sum, reshape
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise import arithmetic, logic
from myia.primitives.pointwise.logic import or_
from myia.widening.summary import ReductionStep
from myia.widening.wide_values import WideValues, entries, entry

# The number that a step does not notice: -0.0 + 0.0 would be 0.0.
_NEUTRAL: dict[Primitive, Callable[[np.dtype[Any]], float]] = {
    arithmetic.add: lambda dtype: -0.0,
    arithmetic.sub: lambda dtype: 0,
    arithmetic.mul: lambda dtype: 1,
    arithmetic.max: least,
    arithmetic.min: greatest,
    logic.and_: lambda dtype: -1,
    logic.or_: lambda dtype: 0,
}


def apply_reduction(
    values: WideValues,
    definitions: Mapping[Value, Op],
    steps: Sequence[ReductionStep],
    carry: Value,
) -> Value:
    """`carry` combined with what all iterations contribute to it by `steps`."""
    with at(steps[0].op.span):
        if not _may_be_reordered(steps):
            return _in_order_of_loop(values, steps, carry)
        if values.layout == "vector":
            total = _tree_reduction(steps[0], [_contributions(values, step) for step in steps])
            return combine(steps[0], carry, reshape(total, shape=carry.shape))
        for step in steps:
            total = sum_over_iterations(values, definitions, step)
            carry = combine(step, carry, reshape(total, shape=carry.shape))
        return carry


def combine(step: ReductionStep, running_sum: Value, term: Value) -> Value:
    operands = (running_sum, term) if step.term_position else (term, running_sum)
    return emit1(step.op.primitive, *operands, **step.op.params)


def _contributions(values: WideValues, step: ReductionStep) -> Value:
    """What each iteration contributes: nothing, if it does not run."""
    term = values.widened(step.term)
    return values.where_run(term, _NEUTRAL[step.op.primitive](term.dtype))


def _may_be_reordered(steps: Sequence[ReductionStep]) -> bool:
    """May the reduction be made in any order? That is so for disjunctions, too."""
    disjunction = all(step.op.primitive is or_ for step in steps)
    return disjunction or all(step.is_reassociable for step in steps)


def _in_order_of_loop(values: WideValues, steps: Sequence[ReductionStep], carry: Value) -> Value:
    """All terms of an iteration come before those of the next one: the order of the user."""
    terms = [_contributions(values, step) for step in steps]
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


def sum_over_iterations(
    values: WideValues, definitions: Mapping[Value, Op], step: ReductionStep
) -> Value:
    """The sum of the terms, up to a reshape; of products, it is one that contracts the iterations,
    too."""
    op = definitions.get(step.term)
    while op is not None and op.primitive is reshape:
        op = definitions.get(op.operands[0])
    if op is not None and op.primitive is dot_general and values.wide.keys() >= set(op.operands):
        # Unless it has other uses, the wide product is dead code.
        return _contract_iterations(values, op)
    total = reduce_or if step.op.primitive is or_ else reduce_sum
    return total(_contributions(values, step), axes=(0,))


def _contract_iterations(values: WideValues, op: Op) -> Value:
    axes = {name: tuple(tuple(i + 1 for i in xs) for xs in op.params[name])
            for name in ("contract", "batch")}  # fmt: skip
    axes["contract"] = tuple((0, *xs) for xs in axes["contract"])
    return dot_general(*(values.where_run(values.wide[x], 0) for x in op.operands), **axes)
