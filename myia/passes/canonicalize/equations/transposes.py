"""Equations that move transposes behind arithmetic: to where products and sums absorb them.

    %2 = transpose %1 {permutation=(1, 0, 2)}       %3 = mul %1, %1
    %3 = mul %2, %2                            ->   %4 = reduce_sum %3 {axes=(2,)}
    %4 = reduce_sum %3 {axes=(2,)}                  %5 = transpose %4 {permutation=(1, 0)}

A product with a batch axis (`np.einsum("kij,nkj->nki", a, x)`) gives the batch axis first. XLA sums
what has been transposed against the order of memory, and products need it transposed back.
"""

from __future__ import annotations

from collections.abc import Callable

from myia.ir.builder import emit1
from myia.ir.core import Op, Value
from myia.passes.canonicalize.equations.define import Matcher, equation
from myia.primitives.arrays.shaping import broadcast, inverse, reduce_sum, transpose
from myia.primitives.core.define import constant
from myia.primitives.pointwise.arithmetic import add, mul, neg, sub


@equation(neg, "-transpose(x) == transpose(-x)")
@equation(add, "transpose(x) + transpose(y) == transpose(x + y)")
@equation(sub, "transpose(x) - transpose(y) == transpose(x - y)")
@equation(mul, "transpose(x) * transpose(y) == transpose(x * y)")
def _(match: Matcher, op: Op, *operands: Value) -> Value | None:
    """Where the other operand is a constant, or a broadcast of a smaller array, too. What is
    transposed once, before a loop, stays so."""
    inside = filter(match.is_in_region, operands)
    inner = next(filter(None, (match.defined_by(transpose, x) for x in inside)), None)
    if inner is None:
        return None
    permutation = inner.params["permutation"]
    before = [_before(match, x, permutation) for x in operands]
    found = [make() for make in before if make is not None]
    if len(found) < len(before):
        return None
    return transpose(emit1(op.primitive, *found, **op.params), permutation=permutation)


def _before(match: Matcher, x: Value, permutation: tuple[int, ...]) -> Callable[[], Value] | None:
    """Emits what gives `x` when it is transposed by `permutation`; None: `x` must be stored."""
    back = inverse(permutation)
    shape = tuple(x.shape[axis] for axis in back)
    number = match.number(x)
    if number is not None:
        return lambda: constant(number, x.dtype, shape)
    op = match.defined_by(transpose, x)
    if op is not None and op.params["permutation"] == permutation:
        (y,) = op.operands
        return lambda: y
    op = match.defined_by(broadcast, x)
    if op is None or op.operands[0].aval.size == x.aval.size:
        return None
    (y,) = op.operands
    dims = [permutation[d] for d in op.params["dims"]]
    order = tuple(sorted(range(len(dims)), key=dims.__getitem__))
    sorted_dims = tuple(sorted(dims))
    return lambda: broadcast(transpose(y, permutation=order), shape=shape, dims=sorted_dims)


@equation(reduce_sum, "reduce_sum(transpose(x)) == reduce_sum(x) over other axes")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    inner = match.defined_by(transpose, x)
    if inner is None:
        return None
    permutation, axes = inner.params["permutation"], op.params["axes"]
    total = reduce_sum(inner.operands[0], axes=tuple(sorted(permutation[i] for i in axes)))
    kept = [axis for i, axis in enumerate(permutation) if i not in axes]
    return transpose(total, permutation=tuple(sorted(kept).index(axis) for axis in kept))
