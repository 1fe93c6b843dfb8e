"""Undo logs of inner loops that are no reversals' affair.

    %b = for %k < %n (%a = %b0) {         %b, %t = for %k < %n (%a = %b0, %s = zeros) {
      %c = write %u into %a at %k    ->     %old = read %a at %k
      yield %c                              %c = write %u into %a at %k
    }                                       yield %c, %old written into %s at %k
                                          }
    going back:                           %b0 = for %j < %n (%a = %b) {
                                            %k = %n - 1 - %j
                                            yield %t read at %k, written into %a at %k
                                          }

What an inner loop adds to an array needs nothing of the array for its reversal, which then has no
reason to restore it; the loop around it may. Taken where the log is smaller than the array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from myia.ir.avals import I64
from myia.ir.builder import append, build_region
from myia.ir.core import Op, Region, Value, captures, reads
from myia.ir.dependence import needed
from myia.ir.rewrite import Env, clone_op, clone_region, inline
from myia.primitives.core.define import empty
from myia.primitives.core.emit_structured import loop
from myia.primitives.core.structured import Loop
from myia.primitives.pointwise.arithmetic import sub
from myia.storage.model.iteration_rows import read, stacked, write
from myia.storage.undo_log.restoration import (
    STORES,
    Unwound,
    overwritten,
    place_of,
    put_back,
    update_of,
)
from myia.storage.undo_log.store_chains import links


def stores_to_log(op: Op, end: Value) -> list[Op] | None:
    """The stores by which each trip of a loop changes what becomes its result `end`, in order.

    None unless the loop is counted, with a bound; changes the array by stores alone, at places that
    follow from the counter; and writes fewer elements than the array has.
    """
    parts, i = Loop.of(op), op.results.index(end)
    if parts.cond is not None or parts.bound is None:
        return None
    found = links(parts.body, parts.body.args[1 + i], parts.body.yields[i])
    if found is None or any(store.primitive not in STORES for _, store, _ in found):
        return None
    stores = [store for _, store, _ in reversed(found)]
    written = sum(update_of(store).aval.size for store in stores)
    few = parts.bound * written < end.aval.size
    return stores if stores and few and _places_follow(parts, stores) else None


def _places_follow(parts: Loop, stores: Sequence[Op]) -> bool:
    places = [i for store in stores for i in place_of(store)]
    follow = [*places, *(x for op in needed(parts.body.ops, places) for x in reads(op))]
    return set(follow).isdisjoint(parts.body.args[1:])


# ----- Going forwards


@dataclass(frozen=True)
class Logged:
    """The log of a loop about one array, as `Unwound` has it."""

    count: Value
    bound: int
    trip: Region
    tapes: tuple[Value, ...]

    @property
    def reads(self) -> tuple[Value, ...]:
        return self.count, *self.tapes, *captures(self.trip)

    def version(self, after: Value, now: Mapping[Value, Value]) -> Unwound:
        """What restores the array of `after`; `now` is what values have become."""
        look = lambda x: now.get(x, x)  # noqa: E731
        trip = clone_region(self.trip, dict(now))
        return Unwound(after, look(self.count), self.bound, trip, tuple(map(look, self.tapes)))


def logged(op: Op, ends: Sequence[Value], env: Env) -> dict[Value, Logged]:
    """Emit a copy of the loop that also logs what it overwrites in the arrays it makes `ends`."""
    if not ends:
        append(clone_op(op, env))
        return {}
    parts = Loop.of(op)
    count, carries = env.get(parts.count, parts.count), [env.get(x, x) for x in parts.carries]
    body = parts.body
    stores = {end: stores_to_log(op, end) for end in ends}
    every = [store for found in stores.values() for store in found]
    tapes = [empty(stacked(update_of(store).aval, parts.bound)) for store in every]

    def trip(k, *xs):
        inner = {**env, **dict(zip(body.args, (k, *xs)))}
        old = {}
        for each in body.ops:
            if each in every:
                array, *place = (inner.get(x, x) for x in (each.operands[0], *place_of(each)))
                old[each] = overwritten(each, array, place)
            append(clone_op(each, inner))
        rows = [write(b, old[s], k) for b, s in zip(xs[len(carries) :], every)]
        return [*(inner.get(y, y) for y in body.yields), *rows]

    results = loop([*carries, *tapes], trip, count=count, bound=parts.bound)
    env.update(zip(op.results, results))
    tape = dict(zip(every, results[len(carries) :]))
    return {
        end: Logged(count, parts.bound, _back(parts, found, env), tuple(tape[s] for s in found))
        for end, found in stores.items()
    }


def _back(parts: Loop, stores: Sequence[Op], env: Env) -> Region:
    """(k, array, *overwritten in trip k) -> the array before trip k."""
    places = [i for store in stores for i in place_of(store)]

    def undo(k, array, *old):
        inner = {**env, parts.body.args[0]: k}
        for op in needed(parts.body.ops, places):
            append(clone_op(op, inner))
        for store, x in reversed(list(zip(stores, old))):
            array = put_back(store, array, x, [inner.get(i, i) for i in place_of(store)])
        return [array]

    avals = [I64, stores[0].operands[0].aval, *(update_of(store).aval for store in stores)]
    return build_region(avals, undo)


# ----- Going back


def unwound(v: Unwound, env: Env) -> Value:
    """Emit the loop that restores the array."""
    count, *tapes = (env.get(x, x) for x in (v.count, *v.tapes))

    def back(j, array):
        k = sub(sub(count, 1), j)
        return inline(v.trip, [k, array, *(read(t, k) for t in tapes)], env)

    (result,) = loop([env[v.next]], back, count=count, bound=v.bound)
    return result
