"""Undo logs of inner loops whose own adjoint does not restore the array.

    %b = for %k < %n (%a = %b0) {         %b, %t = for %k < %n (%a = %b0, %s = zeros) {
      %c = write %u into %a at %k    ->     %old = read %a at %k
      yield %c                              %c = write %u into %a at %k
    }                                       yield %c, %old written into %s at %k
                                          }
    in the adjoint of the outer loop:     %b0 = for %j < %n (%a = %b) {
                                            %k = %n - 1 - %j
                                            yield %t read at %k, written into %a at %k
                                          }

The adjoint of a loop that only adds to an array reads nothing of the array, so it does not restore
it. The adjoint of the outer loop may need it. Used where the log is smaller than the array.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.analysis.array_versions import carried_chains
from myia.ir.avals import I64
from myia.ir.builder import append, build_region
from myia.ir.core import Op, Region, Value, Values, reads
from myia.ir.dependence import needed
from myia.ir.rewrite import Env, clone_op, inline
from myia.primitives.arrays.rows import read_row, rows_aval, write_row
from myia.primitives.core.define import empty
from myia.primitives.core.emit_structured import loop
from myia.primitives.core.structured import Loop
from myia.primitives.pointwise.arithmetic import sub
from myia.storage.undo_log.restoration import (
    UndoneLoop,
    indices_of,
    read_overwritten,
    restore_overwritten,
    update_of,
)


def loggable_stores(op: Op, end: Value) -> list[Op] | None:
    """The stores, in order, by which each iteration changes the array that is the result `end`.

    None unless the loop is counted, with a bound; changes the array by stores alone, at indices
    computed from the counter; and stores fewer elements than the array has.
    """
    inner, i = Loop.of(op), op.results.index(end)
    if inner.cond is not None or inner.bound is None:
        return None
    chain = carried_chains(inner.body)[i]
    if chain is None or any(link.inner for link in chain.links):
        return None
    stores = list(chain.stores)
    written = sum(update_of(store).aval.size for store in stores)
    is_smaller = inner.bound * written < end.aval.size
    return (
        stores if stores and is_smaller and _indices_depend_on_counter_only(inner, stores) else None
    )


def _indices_depend_on_counter_only(inner: Loop, stores: Sequence[Op]) -> bool:
    indices = [i for store in stores for i in indices_of(store)]
    read = [*indices, *(x for op in needed(inner.body.ops, indices) for x in reads(op))]
    return set(read).isdisjoint(inner.body.args[1:])


# ----- Forwards


def emit_with_log(op: Op, ends: Sequence[Value], env: Env) -> dict[Value, UndoneLoop]:
    """Emit a copy of the loop that also logs the elements it overwrites in the arrays `ends`.

    Returns how the version before the loop is restored from each of them.
    """
    if not ends:
        append(clone_op(op, env))
        return {}
    inner = Loop.of(op)
    count = env.get(inner.trip_count, inner.trip_count)
    carries = [env.get(x, x) for x in inner.carries]
    body, bound = inner.body, inner.bound
    assert bound is not None  # `loggable_stores`
    stores = {end: loggable_stores(op, end) or [] for end in ends}
    all_stores = [store for found in stores.values() for store in found]
    tapes = [empty(rows_aval(update_of(store).aval, bound)) for store in all_stores]

    def iteration(k: Value, *xs: Value) -> list[Value]:
        body_env = {**env, **dict(zip(body.args, (k, *xs)))}
        old = {}
        for body_op in body.ops:
            if body_op in all_stores:
                operands = (body_op.operands[0], *indices_of(body_op))
                array, *indices = (body_env.get(x, x) for x in operands)
                old[body_op] = read_overwritten(body_op, array, indices)
            append(clone_op(body_op, body_env))
        rows = [write_row(b, old[s], k) for b, s in zip(xs[len(carries) :], all_stores)]
        return [*(body_env.get(y, y) for y in body.yields), *rows]

    results = loop([*carries, *tapes], iteration, count=count, bound=bound)
    env.update(zip(op.results, results))
    tape = dict(zip(all_stores, results[len(carries) :]))
    return {
        end: UndoneLoop(
            env[end], count, bound, _undo_region(inner, found, env), tuple(tape[s] for s in found)
        )
        for end, found in stores.items()
    }


def _undo_region(inner: Loop, stores: Sequence[Op], env: Env) -> Region:
    """(k, array, *overwritten in iteration k) -> the array before iteration k"""
    indices = [i for store in stores for i in indices_of(store)]

    def undo(k: Value, array: Value, *old: Value) -> list[Value]:
        undo_env = {**env, inner.body.args[0]: k}
        for op in needed(inner.body.ops, indices):
            append(clone_op(op, undo_env))
        for store, elements in reversed(list(zip(stores, old))):
            at = [undo_env.get(i, i) for i in indices_of(store)]
            array = restore_overwritten(store, array, elements, at)
        return [array]

    avals = [I64, stores[0].operands[0].aval, *(update_of(store).aval for store in stores)]
    return build_region(avals, undo)


# ----- Backwards


def emit_undo_loop(v: UndoneLoop, env: Env) -> Value:
    """Emit the loop that restores the array."""
    count, *tapes = (env.get(x, x) for x in (v.count, *v.tapes))

    def undo(j: Value, array: Value) -> Values:
        k = sub(sub(count, 1), j)
        return inline(v.undo_iteration, [k, array, *(read_row(t, k) for t in tapes)], env)

    (result,) = loop([env[v.next]], undo, count=count, bound=v.bound)
    return result
