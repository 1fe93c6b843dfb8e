"""Reverse mode: one walk forwards that emits the primal, one walk back that emits the pullback.

    %y = sin %x     ->     %y = sin %x         ...      %1 = cos %x
                                                        %x_ct = mul %y_ct, %1

The pullback reads the primal's values directly, also those inside the branches of an `if`. The
values that it reads are the residuals; `residuals.py` makes those of branches visible. The pullback
of a branch is a branch on the same predicate; that of a loop is a `rev` (`vjp_loops.py`). Each
cotangent is accumulated in place (`cotangents.Accumulators`).

Differentiation is recursive: `reverse` pulls back loops, and the pullback of a loop calls `reverse`
on its body. The two stand in different files, and imports have no cycles: this file imports the
pullbacks of loops, `rev`, `custom`, `remat` and linear solves. So each of these receives `reverse`
(and `vjp_region`) as an argument, to call it on its regions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from myia.ir.builder import Builder, append, at, emit
from myia.ir.core import Op, Region, Tangents, Value, captures, reads
from myia.ir.primitive import Explicit, Linear, Partials, linear_operands, transposed
from myia.primitives.core.structured import custom_p, if_p, loop_p, remat_p, rev_p
from myia.rewriting.liveness import eliminate_dead_values
from myia.source.diagnostics import InternalError
from myia.transforms.activity import active_values, sources
from myia.transforms.clone import clone
from myia.transforms.cotangents import Accumulators, like_cotangents, scaled
from myia.transforms.custom import is_active, pull_back_custom, with_rules
from myia.transforms.linear_solve import pull_back_linear_solve
from myia.transforms.pullback_order import in_pullback_order
from myia.transforms.remat import pull_back_remat
from myia.transforms.residuals import export_residuals
from myia.transforms.supports.rules import (
    AS_LONG_AS_ARRAYS,
    moves_by_position,
    parts_of_results,
    supports_of_operands,
)
from myia.transforms.supports.slices import Support
from myia.transforms.supports.tracked import Supports, track_cotangents
from myia.transforms.vjp_loops import pull_back_loop
from myia.transforms.vjp_rev import pull_back_rev


def vjp_region(region: Region, wrt: Sequence[int], of: Sequence[int]) -> Region:
    """(*args, *cotangents of the ys `of`) -> (*ys, *cotangents of the args `wrt`)."""
    source = clone(region)
    inputs = [source.args[i] for i in wrt]
    seeds = like_cotangents(source.yields[i] for i in of)
    with Builder() as b:
        cts = [(source.yields[i], seed) for i, seed in zip(of, seeds)]
        sums = reverse(source.ops, inputs, cts)
        results = [sums.buffer(x) for x in inputs]
    derived = Region((*source.args, *seeds), tuple(b.ops), (*source.yields, *results))
    # Residuals first: until they are results of their branches, this is no valid IR.
    return eliminate_dead_values(export_residuals(derived))


def reverse(
    ops: Sequence[Op],
    wanted: Sequence[Value],
    cts: Sequence[tuple[Value, Value]],
    sums: Mapping[Value, Value] | None = None,
    supports: Supports | None = None,
) -> Accumulators:
    """Emit `ops` and then their pullback, from the cotangents `cts` to those of `wanted`.

    `sums` are the cotangents that enclosing sweeps have accumulated already.
    """
    supports = supports or Supports()
    active = active_values(ops, wanted, [y for y, _ in cts])
    tracked = track_cotangents(ops, active, supports)
    acc = Accumulators(active, sums, tracked=tracked, supports=supports)
    for op in with_rules(ops, active, acc.residuals):
        append(op)
    for (y, ct), support in zip_longest(cts, supports.of_cts):
        with acc.contribute({y: support}):
            acc.add(y, ct)
    pull_back(ops, acc)
    return acc


def pull_back(ops: Sequence[Op], acc: Accumulators) -> None:
    """Emit the pullback of `ops`, whose results' cotangents are in `acc`."""
    for op in reversed(in_pullback_order(ops)):
        cts = [acc.take(y) for y in op.results]
        supports = [acc.take_support(y) for y in op.results]
        if any(ct is not None for ct in cts):
            with at(op.span):
                _pull_back_op(op, cts, supports, acc)
    # In a branch: contributions deferred any longer would be emitted outside of its region.
    acc.flush()


def _pull_back_op(
    op: Op, cts: list[Value | None], supports: list[Support], acc: Accumulators
) -> None:
    if op.primitive is if_p:
        _pull_back_if(op, cts, supports, acc)
    elif op.primitive is loop_p:
        pull_back_loop(reverse, op, cts, supports, acc)
    elif op.primitive is rev_p:
        pull_back_rev(reverse, op, cts, supports, acc)
    elif op.primitive is custom_p and op.params["rule"].mode == "solve":
        if is_active(op, acc.active):
            pull_back_linear_solve(reverse, vjp_region, op, cts, acc)
    elif op.primitive is custom_p:
        pull_back_custom(reverse, op, cts, supports, acc)
    elif op.primitive is remat_p:
        pull_back_remat(reverse, op, cts, supports, acc)
    elif op.primitive.structured:
        raise InternalError(f"{op.primitive.name} has no cotangents")
    elif any(acc.wants(x) for x in sources(op)):
        with acc.contribute(*_contributions(op, cts, supports, acc)):
            _pull_back_plain(op, cts, acc)


def _contributions(
    op: Op, cts: list[Value | None], supports: list[Support], acc: Accumulators
) -> tuple[dict[Value, Support], set[Value]]:
    """The supports of what `op` gives to its operands, and the operands that it spoils."""
    spoiled = {x for i, x in enumerate(op.operands) if (op, i) in acc.tracked.spoiled}
    wanted = spoiled | {x for x in op.operands if acc.tracks(x)}
    if acc.in_loop and op.primitive in AS_LONG_AS_ARRAYS:
        # An iteration may cost as much as an element: only ops with a pole are worth an array.
        wanted = wanted & acc.tracked.poles if acc.tracked.of_poles else set()
    if not wanted:
        return {}, set()
    integers = acc.tracked.integers
    found = supports_of_operands(op, cts, supports, wanted, _pulled_back, integers)
    for x in parts_of_results(op) & found.keys():
        acc.note_within(found[x], *supports)
    if all(s is None or s in acc.by_position for s in supports) and (
        moves_by_position(op, acc.tracked)
    ):
        acc.by_position.update(s for s in found.values() if s is not None)
        if not acc.tracked.has_pole(op):
            return found, set()
    return found, spoiled


def _pulled_back(op: Op, cts: Tangents, wanted: set[Value]) -> dict[Value, Value | None]:
    acc = Accumulators(wanted)
    _pull_back_plain(op, cts, acc)
    # In the order of the operands: that of a set differs from process to process.
    return {x: acc.get(x) for x in op.operands if x in wanted}


def _pull_back_plain(op: Op, cts: Tangents, acc: Accumulators) -> None:
    derivative, xs = op.primitive.derivative, op.operands
    if isinstance(derivative, Explicit):
        if derivative.vjp is not None:
            derivative.vjp(op, cts, acc)
        else:
            _transpose_jvp(op, derivative, cts, acc)
        return
    ((y,), (ct,)) = op.results, cts
    if ct is None:
        return
    if isinstance(derivative, Linear):
        if derivative.accumulate is not None:
            derivative.accumulate(op, ct, acc)
            return
        for i in linear_operands(derivative, xs):
            if acc.wants(xs[i]):
                acc.add(xs[i], transposed(derivative, i)(ct, *xs, **op.params))
    elif isinstance(derivative, Partials):
        for partial, x in zip(derivative.partials, xs):
            if partial is not None and acc.wants(x):
                acc.add(x, scaled(partial(y, *xs, **op.params), ct))


def _transpose_jvp(op: Op, derivative: Explicit, cts: Tangents, acc: Accumulators) -> None:
    """The pullback of an op whose derivative is stated as a jvp only: the transpose of that jvp.

    Ops that depend on a tangent are pulled back but not emitted: they are linear in the tangents,
    so no pullback reads their results.
    """
    ts = [Value(x.aval) if acc.wants(x) else None for x in op.operands]
    wanted = [t for t in ts if t is not None]
    with Builder() as b:
        tangents = derivative.jvp(op.results, op.operands, ts, **op.params)
        needed = [(t, ct) for t, ct in zip(tangents, cts) if t is not None and ct is not None]
        seeds = [(t() if callable(t) else t, ct) for t, ct in needed]
    linear = set(wanted)  # values that depend on a tangent
    for inner in b.ops:
        if linear.isdisjoint(reads(inner)):
            append(inner)
        else:
            linear.update(inner.results)
    sums = Accumulators(active_values(b.ops, wanted, [t for t, _ in seeds]))
    for t, ct in seeds:
        sums.add(t, ct)
    pull_back([inner for inner in b.ops if linear.intersection(inner.results)], sums)
    for x, t in zip(op.operands, ts):
        if t is not None:
            acc.add(x, sums.get(t))


def _pull_back_if(
    op: Op, cts: list[Value | None], supports: list[Support], acc: Accumulators
) -> None:
    """Emit an `if` whose branches are the pullbacks, from the sums of the values they capture."""
    captured = [x for x in captures(*op.regions) if acc.wants(x)]
    # The branches start from the sums so far, and add to them in place.
    known = {x: ct for x in captured if (ct := acc.get(x)) is not None}
    arms = []
    for region in op.regions:
        with Builder() as b:
            sums = acc.of_branch(known)
            for y, ct, support in zip(region.yields, cts, supports):
                with sums.contribute({y: support}):
                    sums.add(y, ct)
            pull_back(region.ops, sums)
        arms.append((b, sums))
    # Equal sums are the same SSA value: nothing was added to them in either branch.
    changed = [x for x in captured if any(sums.get(x) is not acc.get(x) for _, sums in arms)]
    merged = [x for x in changed if acc.tracks(x) and not _is_everywhere(x, arms)]
    regions = []
    for b, sums in arms:
        with b:
            yields = tuple(sums.buffer(x) for x in changed)
            yields += tuple(sums.support(x) for x in merged)
        regions.append(Region((), tuple(b.ops), yields))
    if changed:
        results = emit(if_p, *op.operands, regions=regions)
        found = dict(zip(merged, results[len(changed) :]))
        for x, support in found.items():
            acc.note_within(support, *(sums.supports.get(x) for _, sums in arms))
        for x, ct in zip(changed, results):
            acc.replace(x, ct, found.get(x))


def _is_everywhere(x: Value, arms: Sequence[tuple[Builder, Accumulators]]) -> bool:
    return all(x in sums.supports and sums.supports[x] is None for _, sums in arms)
