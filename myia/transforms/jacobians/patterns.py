"""Sparsity patterns: on which elements of one array each element of a value depends.

    %x: f64[4]                                    0     1     2     3
    %y = sin %x                                   0     1     2     3
    %a = slice %y {1:4}; %b = slice %y {0:3}      1 2 3, and 0 1 2
    %z = sub %a, %b                               0,1   1,2   2,3

A pattern of a value of shape s is an array of shape (*s, k), k at most `MAX_POSITIONS`, of
positions in %x; -1 is none. Dependence is differentiable dependence, as in `activity.py`. Ops that
are not known here, or move elements by numbers known at run time only, make every element depend on
any: the pattern is ANY. So a pattern may have too much in it, and never too little.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from myia.ir.core import Op, Region, Value
from myia.primitives.arrays import shaping
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.gather import gather
from myia.primitives.arrays.shaping import iota, reduce_sum
from myia.primitives.core.define import PointwisePrimitive, constant_p, literal_p
from myia.primitives.core.region_dataflow import dataflow_edges
from myia.primitives.core.structured import custom_p
from myia.transforms.activity import differentiable, sources

MAX_POSITIONS = 8  # positions for each element
ROUNDS = 4  # through the body of a loop, until the patterns of its carries are stable
MAX_KNOWN = 65_536  # elements of integers that are computed here

MOVES = shaping.MOVES | {dynamic_slice, dynamic_update_slice, gather}
OF_INTEGERS = MOVES | {constant_p, literal_p, iota}

ANY = None
Pattern = np.ndarray | None


def patterns(region: Region, x: Value, ys: Iterable[Value]) -> list[Pattern]:
    """For each of `ys`, on which elements of the argument `x` each of its elements depends.

    These patterns have two axes: the elements of `y` are in one, in C order.
    """
    of = _Patterns(x)
    of.walk(region.ops)
    found = [(of.get(y), y.aval.size) for y in ys]
    return [p if p is ANY else p.reshape((size, p.shape[-1])) for p, size in found]


class _Patterns:
    """What is not in `of` depends on no element. `known`: integers, as far as they are known."""

    def __init__(self, x: Value):
        self.of: dict[Value, Pattern] = {x: np.arange(x.aval.size).reshape((*x.shape, 1))}
        self.known: dict[Value, Any] = {}

    def get(self, y: Value) -> Pattern:
        return self.of.get(y, np.zeros((*y.shape, 0), np.int64))

    def walk(self, ops: Iterable[Op]) -> None:
        for op in ops:
            if op.primitive.structured:
                self.structured(op)
            elif any(x in self.of for x in sources(op)):
                found = self.plain(op)
                self.of.update((y, found) for y in differentiable(op.results))
            elif op.results and not differentiable(op.results):
                self.integers(op)

    def integers(self, op: Op) -> None:
        evaluate, size = op.primitive.evaluate, sum(y.aval.size for y in op.results)
        if not (isinstance(op.primitive, PointwisePrimitive) or op.primitive in OF_INTEGERS):
            return
        if evaluate and size <= MAX_KNOWN and all(x in self.known for x in op.operands):
            with np.errstate(all="ignore"):
                found = evaluate(*map(self.known.get, op.operands), **op.params)
            self.known[op.results[0]] = np.asarray(found)

    def plain(self, op: Op) -> Pattern:
        given = [self.get(x) for x in sources(op)]
        known = [p for p in given if p is not ANY]
        if len(known) < len(given):
            return ANY
        if isinstance(op.primitive, PointwisePrimitive):
            return _union(known)
        if op.primitive is reduce_sum:
            axes = op.params["axes"]
            last = np.moveaxis(known[0], axes, range(-1 - len(axes), -1))
            return _compact(last.reshape((*op.results[0].shape, -1)))
        return self.moved(op) if op.primitive in MOVES else ANY

    def moved(self, op: Op) -> Pattern:
        """The op done to positions, one of each element's after the other."""
        moving = set(sources(op))
        if not all(x in moving or x in self.known for x in op.operands):
            return ANY
        width = max(_width(self.get(x)) for x in moving)
        params = {**op.params, "fill": -1} if op.primitive is gather else op.params
        evaluate: Any = op.primitive.evaluate
        layers = [
            evaluate(
                *(_layer(self.get(x), i) if x in moving else self.known[x] for x in op.operands),
                **params,
            )
            for i in range(width)
        ]
        return _compact(np.stack(layers, -1)) if layers else self.get(op.results[0])

    def structured(self, op: Op) -> None:
        """Patterns that do not change when the regions are walked once more."""
        if op.primitive is custom_p:  # the rule is another function
            if any(x in self.of for x in (*op.operands, *op.regions[0].captured)):
                self.of.update((y, ANY) for y in differentiable(op.results))
            return
        edges = [(x, y) for x, y in dataflow_edges(op) if y.aval.differentiable]
        for _ in range(ROUNDS):
            changed = self.join(edges)
            for region in op.regions:
                self.walk(region.ops)
            changed |= self.join(edges)
            if not changed:
                return
        self.of.update((y, ANY) for _, y in edges)

    def join(self, edges: Sequence[tuple[Value, Value]]) -> bool:
        """Along an edge (x, y), y depends on what x depends on; True if that was news."""
        changed = False
        for x, y in edges:
            if x not in self.of or (y in self.of and self.of[y] is ANY):
                continue
            p, q = self.of[x], self.get(y)
            found = ANY if p is ANY or q is ANY else _union([p, q])
            changed |= y not in self.of or not _equal(found, q)
            self.of[y] = found
        return changed


def _width(p: Pattern) -> int:
    assert p is not ANY
    return int(p.shape[-1])


def _layer(p: Pattern, i: int) -> np.ndarray:
    assert p is not ANY
    return p[..., i] if i < p.shape[-1] else np.full(p.shape[:-1], -1)


def _equal(p: Pattern, q: Pattern) -> bool:
    return p is q if p is ANY or q is ANY else np.array_equal(p, q)


def _union(found: Sequence[np.ndarray]) -> Pattern:
    return _compact(np.concatenate(found, -1))


def _compact(p: np.ndarray) -> Pattern:
    """Every position once, the greatest first, in as few columns as will do."""
    if p.shape[-1] > 1:
        p = -np.sort(-p, -1)
        p[..., 1:][p[..., 1:] == p[..., :-1]] = -1
        p = -np.sort(-p, -1)
    width = int(np.max(np.sum(p >= 0, -1), initial=0))
    return p[..., :width] if width <= MAX_POSITIONS else ANY
