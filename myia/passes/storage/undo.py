"""Undo logs: an array that a loop changes by stores alone is restored, going back.

    for %k < 9 (%a = %a0) {              rev for %k < 9 (%a = %a0) ct (...), restoring (%b = %a9) {
      ...                                  %old = read %a at %i                recorded: it is
      %c = write %u into %a at %i    ->    ...                                 overwritten
      yield %c                             read what is wanted of %c from %b
    }                                      %b' = write %old into %b at %i
                                           read what is wanted of %a from %b'
                                           yield ..., %b'
                                         }

So of every trip only the overwritten elements are recorded, and nothing of what is read from the
array. The values that the array has within a trip are its *versions*: each is restored from the
next one. Where an inner loop of the step changes the array, its own reversal restores it, which
begins with the version after that loop and ends with the one before.

Taken where this records fewer bytes than the values read would.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from myia.ir.builder import Builder, append
from myia.ir.core import Op, Region, Value, has_effect
from myia.ir.rewrite import Env, clone_op
from myia.passes.storage.cut import needed
from myia.passes.storage.sharing import shared
from myia.passes.storage.versions import (
    OF_WINDOWS,
    STORES,
    Last,
    Returned,
    Undone,
    Version,
    overwritten,
    place_of,
)
from myia.primitives.define import zeros
from myia.primitives.structured import Loop, if_p, loop_p
from myia.primitives.windows import static_indices


@dataclass(frozen=True)
class Restoration:
    """What the lowered reversal of a loop did: made `before` of `after`, as `result`."""

    after: Value
    before: Value
    result: Value

    @property
    def values(self) -> tuple[Value, ...]:
        return self.after, self.before, self.result


# ----- Chains of versions


@dataclass(frozen=True)
class _Chain:
    """The ops that make the versions of a carry in a step, the last one first."""

    carry: int
    links: tuple[tuple[Value, Op, Value], ...]  # (version after, op, version before)


def _chain(region: Region, start: Value, end: Value) -> tuple[tuple[Value, Op, Value], ...] | None:
    """The links from `end` back to `start`, if stores, branches with stores and loops make all."""
    definitions = {y: op for op in region.ops for y in op.results}
    links = []
    while end is not start:
        op = definitions.get(end)
        before = None if op is None or has_effect(op) else _before(op, end)
        if before is None:
            return None
        links.append((end, op, before))
        end = before
    return tuple(links)


def _before(op: Op, after: Value) -> Value | None:
    """The array of which `op` makes `after` by stores alone."""
    if op.primitive in STORES:
        return op.operands[0]
    if op.primitive is loop_p:
        return Loop.of(op).carries[op.results.index(after)]
    if op.primitive is if_p:
        i = op.results.index(after)
        starts = {_start_of_stores(region, region.yields[i]) for region in op.regions}
        made = {y for region in op.regions for inner in region.ops for y in inner.results}
        return starts.pop() if len(starts) == 1 and made.isdisjoint(starts) else None
    return None


def _start_of_stores(region: Region, end: Value) -> Value:
    """Of what enclosing value a branch makes `end` by stores."""
    definitions = {y: op for op in region.ops for y in op.results}
    while end in definitions and definitions[end].primitive in STORES:
        end = definitions[end].operands[0]
    return end


# ----- The reversal of a loop with undo logs


def with_undo(
    parts: Loop, last: Sequence[Value], known: Iterable[Restoration], among: Iterable[int]
) -> tuple[Loop, dict[Value, Version], list[int]] | None:
    """The `rev` restoring all carries `among` these that it can; the versions; which these are.

    `last[i]` is carry i after the loop, `known` what inner reversals in the adjoint restore. The
    reversal has a further accumulator for each of the carries: `last`, which becomes the first
    value. None if there is no such carry.
    """
    defined = {y for op in parts.adjoint.ops for y in op.results}
    known = [r for r in known if r.result in defined]
    chains = [c for i in among if (c := _carry_chain(parts, i)) is not None]
    if not known:  # then there is nobody to restore what inner loops change
        chains = [c for c in chains if all(op.primitive is not loop_p for _, op, _ in c.links)]
    if not chains:
        return None
    step = _Step(parts, chains, known)
    versions: dict[Value, Version] = {}
    restored = []
    for chain in chains:
        carried = Value(parts.carries[chain.carry].aval)
        found = step.versions(chain, carried)
        if found is not None:
            versions |= found
            restored.append((chain.carry, carried))
    if not restored:
        return None
    adjoint = step.region
    xs = adjoint.args[1 : 1 + len(parts.carries)]
    adjoint = Region(
        adjoint.args + tuple(carried for _, carried in restored),
        adjoint.ops,
        adjoint.yields + tuple(xs[i] for i, _ in restored),
    )
    carries = [i for i, _ in restored]
    accumulators = parts.accumulators + tuple(last[i] for i in carries)
    return replace(parts, adjoint=adjoint, accumulators=accumulators), versions, carries


def _carry_chain(parts: Loop, i: int) -> _Chain | None:
    if not parts.carries[i].shape:
        return None
    links = _chain(parts.body, parts.body.args[1 + i], parts.body.yields[i])
    return _Chain(i, links) if links else None


class _Step:
    """The adjoint region with the ops of the chains in it, and what they overwrite.

    `region` yields what the adjoint does; `same` maps values of the body, and of the adjoint as it
    was, to values of this region.
    """

    def __init__(self, parts: Loop, chains: Sequence[_Chain], known: Sequence[Restoration]):
        self.parts = parts
        self.known = list(known)
        self.undo: dict[Value, list[tuple[Op, Value]]] = {}  # version after -> stores, in order
        body, adjoint = parts.body, parts.adjoint
        env: Env = dict(zip(body.args, adjoint.args))
        ends = {after: op for chain in chains for after, op, _ in chain.links}
        with Builder() as b:
            for op in needed(body.ops, ends):
                self._copy(op, [y for y in op.results if y in ends], env)
        followed = [v for chain in chains for link in chain.links for v in (link[0], link[2])]
        logs = [log for found in self.undo.values() for log in found]
        logged = [v for store, old in logs for v in (old, *place_of(store))]
        kept = [*(env.get(v, v) for v in followed), *logged]
        kept += [v for r in self.known for v in r.values]
        yields = (*adjoint.yields, *kept)
        merged = shared(Region(adjoint.args, tuple(b.ops) + adjoint.ops, yields))
        n = len(adjoint.yields)
        self.now = dict(zip(kept, merged.yields[n:]))
        self.region = Region(merged.args, merged.ops, merged.yields[:n])
        self.env = env

    def _copy(self, op: Op, ends: Sequence[Value], env: Env) -> None:
        """Emit a copy of an op of the body, with reads of what it overwrites before it."""
        if not ends or op.primitive is loop_p:
            append(clone_op(op, env))
        elif op.primitive in STORES:
            array, place = env.get(op.operands[0], op.operands[0]), place_of(op)
            old = overwritten(op, array, [env.get(i, i) for i in place])
            copy = clone_op(op, env)
            append(copy)
            self.undo[ends[0]] = [(copy, old)]
        else:
            self._copy_branches(op, ends, env)

    def _copy_branches(self, op: Op, ends: Sequence[Value], env: Env) -> None:
        """A copy of an `if` that also yields what its stores overwrite, and where.

        Each store has its place in the list whichever branch is taken; in the other one it puts
        back what is there.
        """
        copy = clone_op(op, env)
        regions = [list(r.ops) for r in copy.regions]
        yields: list[list[Value]] = [[], []]
        logs: list[tuple[Value, Op]] = []
        for end in ends:
            i = op.results.index(end)
            for branch, region in enumerate(copy.regions):
                for store in _stores(region, region.yields[i]):
                    logs.append((end, store))
                    self._log(store, branch, copy, i, regions, yields)
        results = tuple(Value(y.aval) for y in yields[0])
        env.update(zip(op.results, copy.results))
        append(
            Op(
                if_p,
                copy.operands,
                copy.params,
                tuple(
                    Region((), tuple(ops), r.yields + tuple(more))
                    for ops, r, more in zip(regions, copy.regions, yields)
                ),
                copy.results + results,
                copy.span,
            )
        )
        values = iter(results)
        for end, store in logs:
            old, place = next(values), tuple(next(values) for _ in place_of(store))
            named = _with_place(store, env[end], place)
            self.undo.setdefault(end, []).append((named, old))

    def _log(self, store, branch, copy, i, regions, yields) -> None:
        """Yield, from both branches, the overwritten elements and the place of a store in one."""
        here = regions[branch]
        at = here.index(store)
        with Builder() as b:
            old = overwritten(store, store.operands[0], place_of(store))
        regions[branch] = [*here[:at], *b.ops, *here[at:]]
        yields[branch] += [old, *place_of(store)]
        # In the other branch: elements that are there when this store is undone. Those of `else`
        # are undone first.
        other = 1 - branch
        end = copy.regions[other].yields[i]
        content = end if branch == 1 else _start_of_stores(copy.regions[other], end)
        with Builder() as b:
            place = _anywhere(store)
            yields[other] += [overwritten(store, content, place), *place]
        regions[other] += b.ops

    def versions(self, chain: _Chain, carried: Value) -> dict[Value, Version] | None:
        """How each version of a carry is restored; None if one of them cannot be."""
        look = lambda v: self.now[self.env.get(v, v)]  # noqa: E731
        found: dict[Value, Version] = {look(chain.links[0][0]): Last(carried)}
        for after, op, before in chain.links:
            if op.primitive is loop_p:
                returned = self._returned(look(after), look(before))
                if returned is None:
                    return None
                found[look(before)] = Returned(look(after), returned)
                continue
            version = look(after)
            logs = self.undo[after]
            for n, (store, old) in reversed(list(enumerate(logs))):
                # Between the stores of a branch the array has no name of its own.
                start = look(before) if n == 0 else Value(before.aval)
                place = tuple(self.now.get(i, i) for i in place_of(store))
                found[start] = Undone(
                    version, _with_place(store, version, place), self.now.get(old, old)
                )
                version = start
        return found

    def _returned(self, after: Value, before: Value) -> Value | None:
        for r in self.known:
            if self.now[r.after] is after and self.now[r.before] is before:
                return self.now[r.result]
        return None


def _stores(region: Region, end: Value) -> list[Op]:
    """The stores of a branch that make `end`, in order."""
    definitions = {y: op for op in region.ops for y in op.results}
    found = []
    while end in definitions:
        found.append(definitions[end])
        end = definitions[end].operands[0]
    return found[::-1]


def _anywhere(store: Op) -> list[Value]:
    """Indices that are in range for the windows of a store."""
    if store.primitive in OF_WINDOWS:
        return static_indices([0] * store.operands[0].aval.ndim)
    return [zeros(x.aval) for x in place_of(store)]


def _with_place(store: Op, array: Value, place: Sequence[Value]) -> Op:
    """A description of the store, at other indices."""
    update = store.operands[1 if store.primitive in OF_WINDOWS else 2]
    if store.primitive in OF_WINDOWS:
        operands = (array, update, *place)
    else:
        operands = (array, *place, update)
    return Op(store.primitive, operands, store.params, (), store.results, store.span)
