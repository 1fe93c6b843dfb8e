"""The smallest drivers of derivative rules: straight-line regions, one op after the other.

They read the rules as `transforms/` does, with nothing of its care for activity, loops or
residuals: what is tested here is the rules alone.
"""

from __future__ import annotations

from myia.ir.builder import build_region, emit
from myia.ir.core import Op, Region, Value
from myia.ir.primitive import NONDIFFERENTIABLE, Linear, Partials
from myia.ir.rewrite import inline
from myia.primitives.arithmetic import add, mul, neg
from myia.primitives.define import zeros


def active(values) -> list[int]:
    return [i for i, x in enumerate(values) if x.aval.differentiable]


def product(factor, x: Value) -> Value:
    """`factor` may be a number, which a rule may give for a partial."""
    if isinstance(factor, Value):
        return mul(factor, x)
    return {1: lambda: x, -1: lambda: neg(x)}.get(factor, lambda: mul(factor, x))()


def total(terms: list[Value]) -> Value | None:
    if not terms:
        return None
    first, *rest = terms
    for term in rest:
        first = add(first, term)
    return first


# ----- Forward


def jvp(region: Region) -> Region:
    """(*xs, *tangents of the differentiable xs) -> tangents of the differentiable results."""
    inputs, outputs = active(region.args), active(region.yields)

    def body(*args):
        xs, seeds = args[: len(region.args)], args[len(region.args) :]
        env, tangents = dict(zip(region.args, xs)), {}
        for i, seed in zip(inputs, seeds):
            tangents[region.args[i]] = seed
        for op in region.ops:
            copy = inline(Region((), (op,), op.results), (), env)
            env.update(zip(op.results, copy))
            push(op, env, tangents)
        ys = [region.yields[i] for i in outputs]
        return [tangents.get(y) or zeros(y.aval) for y in ys]

    avals = [x.aval for x in region.args]
    return build_region(avals + [avals[i] for i in inputs], body)


def push(op: Op, env, tangents) -> None:
    ts = [tangents.get(x) for x in op.operands]
    rule = op.primitive.derivative
    if all(t is None for t in ts) or rule is NONDIFFERENTIABLE or not active(op.results):
        return
    xs, ys = [env.get(x, x) for x in op.operands], [env[y] for y in op.results]
    if isinstance(rule, Partials):
        results = [push_partials(rule, op, xs, ys, ts)]
    elif isinstance(rule, Linear):
        results = [push_linear(rule, op, xs, ts)]
    else:
        results = rule.jvp(ys, xs, ts, **op.params)
    tangents.update({y: t for y, t in zip(op.results, results) if t is not None})


def push_partials(rule: Partials, op: Op, xs, ys, ts) -> Value | None:
    pairs = [(f, t) for f, t in zip(rule.partials, ts, strict=True) if None not in (f, t)]
    return total([product(f(*ys, *xs, **op.params), t) for f, t in pairs])


def push_linear(rule: Linear, op: Op, xs, ts) -> Value | None:
    groups = rule.groups or (tuple(range(len(xs))),)
    terms = []
    for group in groups:
        if any(ts[i] is not None for i in group):
            operands = list(xs)
            for i in group:
                operands[i] = zeros(xs[i].aval) if ts[i] is None else ts[i]
            terms += emit(op.primitive, *operands, **op.params)
    return total(terms)


# ----- Reverse


class Collected:
    """The accumulators of one reverse sweep."""

    def __init__(self):
        self.cotangents: dict[Value, Value] = {}

    def wants(self, x: Value) -> bool:
        return x.aval.differentiable

    def add(self, x: Value, ct: Value | None) -> None:
        if ct is not None and self.wants(x):
            assert ct.aval == x.aval
            self.cotangents[x] = add(self.cotangents[x], ct) if x in self.cotangents else ct

    def buffer(self, x: Value) -> Value:
        return self.cotangents.get(x) or zeros(x.aval)

    def replace(self, x: Value, ct: Value) -> None:
        assert ct.aval == x.aval
        self.cotangents[x] = ct


def vjp(region: Region) -> Region:
    """(*xs, *cotangents of the differentiable results) -> cotangents of the differentiable xs."""
    inputs, outputs = active(region.args), active(region.yields)

    def body(*args):
        xs, seeds = args[: len(region.args)], args[len(region.args) :]
        env = dict(zip(region.args, xs))
        # The copy keeps the ops, so that the rules see operands that are visible here.
        ops = []
        for op in region.ops:
            results = emit(op.primitive, *(env.get(x, x) for x in op.operands), **op.params)
            env.update(zip(op.results, results))
            operands = tuple(env.get(x, x) for x in op.operands)
            ops.append(Op(op.primitive, operands, op.params, (), results))
        acc = Collected()
        for i, seed in zip(outputs, seeds):
            acc.add(env[region.yields[i]], seed)
        for op in reversed(ops):
            pull(op, acc)
        return [acc.buffer(xs[i]) for i in inputs]

    avals = [x.aval for x in region.args]
    return build_region(avals + [region.yields[i].aval for i in outputs], body)


def pull(op: Op, acc: Collected) -> None:
    cts = [acc.cotangents.get(y) for y in op.results]
    rule = op.primitive.derivative
    if all(ct is None for ct in cts) or rule is NONDIFFERENTIABLE:
        return
    if isinstance(rule, Partials):
        pull_partials(rule, op, cts[0], acc)
    elif isinstance(rule, Linear):
        pull_linear(rule, op, cts[0], acc)
    else:
        rule.vjp(op, cts, acc)


def pull_partials(rule: Partials, op: Op, ct: Value, acc: Collected) -> None:
    for x, partial in zip(op.operands, rule.partials, strict=True):
        if partial is not None and acc.wants(x):
            acc.add(x, product(partial(*op.results, *op.operands, **op.params), ct))


def pull_linear(rule: Linear, op: Op, ct: Value, acc: Collected) -> None:
    if rule.accumulate is not None:
        rule.accumulate(op, ct, acc)
        return
    for i in linear_operands(rule, op):
        if acc.wants(op.operands[i]):
            acc.add(op.operands[i], transposed(rule, op, i, ct))


def linear_operands(rule: Linear, op: Op) -> list[int]:
    groups = rule.groups or (tuple(range(len(op.operands))),)
    return [i for group in groups for i in group]


def transposed(rule: Linear, op: Op, i: int, ct: Value) -> Value | None:
    if callable(rule.transpose):
        return rule.transpose(i, ct, *op.operands, **op.params)
    return rule.transpose[i](ct, *op.operands, **op.params)
