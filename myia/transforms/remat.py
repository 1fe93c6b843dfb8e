"""Calls whose interior is run again for their derivative, instead of being kept.

    %y = remat %x { f }         ->    %y = remat %x { f }
                                      %x_ct = remat %x, %y_ct { f and its pullback }  late=1 until=1

The pullback of a remat is a remat, so this holds at any order. After the last derivative a remat is
a call like any other, but for the operands that are late: these are held back until the cotangents
have arrived.

    %x_ct = remat %x, %y_ct { ... }  late=1 until=1   ->   %1 = barrier %x, %y_ct
                                                             %x_ct = call %1, %y_ct { ... }

Nothing that is computed from %1 is then available in a forward sweep: what a loop records of the
call are its operands, and no pass nor XLA takes its interior from the first run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from myia.ir.builder import Builder, append, at, build_region, emit
from myia.ir.core import Op, Region, Value, captures
from myia.ir.rewrite import with_regions
from myia.primitives.core.barriers import barrier
from myia.primitives.core.structured import call_p, remat_p
from myia.transforms.clone import clone_with_args
from myia.transforms.cotangents import Accumulators
from myia.transforms.residuals import export_residuals


def pull_back_remat(
    reverse: Callable, op: Op, cts: Sequence[Value | None], acc: Accumulators
) -> None:
    """Emit the remat that runs `op` again and pulls the cotangents back, added to the sums."""
    (body,) = op.regions
    captured = captures(body)
    inputs = list(dict.fromkeys((*op.operands, *captured)))
    wanted = [x for x in inputs if acc.wants(x)]
    known = [x for x in wanted if acc.get(x) is not None]
    moved = [i for i, ct in enumerate(cts) if ct is not None]

    def again(*values: Value) -> list[Value]:
        values = iter(values)
        own = {x: next(values) for x in inputs}
        step = clone_with_args(body, [own[x] for x in op.operands], own, replay=True)
        seeds = [(step.yields[i], next(values)) for i in moved]
        sums = {own[x]: next(values) for x in known}
        total = reverse(step.ops, [own[x] for x in wanted], seeds, sums)
        return [total.buffer(own[x]) for x in wanted]

    operands = [*inputs, *(cts[i] for i in moved), *(acc.get(x) for x in known)]
    region = build_region([x.aval for x in operands], again, [x.name for x in inputs])
    late, until = len(inputs), len(moved)
    regions = [export_residuals(region, region.args[late:])]
    for x, ct in zip(wanted, emit(remat_p, *operands, regions=regions, late=late, until=until)):
        acc.replace(x, ct)


# ----- After the last derivative


def lower_remats(region: Region) -> Region:
    """`region` with calls for remats, their late operands behind barriers."""
    with Builder() as b:
        for op in region.ops:
            with at(op.span):
                _schedule(op)
    return Region(region.args, tuple(b.ops), region.yields)


def _schedule(op: Op) -> None:
    if op.regions:
        op = with_regions(op, [lower_remats(r) for r in op.regions])
    if op.primitive is not remat_p:
        append(op)
        return
    late, until = op.params["late"], op.params["until"]
    xs, rest = op.operands[:late], op.operands[late:]
    if late and until:
        xs = barrier(xs, rest[:until])
    operands = (*xs, *rest)
    append(Op(call_p, operands, {"name": "remat"}, op.regions, op.results, op.span))
