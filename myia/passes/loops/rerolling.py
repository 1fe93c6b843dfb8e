"""Loop rerolling: equal ops that were written one after the other become a loop.

    %a = loop A of %x, %w                 %a = for %k < 3 (%c = %x) {
    %1 = add %a, 0.1                        %d = loop A of %c, %w
    %b = loop A of %1, %w           ->      %1 = add %d, (row %k of 0.1, 0.2, 0.3)
    %2 = add %b, 0.2                        yield %1
    %c = loop A of %2, %w                 }
    %3 = add %c, 0.3

Calls are inlined and loops over lists unrolled when types are inferred. XLA compiles each copy of a
loop, and so do all stages before: several times, if it is differentiated. What differs between the
iterations is carried, or in rows; what is read of an iteration other than the last is stored in
rows (`isomorphic_ops.py`).

*When it gives up*: where little time is saved for what the iterations take, or the copies into rows
would cost more than a small part of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from myia.analysis.cost_model import op_cost
from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value, walk
from myia.ir.rewrite import Env
from myia.passes.loops.isomorphic_ops import (
    Carried,
    Computed,
    Constants,
    Isomorphism,
    Members,
    Mismatch,
    Rows,
    Same,
    Source,
)
from myia.passes.loops.op_forms import Forms, copied
from myia.primitives.arrays.rows import read_row, rows_aval, write_row
from myia.primitives.arrays.shaping import broadcast, concatenate, reshape
from myia.primitives.core.define import array_constant, constant, empty
from myia.primitives.core.emit_structured import loop
from myia.primitives.core.structured import derivative_p, loop_p
from myia.primitives.pointwise.arithmetic import add, mul
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region

MIN_ITERATIONS = 4
MAX_PERIOD = 4

# Seconds that the stages and XLA take for a loop, and for another op, if it is not differentiated.
SECONDS_PER_LOOP = 0.04
SECONDS_PER_OP = 0.0015
MIN_SECONDS = 0.1  # that are saved
# A number is copied into rows, and out of them.
NS_PER_BYTE = 0.3
MAX_COPYING = 0.1  # of the time of the iterations
MAX_FREE_BYTES = 4096  # of all iterations: copies that do not count
# The adjoint of a loop around loops runs each iteration again, forwards: a part of what the
# iterations take, for as many calls as a program may expect.
REPLAYED = 0.25
EXPECTED_CALLS = 300


def rerolling(function: Function) -> Function:
    """`function` with equal ops, of which each contains a loop, rolled into a loop."""
    return with_region(function, _rerolled(function.region, False))


def _rerolled(region: Region, differentiated: bool) -> Region:
    while (rolled := _with_one_loop(region, differentiated)) is not None:
        region = rolled
    ops = []
    for op in region.ops:
        inside = differentiated or op.primitive is derivative_p
        ops.append(substituted(op, {}, partial(_rerolled, differentiated=inside)))
    return rebuilt(region, ops, region.yields)


def _with_one_loop(region: Region, differentiated: bool) -> Region | None:
    """The region with one more loop; None if there is nothing to roll."""
    forms = Forms(region)
    for anchors in _equal_loops(region, forms):
        for groups in _candidates(anchors):
            try:
                found = Isomorphism(forms, groups)
            except Mismatch:
                continue
            if _pays(found, differentiated):
                return _Rolled(found).region()
    return None


def _equal_loops(region: Region, forms: Forms) -> list[Members]:
    """Isomorphic ops that contain loops, the least often repeated ones first."""
    found: dict[object, list[Op]] = {}
    ops = [op for op in region.ops if _loops(op)]
    for op in ops if len(ops) >= MIN_ITERATIONS else ():
        found.setdefault(forms[op].key, []).append(op)
    equal = (tuple(ops) for ops in found.values() if len(ops) >= MIN_ITERATIONS)
    return sorted(equal, key=len)


def _loops(op: Op) -> int:
    own = op.primitive is loop_p
    return own + sum(inner.primitive is loop_p for r in op.regions for inner in walk(r))


def _candidates(ops: Members) -> Iterator[list[Members]]:
    """Groups to begin with, the largest first: with one op in each iteration, with several."""
    yield [ops]
    yield [ops[1:]]  # the first iteration may read what others do not
    for period in range(2, MAX_PERIOD + 1):
        end = len(ops) // period * period
        if end >= period * MIN_ITERATIONS:
            yield [ops[i:end:period] for i in range(period)]
    if len(ops) >= 2 * MIN_ITERATIONS:
        half = len(ops) // 2
        yield from _candidates(ops[:half])
        yield from _candidates(ops[half:])


def _pays(found: Isomorphism, differentiated: bool) -> bool:
    ops = [members[0] for members in found.groups]
    if found.count < MIN_ITERATIONS:
        return False
    loops, others = sum(map(_loops, ops)), sum(1 + _ops_inside(op) for op in ops)
    seconds = (found.count - 1) * (SECONDS_PER_LOOP * loops + SECONDS_PER_OP * others)
    rows = [source.given[0] for source in found.sources.values() if isinstance(source, Rows)]
    rows += [found.results(y)[0] for y in _stored(found)]
    moved = sum(x.aval.nbytes for x in rows)
    work = sum(map(op_cost, ops))
    if differentiated and 1e-9 * REPLAYED * EXPECTED_CALLS * found.count * work > seconds:
        return False
    is_cheap = NS_PER_BYTE * moved < MAX_COPYING * work
    return seconds > MIN_SECONDS and (is_cheap or found.count * moved < MAX_FREE_BYTES)


def _ops_inside(op: Op) -> int:
    return sum(1 for region in op.regions for _ in walk(region))


def _stored(found: Isomorphism) -> list[Computed]:
    """The results of groups of which others than the last are read outside of the loop."""
    return [
        y for y in found.all_results() if any(map(found.is_read_outside, found.results(y)[:-1]))
    ]


class _Rolled:
    """The loop of an isomorphism."""

    def __init__(self, found: Isomorphism):
        self.found = found
        self.stored = _stored(found)
        self.carried = [x for x in dict.fromkeys(found.sources.values()) if isinstance(x, Carried)]
        carried = {source.computed for source in self.carried}
        self.last = [
            y
            for y in found.all_results()
            if y not in carried
            and y not in self.stored
            and found.is_read_outside(found.results(y)[-1])
        ]
        self.rows: dict[Rows, Value] = {}

    def region(self) -> Region:
        """The region with this loop."""
        found, region = self.found, self.found.region
        with Builder() as b, at(found.groups[0][0].span):
            b.ops += found.before
            env = self.loop()
            b.ops += [substituted(op, env) for op in found.after]
        return Region(region.args, tuple(b.ops), look_up(region.yields, env))

    def loop(self) -> Env:
        """Emit the loop; returns what replaces the results of the ops that it computes."""
        found = self.found
        for source in found.sources.values():
            if isinstance(source, Rows) and source not in self.rows:
                each = [reshape(x, shape=(1, *x.shape)) for x in source.given]
                self.rows[source] = concatenate(*each, axis=0)
        init = [source.initial for source in self.carried]
        init += [empty(found.results(y)[0].aval) for y in self.last]
        init += [empty(rows_aval(found.results(y)[0].aval, found.count)) for y in self.stored]
        count = constant(found.count, I64.dtype)
        values = loop(init, self.iteration, count=count, bound=found.count)
        env: Env = {}
        for y, rows in zip(self.stored, values[len(init) - len(self.stored) :]):
            for k, x in enumerate(found.results(y)):
                if found.is_read_outside(x):
                    env[x] = read_row(rows, constant(k, I64.dtype))
        for y, value in zip([*(source.computed for source in self.carried), *self.last], values):
            env[found.results(y)[-1]] = value
        for x, value in env.items():
            value.name = x.name
        return env

    def iteration(self, k: Value, *carries: Value) -> list[Value]:
        found = self.found
        known: dict[Source, Value] = dict(zip(self.carried, carries))
        order = {op: i for i, op in enumerate(found.region.ops)}
        for members in sorted(found.groups, key=lambda members: order[members[0]]):
            form = found.forms[members[0]]
            leaves: list[Value | None] = []
            for values in found.leaves(members):
                source = found.sources[values]
                if isinstance(source, Constants) and source.are_equal and values[0] in form.inner:
                    leaves.append(None)
                    continue
                if source not in known:
                    known[source] = self.value(source, k)
                leaves.append(known[source])
            ops, results = copied(members[0], leaves)
            for op in ops:
                append(op)
            group, _ = found.places[members[0]]
            known.update((Computed(group, j), y) for j, y in enumerate(results))
        stored = zip(carries[len(carries) - len(self.stored) :], self.stored)
        carried = [known[source.computed] for source in self.carried]
        last = [known[y] for y in self.last]
        return [*carried, *last, *(write_row(rows, known[y], k) for rows, y in stored)]

    def value(self, source: Source, k: Value) -> Value:
        """What iteration `k` reads of a source before the loop."""
        if isinstance(source, Same):
            return source.value
        if isinstance(source, Rows):
            return read_row(self.rows[source], k)
        assert isinstance(source, Constants)
        return _number(source, k)


def _number(source: Constants, k: Value) -> Value:
    """The constant of iteration `k`."""
    params = source.ops[0].params
    numbers, shape = [op.params["value"] for op in source.ops], params["shape"]
    if source.are_equal:
        return constant(numbers[0], params["dtype"], shape)
    step = numbers[1] - numbers[0]
    if params["dtype"] == I64.dtype and numbers == [
        numbers[0] + i * step for i in range(len(numbers))
    ]:
        number = add(mul(k, step), numbers[0])
    else:
        number = read_row(array_constant(np.array(numbers, params["dtype"])), k)
    return broadcast(number, shape=shape, dims=()) if shape else number
