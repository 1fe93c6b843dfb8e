"""Undo logs: the adjoint loop restores an array that the forward loop changes only by stores.

    for %k < 9 (%a = %a0) {              rev for %k < 9 (%a = %a0) ct (...), restoring (%b = %a9) {
      ...                                  %old = read %a at %i                recorded: it is
      %c = write %u into %a at %i    ->    ...                                 overwritten
      yield %c                             reads of %c become reads of %b
    }                                      %b' = write %old into %b at %i
                                           reads of %a become reads of %b'
                                           yield ..., %b'
                                         }

An iteration records only the overwritten elements, and no value that is read from the array. The
values of the array within an iteration are its *versions*; each is restored from the next one.
Where an inner loop changes the array, the adjoint of that loop restores it: it starts with the
version after the loop and ends with the version before. If it does not, a further loop undoes the
stores (`inner_loops.py`).

Undo logs are used where they take fewer bytes than recording the values read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from myia.analysis.array_versions import Link, VersionChain, carried_chains, chain_to
from myia.ir.builder import Builder, append
from myia.ir.core import Op, Region, Value, has_effect
from myia.ir.dependence import needed, with_dependents
from myia.ir.rewrite import Env, clone_op
from myia.primitives.arrays.dynamic_slices import STORES, static_indices
from myia.primitives.core.define import zeros
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.storage.loops.loop_fusion import fuse_loops
from myia.storage.undo_log.inner_loops import emit_with_log, loggable_stores
from myia.storage.undo_log.restoration import (
    Carried,
    ReturnedByAdjoint,
    UndoneLoop,
    UndoneStore,
    Version,
    indices_of,
    read_overwritten,
    update_of,
)


@dataclass(frozen=True)
class Restoration:
    """The lowered adjoint of a loop restored the array `before` from `after`, as its `result`."""

    after: Value
    before: Value
    result: Value

    @property
    def values(self) -> tuple[Value, ...]:
        return self.after, self.before, self.result


# ----- The adjoint of a loop with undo logs


def with_undo_logs(
    rev: Loop,
    last: Sequence[Value],
    inner_restorations: Iterable[Restoration],
    candidates: Iterable[int],
) -> tuple[Loop, dict[Value, Version], list[int]] | None:
    """A `rev` that restores as many of the `candidates` (positions of carries) as it can.

    Returns it, how each version of the restored carries is restored, and their positions.
    `last[i]` is carry i after the loop. `inner_restorations`: what the adjoints of inner loops
    restore. Only those in the linear part count: the recomputed primal may be a derivative itself
    and have restorations of its own. The `rev` gets one more accumulator for each restored carry:
    it starts as `last[i]` and ends as the initial value of the carry. None if no carry can be
    restored.
    """
    linear = with_dependents(
        rev.adjoint_region.args[1 + len(rev.carries) :], rev.adjoint_region.ops
    )
    inner_restorations = [r for r in inner_restorations if r.result in linear]
    found = dict(enumerate(carried_chains(rev.body)))
    chains = {i: x for i in candidates if (x := found[i]) is not None and _can_be_undone(x)}
    if not chains:
        return None
    links = [link for chain in chains.values() for link in reversed(chain.links)]
    step = _StepWithLogs(rev, links, inner_restorations, ())
    # Fusion decides which inner loops an adjoint restores. The others need logs: fuse again.
    if to_log := step.loops_to_log(links):
        step = _StepWithLogs(rev, links, inner_restorations, to_log)
    versions: dict[Value, Version] = {}
    restored = []
    dependent = with_dependents(step.region.args[1 + len(rev.carries) :], step.region.ops)
    for i, chain in chains.items():
        carried = Value(rev.carries[i].aval)
        of_chain = step.versions(chain, carried)
        if of_chain is not None and dependent.isdisjoint(_log_reads(of_chain.values())):
            versions |= of_chain
            restored.append((i, carried))
    if not restored:
        return None
    adjoint = step.region
    xs = adjoint.args[1 : 1 + len(rev.carries)]
    adjoint = Region(
        adjoint.args + tuple(carried for _, carried in restored),
        adjoint.ops,
        # The reverse sweep restores what the adjoint yields: the carry before the iteration.
        adjoint.yields + tuple(xs[i] for i, _ in restored),
    )
    carries = [i for i, _ in restored]
    accumulators = rev.accumulators + tuple(last[i] for i in carries)
    return replace(rev, adjoint=adjoint, accumulators=accumulators), versions, carries


def _can_be_undone(chain: VersionChain) -> bool:
    """Is each version of an array made by stores, also in branches, or by a loop?"""
    return (
        bool(chain.links and chain.origin.shape)
        and not any(has_effect(link.op) for link in chain.links)
        and not any(
            inner.inner
            for link in chain.links
            if link.op.primitive is if_p
            for branch in link.inner
            for inner in branch.links
        )
    )


def _log_reads(versions: Iterable[Version]) -> list[Value]:
    """The primal values from which versions are restored.

    They must be available before the linear part runs. They are not if the loop that writes a log
    has been fused with a loop of the linear part.
    """
    return [x for v in versions if not isinstance(v, Carried | ReturnedByAdjoint) for x in v.logged]


class _StepWithLogs:
    """The adjoint region with the store chains of the body, and reads of what they overwrite.

    `region` yields what the adjoint yields; `now` maps values of the body and of the old adjoint to
    values of `region`. `to_log`: results of inner loops that log the stores which make them.
    """

    def __init__(
        self,
        rev: Loop,
        links: Sequence[Link],
        inner_restorations: Sequence[Restoration],
        to_log: Collection[Value],
    ):
        self.rev = rev
        self.inner_restorations = list(inner_restorations)
        self.to_log = to_log
        self.loop_logs: dict[Value, UndoneLoop] = {}
        # version after -> (store, overwritten elements), in order
        self.stores: dict[Value, list[tuple[Op, Value]]] = {}
        body, adjoint = rev.body, rev.adjoint_region
        env: Env = dict(zip(body.args, adjoint.args))
        made_by_chains = {link.after for link in links}
        with Builder() as b:
            for op in needed(body.ops, made_by_chains):
                self._copy(op, [y for y in op.results if y in made_by_chains], env)
        in_chains = [v for link in links for v in (link.after, link.before)]
        logs = [log for found in self.stores.values() for log in found]
        logged = [v for store, old in logs for v in (old, *indices_of(store))]
        # All values that are looked up later are yielded, so that fusion says what they become.
        kept = [*(env.get(v, v) for v in in_chains), *logged]
        kept += [v for r in self.inner_restorations for v in r.values]
        kept += [v for log in self.loop_logs.values() for v in (log.next, *log.logged)]
        yields = (*adjoint.yields, *kept)
        merged = fuse_loops(Region(adjoint.args, tuple(b.ops) + adjoint.ops, yields))
        n = len(adjoint.yields)
        self.now = dict(zip(kept, merged.yields[n:]))
        self.region = Region(merged.args, merged.ops, merged.yields[:n])
        self.env = env

    def _copy(self, op: Op, ends: Sequence[Value], env: Env) -> None:
        """Emit a copy of an op of the body, after reads of the elements that it overwrites.

        `ends`: those of its results that are in a chain.
        """
        if op.primitive is loop_p:
            self.loop_logs |= emit_with_log(op, [y for y in ends if y in self.to_log], env)
        elif not ends:
            append(clone_op(op, env))
        elif op.primitive is not if_p:
            array, indices = env.get(op.operands[0], op.operands[0]), indices_of(op)
            old = read_overwritten(op, array, [env.get(i, i) for i in indices])
            copy = clone_op(op, env)
            append(copy)
            self.stores[ends[0]] = [(copy, old)]
        else:
            self._copy_branches(op, ends, env)

    def _copy_branches(self, op: Op, ends: Sequence[Value], env: Env) -> None:
        """Emit a copy of an `if` that also yields the elements its stores overwrite, and indices.

        Both branches yield the same list of logs. For a store of the branch that is not taken the
        log holds elements that the array has anyway, so that undoing the store changes nothing.
        """
        copy = clone_op(op, env)
        regions = [list(r.ops) for r in copy.regions]
        yields: list[list[Value]] = [[], []]
        logs: list[tuple[Value, Op]] = []
        for end in ends:
            i = op.results.index(end)
            for branch, region in enumerate(copy.regions):
                for store in _chain_in_branch(region, i).stores:
                    logs.append((end, store))
                    self._log_in_both_branches(store, branch, copy, i, regions, yields)
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
            old, indices = next(values), tuple(next(values) for _ in indices_of(store))
            outside = _with_indices(store, env[end], indices)
            self.stores.setdefault(end, []).append((outside, old))

    def _log_in_both_branches(
        self,
        store: Op,
        branch: int,
        copy: Op,
        i: int,
        regions: list[list[Op]],
        yields: list[list[Value]],
    ) -> None:
        """Let both branches yield the overwritten elements and the indices of a store in one."""
        ops = regions[branch]
        at = ops.index(store)
        with Builder() as b:
            old = read_overwritten(store, store.operands[0], indices_of(store))
        regions[branch] = [*ops[:at], *b.ops, *ops[at:]]
        yields[branch] += [old, *indices_of(store)]
        # In the other branch: elements that the array has when this store is undone. Stores of
        # `else` are undone first.
        other = 1 - branch
        end = copy.regions[other].yields[i]
        content = end if branch == 1 else _chain_in_branch(copy.regions[other], i).origin
        with Builder() as b:
            indices = _indices_in_range(store)
            yields[other] += [read_overwritten(store, content, indices), *indices]
        regions[other] += b.ops

    def now_of(self, v: Value) -> Value:
        """The value of `region` that a value of the body has become."""
        return self.now[self.env.get(v, v)]

    def loops_to_log(self, links: Sequence[Link]) -> set[Value]:
        """The results of inner loops that no adjoint restores, but whose stores can be undone."""
        return {
            link.after
            for link in links
            if link.op.primitive is loop_p
            and self._restored_by_adjoint(self.now_of(link.after), self.now_of(link.before)) is None
            and loggable_stores(link.op, link.after) is not None
        }

    def versions(self, chain: VersionChain, carried: Value) -> dict[Value, Version] | None:
        """version -> how it is restored, for all versions of a carry; None if one cannot be."""
        now_of = self.now_of
        found: dict[Value, Version] = {now_of(chain.links[-1].after): Carried(carried)}
        for link in reversed(chain.links):
            before, after = link.before, link.after
            if link.op.primitive is loop_p:
                before_loop = self._before_loop(after, before)
                if before_loop is None:
                    return None
                found[now_of(before)] = before_loop
                continue
            version = now_of(after)
            logs = self.stores[after]
            for n, (store, old) in reversed(list(enumerate(logs))):
                # The versions between the stores of a branch have no value outside it.
                start = now_of(before) if n == 0 else Value(before.aval)
                indices = tuple(self.now.get(i, i) for i in indices_of(store))
                found[start] = UndoneStore(
                    version, _with_indices(store, version, indices), self.now.get(old, old)
                )
                version = start
        return found

    def _before_loop(self, after: Value, before: Value) -> Version | None:
        """How the array is restored that an inner loop started with."""
        result = self._restored_by_adjoint(self.now_of(after), self.now_of(before))
        if result is not None:
            return ReturnedByAdjoint(self.now_of(after), result)
        log = self.loop_logs.get(after)
        return None if log is None else log.renamed(self.now)

    def _restored_by_adjoint(self, after: Value, before: Value) -> Value | None:
        for r in self.inner_restorations:
            if self.now[r.after] is after and self.now[r.before] is before:
                return self.now[r.result]
        return None


def _chain_in_branch(branch: Region, i: int) -> VersionChain:
    chain = chain_to(branch.yields[i], branch)
    assert chain is not None  # `_can_be_undone`
    return chain


def _indices_in_range(store: Op) -> list[Value]:
    """Some indices at which the slice of a store is in range."""
    if store.primitive in STORES:
        return static_indices([0] * store.operands[0].aval.ndim)
    return [zeros(x.aval) for x in indices_of(store)]


def _with_indices(store: Op, array: Value, indices: Sequence[Value]) -> Op:
    """The store as an op on other values; it only describes the store and is never emitted."""
    update = update_of(store)
    if store.primitive in STORES:
        operands = (array, update, *indices)
    else:
        operands = (array, *indices, update)
    return Op(store.primitive, operands, store.params, (), store.results, store.span)
