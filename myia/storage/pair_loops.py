"""Pairs each `rev` with the loop of the forward sweep, which records its residuals.

    %y, %t = for %k < 9 (%y = %x, %t = %t0) { ... }          a loop of the program
    %g = rev for %k < 9 (%z = %x) ct (...) { ... }           carry %z is carry %y there

Two loops can be paired if they follow the same trajectory: equal counts and conditions, and each
carry of the `rev` equal to a carry of the loop in every iteration (value numbering). The loop may
carry more. If the program has no such loop before the `rev`, the `rev` gets a forward loop of its
own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from myia.ir.builder import Builder
from myia.ir.core import Op
from myia.ir.rewrite import clone_region
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.value_numbering import Numbering


@dataclass(frozen=True)
class ForwardLoop:
    """The position of a loop among the ops of a region, and which carry is which.

    `mapping[i]`: the carry of the loop that equals carry i of the `rev`.
    """

    position: int
    mapping: Sequence[int]


def pair_loops(rev: Loop, ops: Sequence[Op], numbering: Numbering) -> ForwardLoop | None:
    """The last loop among `ops` that follows the trajectory of the `rev`."""
    for i in reversed(range(len(ops))):
        if ops[i].primitive is loop_p:
            mapping = numbering.matching_carries(rev, Loop.of(ops[i]))
            if mapping is not None:
                return ForwardLoop(i, mapping)
    return None


def forward_sweep(rev: Loop) -> Sequence[Op]:
    """A loop that runs the iterations of the `rev` forwards, with the same carries."""
    cond = rev.cond and clone_region(rev.cond)
    with Builder() as b:
        emit_loop(Loop(rev.count, rev.carries, cond, clone_region(rev.body), rev.bound))
    return b.ops


def with_accumulators_only(live: Op) -> Loop:
    """A `rev` without dead values, as one without cotangents of carries: they are accumulators."""
    rev = Loop.of(live)
    return replace(rev, active=(), seeds=(), accumulators=rev.seeds + rev.accumulators)
