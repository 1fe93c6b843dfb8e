"""Record or recompute: a minimum cut of the iteration chooses the residuals of a reversed loop.

The adjoint region of a `rev` splits in two. The primal part reads only k, the carries at the start
of the iteration and values from outside the loop: it is the recomputed primal. The linear part
reads the cotangents that the `rev` carries:

    %1 = sin %x                    primal                    x ──► sin ──► 1 ──► mul
    %2 = mul %1, %p                primal                     \\                   │
    %3 = cos %x                    primal                      ──► cos ──► 3      2
    %4 = mul %ct, %3               linear: reads 3             ─────────────────────────
    %5 = mul %ct, %2               linear: reads 2             read by the linear part

Each value that the linear part reads is recorded (it is a residual), or recomputed from residuals.
In the network the capacity of a value is the cost of recording it, that of an op the cost of
recomputing it; values from outside the loop are free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from myia.analysis.cost_model import op_cost
from myia.ir.builder import append
from myia.ir.core import Op, Region, Value, reads
from myia.ir.dependence import needed, with_dependents
from myia.ir.rewrite import Env, clone_op
from myia.primitives.core.structured import Loop
from myia.source.diagnostics import InternalError
from myia.storage.model.min_cut import INFINITE, Network
from myia.storage.undo_log.inner_loops import emit_undo_loop
from myia.storage.undo_log.restoration import (
    Carried,
    ReturnedByAdjoint,
    UndoneLoop,
    UndoneStore,
    Version,
    restore_overwritten,
)


@dataclass(frozen=True)
class SplitAdjoint:
    """A `rev` with its adjoint split in two parts, and the primal values that are recorded.

    `versions`: how the versions of arrays with undo logs are restored.
    """

    rev: Loop
    primal: tuple[Op, ...]
    linear: tuple[Op, ...]
    residuals: tuple[Value, ...] = ()
    versions: Mapping[Value, Version] = field(default_factory=dict)

    @property
    def carry_args(self) -> tuple[Value, ...]:
        """The carries at the start of the iteration: arguments of the adjoint region."""
        return self.rev.adjoint_region.args[1 : 1 + len(self.rev.carries)]

    @cached_property
    def replayed_carries(self) -> list[int]:
        """The positions of the carries that a replay needs, to record any later iteration."""
        read = _carries_read(self.carry_args, self.primal, self.residuals)
        return with_dependences(self.rev.body, read)

    @cached_property
    def recomputed(self) -> list[Op]:
        """The primal ops that the reverse sweep recomputes from the residuals."""
        read = [x for op in self.linear for x in reads(op)]
        return needed(self.primal, [*read, *self.rev.adjoint_region.yields], self.residuals)

    @cached_property
    def recompute_ns(self) -> float:
        """The modelled cost, per iteration, of values that are neither recorded nor restored."""
        read = [x for op in self.linear for x in reads(op)]
        given = {*self.residuals, *self.versions}
        recomputed = needed(self.primal, [*read, *self.rev.adjoint_region.yields], given)
        return sum(op_cost(op, in_place=True) for op in recomputed)

    def emit_residuals(self, k: Value, replayed: Sequence[Value]) -> list[Value]:
        """Emit the residuals of iteration `k`, given the replayed carries at its start."""
        env = {self.carry_args[i]: x for i, x in zip(self.replayed_carries, replayed, strict=True)}
        env[self.rev.adjoint_region.args[0]] = k
        _emit(self.primal, self.residuals, env)
        return [env[x] for x in self.residuals]

    def emit_step(self, k: Value, replayed: Sequence[Value]) -> list[Value]:
        """Emit iteration `k` of the replayed carries."""
        args, yields = self.rev.body.args, self.rev.body.yields
        env = {args[1 + i]: x for i, x in zip(self.replayed_carries, replayed, strict=True)}
        env[args[0]] = k
        wanted = [yields[i] for i in self.replayed_carries]
        _emit(self.rev.body.ops, wanted, env)
        return [env.get(y, y) for y in wanted]

    def emit_adjoint(
        self, k: Value, residuals: Sequence[Value], cotangents: Sequence[Value]
    ) -> list[Value]:
        """Emit the adjoint of iteration `k` from its residuals; returns what it yields."""
        adjoint = self.rev.adjoint_region
        env = dict(zip(self.residuals, residuals, strict=True))
        env[adjoint.args[0]] = k
        env.update(zip(adjoint.args[1 + len(self.carry_args) :], cotangents, strict=True))
        sweep = _ReverseSweep(self, env)
        for op in self.linear:
            sweep.emit_needed(reads(op))
            append(clone_op(op, env))
        sweep.emit_needed(adjoint.yields)
        return [env.get(y, y) for y in adjoint.yields]


class _ReverseSweep:
    """Emits primal values of an iteration when the linear part of the adjoint first reads them."""

    def __init__(self, split: SplitAdjoint, env: Env):
        self.env, self.versions = env, split.versions
        self.definitions = {y: op for op in split.primal for y in op.results}
        self.carries = set(split.carry_args)

    def emit_needed(self, values: Iterable[Value], allow_restored: bool = True) -> None:
        """Emit `values`; `allow_restored`: restored versions of arrays may be read for them."""
        for x in values:
            if x in self.env:
                continue
            if allow_restored and x in self.versions and self.is_available(self.versions[x]):
                self.env[x] = self.emit_version(self.versions[x])
            elif x in self.definitions:
                op = self.definitions[x]
                self.emit_needed(reads(op), allow_restored)
                append(clone_op(op, self.env))
            elif x in self.carries:
                raise InternalError("storage: the reverse sweep reads what was not recorded")

    def is_available(self, v: Version) -> bool:
        """Has the sweep reached the point from which this version can be restored?"""
        if isinstance(v, UndoneStore | UndoneLoop):
            return v.next in self.env or self.is_available(self.versions[v.next])
        return isinstance(v, Carried) or v.result in self.env

    def emit_version(self, v: Version) -> Value:
        env = self.env
        if isinstance(v, Carried):
            return env[v.carried]
        if isinstance(v, ReturnedByAdjoint):
            return env[v.result]
        self.emit_needed([v.next])
        # The log must not depend on a version that is restored from it.
        self.emit_needed(v.logged, allow_restored=False)
        if isinstance(v, UndoneLoop):
            return emit_undo_loop(v, env)
        old, *indices = (env.get(x, x) for x in v.logged)
        return restore_overwritten(v.store, env[v.next], old, indices)


def split_adjoint(rev: Loop, versions: Mapping[Value, Version] | None = None) -> SplitAdjoint:
    """The two parts of the adjoint, with no residuals yet."""
    ops = rev.adjoint_region.ops
    dependent = with_dependents(rev.adjoint_region.args[1 + len(rev.carries) :], ops)
    primal = tuple(op for op in ops if dependent.isdisjoint(reads(op)))
    linear = tuple(op for op in ops if not dependent.isdisjoint(reads(op)))
    return SplitAdjoint(rev, primal, linear, versions=versions or {})


def with_dependences(body: Region, carries: Iterable[int]) -> list[int]:
    """These carries of a loop, and all carries that they depend on in later iterations."""
    found = set(carries)
    while True:
        read = _carries_read(body.args[1:], body.ops, [body.yields[i] for i in found])
        if read <= found:
            return sorted(found)
        found |= read


def _carries_read(args: Sequence[Value], ops: Sequence[Op], wanted: Iterable[Value]) -> set[int]:
    wanted = list(wanted)
    read = {*wanted, *(x for op in needed(ops, wanted, ()) for x in reads(op))}
    return {i for i, x in enumerate(args) if x in read}


def choose_residuals(
    split: SplitAdjoint,
    record_cost: Callable[[Value], float],
    recompute_cost: Callable[[Op], float],
    is_recordable: Callable[[Op], bool],
) -> SplitAdjoint:
    """The adjoint with the cheapest residuals, by these costs.

    The forward sweep cannot compute the results of ops that are not recordable.

    Each value has two nodes, `before` and `after`, joined by an edge of its recording cost. The
    value is available in the reverse sweep if `after` is on the sink's side. It is recomputed if
    `before` is there, too: then so are its op and all that the op reads. It is recorded if the edge
    between the two is cut. Edges of infinite capacity are dependences.
    """
    free = _FreeReads(split)
    wanted = _read_by_linear_part(split)
    network = Network()
    source, sink = network.node(), network.node()
    before: dict[Value, int] = {}
    after: dict[Value, int] = {}

    def add_value(x: Value, cost: int) -> None:
        before[x], after[x] = network.node(), network.node()
        network.connect(before[x], after[x], cost)

    for x in split.carry_args:
        add_value(x, _units(record_cost(x)))
        # A carry cannot be recomputed within the iteration, only recorded.
        network.connect(source, before[x], INFINITE)
    for op in needed(split.primal, [*wanted, *free.logged], ()):
        computed = network.node()
        network.connect(source, computed, _units(recompute_cost(op)))
        for x in reads(op):
            if x in after and not free.is_free_for_op(x, op):
                network.connect(after[x], computed, INFINITE)
        for y in op.results:
            add_value(y, _units(record_cost(y)) if is_recordable(op) else INFINITE)
            network.connect(computed, before[y], INFINITE)
    for x in [*wanted, *free.logged]:
        if x in after and not free.is_free_directly(x):
            network.connect(after[x], sink, INFINITE)
    # Of the cheapest cuts this is the one that recomputes least.
    sink_side = network.sink_side(source, sink)
    residuals = tuple(x for x in after if before[x] not in sink_side and after[x] in sink_side)
    return replace(split, residuals=residuals)


class _FreeReads:
    """Which reads of restored arrays need no residual: those made after the restoration.

    The reverse sweep runs the linear part once, in order. The version before an inner loop is
    available after the adjoint of that loop. A value read from it by an earlier op must be
    recorded, and so must the operands of the ops that undo stores (`logged`).

    Points in time are positions in the linear part.
    """

    def __init__(self, split: SplitAdjoint):
        self.versions = split.versions
        linear = {y: i for i, op in enumerate(split.linear) for y in op.results}
        self.available_from = {x: self._available_from(x, linear) for x in split.versions}
        undone = [v for v in split.versions.values() if isinstance(v, UndoneStore | UndoneLoop)]
        self.logged = [x for v in undone for x in v.logged]
        # Of each value the first op that needs it; -1: before any version is available.
        self.first_use: dict[Value, int] = dict.fromkeys(self.logged, -1)
        for i, op in enumerate(split.linear):
            for x in reads(op):
                self.first_use.setdefault(x, i)
        for x in split.rev.adjoint_region.yields:
            self.first_use.setdefault(x, len(split.linear))
        self.first_direct_use = dict(self.first_use)
        # Users before definitions: one pass is enough.
        for op in reversed(split.primal):
            first = self._first_use(op)
            for x in reads(op):
                self.first_use[x] = min(self.first_use.get(x, first), first)
        self.first_use_of_op = {op: self._first_use(op) for op in split.primal}

    def _available_from(self, x: Value, linear: Mapping[Value, int]) -> int:
        """The position from which on a version is available."""
        v = self.versions[x]
        if isinstance(v, Carried):
            return 0
        if isinstance(v, ReturnedByAdjoint):
            return linear[v.result] + 1
        return self._available_from(v.next, linear)

    def _first_use(self, op: Op) -> int:
        return min((self.first_use[y] for y in op.results if y in self.first_use), default=1 << 30)

    def is_free_directly(self, x: Value) -> bool:
        """Does the linear part itself read `x` only when that version is available?"""
        return x in self.available_from and self.available_from[x] <= self.first_direct_use[x]

    def is_free_for_op(self, x: Value, op: Op) -> bool:
        """Is `x` available when the results of a primal op that reads it are first needed?"""
        return x in self.available_from and self.available_from[x] <= self.first_use_of_op[op]


def _emit(ops: Sequence[Op], wanted: Iterable[Value], env: Env) -> None:
    """Emit those of `ops` that the `wanted` values depend on, given the values in `env`."""
    for op in needed(ops, wanted, env):
        append(clone_op(op, env))


def _read_by_linear_part(split: SplitAdjoint) -> list[Value]:
    """The primal values that the linear part reads or the adjoint yields."""
    inside = {*split.carry_args, *(y for op in split.primal for y in op.results)}
    read = [x for op in split.linear for x in reads(op)]
    return [x for x in dict.fromkeys((*read, *split.rev.adjoint_region.yields)) if x in inside]


def _units(cost: float) -> int:
    return min(int(cost * 1000), INFINITE)  # capacities are integers
