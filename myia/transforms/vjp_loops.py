"""Reverse mode of loops. Loops are closed under differentiation: nothing is recorded here.

    vjp(loop f)  =  rev f
    vjp(rev f)   =  loop f', then rev f'          (`vjp_rev.py`)

The adjoint region of a `rev` holds the step of the loop, recomputed from the carried values x at
the start of the iteration, and its pullback. Which values of that step are stored and which are
recomputed is decided after all derivatives are taken, by `storage/`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from myia.ir.avals import I64
from myia.ir.builder import build_region
from myia.ir.core import Op, Region, Value, captures
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.structured import Loop
from myia.transforms.clone import clone, clone_with_args
from myia.transforms.cotangents import Accumulators, like_cotangents, or_zeros
from myia.transforms.custom import region_with_rules
from myia.transforms.host_calls import check_adjoint
from myia.transforms.residuals import export_residuals
from myia.transforms.supports.loops import LoopSupports
from myia.transforms.supports.slices import Support

Cts = Sequence[Value | None]


def pull_back_loop(
    reverse: Callable, op: Op, cts: Cts, supports: Sequence[Support], acc: Accumulators
) -> None:
    """Emit the adjoint loop of `op`. `reverse`: handed in, see the docstring of `vjp.py`."""
    parts = Loop.of(op)
    args = parts.body.args[1:]
    active = [i for i, x in enumerate(args) if acc.wants(x) or cts[i] is not None]
    captured = [x for x in captures(parts.body) if acc.wants(x)]
    tracked = LoopSupports(parts, active, captured, cts, supports, acc)

    def adjoint(k, xs, cts, sums, masks):
        step = clone_with_args(parts.body, (k, *xs), replay=True)
        wanted = [xs[i] for i in active if acc.wants(args[i])]
        seeds = [(step.yields[i], ct) for i, ct in zip(active, cts)]
        known = dict(zip(captured, sums))
        supports = tracked.inside(xs, masks)
        total = reverse(step.ops, [*wanted, *captured], seeds, known, supports)
        after = [total.buffer(xs[i]) for i in active] + [total.buffer(x) for x in captured]
        return after + tracked.after(xs, total)

    seeds = tuple(or_zeros(cts[i], op.results[i]) for i in active)
    sums = tuple(acc.buffer(x) for x in captured)
    groups = args, like_cotangents(args[i] for i in active), like_cotangents(captured)
    region = closed_region(adjoint, *groups, tracked.masks)
    while tracked.change():
        region = closed_region(adjoint, *groups, tracked.masks)
    rev = replace(
        parts,
        cond=parts.cond and clone(parts.cond, replay=True),
        body=clone(region_with_rules(parts.body, acc.active), replay=True),
        adjoint=region,
        active=tuple(active),
        seeds=seeds,
        accumulators=(*sums, *tracked.masks),
    )
    results = emit_loop(rev)
    of_carries, of_captured = tracked.results(results[len(active) + len(captured) :])
    for x, ct in zip(captured, results[len(active) :]):
        acc.replace(x, ct, of_captured.get(x))
    for i, ct in zip(active, results):
        with acc.contribute({parts.carries[i]: of_carries.get(i)}):
            acc.add(parts.carries[i], ct)


def closed_region(
    body: Callable, *groups: Sequence[Value], carries: int = 1, linear_in: Sequence[Value] = ()
) -> Region:
    """A closed region (k, *groups[0], *groups[1], ...); `body` receives the groups one by one.

    Its arguments have the avals and names of the values in the groups. The region is linear in the
    values `linear_in` and in its arguments after the `carries` first groups: residuals of branches
    that depend on these share no result with others (`residuals.py`).
    """

    def split(k, *args):
        args = iter(args)
        return body(k, *([next(args) for _ in group] for group in groups))

    like = [x for group in groups for x in group]
    names = [None, *(x.name for x in like)]
    region = build_region([I64, *(x.aval for x in like)], split, names)
    check_adjoint(region)
    linear = region.args[1 + sum(map(len, groups[:carries])) :]
    return export_residuals(region, (*linear_in, *linear))


def collect(acc: Accumulators, captured: Sequence[Value], sums: Sequence[Value]) -> None:
    """Replace the cotangents of captured values by the sums that the adjoint loop returns."""
    for x, ct in zip(captured, sums, strict=True):
        acc.replace(x, ct)
