"""The expansion of `derivative` ops into ordinary ops, loops and adjoint loops (`rev`).

%y, %g = derivative vjp wrt (0,) of (0,) (%a = %x) seeds (%1) { %b = sin %a; yield %b }
  ->   %y = sin %x
       %2 = cos %x
       %g = mul %1, %2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env, inline
from myia.primitives.core.structured import JACOBIANS, Rule, custom_p, derivative_p
from myia.source.diagnostics import MyiaError
from myia.transforms.errors import CircularRule
from myia.transforms.host_calls import check_host_calls, may_call_host, split_host_calls
from myia.transforms.jacobians.blocks import jacobian
from myia.transforms.jvp import jvp_region
from myia.transforms.remat import lower_calls
from myia.transforms.vjp import vjp_region

MODES = {"jvp": jvp_region, "vjp": vjp_region}


def expand_derivatives(function: Function) -> Function:
    """`function` without `derivative` ops; nested ones are expanded innermost first.

    After the last one no derivative rule is needed any more, and it is settled which calls are
    recomputed for a derivative: `custom` and `remat` ops become calls.
    """
    expanded = _Expansion().region(function.region, {})
    return function.with_region(lower_calls(expanded))


class _Expansion:
    """The expansion of one program. Rules that users wrote may take derivatives, too.

    The regions of a rule are expanded when a derivative first uses it, so a rule that is not used
    costs nothing. Calls of the function inside its own rule have the same expanded rule.
    """

    def __init__(self) -> None:
        self.rules: dict[Rule, Rule] = {}
        self.running: list[Rule] = []  # whose regions are being expanded
        self.derivatives: list[Op] = []  # that are being expanded

    def region(self, region: Region, env: Env) -> Region:
        """`env` maps the results of expanded ops; values are unique, so one serves all regions."""
        with Builder() as b:
            for op in region.ops:
                regions = tuple(self.region(r, env) for r in op.regions)
                operands = tuple(env.get(x, x) for x in op.operands)
                if op.primitive is derivative_p:
                    env.update(zip(op.results, self.derivative(op, operands, regions[0])))
                else:
                    params = self.with_expanded_rule(op)
                    append(Op(op.primitive, operands, params, regions, op.results, op.span))
        return Region(region.args, tuple(b.ops), tuple(env.get(y, y) for y in region.yields))

    def derivative(self, op: Op, operands: Sequence[Value], f: Region) -> tuple[Value, ...]:
        self.derivatives.append(op)
        try:
            return _expanded(op, operands, f)
        finally:
            self.derivatives.pop()

    def with_expanded_rule(self, op: Op) -> Mapping[str, Any]:
        """The parameters of `op`, with an expanded rule if it has a rule."""
        if op.primitive is not custom_p:
            return op.params
        rule, name = op.params["rule"], op.params["name"]
        if rule not in self.rules:
            self.rules[rule] = Rule(rule.mode, lambda: self.rule_regions(rule, name))
        return {**op.params, "rule": self.rules[rule]}

    def rule_regions(self, rule: Rule, name: str) -> tuple[Region, ...]:
        if rule in self.running:
            raise MyiaError(CircularRule(self.derivatives[-1].span, name))
        self.running.append(rule)
        try:
            return tuple(self.region(r, {}) for r in rule.regions)
        finally:
            self.running.pop()


def _expanded(op: Op, operands: Sequence[Value], f: Region) -> tuple[Value, ...]:
    mode, wrt, of = (op.params[name] for name in ("mode", "wrt", "of"))
    if mode in JACOBIANS:  # inference has refused host calls
        with at(op.span):
            return jacobian(op, operands, f)
    if not may_call_host(f):
        return inline(MODES[mode](f, wrt, of), operands)
    check_host_calls(f, wrt, of)
    parts = split_host_calls(f, wrt, of) if mode == "vjp" else None
    if parts is None:
        return inline(MODES[mode](f, wrt, of), operands)
    first, rest = parts
    n, args = len(f.yields), operands[: len(f.args)]
    found = inline(first, args)
    operands = (*args, *found[n:], *operands[len(f.args) :])
    return found[:n] + inline(vjp_region(rest, wrt, of), operands)[n:]
