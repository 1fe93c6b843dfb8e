"""If-conversion: a small branch becomes straight-line code and `select`.

    %y = if %p {                                 ->      %1 = neg %x
      %1 = neg %x                                        %y = select %p, %1, %x
      yield %1
    } else {
      yield %x
    }

A store in a branch becomes an unconditional store: of the new value if the branch is taken, else of
the value that the slice has already.

    %b = if %p {                                 ->      %2 = dynamic_slice %a, %i {sizes=(1,)}
      %1 = dynamic_update_slice %a, %u, %i               %3 = select %p, %u, %2
      yield %1                                           %b = dynamic_update_slice %a, %3, %i
    } else {
      yield %a
    }

On a CPU a branch in a loop costs more than a few operations on scalars, and XLA does not fuse
across it. Both arms are computed and one result is selected, so values are the same to the bit: a
NaN of the arm that is not taken is dropped. A derivative would not be the same (zero times NaN is
NaN), so the pass runs after all derivatives have been taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.builder import append, at
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env
from myia.passes.loops.invariant_code_motion import CHEAP_PRIMITIVES
from myia.primitives.arrays import shaping
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import broadcast
from myia.primitives.core.define import constant_p
from myia.primitives.core.structured import if_p
from myia.primitives.pointwise import arithmetic, logic
from myia.rewriting.def_use import definitions
from myia.rewriting.walk import Walk, rewrite, substituted

# Limits of a branch worth converting: ops in each arm, and elements of each value computed there.
# Several ops on indices or conditions (a test of an index) cost what one on floats does.
# A branch that stores into a large array may have more ops: XLA would copy the array at the branch.
MAX_OPS = 9
INTEGER_OPS_BY_OP = 8
MAX_OPS_WITH_STORES = 100
MAX_VALUE_ELEMENTS = 16

CONVERTIBLE_PRIMITIVES = (CHEAP_PRIMITIVES - {shaping.pad, shaping.concatenate}) | {
    constant_p,
    arithmetic.div,
    arithmetic.sign,
    logic.xor,
    shaping.transpose,
    shaping.slice,
    dynamic_slice,
    dynamic_update_slice,
}
FREE = {constant_p, shaping.reshape}
LOADS = {dynamic_slice, shaping.slice}


def if_conversion(function: Function) -> Function:
    """`function` with small branches replaced by straight-line code and `select`."""
    return rewrite(function, _convert)


def _convert(op: Op, walk: Walk) -> Sequence[Value] | None:
    if op.primitive is not if_p:
        return None
    arms = [_Arm(region) for region in op.regions]
    stored = _stored_if_convertible(arms)
    if stored is None:
        return None
    (pred,) = op.operands
    env: Env = {}
    for taken, arm in zip((True, False), arms):
        _emit(arm, pred, taken, env)
        # The stores of the second arm apply to the array that those of the first one leave. If the
        # first arm is not taken, its stores have written back what was there.
        env.update((arm.initial_version(y), env.get(y, y)) for y in arm.final_versions)
    return [
        env.get(y, y) if i in stored else _select(pred, env.get(x, x), env.get(y, y))
        for i, (x, y) in enumerate(zip(*(arm.region.yields for arm in arms)))
    ]


# ----- What can be converted


def is_convertible(op: Op) -> bool:
    """Is this `if` small enough to compute both arms?"""
    return _stored_if_convertible([_Arm(region) for region in op.regions]) is not None


def _stored_if_convertible(arms: Sequence[_Arm]) -> list[int] | None:
    """Indices of the results that unconditional stores compute, the others being selected.

    None if the branch is too large or cannot be converted.
    """
    stored = _stored_results(*arms)
    if stored is None:
        return None
    for arm in arms:
        arm.collect_stores(stored)
    if not all(arm.is_small() and arm.stores_form_chains() for arm in arms):
        return None
    return stored


class _Arm:
    """One arm of an `if`, and its stores that become unconditional (see `collect_stores`)."""

    def __init__(self, region: Region):
        self.region = region
        self.definitions = definitions(region)
        self.stores: set[Op] = set()
        self.final_versions: list[Value] = []  # of the arrays stored into; they are yielded

    def initial_version(self, y: Value) -> Value:
        """The version of the array `y` before the stores of this arm."""
        while (op := self.definitions.get(y)) is not None and _is_store(op):
            y = op.operands[0]
        return y

    def collect_stores(self, stored: Sequence[int]) -> None:
        """Note the stores that make the results at these indices."""
        self.final_versions = [self.region.yields[i] for i in stored]
        for y in self.final_versions:
            while y in self.definitions:
                self.stores.add(self.definitions[y])
                y = self.definitions[y].operands[0]

    def is_small(self) -> bool:
        others = [op for op in self.region.ops if op not in self.stores]
        computing = [op for op in self.region.ops if op.primitive not in FREE]
        if any(_is_large(y) for op in others for y in op.results):
            return False
        if any(map(_is_large, self.final_versions)):
            return len(computing) <= MAX_OPS_WITH_STORES and all(map(_is_small_and_pure, others))
        integer = sum(y.dtype.kind in "bi" for op in computing for y in op.results[:1])
        cost = len(computing) - integer + integer / INTEGER_OPS_BY_OP
        return cost <= MAX_OPS and all(op.primitive in CONVERTIBLE_PRIMITIVES for op in others)

    def stores_form_chains(self) -> bool:
        """Is each version of an array overwritten or yielded once only?

        Otherwise two versions are alive at the same time, and the array would have to be copied.
        """
        consumed = [op.operands[0] for op in self.stores]
        consumed += [y for y in self.region.yields if y in self.final_versions or y in consumed]
        return len(set(consumed)) == len(consumed)


def _stored_results(then: _Arm, other: _Arm) -> list[int] | None:
    """Indices of the results that both arms make by stores into one array from outside.

    None if a result is large and not of this kind: a `select` of it would copy it.
    """
    stored, arrays = [], set()
    for i, (x, y) in enumerate(zip(then.region.yields, other.region.yields)):
        array = then.initial_version(x)
        is_from_outside = array not in then.definitions and array not in other.definitions
        is_one_array = array is other.initial_version(y) and is_from_outside
        if is_one_array and (x is not y or _is_large(x)) and array not in arrays:
            stored.append(i)
            arrays.add(array)
        elif _is_large(x):
            return None
    return stored


def _is_large(x: Value) -> bool:
    return x.aval.size > MAX_VALUE_ELEMENTS


def _is_small_and_pure(op: Op) -> bool:
    """Is this an operation on a few numbers, which may be computed although it is not needed?"""
    if op.regions or op.primitive.effect:
        return False
    return op.primitive in LOADS or not any(map(_is_large, op.operands))


def _is_store(op: Op) -> bool:
    """Is this a store of a small slice of an array?"""
    if op.primitive is not dynamic_update_slice:
        return False
    x, u, *_ = op.operands
    return u.aval.size < x.aval.size and not _is_large(u)


# ----- What it becomes


def _emit(arm: _Arm, pred: Value, taken: bool, env: Env) -> None:
    """Emit the ops of an arm; its stores write back what is there unless `pred` is `taken`."""
    for op in arm.region.ops:
        new = substituted(op, env, lambda region: region)
        if op not in arm.stores:
            append(new)
            continue
        with at(op.span):
            x, u, *indices = new.operands
            old = dynamic_slice(x, *indices, sizes=u.shape)
            u = _select(pred, u, old) if taken else _select(pred, old, u)
            env[op.results[0]] = dynamic_update_slice(x, u, *indices)


def _select(pred: Value, x: Value, y: Value) -> Value:
    if x is y:
        return x
    if x.shape:
        pred = broadcast(pred, shape=x.shape, dims=())
    return logic.select(pred, x, y)
