"""Capacities that grow: a program whose lists have outgrown their room is compiled with more.

Nothing of a run that needs more room leaves it: its arguments are not donated, nothing is written
back, what it prints and logs is held back. The next run has as much room as was needed, where that
is known, else eight times as much. Later calls begin with it, and compile nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any

import jax
import numpy as np

from myia.api.programs.decision_tree import DecisionTree
from myia.infer.capacities import Capacity, Site
from myia.infer.domain.errors import NeedsCapacity
from myia.infer.eval.program import Program
from myia.ir.core import Op, Region, walk
from myia.primitives.core.effects import Template, debug_print_p
from myia.primitives.core.host_calls import host_call_p, is_host_call
from myia.source.diagnostics import MyiaError
from myia.source.process import Lock
from myia.storage import OverBudget

GROWTH = 8  # where it is not known how much is needed
PART_OF_MEMORY = 4  # of the machine: the greatest of all lists of a program, without `memory=`


class Outgrown(Exception):
    """A run that needs more room: the capacities to grow, and what they need if that is known."""

    def __init__(self, program: Program, site: Site, results: Sequence[Any]):
        super().__init__()
        self.program = program
        self.sizes: dict[Capacity, int | None] = {}
        for capacity, index in program.capacities:
            needed = 0 if index is None else int(np.asarray(results[index]))
            if needed > capacity.size:
                self.sizes[capacity] = needed if program.counts_on else None
            elif capacity.site == site:
                self.sizes[capacity] = None


class GrownCapacities:
    """The capacities of the programs of one function, and what finds these programs."""

    def __init__(self, memory: int | None):
        """`memory`: bytes for all lists of a program at most."""
        self.sizes: dict[Site, int] = {}
        self._needed: dict[Site, int] = {}
        self._memory = memory
        self._trees: list[tuple[frozenset[Site], DecisionTree[Any]]] = []

    def add(self, program: Program, tree: DecisionTree[Any]) -> None:
        """A program, and where calls find it."""
        sites = frozenset(capacity.site for capacity, _ in program.capacities)
        if sites:
            self._trees.append((sites, tree))

    def grow(self, outgrown: Outgrown) -> None:
        """More room; the programs that have too little are not found any more."""
        sizes = dict(self.sizes)
        used = sum(capacity.nbytes for capacity, _ in outgrown.program.capacities)
        for capacity, needed in outgrown.sizes.items():
            if sizes.get(capacity.site, 0) <= capacity.size:  # else another thread was here
                used -= capacity.nbytes
                sizes[capacity.site] = self._larger(capacity, needed, used)
                used += sizes[capacity.site] * capacity.item_bytes
        self.sizes = sizes
        for sites, tree in self._trees:
            if any(capacity.site in sites for capacity in outgrown.sizes):
                tree.clear()
        self._trees = [
            (sites, tree)
            for sites, tree in self._trees
            if not any(capacity.site in sites for capacity in outgrown.sizes)
        ]

    def _larger(self, capacity: Capacity, needed: int | None, used: int) -> int:
        """The next size of a list, beside others that take the bytes `used`."""
        limit = self._memory
        if limit is None:
            limit = _machine_memory() // PART_OF_MEMORY
        most = max(0, limit - used) // max(capacity.item_bytes, 1)
        # A number found after the list was outgrown may be wrong: it counts if it is found again.
        if needed is not None and needed > most and self._needed.get(capacity.site) != needed:
            self._needed[capacity.site] = needed
            needed = None
        least = capacity.size + 1 if needed is None else needed
        wanted = GROWTH * capacity.size if needed is None else 1 << (needed - 1).bit_length()
        if most < least:
            raise _too_large(capacity, least, limit)
        # Half of what is left, if that is enough: there are more arrays than lists.
        return min(wanted, most // 2 if least <= most // 2 else most)

    @contextmanager
    def limited(self, program: Program) -> Iterator[None]:
        """Programs of more room than the memory of the options lets them have."""
        try:
            yield
        except MyiaError as error:
            too_large = isinstance(error.diagnostic, OverBudget)
            if not too_large or self._memory is None or not program.capacities:
                raise
            largest = max((capacity for capacity, _ in program.capacities), key=nbytes)
            raise _too_large(largest, largest.size, self._memory) from error


nbytes = attrgetter("nbytes")


def _too_large(capacity: Capacity, items: int, limit: int) -> MemoryError:
    where = "" if capacity.span is None else f" ({capacity.span})"
    return MemoryError(
        f"{capacity.name}{where} needs room for {items:,} items of {capacity.item_bytes:,} bytes, "
        f"and there are {limit:,} bytes for all lists: `memory=` sets another limit"
    )


def _machine_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


class HeldEffects:
    """What a run prints and logs, held back until it is known that the run counts."""

    def __init__(self) -> None:
        self._effects: list[Callable[[], Any]] = []
        self._lock = Lock()  # one run at a time: effects arrive in callbacks

    def __enter__(self) -> None:
        self._lock.__enter__()
        self._effects.clear()

    def __exit__(self, error: type[BaseException] | None, *rest: Any) -> None:
        try:
            if error is not Outgrown:
                self.make()
        finally:
            self._lock.__exit__(error, *rest)

    def make(self) -> None:
        """Print and log: the run counts. A warning that is an error ends it here."""
        jax.effects_barrier()
        effects, self._effects[:] = list(self._effects), []
        for effect in effects:
            effect()

    def holding(self, region: Region) -> Region:
        """The region, whose effects are held back."""
        return Region(region.args, tuple(map(self._op, region.ops)), region.yields)

    def _op(self, op: Op) -> Op:
        params = dict(op.params)
        if op.primitive is debug_print_p:
            params = {
                "fmt": _HeldText(params["fmt"], params.get("end", "\n"), self._effects),
                "end": "",
            }
        elif is_host_call(op):
            params["call"] = replace(params["call"], run=self._held(params["call"].run))
        regions = tuple(map(self.holding, op.regions))
        return Op(op.primitive, op.operands, params, regions, op.results, op.span)

    def _held(self, run: Callable[..., Any]) -> Callable[..., tuple[()]]:
        def hold(*arrays: np.ndarray) -> tuple[()]:
            self._effects.append(partial(run, *arrays))
            return ()

        return hold


@dataclass(frozen=True, eq=False)
class _HeldText:
    """The template of a text that is printed later."""

    template: Template
    end: str
    effects: list[Callable[[], Any]]

    def format(self, *numbers: Any) -> str:
        text = self.template.format(*numbers) + self.end
        self.effects.append(partial(print, text, end=""))
        return ""


def with_held_effects(program: Program) -> tuple[Program, HeldEffects | None]:
    """The program, and what it prints and logs, if it has capacities and does so."""
    effects = [op for op in walk(program.function.region) if op.primitive.effect]
    if not program.capacities or not effects:
        return program, None
    if any(op.results or op.primitive not in (debug_print_p, host_call_p) for op in effects):
        refuse_capacities(program, "with a result of a call of the host")
    held = HeldEffects()
    function = replace(program.function, region=held.holding(program.function.region))
    return replace(program, function=function), held


def refuse_capacities(program: Program, why: str) -> None:
    """Refuse a program with capacities, which may have to run again."""
    for capacity, _ in program.capacities:
        raise MyiaError(NeedsCapacity(capacity.span, capacity.name, why))
