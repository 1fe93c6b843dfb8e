"""Equations of `dot_general`: what it reads is not rearranged first.

XLA would store a transposed matrix before it multiplies it by a vector: at 3,000 x 3,000 that takes
20 times as long as the product. The product itself reads a matrix along either axis.
"""

from __future__ import annotations

from myia.ir.builder import emit1
from myia.ir.core import Op, Value
from myia.passes.canonicalize.equations.define import Matcher, equation
from myia.primitives.arrays.shaping import broadcast, reduce_sum, reshape, transpose
from myia.primitives.core.define import constant
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import add


@equation(dot_general, "dot_general(transpose(x), y) == dot_general(x, y) over other axes")
def _(match: Matcher, op: Op, *operands: Value) -> Value | None:
    for i, x in enumerate(operands):
        inner = match.defined_by(transpose, x)
        if inner is None:
            continue
        permutation = inner.params["permutation"]
        summed = [*op.params["contract"][i], *op.params["batch"][i]]
        free = [axis for k, axis in enumerate(permutation) if k not in summed]
        if free == sorted(free):  # the axes of the result keep their order
            params = {name: _renamed(op.params[name], i, permutation)
                      for name in ("contract", "batch")}  # fmt: skip
            (y,) = inner.operands
            return dot_general(*(y, operands[1]) if i == 0 else (operands[0], y), **params)
    return None


@equation(dot_general, "dot_general(x, broadcast(c)) == broadcast(reduce_sum(x * c))")
def _(match: Matcher, op: Op, *operands: Value) -> Value | None:
    """Also safer: XLA's library for reductions reads such a matrix where nothing is (jaxlib 0.10).

    `np.sum((a @ np.ones((50, 50))) * a, axis=1)` is garbage in plain JAX.
    """
    contract, batch = op.params["contract"], op.params["batch"]
    for i, other in enumerate(operands):
        filler = _filler(match, operands[1 - i])
        if filler is None or not contract[0] or other.dtype.kind == "b":
            continue
        total = reduce_sum(other * broadcast(filler, shape=other.shape, dims=()), axes=contract[i])
        kept = [axis for axis in range(other.aval.ndim) if axis not in contract[i]]
        free = [axis for axis in kept if axis not in batch[i]]
        start = len(op.results[0].shape) - len(free) if i else len(batch[i])
        of_axis = {axis: k for k, axis in enumerate(batch[i])}
        of_axis |= {axis: start + k for k, axis in enumerate(free)}
        dims = [of_axis[axis] for axis in kept]
        in_order = tuple(sorted(range(len(dims)), key=dims.__getitem__))
        if list(in_order) != sorted(in_order):
            total = transpose(total, permutation=in_order)
        return broadcast(total, shape=op.results[0].shape, dims=tuple(sorted(dims)))
    return None


def _filler(match: Matcher, x: Value) -> Value | None:
    """The number that fills `x`, an array of one or more axes."""
    if x.aval.ndim == 0:
        return None
    number = match.number(x)
    if number is not None:
        return constant(number, x.dtype)
    inner = match.operand_of(broadcast, x)
    return inner if inner is not None and inner.aval.ndim == 0 else None


@equation(transpose, "transpose(outer(x, y)) == outer(y, x)")
def _(match: Matcher, op: Op, product: Value) -> Value | None:
    inner = match.defined_by(dot_general, product)
    nothing: tuple[tuple[int, ...], ...] = ((), ())
    if inner is None or not inner.params["contract"] == inner.params["batch"] == nothing:
        return None
    x, y = inner.operands
    axes = tuple(range(len(product.shape)))
    first = len(x.shape)
    if op.params["permutation"] != axes[first:] + axes[:first]:
        return None
    return dot_general(y, x, **inner.params)


@equation(reshape, "reshape(reshape(x) + reshape(product)) == x + product")
def _(match: Matcher, op: Op, total: Value) -> Value | None:
    """How iterations add products to the whole of an array."""
    inner = match.defined_by(add, total)
    if inner is None:
        return None
    terms = [match.operand_of(reshape, x) for x in inner.operands]
    if any(x is None or x.shape != op.results[0].shape for x in terms):
        return None
    found = [x for x in terms if x is not None]
    if not any(match.defined_by(dot_general, x) for x in found):
        return None
    return emit1(add, *found, **inner.params)


def _renamed(
    axes: tuple[tuple[int, ...], ...], i: int, permutation: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    """`axes` of both operands, where those of operand `i` are given before it was permuted."""
    return tuple(
        tuple(permutation[axis] for axis in xs) if i == j else xs for j, xs in enumerate(axes)
    )
