"""Reductions of masked arrays in loops: loops over the elements that the mask keeps.

    for %i < 900 (...) {                          for %i < 900 (...) {
      %m = lt %iota, broadcast %i                   %s = for %k < %i (%s = 0.0) bound 900 {
      %1 = select %m, %x, 0.0                         %1 = dynamic_slice %x, %k
      %2 = select %m, %y, 0.0                         %2 = dynamic_slice %y, %k
      %3 = mul %1, %2                     ->          %3 = mul %1, %2
      %s = reduce_sum %3                              %s = add %s, %3 {reassoc=True}
      ...                                             yield %s
    }                                               }
                                                    ...
                                                  }

An array of run-time size is stored at its bound, and masked: `x[:i] @ y[:i]` handles all 900
elements in each iteration. An element that the mask leaves out is the neutral element of the
reduction, so the loop may skip it; what remains costs what is there. `elements.py` computes an
element from the operands of the chain of ops that ends in the reduction: neither the masks nor the
padding remain. Stores into slices of run-time size become loops, too (`stores.py`). Reductions over
one range whose operands do not depend on each other share a loop.

Runs before derivatives are taken: an adjoint loop costs what is there, too. Loops are what the
other passes know how to vectorize.

Not outside of loops, where a mask is computed once; not along short axes; not where rows of the
operand are not contiguous; not where an array of elementary functions is masked by the index of a
loop (`_that_pay`). Not for extrema of numbers that are differentiated: the derivative of a
reduction shares ties evenly, that of a loop does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from myia.analysis.linear_indices import IndexRanges
from myia.ir.builder import Builder, at
from myia.ir.core import Function, Op, Region, Value, has_effect, reads, walk
from myia.ir.dependence import needed
from myia.ir.primitive import Primitive
from myia.passes.canonicalize.cse import cse
from myia.passes.run_time_sizes.elements import Elements
from myia.passes.run_time_sizes.stores import is_masked, loop_of_store
from myia.passes.run_time_sizes.valid_ranges import (
    MIN_BOUND,
    Bounds,
    Definitions,
    along,
    bounds_unless,
    common,
    is_index,
    new_index,
    valid_range,
)
from myia.primitives.arrays import reductions, shaping
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice
from myia.primitives.core.define import constant
from myia.primitives.core.structured import derivative_p, loop_p, rev_p
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise import arithmetic, logic, transcendental
from myia.rewriting.walk import rebuilt, with_region


@dataclass(frozen=True)
class _Fold:
    """A reduction as a loop: the element that changes nothing, and a step."""

    neutral: Callable[[np.dtype], complex]
    step: Callable[[Value, Value], Value]
    kinds: str = "biufc"


_FOLDS: dict[Primitive, _Fold] = {
    shaping.reduce_sum: _Fold(lambda _: 0, lambda x, y: arithmetic.add(x, y, reassoc=True)),
    reductions.reduce_prod: _Fold(lambda _: 1, arithmetic.mul),
    reductions.reduce_max: _Fold(reductions.least, arithmetic.max),
    reductions.reduce_min: _Fold(reductions.greatest, arithmetic.min),
    reductions.reduce_or: _Fold(lambda _: 0, logic.or_, "b"),
    reductions.reduce_and: _Fold(lambda _: 1, logic.and_, "b"),
    dot_general: _Fold(lambda _: 0, lambda x, y: arithmetic.add(x, y, reassoc=True)),
}
_ELEMENTARY = {  # of which XLA computes several at once in vectors only
    *(transcendental.exp, transcendental.exp2, transcendental.expm1, transcendental.logistic),
    *(
        transcendental.log,
        transcendental.log2,
        transcendental.log10,
        transcendental.log1p,
        transcendental.tanh,
        arithmetic.pow,
    ),
    *(transcendental.sin, transcendental.cos, transcendental.sinh, transcendental.cosh),
}
_EXTREMA = (reductions.reduce_max, reductions.reduce_min)


def _rounds_as_whole_sums(dtype: np.dtype, fold: _Fold) -> bool:
    """XLA adds short floats in float32; one by one, 1.0 + 1.0 + ... in float16 ends at 2,048."""
    return dtype.kind in fold.kinds and (dtype.kind != "f" or dtype.itemsize >= 4)


@dataclass(frozen=True)
class _Sink:
    """A reduction over the elements `start + k`, k < count, along the axes of its operands."""

    op: Op
    axes: tuple[int, ...]
    start: Value
    count: Value
    bound: int


def valid_elements(function: Function) -> Function:
    """`function` with reductions of masked arrays in loops as loops over what the masks keep."""
    if not _has_candidates(function.region):
        return function
    # Equal lengths are one value.
    function = cse(function)
    return with_region(function, _Pass(function).region(function.region, False, False))


def _has_candidates(region: Region) -> bool:
    definitions = {y: op for op in walk(region) for y in op.results}
    loops = (op for op in walk(region) if op.primitive in (loop_p, rev_p))
    inside = (op for loop in loops for inner in loop.regions for op in walk(inner))
    return any(_is_candidate(op, definitions) for op in inside)


def _is_candidate(op: Op, definitions: Definitions) -> bool:
    return is_masked(op, definitions) or bool(_bounds_by_axes(op, definitions))


def _bounds_by_axes(op: Op, definitions: Definitions) -> dict[tuple[int, ...], Bounds]:
    """Where the operands of a reduction are not neutral, along each long axis that it reduces."""
    fold, found = _FOLDS.get(op.primitive), {}
    if fold is None or not _rounds_as_whole_sums(op.operands[0].dtype, fold):
        return {}
    for axes in _reduced_axes(op):
        if op.operands[0].shape[axes[0]] >= MIN_BOUND and 0 not in op.operands[0].shape:
            neutral = fold.neutral(op.operands[0].dtype)
            found[axes] = common(
                [
                    along(bounds_unless(x, neutral, definitions), axis)
                    for x, axis in zip(op.operands, axes)
                ]
            )
    return {axes: bounds for axes, bounds in found.items() if bounds}


class _Pass:
    def __init__(self, function: Function):
        self.definitions = {y: op for op in walk(function.region) for y in op.results}
        self.ranges = IndexRanges(function.region)
        self.loops: dict[Value, Region] = {}  # the innermost loop's body that computes each value
        self._record_loops(function.region, function.region)

    def _record_loops(self, region: Region, innermost: Region) -> None:
        for op in region.ops:
            self.loops.update((y, innermost) for y in op.results)
            for inner in op.regions:
                is_loop = op.primitive in (loop_p, rev_p)
                self._record_loops(inner, inner if is_loop else innermost)

    def region(self, region: Region, in_loop: bool, differentiated: bool) -> Region:
        """`region` with its reductions rewritten, inner regions first."""
        ops: list[Op] = []
        sinks: list[_Sink] = []
        for op in region.ops:
            if op.regions:
                inside = in_loop or op.primitive in (loop_p, rev_p)
                of_derivative = differentiated or op.primitive is derivative_p
                inner = tuple(self.region(r, inside, of_derivative) for r in op.regions)
                if inner != op.regions:
                    op = Op(op.primitive, op.operands, op.params, inner, op.results, op.span)
            elif in_loop and op.primitive is dynamic_update_slice:
                with Builder() as b, at(op.span):
                    stores = loop_of_store(op, self.definitions, self.ranges, self._is_local_to(op))
                if stores is not None:
                    ops += b.ops
                    op = stores
            elif in_loop and op.primitive in _FOLDS:
                with Builder() as b, at(op.span):
                    sink = self._sink(op, differentiated)
                if sink is not None:
                    sinks.append(sink)
                    ops += b.ops
            ops.append(op)
        sinks = self._that_pay(ops, sinks)
        if not sinks:
            return rebuilt(region, ops, region.yields)
        return rebuilt(region, self._with_loops(ops, sinks), region.yields)

    # ----- Which reductions

    def _sink(self, op: Op, differentiated: bool) -> _Sink | None:
        """The reduction as a loop; emits the first index and how many there are."""
        is_float = op.operands[0].dtype.kind == "f"
        if differentiated and op.primitive in _EXTREMA and is_float:
            return None
        for axes, bounds in _bounds_by_axes(op, self.definitions).items():
            if self._is_contiguous(op, axes):
                n = op.operands[0].shape[axes[0]]
                return _Sink(op, axes, *valid_range(bounds, n, self.ranges), n)
        return None

    def _is_contiguous(self, op: Op, axes: tuple[int, ...]) -> bool:
        """Is what an element of the loop reads of each operand contiguous?"""
        if op.primitive is dot_general:
            batched, wide = op.params["batch"], [x.aval.ndim > 1 for x in op.operands]
            if any(batched[0]) or all(wide):
                return False
        return all(
            all(n == 1 for n in x.shape) or self._is_first(x, axis)
            for x, axis in zip(op.operands, axes)
        )

    def _is_first(self, x: Value, axis: int) -> bool:
        """Are the other axes of `x` behind this one, in the array that it is computed from?"""
        op = self.definitions.get(x)
        if op is not None and op.primitive is shaping.transpose:
            return self._is_first(op.operands[0], op.params["permutation"][axis])
        if op is not None and op.primitive is logic.select:
            return self._is_first(op.operands[1], axis)
        return all(n == 1 for n in x.shape[:axis])

    def _that_pay(self, ops: list[Op], sinks: list[_Sink]) -> list[_Sink]:
        """The index of a loop is half of its bound on average: that many elementary functions, one
        by one, cost more than a vector of twice as many. What else has this length is an array,
        too.
        """
        kept_whole = [
            self.ranges.linear_form(sink.count)
            for sink in sinks
            if is_index(sink.count, self.ranges)
            and any(
                op.primitive in _ELEMENTARY and op.results[0].aval.size >= sink.bound
                for op in needed(ops, sink.op.operands)
            )
        ]
        return [s for s in sinks if self.ranges.linear_form(s.count) not in kept_whole]

    # ----- The loops

    def _with_loops(self, ops: list[Op], sinks: list[_Sink]) -> list[Op]:
        """`ops` with a loop in the place of the first reduction of each group."""
        groups = self._groups(ops, sinks)
        group_of = {sink.op: group for group in groups for sink in group}
        done: dict[Op, None] = {}

        def emit(op: Op) -> None:
            if op in done:
                return
            if op not in group_of:
                done[op] = None
                placed.append(op)
                return
            group = group_of[op]
            done.update((sink.op, None) for sink in group)
            before, loop = self._loop(group)
            for other in needed(ops, (x for each in (*before, loop) for x in reads(each))):
                emit(other)
            placed.extend((*before, loop))

        placed: list[Op] = []
        for op in ops:
            emit(op)
        return placed

    def _groups(self, ops: list[Op], sinks: Iterable[_Sink]) -> list[list[_Sink]]:
        """Reductions over ranges of one length; each group depends on earlier ones only."""
        groups: list[list[_Sink]] = []
        number: dict[Op, int] = {}
        for sink in sinks:
            before = needed(ops, sink.op.operands)
            latest = max((number[op] for op in before if op in number), default=-1)
            effects = any(map(has_effect, before))
            joined = None if effects else self._group_of(groups, latest + 1, sink)
            if joined is None:
                joined = len(groups)
                groups.append([])
            groups[joined].append(sink)
            number[sink.op] = joined
        return groups

    def _group_of(self, groups: list[list[_Sink]], first: int, sink: _Sink) -> int | None:
        form = self.ranges.linear_form(sink.count)
        for i in range(first, len(groups)):
            if self.ranges.linear_form(groups[i][0].count) == form:
                return i
        return None

    def _is_local_to(self, op: Op) -> Callable[[Value], bool]:
        """Is a value computed in each iteration of the loop that `op` is in?"""
        body = self.loops[op.results[0]]
        return lambda x: self.loops.get(x) is body

    def _loop(self, group: list[_Sink]) -> tuple[list[Op], Op]:
        """The loop over the elements, and the ops before it that make what it starts with."""
        count, bound = group[0].count, min(sink.bound for sink in group)
        k = new_index(count, bound, self.ranges)
        carries = tuple(Value(sink.op.results[0].aval) for sink in group)
        with Builder() as before:
            initial = [_neutral(sink.op) for sink in group]
        with Builder() as b:
            elements = Elements(self.definitions, self.ranges, self._is_local_to(group[0].op))
            yields = []
            for sink, carry in zip(group, carries):
                with at(sink.op.span):
                    term = _term(sink, elements, elements.add(sink.start, k))
                    yields.append(_FOLDS[sink.op.primitive].step(carry, term))
        body = Region((k, *carries), tuple(b.ops), tuple(yields))
        params = {"counted": True, "conditional": False, "bound": bound}
        results = tuple(sink.op.results[0] for sink in group)
        loop = Op(loop_p, (count, *initial), params, (body,), results, group[0].op.span)
        return before.ops, loop


# ----- One reduction


def _reduced_axes(op: Op) -> list[tuple[int, ...]]:
    """For each axis that `op` reduces: its number in each operand."""
    if op.primitive is dot_general:
        return list(zip(*op.params["contract"]))
    return [(axis,) for axis in op.params["axes"]]


def _neutral(op: Op) -> Value:
    (y,) = op.results
    return constant(_FOLDS[op.primitive].neutral(y.dtype), y.dtype, y.shape)


def _term(sink: _Sink, elements: Elements, index: Value) -> Value:
    """What the elements at an index contribute to the reduction."""
    op = sink.op
    parts = [
        elements.at(x, tuple(index if i == axis else None for i in range(x.aval.ndim)))
        for x, axis in zip(op.operands, sink.axes)
    ]
    if op.primitive is not dot_general:
        (axis,), (x,) = sink.axes, parts
        rest = tuple(i - (i > axis) for i in op.params["axes"] if i != axis)
        return op.primitive(x, axes=rest) if rest else x  # type: ignore[operator]
    contract = tuple(
        tuple(i - (i > axis) for i in axes if i != axis)
        for axes, axis in zip(op.params["contract"], sink.axes)
    )
    if contract[0]:
        return dot_general(*parts, contract=contract, batch=((), ()))
    shape = op.results[0].shape
    return arithmetic.mul(
        *(x if x.shape == shape else shaping.broadcast(x, shape=shape, dims=()) for x in parts)
    )
