"""Calls of functions with a derivative rule written in Python become `custom` ops.

Where a derivative is being taken, the function and its rule are inferred into closed regions: the
values that they capture, also from globals, become constant operands of the op. Elsewhere the
function is simply called.

    f.defjvp(rule)            rule(*nondiff, primals, tangents) -> y, y_t
    f.defvjp(forward, backward)
                              forward(*args) -> y, residuals
                              backward(*nondiff, residuals, y_ct) -> the cotangents of the others

A rule may call the function that it belongs to: such a call uses the rule being inferred.

`ctx.differentiating` says how many derivatives may still be taken of a piece of code. A rule takes
the place of its function in one derivative, so one less is taken of the rule. So inference ends
even if each rule calls another function with a rule, as that of a fixed point does. Reverse mode
also transposes a rule of forward mode, which is one derivative more: the outermost one has it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from myia.infer.boundary.differentiable_leaves import Tree, differentiable_tree, of_same_kind
from myia.infer.custom.regions import (
    InferredRegion,
    add_constant_tangents,
    add_constants,
    close_region,
)
from myia.infer.custom.rule_checks import RuleResultChecker
from myia.infer.derivatives.argument_copies import (
    base_objects,
    link_copies,
    link_may_alias,
    names_of,
    noted_changes,
)
from myia.infer.derivatives.derivatives import argument_numbers
from myia.infer.derivatives.parameters import function_name
from myia.infer.domain.context import NO_ERROR, Context
from myia.infer.domain.errors import BadRule, BadType, RuleTooDeep
from myia.infer.domain.heap import CellObject, Heap
from myia.infer.domain.values import Abstract, Closure, PyFunction, Ref, Scalar, Static, Tuple
from myia.infer.eval.calls import bind
from myia.infer.jax.objects.calls import trace_key
from myia.infer.unsupported import UnsupportedDerivative
from myia.ir.builder import Builder, current_span, emit
from myia.ir.core import Region, Value, captures
from myia.primitives.core.structured import Rule, custom_p
from myia.source.diagnostics import MyiaError

ZERO_TANGENT = Static(0)  # the tangent or cotangent of what has none
RETURN_IT = "change only what it has made itself, and return that"
AVOID_CHECKS = "prove it to be right, or do it in the forward rule and hand over what it gives"


@dataclass(frozen=True)
class CustomFunction:
    """A function and its rule as abstract values.

    `identity`: the user's decorated object; `mode`: "jvp" (one rule) or "vjp" (forward, backward).
    """

    identity: Any
    name: str
    mode: str
    function: Abstract
    rules: tuple[Abstract, ...]
    nondiff_argnums: tuple[int, ...]


def call_custom(ctx: Context, custom: CustomFunction, args: tuple, kwargs: dict) -> Abstract:
    """`custom.function(*args, **kwargs)`, whose derivative is the rule."""
    if not custom.rules:
        define = "f.defvjp(fwd, bwd)" if custom.mode == "vjp" else "f.defjvp(rule)"
        ctx.fail(
            UnsupportedDerivative,
            what=f"`{custom.name}`, which has no derivative rule yet,",
            help_text=f"give it one before it is called: `{define}`",
        )
    args = _positional(ctx, custom, args, kwargs)
    # A rule of forward mode may be transposed once more than the count says.
    transposed = any(found.rule.mode == "jvp" for found in ctx.rules.values())
    if not ctx.differentiating and not transposed:
        return ctx.call(custom.function, args, {})
    return _Call(ctx, custom, args).emit()


def _positional(
    ctx: Context, custom: CustomFunction, args: tuple, kwargs: dict
) -> tuple[Abstract, ...]:
    """The arguments as rules take them: in the order of the parameters, with defaults."""
    f = custom.function
    if isinstance(f, Closure):
        code, defaults = f.code, f.defaults
    elif isinstance(f, PyFunction):
        code, defaults = ctx.load(f.function), f.parts[len(f.function.__code__.co_freevars) :]
    elif not kwargs:
        return tuple(args)
    else:
        message = f"{custom.name}() with a derivative rule takes positional arguments only"
        ctx.fail(BadType, message=message)
    if any(p.kind in ("KEYWORD_ONLY", "VAR_KEYWORD") for p in code.parameters):
        what = f"a derivative rule of `{custom.name}`, which has keyword-only parameters,"
        ctx.fail(UnsupportedDerivative, what=what)
    bound = bind(ctx, code.name, code.parameters, defaults, args, kwargs)
    if code.parameters and code.parameters[-1].kind == "VAR_POSITIONAL":
        bound[-1:] = bound[-1].children()
    return tuple(bound)


def _runtime_values_of(ctx: Context, x: Abstract) -> list[Any]:
    """The run-time values in `x`, and the ids of its objects."""
    if isinstance(x, Ref):
        return [x.id]
    own = [x.value] if isinstance(x, Scalar) else []
    return own + [v for child in x.children() for v in _runtime_values_of(ctx, child)]


@dataclass(frozen=True)
class InferredRule:
    """The rule of a call. `own`: captures of the function; `consts`: of function and rule."""

    rule: Rule
    own: list[Value]
    consts: list[Value]
    checked: bool  # the code of run-time checks is one more result


class _Call:
    """One call where a derivative is taken."""

    def __init__(self, ctx: Context, custom: CustomFunction, args: tuple[Abstract, ...]) -> None:
        self.ctx, self.custom, self.args = ctx, custom, args
        self.nondiff = argument_numbers(ctx, custom.nondiff_argnums, len(args), "nondiff_argnums")
        self.wrt = [i for i in range(len(args)) if i not in self.nondiff]
        self.inputs = differentiable_tree(
            ctx, [args[i] for i in self.wrt], "an argument", integers=True
        )
        fixed = tuple(x for i in self.nondiff for x in _runtime_values_of(ctx, args[i]))
        self.key = (custom.identity, trace_key(ctx, Tuple(args)), fixed)

    def emit(self) -> Abstract:
        ctx, name, values = self.ctx, self.custom.name, self.inputs.values
        # No derivative is taken of the function itself: the rule takes its place.
        function = self.infer([v.aval for v in values], self.function, ctx.differentiating)
        found = ctx.rules.get(self.key)
        if found is None and not ctx.differentiating:
            found = self.without_rule(function)
        elif found is None:
            found = self.with_rule(function)
        elif found.own != captures(function.region):
            self.refuse("whose rule calls it where it reads other variables", RETURN_IT)
        if found.checked:
            function = function.with_code(len(self.outputs.values))
        consts = found.consts
        results = emit(
            custom_p,
            *consts,
            *values,
            regions=[close_region(function.region, consts)],
            name=name,
            rule=found.rule,
            consts=len(consts),
        )
        if found.checked:
            ctx.merge_error_code(results[-1])
        (result,) = self.outputs.rebuild(ctx, list(results[: len(self.outputs.values)]))
        self.link(result)
        return result

    def without_rule(self, function: InferredRegion) -> InferredRule:
        """A rule that is refused if it is used."""
        span, name = current_span(), self.custom.name

        def refuse() -> tuple[Region, ...]:
            raise MyiaError(RuleTooDeep(span, name))

        own = captures(function.region)
        return InferredRule(Rule(self.custom.mode, refuse), own, own, function.checked)

    def with_rule(self, function: InferredRegion) -> InferredRule:
        """Infer the rule; twice if the rule has run-time checks and the function has none."""
        own = captures(function.region)
        for checked in (function.checked, True):
            regions: list[Region] = []
            found = InferredRule(Rule(self.custom.mode, partial(tuple, regions)), own, own, checked)
            outermost = not self.ctx.rules
            self.ctx.rules[self.key] = found
            try:
                if self.custom.mode == "jvp":
                    parts = [self.jvp_part(consumed=0 if outermost else 1)]
                else:
                    parts = self.vjp_parts()
            finally:
                del self.ctx.rules[self.key]
            if checked or not parts[0].checked:
                break
        if checked:
            parts[0] = parts[0].with_code(len(self.outputs.values))
        extra = [x for x in captures(*(p.region for p in parts)) if x not in own]
        consts = [*own, *extra]
        complete = [add_constants(p.region, found.rule, len(own), extra) for p in parts]
        regions += self.close(complete, consts)
        return replace(found, consts=consts)

    def close(self, regions: list[Region], consts: list[Value]) -> list[Region]:
        """The regions of the rule, as `Rule` wants them."""
        if self.custom.mode == "jvp":
            return [
                add_constant_tangents(
                    close_region(regions[0], consts), consts, len(self.inputs.values)
                )
            ]
        forward, backward = regions
        read = captures(backward)
        forward = Region(forward.args, forward.ops, (*forward.yields, *read))
        return [close_region(forward, consts), close_region(backward, read, at=self.residuals)]

    def link(self, result: Abstract) -> None:
        """Add may-alias edges between arguments and results that the function returns unchanged."""
        ctx = self.ctx
        copies = base_objects(ctx, [result])
        arguments = base_objects(ctx, [self.args[i] for i in self.wrt])
        link_may_alias(ctx, [*self.given, *self.returned], [*arguments, *copies])
        for shown, ids in zip(self.returned, copies, strict=True):
            for original, copy in itertools.product(shown, ids):
                if original in ctx.heap:
                    ctx.heap.add_mutual_alias(original, copy)

    # ----- Regions

    def infer(
        self, avals: Sequence, body: Callable[[list[Value]], list[Value]], consumed: int
    ) -> InferredRegion:
        """Infer `body`, a function of values of these avals, into a region; restores the heap.

        `consumed`: so many of the derivatives around the call are not taken of the region.
        """
        ctx = self.ctx
        before = ctx.heap.copy()
        ctx.differentiating -= consumed
        args = tuple(map(Value, avals))
        ctx.heap.objects[ctx.error_id] = CellObject(NO_ERROR)
        earlier, ctx.handlers.earlier = ctx.handlers.earlier, []
        try:
            with Builder() as builder:
                yields = body(list(args))
            self.check_unchanged(before)
            (code,) = ctx.heap[ctx.error_id].children()
        finally:
            ctx.differentiating += consumed
            ctx.handlers.earlier = earlier
            ctx.heap.restore(before, ids=False)
        return InferredRegion(Region(args, tuple(builder.ops), tuple(yields)), code)

    def check_unchanged(self, before: Heap) -> None:
        ctx = self.ctx
        for id, contents in ctx.heap.objects.items():
            if not ctx.is_of_checks(id) and id in before and contents is not before[id]:
                self.refuse("which changes an object from outside", RETURN_IT)

    def refuse(self, why: str, help_text: str) -> None:
        what = f"`{self.custom.name}`, a function with a derivative rule, {why},"
        self.ctx.fail(UnsupportedDerivative, what=what, help_text=help_text)

    @contextmanager
    def given_values(self, values: Sequence[Value]) -> Iterator[tuple[Abstract, ...]]:
        """All arguments, with these values in the differentiable ones: for one call."""
        ctx, args = self.ctx, list(self.args)
        originals, copies = [args[i] for i in self.wrt], self.inputs.copies(ctx, list(values))
        for i, x in zip(self.wrt, copies, strict=True):
            args[i] = x
        link_copies(ctx, originals, copies)
        with noted_changes(ctx, originals, copies):
            yield tuple(args)

    def function(self, values: list[Value]) -> list[Value]:
        ctx = self.ctx
        with self.given_values(values) as args:
            own = [args[i] for i in self.wrt]
            before = {id: ctx.heap[id] for shown in base_objects(ctx, own) for id in shown}
            result = ctx.call(self.custom.function, args, {})
        if any(ctx.heap[id] is not contents for id, contents in before.items()):
            self.refuse("which changes its arguments", RETURN_IT)
        self.given, self.returned = base_objects(ctx, own), base_objects(ctx, [result])
        self.outputs = differentiable_tree(ctx, [result], "a result", integers=True)
        return self.outputs.values

    # ----- Rules

    def jvp_part(self, consumed: int) -> InferredRegion:
        """rule(*args, *tangents) -> *ys, *tangents"""
        avals = [v.aval for v in self.inputs.values]
        tangents = [a for a in avals if a.differentiable]
        fixed = tuple(self.args[i] for i in self.nondiff)

        def body(values: list[Value]) -> list[Value]:
            tangents = Tuple(tuple(self.with_derivatives(self.inputs, values[len(avals) :])))
            (rule,) = self.custom.rules
            with self.given_values(values[: len(avals)]) as args:
                primals = Tuple(tuple(args[i] for i in self.wrt))
                found = self.ctx.call(rule, (*fixed, primals, tangents), {})
            y, t = self.items(found, 2, rule, "a pair")
            return [*self.results(y), *self.differentiable_values(self.outputs, [t], "a tangent")]

        return self.infer([*avals, *tangents], body, consumed)

    def vjp_parts(self) -> list[InferredRegion]:
        """forward(*args) -> *ys, *residuals; backward(*residuals, *cts) -> *cotangents"""
        ctx = self.ctx
        forward, backward = self.custom.rules
        kept: list[Tree] = []
        names: list[list[int]] = []  # those of the residuals

        def run(values: list[Value]) -> list[Value]:
            with self.given_values(values) as args:
                found = ctx.call(forward, args, {})
            y, residuals = self.items(found, 2, forward, "a pair")
            names.extend(names_of(ctx, [residuals]))
            kept.append(differentiable_tree(ctx, [residuals], "a residual", integers=True))
            return [*self.results(y), *kept[0].values]

        def pull(values: list[Value]) -> list[Value]:
            n = len(kept[0].values)
            fixed = tuple(self.args[i] for i in self.nondiff)
            (residuals,) = kept[0].rebuild(ctx, values[:n])
            link_may_alias(ctx, names, base_objects(ctx, [residuals]))
            (ct,) = self.with_derivatives(self.outputs, values[n:])
            found, n = ctx.call(backward, (*fixed, residuals, ct), {}), len(self.wrt)
            wanted = f"a tuple of {n} cotangents, one for each argument"
            cts = self.items(found, n, backward, wanted)
            return self.differentiable_values(self.inputs, cts, "a cotangent")

        first = self.infer([v.aval for v in self.inputs.values], run, 1)
        residuals = [v.aval for v in kept[0].values]
        seeds = [y.aval for y in self.outputs.values if y.aval.differentiable]
        second = self.infer([*residuals, *seeds], pull, 1)
        if second.checked:
            self.refuse("whose backward rule has a run-time check", AVOID_CHECKS)
        self.residuals = len(residuals)
        return [first, second]

    # ----- What rules take and give

    def with_derivatives(self, t: Tree, derivatives: Sequence[Value]) -> list[Abstract]:
        """The tree with a tangent or cotangent for each floating leaf, and zero for the others."""
        rest = iter(derivatives)
        pairs = zip(t.leaves, t.values)
        return t.fill(
            self.ctx,
            [
                of_same_kind(self.ctx, x, next(rest)) if v.aval.differentiable else ZERO_TANGENT
                for x, v in pairs
            ],
        )

    def items(self, x: Abstract, count: int, rule: Abstract, wanted: str) -> tuple[Abstract, ...]:
        items = x.items if isinstance(x, Tuple) else ()
        if len(items) != count:
            name = function_name(self.ctx, rule)
            given = f"{self.ctx.describe(x)} (`{name}` returns it)"
            self.ctx.fail(BadRule, name=self.custom.name, given=given, wanted=wanted)
        return items

    def results(self, y: Abstract) -> list[Value]:
        """The results that the rule returns, checked against those of the function."""
        (like_it,) = self.outputs.rebuild(self.ctx, self.outputs.values)
        return RuleResultChecker(self.ctx, self.custom.name, "a result", every=True).values(
            like_it, y
        )

    def differentiable_values(self, t: Tree, xs: Sequence[Abstract], what: str) -> list[Value]:
        """Tangents or cotangents of the floating leaves of a tree."""
        match = RuleResultChecker(self.ctx, self.custom.name, what)
        pairs = zip(t.rebuild(self.ctx, t.values), xs, strict=True)
        return [v for like_it, x in pairs for v in match.values(like_it, x)]
