"""Equations of branches and loops. An equation of an op with several results returns a sequence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np

from myia.ir.builder import emit
from myia.ir.core import Op, Region, Value, captures, has_effect, is_read
from myia.passes.canonicalize.equations.define import Matcher, equation
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.structured import Loop, if_p, loop_p, rev_p
from myia.primitives.pointwise.logic import and_, not_
from myia.rewriting.walk import substituted_region

MAX_COPIED_ELEMENTS = 16  # of a value that may be live in two versions: a copy costs little


@equation(if_p, "if not p {A} else {B} == if p {B} else {A}")
def _(match: Matcher, op: Op, p: Value) -> Sequence[Value] | None:
    negated = match.operand_of(not_, p)
    return None if negated is None else emit(if_p, negated, regions=op.regions[::-1])


def _select_without_branch(match: Matcher, p: Value, x: Value, y: Value) -> Value | None:
    """`x if p else y` as a value that needs no branch; else None."""
    if x is y:
        return x
    if match.number(x) is None or match.number(y) is None:
        return None
    if match.same_number(x, y):
        return constant(match.number(x), x.dtype, x.shape)
    if x.dtype.kind != "b" or x.shape != ():
        return None
    return p if match.number(x) else not_(p)


@equation(if_p, "if p {x} else {x} == x; if p {True} else {False} == p")
def _(match: Matcher, op: Op, p: Value) -> Sequence[Value] | None:
    then, other = op.regions
    found = [_select_without_branch(match, p, x, y) for x, y in zip(then.yields, other.yields)]
    if all(value is None for value in found):
        return None
    unknown = [value is None for value in found]
    regions = [Region((), r.ops, tuple(compress(r.yields, unknown))) for r in op.regions]
    rest = iter(emit(if_p, p, regions=regions))
    return [next(rest) if value is None else value for value in found]


@equation(if_p, "two results that are equal in both branches are one")
def _(match: Matcher, op: Op, p: Value) -> Sequence[Value] | None:
    pairs = list(zip(*(r.yields for r in op.regions)))
    first = [
        next(j for j, other in enumerate(pairs) if match.same_values(pair, other)) for pair in pairs
    ]
    kept = [i == j for i, j in enumerate(first)]
    if all(kept):
        return None
    regions = [Region((), r.ops, tuple(compress(r.yields, kept))) for r in op.regions]
    results = dict(zip(compress(first, kept), emit(if_p, p, regions=regions)))
    return [results[j] for j in first]


@equation(if_p, "if p {... p ...} else {... p ...} is if p {... True ...} else {... False ...}")
def _(match: Matcher, op: Op, p: Value) -> Sequence[Value] | None:
    if not any(p in captures(region) for region in op.regions):
        return None
    known = [{p: constant(holds, np.bool_)} for holds in (True, False)]
    return emit(if_p, p, regions=list(map(substituted_region, op.regions, known)))


@equation(if_p, "if p {x = if p {a} else {b}} ... is x = a")
def _(match: Matcher, op: Op, p: Value) -> Sequence[Value] | None:
    """Not for arrays: `a` may be the version before a store in the other branch. Reading it here
    would keep two versions alive, and XLA would copy the array."""
    regions = []
    for side, region in enumerate(op.regions):
        known = {}
        for x in captures(region):
            inner = match.defined_by(if_p, x)
            if inner is not None and inner.operands[0] is p and x.aval.size <= MAX_COPIED_ELEMENTS:
                y = inner.regions[side].yields[inner.results.index(x)]
                if not any(y in made.results for made in inner.regions[side].ops):
                    known[x] = y
        regions.append(substituted_region(region, known) if known else region)
    if tuple(regions) == op.regions:
        return None
    return emit(if_p, p, regions=regions)


@equation(loop_p, "for ... while True == for ...")
@equation(rev_p, "for ... while True == for ...")
def _(match: Matcher, op: Op, *operands: Value) -> Sequence[Value] | None:
    loop = Loop.of(op)
    if loop.count is None or loop.cond is None or any(map(has_effect, loop.cond.ops)):
        return None
    always = match.is_number(loop.cond.yields[0], True)
    return emit_loop(replace(loop, cond=None)) if always else None


@equation(loop_p, "while p and not q: ... p, q ... is while p and not q: ... True, False ...")
@equation(rev_p, "while p and not q: ... p, q ... is while p and not q: ... True, False ...")
def _(match: Matcher, op: Op, *operands: Value) -> Sequence[Value] | None:
    loop = Loop.of(op)
    if (cond := loop.cond) is None:
        return None
    facts = dict(_facts(cond.yields[0], {y: op for op in cond.ops for y in op.results}))

    def told(region: Region) -> Region:
        known = [(x, facts[of]) for of, x in zip(cond.args, region.args) if of in facts]
        env = {x: constant(holds, np.bool_) for x, holds in known if is_read(x, region)}
        return substituted_region(region, env)

    body, adjoint = told(loop.body), loop.adjoint and told(loop.adjoint)
    if body is loop.body and adjoint is loop.adjoint:
        return None
    return emit_loop(replace(loop, body=body, adjoint=adjoint))


def _facts(p: Value, made: Mapping[Value, Op]) -> Iterator[tuple[Value, bool]]:
    """The values that are True, and those that are False, where `p` is True."""
    op = made.get(p)
    if op is not None and op.primitive is and_:
        for x in op.operands:
            yield from _facts(x, made)
    elif op is not None and op.primitive is not_:
        yield op.operands[0], False
    else:
        yield p, True
