"""Halos: periodic reads of an array (`np.roll`) become slices of a copy with its wrapped edges.

    %u = for %k < %n (%u = %x) {            ->   %u, %h = for %k < %n (%u = %x, %h = empty[6]) {
      %1 = slice %u [3:4]                          %1 = dynamic_update_slice %h, %u, 1
      %2 = slice %u [0:3]                          %2 = slice %u [3:4]
      %3 = concatenate %1, %2                      %h' = dynamic_update_slice %1, %2, 0
      %4 = mul %u, %3                              %3 = slice %h' [0:4]
      yield %4                                     %4 = slice %h' [1:5]
    }                                              %5 = mul %4, %3
                                                   yield %5, %h'
                                                 }

XLA fuses a concatenation into the loop over the elements of its consumer, where each element takes
a branch, and nothing is vectorised. Slices of a halo are plain loads. The copy costs nothing: what
computes an array from its neighbours cannot do so in place, so XLA copies it anyway. All rolls of
an array share one halo, whatever their axes. The loop carries it, so that it is allocated once.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import concatenate, slice
from myia.primitives.core.define import PointwisePrimitive, constant, empty
from myia.primitives.core.structured import Loop
from myia.rewriting.def_use import definitions, uses
from myia.rewriting.walk import look_up, rewrite_loops, substituted, substituted_region

MIN_ELEMENTS = 128  # fewer are faster in one fusion
MAX_GROWTH = 2  # of the copy over the array
MAX_AXES = 3
MIN_TRIP_COUNT = 4  # the halo is cleared before the loop


def halos(function: Function) -> Function:
    """`function` whose loops read rolled arrays from copies with halos."""

    def emit_loop(op: Op) -> None:
        loop = Loop.of(op)
        found = _halos_of(loop.body) if (loop.bound or MIN_TRIP_COUNT) >= MIN_TRIP_COUNT else []
        append(op) if not found else _emit_with_halos(op, loop, found)

    return rewrite_loops(function, emit_loop)


# ----- Periodic reads


@dataclass(frozen=True)
class _Read:
    """Element i is element `(start + i) mod x.shape` of the array `x`; `shape` may exceed x's."""

    x: Value
    start: tuple[int, ...]
    shape: tuple[int, ...]


@dataclass
class _Halo:
    """All periodic reads of `x`, by their results."""

    x: Value
    reads: dict[Value, _Read] = field(default_factory=dict)

    @property
    def low(self) -> tuple[int, ...]:
        """How many elements stand before those of `x`, along each axis."""
        starts = zip(*(read.start for read in self.reads.values()))
        return tuple(max(0, -min(each)) for each in starts)

    @property
    def high(self) -> tuple[int, ...]:
        reads = self.reads.values()
        ends = zip(*([a + n for a, n in zip(r.start, r.shape)] for r in reads))
        return tuple(max(0, max(each) - n) for each, n in zip(ends, self.x.shape))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(a + n + b for a, n, b in zip(self.low, self.x.shape, self.high))

    def pays(self) -> bool:
        size, grown = self.x.aval.size, self.x.aval.with_shape(self.shape).size
        fits = self.x.aval.ndim <= MAX_AXES and size < grown <= MAX_GROWTH * size
        return fits and size >= MIN_ELEMENTS

    def sides(self) -> list[tuple[int, ...]]:
        """The parts that are read: for each axis -1 (before `x`), 0 or 1 (after `x`)."""
        found = {(0,) * len(self.shape)}
        for read in self.reads.values():
            each = [
                (0, *((-1,) if a < 0 else ()), *((1,) if a + m > n else ()))
                for a, m, n in zip(read.start, read.shape, self.x.shape)
            ]
            found.update(itertools.product(*each))
        return sorted(found, key=lambda side: (sum(map(abs, side)), side))


def _halos_of(body: Region) -> list[_Halo]:
    """The arrays of which `body` makes periodic reads, if a halo pays."""
    visible = {*body.args, *definitions(body)}
    reads: dict[Value, _Read] = {}
    found: dict[Value, _Halo] = {}
    for op in body.ops:
        read = _periodic_read(op, body, reads)
        if read is not None and read.x in visible:
            reads[op.results[0]] = read
            found.setdefault(read.x, _Halo(read.x)).reads[op.results[0]] = read
    return [halo for halo in found.values() if halo.pays()]


def _periodic_read(op: Op, body: Region, reads: dict[Value, _Read]) -> _Read | None:
    """What `op` reads if it is a roll, maybe of a roll, or an array twice in a row, for slices."""
    if op.primitive is not concatenate or len(op.operands) != 2:
        return None
    axis, (first, second), shape = int(op.params["axis"]), op.operands, op.results[0].shape
    if first is second:
        (y,) = op.results
        sliced = all(use.primitive is dynamic_slice for use in uses(body).get(y, ()))
        return _Read(first, (0,) * len(shape), shape) if sliced and y not in body.yields else None
    part, rest = definitions(body).get(first), definitions(body).get(second)
    if part is None or rest is None or {part.primitive, rest.primitive} != {slice}:
        return None
    x, n, split = part.operands[0], shape[axis], first.shape[axis]
    if x.shape != shape or rest.operands[0] is not x:
        return None
    if not _is_part(part, axis, n - split, n) or not _is_part(rest, axis, 0, n - split):
        return None
    shift = -split if 2 * split <= n else n - split
    inner = reads.get(x)
    if inner is None or inner.shape != shape or inner.start[axis] != 0:
        inner = _Read(x, (0,) * len(shape), shape)
    return replace(inner, start=(*inner.start[:axis], shift, *inner.start[axis + 1 :]))


def _is_part(op: Op, axis: int, start: int, limit: int) -> bool:
    """Is this slice whole but for `axis`, and from `start` to `limit` there?"""
    (x,) = op.operands
    starts, limits = [0] * x.aval.ndim, list(x.shape)
    starts[axis], limits[axis] = start, limit
    given = op.params["start"], op.params["limit"], op.params["stride"]
    return given == (tuple(starts), tuple(limits), (1,) * x.aval.ndim)


# ----- What they become


def _emit_with_halos(op: Op, loop: Loop, found: Sequence[_Halo]) -> None:
    """Emit the loop `op` with one more carry for each halo."""
    avals = [halo.x.aval.with_shape(halo.shape) for halo in found]
    with at(op.span):
        carries = map(empty, avals)
        operands = (*op.operands, *carries)
    *conds, body = op.regions
    conds = [Region((*r.args, *map(Value, avals)), r.ops, r.yields) for r in conds]
    regions = (*conds, _body_with_halos(body, found))
    results = (*op.results, *map(Value, avals))
    append(Op(op.primitive, operands, op.params, regions, results, op.span))


def _body_with_halos(body: Region, found: Sequence[_Halo]) -> Region:
    """`body` with the halos as further arguments, and their periodic reads as slices of them."""
    args = {halo.x: Value(halo.x.aval.with_shape(halo.shape)) for halo in found}
    halo_of = {y: halo for halo in found for y in halo.reads}
    filled: dict[Value, Value] = {}
    env: Env = {}
    centers: Env = {}
    with Builder() as b:
        for op in body.ops:
            halo = halo_of.get(op.results[0]) if op.results else None
            if halo is None:
                pointwise = isinstance(op.primitive, PointwisePrimitive)
                now = {**env, **centers} if pointwise else env
                append(substituted(op, now, partial(substituted_region, env=env)))
                continue
            with at(op.span):
                if halo.x not in filled:
                    # Of a carried array nothing else is read then: the result takes its place.
                    filled[halo.x] = _filled(halo, args[halo.x], env.get(halo.x, halo.x))
                    center = _Read(halo.x, (0,) * halo.x.aval.ndim, halo.x.shape)
                    centers[halo.x] = _slice_of(halo, filled[halo.x], center)
                y = op.results[0]
                env[y] = _slice_of(halo, filled[halo.x], halo.reads[y])
                env[y].name = y.name
    yields = (*look_up(body.yields, env), *filled.values())
    return Region((*body.args, *args.values()), tuple(b.ops), yields)


def _filled(halo: _Halo, array: Value, x: Value) -> Value:
    """`array` with `x`, and with the wrapped parts of `x` around it."""
    for side in halo.sides():
        start, limit, to = [], [], []
        for s, low, n, high in zip(side, halo.low, x.shape, halo.high):
            start.append(n - low if s < 0 else 0)
            limit.append(high if s > 0 else n)
            to.append(constant((0, low, low + n)[1 + s], np.int64))
        part = x
        if any(side):
            part = slice(x, start=tuple(start), limit=tuple(limit), stride=(1,) * len(side))
        array = dynamic_update_slice(array, part, *to)
    return array


def _slice_of(halo: _Halo, array: Value, read: _Read) -> Value:
    start = tuple(a + low for a, low in zip(read.start, halo.low))
    limit = tuple(a + n for a, n in zip(start, read.shape))
    return slice(array, start=start, limit=limit, stride=(1,) * len(start))
