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
begins with the version after that loop and ends with the one before; or a loop of its own does.

Taken where this records fewer bytes than the values read would.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from myia.ir.builder import Builder, append
from myia.ir.core import Op, Region, Value
from myia.ir.dependence import needed, with_dependents
from myia.ir.rewrite import Env, clone_op
from myia.primitives.arrays.dynamic_slices import static_indices
from myia.primitives.core.define import zeros
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.storage.loops.loop_fusion import shared
from myia.storage.undo_log.inner_loops import Logged, logged, stores_to_log
from myia.storage.undo_log.restoration import (
    OF_WINDOWS,
    STORES,
    Last,
    Returned,
    Undone,
    Version,
    overwritten,
    place_of,
    update_of,
)
from myia.storage.undo_log.store_chains import Chain, carry_chain, start_of_stores, stores_of


@dataclass(frozen=True)
class Restoration:
    """What the lowered reversal of a loop did: made `before` of `after`, as `result`."""

    after: Value
    before: Value
    result: Value

    @property
    def values(self) -> tuple[Value, ...]:
        return self.after, self.before, self.result


# ----- The reversal of a loop with undo logs


def with_undo(
    parts: Loop, last: Sequence[Value], known: Iterable[Restoration], among: Iterable[int]
) -> tuple[Loop, dict[Value, Version], list[int]] | None:
    """The `rev` restoring all carries `among` these that it can; the versions; which these are.

    `last[i]` is carry i after the loop, `known` what inner reversals in the adjoint restore: those
    of the reverse sweep, not of the step run again, which may itself be a derivative. The reversal
    has a further accumulator for each of the carries: `last`, which becomes the first value. None
    if there is no such carry.
    """
    late = with_dependents(parts.adjoint.args[1 + len(parts.carries) :], parts.adjoint.ops)
    known = [r for r in known if r.result in late]
    chains = [c for i in among if (c := carry_chain(parts, i)) is not None]
    if not chains:
        return None
    step = _Step(parts, chains, known, ())
    if unwound := step.not_returned(chains):
        step = _Step(parts, chains, known, unwound)
    versions: dict[Value, Version] = {}
    restored = []
    dependent = with_dependents(step.region.args[1 + len(parts.carries) :], step.region.ops)
    for chain in chains:
        carried = Value(parts.carries[chain.carry].aval)
        found = step.versions(chain, carried)
        if found is not None and dependent.isdisjoint(_logged(found.values())):
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


def _logged(versions: Iterable[Version]) -> list[Value]:
    """What it takes to restore them. It has to be there before the reverse sweep sets out, which
    it is not if a loop that logs has become one with a loop of the adjoint."""
    return [x for v in versions if not isinstance(v, Last | Returned) for x in v.logged]


class _Step:
    """The adjoint region with the ops of the chains in it, and what they overwrite.

    `region` yields what the adjoint does; `now` maps values of the body, and of the adjoint as it
    was, to values of this region. `unwound` are results of loops that are to keep a log of them.
    """

    def __init__(
        self,
        parts: Loop,
        chains: Sequence[Chain],
        known: Sequence[Restoration],
        unwound: Collection[Value],
    ):
        self.parts = parts
        self.known = list(known)
        self.unwound = unwound
        self.logged: dict[Value, Logged] = {}
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
        kept += [v for log in self.logged.values() for v in log.reads]
        yields = (*adjoint.yields, *kept)
        merged = shared(Region(adjoint.args, tuple(b.ops) + adjoint.ops, yields))
        n = len(adjoint.yields)
        self.now = dict(zip(kept, merged.yields[n:]))
        self.region = Region(merged.args, merged.ops, merged.yields[:n])
        self.env = env

    def _copy(self, op: Op, ends: Sequence[Value], env: Env) -> None:
        """Emit a copy of an op of the body, with reads of what it overwrites before it."""
        if op.primitive is loop_p:
            self.logged |= logged(op, [y for y in ends if y in self.unwound], env)
        elif not ends:
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
                for store in stores_of(region, region.yields[i]):
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
        content = end if branch == 1 else start_of_stores(copy.regions[other], end)
        with Builder() as b:
            place = _anywhere(store)
            yields[other] += [overwritten(store, content, place), *place]
        regions[other] += b.ops

    def look(self, v: Value) -> Value:
        """What a value of the body has become."""
        return self.now[self.env.get(v, v)]

    def not_returned(self, chains: Sequence[Chain]) -> set[Value]:
        """The results of inner loops that no reversal restores, but a loop of its own can."""
        return {
            after
            for chain in chains
            for after, op, before in chain.links
            if op.primitive is loop_p
            and self._returned(self.look(after), self.look(before)) is None
            and stores_to_log(op, after) is not None
        }

    def versions(self, chain: Chain, carried: Value) -> dict[Value, Version] | None:
        """How each version of a carry is restored; None if one of them cannot be."""
        look = self.look
        found: dict[Value, Version] = {look(chain.links[0][0]): Last(carried)}
        for after, op, before in chain.links:
            if op.primitive is loop_p:
                version = self._before_loop(after, before)
                if version is None:
                    return None
                found[look(before)] = version
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

    def _before_loop(self, after: Value, before: Value) -> Version | None:
        """How to have what a loop began with."""
        result = self._returned(self.look(after), self.look(before))
        if result is not None:
            return Returned(self.look(after), result)
        log = self.logged.get(after)
        return None if log is None else log.version(self.look(after), self.now)

    def _returned(self, after: Value, before: Value) -> Value | None:
        for r in self.known:
            if self.now[r.after] is after and self.now[r.before] is before:
                return self.now[r.result]
        return None


def _anywhere(store: Op) -> list[Value]:
    """Indices that are in range for the windows of a store."""
    if store.primitive in OF_WINDOWS:
        return static_indices([0] * store.operands[0].aval.ndim)
    return [zeros(x.aval) for x in place_of(store)]


def _with_place(store: Op, array: Value, place: Sequence[Value]) -> Op:
    """A description of the store, at other indices."""
    update = update_of(store)
    if store.primitive in OF_WINDOWS:
        operands = (array, update, *place)
    else:
        operands = (array, *place, update)
    return Op(store.primitive, operands, store.params, (), store.results, store.span)
