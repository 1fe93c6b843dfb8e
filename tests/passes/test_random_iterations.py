"""Random loops over elements and over rows: many trips at once compute what one by one do.

Programs that users write read the newest version of an array, and what they overwrite is removed
before trips are made at once. Here any version is read and stored into, so that each pass has to
see by itself what its trips do to each other.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.passes.memory.dead_store_elimination import eliminate_dead_stores
from myia.passes.memory.load_scheduling import schedule_loads
from myia.passes.pipeline import LATE_PASSES, Pass, optimize
from myia.passes.vectorize.inner_loop import vectorize_inner_loops
from myia.passes.vectorize.outer_loop import vectorize_outer_loops

TRIPS, EXTENT = 17, 20
FIRST = [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))]


class Loop:
    """A loop that reads, computes and stores windows: elements, or rows of so many of them."""

    def __init__(self, rng: random.Random, row: int | None):
        self.rng, self.row = rng, row
        self.window = "(1,)" if row is None else f"(1, {row})"
        self.of_window = "f64[1]" if row is None else f"f64[1,{row}]"
        self.shape = f"f64[{EXTENT}]" if row is None else f"f64[{EXTENT},{row}]"
        self.lines: list[str] = []
        sums = rng.random() < 0.5  # are all that is done to one array
        self.versions = {"x": ["%x"]} if sums else {"x": ["%x"], "y": ["%y"]}
        places = ["%k", "%next", "%back"] if rng.random() < 0.3 else ["%k", "%next"]
        self.places = [x if row is None else f"{x}, %0" for x in places]
        self.windows = [self.read("%a")]
        for _ in range(rng.randint(2, 4 if sums else 7)):
            rng.choice([self.add] if sums else [self.load, self.compute, self.add, self.store])()

    def emit(self, text: str) -> str:
        self.lines.append(f"%v{len(self.lines)} = {text}")
        return f"%v{len(self.lines) - 1}"

    def read(self, array: str, place: str | None = None) -> str:
        place = place or self.rng.choice(self.places)
        return self.emit(f"dynamic_slice {array}, {place} {{sizes={self.window}}}")

    def any_version(self) -> list[str]:
        return self.rng.choice(list(self.versions.values()))

    def load(self) -> None:
        self.windows.append(self.read(self.rng.choice(self.any_version())))

    def compute(self) -> None:
        op, x, y = self.rng.choice(["mul", "sub", "max"]), *self.rng.choices(self.windows, k=2)
        self.windows.append(self.emit(f"{op} {x}, {y}"))

    def write(self, versions: list[str], update: str, place: str) -> None:
        array = versions[-1] if self.rng.random() < 0.9 else self.rng.choice(versions)
        versions.append(self.emit(f"dynamic_update_slice {array}, {update}, {place}"))

    def store(self) -> None:
        self.write(self.any_version(), self.rng.choice(self.windows), self.rng.choice(self.places))

    def add(self) -> None:
        """To an element, as it is now or was before."""
        versions, place = self.any_version(), self.rng.choice(self.places)
        read = self.read(self.rng.choice(versions), place)
        if self.rng.random() < 0.3:
            self.windows.append(read)
        total = self.emit(f"add {read}, {self.rng.choice([*self.windows, read])}")
        self.write(versions, total, place)

    def text(self, dropped: int = 0) -> str:
        """Of what the loop carries, so many arrays are not returned."""
        carried = [f"%{name}" for name, found in self.versions.items() if len(found) > 1] or ["%x"]
        last = [self.rng.choice(self.versions[x[1:]][-2:]) for x in carried]
        seen = self.rng.sample(carried, len(carried) - dropped)
        sums = [self.emit(f"add %s, {self.rng.choice(self.windows)}")] if dropped else []
        carries = [*(f"{x} = {x}" for x in carried), *("%s = %b" for _ in sums)]
        ends = ", ".join([*carried, *("%s" for _ in sums)])
        results = [*seen, *("%s" for _ in sums)]
        types = ", ".join(self.of_window if x == "%s" else self.shape for x in results)
        lines = "\n    ".join(self.lines)
        return f"""
func @f(%x: {self.shape}, %y: {self.shape}, %a: {self.shape}) -> {types} {{
  %0 = 0: i64[]
  %1 = 1: i64[]
  %last = {TRIPS - self.rng.randint(0, 1)}: i64[]
  %n = {TRIPS}: i64[]
  %b = 0.0: {self.of_window}
  {ends} = for %k < %n ({", ".join(carries)}) bound {TRIPS} {{
    %next = add %k, %1
    %back = sub %last, %k
    {lines}
    yield {", ".join([*last, *sums])}
  }}
  return {", ".join(results)}
}}"""


def differences(pass_: Pass, seed: int, row: int | None, dropped: int = 0) -> int:
    """Did the pass change the program? It must leave the results as they are."""
    before = parse(Loop(random.Random(seed), row).text(dropped))
    verify(before)
    shape = (EXTENT,) if row is None else (EXTENT, row)
    args = list(np.random.default_rng(seed).uniform(0.5, 1.5, (3, *shape)))
    expected = evaluate(before, args)
    changed = [pass_(before), optimize(before, passes=LATE_PASSES)]
    for after in changed:
        verify(after)
        for x, y in zip(evaluate(after, args), expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12, err_msg=f"seed {seed}")
    return changed[0] is not before


def first_seeds(first: int) -> range:
    return range(1000 * first, 1000 * first + (200 if first == 0 else 1000))


@pytest.mark.parametrize("row", [None, 20])
@pytest.mark.parametrize("first", FIRST)
def test_trips_at_once(first, row):
    pass_, seeds = (
        vectorize_inner_loops if row is None else vectorize_outer_loops,
        first_seeds(first),
    )
    assert sum(differences(pass_, seed, row) for seed in seeds) > len(seeds) / 20


@pytest.mark.parametrize("pass_", [eliminate_dead_stores, schedule_loads])
@pytest.mark.parametrize("row", [None, 20])
@pytest.mark.parametrize("first", FIRST)
def test_stores_that_nobody_sees(first, row, pass_):
    """Of one array, at least, which is dropped after the loop."""
    seeds = first_seeds(first)
    assert sum(differences(pass_, seed, row, dropped=1) for seed in seeds) > len(seeds) / 20
