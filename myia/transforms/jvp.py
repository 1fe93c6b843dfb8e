"""Forward mode: beside each active value its tangent is computed.

    %y = sin %x     ->     %y = sin %x
                           %1 = cos %x
                           %2 = mul %x_t, %1

An `if` and a `remat` yield the tangents too; a `loop` and a `rev` carry them:

    %y = for %k < %n (%x = %x0) { body }
      ->  %y, %y_t = for %k < %n (%x = %x0, %x_t = %x0_t) { body and its tangents }

So they do with the supports of tangents (`supports/`), arrays of booleans, where an op with a pole
asks for one that is not everywhere: before a loop, or after one of its iterations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from myia.ir.builder import Builder, append, at, current_span, emit1
from myia.ir.core import Op, Region, Tangents, Value
from myia.ir.primitive import Explicit, Linear, Partials
from myia.primitives.core.region_dataflow import adjoint_state, adjoint_state_args
from myia.primitives.core.structured import Loop, custom_p, if_p, loop_p, remat_p, rev_p
from myia.rewriting.liveness import eliminate_dead_values
from myia.source.diagnostics import InternalError
from myia.transforms.activity import active_values
from myia.transforms.clone import clone, with_unused_args
from myia.transforms.cotangents import like_cotangents, or_zeros, plus, scaled
from myia.transforms.custom import emit_rule, is_active
from myia.transforms.linear_solve import tangents_of_linear_solve
from myia.transforms.supports.rules import selects_by_data, stores_by_position, supports_of_results
from myia.transforms.supports.slices import Support, as_array
from myia.transforms.supports.tracked import (
    Tracked,
    masks_of,
    nowhere,
    restricted,
    settled,
    track_tangents,
)


def jvp_region(region: Region, wrt: Sequence[int], of: Sequence[int]) -> Region:
    """(*args, *tangents of the args `wrt`) -> (*ys, *tangents of the ys `of`)."""
    source = clone(region)
    inputs = [source.args[i] for i in wrt]
    outputs = [source.yields[i] for i in of]
    active = active_values(source.ops, inputs, outputs)
    seeds = like_cotangents(inputs, "t")
    with Builder() as b:
        forward = _Forward(active, dict(zip(inputs, seeds)), track_tangents(source.ops, active))
        forward.walk(source.ops)
        tangents = [forward.tangent(y) for y in outputs]
    return eliminate_dead_values(
        Region((*source.args, *seeds), tuple(b.ops), (*source.yields, *tangents))
    )


class _Forward:
    """Emits ops with their tangents. A value without an entry in `tangents` has a zero tangent.

    Lists named `active` hold the positions of results or carried values that have tangents. The
    `supports` of tangents (`supports/`) are known as far as they are `tracked`.
    """

    def __init__(
        self,
        active: set[Value],
        tangents: dict[Value, Value],
        tracked: Tracked,
        supports: dict[Value, Support] | None = None,
        by_position: set[Support] | None = None,
        by_data: set[Support] | None = None,
    ):
        self.active, self.tracked = active, tracked
        self.tangents = {x: t for x, t in tangents.items() if x in active}
        self.supports = supports or {}
        # Supports that come of run-time positions and branches only.
        self.by_position: set[Support] = set() if by_position is None else by_position
        # Supports that depend on a mask, a branch or an extremum: adjoint loops carry no others.
        self.by_data: set[Support] = set() if by_data is None else by_data

    def nested(
        self,
        also: dict[Value, Value] | None = None,
        supports: Mapping[Value, Support] | None = None,
    ) -> _Forward:
        tangents = {**self.tangents, **(also or {})}
        known = {**self.supports, **(supports or {})}
        return _Forward(self.active, tangents, self.tracked, known, self.by_position, self.by_data)

    def support(self, x: Value) -> Support:
        return self.supports.get(x) if x in self.tangents else nowhere(x)

    def tangent(self, x: Value) -> Value:
        return or_zeros(self.tangents.get(x), x)

    def support_array(self, x: Value) -> Value:
        return as_array(self.support(x), x.aval)

    def walk(self, ops: Sequence[Op]) -> None:
        for op in ops:
            with at(op.span):
                if op.primitive in _STRUCTURED:
                    _STRUCTURED[op.primitive](self, op)
                elif op.primitive.structured:
                    raise InternalError(f"{op.primitive.name} has no tangents")
                else:
                    self.plain(op)

    def plain(self, op: Op) -> None:
        append(op)
        ts = [self.tangents.get(x) for x in op.operands]
        if any(t is not None for t in ts) and any(y in self.active for y in op.results):
            supports = [self.supports.get(x) for x in op.operands]
            given = [s for s in supports if s is not None]
            by_position = self.by_position.issuperset(given)
            guarded = self.tracked.has_pole(op) or not by_position
            spoiled = [guarded and (op, i) in self.tracked.spoiled for i in range(len(ts))]
            self.define(op.results, tangents_of(op, ts, supports, spoiled))
            if not self.tracked.values.isdisjoint(op.results):
                found = self.supports_of_results(op, ts, supports)
                self.supports.update((y, s) for y, s in zip(op.results, found) if s is not None)
                if not self.by_data.isdisjoint(given) or selects_by_data(op, self.tracked):
                    self.by_data.update(s for s in found if s is not None)
                if by_position and (given or stores_by_position(op, self.tracked)):
                    self.by_position.update(s for s in found if s is not None)

    def supports_of_results(
        self, op: Op, ts: Sequence[Value | None], supports: Sequence[Support]
    ) -> list[Support]:
        return supports_of_results(op, ts, supports, tangents_of, self.tracked.integers)

    def define(
        self,
        results: Sequence[Value],
        tangents: Sequence[Value | None],
        supports: Mapping[Value, Support] | None = None,
    ) -> None:
        for y, t in zip(results, tangents, strict=True):
            if t is not None and y in self.active:
                self.tangents[y] = t() if callable(t) else t
        self.supports.update(supports or {})
        self.by_position.update((supports or {}).values())

    def if_(self, op: Op) -> None:
        arms = []
        for region in op.regions:
            with Builder() as b:
                arm = self.nested()
                arm.walk(region.ops)
            arms.append((region, b, arm))
        active = [
            i
            for i, y in enumerate(op.results)
            if y in self.active and any(r.yields[i] in arm.tangents for r, _, arm in arms)
        ]
        tracked = [
            i
            for i in active
            if op.results[i] in self.tracked.poles
            and any(arm.support(region.yields[i]) is not None for region, _, arm in arms)
        ]
        regions = []
        for region, b, arm in arms:
            with b:
                ts = tuple(arm.tangent(region.yields[i]) for i in active)
                ts += tuple(arm.support_array(region.yields[i]) for i in tracked)
            regions.append(Region((), tuple(b.ops), region.yields + ts))
        tangents = _emit_extended(op, op.operands, regions)
        supports = dict(zip((op.results[i] for i in tracked), tangents[len(active) :]))
        of_arms = [[arm.support(r.yields[i]) for r, _, arm in arms] for i in tracked]
        if op.operands[0] in self.tracked.positions:
            self.note_data(supports.values(), of_arms)
        else:
            self.by_data.update(supports.values())
        self.define([op.results[i] for i in active], tangents[: len(active)], supports)

    def note_data(self, total: Iterable[Value], parts: Iterable[Iterable[Support]]) -> None:
        """Note which supports `total` depend on data, as one of their `parts` does."""
        for support, of_support in zip(total, parts):
            if not self.by_data.isdisjoint(of_support):
                self.by_data.add(support)

    def loop(self, op: Op) -> None:
        parts = Loop.of(op)
        active = [
            i
            for i, (x, y) in enumerate(zip(parts.body.args[1:], op.results))
            if x in self.active or y in self.active
        ]
        asked = [i for i in active if self.is_asked(parts.body.args[1 + i], op.results[i])]
        regions, tracked = self.steps(parts, active, asked)
        operands = (
            *op.operands,
            *(self.tangent(parts.carries[i]) for i in active),
            *(self.support_array(parts.carries[i]) for i in tracked),
        )
        tangents = _emit_extended(op, operands, regions)
        supports = dict(zip((op.results[i] for i in tracked), tangents[len(active) :]))
        before = {i: self.support(parts.carries[i]) for i in tracked}
        self.note_data(supports.values(), [(before[i], tracked[i]) for i in tracked])
        self.define([op.results[i] for i in active], tangents[: len(active)], supports)

    def rev(self, op: Op) -> None:
        """With f' the body's jvp, jvp(rev f) = rev f': the adjoint's jvp is the adjoint of f'."""
        parts = Loop.of(op)
        n, state = len(parts.carries), adjoint_state(parts)
        both = list(zip(parts.body.args[1:], parts.adjoint_region.args[1:]))
        active = [i for i, (x, z) in enumerate(both) if x in self.active or z in self.active]
        linear = [
            j
            for j, (x, y) in enumerate(zip(adjoint_state_args(parts), op.results))
            if x in self.active or y in self.active
        ]
        of_step = [i for i in active if self.is_asked(*both[i])]
        regions, tracked = self.steps(parts, active, of_step, by_data=True)
        k, *args = parts.adjoint_region.args
        xs, s = [args[i] for i in active], [args[n + j] for j in linear]
        xs_t, s_t = like_cotangents(xs, "t"), like_cotangents(s, "t")
        # Tangents of x are carries of the loop, those of s are state of the adjoint.
        pairs = {**dict(zip(xs, xs_t)), **dict(zip(s, s_t))}
        x_masks = masks_of(args[i] for i in tracked)
        self.supports.update(x_masks)
        self.by_position.update(x_masks.values())
        self.by_data.update(x_masks.values())

        # What an op in the adjoint spoils of s_t it spoils of s: supports are for ops after it.
        later = [j for j in linear if self.is_asked(op.results[j])]
        asked = [j for j in linear if later and self.is_asked(args[n + j])]

        def adjoint(of: Sequence[int]) -> tuple[Region, dict[int, Support]]:
            s_masks = masks_of(args[n + j] for j in of)
            self.note_data(s_masks.values(), [[self.support(state[j])] for j in of])
            more = (k, *args[:n], *xs_t, *x_masks.values(), *args[n:], *s_t, *s_masks.values())
            return self.region(parts.adjoint_region, more, pairs, s_masks, linear, of, asked, True)

        found, of = settled(adjoint, [j for j in asked if self.is_known(state[j])], later)
        operands = (
            *op.operands[: op.params["counted"]],
            *parts.carries,
            *(self.tangent(parts.carries[i]) for i in active),
            *(self.support_array(parts.carries[i]) for i in tracked),
            *state,
            *(self.tangent(state[j]) for j in linear),
            *(self.support_array(state[j]) for j in of),
        )
        tangents = _emit_extended(op, operands, [*regions, found])
        supports = dict(zip((op.results[j] for j in of), tangents[len(linear) :]))
        self.by_data.update(supports.values())
        self.define([op.results[j] for j in linear], tangents[: len(linear)], supports)

    def is_asked(self, *values: Value) -> bool:
        """Whether an op with a pole asks for the support of a tangent of one of these."""
        return not self.tracked.poles.isdisjoint(values)

    def steps(
        self, parts: Loop, active: Sequence[int], asked: Sequence[int], by_data: bool = False
    ) -> tuple[list[Region], dict[int, Support]]:
        """The regions `cond` and `body` of a loop whose carried values `active` have tangents.

        The second result: which of those `asked` have supports, too.
        """
        args = parts.body.args
        ts = like_cotangents((args[1 + i] for i in active), "t")
        pairs = {args[1 + i]: t for i, t in zip(active, ts)}

        def step(tracked: Sequence[int]) -> tuple[list[Region], dict[int, Support]]:
            masks = masks_of(args[1 + i] for i in tracked)
            self.note_data(masks.values(), [[self.support(parts.carries[i])] for i in tracked])
            more = (*ts, *masks.values())
            body, known = self.region(
                parts.body, (*args, *more), pairs, masks, active, tracked, asked, by_data
            )
            return [*([with_unused_args(parts.cond, more)] if parts.cond else ()), body], known

        return settled(step, [i for i in asked if self.is_known(parts.carries[i])])

    def is_known(self, x: Value) -> bool:
        return self.support(x) is not None

    def region(
        self,
        region: Region,
        args: tuple[Value, ...],
        pairs: dict[Value, Value],
        masks: dict[Value, Value],
        active: Sequence[int],
        tracked: Sequence[int],
        asked: Sequence[int],
        by_data: bool = False,
    ) -> tuple[Region, dict[int, Support]]:
        """`region` with the tangents `pairs` of its arguments, and of its yields `active`.

        With the supports `masks` of arguments, and of the yields `tracked`. The second result: of
        which of the yields `asked` the support is known (and depends on data, if `by_data`).
        """
        self.by_position.update(masks.values())
        yields = region.yields
        with Builder() as b:
            inner = self.nested(pairs, masks)
            inner.walk(region.ops)
            after = [inner.tangent(yields[i]) for i in active]
            after += [inner.support_array(yields[i]) for i in tracked]
        known = {i: inner.support(yields[i]) for i in asked if inner.is_known(yields[i])}
        if by_data:
            known = {i: support for i, support in known.items() if support in self.by_data}
            more = {m for i, m in zip(tracked, masks.values()) if i in known} - self.by_data
            if more:  # what follows from these depends on data, too
                self.by_data.update(more)
                return self.region(region, args, pairs, masks, active, tracked, asked, by_data)
        return Region(args, tuple(b.ops), (*yields, *after)), known

    def custom(self, op: Op) -> None:
        """Emit the rule in place of the function: it computes the values and the tangents."""
        if not is_active(op, self.active):
            append(op)
            return
        if op.params["rule"].mode == "solve":
            append(op)
            ts = [self.tangents.get(x) for x in op.operands]
            self.define(op.results, tangents_of_linear_solve(jvp_region, op, ts))
            return
        tangents = emit_rule(op, [self.tangent(x) for x in op.operands if x.aval.differentiable])
        self.define([y for y in op.results if y.aval.differentiable], tangents)

    def remat(self, op: Op) -> None:
        (body,) = op.regions
        given = {z: x for x, z in zip(op.operands, body.args) if z in self.active}
        pairs = dict(zip(given, like_cotangents(given, "t")))
        masks = masks_of(
            z for z, x in given.items() if self.is_asked(z) and self.support(x) is not None
        )
        active = [i for i, y in enumerate(op.results) if y in self.active]
        self.note_data(masks.values(), [[self.support(given[z])] for z in masks])
        args = (*body.args, *pairs.values(), *masks.values())
        asked = [i for i in active if self.is_asked(op.results[i])]

        def extended(tracked: Sequence[int]) -> tuple[Region, dict[int, Support]]:
            return self.region(body, args, pairs, masks, active, tracked, asked)

        region, tracked = settled(extended, [])
        operands = (
            *op.operands,
            *(self.tangent(x) for x in given.values()),
            *(self.support_array(given[z]) for z in masks),
        )
        tangents = _emit_extended(op, operands, [region])
        supports = dict(zip((op.results[i] for i in tracked), tangents[len(active) :]))
        self.note_data(supports.values(), [[support] for support in tracked.values()])
        self.define([op.results[i] for i in active], tangents[: len(active)], supports)


_STRUCTURED = {
    if_p: _Forward.if_,
    loop_p: _Forward.loop,
    rev_p: _Forward.rev,
    custom_p: _Forward.custom,
    remat_p: _Forward.remat,
}


def tangents_of(
    op: Op,
    ts: Sequence[Value | None],
    supports: Sequence[Support] = (),
    spoiled: Sequence[bool] = (),
) -> Tangents:
    """The tangents of the results of an op without regions, by its primitive's derivative.

    Those of the `spoiled` operands of a pointwise op give zero outside of their `supports`.
    """
    derivative, xs = op.primitive.derivative, op.operands
    if isinstance(derivative, Explicit):
        found: Tangents = derivative.jvp(op.results, xs, ts, **op.params)
        return found
    total = None
    if isinstance(derivative, Partials):
        (y,) = op.results
        for i, (partial, t) in enumerate(zip(derivative.partials, ts)):
            if partial is not None and t is not None:
                term = scaled(partial(y, *xs, **op.params), t)
                guard = supports[i] if spoiled and spoiled[i] else None
                total = plus(total, restricted(term, guard))
    elif isinstance(derivative, Linear):
        groups = (tuple(range(len(xs))),) if derivative.groups is None else derivative.groups
        for group in groups:
            if any(ts[i] is not None for i in group):
                operands = [or_zeros(ts[i], x) if i in group else x for i, x in enumerate(xs)]
                total = plus(total, emit1(op.primitive, *operands, **op.params))
    return [total]


def _emit_extended(
    op: Op, operands: Sequence[Value], regions: Sequence[Region]
) -> tuple[Value, ...]:
    """Emit `op` with more operands and yields; returns the results that it has besides its own."""
    avals = op.primitive.avals(*(x.aval for x in operands), regions=tuple(regions), **op.params)
    more = tuple(Value(a) for a in avals[len(op.results) :])
    results = op.results + more
    append(Op(op.primitive, tuple(operands), op.params, tuple(regions), results, current_span()))
    return more
