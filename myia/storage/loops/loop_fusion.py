"""Loop fusion: equal values of a region are computed once, and loops with equal carries are fused.

    %z, %b = for %k < 9 (%z = %x, %b = %b0) { ... }        records %z
    %y, %s = for %k < 9 (%y = %x, %s = %s0) { ... }        the program's own loop: %y is %z
      ->
    %z, %b, %s = for %k < 9 (%z = %x, %b = %b0, %s = %s0) { ... }

A forward body needs this once it computes residuals beside its own values: it then has an inner
loop that records, and the same inner loop of the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from myia.ir.builder import Builder
from myia.ir.core import Op, Region, Value, has_effect, reads
from myia.ir.dependence import needed
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.value_numbering import Numbering
from myia.rewriting.walk import substituted_region


def fuse_loops(region: Region) -> Region:
    """`region` with equal values computed once and loops with equal carries fused; effects stay.

    Repeated ops are removed before two loops are fused: the bodies then read the same values of
    this region, and more of their ops are equal.
    """
    while True:
        numbering = Numbering()
        numbering.visit(region.ops)
        region = _without_repeated_ops(region, numbering)
        fused = _fuse_two(list(region.ops), numbering)
        if fused is None:
            return region
        ops, equal = fused
        region = substituted_region(Region(region.args, tuple(ops), region.yields), equal)


def _without_repeated_ops(region: Region, numbering: Numbering) -> Region:
    equal = numbering.repeated_values(region.ops)
    kept = [op for op in region.ops if not op.results or not all(y in equal for y in op.results)]
    return substituted_region(Region(region.args, tuple(kept), region.yields), equal)


# ----- Loops with equal carries


def _fuse_two(ops: list[Op], numbering: Numbering) -> tuple[list[Op], dict[Value, Value]] | None:
    """The ops with one loop fused into an earlier one; its results -> the equal ones of that loop.

    None if no two loops have a carry in common.
    """
    loops: list[int] = []
    for i, op in enumerate(ops):
        if op.primitive is loop_p and not has_effect(op):
            for j in loops:
                common = numbering.common_carries(op, ops[j])
                between = _ops_to_hoist(ops, j, i) if 0 < len(common) < len(op.results) else None
                if between is not None:
                    return _fused(ops, j, i, between, common)
            loops.append(i)
    return None


def _ops_to_hoist(ops: Sequence[Op], first: int, second: int) -> list[Op] | None:
    """The ops between two loops that the second one needs.

    They move before the first loop. None if they, or the second loop, depend on the first one.
    """
    found = needed(ops[first + 1 : second], reads(ops[second]))
    read = {x for op in (*found, ops[second]) for x in reads(op)}
    independent = read.isdisjoint(ops[first].results) and not any(map(has_effect, found))
    return found if independent else None


def _fused(
    ops: list[Op], first: int, second: int, between: list[Op], common: dict[int, int]
) -> tuple[list[Op], dict[Value, Value]]:
    a, b = ops[first], ops[second]
    own = [i for i in range(len(b.results)) if i not in common]
    others = [op for op in ops[first + 1 : second] if op not in between]
    merged = _merged(a, b, own, common)
    equal = {b.results[i]: a.results[j] for i, j in common.items()}
    return [*ops[:first], *between, merged, *others, *ops[second + 1 :]], equal


def _merged(a: Op, b: Op, own: Sequence[int], common: dict[int, int]) -> Op:
    """The loop `a` with the carries `own` of `b`; `common`: carry of `b` -> equal carry of `a`."""
    one, two = Loop.of(a), Loop.of(b)
    env = {two.body.args[1 + i]: one.body.args[1 + j] for i, j in common.items()}
    env[two.body.args[0]] = one.body.args[0]
    rest = substituted_region(Region((), two.body.ops, tuple(two.body.yields[i] for i in own)), env)
    args = tuple(two.body.args[1 + i] for i in own)
    body = Region(one.body.args + args, one.body.ops + rest.ops, one.body.yields + rest.yields)
    with Builder() as b_:
        emit_loop(
            replace(
                one,
                carries=one.carries + tuple(two.carries[i] for i in own),
                cond=one.cond and with_unread_args(one.cond, args),
                body=fuse_loops(body),
            )
        )
    (new,) = b_.ops
    results = a.results + tuple(b.results[i] for i in own)
    return Op(new.primitive, new.operands, new.params, new.regions, results, a.span)


def with_unread_args(region: Region, like: Sequence[Value]) -> Region:
    """`region` with further arguments of the same avals as `like`, which it does not read."""
    return Region(region.args + tuple(Value(x.aval) for x in like), region.ops, region.yields)
