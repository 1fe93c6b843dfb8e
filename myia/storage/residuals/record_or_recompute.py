"""What of a trip is recorded, and what is computed again: a minimum cut through the step.

The adjoint region of a `rev` falls into two parts: ops that read only the carries at the start of
the trip, k and what encloses the loop (the step, run again), and those that read what the `rev`
transforms:

    %1 = sin %x                    primal                    x ──► sin ──► 1 ──► mul
    %2 = mul %1, %p                primal                     \\                   │
    %3 = cos %x                    primal                      ──► cos ──► 3      2
    %4 = mul %ct, %3               linear: reads 3             ─────────────────────────
    %5 = mul %ct, %2               linear: reads 2             read by the linear part

Each value read by the linear part is recorded, or computed from values that are. In the network a
value costs what recording it costs, an op what computing it again costs, and values of enclosing
regions cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from myia.ir.builder import append
from myia.ir.core import Op, Region, Value, reads
from myia.ir.dependence import needed, with_dependents
from myia.ir.rewrite import Env, clone_op
from myia.primitives.core.structured import Loop
from myia.source.diagnostics import InternalError
from myia.storage.model.cost_model import op_cost
from myia.storage.model.min_cut import INFINITE, Network
from myia.storage.undo_log.inner_loops import unwound
from myia.storage.undo_log.restoration import Last, Returned, Undone, Unwound, Version, put_back


@dataclass(frozen=True)
class Cut:
    """A `rev`, its adjoint parted in two, and the primal values that are to be recorded."""

    parts: Loop
    primal: tuple[Op, ...]
    linear: tuple[Op, ...]
    records: tuple[Value, ...] = ()
    versions: Mapping[Value, Version] = field(default_factory=dict)

    @property
    def bytes_per_trip(self) -> int:
        return sum(x.aval.nbytes for x in self.records)

    @property
    def xs(self) -> tuple[Value, ...]:
        """The carries, as the adjoint names them."""
        return self.parts.adjoint.args[1 : 1 + len(self.parts.carries)]

    @cached_property
    def kept(self) -> list[int]:
        """The positions of the carries that it takes to record the trips from any one onwards."""
        first = _carries_read(self.xs, self.primal, self.records)
        return with_dependences(self.parts.body, first)

    @cached_property
    def late(self) -> list[Op]:
        """The primal ops that the reverse sweep computes again from the records."""
        read = [x for op in self.linear for x in reads(op)]
        return needed(self.primal, [*read, *self.parts.adjoint.yields], self.records)

    @cached_property
    def again(self) -> float:
        """Nanoseconds to compute again, of a trip, what is neither recorded nor restored."""
        read = [x for op in self.linear for x in reads(op)]
        given = {*self.records, *self.versions}
        late = needed(self.primal, [*read, *self.parts.adjoint.yields], given)
        return sum(op_cost(op, in_place=True) for op in late)

    def record(self, k: Value, kept: Sequence[Value]) -> list[Value]:
        """Emit the values to be recorded of trip `k`, at whose start the kept carries are these."""
        env = {self.xs[i]: x for i, x in zip(self.kept, kept, strict=True)}
        env[self.parts.adjoint.args[0]] = k
        _compute(self.primal, self.records, env)
        return [env[x] for x in self.records]

    def step(self, k: Value, kept: Sequence[Value]) -> list[Value]:
        """Emit trip `k` itself, of the kept carries."""
        args, yields = self.parts.body.args, self.parts.body.yields
        env = {args[1 + i]: x for i, x in zip(self.kept, kept, strict=True)}
        env[args[0]] = k
        wanted = [yields[i] for i in self.kept]
        _compute(self.parts.body.ops, wanted, env)
        return [env.get(y, y) for y in wanted]

    def transform(self, k: Value, records: Sequence[Value], state: Sequence[Value]) -> list[Value]:
        """Emit the adjoint of trip `k` from its records; what it yields."""
        adjoint = self.parts.adjoint
        env = dict(zip(self.records, records, strict=True))
        env[adjoint.args[0]] = k
        env.update(zip(adjoint.args[1 + len(self.xs) :], state, strict=True))
        late = _Late(self, env)
        for op in self.linear:
            late.need(reads(op))
            append(clone_op(op, env))
        late.need(adjoint.yields)
        return [env.get(y, y) for y in adjoint.yields]


class _Late:
    """Emits what the linear part of the adjoint reads, when it is read."""

    def __init__(self, cut: Cut, env: Env):
        self.env, self.versions = env, cut.versions
        self.definitions = {y: op for op in cut.primal for y in op.results}
        self.carries = set(cut.xs)

    def need(self, values: Iterable[Value], restored: bool = True) -> None:
        """`restored`: of arrays with undo logs, those versions may be read that are there."""
        for x in values:
            if x in self.env:
                continue
            if restored and x in self.versions and self.is_there(self.versions[x]):
                self.env[x] = self.version(self.versions[x])
            elif x in self.definitions:
                op = self.definitions[x]
                self.need(reads(op), restored)
                append(clone_op(op, self.env))
            elif x in self.carries:
                raise InternalError("storage: the reverse sweep reads what was not recorded")

    def is_there(self, v: Version) -> bool:
        """Has the sweep come to the place from which on this version can be had?"""
        if isinstance(v, Undone | Unwound):
            return v.next in self.env or self.is_there(self.versions[v.next])
        return isinstance(v, Last) or v.result in self.env

    def version(self, v: Version) -> Value:
        env = self.env
        if isinstance(v, Last):
            return env[v.carried]
        if isinstance(v, Returned):
            return env[v.result]
        self.need([v.next])
        # What restores a version does not come from one that it may restore itself.
        self.need(v.logged, restored=False)
        if isinstance(v, Unwound):
            return unwound(v, env)
        old, *place = (env.get(x, x) for x in v.logged)
        return put_back(v.store, env[v.next], old, place)


def parted(parts: Loop, versions: Mapping[Value, Version] | None = None) -> Cut:
    """The two parts of the adjoint, with nothing recorded yet."""
    ops = parts.adjoint.ops
    late = with_dependents(parts.adjoint.args[1 + len(parts.carries) :], ops)
    primal = tuple(op for op in ops if late.isdisjoint(reads(op)))
    linear = tuple(op for op in ops if not late.isdisjoint(reads(op)))
    return Cut(parts, primal, linear, versions=versions or {})


def with_dependences(body: Region, carries: Iterable[int]) -> list[int]:
    """These carries of a loop, and those that they depend on from trip to trip."""
    found = set(carries)
    while True:
        read = _carries_read(body.args[1:], body.ops, [body.yields[i] for i in found])
        if read <= found:
            return sorted(found)
        found |= read


def carries_needed(parts: Loop) -> list[int]:
    """The carries of a `rev` that its adjoint or its condition depend on."""
    adjoint, cond = parts.adjoint, parts.cond
    n = len(parts.carries)
    read = _carries_read(adjoint.args[1 : 1 + n], adjoint.ops, adjoint.yields)
    if cond is not None:
        read |= _carries_read(cond.args[1:], cond.ops, cond.yields)
    return with_dependences(parts.body, read)


def _carries_read(args: Sequence[Value], ops: Sequence[Op], wanted: Iterable[Value]) -> set[int]:
    wanted = list(wanted)
    read = {*wanted, *(x for op in needed(ops, wanted, ()) for x in reads(op))}
    return {i for i, x in enumerate(args) if x in read}


def choose_records(
    cut: Cut,
    recording: Callable[[Value], float],
    again: Callable[[Op], float],
    recordable: Callable[[Op], bool],
) -> Cut:
    """The cheapest records, given what it costs to record a value, and to compute an op again.

    Results of ops that are not `recordable` cannot be had in the forward sweep.
    """
    free = _Free(cut)
    wanted = _read_late(cut)
    network = Network()
    source, sink = network.node(), network.node()
    before: dict[Value, int] = {}  # the value has to be had from somewhere
    after: dict[Value, int] = {}  # the value is at hand in the reverse sweep

    def value(x: Value, cost: int) -> None:
        before[x], after[x] = network.node(), network.node()
        network.connect(before[x], after[x], cost)

    for x in cut.xs:
        value(x, _units(recording(x)))
        network.connect(source, before[x], INFINITE)
    for op in needed(cut.primal, [*wanted, *free.logged], ()):
        computed = network.node()
        network.connect(source, computed, _units(again(op)))
        for x in reads(op):
            if x in after and not free.to_op(x, op):
                network.connect(after[x], computed, INFINITE)
        for y in op.results:
            value(y, _units(recording(y)) if recordable(op) else INFINITE)
            network.connect(computed, before[y], INFINITE)
    for x in [*wanted, *free.logged]:
        if x in after and not free.directly(x):
            network.connect(after[x], sink, INFINITE)
    late = network.sink_side(source, sink)
    records = tuple(x for x in after if before[x] not in late and after[x] in late)
    return replace(cut, records=records)


class _Free:
    """Which reads of versions cost nothing: those made when the version has been restored.

    The reverse sweep goes through the linear part once. A version before an inner loop exists from
    the reversal of that loop on; what is read of it for something earlier must be recorded. So
    must be all that it takes to undo stores.
    """

    def __init__(self, cut: Cut):
        self.versions = cut.versions
        linear = {y: i for i, op in enumerate(cut.linear) for y in op.results}
        self.since = {x: self._since(x, linear) for x in cut.versions}
        undone = [v for v in cut.versions.values() if isinstance(v, Undone | Unwound)]
        self.logged = [x for v in undone for x in v.logged]
        # The first place in the linear part that needs a value; -1: before any version is there.
        self.first: dict[Value, int] = dict.fromkeys(self.logged, -1)
        for i, op in enumerate(cut.linear):
            for x in reads(op):
                self.first.setdefault(x, i)
        for x in cut.parts.adjoint.yields:
            self.first.setdefault(x, len(cut.linear))
        self.direct = dict(self.first)
        for op in reversed(cut.primal):
            first = self._first_use(op)
            for x in reads(op):
                self.first[x] = min(self.first.get(x, first), first)
        self.uses = {op: self._first_use(op) for op in cut.primal}

    def _since(self, x: Value, linear: Mapping[Value, int]) -> int:
        """The place in the linear part from which on a version can be had."""
        v = self.versions[x]
        if isinstance(v, Last):
            return 0
        if isinstance(v, Returned):
            return linear[v.result] + 1
        return self._since(v.next, linear)

    def _first_use(self, op: Op) -> int:
        return min((self.first[y] for y in op.results if y in self.first), default=1 << 30)

    def directly(self, x: Value) -> bool:
        """Is the linear part's own read of `x` one of a version that is there?"""
        return x in self.since and self.since[x] <= self.direct[x]

    def to_op(self, x: Value, op: Op) -> bool:
        """Is this so for the read of `x` by a primal op, when its results are needed first?"""
        return x in self.since and self.since[x] <= self.uses[op]


def _compute(ops: Sequence[Op], wanted: Iterable[Value], env: Env) -> None:
    """Emit those of `ops` that it takes to have the `wanted` values, given those in `env`."""
    for op in needed(ops, wanted, env):
        append(clone_op(op, env))


def _read_late(cut: Cut) -> list[Value]:
    """The primal values that the linear part reads or the adjoint yields."""
    here = {*cut.xs, *(y for op in cut.primal for y in op.results)}
    read = [x for op in cut.linear for x in reads(op)]
    return [x for x in dict.fromkeys((*read, *cut.parts.adjoint.yields)) if x in here]


def _units(cost: float) -> int:
    return min(int(cost * 1000), INFINITE)
