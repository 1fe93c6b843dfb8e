"""Equations of branches and loops. Those of ops with several results return a sequence."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress

from myia.ir.builder import emit
from myia.ir.core import Region, Value, captures, has_effect
from myia.passes.canonicalize.equations.define import equation
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.structured import Loop, if_p, loop_p, rev_p
from myia.primitives.pointwise.logic import not_
from myia.rewriting.walk import substituted_region

MAX_COPIED_ELEMENTS = 16  # elements of an array that may as well be there in two versions


@equation(if_p, "if not p {A} else {B} == if p {B} else {A}")
def _(see, op, p):
    negated = see.operand(not_, p)
    return None if negated is None else emit(if_p, negated, regions=op.regions[::-1])


def _either(see, p: Value, x: Value, y: Value) -> Value | None:
    """`x if p else y`, where no branch is needed to say it."""
    if x is y:
        return x
    if see.number(x) is None or see.number(y) is None:
        return None
    if see.same_number(x, y):
        return constant(see.number(x), x.dtype, x.shape)
    if x.dtype.kind != "b" or x.shape != ():
        return None
    return p if see.number(x) else not_(p)


@equation(if_p, "if p {x} else {x} == x; if p {True} else {False} == p")
def _(see, op, p):
    then, other = op.regions
    found = [_either(see, p, x, y) for x, y in zip(then.yields, other.yields)]
    if all(value is None for value in found):
        return None
    unknown = [value is None for value in found]
    regions = [Region((), r.ops, tuple(compress(r.yields, unknown))) for r in op.regions]
    rest = iter(emit(if_p, p, regions=regions))
    return [next(rest) if value is None else value for value in found]


@equation(if_p, "two results that are the same on both sides are one")
def _(see, op, p):
    pairs = list(zip(*(r.yields for r in op.regions)))
    first = [next(j for j, other in enumerate(pairs) if see.alike(pair, other)) for pair in pairs]
    own = [i == j for i, j in enumerate(first)]
    if all(own):
        return None
    regions = [Region((), r.ops, tuple(compress(r.yields, own))) for r in op.regions]
    results = dict(zip(compress(first, own), emit(if_p, p, regions=regions)))
    return [results[j] for j in first]


@equation(if_p, "if p {x = if p {a} else {b}} ... is x = a")
def _(see, op, p):
    """Not of arrays: `a` may be the version that was there before a store on the other side."""
    regions = []
    for side, region in enumerate(op.regions):
        known = {}
        for x in captures(region):
            inner = see.made_by(if_p, x)
            if inner is not None and inner.operands[0] is p and x.aval.size <= MAX_COPIED_ELEMENTS:
                y = inner.regions[side].yields[inner.results.index(x)]
                if not any(y in made.results for made in inner.regions[side].ops):
                    known[x] = y
        regions.append(substituted_region(region, known) if known else region)
    if tuple(regions) == op.regions:
        return None
    return emit(if_p, p, regions=regions)


@equation(loop_p, "a counted loop while True == a counted loop")
@equation(rev_p, "a counted loop while True == a counted loop")
def _(see, op, *operands):
    loop = Loop.of(op)
    if loop.count is None or loop.cond is None or any(map(has_effect, loop.cond.ops)):
        return None
    forever = see.is_number(loop.cond.yields[0], True)
    return emit_loop(replace(loop, cond=None)) if forever else None
