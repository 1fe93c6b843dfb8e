"""Elements of an array that a trip of a loop chooses among others are read of these.

    for %k < %n {                                  for %k < %n {
      %u = if %p { yield %a } else { yield %b }      %1 = dynamic_slice %a, %k
      %3 = dynamic_slice %u, %k              ->      %2 = dynamic_slice %b, %k
    }                                                %3 = select %p, %1, %2
                                                   }

As `u = a if x[k] > 0 else b; s += u[k]` does, and a name that was given one array or another. The
choice of the whole array takes time in proportion to its size in every trip, and so does that of
its cotangent. Before derivatives are taken, which are then those of the elements.

Taken where nobody wants the whole array, and its elements are more than those that are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from myia.ir.builder import at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.dependence import needed
from myia.ir.rewrite import rematerialize
from myia.passes.analysis.accesses import start_indices
from myia.passes.analysis.loop_dependence import is_scalar_op
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.arrays.shaping import broadcast
from myia.primitives.core.define import constant, constant_p
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.primitives.pointwise.logic import select
from myia.rewriting.walk import Walk, rewrite

MAX_SELECTED_ELEMENTS = 32  # elements of an array that is chosen at the cost of an element or two
UNKNOWN_TRIP_COUNT = 1 << 30  # trips of a loop of which no bound is known


def distribute_loads_over_selects(function: Function) -> Function:
    """`function` with elements of chosen arrays as chosen elements."""
    chosen = _Search(function.region).found()

    def rule(op: Op, walk: Walk) -> Sequence[Value] | None:
        if op.primitive is not dynamic_slice or op.operands[0] not in chosen:
            return None
        return [_Window(op, chosen).of(op.operands[0])]

    return rewrite(function, rule) if chosen else function


@dataclass(frozen=True)
class _Choice:
    """`value` is one of two: by `op`, an `if`, or a `select` whose mask is one truth."""

    op: Op
    truth: Value
    arrays: tuple[Value, Value]  # when it holds, when not
    regions: tuple[tuple[Op, ...], tuple[Op, ...]]  # in which these are


Choices = Mapping[Value, _Choice]


class _Search:
    """The choices that trips make, and what reads them."""

    def __init__(self, region: Region):
        self.definitions: dict[Value, Op] = {}
        self.loops: dict[Value, int] = {}  # how many it is in
        self.choices: dict[Value, _Choice] = {}
        self.elements: dict[Value, int] = {}  # how many of it are read, in a trip
        self.parts: list[tuple[Value, Value]] = []  # (an array, a choice that it is part of)
        self.whole: set[Value] = set(region.yields)  # what is read otherwise
        self._visit(region, ())

    def found(self) -> Choices:
        """The choices of which only elements are read."""
        found = {x: choice for x, choice in self.choices.items() if x not in self.whole}
        while others := [x for x in found if not self._is_read_in_parts(x, found)]:
            for x in others:
                del found[x]
        return found

    def _is_read_in_parts(self, x: Value, found: Choices) -> bool:
        few = self.elements.get(x, 0) < x.aval.size
        return (
            few
            and all(of in found for y, of in self.parts if y is x)
            and self._can_be_told(x, (), found)
        )

    def _can_be_told(self, x: Value, inside: tuple[Op, ...], found: Choices) -> bool:
        """Is it known, outside the branches that hold the ops `inside`, what `x` is?"""
        if x not in found:
            op = self.definitions.get(x)
            return op not in inside or op.primitive is constant_p
        choice = found[x]
        return all(map(_is_of_numbers, needed(inside, [choice.truth]))) and all(
            self._can_be_told(y, (*inside, *ops), found)
            for y, ops in zip(choice.arrays, choice.regions)
        )

    def _visit(self, region: Region, bounds: tuple[int | None, ...]) -> None:
        """`bounds`: of the trips of the loops around."""
        for op in region.ops:
            self.definitions.update((y, op) for y in op.results)
            self.loops.update((y, len(bounds)) for y in op.results)
            choices = dict(self._made(op))
            for y, choice in choices.items():
                if bounds and y.aval.size > MAX_SELECTED_ELEMENTS:
                    self.choices[y] = choice
                    self.parts += ((x, y) for x in choice.arrays)
                else:
                    self.whole.update(choice.arrays)
            self._note_reads(op, bounds, bool(choices))
            inner = (*bounds, Loop.of(op).bound) if op.primitive is loop_p else bounds
            for each in op.regions:
                self._visit(each, inner)
                if op.primitive is not if_p:
                    self.whole.update(each.yields)

    def _made(self, op: Op) -> Iterator[tuple[Value, _Choice]]:
        """The choices that `op` makes."""
        if op.primitive is if_p:
            regions = tuple(r.ops for r in op.regions)
            for y, *arrays in zip(op.results, *(r.yields for r in op.regions)):
                yield y, _Choice(op, op.operands[0], tuple(arrays), regions)
        elif op.primitive is select:
            mask = self.definitions.get(op.operands[0])
            if mask is not None and mask.primitive is broadcast and mask.operands[0].shape == ():
                yield op.results[0], _Choice(op, mask.operands[0], op.operands[1:], ((), ()))

    def _note_reads(self, op: Op, bounds: tuple[int | None, ...], is_choice: bool) -> None:
        operands = op.operands[: 1 if is_choice else None]
        if op.primitive is dynamic_slice:
            array, *operands = operands
            trips = [
                UNKNOWN_TRIP_COUNT if n is None else n for n in bounds[self.loops.get(array, 0) :]
            ]
            read = prod((*trips, *op.params["sizes"]))
            self.elements[array] = self.elements.get(array, 0) + read
        self.whole.update(operands)


def _is_of_numbers(op: Op) -> bool:
    return is_scalar_op(op) and op.results[0].aval.size == 1


class _Window:
    """What `read` reads, of each array that it may be read of."""

    def __init__(self, read: Op, chosen: Choices):
        self.read, self.chosen = read, chosen

    def of(self, x: Value, inside: tuple[Op, ...] = ()) -> Value:
        """Emit it; `inside` are ops of branches that `x` is in."""
        sizes = self.read.params["sizes"]
        constants = {y: op for op in inside if op.primitive is constant_p for y in op.results}
        if x in constants:
            return constant(constants[x].params["value"], x.dtype, sizes)
        if x not in self.chosen:
            return dynamic_slice(x, *start_indices(self.read), sizes=sizes)
        choice = self.chosen[x]
        with at(choice.op.span):
            (truth,) = rematerialize([choice.truth], inside)
            mask = broadcast(truth, shape=sizes, dims=())
        parts = [self.of(y, (*inside, *ops)) for y, ops in zip(choice.arrays, choice.regions)]
        return select(mask, *parts)
