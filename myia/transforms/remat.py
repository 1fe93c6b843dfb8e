"""Rematerialization: calls whose interior is recomputed for their derivative instead of stored.

    %y = remat %x { f }         ->    %y = remat %x { f }
                                      %x_ct = remat %x, %y_ct { f and its pullback }  late=1 until=1

The pullback of a remat is a remat, so this holds at any order. After the last derivative a remat
becomes a call; its `late` operands are held back until the cotangents have arrived.

    %x_ct = remat %x, %y_ct { ... }  late=1 until=1   ->   %1 = barrier %x, %y_ct
                                                             %x_ct = call %1, %y_ct { ... }

Values computed from %1 are then not available in a forward sweep. So a loop records the operands of
the call, not its interior, and neither a pass nor XLA reuses the interior of the first run.

`reverse` is handed in: see the docstring of `vjp.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.builder import Builder, append, at, build_region, emit
from myia.ir.core import Op, Region, Value, captures
from myia.primitives.core.barriers import barrier
from myia.primitives.core.structured import call_p, custom_p, remat_p
from myia.rewriting.walk import rebuilt, substituted
from myia.transforms.clone import clone_with_args
from myia.transforms.cotangents import Accumulators, Reverse
from myia.transforms.residuals import export_residuals
from myia.transforms.supports.slices import Support, as_array
from myia.transforms.supports.tracked import Supports, nowhere


def pull_back_remat(
    reverse: Reverse,
    op: Op,
    cts: Sequence[Value | None],
    supports: Sequence[Support],
    acc: Accumulators,
) -> None:
    """Emit the remat that recomputes `op` and adds its pullback to the sums."""
    (body,) = op.regions
    captured = captures(body)
    inputs = list(dict.fromkeys((*op.operands, *captured)))
    wanted = [x for x in inputs if acc.wants(x)]
    known = {x: ct for x in wanted if (ct := acc.get(x)) is not None}
    with_ct = [i for i, ct in enumerate(cts) if ct is not None]
    seeds = [ct for ct in cts if ct is not None]
    masks = {
        i: as_array(supports[i], ct.aval)
        for i, ct in zip(with_ct, seeds)
        if supports[i] is not None
    }
    known_masks = {x: acc.support(x) for x in known if acc.supports.get(x) is not None}
    found: dict[Value, Support] = {x: nowhere(x) for x in wanted if acc.tracks(x)}

    def recompute(*args: Value) -> list[Value]:
        values = iter(args)
        own = {x: next(values) for x in inputs}
        step = clone_with_args(body, [own[x] for x in op.operands], own, replay=True)
        of_yields = [(step.yields[i], next(values)) for i in with_ct]
        sums = {own[x]: next(values) for x in known}
        inner = {i: next(values) for i in masks}
        of_sums = {own[x]: next(values) for x in known_masks}
        acc.by_position.update(inner[i] for i in inner if supports[i] in acc.by_position)
        given = Supports(
            of_cts=[inner.get(i) for i in with_ct],
            of_sums=of_sums,
            wanted=[own[x] for x in found],
            outside=acc.tracked.also_of(own.items()),
            by_position=acc.by_position,
            in_loop=acc.in_loop,
        )
        total = reverse(step.ops, [own[x] for x in wanted], of_yields, sums, given)
        found.update((x, total.supports.get(own[x], nowhere(x))) for x in found)
        after = [total.support(own[x]) for x in found]
        return [*(total.buffer(own[x]) for x in wanted), *after]

    operands = [*inputs, *seeds, *known.values(), *masks.values(), *known_masks.values()]
    avals, names = [x.aval for x in operands], [x.name for x in inputs]
    region = build_region(avals, recompute, names)
    if None in found.values():  # everywhere: not worth a result
        found = {x: support for x, support in found.items() if support is not None}
        region = build_region(avals, recompute, names)
    late, until = len(inputs), len(with_ct)
    regions = [export_residuals(region, region.args[late:])]
    results = emit(remat_p, *operands, regions=regions, late=late, until=until)
    after = dict(zip(found, results[len(wanted) :]))
    for x, ct in zip(wanted, results):
        acc.replace(x, ct, after.get(x))


# ----- After the last derivative


def lower_calls(region: Region) -> Region:
    """`region` with calls for `custom` and `remat` ops; late operands of remats behind barriers."""
    with Builder() as b:
        for op in region.ops:
            with at(op.span):
                _lower_call(substituted(op, {}, lower_calls))
    return rebuilt(region, b.ops, region.yields)


def _lower_call(op: Op) -> None:
    operands, name = op.operands, "remat"
    if op.primitive is custom_p:
        name = op.params["name"]
    elif op.primitive is remat_p:
        late, until = op.params["late"], op.params["until"]
        if late and until:
            rest = operands[late:]
            operands = (*barrier(operands[:late], rest[:until]), *rest)
    else:
        append(op)
        return
    append(Op(call_p, operands, {"name": name}, op.regions, op.results, op.span))
