"""Host calls under reverse mode: made once, in a first run that records their results.

    derivative (%n, %x) { %y = host_call %n; %z = mul %x, %y; yield %z }
        ->   %y = host_call %n; %z = mul %x, %y                      the first run
             derivative (%n, %x, %y) { %z = mul %x, %y; yield %z }   without effects

The adjoint then recomputes what it likes. A branch yields its records, a loop stacks them, so its
trip count must be bounded. Where no derivative flows through an op its results are the record,
whatever host calls are inside of it. A function with a derivative rule is replaced by its rule in
the first run. The host calls of a backward rule are made where the adjoint comes to them.
Calls without a result (logs) need no record: they stay, as prints do, in what is run first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from myia.ir.builder import Builder, at
from myia.ir.core import Op, Region, Value, Values, walk
from myia.ir.rewrite import clone_region, inline, with_regions, without_effects
from myia.primitives.arrays import dynamic_slices, shaping
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.host_calls import has_recorded_call, is_host_call, is_recorded
from myia.primitives.core.structured import Loop, Rule, call_p, custom_p, if_p, loop_p, remat_p
from myia.rewriting.walk import substituted_region
from myia.source.diagnostics import MyiaError
from myia.transforms.activity import active_values, differentiable
from myia.transforms.clone import clone, with_unused_args
from myia.transforms.custom import is_active, with_rules
from myia.transforms.errors import HostCallInAdjoint, HostNotDifferentiable, UnboundedHostCalls


def may_call_host(region: Region) -> bool:
    return any(is_host_call(op) or op.primitive is custom_p for op in walk(region))


def check_host_calls(region: Region, wrt: Sequence[int], of: Sequence[int]) -> None:
    """MyiaError if a derivative flows through a host call."""
    inputs, outputs = [region.args[i] for i in wrt], [region.yields[i] for i in of]
    _check(region.ops, active_values(region.ops, inputs, outputs))


def _check(ops: Iterable[Op], active: set[Value]) -> None:
    for op in ops:
        if is_host_call(op) and any(y in active for y in op.results):
            raise MyiaError(HostNotDifferentiable(op.span, op.params["call"].name))
        if op.primitive is not custom_p or not is_active(op, active):
            for region in op.regions:
                _check(region.ops, active)


def check_adjoint(region: Region) -> None:
    """MyiaError if the adjoint of a loop calls the host."""
    for op in walk(region):
        if is_host_call(op):
            raise MyiaError(HostCallInAdjoint(op.span, op.params["call"].name))


def split_host_calls(
    region: Region, wrt: Sequence[int], of: Sequence[int]
) -> tuple[Region, Region] | None:
    """(*args) -> (*ys, *records) with the effects, and (*args, *records) -> *ys without any.

    None if the forward sweep makes no host call.
    """
    source = clone(region)
    inputs, outputs = [source.args[i] for i in wrt], [source.yields[i] for i in of]
    splitter = _Splitter(active_values(source.ops, inputs, outputs))
    if not any(map(splitter.calls, source.ops)):
        return None
    found = splitter.split(source.ops)
    first = Region(source.args, tuple(found.first), (*source.yields, *found.records))
    rest = Region((*source.args, *found.records), tuple(found.rest), source.yields)
    return clone_region(first), clone_region(without_effects(rest))


@dataclass
class _Split:
    """Ops in two parts. `rest` reads the `records`, which are values that `first` computes."""

    first: list[Op] = field(default_factory=list)
    records: list[Value] = field(default_factory=list)
    rest: list[Op] = field(default_factory=list)


class _Splitter:
    def __init__(self, active: set[Value]):
        self.active = active

    def calls(self, op: Op) -> bool:
        """Whether `op`, or the rule that takes its place, calls the host in the forward sweep."""
        if self.is_ruled(op):
            return any(map(has_recorded_call, (op, *op.params["rule"].regions[0].ops)))
        return is_recorded(op) or any(self.calls(inner) for r in op.regions for inner in r.ops)

    def is_ruled(self, op: Op) -> bool:
        return op.primitive is custom_p and is_active(op, self.active)

    def split(self, ops: Iterable[Op]) -> _Split:
        found = _Split()
        for op in ops:
            with at(op.span):
                self.op(op, found)
        return found

    def op(self, op: Op, to: _Split) -> None:
        if not self.calls(op):
            to.first += with_rules([op], self.active, {})
            to.rest.append(op)
        elif not any(y in self.active for y in op.results):
            to.first.append(op)
            to.records += op.results
        elif op.primitive is if_p:
            self.if_(op, to)
        elif op.primitive is loop_p:
            self.loop(op, to)
        elif op.primitive in (call_p, remat_p):
            self.call(op, to)
        elif op.primitive is custom_p and op.params["rule"].mode == "vjp":
            self.vjp_rule(op, to)
        elif op.primitive is custom_p and op.params["rule"].mode == "jvp":
            self.jvp_rule(op, to)
        else:
            call = next(inner for r in op.regions for inner in walk(r) if is_recorded(inner))
            raise MyiaError(HostCallInAdjoint(call.span, call.params["call"].name))

    def emit_first(
        self,
        op: Op,
        operands: Values,
        regions: Sequence[Region],
        records: Values,
        to: _Split,
        **params: Any,
    ) -> tuple[Value, ...]:
        """Add `op` to the first part with more results, which are the records."""
        more = tuple(Value(r.aval) for r in records)
        params = {**op.params, **params}
        results = (*op.results, *more)
        to.first.append(Op(op.primitive, tuple(operands), params, tuple(regions), results, op.span))
        to.records += more
        return more

    def if_(self, op: Op, to: _Split) -> None:
        arms = [self.split(region.ops) for region in op.regions]
        records = [r for arm in arms for r in arm.records]
        regions = []
        for region, arm in zip(op.regions, arms):
            with Builder() as b:
                own = [r if r in arm.records else zeros(r.aval) for r in records]
            regions.append(Region((), (*arm.first, *b.ops), (*region.yields, *own)))
        env = dict(zip(records, self.emit_first(op, op.operands, regions, records, to)))
        rest = [
            substituted_region(Region((), tuple(arm.rest), r.yields), env)
            for r, arm in zip(op.regions, arms)
        ]
        to.rest.append(with_regions(op, rest))

    def call(self, op: Op, to: _Split) -> None:
        (body,) = op.regions
        found = self.split(body.ops)
        first = Region(body.args, tuple(found.first), (*body.yields, *found.records))
        more = self.emit_first(op, op.operands, [first], found.records, to)
        rest = substituted_region(
            Region(body.args, tuple(found.rest), body.yields), dict(zip(found.records, more))
        )
        to.rest.append(with_regions(op, [rest]))

    def loop(self, op: Op, to: _Split) -> None:
        """Each record becomes an array with a row for each iteration."""
        parts = Loop.of(op)
        calls = [x for x in walk(parts.body) if is_recorded(x) or self.is_ruled(x)]
        if parts.bound is None:
            first = calls[0].params
            name = first["call"].name if "call" in first else first["name"]
            raise MyiaError(UnboundedHostCalls(calls[0].span, name))
        found = self.split(parts.body.ops)
        k, records = parts.body.args[0], found.records
        avals = [r.aval.with_shape((parts.bound, *r.shape)) for r in records]
        rows = [Value(a) for a in avals]
        with Builder() as b:
            stored = [_with_row(x, k, r) for x, r in zip(rows, records)]
        body = Region(
            (*parts.body.args, *rows), (*found.first, *b.ops), (*parts.body.yields, *stored)
        )
        cond = [] if parts.cond is None else [with_unused_args(parts.cond, rows)]
        with Builder() as b:
            buffers = [zeros(a) for a in avals]
        to.first += b.ops
        more = self.emit_first(op, (*op.operands, *buffers), [*cond, body], rows, to)
        with Builder() as b:
            loaded = {r: _row(x, k) for r, x in zip(records, more)}
        rest = substituted_region(
            Region(parts.body.args, tuple(found.rest), parts.body.yields), loaded
        )
        rest = Region(rest.args, (*b.ops, *rest.ops), rest.yields)
        to.rest.append(with_regions(op, [*op.regions[:-1], rest]))

    # ----- Functions with a derivative rule

    def vjp_rule(self, op: Op, to: _Split) -> None:
        forward, backward = (clone_region(r) for r in op.params["rule"].regions)
        n = len(op.results)
        found = _Splitter(set()).split(forward.ops)  # no derivative is taken of the rule here
        more = self.call_rule(op, forward, (), found, to)
        args = (*found.records, *forward.args)
        f = Region(args, tuple(found.rest), forward.yields[:n])
        rule = (Region(args, tuple(found.rest), forward.yields), backward)
        to.rest.append(_with_rule(op, more, f, Rule("vjp", lambda: rule)))

    def jvp_rule(self, op: Op, to: _Split) -> None:
        (region,) = (clone_region(r) for r in op.params["rule"].regions)
        n, count = len(op.results), len(op.operands)
        primals, tangents = region.args[:count], region.args[count:]
        # The tangents are zero in the first run.
        of_host = [x for inner in walk(region) if is_host_call(inner) for x in inner.operands]
        read = active_values(region.ops, tangents, of_host)
        for inner in walk(region):
            if is_host_call(inner) and not read.isdisjoint(inner.operands):
                raise MyiaError(HostNotDifferentiable(inner.span, inner.params["call"].name))
        found = _Splitter(active_values(region.ops, tangents, region.yields[n:])).split(region.ops)
        with Builder() as b:
            no_tangents = [zeros(t.aval) for t in tangents]
        to.first += b.ops
        more = self.call_rule(op, region, no_tangents, found, to)
        unused = tuple(Value(x.aval) for x in differentiable(found.records))
        rest = Region(
            (*found.records, *primals, *unused, *tangents), tuple(found.rest), region.yields
        )
        args = tuple(Value(x.aval, x.name) for x in (*found.records, *primals))
        with Builder() as b:
            ys = inline(rest, (*args, *(zeros(t.aval) for t in (*unused, *tangents))))[:n]
        f = Region(args, tuple(b.ops), ys)
        to.rest.append(_with_rule(op, more, f, Rule("jvp", lambda: (rest,))))

    def call_rule(
        self, op: Op, region: Region, also: Sequence[Value], found: _Split, to: _Split
    ) -> Sequence[Value]:
        """Add a call of the forward part of a rule in place of `op`; returns its records."""
        n = len(op.results)
        first = Region(region.args, tuple(found.first), (*region.yields[:n], *found.records))
        call = Op(call_p, op.operands, {"name": op.params["name"]}, (), op.results, op.span)
        operands = (*op.operands, *also)
        return self.emit_first(call, operands, [clone_region(first)], found.records, to)


def _with_rule(op: Op, records: Sequence[Value], f: Region, rule: Rule) -> Op:
    """`op` with the records as further constants."""
    consts = op.params["consts"] + len(records)
    params = {**op.params, "rule": rule, "consts": consts}
    return Op(custom_p, (*records, *op.operands), params, (clone_region(f),), op.results, op.span)


def _with_row(rows: Value, k: Value, item: Value) -> Value:
    row = shaping.reshape(item, shape=(1, *item.shape))
    zero = constant(0, np.int64)
    return dynamic_slices.dynamic_update_slice(rows, row, k, *[zero] * len(item.shape))


def _row(rows: Value, k: Value) -> Value:
    shape, zero = rows.shape[1:], constant(0, np.int64)
    row = dynamic_slices.dynamic_slice(rows, k, *[zero] * len(shape), sizes=(1, *shape))
    return shaping.reshape(row, shape=shape)
