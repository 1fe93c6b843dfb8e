"""Widening of branches and loops.

if %p, the same for all entries         one branch runs, for all entries
if %p, which varies                     both run, each for its entries; %p selects the results
a loop that ends for all at once        one loop, on wide values
a loop whose trip counts differ         one loop until the last entry has ended; an entry that
                                        has ended keeps its values
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from myia.ir.avals import I64
from myia.ir.builder import build_region, emit
from myia.ir.core import Op, Region, Value
from myia.primitives.arrays.reductions import reduce_max, reduce_or
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.primitives.pointwise.arithmetic import add
from myia.primitives.pointwise.logic import and_, lt, not_
from myia.source.diagnostics import InternalError
from myia.widening.batching_rules import repeated
from myia.widening.wide_values import WideValues, where

Run = Callable[[Region], None]  # emits the ops of a region, whose arguments have been bound


def emit_branches(values: WideValues, op: Op, run: Run) -> None:
    """An `if`."""
    (condition,) = op.operands
    results: Sequence[Value]
    if condition in values.wide:
        results = _selected_branches(values, op, run)
    else:
        regions = [build_region([], lambda r=r: _branch(values, op, r, run)) for r in op.regions]
        results = emit(if_p, values.first.get(condition, condition), regions=regions)
    _bind_results(values, op, results)


def _branch(values: WideValues, op: Op, branch: Region, run: Run) -> list[Value]:
    run(branch)
    return [values.passed(y, result) for y, result in zip(branch.yields, op.results)]


def _selected_branches(values: WideValues, op: Op, run: Run) -> list[Value]:
    if not set(op.results) <= values.varying:
        raise InternalError("a store into a shared array under a condition that varies")
    condition = values.wide[op.operands[0]]
    then, other = op.regions
    taken = _masked_branch(values, op, then, run, values.masked(condition))
    not_taken = _masked_branch(values, op, other, run, values.masked(not_(condition)))
    return [where(condition, x, y) for x, y in zip(taken, not_taken)]


def _masked_branch(
    values: WideValues, op: Op, branch: Region, run: Run, mask: Value
) -> Sequence[Value]:
    """What a branch yields in the entries of `mask`. One with loops does not run for no entry."""
    with values.under(mask):
        if not any(each.regions for each in branch.ops):
            return _branch(values, op, branch, run)
        then = build_region([], lambda: _branch(values, op, branch, run))
        other = build_region([], lambda: [zeros(y.aval) for y in then.yields])
        return emit(if_p, reduce_or(mask, axes=(0,)), regions=(then, other))


def emit_loop(values: WideValues, op: Op, run: Run) -> None:
    """A `loop`."""
    loop = Loop.of(op)
    ends = {*(() if loop.count is None else [loop.count]), *(loop.cond.yields if loop.cond else ())}
    if ends.isdisjoint(values.varying):
        results = _emit_unmasked_loop(values, op, run)
    else:
        results = _MaskedLoop(values, op, run).emit()
    _bind_results(values, op, results)


def _emit_unmasked_loop(values: WideValues, op: Op, run: Run) -> Sequence[Value]:
    """A loop that ends for all entries together: each iteration runs for all of them."""
    loop = Loop.of(op)
    args = loop.body.args

    def widened(region: Region, targets: Sequence[Value]) -> Region:
        def body(k: Value, *carries: Value) -> list[Value]:
            _bind_args(values, region, k, carries)
            run(region)
            return [values.passed(y, target) for y, target in zip(region.yields, targets)]

        return build_region([I64, *(x.aval for x in init)], body, [x.name for x in args])

    init = [values.passed(x, arg) for x, arg in zip(loop.carries, args[1:])]
    regions = [] if loop.cond is None else [widened(loop.cond, loop.cond.yields)]
    regions.append(widened(loop.body, args[1:]))
    count = [] if loop.count is None else [values.first.get(loop.count, loop.count)]
    return emit(loop_p, *count, *init, regions=regions, **op.params)


class _MaskedLoop:
    """Runs until the last entry has ended; an entry that has ended keeps what it carries.

    If the loop has a condition, it also carries for which entries the condition has always held.
    """

    def __init__(self, values: WideValues, op: Op, run: Run):
        self.values, self.op, self.run, self.loop = values, op, run, Loop.of(op)
        self.width = values.axis.width
        mask = values.mask
        self.running = constant(True, bool, (self.width,)) if mask is None else mask
        self.counts = None if self.loop.count is None else values.wide.get(self.loop.count)

    def emit(self) -> Sequence[Value]:
        loop = self.loop
        init = [self.values.passed(x, a) for x, a in zip(loop.carries, loop.body.args[1:])]
        avals, count = [I64, *(x.aval for x in init)], self._trip_count()
        if loop.cond is None:
            body = build_region(avals, lambda k, *xs: self._iterate(k, self.running, xs)[1])
            return emit(loop_p, *count, *init, regions=[body], **self.op.params)
        first = self._holds(loop.cond, constant(0, I64.dtype), self.running, init)
        avals.insert(1, first.aval)
        cond = build_region(avals, lambda k, runs, *_: [reduce_or(runs, axes=(0,))])
        regions = [cond, build_region(avals, functools.partial(self._iterate_and_test, loop.cond))]
        return emit(loop_p, *count, first, *init, regions=regions, **self.op.params)[1:]

    def _trip_count(self) -> list[Value]:
        """The largest trip count; no operand if the loop is not counted."""
        if self.counts is not None:
            return [reduce_max(where(self.running, self.counts, 0), axes=(0,))]
        count = self.loop.count
        return [] if count is None else [self.values.first.get(count, count)]

    def _iterate(
        self, k: Value, runs: Value, carries: Sequence[Value]
    ) -> tuple[Value, list[Value]]:
        """The entries of `runs` that run iteration `k`, and what all carry after it."""
        body = self.loop.body
        if self.counts is not None:
            runs = and_(runs, lt(repeated(k, self.width), self.counts))
        with self.values.under(runs):
            _bind_args(self.values, body, k, carries)
            self.run(body)
            new = [self.values.passed(y, arg) for y, arg in zip(body.yields, body.args[1:])]
        return runs, [where(runs, y, x) for y, x in zip(new, carries)]

    def _iterate_and_test(
        self, cond: Region, k: Value, runs: Value, *carries: Value
    ) -> list[Value]:
        runs, new = self._iterate(k, runs, carries)
        return [self._holds(cond, add(k, 1), runs, new), *new]

    def _holds(self, cond: Region, k: Value, runs: Value, carries: Sequence[Value]) -> Value:
        """The entries of `runs` for which the condition holds before iteration `k`."""
        with self.values.under(runs):
            _bind_args(self.values, cond, k, carries)
            self.run(cond)
            return and_(runs, self.values.widened(cond.yields[0]))


def _bind_args(values: WideValues, region: Region, k: Value, carries: Sequence[Value]) -> None:
    values.first[region.args[0]] = k
    values.bind(region.args[1:], carries)


def _bind_results(values: WideValues, op: Op, results: Sequence[Value]) -> None:
    for old, new in zip(op.results, results):
        new.name = old.name
    values.bind(op.results, results)
