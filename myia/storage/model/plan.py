"""The storage plan: what was decided for each `rev`, for users (`F.plan`) and for tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from myia.ir.avals import Aval
from myia.ir.core import Function, walk
from myia.primitives.core.structured import Loop, loop_p
from myia.source.span import Span
from myia.storage.model.revolve import forward_runs, max_blocks


@dataclass(frozen=True)
class Residual:
    """A primal value recorded in each iteration: its source, and the source that reads it.

    `masks_per_byte`: how many mask elements share a byte of the tape.
    """

    aval: Aval
    description: str
    read_by: str = ""
    masks_per_byte: int = 1

    @property
    def nbytes(self) -> int:
        return -(-self.aval.nbytes // self.masks_per_byte)

    def __str__(self) -> str:
        packed = f" in bits ({self.masks_per_byte} a byte)" if self.masks_per_byte > 1 else ""
        reader = f", read by {self.read_by}" if self.read_by else ""
        return f"{self.description}: {self.aval}{packed}{reader}"


@dataclass(frozen=True)
class LoopPlan:
    """How one `rev` is run.

    strategy        "nothing": no primal value is needed; "tape": all iterations are recorded;
                    "trail" (online checkpointing): blocks of `block_length` iterations are
                    recorded at a time, replayed from at most `snapshot_count` snapshots
    residuals       the values recorded in an iteration, without those that the record of the next
                    iteration holds
    restored        arrays that the adjoint restores from undo logs
    snapshot        avals of the carries in a snapshot
    trip_count      the number of iterations, if known
    capacity        the most iterations that a tape holds
    paired          the forward sweep is a loop of the program
    depth           the number of enclosing loops
    executions      how often the loop is run: the product of the trip counts of enclosing loops
    recompute_ns    the modelled cost of the values that an iteration recomputes
    bytes           all storage of this loop
    """

    span: Span | None
    strategy: str
    residuals: tuple[Residual, ...] = ()
    restored: tuple[str, ...] = ()
    snapshot: tuple[Aval, ...] = ()
    trip_count: int | None = None
    capacity: int | None = None
    block_length: int = 0
    snapshot_count: int = 0
    paired: bool = False
    depth: int = 0
    executions: int = 1
    recompute_ns: float = 0.0
    bytes: int = 0

    @property
    def bytes_per_iteration(self) -> int:
        return sum(r.nbytes for r in self.residuals)

    def forward_runs(self, trip_count: int) -> float:
        """How often an iteration is run forwards, on average, in a gradient.

        It may be a little more if the trip count is not known at compile time.
        """
        if self.strategy != "trail":
            return 1
        return forward_runs(trip_count, self.snapshot_count, self.block_length)

    def __str__(self) -> str:
        where = "" if self.span is None else f"{self.span}: "
        avals = ", ".join(str(r.aval) for r in self.residuals) or "nothing"
        text = f"{where}{self.strategy}: {avals} recorded per iteration, {self.bytes} bytes"
        return text if self.paired else f"{text}, in a forward sweep of its own"


class Plan(tuple[LoopPlan, ...]):
    """The plans of all reversed loops of a program, inner ones first.

    Printed, it is a table of the loops: source line, trip count, strategy, bytes, and how often an
    iteration is run forwards. Under each loop stand its residuals and what reads them. Batches that
    are computed one example after the other, and lists that grow without a bound come last.
    """

    notes: tuple[str, ...] = ()

    def with_notes(self, notes: Iterable[str]) -> Plan:
        """The same plan, which also tells of other things, at its end."""
        plan = Plan(self)
        plan.notes = (*self.notes, *notes)
        return plan

    @property
    def bytes(self) -> int:
        return sum(plan.bytes for plan in self)

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [HEADINGS]
        notes: list[list[str]] = [[]]
        for plan in self:
            rows.append(_row(plan))
            below = [f"    {residual}" for residual in plan.residuals] or ["    nothing recorded"]
            notes.append(below + [f"    {name} is restored" for name in plan.restored])
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = []
        for row, below in zip(rows, notes):
            lines += ["  ".join(x.ljust(w) for x, w in zip(row, widths)).rstrip(), *below]
        return "\n".join([*lines, f"in all {self.bytes:,} bytes", *self.notes])

    __repr__ = __str__  # in a terminal and in a notebook it is shown as it prints


def loops_over_examples(function: Function) -> Iterator[str]:
    """The batches of `vmap` that a program computes one example after the other."""
    for op in walk(function.region):
        if op.primitive is loop_p and (loop := Loop.of(op)).is_over_examples:
            where = "?" if op.span is None else str(op.span).rsplit("/", 1)[-1]
            yield f"{where}: {loop.bound:,} examples of `vmap`, one after the other"


HEADINGS = ("loop", "iterations", "strategy", "bytes per iteration", "bytes", "forward runs")


def _row(plan: LoopPlan) -> tuple[str, ...]:
    line = "  " * plan.depth + ("?" if plan.span is None else str(plan.span).rsplit("/", 1)[-1])
    iterations = "unknown" if plan.trip_count is None else f"{plan.trip_count:,}"
    strategy = plan.strategy
    if strategy == "trail":
        strategy = f"trail ({plan.snapshot_count} snapshots, blocks of {plan.block_length})"
    sizes = f"{plan.bytes_per_iteration:,}", f"{plan.bytes:,}"
    return line, iterations, strategy, *sizes, _forward_runs_text(plan)


def _forward_runs_text(plan: LoopPlan) -> str:
    if plan.trip_count is not None or plan.strategy != "trail":
        return f"{plan.forward_runs(plan.trip_count or 1):.2g}"
    most = [plan.block_length * max_blocks(plan.snapshot_count, t) for t in (0, 1, 2)]
    return ", ".join(f"{t + 1} up to {n:,} iterations" for t, n in enumerate(most))


def source_text(span: Span | None) -> str:
    """A piece of source and its line, as the table shows it."""
    if span is None:
        return "?"
    line = span.file.line(span.line) or ""
    text = line[span.col : span.end_col] if span.end_line == span.line else line[span.col :]
    return f"`{text.strip()}` (line {span.line})"


def distinct(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(texts))
