"""Random programs that call one random helper again and again, as inlining leaves them."""

from __future__ import annotations

import random

from myia.ir.builder import build_region
from myia.ir.core import Function, Region, Value
from myia.ir.rewrite import inline
from myia.passes.canonicalize.dce import dce
from myia.primitives.core.define import constant
from myia.primitives.core.structured import loop_p
from tests.passes.random_ir import FLOATS, INTS, random_function


def repeated_calls(seed: int, size: int = 5) -> Function:
    """Four to nine calls; each reads arguments, results of the call before, or a constant."""
    rng = random.Random(seed)
    helper = _helper(rng, size)
    avals = [x.aval for x in helper.args]
    ways = [rng.choice(["argument", "constant", "last", "last", "any"]) for _ in avals]

    def body(*args: Value) -> list[Value]:
        results: list[list[Value]] = [list(args)]
        for _ in range(rng.randint(4, 9)):
            read = [_operand(rng, way, x, results) for way, x in zip(ways, args)]
            results.append(list(inline(helper, read)))
        kept = rng.choice([results[-1], results[-1], [y for ys in results for y in ys]])
        return rng.sample(kept, len(kept))

    return dce(Function("f", build_region(avals, body)))


def _helper(rng: random.Random, size: int) -> Region:
    """It contains a loop."""
    while True:
        region = random_function(rng.randrange(10**6), size, adjoint_loops=False).region
        if any(op.primitive is loop_p for op in dce(Function("f", region)).region.ops):
            return region


def _operand(rng: random.Random, way: str, x: Value, results: list[list[Value]]) -> Value:
    """What a call passes for the parameter `x`."""
    number = rng.choice({"f": FLOATS, "i": INTS, "b": [True, False]}[x.dtype.kind])
    if way == "constant":
        return constant(number, x.dtype, x.shape)
    calls = results if way == "any" else results[-1:]
    found = [y for ys in calls for y in ys if y.aval == x.aval]
    if way == "argument" or not found:
        return x
    return rng.choice(found) if way == "any" else found[0]
