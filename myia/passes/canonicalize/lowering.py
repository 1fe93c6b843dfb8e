"""Lowering: ops that served derivatives and storage get the form that the late passes match.

for ... { %1 = barrier %x, %ct ; %2 = sin %1 ; ... }     ->     for ... { %2 = sin %x ; ... }

%b = dynamic_update_add %a, %u, %i       ->       %1 = dynamic_slice %a, %i
                                                  %2 = add %1, %u
                                                  %b = dynamic_update_slice %a, %2, %i

for ... { %b = scatter_add %a, %i, %u }   ->      for ... { an addition into a slice
                                                            for each of a few indices }

%z = pow %x, -1.5                        ->       %1 = sqrt %x
                                                  %2 = div 1.0, %1
                                                  %z = div %2, %x

A barrier in a loop keeps that from recording what is to be recomputed; `stop_gradient` goes, too.
XLA moves nothing from the forward sweep into the adjoint: these are two loops by now.

XLA starts the ops of a loop with a scatter one by one; with slices a nest can be one function.

A square root takes a tenth of the time of a power, which has the simpler derivative. There are two
divisions, since `x sqrt(x)` may underflow although its reciprocal does not overflow. Negative
infinity needs a selection: its powers are inf and 0, its root is NaN. All other numbers come out
right, -0.0 included. The result is rounded two or three times instead of once.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from myia.ir.avals import I64
from myia.ir.core import Function, Op, Value, walk
from myia.primitives.arrays.dynamic_slices import (
    add_to_slice,
    dynamic_slice,
    dynamic_update_add,
    dynamic_update_slice,
)
from myia.primitives.arrays.gather import IndexDims, scatter_add, update_slice_sizes
from myia.primitives.arrays.shaping import along_axis, reshape
from myia.primitives.core.barriers import barrier_p
from myia.primitives.core.define import constant, lift
from myia.primitives.core.structured import loop_p
from myia.primitives.pointwise.arithmetic import add, div, mul, pow
from myia.primitives.pointwise.logic import convert, eq, select, stop_gradient
from myia.primitives.pointwise.transcendental import sqrt
from myia.rewriting.walk import Walk, rewrite

MAX_SCATTERED_SLICES = 16
MAX_SCATTERED_ELEMENTS = 64  # of all slices; 16 rows of 16 take a third longer than a scatter


def lowering(function: Function) -> Function:
    """`function` with additions into slices, barriers in loops and powers in lower forms."""
    in_loops = _computed_in_loops(function)

    def join(op: Op, walk: Walk) -> Sequence[Value] | None:
        is_sum = op.primitive is add and op.params.get("reassoc")
        return _add_scattered(op, walk) if is_sum and in_loops.issuperset(op.results) else None

    function = rewrite(function, join)
    in_loops = _computed_in_loops(function)

    def rule(op: Op, walk: Walk) -> Sequence[Value] | None:
        if op.primitive is barrier_p and in_loops.issuperset(op.results):
            return op.operands[: op.params["held"]]
        if op.primitive is scatter_add and in_loops.issuperset(op.results):
            return _add_to_slices(op)
        return _LOWERED[op.primitive](op, walk) if op.primitive in _LOWERED else None

    return rewrite(function, rule)


def _computed_in_loops(function: Function) -> set[Value]:
    loops = (op for op in walk(function.region) if op.primitive is loop_p)
    return {y for op in loops for r in op.regions for inner in walk(r) for y in inner.results}


def _without_barrier(op: Op, _: Walk) -> Sequence[Value]:
    return op.operands


def _accumulate(op: Op, _: Walk) -> Sequence[Value]:
    array, term, *starts = op.operands
    total = add(dynamic_slice(array, *starts, sizes=term.shape), term)
    return [dynamic_update_slice(array, total, *starts)]


def _add_scattered(op: Op, walk: Walk) -> Sequence[Value] | None:
    """A cotangent plus zeros to which a scatter adds: the scatter adds to the cotangent."""
    for total, scattered in (op.operands, op.operands[::-1]):
        scatter = walk.definition(scattered)
        if scatter is not None and scatter.primitive is scatter_add:
            x, indices, u = scatter.operands
            if walk.constant_value(x) == 0:
                return [scatter_add(total, indices, u, **scatter.params)]
    return None


def _add_to_slices(op: Op) -> Sequence[Value] | None:
    """The additions of a scatter, one after the other."""
    x, indices, u = op.operands
    dims, batch = IndexDims(*op.params["dims"]), indices.shape[:-1]
    is_small = math.prod(batch) <= MAX_SCATTERED_SLICES and u.aval.size <= MAX_SCATTERED_ELEMENTS
    if op.params["mode"] != "clip" or not is_small:
        return None
    sizes = update_slice_sizes(x.shape, u.shape, dims)
    for place in np.ndindex(batch):
        positions = iter(place)
        part = u
        for axis in range(u.aval.ndim):
            if axis not in dims.offset_dims:
                part = _entry(part, axis, next(positions))
        starts = [constant(0, I64.dtype) for _ in x.shape]
        for k, axis in enumerate(dims.start_index_map):
            index = functools.reduce(lambda x, i: _entry(x, *i), enumerate((*place, k)), indices)
            starts[axis] = convert(reshape(index, shape=()), dtype=I64.dtype)
        for axis, along in zip(dims.operand_batching_dims, dims.start_indices_batching_dims):
            starts[axis] = constant(place[along], I64.dtype)
        x = add_to_slice(x, reshape(part, shape=sizes), starts)
    return [x]


def _entry(x: Value, axis: int, i: int) -> Value:
    return along_axis(x, axis, i, i + 1)


def _power(op: Op, walk: Walk) -> Sequence[Value] | None:
    x, exponent = op.operands
    n = walk.constant_value(exponent)
    if x.dtype.kind != "f" or n not in (1.5, -1.5):
        return None
    root, is_minus_inf = sqrt(x), eq(x, lift(-math.inf, x.aval))
    if n > 0:
        return [select(is_minus_inf, math.inf, mul(root, x))]
    return [select(is_minus_inf, 0, div(div(lift(1, x.aval), root), x))]


_LOWERED = {stop_gradient: _without_barrier, dynamic_update_add: _accumulate, pow: _power}
