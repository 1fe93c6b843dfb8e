"""What it costs to compute a value again, and to record it: a coarse model of one CPU core.

Nanoseconds, for scalars in a compiled loop and per element of arrays. Only ratios matter, and only
roughly: the question is whether a sine (10) is read back from memory (2) rather than computed
again, and whether a sum (0.3) is computed again rather than stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod

from myia.ir.avals import Aval
from myia.ir.core import Op, Region, Value
from myia.passes.analysis.accesses import STORES, start_indices
from myia.passes.analysis.loop_dependence import is_scalar_op
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.core.structured import Loop, if_p, loop_p

UNKNOWN_TRIPS = 16  # of a loop whose count and bound are not known

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

# (for one scalar, for each element of an array)
_RATES = {
    **dict.fromkeys(FREE, (0.0, 0.0)),
    **dict.fromkeys(MOVES, (0.5, 0.1)),
    **dict.fromkeys(CHEAP, (0.3, 0.15)),
    **dict.fromkeys(MEDIUM, (2.0, 0.7)),
    **dict.fromkeys(SUMS, (0.5, 0.3)),
    **dict.fromkeys(("sin", "cos", "tan"), (14.0, 9.0)),
}
_ELSE = (10.0, 2.5)  # exp, tanh, ...
_PER_PRODUCT = 0.15  # a multiplication and an addition of a matrix product
_PER_GATHERED = 3.0
_PER_FACTORED = 20.0  # each element of a matrix that is factored or solved with


# Trips over elements that do not wait for one another are made several at a time.
SIDE_BY_SIDE = 4

# Nanoseconds for a truth of an array that is read back: loops that select by truths in memory are
# not vectorised. (79 x 79 numbers selected by rows and columns: 24 against 6 us by comparisons.)
_PER_TRUTH = 0.75


def recording_cost(aval: Aval, price: float) -> float:
    """To write a value to a tape and to read it back; `price`: of a byte."""
    truths = aval.size if aval.dtype.kind == "b" and aval.ndim else 0
    return 1.5 + price * aval.nbytes + _PER_TRUTH * truths


def compared_with_operands(ops: Iterable[Op]) -> set[Value]:
    """Extrema, which derivatives look for among the elements, computed of the same numbers.

    What is computed again may be rounded otherwise (`x * y + z` at once or not) than what was
    recorded, and none would be found.
    """
    return {y for op in ops if op.primitive.name in EXTREMA for y in op.results}


def most_trips(loop: Loop) -> float:
    return UNKNOWN_TRIPS if loop.bound is None else loop.bound


def op_cost(op: Op, in_place: bool = False, trips: Callable[[Loop], float] = most_trips) -> float:
    """To compute `op` once more, where loops make so many `trips`.

    `in_place`: windows are written into the array that is there.
    """
    name = op.primitive.name
    if op.primitive is if_p:
        return 3 + sum(region_cost(r, in_place, trips) for r in op.regions) / 2
    if op.primitive is loop_p:
        return 20 + trips(Loop.of(op)) * _trip_cost(Loop.of(op).body, trips)
    if op.regions:
        return sum(region_cost(r, in_place, trips) for r in op.regions)
    touched = op.operands[1:] if in_place and name in UPDATES else (*op.operands, *op.results)
    size = max((v.aval.size for v in touched), default=1)
    if name == "dot_general":
        return 5 + _PER_PRODUCT * _products(op)
    if name == "convolution":
        return 5 + _PER_PRODUCT * _products_of_convolution(op)
    if name == "gather" or name.startswith("scatter"):
        return 5 + 0.1 * size + _PER_GATHERED * op.operands[1].aval.size
    if name == "dynamic_slice":
        size = op.results[0].aval.size
    if name not in _RATES and any(x.aval.ndim > 1 for x in op.operands) and len(op.results) > 1:
        return _PER_FACTORED * size
    scalar, element = _RATES.get(name, _ELSE)
    return scalar + element * (size if size > 1 else 0)


def region_cost(
    region: Region, in_place: bool = False, trips: Callable[[Loop], float] = most_trips
) -> float:
    """`in_place`: as in a loop's body, whose arrays are carried from trip to trip."""
    return sum(op_cost(op, in_place, trips) for op in region.ops)


def _trip_cost(body: Region, trips: Callable[[Loop], float]) -> float:
    cost = region_cost(body, True, trips)
    if not all(map(is_scalar_op, body.ops)):
        return 5 + cost
    return 1 + cost if _waits(body) else cost / SIDE_BY_SIDE


def _waits(body: Region) -> bool:
    """Does a trip need what the trip before computes: a number, or an element of an array in
    another place than where it stores one itself?"""
    carries = set(body.args[1:])
    stored = {start_indices(op) for op in body.ops if op.primitive in STORES}
    return any(x.aval.size == 1 for x in carries) or any(
        op.primitive is dynamic_slice
        and op.operands[0] in carries
        and start_indices(op) not in stored
        for op in body.ops
    )


def _products(op: Op) -> int:
    contracted = op.params["contract"][0]
    return op.results[0].aval.size * prod(op.operands[0].shape[i] for i in contracted)


def _products_of_convolution(op: Op) -> int:
    """Each element of the result is a sum over the kernel's elements of one of its features."""
    (_, kernel), (y,) = op.operands, op.results
    features = kernel.shape[op.params["dims"][1][0]]
    return y.aval.size * kernel.aval.size // max(1, features)
