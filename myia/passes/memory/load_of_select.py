"""Load of a select: a slice of a selected array becomes a select of slices.

    for %k < %n {                                  for %k < %n {
      %u = if %p { yield %a } else { yield %b }      %1 = dynamic_slice %a, %k
      %3 = dynamic_slice %u, %k              ->      %2 = dynamic_slice %b, %k
    }                                                %3 = select %p, %1, %2
                                                   }

Examples are `u = a if x[k] > 0 else b; s += u[k]`, and a name with two arrays in its points-to set.
Selecting the whole array in every iteration takes time proportional to its size, and so does the
select of its cotangent. The pass runs before derivatives are taken, so that cotangents are selected
by slices, too.

It applies where nothing else needs the whole array, and where fewer elements are read than it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from myia.analysis.loop_summary import is_scalar_op
from myia.ir.builder import at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.dependence import needed
from myia.ir.rewrite import rematerialize
from myia.primitives.arrays.dynamic_slices import dynamic_slice, start_indices
from myia.primitives.arrays.shaping import broadcast
from myia.primitives.core.define import constant, constant_p
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.primitives.pointwise.logic import select
from myia.rewriting.walk import Walk, rewrite

# Selecting a whole array of so many elements costs about as much as selecting one or two elements.
MAX_CHEAP_SELECT_ELEMENTS = 32
UNKNOWN_TRIP_COUNT = 1 << 30  # assumed for a loop without a bound


def load_of_select(function: Function) -> Function:
    """`function` with loads of selected arrays as selects of loads."""
    selections = _Search(function.region).rewritable()

    def rule(op: Op, walk: Walk) -> Sequence[Value] | None:
        if op.primitive is not dynamic_slice or op.operands[0] not in selections:
            return None
        return [_DistributedLoad(op, selections).emit(op.operands[0])]

    return rewrite(function, rule) if selections else function


@dataclass(frozen=True)
class _Selection:
    """One of two arrays, selected by `op`: an `if`, or a `select` by one truth value."""

    op: Op
    condition: Value
    arrays: tuple[Value, ...]  # if it is true, if it is false
    regions: tuple[tuple[Op, ...], ...]  # the ops of the arms that yield them


Selections = Mapping[Value, _Selection]


class _Search:
    """The selections of arrays in loops, and how each is read."""

    def __init__(self, region: Region):
        self.definitions: dict[Value, Op] = {}
        self.loop_depth: dict[Value, int] = {}  # of where it is defined
        self.selections: dict[Value, _Selection] = {}
        self.elements_read: dict[Value, int] = {}  # by slices, each time it is computed
        self.operand_of: list[tuple[Value, Value]] = []  # (an array, a selection among it)
        self.read_whole: set[Value] = set(region.yields)
        self._visit(region, ())

    def rewritable(self) -> Selections:
        """The selections that are read by slices only, also through other selections.

        A greatest fixed point: all candidates are assumed, and refuted ones are removed.
        """
        found = {x: each for x, each in self.selections.items() if x not in self.read_whole}
        while refuted := [x for x in found if not self._is_rewritable(x, found)]:
            for x in refuted:
                del found[x]
        return found

    def _is_rewritable(self, x: Value, found: Selections) -> bool:
        reads_less = self.elements_read.get(x, 0) < x.aval.size
        return (
            reads_less
            and all(other in found for y, other in self.operand_of if y is x)
            and self._is_available(x, (), found)
        )

    def _is_available(self, x: Value, inside: tuple[Op, ...], found: Selections) -> bool:
        """Can slices of `x` be read outside the arms that hold the ops `inside`?

        Conditions computed in an arm must be scalar computations, which can be emitted again.
        """
        if x not in found:
            op = self.definitions.get(x)
            return op not in inside or op.primitive is constant_p
        selection = found[x]
        return all(map(_computes_a_scalar, needed(inside, [selection.condition]))) and all(
            self._is_available(y, (*inside, *ops), found)
            for y, ops in zip(selection.arrays, selection.regions)
        )

    def _visit(self, region: Region, bounds: tuple[int | None, ...]) -> None:
        """`bounds`: on the trip counts of the loops around."""
        for op in region.ops:
            self.definitions.update((y, op) for y in op.results)
            self.loop_depth.update((y, len(bounds)) for y in op.results)
            selections = dict(self._selections_of(op))
            for y, selection in selections.items():
                if bounds and y.aval.size > MAX_CHEAP_SELECT_ELEMENTS:
                    self.selections[y] = selection
                    self.operand_of += ((x, y) for x in selection.arrays)
                else:
                    self.read_whole.update(selection.arrays)
            self._note_reads(op, bounds, bool(selections))
            inner = (*bounds, Loop.of(op).bound) if op.primitive is loop_p else bounds
            for each in op.regions:
                self._visit(each, inner)
                if op.primitive is not if_p:
                    self.read_whole.update(each.yields)

    def _selections_of(self, op: Op) -> Iterator[tuple[Value, _Selection]]:
        """The results of `op` that are selections."""
        if op.primitive is if_p:
            regions = tuple(r.ops for r in op.regions)
            for y, arrays in zip(op.results, zip(*(r.yields for r in op.regions))):
                yield y, _Selection(op, op.operands[0], arrays, regions)
        elif op.primitive is select:
            mask = self.definitions.get(op.operands[0])
            if mask is not None and mask.primitive is broadcast and mask.operands[0].shape == ():
                yield op.results[0], _Selection(op, mask.operands[0], op.operands[1:], ((), ()))

    def _note_reads(self, op: Op, bounds: tuple[int | None, ...], is_selection: bool) -> None:
        operands = list(op.operands[: 1 if is_selection else None])
        if op.primitive is dynamic_slice:
            array, *operands = operands
            inner = bounds[self.loop_depth.get(array, 0) :]
            trip_counts = [UNKNOWN_TRIP_COUNT if n is None else n for n in inner]
            read = prod((*trip_counts, *op.params["sizes"]))
            self.elements_read[array] = self.elements_read.get(array, 0) + read
        self.read_whole.update(operands)


def _computes_a_scalar(op: Op) -> bool:
    return is_scalar_op(op) and op.results[0].aval.size == 1


class _DistributedLoad:
    """A load of a selected array, as a select of loads."""

    def __init__(self, load: Op, selections: Selections):
        self.load, self.selections = load, selections

    def emit(self, x: Value, inside: tuple[Op, ...] = ()) -> Value:
        """Emit the load from `x`; `inside` are the ops of the arms that `x` is defined in."""
        sizes = self.load.params["sizes"]
        constants = {y: op for op in inside if op.primitive is constant_p for y in op.results}
        if x in constants:
            return constant(constants[x].params["value"], x.dtype, sizes)
        if x not in self.selections:
            return dynamic_slice(x, *start_indices(self.load), sizes=sizes)
        selection = self.selections[x]
        with at(selection.op.span):
            (condition,) = rematerialize([selection.condition], inside)
            mask = broadcast(condition, shape=sizes, dims=())
        arms = zip(selection.arrays, selection.regions)
        return select(mask, *[self.emit(y, (*inside, *ops)) for y, ops in arms])
