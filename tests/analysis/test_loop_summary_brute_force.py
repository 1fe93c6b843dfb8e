"""Summaries of small random loops against all dependences, found by running the iterations.

A loop accesses one array at affine start indices, in range or not. A summary must never call
iterations independent that are not; where they are, it must find that out in most cases.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import pytest

from myia.analysis.linear_indices import IndexRanges
from myia.analysis.loop_summary import LoopSummary, summary_if_independent
from myia.analysis.reductions import ArrayReduction
from myia.ir.core import Op, walk
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.primitives.arrays.dynamic_slices import ACCESSES
from myia.primitives.core.structured import Loop, loop_p

TRIPS, LENGTH, WIDTH = 7, 11, 3
INDICES = ("%j", "%i")  # of the outer and of the inner loop


@dataclass(frozen=True)
class Access:
    """A load or store of one element; `forms`: (constant, factor of %j, factor of %i) by axis."""

    is_store: bool
    version: int  # how many stores precede it in the body
    forms: tuple[tuple[int, ...], ...]

    @property
    def position(self) -> tuple[int, bool]:
        """Where it is in an iteration; a load of an old version comes before the later stores."""
        return self.version, self.is_store

    def element(self, iteration: Sequence[int]) -> tuple[int, ...]:
        """The element it accesses; a slice that is out of range is moved."""
        starts = (form[0] + sum(map(int.__mul__, form[1:], iteration)) for form in self.forms)
        return tuple(min(max(start, 0), LENGTH - 1) for start in starts)


class RandomLoop:
    """A loop around loads, stores and additions; with `depth` 2 around a loop of them."""

    def __init__(self, seed: int, depth: int):
        self.rng, self.depth = random.Random(seed), depth
        self.lines: list[str] = []
        self.accesses: list[Access] = []
        self.value, self.adds_only = "%u", self.rng.random() < 0.4
        for _ in range(self.rng.randint(1, 4)):
            self.rng.choice([self.add] if self.adds_only else [self.load, self.store, self.add])()
        if not self.stores:
            self.store()

    @property
    def stores(self) -> int:
        return sum(access.is_store for access in self.accesses)

    def forms(self) -> tuple[tuple[int, ...], ...]:
        """Start indices: along one axis %j, most often; %i along the other, or none."""
        step = self.rng.choice([1, 1, 1, 1, -1, 2, 0])
        moving = (self.rng.randint(0, 4) + (TRIPS - 1 if step < 0 else 0), step)
        if self.depth == 1:
            return (moving,)
        along = ((*moving, 0), (self.rng.randint(0, 4), 0, self.rng.choice([1, 1, 0, -1])))
        return along if self.rng.random() < 0.8 else along[::-1]

    def access(self, is_store: bool, version: int, forms, update: str = "") -> str:
        self.accesses.append(Access(is_store, version, forms))
        starts = []
        for axis, (constant, *factors) in enumerate(forms):
            name = f"%s{len(self.accesses)}_{axis}_"
            self.lines.append(f"{name}0 = {constant}: i64[]")
            for n, (index, factor) in enumerate(zip(INDICES, factors), 1):
                self.lines.append(f"{name}c{n} = {factor}: i64[]")
                self.lines.append(f"{name}m{n} = mul {index}, {name}c{n}")
                self.lines.append(f"{name}{n} = add {name}{n - 1}, {name}m{n}")
            starts.append(f"{name}{len(factors)}")
        at = ", ".join(starts)
        if is_store:
            self.lines.append(f"%x{version + 1} = dynamic_update_slice %x{version}, {update}, {at}")
            return f"%x{version + 1}"
        sizes = "(1,)" if self.depth == 1 else "(1, 1)"
        y = f"%v{len(self.accesses)}"
        self.lines.append(f"{y} = dynamic_slice %x{version}, {at} {{sizes={sizes}}}")
        return y

    def load(self) -> None:
        version = self.rng.randint(0, self.stores)
        y = self.access(False, version, self.forms())
        self.value = f"%w{len(self.accesses)}"
        self.lines.append(f"{self.value} = mul {y}, %u")

    def store(self) -> None:
        self.access(True, self.stores, self.forms(), self.value)

    def add(self) -> None:
        version, forms = self.stores, self.forms()
        y = self.access(False, version, forms)
        total = f"%w{len(self.accesses)}"
        reassoc = " {reassoc=True}" if self.depth == 2 or self.rng.random() < 0.3 else ""
        self.lines.append(f"{total} = add {y}, %u{reassoc}")
        self.access(True, version, forms, total)

    def text(self) -> str:
        array = f"f64[{', '.join([str(LENGTH)] * self.depth)}]"
        element = f"f64[{', '.join(['1'] * self.depth)}]"
        body, last = "\n    ".join(self.lines), f"%x{self.stores}"
        if self.depth == 2:
            body = f"%y = for %i < %n (%x0 = %x) bound {TRIPS} {{\n{body}\nyield {last}\n}}"
            last = "%y"
        carry = "%x0 = %a" if self.depth == 1 else "%x = %a"
        return f"""
func @f(%a: {array}, %u: {element}) -> {array} {{
  %n = {TRIPS}: i64[]
  %z = for %j < %n ({carry}) bound {TRIPS} {{
    {body}
    yield {last}
  }}
  return %z
}}"""

    def summary(self) -> tuple[LoopSummary | None, list[Op]]:
        """The summary of the loop, and the ops of its accesses."""
        function = parse(self.text())
        verify(function)
        (op,) = (op for op in function.region.ops if op.primitive is loop_p)
        loop, ranges = Loop.of(op), IndexRanges(function.region)
        ops = [op for op in walk(loop.body) if op.primitive in ACCESSES]
        if self.depth == 2:
            return summary_if_independent(loop, ranges, None, lambda *_: True), ops
        return summary_if_independent(loop, ranges, WIDTH), ops

    # ----- By running the iterations

    def is_independent(self, accesses: Sequence[Access]) -> bool:
        """Do widened iterations make all accesses of an element in the same order?"""
        return not any(
            (one.is_store or other.is_store) and self.is_reordered(one, other)
            for one, other in product(accesses, accesses)
        )

    def is_reordered(self, one: Access, other: Access) -> bool:
        """Does `one` precede `other` at some element, but not if iterations are widened?"""
        if self.depth == 1 and one.position < other.position:
            return False  # also if they are widened
        for j, k in combinations(range(TRIPS), 2):
            if self.depth == 1 and k - j >= WIDTH:
                continue
            if not self.elements(one, j).isdisjoint(self.elements(other, k)):
                return True
        return False

    def elements(self, access: Access, j: int) -> set[tuple[int, ...]]:
        """All that it accesses in an iteration of the outer loop."""
        inner = [()] if self.depth == 1 else [(i,) for i in range(TRIPS)]
        return {access.element((j, *i)) for i in inner}


def contributions(loop: RandomLoop, sweeps: Sequence[tuple[range, Sequence[int]]]) -> dict:
    """The (iteration, store) that change each element, in order. A sweep: iterations, stores."""
    found = defaultdict(list)
    for iterations, stores in sweeps:
        for j, n in product(iterations, stores):
            found[loop.accesses[n].element((j,))].append((j, n))
    return found


def check_strides(loop: RandomLoop, summary: LoopSummary, ops: Sequence[Op]) -> None:
    for access, op in zip(loop.accesses, ops, strict=True):
        stride = summary.strides[op]
        for j, i in product(range(TRIPS - 1), range(TRIPS)):
            here, there = access.element((j, i)), access.element((j + 1, i))
            moved = tuple(y - x for x, y in zip(here, there))
            steps = [0] * len(here)
            if stride is not None:
                steps[stride.axis] = stride.step
            assert moved == tuple(steps)


def check_reductions(loop: RandomLoop, reductions: Sequence[ArrayReduction], ops: Sequence[Op]):
    """A vector of iterations makes all contributions of one store, then of the next. Each element
    gets them in the order of the loop, unless any order will do. All other loads come first.
    """
    stores = [ops.index(reduction.store) for reduction in reductions]
    for first in range(TRIPS - WIDTH + 1):
        window = range(first, first + WIDTH)
        want = contributions(loop, [(window, sorted(stores))])
        got = contributions(loop, [(window, [n]) for n in stores])
        if all(reduction.is_reassociable for reduction in reductions):
            want, got = ({x: sorted(ys) for x, ys in found.items()} for found in (want, got))
        assert got == want, loop.text()
    adding = {op for reduction in reductions for op in reduction.ops}
    others = (access for access, op in zip(loop.accesses, ops) if op not in adding)
    for load, store in product(others, (loop.accesses[n] for n in stores)):
        for j, k in product(range(TRIPS), range(TRIPS)):
            follows = 0 < k - j < WIDTH or (j == k and store.position < load.position)
            assert not (follows and store.element((j,)) == load.element((k,))), loop.text()


# ----- The tests

FIRST = [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 3))]


def claims(seed: int, depth: int) -> tuple[bool, bool]:
    """Is the loop said to be independent, and is it? Checks that the first implies the second."""
    loop = RandomLoop(seed, depth)
    summary, ops = loop.summary()
    if summary is not None:
        check_strides(loop, summary, ops)
        for reductions in summary.array_reductions.values():
            check_reductions(loop, reductions, ops)
        adding = summary.reduction_ops | summary.reduced_stores.keys()
        others = [access for access, op in zip(loop.accesses, ops) if op not in adding]
        assert loop.is_independent(others), loop.text()
    return summary is not None, loop.is_independent(loop.accesses)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("first", FIRST)
def test_no_dependence_is_missed(first, depth):
    found = [claims(seed, depth) for seed in range(first * 200, (first + 1) * 200)]
    independent = [claimed for claimed, is_independent in found if is_independent]
    assert len(independent) > 40
    assert sum(independent) >= 0.75 * len(independent)
    # Dependences that are reductions.
    assert any(claimed for claimed, is_independent in found if not is_independent)
