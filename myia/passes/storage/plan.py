"""What was decided for each loop that runs backwards, for people and for tests."""

from __future__ import annotations

from dataclasses import dataclass

from myia.ir.avals import Aval
from myia.source.span import Span


@dataclass(frozen=True)
class LoopPlan:
    """How one `rev` is run.

    strategy    "nothing": no primal value is needed; "tape": all trips are recorded;
                "trail": `block` trips are recorded at a time, replayed from `slots` snapshots
    records     avals of what is recorded of each trip, beside what the next trip's record holds
    snapshot    avals of the carries in a snapshot (trail)
    capacity    the most trips a tape holds
    paired      the forward sweep is a loop that the program runs anyhow
    depth       the number of loops around this one
    """

    span: Span | None
    strategy: str
    records: tuple[Aval, ...] = ()
    snapshot: tuple[Aval, ...] = ()
    capacity: int | None = None
    block: int = 0
    slots: int = 0
    paired: bool = False
    depth: int = 0

    @property
    def bytes_per_trip(self) -> int:
        return sum(a.nbytes for a in self.records)

    @property
    def bytes(self) -> int:
        """All memory that storage for this loop takes."""
        if self.strategy == "nothing":
            return 0
        if self.strategy == "tape":
            return self.capacity * self.bytes_per_trip
        snapshots = (self.slots + 1) * sum(a.nbytes for a in self.snapshot)
        return self.block * self.bytes_per_trip + snapshots

    def __str__(self) -> str:
        place = "" if self.span is None else f"{self.span}: "
        records = ", ".join(map(str, self.records)) or "nothing"
        text = f"{place}{self.strategy}: {records} recorded per trip, {self.bytes} bytes"
        return text if self.paired else f"{text}, in a forward sweep of its own"
