"""The walk of all rewriting passes: in program order, inner regions first, with substitution.

A rule is shown one op at a time; its operands and regions have been rewritten already. The rule
returns None to keep the op. Or it returns the values that replace the op's results, and has emitted
the ops that compute them:

    rule(%y = mul %x, %one)  ->  [%x]                  uses of %y become %x, the op is gone

Parts that do not change are shared with the function that came in, down to the objects. So a pass
that finds nothing to do returns the very same function, and a fixed point is cheap to detect.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env
from myia.primitives.core.define import constant_p
from myia.primitives.core.structured import loop_p

Rule = Callable[[Op, "Walk"], Sequence[Value] | None]


def rewrite(function: Function, rule: Rule) -> Function:
    """`function` with every op rewritten by `rule`."""
    return with_region(function, Walk(rule).region(function.region))


def rewrite_loops(function: Function, emit: Callable[[Op], None]) -> Function:
    """`function` with each loop replaced by the ops that `emit` emits for it.

    Inner loops come first: an op that leaves an inner loop may then leave the outer ones, too.
    """

    def rewritten(region: Region) -> Region:
        with Builder() as b:
            for op in region.ops:
                op = substituted(op, {}, rewritten)
                emit(op) if op.primitive is loop_p else append(op)
        return rebuilt(region, b.ops, region.yields)

    return with_region(function, rewritten(function.region))


def with_region(function: Function, region: Region) -> Function:
    return function if region is function.region else function.with_region(region)


def rewrite_loop_bodies(function: Function, change: Callable[[Region], Region]) -> Function:
    """`function` with each region inside a loop replaced by `change` of it, inner regions first."""

    def visit(region: Region, in_loop: bool) -> Region:
        ops = []
        for op in region.ops:
            inside = in_loop or op.primitive is loop_p
            ops.append(substituted(op, {}, functools.partial(visit, in_loop=inside)))
        region = rebuilt(region, ops, region.yields)
        return change(region) if in_loop else region

    return with_region(function, visit(function.region, False))


class Walk:
    """The state of one walk: what each value has become, and which op defines it."""

    def __init__(self, rule: Rule):
        self.rule = rule
        self.env: Env = {}
        self.definitions: dict[Value, Op] = {}
        self.depths: dict[Value, int] = {}  # how many regions each defined value is in
        self.depth = 0

    # ----- What rules ask

    def definition(self, x: Value) -> Op | None:
        """The op that defines `x`, or None for an argument."""
        return self.definitions.get(x)

    def is_in_current_region(self, x: Value) -> bool:
        """Is `x` defined in the region of the op that the rule is shown, not outside?"""
        return self.depths.get(x) == self.depth

    def constant_value(self, x: Value | None) -> Any:
        """The number that fills `x` if it is a constant, else None, as where there is no `x`."""
        op = None if x is None else self.definitions.get(x)
        return op.params["value"] if op is not None and op.primitive is constant_p else None

    # ----- The walk

    def region(self, region: Region) -> Region:
        self.depth += 1
        with Builder() as b:
            for op in region.ops:
                self.op(op, b)
        self.depth -= 1
        return rebuilt(region, b.ops, look_up(region.yields, self.env))

    def op(self, op: Op, b: Builder) -> None:
        op = substituted(op, self.env, self.region)
        start = len(b.ops)
        with at(op.span):
            values = self.rule(op, self)
        if values is None:
            b.ops.append(op)
            for y in op.results:
                self.definitions[y] = op
                self.depths[y] = self.depth
            return
        emitted = b.ops[start:]
        del b.ops[start:]
        for new in emitted:
            self.op(new, b)  # the rule may apply to what it has emitted
        values = look_up(tuple(values), self.env)
        self.env.update(zip(op.results, values, strict=True))
        _keep_names(op, values, b.ops[start:])


def substituted(op: Op, env: Env, region: Callable[[Region], Region] | None = None) -> Op:
    """`op` with operands looked up in `env`, and regions rewritten by the function `region`.

    Without that, values are replaced as `env` says, at any depth.
    """
    if not op.regions and env.keys().isdisjoint(op.operands):
        return op  # most ops of most passes
    operands = look_up(op.operands, env)
    inside = region or functools.partial(substituted_region, env=env)
    regions = tuple(map(inside, op.regions)) if op.regions else ()
    if operands == op.operands and regions == op.regions:
        return op
    return Op(op.primitive, operands, op.params, regions, op.results, op.span)


def substituted_region(region: Region, env: Env) -> Region:
    """`region` with values replaced as `env` says, at any depth."""
    return rebuilt(region, [substituted(op, env) for op in region.ops], look_up(region.yields, env))


def look_up(values: tuple[Value, ...], env: Env) -> tuple[Value, ...]:
    return tuple([env.get(x, x) for x in values]) if env else values


def rebuilt(region: Region, ops: Sequence[Op], yields: tuple[Value, ...]) -> Region:
    """The region with these ops and yields; the same object if nothing has changed."""
    ops = tuple(ops)
    if ops == region.ops and yields == region.yields:
        return region
    return Region(region.args, ops, yields)


def _keep_names(old: Op, values: Sequence[Value], new: Sequence[Op]) -> None:
    """Give the new values that replace results of `old` the user's names of those results."""
    fresh = {y for op in new for y in op.results}
    fresh -= {y for region in old.regions for op in region.ops for y in op.results}
    for y, value in zip(old.results, values):
        if value in fresh and value.name is None:
            value.name = y.name
