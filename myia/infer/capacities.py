"""Capacities: sizes that nobody stated; a program says when it needs more room.

    while x > tol:                  rows f64[64], length n
        xs.append(x)                n >= 64: "more room for xs"

What has a capacity is known by its *site*, which is the same in every inference: a place in the
source, and a number where several things grow. The caller of the program (`api/capacities.py`)
keeps the capacities that were needed, and compiles programs with them.

A capacity that is outgrown is a run-time check like any other (`domain/checks.py`): after it every
number of the run may be wrong, and the run is given up. How much was needed is known where the
program can count on: the largest length of each is a result of the program.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from myia.source.span import Span

FIRST_CAPACITY = 64


@dataclass(frozen=True)
class Site:
    """Where something grows: the same in every inference."""

    file: str
    line: int
    column: int
    number: int

    @classmethod
    def at(cls, span: Span | None, number: int) -> Site:
        if span is None:
            return cls("", 0, 0, number)
        return cls(span.file.name, span.line, span.col, number)


@dataclass(frozen=True)
class Capacity:
    """The room of a program at a site: for `size` items of `item_bytes`.

    `span` and `name`: of what outgrows it, as the source has it. `of_int`: an int of the program
    says how much is needed.
    """

    site: Site
    size: int
    item_bytes: int
    span: Span | None = None
    name: str = "a list"
    of_int: bool = False

    @property
    def nbytes(self) -> int:
        return self.size * self.item_bytes

    def outgrown_at(self, span: Span | None) -> Capacity:
        """The same, told of by what outgrows it: `xs.append(x)`."""
        text = "" if span is None else (span.file.line(span.line) or "")[span.col :]
        name, dot, _ = text.partition(".append(")
        return replace(self, span=span, name=f"the list `{name}`" if dot else self.name)

    def __str__(self) -> str:
        where = "" if self.span is None else f"{self.span}: ".rsplit("/", 1)[-1]
        return f"{where}room for {self.size:,} items in {self.name}, {self.nbytes:,} bytes"


@dataclass
class Known:
    """The capacities that earlier runs needed.

    `are_used`: lists may have capacities. It is tried without them first, since a loop that does
    not become one of the IR, but is unrolled, needs none. `are_missed`: it needs them.
    """

    sizes: Mapping[Site, int] = field(default_factory=dict)
    are_used: bool = True
    are_missed: bool = False


class Capacities:
    """The capacities of a program that is inferred."""

    def __init__(self, known: Known | None = None):
        self.known = known or Known(are_used=False)
        # The loops in which lists grow without a bound, and those of them that have capacities.
        self._unbounded: set[Hashable] = set()
        self.loops: set[Hashable] = set()
        self._found: dict[Site, Capacity] = {}
        self.cells: dict[Site, int] = {}  # the largest length so far: objects of the heap
        # A run that is stopped still finds out how much is needed: no loop is left early.
        self.counts_on = True

    def miss(self, loop: Hashable) -> None:
        """A list grows in a loop without a bound, which has no capacities yet."""
        self.known.are_missed = True
        self._unbounded.add(loop)

    def add(self, loop: Hashable) -> bool:
        """Whether capacities help in a loop that was refused: it has them from now on."""
        helps = self.known.are_used and loop in self._unbounded - self.loops
        if helps:
            self.loops.add(loop)
        return helps

    def size(
        self,
        site: Site,
        item_bytes: int,
        span: Span | None,
        name: str = "a list",
        least: int = 0,
        of_int: bool = False,
    ) -> int:
        """The capacity to use at a site."""
        size = max(self.known.sizes.get(site, FIRST_CAPACITY), least)
        self._found[site] = Capacity(site, size, item_bytes, span, name, of_int)
        return size

    def __getitem__(self, site: Site) -> Capacity:
        return self._found[site]
