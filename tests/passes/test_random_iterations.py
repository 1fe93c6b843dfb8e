"""Random loops over elements and over rows: vectorized loops compute the same numbers.

Programs of users read the newest version of an array, and dead stores are removed before a loop is
vectorized. Here any version is read and stored into, so that each pass has to find the dependences
between iterations by itself.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.core import Function
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.passes.memory.dead_store_elimination import dead_store_elimination
from myia.passes.memory.load_scheduling import load_scheduling
from myia.passes.pipeline import optimize
from myia.passes.vectorize.inner_loop import inner_loop
from myia.passes.vectorize.outer_loop import outer_loop

TRIP_COUNT, LENGTH = 17, 20
Pass = Callable[[Function], Function]
FIRST = [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))]


class Loop:
    """A loop that loads, computes and stores slices: elements, or rows of `row` elements."""

    def __init__(self, rng: random.Random, row: int | None):
        self.rng, self.row = rng, row
        self.sizes = "(1,)" if row is None else f"(1, {row})"
        self.slice_type = "f64[1]" if row is None else f"f64[1,{row}]"
        self.shape = f"f64[{LENGTH}]" if row is None else f"f64[{LENGTH},{row}]"
        self.lines: list[str] = []
        adds = rng.random() < 0.5  # one array that is only added to
        self.versions = {"x": ["%x"]} if adds else {"x": ["%x"], "y": ["%y"]}
        starts = ["%k", "%next", "%back"] if rng.random() < 0.3 else ["%k", "%next"]
        self.starts = [x if row is None else f"{x}, %0" for x in starts]
        self.slices = [self.read("%a")]
        for _ in range(rng.randint(2, 4 if adds else 7)):
            rng.choice([self.add] if adds else [self.load, self.compute, self.add, self.store])()

    def emit(self, text: str) -> str:
        self.lines.append(f"%v{len(self.lines)} = {text}")
        return f"%v{len(self.lines) - 1}"

    def read(self, array: str, start: str | None = None) -> str:
        start = start or self.rng.choice(self.starts)
        return self.emit(f"dynamic_slice {array}, {start} {{sizes={self.sizes}}}")

    def any_version(self) -> list[str]:
        return self.rng.choice(list(self.versions.values()))

    def load(self) -> None:
        self.slices.append(self.read(self.rng.choice(self.any_version())))

    def compute(self) -> None:
        op, x, y = self.rng.choice(["mul", "sub", "max"]), *self.rng.choices(self.slices, k=2)
        self.slices.append(self.emit(f"{op} {x}, {y}"))

    def write(self, versions: list[str], update: str, start: str) -> None:
        array = versions[-1] if self.rng.random() < 0.9 else self.rng.choice(versions)
        versions.append(self.emit(f"dynamic_update_slice {array}, {update}, {start}"))

    def store(self) -> None:
        self.write(self.any_version(), self.rng.choice(self.slices), self.rng.choice(self.starts))

    def add(self) -> None:
        """Add to an element of the newest version or of an older one."""
        versions, start = self.any_version(), self.rng.choice(self.starts)
        read = self.read(self.rng.choice(versions), start)
        if self.rng.random() < 0.3:
            self.slices.append(read)
        total = self.emit(f"add {read}, {self.rng.choice([*self.slices, read])}")
        self.write(versions, total, start)

    def text(self, dropped: int = 0) -> str:
        """The program; `dropped` of the carried arrays are not returned."""
        carried = [f"%{name}" for name, found in self.versions.items() if len(found) > 1] or ["%x"]
        last = [self.rng.choice(self.versions[x[1:]][-2:]) for x in carried]
        returned = self.rng.sample(carried, len(carried) - dropped)
        adds = [self.emit(f"add %s, {self.rng.choice(self.slices)}")] if dropped else []
        carries = [*(f"{x} = {x}" for x in carried), *("%s = %b" for _ in adds)]
        names = ", ".join([*carried, *("%s" for _ in adds)])
        results = [*returned, *("%s" for _ in adds)]
        types = ", ".join(self.slice_type if x == "%s" else self.shape for x in results)
        lines = "\n    ".join(self.lines)
        return f"""
func @f(%x: {self.shape}, %y: {self.shape}, %a: {self.shape}) -> {types} {{
  %0 = 0: i64[]
  %1 = 1: i64[]
  %last = {TRIP_COUNT - self.rng.randint(0, 1)}: i64[]
  %n = {TRIP_COUNT}: i64[]
  %b = 0.0: {self.slice_type}
  {names} = for %k < %n ({", ".join(carries)}) bound {TRIP_COUNT} {{
    %next = add %k, %1
    %back = sub %last, %k
    {lines}
    yield {", ".join([*last, *adds])}
  }}
  return {", ".join(results)}
}}"""


def differences(
    pass_: Callable[[Function], Function], seed: int, row: int | None, dropped: int = 0
) -> int:
    """Did the pass change the program? Checks that the results stay the same."""
    before = parse(Loop(random.Random(seed), row).text(dropped))
    verify(before)
    shape = (LENGTH,) if row is None else (LENGTH, row)
    args = list(np.random.default_rng(seed).uniform(0.5, 1.5, (3, *shape)))
    expected = evaluate(before, args)
    changed = [pass_(before), optimize(before, "finish")]
    for after in changed:
        verify(after)
        for x, y in zip(evaluate(after, args), expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12, err_msg=f"seed {seed}")
    return changed[0] is not before


def first_seeds(first: int) -> range:
    return range(1000 * first, 1000 * first + (80 if first == 0 else 1000))


@pytest.mark.parametrize("row", [None, 20])
@pytest.mark.parametrize("first", FIRST)
def test_vectorized_loops(first, row):
    pass_, seeds = (
        inner_loop if row is None else outer_loop,
        first_seeds(first),
    )
    assert sum(differences(pass_, seed, row) for seed in seeds) > len(seeds) / 20


@pytest.mark.parametrize("pass_", [dead_store_elimination, load_scheduling])
@pytest.mark.parametrize("row", [None, 20])
@pytest.mark.parametrize("first", FIRST)
def test_dead_stores(first, row, pass_):
    """At least one array is not used after the loop."""
    seeds = first_seeds(first)
    assert sum(differences(pass_, seed, row, dropped=1) for seed in seeds) > len(seeds) / 20
