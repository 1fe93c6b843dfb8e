"""Functions with a derivative rule: the rule is used, the function itself is not differentiated.

Where a derivative is taken through such a function, its rule takes its place. The rule is then an
ordinary part of the program: a second derivative differentiates the rule.

    %y = custom %x { f }     rule(x, x_t) -> y, y_t
        forward:   %y, %y_t = call rule(%x, %x_t)
        reverse:   %y, %_ = call rule(%x, 0)
                   %x_ct = the transpose of rule(%x, .) on %y_ct

    %y = custom %x { f }     forward(x) -> y, r    backward(r, y_ct) -> x_ct
        reverse:   %y, %r = call forward(%x)
                   %x_ct = backward(%r, %y_ct)

The transpose is the pullback of the rule with respect to its tangents, in which it is linear.

The functions here that take `reverse` receive `vjp.reverse`: see the docstring of `vjp.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from myia.ir.avals import Aval
from myia.ir.builder import Builder, append, current_span
from myia.ir.core import Op, Region, Tangents, Value
from myia.ir.rewrite import inline
from myia.primitives.core.define import zeros
from myia.primitives.core.host_calls import has_host_call
from myia.primitives.core.structured import Rule, call_p, custom_p
from myia.rewriting.walk import rebuilt, substituted
from myia.source.diagnostics import InternalError, MyiaError
from myia.transforms.activity import differentiable
from myia.transforms.clone import clone, clone_with_args
from myia.transforms.cotangents import Accumulators, Reverse, or_zeros
from myia.transforms.errors import ClosedOver, NoForwardRule
from myia.transforms.supports.slices import Support
from myia.transforms.supports.tracked import Supports

Residuals = dict[Op, tuple[Value, ...]]


def is_active(op: Op, active: set[Value]) -> bool:
    """Whether a derivative flows through a `custom` op; an error if through a captured value."""
    flows = any(x in active for x in op.operands) and any(y in active for y in op.results)
    if flows and any(x in active for x in op.operands[: op.params["consts"]]):
        raise MyiaError(ClosedOver(op.span or current_span(), op.params["name"]))
    return flows


def emit_rule(op: Op, ts: Sequence[Value]) -> tuple[Value, ...]:
    """Emit the rule of `op` in its place; returns the tangents of its floating results.

    `ts` are the tangents of the floating operands.
    """
    if op.params["rule"].mode == "vjp":
        raise MyiaError(NoForwardRule(op.span or current_span(), op.params["name"]))
    (rule,) = _regions(op)
    return _call(op, rule, (*op.operands, *ts))


# ----- Reverse mode


def with_rules(ops: Iterable[Op], active: set[Value], residuals: Residuals) -> list[Op]:
    """The forward sweep of `ops`: active `custom` ops, at any depth, become calls of their rules.

    Collects the `residuals` of the rules.
    """
    with Builder() as b:
        for op in ops:
            if op.primitive is not custom_p:
                append(substituted(op, {}, lambda r: region_with_rules(r, active, residuals)))
            elif not is_active(op, active) or op.params["rule"].mode == "solve":
                append(op)
            elif op.params["rule"].mode == "jvp":
                emit_rule(op, [zeros(x.aval) for x in differentiable(op.operands)])
            else:
                residuals[op] = _call(op, _regions(op)[0], op.operands)
    return b.ops


def region_with_rules(
    region: Region, active: set[Value], residuals: Residuals | None = None
) -> Region:
    """`region` with its ops replaced as by `with_rules`."""
    residuals = {} if residuals is None else residuals
    return rebuilt(region, with_rules(region.ops, active, residuals), region.yields)


def pull_back_custom(
    reverse: Reverse, op: Op, cts: Tangents, supports: Sequence[Support], acc: Accumulators
) -> None:
    if not is_active(op, acc.active):
        return
    given = dict(zip(op.results, cts))
    if op.params["rule"].mode == "jvp":
        _transpose_rule(reverse, op, given, dict(zip(op.results, supports)), acc)
        return
    backward = _regions(op)[1]
    seeds = [or_zeros(given[y], y) for y in differentiable(op.results)]
    # A host call in it is part of the adjoint; a print is not.
    replay = not any(map(has_host_call, backward.ops))
    results = inline(clone(backward, replay=replay), (*acc.residuals[op], *seeds))
    for x, ct in zip(differentiable(op.operands[op.params["consts"] :]), results, strict=True):
        acc.add(x, ct)


def _transpose_rule(
    reverse: Reverse,
    op: Op,
    given: dict[Value, Value | None],
    supports: dict[Value, Support],
    acc: Accumulators,
) -> None:
    """Emit the transpose of a jvp rule.

    The rule is linear in the tangents, so its transpose does not depend on their values: they are
    set to zero. It is an ordinary sweep, in which supports are tracked.
    """
    xs = differentiable(op.operands)
    ts = [zeros(x.aval) for x in xs]
    step = clone_with_args(_regions(op)[0], (*op.operands, *ts), replay=True)
    tangents = zip(differentiable(op.results), step.yields[len(op.results) :])
    seeds = [(y, t) for y, t in tangents if given[y] is not None]
    inside = Supports(
        of_cts=[supports[y] for y, _ in seeds],
        wanted=[t for x, t in zip(xs, ts) if acc.tracks(x)],
        outside=acc.tracked,
        by_position=acc.by_position,
        in_loop=acc.in_loop,
    )
    wanted = [t for x, t in zip(xs, ts) if acc.wants(x)]
    sums = reverse(step.ops, wanted, [(t, given[y]) for y, t in seeds], supports=inside)
    for x, t in zip(xs, ts):
        with acc.contribute({x: sums.supports.get(t)}):
            acc.add(x, sums.get(t))


# ----- What these have in common


def _avals(values: Iterable[Value]) -> list[Aval]:
    return [x.aval for x in values]


def _regions(op: Op) -> tuple[Region, ...]:
    """The regions of the rule of `op`, checked against the function whose derivative they are."""
    rule: Rule = op.params["rule"]
    regions = rule.regions
    floats, float_results = differentiable(op.operands), differentiable(op.results)
    if rule.mode == "jvp":
        (tangents,) = regions
        takes, gives = (*op.operands, *floats), (*op.results, *float_results)
        fits = _fits(tangents, takes, gives)
    else:
        forward, backward = regions
        residuals = forward.yields[len(op.results) :]
        takes, gives = (*residuals, *float_results), op.operands[op.params["consts"] :]
        fits = _fits(forward, op.operands, (*op.results, *residuals))
        fits = fits and _fits(backward, takes, differentiable(gives))
    if not fits:
        raise InternalError(f"the rule of {op.params['name']} does not fit the function")
    return regions


def _fits(region: Region, takes: Sequence[Value], gives: Sequence[Value]) -> bool:
    return _avals(region.args) == _avals(takes) and _avals(region.yields) == _avals(gives)


def _call(op: Op, region: Region, operands: Sequence[Value]) -> tuple[Value, ...]:
    """Emit a call of `region` in place of `op`; returns the results after those of `op`."""
    more = tuple(Value(y.aval) for y in region.yields[len(op.results) :])
    params = {"name": op.params["name"]}
    call = Op(call_p, tuple(operands), params, (clone(region),), op.results + more, op.span)
    append(call)
    return more
