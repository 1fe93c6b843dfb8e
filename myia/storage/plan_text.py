"""Describes the storage chosen for one `rev` as the `LoopPlan` that users see."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from myia.ir.core import Op, Value, reads
from myia.ir.dependence import with_dependents
from myia.primitives.core.structured import Loop
from myia.storage.checkpointing.online_checkpointing import OnlineCheckpointing
from myia.storage.model.plan import LoopPlan, Residual, distinct, source_text
from myia.storage.residuals.record_or_recompute import SplitAdjoint
from myia.storage.tape.tape import Tape


def plan_of(
    op: Op,
    rev: Loop,
    storage: Tape | OnlineCheckpointing,
    restored: Sequence[int],
    is_paired: bool,
    enclosing: tuple[int, ...],
) -> LoopPlan:
    """`restored`: the carries that undo logs restore; `enclosing`: trip counts of outer loops."""
    split = storage.split
    common: dict[str, Any] = dict(
        span=op.span,
        trip_count=rev.bound if rev.cond is None else None,
        restored=tuple(_name(split.carry_args[i]) for i in restored),
        paired=is_paired,
        depth=len(enclosing),
        executions=prod(enclosing),
        recompute_ns=storage.recompute_ns,
        bytes=storage.nbytes,
    )
    if isinstance(storage, OnlineCheckpointing):
        columns = storage.replay_block.columns
        return LoopPlan(
            strategy="trail",
            residuals=tuple(_residual(split, split.residuals[i]) for i in columns),
            snapshot=tuple(split.carry_args[i].aval for i in split.replayed_carries),
            block_length=storage.block_length,
            snapshot_count=storage.snapshot_count,
            **common,
        )
    per_byte = {
        i: masks.count * masks.iterations_per_row
        for group, masks in storage.packed_masks.items()
        for i in group
    }
    columns = sorted({*storage.columns, *per_byte})
    return LoopPlan(
        strategy="tape" if split.residuals else "nothing",
        residuals=tuple(_residual(split, split.residuals[i], per_byte.get(i, 1)) for i in columns),
        capacity=storage.capacity,
        **common,
    )


def _residual(split: SplitAdjoint, x: Value, masks_per_byte: int = 1) -> Residual:
    """Where the source computes a recorded value, and where the adjoints that read it stand."""
    span = next((op.span for op in split.primal if x in op.results), None)
    if x in split.carry_args:
        description = f"{_name(x)} at the start of the iteration"
    else:
        description = source_text(span)
    dependent = with_dependents([x], split.primal)
    readers = (op.span for op in split.linear if not dependent.isdisjoint(reads(op)))
    read_by = distinct(source_text(s) for s in readers if s is not None)
    return Residual(x.aval, description, read_by, masks_per_byte)


def _name(x: Value) -> str:
    return f"`{x.name or 'a carried value'}`"
