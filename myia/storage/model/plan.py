"""What was decided for each loop that runs backwards, for people and for tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from myia.ir.avals import Aval
from myia.source.span import Span
from myia.storage.model.revolve import blocks, runs


@dataclass(frozen=True)
class Record:
    """A value that is recorded of each trip: what it is in the source, and who reads it.

    `in_byte`: how many truths of a mask share a byte of the tape.
    """

    aval: Aval
    what: str
    reader: str = ""
    in_byte: int = 1

    @property
    def nbytes(self) -> int:
        return -(-self.aval.nbytes // self.in_byte)

    def __str__(self) -> str:
        shared = f" in bits ({self.in_byte} a byte)" if self.in_byte > 1 else ""
        reader = f", read by {self.reader}" if self.reader else ""
        return f"{self.what}: {self.aval}{shared}{reader}"


@dataclass(frozen=True)
class LoopPlan:
    """How one `rev` is run.

    strategy    "nothing": no primal value is needed; "tape": all trips are recorded;
                "trail": `block` trips are recorded at a time, replayed from `slots` snapshots
    records     what is recorded of each trip, beside what the next trip's record holds
    restored    arrays that the reversal restores from what stores overwrote
    snapshot    avals of the carries in a snapshot (trail)
    trips       the number of trips, if known
    bytes       all memory that storage for this loop takes
    capacity    the most trips a tape holds
    paired      the forward sweep is a loop that the program runs anyhow
    depth       the number of loops around this one
    turns       how often it is run: the product of their trips
    again       nanoseconds to compute again what a trip does not record, by a model
    """

    span: Span | None
    strategy: str
    records: tuple[Record, ...] = ()
    restored: tuple[str, ...] = ()
    snapshot: tuple[Aval, ...] = ()
    trips: int | None = None
    capacity: int | None = None
    block: int = 0
    slots: int = 0
    paired: bool = False
    depth: int = 0
    turns: int = 1
    again: float = 0.0
    bytes: int = 0

    @property
    def bytes_per_trip(self) -> int:
        return sum(r.nbytes for r in self.records)

    def evaluations(self, trips: int) -> float:
        """How often a trip is run forwards, on average, for a gradient of so many.

        Of a trail for any number of trips it may be a little more.
        """
        return runs(trips, self.slots, self.block) if self.strategy == "trail" else 1

    def __str__(self) -> str:
        place = "" if self.span is None else f"{self.span}: "
        records = ", ".join(str(r.aval) for r in self.records) or "nothing"
        text = f"{place}{self.strategy}: {records} recorded per trip, {self.bytes} bytes"
        return text if self.paired else f"{text}, in a forward sweep of its own"


class Plan(tuple[LoopPlan, ...]):
    """The plans of all loops of a program that run backwards, inner ones first.

    Printed, it is a table: place, trips, strategy, memory, and how often a trip is run; under each
    row what is recorded of a trip and why.
    """

    __slots__ = ()

    @property
    def bytes(self) -> int:
        return sum(plan.bytes for plan in self)

    def __str__(self) -> str:
        rows = [("loop", "trips", "strategy", "bytes a trip", "bytes", "runs of a trip")]
        notes: list[list[str]] = [[]]
        for plan in self:
            rows.append(_row(plan))
            under = [f"    {record}" for record in plan.records] or ["    nothing recorded"]
            notes.append(under + [f"    {name} is restored" for name in plan.restored])
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = []
        for row, under in zip(rows, notes):
            lines += ["  ".join(x.ljust(w) for x, w in zip(row, widths)).rstrip(), *under]
        return "\n".join([*lines, f"in all {self.bytes:,} bytes"])


def _row(plan: LoopPlan) -> tuple[str, ...]:
    place = "  " * plan.depth + ("?" if plan.span is None else str(plan.span).rsplit("/", 1)[-1])
    trips = "unknown" if plan.trips is None else f"{plan.trips:,}"
    strategy = plan.strategy
    if strategy == "trail":
        strategy = f"trail ({plan.slots} slots, {plan.block} trips)"
    return place, trips, strategy, f"{plan.bytes_per_trip:,}", f"{plan.bytes:,}", _runs(plan)


def _runs(plan: LoopPlan) -> str:
    if plan.trips is not None or plan.strategy != "trail":
        return f"{plan.evaluations(plan.trips or 1):.2g}"
    most = [plan.block * blocks(plan.slots, t) for t in (0, 1, 2)]
    return ", ".join(f"{t + 1} up to {trips:,} trips" for t, trips in enumerate(most))


def text_of(span: Span | None) -> str:
    """A piece of source and its line, as tables name it."""
    if span is None:
        return "?"
    line = span.file.line(span.line) or ""
    text = line[span.col : span.end_col] if span.end_line == span.line else line[span.col :]
    return f"`{text.strip()}` (line {span.line})"


def distinct(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(texts))
