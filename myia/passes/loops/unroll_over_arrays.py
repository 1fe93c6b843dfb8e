"""Loop unrolling: a short loop of elementwise ops on large arrays that is differentiated in reverse
becomes straight-line code.

    %y = for %k < 9 (%y = %zeros) {              %1 = mul %zeros, %x
      %c = dynamic_slice %v, %k                  %2 = add %1, (broadcast %v at 0)
      %1 = mul %y, %x                     ->     %3 = mul %2, %x
      %2 = add %1, (broadcast %c)                ...
      yield %2
    }

Polynomials, series and Newton's method on arrays are such loops. Their adjoint would record arrays,
mostly in memory that no call has used yet, and read them again. Of straight-line code XLA computes
an element of the derivative after the other, and there is no array in between.

It runs before derivatives are expanded. It does not where the user limits memory or chooses the
storage of loops, which straight-line code does not have.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.avals import I64
from myia.ir.core import Function, Op, Value, has_effect, walk
from myia.ir.rewrite import inline
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.arrays.shaping import broadcast, iota, reshape
from myia.primitives.core.define import PointwisePrimitive, constant, constant_p
from myia.primitives.core.structured import Loop, derivative_p, loop_p
from myia.primitives.pointwise import arithmetic, logic, transcendental
from myia.rewriting.walk import Walk, rewrite

MAX_ITERATIONS = 16
MAX_OPS = 160  # of all iterations together
MIN_ELEMENTS = 16_384  # of a carried array: below, arrays stay in the cache
# The same with functions such as `tanh`, which XLA computes again for each value that needs them.
MIN_ELEMENTS_OF_FUNCTIONS = 524_288

CHEAP = {
    each
    for module in (arithmetic, logic)
    for each in vars(module).values()
    if isinstance(each, PointwisePrimitive) and each is not arithmetic.pow
} | {transcendental.sqrt}

MOVES = {broadcast, reshape, iota, dynamic_slice}


def unroll_over_arrays(function: Function) -> Function:
    """`function` with short loops of elementwise ops on large arrays as straight-line code."""
    reversed_loops = {
        loop.results
        for op in walk(function.region)
        if op.primitive is derivative_p and op.params["mode"] in ("vjp", "jacrev")
        for loop in walk(op.regions[0])
        if loop.primitive is loop_p and loop.results  # one of effects alone is no adjoint
    }

    def rule(op: Op, walk: Walk) -> Sequence[Value] | None:
        return _unrolled(op, walk) if op.results in reversed_loops else None

    return rewrite(function, rule) if reversed_loops else function


def _unrolled(op: Op, walk: Walk) -> Sequence[Value] | None:
    loop = Loop.of(op)
    count = walk.constant_value(loop.count)
    if count is None or not 1 < count <= MAX_ITERATIONS or loop.cond is not None:
        return None
    ops = [each for each in loop.body.ops if each.primitive is not constant_p]
    if count * len(ops) > MAX_OPS or not all(map(_is_elementwise, ops)):
        return None
    cheap = all(each.primitive in CHEAP or each.primitive in MOVES for each in ops)
    least = MIN_ELEMENTS if cheap else MIN_ELEMENTS_OF_FUNCTIONS
    if max((x.aval.size for x in loop.carries), default=0) < least:
        return None
    values: Sequence[Value] = loop.carries
    for k in range(count):
        values = inline(loop.body, (constant(k, I64.dtype), *values))
    return values


def _is_elementwise(op: Op) -> bool:
    """Does XLA compute `op` element by element with what reads it?"""
    if has_effect(op):
        return False
    if op.primitive is dynamic_slice:
        return op.results[0].aval.size == 1
    return isinstance(op.primitive, PointwisePrimitive) or op.primitive in MOVES
