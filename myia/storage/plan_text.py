"""The plan of one `rev`, told from the storage that was chosen for it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from myia.ir.core import Op, Value, reads
from myia.ir.dependence import with_dependents
from myia.primitives.core.structured import Loop
from myia.storage.checkpointing.online_checkpointing import Trail
from myia.storage.model.plan import LoopPlan, Record, distinct, text_of
from myia.storage.residuals.record_or_recompute import Cut
from myia.storage.tape.tape import Tape


def plan_of(
    op: Op,
    parts: Loop,
    storage: Tape | Trail,
    restored: Sequence[int],
    paired: bool,
    around: tuple[int, ...],
) -> LoopPlan:
    """`restored`: the carries that undo logs restore; `around`: the trips of enclosing loops."""
    cut = storage.cut
    common = dict(
        span=op.span,
        trips=parts.bound if parts.cond is None else None,
        restored=tuple(_name(cut.xs[i]) for i in restored),
        paired=paired,
        depth=len(around),
        turns=prod(around),
        again=storage.again,
        bytes=storage.nbytes,
    )
    if isinstance(storage, Trail):
        return LoopPlan(
            strategy="trail",
            records=tuple(_record(cut, cut.records[i]) for i in storage.leaf.columns),
            snapshot=tuple(cut.xs[i].aval for i in cut.kept),
            block=storage.block,
            slots=storage.slots,
            **common,
        )
    in_byte = {i: bits.masks * bits.trips for group, bits in storage.bits.items() for i in group}
    held = sorted({*storage.columns, *in_byte})
    return LoopPlan(
        strategy="tape" if cut.records else "nothing",
        records=tuple(_record(cut, cut.records[i], in_byte.get(i, 1)) for i in held),
        capacity=storage.capacity,
        **common,
    )


def _record(cut: Cut, x: Value, in_byte: int = 1) -> Record:
    """What a recorded value is in the source, and whose adjoint reads it."""
    span = next((op.span for op in cut.primal if x in op.results), None)
    what = f"{_name(x)} before the trip" if x in cut.xs else text_of(span)
    dependent = with_dependents([x], cut.primal)
    readers = (op.span for op in cut.linear if not dependent.isdisjoint(reads(op)))
    return Record(x.aval, what, distinct(text_of(s) for s in readers if s is not None), in_byte)


def _name(x: Value) -> str:
    return f"`{x.name or 'a carry'}`"
