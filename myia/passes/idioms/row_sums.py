"""Sums over the rows of an array that is computed: a loop over the rows, without the array.

    %1 = broadcast %p {dims=(0,)}                  %y = for %k < 2000 (%s = %zeros) {
    %2 = broadcast %c {dims=(1,)}                    %1 = dynamic_slice %p, %k
    %d = sub %1, %2                         ->       %d = sub (broadcast %1), %c
    %t = mul %d, %d                                  %s = add %s, (mul %d, %d)
    %y = reduce_sum %t {axes=(0,)}                   yield %s
                                                   }

So are the gradients of what is computed for all pairs. XLA would store the array, in memory that no
call has used yet, and then add up one column after the other: each element in a cache line of its
own. Where the rows are long in another axis than the last, such as that of the points and not of
their coordinates, that axis becomes the last one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at, emit1
from myia.ir.core import Function, Op, Region, Value
from myia.ir.rewrite import Env
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.arrays.shaping import broadcast, iota, reduce_sum, reshape, transpose
from myia.primitives.core.define import PointwisePrimitive, constant, constant_p, zeros
from myia.primitives.core.emit_structured import loop
from myia.primitives.pointwise import arithmetic, logic, transcendental
from myia.primitives.pointwise.arithmetic import add
from myia.primitives.pointwise.logic import convert, convert_p, select
from myia.rewriting.def_use import definitions, uses
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region

MIN_ELEMENTS = 65_536
MIN_ROWS = 16
MIN_LENGTH = 32  # of a row, along its longest axis
MIN_GROWTH = 4  # arrays so much smaller than that of the terms are stored
MAX_FLOAT32_ROWS = 4_096  # along the last axis: 1e-6 of the sum
MAX_OPS = 64

ARITHMETIC = {
    getattr(arithmetic, name)
    for name in ("add", "sub", "mul", "div", "neg", "abs", "max", "min", "sign", "square")
}
LOGIC = {
    *(getattr(logic, name) for name in ("eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "not_")),
    select,
    convert_p,
}
ROUNDED_ALIKE = {
    getattr(arithmetic, name) for name in ("add", "sub", "neg", "abs", "max", "min", "sign")
}
# One thread computes the loop: what takes longer per element is left to several.
FUNCTIONS = {getattr(transcendental, name) for name in ("exp", "log", "sqrt", "rsqrt", "tanh")}


class _Unsupported(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Part:
    """An array of which a row is wanted: its axis of the rows, if it has one, and its other axes in
    the order of the row."""

    x: Value
    axis: int | None
    order: tuple[int, ...]

    @property
    def permutation(self) -> tuple[int, ...]:
        return self.order if self.axis is None else (self.axis, *self.order)

    @property
    def is_in_order(self) -> bool:
        return self.permutation == tuple(range(self.x.aval.ndim))

    @property
    def row_shape(self) -> tuple[int, ...]:
        return tuple(self.x.shape[i] for i in self.order)


def row_sums(function: Function) -> Function:
    """`function` with sums over the rows of computed arrays as loops over the rows."""
    return with_region(function, _region(function.region))


def _region(region: Region) -> Region:
    ops = [substituted(op, {}, _region) for op in region.ops]
    region = rebuilt(region, ops, region.yields)
    plans = {op: plan for op in region.ops if (plan := _plan(op, region)) is not None}
    if not plans:
        return region
    env: Env = {}
    with Builder() as b:
        for op in region.ops:
            if op in plans:
                with at(op.span):
                    env[op.results[0]] = plans[op].emit(env)
            else:
                append(substituted(op, env))
    return Region(region.args, tuple(b.ops), look_up(region.yields, env))


def _plan(op: Op, region: Region) -> _Plan | None:
    if op.primitive is not reduce_sum or len(op.params["axes"]) != 1:
        return None
    (x,), (axis,), (y,) = op.operands, op.params["axes"], op.results
    small = x.aval.size < MIN_ELEMENTS or x.shape[axis] < MIN_ROWS
    if small or not _adds_row_by_row(x, axis) or max(y.shape, default=0) < MIN_LENGTH:
        return None
    if _is_stored(x, region):
        return None
    order = [i for i in range(x.aval.ndim) if i != axis]
    if y.shape[-1] < MIN_LENGTH:
        longest = max(order, key=lambda i: x.shape[i])
        order = [*(i for i in order if i != longest), longest]
    plan = _Plan(definitions(region), x.aval.size, _Part(x, axis, tuple(order)))
    try:
        plan.visit(plan.terms)
    except _Unsupported:
        return None
    return None if plan.is_left_to_library() else plan


def _adds_row_by_row(x: Value, axis: int) -> bool:
    """May the sum be the last of a row of partial sums, each rounded?

    XLA adds short floats in float32: 1.0 + 1.0 + ... in float16 ends at 2,048. Along the last axis
    NumPy adds in pairs, of which float32 shows the difference.
    """
    if x.dtype.kind != "f" or x.dtype.itemsize < 4:
        return False
    return x.dtype.itemsize > 4 or axis < x.aval.ndim - 1 or x.shape[axis] <= MAX_FLOAT32_ROWS


def _is_stored(x: Value, region: Region) -> bool:
    """Is the array of the terms needed as it is?"""
    others = (broadcast, reduce_sum)
    readers = uses(region).get(x, ())
    computing = all(
        isinstance(op.primitive, PointwisePrimitive) or op.primitive in others for op in readers
    )
    return x in region.yields or not computing


@dataclass
class _Plan:
    """How the rows of `terms` are computed."""

    made_by: Mapping[Value, Op]
    size: int
    terms: _Part
    stored: list[_Part] = field(default_factory=list)  # arrays of which rows are taken
    computed: dict[_Part, Op] = field(default_factory=dict)

    def visit(self, part: _Part) -> None:
        """Find out how a row is computed; raises `_Unsupported`."""
        if part in self.computed or part in self.stored:
            return
        op = None if part.axis is None else self.made_by.get(part.x)
        if op is None or not self._is_computed(op):
            if not part.is_in_order and part.x.aval.size * MIN_GROWTH > self.size:
                raise _Unsupported
            self.stored.append(part)
            return
        if part.x.dtype.kind == "b" and not self._is_rounded_alike(part.x):
            self.stored.append(part)
            return
        self.computed[part] = op
        if len(self.computed) > MAX_OPS:
            raise _Unsupported
        for operand in self._operands(part, op):
            self.visit(operand)

    def _is_computed(self, op: Op) -> bool:
        if op.primitive is constant_p or op.primitive is iota:
            return True
        if op.results[0].aval.size * MIN_GROWTH <= self.size:
            return False
        if op.primitive is broadcast:
            (y,), dims, shape = op.operands, op.params["dims"], op.params["shape"]
            return all(n == shape[d] for d, n in zip(dims, y.shape))
        return op.primitive in ARITHMETIC | LOGIC | FUNCTIONS

    def _is_rounded_alike(self, x: Value) -> bool:
        """Is `x` the same, to the last bit, wherever XLA computes it?

        XLA multiplies a row by the reciprocal of a scalar that it is divided by, and LLVM rounds
        products with sums once. So a comparison may differ, and what is masked here may not be
        masked elsewhere: on the diagonal of a correlation matrix, clipped at 1.
        """
        op = self.made_by.get(x)
        if op is None or not self._is_computed(op):
            return True
        if op.primitive not in ROUNDED_ALIKE | LOGIC | {broadcast, constant_p, iota}:
            return False
        return all(map(self._is_rounded_alike, op.operands))

    def _operands(self, part: _Part, op: Op) -> list[_Part]:
        if op.primitive is not broadcast:
            return [_Part(x, part.axis, part.order) for x in op.operands]
        (y,), dims = op.operands, op.params["dims"]
        axis = dims.index(part.axis) if part.axis in dims else None
        order = tuple(dims.index(i) for i in part.order if i in dims)
        return [_Part(y, axis, order)]

    def is_left_to_library(self) -> bool:
        """Is nothing computed, or all by several threads, in XLA's library for reductions?

        That takes no masks and signs. It is slow in float32, and for arrays of three axes.
        """
        primitives = {op.primitive for op in self.computed.values()}
        if primitives.isdisjoint(ARITHMETIC | LOGIC | FUNCTIONS):
            return True
        fast = self.terms.x.aval.ndim == 2 and self.terms.x.dtype.itemsize == 8
        masked = not primitives.isdisjoint(LOGIC | {arithmetic.sign})
        return fast and not masked and not primitives.isdisjoint(FUNCTIONS)

    # ----- Emission

    def emit(self, env: Env) -> Value:
        arrays = {}
        for part in self.stored:
            x = env.get(part.x, part.x)
            arrays[part] = x if part.is_in_order else transpose(x, permutation=part.permutation)
        terms = self.terms
        assert terms.axis is not None
        total = zeros(terms.x.aval.with_shape(terms.row_shape))
        count = constant(terms.x.shape[terms.axis], I64.dtype)

        def body(k: Value, total: Value) -> list[Value]:
            return [add(total, _Row(self, arrays, k).of(terms))]

        (total,) = loop([total], body, count=count)
        kept = sorted(terms.order)
        return transpose(total, permutation=tuple(terms.order.index(i) for i in kept))


@dataclass
class _Row:
    """Row `k` of arrays; `arrays` holds those that are stored, with the axis of the rows first."""

    plan: _Plan
    arrays: Mapping[_Part, Value]
    k: Value
    found: dict[_Part, Value] = field(default_factory=dict)

    def of(self, part: _Part) -> Value:
        if part not in self.found:
            stored = part in self.arrays
            self.found[part] = self._stored(part) if stored else self._computed(part)
        return self.found[part]

    def _stored(self, part: _Part) -> Value:
        x, shape = self.arrays[part], part.row_shape
        if part.axis is None:
            return x
        first = [constant(0, I64.dtype) for _ in shape]
        return reshape(dynamic_slice(x, self.k, *first, sizes=(1, *shape)), shape=shape)

    def _computed(self, part: _Part) -> Value:
        op, x, shape = self.plan.computed[part], part.x, part.row_shape
        if op.primitive is constant_p:
            return constant(op.params["value"], x.dtype, shape)
        if op.primitive is iota:
            along = op.params["axis"]
            if along == part.axis:
                return broadcast(convert(self.k, dtype=x.dtype), shape=shape, dims=())
            return iota(shape=shape, axis=part.order.index(along), dtype=x.dtype)
        operands = self.plan._operands(part, op)
        rows = [self.of(operand) for operand in operands]
        if op.primitive is broadcast:
            dims = op.params["dims"]
            at_row = tuple(part.order.index(dims[i]) for i in operands[0].order)
            return broadcast(rows[0], shape=shape, dims=at_row)
        return emit1(op.primitive, *rows, **op.params)
