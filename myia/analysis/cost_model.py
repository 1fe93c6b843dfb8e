"""Cost model: nanoseconds to recompute a value, and to record it, on one CPU core.

What it computes. Costs for scalars in a compiled loop, and for each element of arrays.

What it guarantees. Nothing: the model is coarse, since only ratios matter: whether a sine (10)
should be read back from memory (2) or recomputed, and whether a sum (0.3) should be recomputed or
recorded.

When it gives up. A loop without a static count or bound makes `ASSUMED_TRIP_COUNT` iterations; an
op without a rate of its own has that of `exp`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod

from myia.analysis.loop_summary import is_scalar_op
from myia.ir.avals import Aval, Shape
from myia.ir.core import Op, Region, Value
from myia.primitives.arrays.dynamic_slices import STORES, dynamic_slice, start_indices
from myia.primitives.core.structured import Loop, if_p, loop_p

ASSUMED_TRIP_COUNT = 16  # of a loop without a static count or bound

# Ops by cost, named as in the printed IR.
FREE = {"constant", "empty", "iota", "reshape", "convert", "stop_gradient"}
MOVES = {
    "broadcast", "concatenate", "dynamic_slice", "dynamic_update_add", "dynamic_update_slice",
    "flip", "pad", "slice", "transpose",
}  # fmt: skip
UPDATES = {"dynamic_update_add", "dynamic_update_slice"}
CHEAP = {
    "abs", "add", "and", "ceil", "complex", "conj", "eq", "floor", "ge", "gt", "imag",
    "integer_pow", "is_finite", "le", "lt", "max", "min", "mul", "ne", "neg", "not", "or", "real",
    "round", "select", "shift_left", "shift_right", "sign", "square", "sub", "trunc", "xor",
}  # fmt: skip
MEDIUM = {"div", "reciprocal", "sqrt", "rsqrt", "floordiv", "truncdiv", "mod", "rem"}
EXTREMA = {"reduce_max", "reduce_min"}
SUMS = {"reduce_sum", "reduce_max", "reduce_min", "reduce_and", "reduce_or", "cumsum"}

# Nanoseconds: (for a scalar, for each element of an array)
_RATES = {
    **dict.fromkeys(FREE, (0.0, 0.0)),
    **dict.fromkeys(MOVES, (0.5, 0.1)),
    **dict.fromkeys(CHEAP, (0.3, 0.15)),
    **dict.fromkeys(MEDIUM, (2.0, 0.7)),
    **dict.fromkeys(SUMS, (0.5, 0.3)),
    **dict.fromkeys(("sin", "cos", "tan"), (14.0, 9.0)),
}
_OTHER_RATE = (10.0, 2.5)  # exp, tanh, ...
_NS_PER_MULTIPLY_ADD = 0.15  # in matrix products and convolutions
_NS_PER_GATHERED_INDEX = 3.0
_NS_PER_FACTORED_ELEMENT = 20.0  # of a matrix that is factored or solved with

# Independent iterations over elements are vectorised.
INDEPENDENT_SPEEDUP = 4

# For each element of a recorded mask that is read back: XLA does not vectorise loops that select by
# masks in memory. (79 x 79 numbers selected by rows and columns: 24 us, by comparisons 6 us.)
_NS_PER_MASK_ELEMENT = 0.75


def record_cost(aval: Aval, price: float) -> float:
    """The cost of writing a value to a tape and reading it back; `price`: nanoseconds per byte."""
    mask_elements = aval.size if aval.dtype.kind == "b" and aval.ndim else 0
    return 1.5 + price * aval.nbytes + _NS_PER_MASK_ELEMENT * mask_elements


def extrema_of(ops: Iterable[Op]) -> set[Value]:
    """The results of reductions to an extremum, which must not be recorded.

    Their derivative compares the extremum with the elements. Elements that are recomputed may be
    rounded differently from those recorded (`x * y + z` fused or not), and then none is equal to
    a recorded extremum.
    """
    return {y for op in ops if op.primitive.name in EXTREMA for y in op.results}


def max_trip_count(loop: Loop) -> float:
    return ASSUMED_TRIP_COUNT if loop.bound is None else loop.bound


def op_cost(
    op: Op, in_place: bool = False, trip_count: Callable[[Loop], float] = max_trip_count
) -> float:
    """The cost of computing `op` once more.

    `trip_count` estimates the iterations of a loop. `in_place`: slices are written into their array
    without copying it.
    """
    name = op.primitive.name
    if op.primitive is if_p:
        # One of the two branches runs: their mean.
        return 3 + sum(region_cost(r, in_place, trip_count) for r in op.regions) / 2
    if op.primitive is loop_p:
        return 20 + trip_count(Loop.of(op)) * _iteration_cost(Loop.of(op).body, trip_count)
    if op.regions:
        return sum(region_cost(r, in_place, trip_count) for r in op.regions)
    touched = op.operands[1:] if in_place and name in UPDATES else (*op.operands, *op.results)
    size = max((v.aval.size for v in touched), default=1)
    if name == "dot_general":
        return 5 + _NS_PER_MULTIPLY_ADD * _multiply_adds(op)
    if name == "convolution":
        return 5 + _NS_PER_MULTIPLY_ADD * _multiply_adds_of_convolution(op)
    if name == "gather" or name.startswith("scatter"):
        return 5 + 0.1 * size + _NS_PER_GATHERED_INDEX * op.operands[1].aval.size
    if name == "dynamic_slice":
        size = op.results[0].aval.size
    # Taken for a factorization: an op on matrices with several results and no rate of its own.
    if name not in _RATES and any(x.aval.ndim > 1 for x in op.operands) and len(op.results) > 1:
        return _NS_PER_FACTORED_ELEMENT * size
    scalar, element = _RATES.get(name, _OTHER_RATE)
    return scalar + element * (size if size > 1 else 0)


def region_cost(
    region: Region, in_place: bool = False, trip_count: Callable[[Loop], float] = max_trip_count
) -> float:
    """The cost of running a region; `in_place` as in the body of a loop, which carries arrays."""
    return sum(op_cost(op, in_place, trip_count) for op in region.ops)


def _iteration_cost(body: Region, trip_count: Callable[[Loop], float]) -> float:
    cost = region_cost(body, True, trip_count)
    if not all(map(is_scalar_op, body.ops)):
        return 5 + cost
    return 1 + cost if _has_carried_dependence(body) else cost / INDEPENDENT_SPEEDUP


def _has_carried_dependence(body: Region) -> bool:
    """Does an iteration read what an earlier one computed?

    That is a carried number, or an element of a carried array at other indices than the stores of
    the iteration itself have.
    """
    carries = set(body.args[1:])
    stored = {start_indices(op) for op in body.ops if op.primitive in STORES}
    return any(x.aval.size == 1 for x in carries) or any(
        op.primitive is dynamic_slice
        and op.operands[0] in carries
        and start_indices(op) not in stored
        for op in body.ops
    )


def _multiply_adds(op: Op) -> int:
    contracted: Shape = op.params["contract"][0]
    return op.results[0].aval.size * prod(op.operands[0].shape[i] for i in contracted)


def _multiply_adds_of_convolution(op: Op) -> int:
    """Each element of the result is a sum over the kernel's elements of one of its features."""
    (_, kernel), (y,) = op.operands, op.results
    dims: tuple[Shape, Shape, Shape] = op.params["dims"]
    features = kernel.shape[dims[1][0]]
    return y.aval.size * kernel.aval.size // max(1, features)
