"""Regions of functions with a derivative rule, and of their rules, prepared for `custom` ops.

A `custom` op's regions capture nothing: captured values become leading arguments, and constant
operands of the op.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from myia.infer.domain.values import Abstract, Scalar
from myia.ir.builder import Builder
from myia.ir.core import Op, Region, Value
from myia.ir.rewrite import clone_region
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Rule, custom_p


@dataclass(frozen=True)
class InferredRegion:
    """An inferred region, and the code of the first of its run-time checks that failed."""

    region: Region
    code: Abstract

    @property
    def checked(self) -> bool:
        return isinstance(self.code, Scalar)

    def with_code(self, n: int) -> InferredRegion:
        """The same region, which also yields the code, after its first `n` results."""
        region = self.region
        with Builder() as b:
            code = self.code.value if isinstance(self.code, Scalar) else constant(0, "int32")
        yields = (*region.yields[:n], code, *region.yields[n:])
        return InferredRegion(Region(region.args, (*region.ops, *b.ops), yields), self.code)


def close_region(region: Region, consts: Sequence[Value], at: int = 0) -> Region:
    """`region` with arguments in place of the captured `consts`, inserted at position `at`."""
    args = tuple(Value(x.aval, x.name) for x in consts)
    found = clone_region(region, dict(zip(consts, args)))
    return Region((*found.args[:at], *args, *found.args[at:]), found.ops, found.yields)


def add_constant_tangents(region: Region, consts: Sequence[Value], args: int) -> Region:
    """`region(*consts, *args, *tangents)` with unused tangents of the constants added."""
    more = tuple(Value(x.aval) for x in consts if x.aval.differentiable)
    n = len(consts) + args
    return Region((*region.args[:n], *more, *region.args[n:]), region.ops, region.yields)


def add_constants(region: Region, rule: Rule, own: int, extra: Sequence[Value]) -> Region:
    """Add `extra` constants, after the `own` ones, to calls of the function inside its own rule."""
    if not extra:
        return region
    ops = tuple(_op_with_consts(op, rule, own, extra) for op in region.ops)
    return Region(region.args, ops, region.yields)


def _op_with_consts(op: Op, rule: Rule, own: int, extra: Sequence[Value]) -> Op:
    operands, params = op.operands, op.params
    regions = tuple(add_constants(r, rule, own, extra) for r in op.regions)
    if op.primitive is custom_p and params["rule"] is rule:
        more = tuple(Value(x.aval) for x in extra)
        operands = (*operands[:own], *extra, *operands[own:])
        (f,) = regions
        regions = (Region((*f.args[:own], *more, *f.args[own:]), f.ops, f.yields),)
        params = {**params, "consts": own + len(extra)}
    return Op(op.primitive, operands, params, regions, op.results, op.span)
