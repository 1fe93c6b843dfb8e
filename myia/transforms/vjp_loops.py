"""Reverse mode of loops. Loops are closed under differentiation: nothing is recorded here.

    vjp(loop f)  =  rev f
    vjp(rev f)   =  loop f', then rev f'

The adjoint region of a `rev` holds the step of the loop, run again on the carries x at the start
of the trip, and its pullback. Which values of that step are stored and which are computed again is
decided after all derivatives are taken, by `passes/storage`.

For the second line, let s be what a `rev` transforms (λ and the accumulators), A its adjoint, and
σ the cotangent of s. As A is linear in s, σ is transformed by A's transpose, which reads x but not
s; and σ moves the other way, from the first trip to the last:

    loop  (x, σ) -> (f(x), Aᵀ(x) σ)                 its last σ is the cotangent of the seeds of s
    rev   of that: (s, x̄) -> (A(x) s, f'ᵀ x̄ + ∂/∂x <σ, A(x) s>)

Since both are derived from what `rev` means, its adjoint, they hold however passes have rewritten
the adjoint, and also where it was given by a custom rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from myia.ir.avals import I64
from myia.ir.builder import append, build_region
from myia.ir.core import Op, Region, Value, captures
from myia.primitives.control import emit_loop
from myia.primitives.structured import Loop
from myia.source.diagnostics import InternalError
from myia.transforms.activity import useful_values
from myia.transforms.cotangents import Accumulators, or_zeros
from myia.transforms.flow import state, state_args
from myia.transforms.fresh import applied, fresh, with_more_args
from myia.transforms.prune import prune
from myia.transforms.residuals import export_residuals

Cts = Sequence[Value | None]


def pull_back_loop(reverse: Callable, op: Op, cts: Cts, acc: Accumulators) -> None:
    parts = Loop.of(op)
    args = parts.body.args[1:]
    active = [i for i, x in enumerate(args) if acc.wants(x) or cts[i] is not None]
    captured = [x for x in captures(parts.body) if acc.wants(x)]

    def adjoint(k, xs, cts, sums):
        step = applied(parts.body, (k, *xs), replay=True)
        wanted = [xs[i] for i in active if acc.wants(args[i])]
        seeds = [(step.yields[i], ct) for i, ct in zip(active, cts)]
        total = reverse(step.ops, [*wanted, *captured], seeds, dict(zip(captured, sums)))
        return [total.buffer(xs[i]) for i in active] + [total.buffer(x) for x in captured]

    seeds = tuple(or_zeros(cts[i], op.results[i]) for i in active)
    sums = tuple(acc.buffer(x) for x in captured)
    reversal = replace(
        parts,
        cond=parts.cond and fresh(parts.cond, replay=True),
        body=fresh(parts.body, replay=True),
        adjoint=_region(adjoint, parts.carries, seeds, sums),
        active=tuple(active),
        seeds=seeds,
        accumulators=sums,
    )
    results = emit_loop(reversal)
    _collect(acc, captured, results[len(active) :])
    for i, ct in zip(active, results):
        acc.add(parts.carries[i], ct)


def pull_back_rev(reverse: Callable, op: Op, cts: Cts, acc: Accumulators) -> None:
    parts = Loop.of(op)
    seeds, n = state(parts), len(parts.carries)
    linear = _useful_state(parts, cts)
    active = [i for i in range(n) if _wants_carry(acc, parts, i)]
    captured = [x for x in captures(parts.body, parts.adjoint) if acc.wants(x)]
    outside = [Value(x.aval) for x in seeds]  # stand for what must turn out not to be read

    def dual(k, xs, sigmas):
        step = applied(parts.body, (k, *xs), replay=True)
        for inner in step.ops:
            append(inner)
        moved = applied(parts.adjoint, (k, *xs, *outside), replay=True)
        wanted = [outside[j] for j in linear]
        total = reverse(moved.ops, wanted, [(moved.yields[j], ct) for j, ct in zip(linear, sigmas)])
        return [*step.yields, *(total.buffer(x) for x in wanted)]

    def adjoint(k, xs, _sigmas, cts, s, sums):
        at = [*outside]
        for j, x in zip(linear, s):
            at[j] = x
        step = applied(parts.body, (k, *xs), replay=True)
        moved = applied(parts.adjoint, (k, *xs, *at), replay=True)
        wanted = [xs[i] for i in active]
        seeds = [(step.yields[i], ct) for i, ct in zip(active, cts)]
        seeds += [(moved.yields[j], ct) for j, ct in zip(linear, _sigmas)]
        total = reverse(
            (*step.ops, *moved.ops), [*wanted, *captured], seeds, dict(zip(captured, sums))
        )
        return [
            *(total.buffer(x) for x in wanted),
            *(moved.yields[j] for j in linear),
            *(total.buffer(x) for x in captured),
        ]

    sigmas = tuple(or_zeros(cts[j], seeds[j]) for j in linear)
    body = _linear(_region(dual, parts.carries, sigmas), outside)
    loop = Loop(
        count=parts.count,
        carries=parts.carries + sigmas,
        cond=parts.cond and with_more_args(fresh(parts.cond, replay=True), sigmas),
        body=body,
        bound=parts.bound,
    )
    results = emit_loop(loop)
    if active or captured:
        sums = tuple(acc.buffer(x) for x in captured)
        zeros = tuple(or_zeros(None, parts.carries[i]) for i in active)
        moved = tuple(seeds[j] for j in linear)
        reversal = replace(
            loop,
            cond=loop.cond and fresh(loop.cond),
            body=fresh(body),
            adjoint=_linear(_region(adjoint, parts.carries, sigmas, zeros, moved, sums), outside),
            active=(*active, *range(n, n + len(linear))),
            seeds=zeros + moved,
            accumulators=sums,
        )
        second = emit_loop(reversal)
        _collect(acc, captured, second[len(active) + len(linear) :])
        for i, ct in zip(active, second):
            acc.add(parts.carries[i], ct)
    for j, ct in zip(linear, results[n:]):
        acc.add(seeds[j], ct)


def _useful_state(parts: Loop, cts: Cts) -> list[int]:
    """The positions of s that the results with a cotangent depend on, in any number of trips."""
    adjoint = parts.adjoint
    again = list(zip(adjoint.yields, state_args(parts)))
    useful = useful_values(
        adjoint.ops, [y for y, ct in zip(adjoint.yields, cts) if ct is not None], again
    )
    return [j for j, y in enumerate(adjoint.yields) if y in useful]


def _wants_carry(acc: Accumulators, parts: Loop, i: int) -> bool:
    return acc.wants(parts.body.args[1 + i]) or acc.wants(parts.adjoint.args[1 + i])


def _region(body: Callable, *groups: Sequence[Value]) -> Region:
    """A closed region (k, *groups[0], *groups[1], ...); `body` receives the groups one by one."""

    def split(k, *args):
        args = iter(args)
        return body(k, *([next(args) for _ in group] for group in groups))

    avals = [x.aval for group in groups for x in group]
    return export_residuals(build_region([I64, *avals], split))


def _linear(region: Region, outside: Sequence[Value]) -> Region:
    region = prune(region)
    if any(x in outside for x in captures(region)):
        raise InternalError("rev: the adjoint is not linear in what it transforms")
    return region


def _collect(acc: Accumulators, captured: Sequence[Value], sums: Sequence[Value]) -> None:
    for x, ct in zip(captured, sums, strict=True):
        acc.replace(x, ct)
