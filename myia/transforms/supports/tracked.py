"""Where supports are tracked: they cost time, so only where one is of use.

That is, for values whose derivative goes on to an op that spoils it, whose partial derivative may
be infinite or NaN. Most loops store and load at run-time positions and mask by these. The supports
that come of this guard ops with a pole (quotients, roots, logarithms), which is at a finite number,
and products by what is computed of such ops, unless it was stored into an array; no other products.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from myia.ir.avals import BOOL
from myia.ir.core import Op, Region, Value, walk
from myia.ir.primitive import Partials
from myia.primitives.arrays.dynamic_slices import dynamic_update_add, dynamic_update_slice
from myia.primitives.arrays.reductions import reduce_max, reduce_min
from myia.primitives.arrays.shaping import broadcast, reshape
from myia.primitives.core.define import constant_p
from myia.primitives.core.region_dataflow import Edge, reachable
from myia.primitives.core.structured import custom_p
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import (
    div,
    integer_pow,
    mod,
    mul,
    neg,
    pow,
    reciprocal,
    square,
    sub,
)
from myia.primitives.pointwise.logic import convert_p, select
from myia.primitives.pointwise.transcendental import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    exp,
    exp2,
    expm1,
    log,
    log1p,
    log2,
    log10,
    logistic,
    rsqrt,
    sin,
    sinh,
    sqrt,
    tanh,
)
from myia.primitives.special.gamma_bessel import erf, erfc
from myia.transforms.activity import derivative_edges
from myia.transforms.supports.slices import Integers, Stores, Support, as_array

Built = TypeVar("Built")

# Their partial derivatives are infinite (or too large) only where numbers are.
WITHOUT_POLES = {mul, integer_pow, mod, square, exp, exp2, expm1, sin, cos, sinh, cosh, tanh} | {
    atan,
    asinh,
    logistic,
    erf,
    erfc,
}
EXTREMA = {reduce_max, reduce_min}
MOVES = (broadcast, reshape, convert_p)
# Infinite at a pole, or NaN outside of their domain: at finite numbers.
DOMAINS = {reciprocal, rsqrt, pow, sqrt, log, log2, log10, log1p, asin, acos, acosh, atanh}


def nowhere(x: Value) -> Support:
    return Stores(x.aval)


def restricted(t: Value | None, support: Support) -> Value | None:
    """`t`, and zero outside of the support, whatever `t` is there."""
    return t if t is None or support is None else select(as_array(support, t.aval), t, 0)


def masks_of(values: Iterable[Value]) -> dict[Value, Value]:
    """New values for the supports of a region's arguments, which are arrays of booleans."""
    return {x: Value(x.aval.with_dtype(BOOL.dtype)) for x in values}


def settled(
    build: Callable[[Sequence[int]], tuple[Built, dict[int, Support]]],
    tracked: list[int],
    of_use: Sequence[int] | None = None,
) -> tuple[Built, dict[int, Support]]:
    """What is built for the supports that are `tracked`, and these in the end.

    `build(tracked)` also gives those that are known afterwards. First these are added, and then
    those dropped that are not: what seems to be everywhere may follow from a support that is known
    by then. All are dropped if none `of_use` is left.
    """
    built, known = build(tracked)
    while more := set(known).difference(tracked):
        tracked = sorted(more.union(tracked))
        built, known = build(tracked)
    while (kept := [i for i in tracked if i in known]) != tracked:
        tracked = kept
        built, known = build(tracked)
    if tracked and of_use is not None and not set(tracked).intersection(of_use):
        return build([])[0], {}
    return built, {i: known[i] for i in tracked}


# ----- Where they are tracked


@dataclass(frozen=True)
class Tracked:
    """The values whose supports are tracked, and the operands in which an op spoils derivatives.

    From the values `poles` a derivative goes on to an op with a pole, of the whole array: not to
    one that computes an element, as most loops do. `of_poles`: some ops that spoil have a pole.
    `constants` are values known to be finite and not zero, which spoil nothing as factors.
    `integers` tells which indices are equal, `positions` which booleans depend on run-time
    positions only. `steep` values may be infinite or NaN at finite numbers: quotients, roots,
    logarithms, and what is computed of these.
    """

    values: frozenset[Value] = frozenset()
    poles: frozenset[Value] = frozenset()
    of_poles: bool = False
    spoiled: frozenset[tuple[Op, int]] = frozenset()
    constants: frozenset[Value] = frozenset()
    integers: Integers = field(default_factory=dict)
    positions: frozenset[Value] = frozenset()
    steep: frozenset[Value] = frozenset()

    def has_pole(self, op: Op) -> bool:
        """Whether the partial derivatives of an op may be infinite or NaN at finite numbers."""
        return _has_pole(op, self.steep)

    def also_of(self, copies: Iterable[tuple[Value, Value]]) -> Tracked:
        """The same, where (x, y) says that y stands for x inside a region."""
        return replace(self, steep=self.steep.union(y for x, y in copies if x in self.steep))


UNTRACKED = Tracked()


@dataclass(frozen=True)
class Supports:
    """What a reverse sweep is told of supports: of the cotangents and of the sums it starts from.

    `wanted`: the values of whose cotangents the supports are needed afterwards. `by_position`: the
    supports that come of run-time positions only; the sweep adds to them. `within`
    has supports that are parts of others. `in_loop`: the sweep is that of an iteration.
    """

    of_cts: Sequence[Support] = ()
    of_sums: Mapping[Value, Support] = field(default_factory=dict)
    wanted: Sequence[Value] = ()
    outside: Tracked = UNTRACKED
    by_position: set[Support] = field(default_factory=set)
    within: dict[Support, Value] = field(default_factory=dict)
    in_loop: bool = False


def track_cotangents(ops: Sequence[Op], active: set[Value], supports: Supports) -> Tracked:
    """Tracks the active values whose cotangent goes on to an op that spoils it."""
    return _track(ops, active, supports, backward=False)


def track_tangents(ops: Sequence[Op], active: set[Value]) -> Tracked:
    """The same for tangents, which flow the other way."""
    return _track(ops, active, Supports(), backward=True)


def _track(ops: Sequence[Op], active: set[Value], supports: Supports, backward: bool) -> Tracked:
    outside = supports.outside
    edges = set(derivative_edges(ops))
    not_stored = edges.difference(_stores(ops))
    constants = _constants(ops, outside.constants)
    steep = _steep(ops, not_stored, constants, outside.steep)
    spoiled = _spoiled(ops, active, constants, steep)
    if backward:  # no rule takes the supports of tangents
        spoiled = frozenset((op, i) for op, i in spoiled if op.primitive is not custom_p)
    of_poles = [(op, i) for op, i in spoiled if _has_pole(op, steep)]

    def reached(by: Iterable[tuple[Op, int]], along: Iterable[Edge]) -> frozenset[Value]:
        flow = _flow((y, x) if backward else (x, y) for x, y in along)
        starts = [x for op, i in by for x in ([op.operands[i]] if backward else op.results)]
        wanted = (x for x in (*starts, *supports.wanted) if x in active)
        return frozenset(reachable(wanted, flow) & active)

    return Tracked(
        values=reached(spoiled, edges),
        # The support of one element's tangent, which is stored, is one boolean.
        poles=reached(of_poles, edges if backward else not_stored),
        of_poles=bool(of_poles),
        spoiled=spoiled,
        constants=constants,
        integers=_integers(ops, outside.integers),
        positions=_positions(ops, outside.positions),
        steep=steep,
    )


def _flow(edges: Iterable[Edge]) -> Mapping[Value, Sequence[Value]]:
    flow: dict[Value, list[Value]] = defaultdict(list)
    for x, y in edges:
        flow[x].append(y)
    return flow


def _stores(ops: Iterable[Op]) -> Iterator[Edge]:
    """From elements to the arrays in which they are stored."""
    for op in walk(Region((), tuple(ops), ())):
        if op.primitive in (dynamic_update_slice, dynamic_update_add):
            yield op.operands[1], op.results[0]


# ----- What may be infinite


def _steep(
    ops: Sequence[Op], edges: Iterable[Edge], constants: frozenset[Value], outside: Iterable[Value]
) -> frozenset[Value]:
    starts = [
        y
        for op in walk(Region((), tuple(ops), ()))
        if _is_steep(op, constants)
        for y in op.results
        if y.aval.differentiable
    ]
    return frozenset(reachable((*outside, *starts), _flow(edges)))


def _is_steep(op: Op, constants: frozenset[Value]) -> bool:
    if op.primitive is constant_p:
        return bool(np.isnan(op.params["value"]))  # infinities are masks of a softmax
    is_quotient = op.primitive is div and op.operands[1] not in constants
    return op.primitive in DOMAINS or is_quotient or _is_inverse(op)


def _has_pole(op: Op, steep: frozenset[Value]) -> bool:
    if not steep.isdisjoint(op.operands):
        return True
    return _is_inverse(op) or op.primitive not in WITHOUT_POLES


def _is_inverse(op: Op) -> bool:
    return op.primitive is integer_pow and bool(op.params["y"] < 0)


def _has_steep_rule(op: Op) -> bool:
    """Whether the jvp rule of a `custom` op has a pole, as far as its ops tell."""
    rule = op.params["rule"]
    return rule.mode == "jvp" and any(
        _is_steep(inner, frozenset()) for region in rule.regions for inner in walk(region)
    )


def _constants(ops: Iterable[Op], outside: Iterable[Value]) -> frozenset[Value]:
    found = set(outside)
    for op in walk(Region((), tuple(ops), ())):
        if _is_constant(op, found):
            found.update(op.results)
    return frozenset(found)


def _is_constant(op: Op, constants: Container[Value]) -> bool:
    """Whether the results are finite numbers known at compile time, none of them zero."""
    if op.primitive is constant_p:
        value = op.params["value"]
        return op.results[0].aval.differentiable and value != 0 and math.isfinite(abs(value))
    moves = op.primitive in MOVES
    return moves and op.results[0].aval.differentiable and op.operands[0] in constants


# ----- What spoils a derivative


def _spoiled(
    ops: Sequence[Op], active: set[Value], constants: frozenset[Value], steep: frozenset[Value]
) -> frozenset[tuple[Op, int]]:
    return frozenset(
        (op, i)
        for op in walk(Region((), tuple(ops), ()))
        for i, x in enumerate(op.operands)
        if x in active and _may_spoil(op, i, constants, steep)
    )


def _may_spoil(op: Op, i: int, constants: frozenset[Value], steep: frozenset[Value]) -> bool:
    """Whether the derivative of `op` in operand i may multiply by an infinity or NaN."""
    derivative = op.primitive.derivative
    if op.primitive is custom_p:
        return _has_steep_rule(op)
    if op.primitive is dot_general:
        return op.operands[1 - i] in steep
    if op.primitive in EXTREMA:  # equal to no element if it is NaN
        return op.operands[i] in steep
    if not isinstance(derivative, Partials) or op.primitive in (neg, sub):
        return False
    if op.primitive is mul or (op.primitive is div and i == 0):
        return op.operands[1 - i] not in constants
    return derivative.partials[i] is not None


# ----- What is known of integers


def _integers(ops: Sequence[Op], outside: Integers) -> Integers:
    """Equal for equal integers, and for constants the number itself."""
    found = dict(outside)
    first: dict[Hashable, Value] = {}
    for op in walk(Region((), tuple(ops), ())):
        if op.primitive.structured or [y.dtype.kind in "iu" for y in op.results] != [True]:
            continue
        (y,) = op.results
        if op.primitive is constant_p and y.aval.ndim == 0:
            found[y] = op.params["value"]
        else:
            numbers = tuple(found.get(x, x) for x in op.operands)
            found[y] = first.setdefault((op.primitive, numbers, op.params_key), y)
    return found


def _positions(ops: Sequence[Op], outside: Iterable[Value]) -> frozenset[Value]:
    """The values computed from integers of run time, such as indices of loops, and constants."""
    fixed: set[Value] = set()
    positions, other = set(outside), set(fixed)
    for op in walk(Region((), tuple(ops), ())):
        if op.primitive.structured:
            continue
        rest = [x for x in op.operands if x not in fixed]
        if not rest:
            fixed.update(op.results)
        elif all(x in positions or (_is_index(x) and x not in other) for x in rest):
            positions.update(op.results)
        else:
            other.update(op.results)
    return frozenset(positions)


def _is_index(x: Value) -> bool:
    return x.dtype.kind in "iu" and x.aval.ndim == 0
