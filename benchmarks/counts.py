"""Counts of a compiled program: bytes that its ops touch, and numbers that they compute.

Time depends on where arrays are: twice the bytes, past the size of a cache, may take five times as
long. Counts do not. They are counts of the final IR, before XLA fuses ops; each op counts as often
as it runs. Only the values that trip counts and conditions depend on are computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from myia.backends.xla.cpu.buffer_aliasing import READS, WRITES
from myia.ir.core import Function, Op, Region, Value
from myia.primitives.arrays.shaping import iota, reshape
from myia.primitives.core.define import constant_p, empty_p
from myia.primitives.core.structured import Loop, call_p, if_p, loop_p
from myia.primitives.linalg.dot import dot_general

ZERO_COST_OPS = {constant_p, empty_p, iota, reshape}
Known = dict[Value, np.ndarray]  # values that decide control flow


@dataclass(frozen=True)
class Counts:
    touched: float = 0.0  # bytes
    computed: float = 0.0  # numbers; a matrix product computes two for each pair

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.touched + other.touched, self.computed + other.computed)

    def __mul__(self, times: int) -> Counts:
        return Counts(self.touched * times, self.computed * times)


def counts(function: Function, args: Sequence[np.ndarray]) -> Counts:
    """The counts of one run."""
    known = dict(zip(function.region.args, map(np.asarray, args), strict=True))
    with np.errstate(all="ignore"):
        return _Counter(_control_values(function.region)).region(function.region, known)


# ----- Values that decide control flow


def _control_values(region: Region) -> frozenset[Value]:
    """The values that trip counts, loop conditions and branches depend on."""
    wanted: set[Value] = set()
    before = -1
    while len(wanted) > before:
        before = len(wanted)
        _collect(region, wanted)
    return frozenset(wanted)


def _collect(region: Region, wanted: set[Value]) -> None:
    for op in reversed(region.ops):
        if op.primitive is loop_p:
            _collect_loop(op, wanted)
        elif op.primitive is if_p:
            wanted.add(op.operands[0])
            _pass_on(op.results, [branch.yields for branch in op.regions], wanted)
        elif op.primitive is call_p:
            _pass_on(op.results, [op.regions[0].yields], wanted)
            _pass_on(op.regions[0].args, [op.operands], wanted)
        elif not wanted.isdisjoint(op.results):
            wanted.update(op.operands)
        for inner in op.regions:
            _collect(inner, wanted)


def _collect_loop(op: Op, wanted: set[Value]) -> None:
    loop = Loop.of(op)
    if loop.count is not None:
        wanted.add(loop.count)
    if loop.cond is not None:
        wanted.update(loop.cond.yields)
        _pass_on(loop.cond.args[1:], [loop.body.args[1:]], wanted)
    _pass_on(op.results, [loop.body.args[1:]], wanted)
    _pass_on(loop.body.args[1:], [loop.body.yields, loop.carries], wanted)


def _pass_on(to: Sequence[Value], sources: Iterable[Sequence[Value]], wanted: set[Value]) -> None:
    for source in sources:
        wanted.update(x for y, x in zip(to, source, strict=True) if y in wanted)


# ----- Counting


class _Counter:
    def __init__(self, control: frozenset[Value]):
        self.control = control
        self.straight_line: dict[Region, Counts] = {}  # of regions without control flow

    def region(self, region: Region, known: Known) -> Counts:
        if region not in self.straight_line and not self.varies(region):
            self.straight_line[region] = sum(map(_counts_of, region.ops), Counts())
        if region in self.straight_line:
            return self.straight_line[region]
        found = Counts()
        for op in region.ops:
            found += self.op(op, known)
        return found

    def varies(self, region: Region) -> bool:
        """Do the counts of `region`, or values that decide control flow, depend on the run?"""
        return any(op.regions for op in region.ops) or not self.control.isdisjoint(
            y for op in region.ops for y in op.results
        )

    def op(self, op: Op, known: Known) -> Counts:
        if op.primitive is loop_p:
            return self.loop(op, known)
        if op.primitive is if_p:
            branch = op.regions[0 if known[op.operands[0]] else 1]
            found = self.region(branch, known)
            self.assign(op.results, branch.yields, known)
            return found
        if op.primitive is call_p:
            (body,) = op.regions
            self.assign(body.args, op.operands, known)
            found = self.region(body, known)
            self.assign(op.results, body.yields, known)
            return found
        if not self.control.isdisjoint(op.results):
            results = op.primitive.evaluate(*(known[x] for x in op.operands), **op.params)
            known.update(zip(op.results, results if isinstance(results, tuple) else (results,)))
        return _counts_of(op)

    def loop(self, op: Op, known: Known) -> Counts:
        loop, found, k = Loop.of(op), Counts(), 0
        count = None if loop.count is None else int(known[loop.count])
        body = loop.body
        if loop.cond is None and not self.varies(body) and self.control.isdisjoint(body.args):
            return self.region(body, known) * max(count, 0)
        self.assign(body.args[1:], loop.carries, known)
        while count is None or k < count:
            known[body.args[0]] = np.asarray(k, np.int64)
            if loop.cond is not None:
                known[loop.cond.args[0]] = known[body.args[0]]
                self.assign(loop.cond.args[1:], body.args[1:], known)
                found += self.region(loop.cond, known)
                if not known[loop.cond.yields[0]]:
                    break
            found += self.region(body, known)
            self.assign(body.args[1:], body.yields, known)
            k += 1
        self.assign(op.results, body.args[1:], known)
        return found

    def assign(self, to: Sequence[Value], source: Sequence[Value], known: Known) -> None:
        """Assign simultaneously: an iteration may yield its arguments in another order."""
        pairs = [(y, x) for y, x in zip(to, source, strict=True) if y in self.control]
        known.update(zip([y for y, _ in pairs], [known[x] for _, x in pairs]))


def _counts_of(op: Op) -> Counts:
    if op.primitive in ZERO_COST_OPS:
        return Counts()
    if op.primitive in READS:
        return Counts(2.0 * _bytes(op.results))
    if op.primitive in WRITES:
        return Counts(2.0 * _bytes(op.operands[1:]))
    touched = float(_bytes((*op.operands, *op.results)))
    if op.primitive is dot_general:
        summed = prod(op.operands[0].shape[i] for i in op.params["contract"][0])
        return Counts(touched, 2.0 * summed * op.results[0].aval.size)
    return Counts(touched, float(max(x.aval.size for x in (*op.operands, *op.results))))


def _bytes(values: Iterable[Value]) -> int:
    return sum(x.aval.nbytes for x in values)
