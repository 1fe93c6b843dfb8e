"""Dead code elimination: dead ops, dead results and dead loop-carried values.

    %y, %z = for %k < %n (%a = %x, %b = %p) {            %y = for %k < %n (%a = %x) {
      %a2 = mul %a, %b                              ->     %a2 = mul %a, %p
      yield %a2, %b                                        yield %a2
    }                                                    }

(%z has no use, and the carried value %b is loop-invariant.) A value is live if a result or an
effect of the region depends on it. This is one reachability over the values of all regions, so dead
carried values of whole nests go in one sweep. Loops are assumed to terminate: a loop without live
results is removed. The transforms run this to learn what the adjoint of a loop reads: a carried
value that is eliminated here never has to be recorded.

In a `rev`, cotangents and accumulators are carried values of the adjoint, and are treated like
others. A primal carry is removed when neither the adjoint, nor the condition, nor a live carry
reads it; if its cotangent is live, that becomes one more accumulator.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate, compress, product
from typing import Any

from myia.ir.core import Op, Region, Value, has_effect
from myia.primitives.core.region_dataflow import (
    adjoint_state,
    adjoint_state_args,
    carry_args,
    dataflow_edges,
)
from myia.primitives.core.structured import (
    JACOBIANS,
    Loop,
    call_p,
    custom_p,
    derivative_p,
    if_p,
    loop_p,
    remat_p,
    rev_p,
)

# Ops that read all their operands for any of their results.
OPAQUE = (custom_p, derivative_p)


def eliminate_dead_values(region: Region) -> Region:
    """`region` without values that no yield or effect depends on; same arguments and yields.

    The same object, if all are live.
    """
    aliases = _Aliases()
    aliases.scan(region.ops)
    live = _live_values(region, aliases)
    return _LiveRebuilder(aliases, live).region(region)


class _Aliases:
    """Values that always equal an earlier value: loop-invariant carries, branches that agree.

    They are replaced by that value, so they need not be live.
    """

    def __init__(self) -> None:
        self.parent: dict[Value, Value] = {}

    def __contains__(self, x: Value) -> bool:
        return x in self.parent

    def root(self, x: Value) -> Value:
        while x in self.parent:
            x = self.parent[x]
        return x

    def roots(self, xs: Iterable[Value]) -> tuple[Value, ...]:
        return tuple(map(self.root, xs))

    def scan(self, ops: Iterable[Op]) -> None:
        """Inner ops first: an outer carry may be invariant because the inner loop's carry is."""
        for op in ops:
            for region in op.regions:
                self.scan(region.ops)
            if op.primitive is if_p:
                self.record_agreeing_branches(op)
            elif op.primitive in (loop_p, rev_p):
                self.record_invariant_carries(op)

    def record_agreeing_branches(self, op: Op) -> None:
        then, other = op.regions
        for x, y, result in zip(then.yields, other.yields, op.results):
            if self.root(x) is self.root(y):
                self.parent[result] = self.root(x)

    def record_invariant_carries(self, op: Op) -> None:
        parts = Loop.of(op)
        if parts.adjoint is None:
            self.record_invariants(parts.carries, parts.body, [*carry_args(parts), op.results])
        else:
            self.record_invariants(parts.carries, parts.body, carry_args(parts))
            adjoint_names = [adjoint_state_args(parts), op.results]
            self.record_invariants(adjoint_state(parts), parts.adjoint_region, adjoint_names)

    def record_invariants(
        self,
        initial: Sequence[Value],
        region: Region,
        aliases: Sequence[Sequence[Value]],
    ) -> None:
        """`aliases`: tuples of values that equal `initial` where the region does not change it.

        They are matched with `initial` position by position.
        """
        args = region.args[-len(initial) :]
        for i, (x, y) in enumerate(zip(initial, region.yields)):
            if self.root(y) in (args[i], self.root(x)):
                self.parent.update((names[i], x) for names in aliases)


def _live_values(region: Region, aliases: _Aliases) -> set[Value]:
    needs: dict[Value, list[Value]] = defaultdict(list)
    todo, live = list(region.yields), set[Value]()
    _collect_needs(region.ops, needs, todo, ())
    while todo:
        x = aliases.root(todo.pop())
        if x not in live:
            live.add(x)
            todo += needs.get(x, ())
    return live


def _collect_needs(
    ops: Iterable[Op],
    needs: dict[Value, list[Value]],
    roots: list[Value],
    outer: tuple[Value, ...],
) -> None:
    """Collect `needs[y]`, the values on which y depends, and in `roots` those that effects need.

    `outer`: the values that decide whether these ops run at all.
    """
    for op in ops:
        if not op.primitive.structured:
            for y in op.results:
                needs[y] = list(op.operands)
            if op.primitive.effect:
                roots += (*op.operands, *outer)
            continue
        common = _common_dependences(op)
        if common and op.results:  # a node between, or there are as many edges as pairs
            node = Value(op.results[0].aval)
            needs[node] += common
            for y in op.results:
                needs[y].append(node)
        for x, y in dataflow_edges(op):
            needs[y].append(x)
        for region in op.regions:
            _collect_needs(region.ops, needs, roots, (*outer, *common))


def _common_dependences(op: Op) -> tuple[Value, ...]:
    """The values on which every result of `op` depends."""
    if op.primitive in OPAQUE:
        return (*op.operands, *(y for region in op.regions for y in region.yields))
    if op.primitive in (call_p, remat_p):
        return ()
    if op.primitive not in (loop_p, rev_p):
        return op.operands
    parts = Loop.of(op)
    count = () if parts.count is None else (parts.count,)
    return count if parts.cond is None else (*count, *parts.cond.yields)


class _LiveRebuilder:
    """Rebuilds regions with their live values alone."""

    def __init__(self, aliases: _Aliases, live: set[Value]):
        self.aliases = aliases
        self.live = live

    def keeps(self, *names: Value) -> bool:
        """Is one of these names of one value live, and the value no alias of an earlier one?"""
        return names[0] not in self.aliases and any(x in self.live for x in names)

    def region(
        self,
        region: Region,
        args: Sequence[Value] | None = None,
        yields: Sequence[Value] | None = None,
    ) -> Region:
        args = region.args if args is None else tuple(args)
        yields = self.aliases.roots(region.yields if yields is None else yields)
        ops = tuple(new for op in region.ops if (new := self.op(op)) is not None)
        if (args, ops, yields) == (region.args, region.ops, region.yields):
            return region
        return Region(args, ops, yields)

    def op(self, op: Op) -> Op | None:
        alive = any(y in self.live and y not in self.aliases for y in op.results)
        if not alive and not has_effect(op):
            return None
        if not op.regions and not self.aliases.parent:
            return op
        if op.primitive is if_p:
            return self.if_(op)
        if op.primitive is loop_p:
            return self.loop(op)
        if op.primitive is rev_p:
            return self.rev(op)
        if op.primitive in (call_p, remat_p):
            return self.call(op)
        if op.primitive is derivative_p:
            return self.derivative(op)
        return self.rebuilt(op, op.operands, map(self.region, op.regions), op.results)

    def rebuilt(
        self,
        op: Op,
        operands: Iterable[Value],
        regions: Iterable[Region],
        results: Iterable[Value],
        **params: Any,
    ) -> Op:
        operands, regions, results = self.aliases.roots(operands), tuple(regions), tuple(results)
        if (operands, regions, results) == (op.operands, op.regions, op.results):
            return op
        return Op(op.primitive, operands, {**op.params, **params}, regions, results, op.span)

    def if_(self, op: Op) -> Op:
        kept = [i for i, y in enumerate(op.results) if self.keeps(y)]
        regions = [self.region(r, yields=_pick(r.yields, kept)) for r in op.regions]
        return self.rebuilt(op, op.operands, regions, _pick(op.results, kept))

    def loop(self, op: Op) -> Op:
        parts = Loop.of(op)
        kept = self.kept_carries(parts, op.results)
        operands = (*self.count(op), *_pick(parts.carries, kept))
        return self.rebuilt(op, operands, self.step(parts, kept), _pick(op.results, kept))

    def rev(self, op: Op) -> Op:
        """The cotangent of an eliminated carry is kept, as one more accumulator."""
        parts = Loop.of(op)
        kept = self.kept_carries(parts)
        args, n = adjoint_state_args(parts), len(parts.active)
        linear = [j for j, (x, y) in enumerate(zip(args, op.results)) if self.keeps(x, y)]
        of_carries = [j for j in linear if j < n and parts.active[j] in kept]
        linear = of_carries + [j for j in linear if j not in of_carries]
        adjoint = self.region(
            parts.adjoint_region,
            (*_step_args(parts.adjoint_region, kept), *_pick(args, linear)),
            _pick(parts.adjoint_region.yields, linear),
        )
        return self.rebuilt(
            op,
            (*self.count(op), *_pick(parts.carries, kept), *_pick(adjoint_state(parts), linear)),
            (*self.step(parts, kept), adjoint),
            _pick(op.results, linear),
            active=tuple(kept.index(parts.active[j]) for j in of_carries),
        )

    def call(self, op: Op) -> Op:
        (body,) = op.regions
        args = [i for i, x in enumerate(body.args) if self.keeps(x)]
        kept = [i for i, y in enumerate(op.results) if self.keeps(y)]
        body = self.region(body, _pick(body.args, args), _pick(body.yields, kept))
        params = {}
        if op.primitive is remat_p:
            late, until = op.params["late"], op.params["until"]
            params["late"] = sum(i < late for i in args)
            params["until"] = sum(late <= i < late + until for i in args)
        operands, results = _pick(op.operands, args), _pick(op.results, kept)
        return self.rebuilt(op, operands, [body], results, **params)

    def derivative(self, op: Op) -> Op:
        """The live derivatives, the live values, and the values that are differentiated."""
        (f,), wrt, of = op.regions, op.params["wrt"], op.params["of"]
        n = len(f.yields)
        derivatives = [self.keeps(y) for y in op.results[n:]]
        if op.params["mode"] in JACOBIANS:  # the blocks of live rows and columns
            blocks = list(product(of, wrt))
            live = list(compress(blocks, derivatives))
            of = tuple(j for j in of if any(j == row for row, _ in live))
            wrt = tuple(i for i in wrt if any(i == column for _, column in live))
            derivatives = [j in of and i in wrt for j, i in blocks]
        elif op.params["mode"] == "vjp":
            wrt = tuple(compress(wrt, derivatives))
        else:
            of = tuple(compress(of, derivatives))
        keep = [self.keeps(y) or i in of for i, y in enumerate(op.results[:n])]
        new_position = list(accumulate(keep, initial=0))
        f = self.region(f, yields=tuple(compress(f.yields, keep)))
        results = (*compress(op.results[:n], keep), *compress(op.results[n:], derivatives))
        of = tuple(new_position[i] for i in of)
        return self.rebuilt(op, op.operands, [f], results, wrt=wrt, of=of)

    def count(self, op: Op) -> tuple[Value, ...]:
        return op.operands[: op.params["counted"]]

    def kept_carries(self, parts: Loop, results: Sequence[Value] = ()) -> list[int]:
        names = zip(*carry_args(parts), *([results] if results else []))
        return [i for i, of_carry in enumerate(names) if self.keeps(*of_carry)]

    def step(self, parts: Loop, kept: list[int]) -> list[Region]:
        """The regions `cond` and `body` with the kept carries."""
        yields = _pick(parts.body.yields, kept)
        body = self.region(parts.body, _step_args(parts.body, kept), yields)
        if parts.cond is None:
            return [body]
        return [self.region(parts.cond, _step_args(parts.cond, kept)), body]


def _step_args(region: Region, kept: list[int]) -> tuple[Value, ...]:
    return (region.args[0], *_pick(region.args[1:], kept))


def _pick(values: Sequence[Value], kept: Sequence[int]) -> tuple[Value, ...]:
    return tuple(values[i] for i in kept)
