"""Masks of extrema in index form: cotangents of `min` and `max` as an index and a value.

    %m = reduce_min %d {axes=(1,)}                    %m, %i = lone_extremum %d
    %h = eq %d, (broadcast %m)                        %1 = reduce_and (ge %i, 0)
    %c = reduce_sum (convert %h)              ->      %g = if %1
    %k = select %h, (broadcast %ct / %c), 0             yield scatter_add zeros, %i, %ct * %x
    %g = dot_general %k, %x                           else the ops as they are

The derivative of an extremum is shared among equal elements, so in general it is a mask. All that
is computed from the mask until it is summed up again becomes work on one element of each row, if
these are the only ones; the program tests that. It tests also that what the zeros of the mask are
multiplied by is finite: `0 * inf` is NaN. Otherwise it runs the ops as they are. The array of the
extrema is computed in blocks of rows, if nothing else reads it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from myia.ir.builder import Builder, append, at, emit
from myia.ir.core import Function, Op, Region, Value, has_effect, reads
from myia.ir.dependence import needed, with_dependents
from myia.ir.rewrite import Env, clone_op
from myia.passes.idioms.index_form.finite import Bounds
from myia.passes.idioms.index_form.row_blocks import extrema_in_blocks, is_recomputed
from myia.passes.idioms.index_form.selected import Elements, Selection
from myia.passes.idioms.index_form.taken import Taken, Unsupported, Where
from myia.primitives.arrays.reductions import lone_extremum_p, reduce_and, reduce_max, reduce_min
from myia.primitives.arrays.shaping import broadcast, reshape
from myia.primitives.core.define import PointwisePrimitive, constant
from myia.primitives.core.emit_structured import if_
from myia.primitives.pointwise.logic import and_, eq, ge, le
from myia.rewriting.def_use import definitions, uses
from myia.rewriting.walk import rebuilt, substituted, with_region

# Below, the mask takes no longer: a scatter costs what 20 to 50 elements of a mask cost.
MIN_ELEMENTS = 32_768
MIN_LENGTH = 48


@dataclass(frozen=True)
class _Mask:
    """`hits`, an op, is true where `x` equals `y`, its extremum along an axis."""

    extremum: Op
    hits: Op
    axis: int

    @property
    def x(self) -> Value:
        return self.extremum.operands[0]

    @property
    def y(self) -> Value:
        return self.extremum.results[0]

    @property
    def where(self) -> Where:
        return Where(self.axis, tuple(i for i in range(self.x.aval.ndim) if i != self.axis))


def sparse_cotangents(function: Function) -> Function:
    """`function` with the masks of extrema in index form."""
    return with_region(function, _region(function.region))


def _region(region: Region) -> Region:
    ops = [substituted(op, {}, _region) for op in region.ops]
    region = rebuilt(region, ops, region.yields)
    for hits in region.ops:
        mask = _mask(hits, region)
        if mask is not None:
            try:
                return _region(_in_index_form(region, _Parts(region, mask)))
            except Unsupported:
                continue
    return region


def _mask(hits: Op, region: Region) -> _Mask | None:
    if hits.primitive is not eq:
        return None
    made_by = definitions(region)
    for x, wide in (hits.operands, hits.operands[::-1]):
        spread = made_by.get(wide)
        if spread is None or spread.primitive is not broadcast:
            continue
        extremum = made_by.get(spread.operands[0])
        if extremum is None or extremum.primitive not in (reduce_min, reduce_max):
            continue
        axes = extremum.params["axes"]
        mask = _Mask(extremum, hits, axes[0])
        if extremum.operands != (x,) or len(axes) != 1 or x.dtype.kind != "f":
            continue
        large = x.aval.size >= MIN_ELEMENTS and x.shape[mask.axis] >= MIN_LENGTH
        if large and x.aval.ndim > 1 and spread.params["dims"] == mask.where.along:
            return mask
    return None


class _Parts:
    """What becomes of the ops of a region."""

    def __init__(self, region: Region, mask: _Mask):
        (hits,) = mask.hits.results
        self.region, self.mask = region, mask
        self.made_by = definitions(region)
        self.dependents = with_dependents([hits], region.ops) - {hits}
        self.selection = Selection(self.made_by, {hits: mask.where}, {hits: True})
        self.arm = self._ops_of_arm()
        self.exits = self._exits()
        self.sunk = self._sunk()
        self.in_blocks = self._is_in_blocks()
        if not self.in_blocks:
            of_array = needed(self.sunk, [self.mask.x])
            self.sunk = [op for op in self.sunk if op not in of_array]

    def _ops_of_arm(self) -> list[Op]:
        """The ops on selected values, and what these need of the other ops that depend on them."""
        selection, others, wanted = self.selection, list[Op](), list[Value]()
        chosen = [self.mask.hits]
        for op in self.region.ops:
            if not self.dependents.issuperset(op.results) or not op.results:
                if not selection.where.keys().isdisjoint(reads(op)) and op is not self.mask.hits:
                    raise Unsupported
            elif selection.where.keys().isdisjoint(reads(op)):
                others.append(op)
                self._fill(op)
            else:
                selection.visit(op)
                chosen.append(op)
                wanted += op.operands
        if not selection.where.keys().isdisjoint(self.region.yields):
            raise Unsupported
        more = needed(others, wanted)
        if any(op.primitive.structured or op.primitive.effect for op in more):
            raise Unsupported
        both = {*chosen, *more}
        return [op for op in self.region.ops if op in both]

    def _fill(self, op: Op) -> None:
        """Note the number that fills the result of `op`, if one does."""
        numbers = [self.selection.number(x) for x in op.operands]
        primitive = op.primitive
        if primitive is broadcast or primitive is reshape:
            (number,) = numbers
        elif isinstance(primitive, PointwisePrimitive) and None not in numbers:
            assert primitive.evaluate is not None
            arrays = [np.asarray(n, x.dtype) for n, x in zip(numbers, op.operands)]
            with np.errstate(all="ignore"):
                number = np.asarray(primitive.evaluate(*arrays, **op.params)).item()
        else:
            return
        if number is not None:
            self.selection.numbers[op.results[0]] = number

    def _exits(self) -> list[Value]:
        inside = set(self.arm)
        made = [y for op in self.arm for y in op.results if y not in self.selection.where]
        read_by, yielded = uses(self.region), set(self.region.yields)
        exits = [
            y for y in made if y in yielded or any(op not in inside for op in read_by.get(y, ()))
        ]
        if not exits:
            raise Unsupported
        return exits

    def _sunk(self) -> list[Op]:
        """The ops on large arrays that nothing else reads: done only if all runs as it is."""
        inside = {self.mask.extremum, *self.arm}
        readers, read_by = set(inside), uses(self.region)
        for op in reversed(self.region.ops):
            if len(op.results) == 1 and is_recomputed(op):
                (y,) = op.results
                large = y.aval.size >= self.mask.x.aval.size and y not in self.region.yields
                if large and readers.issuperset(read_by.get(y, ())):
                    readers.add(op)
        return [op for op in self.region.ops if op in readers - inside]

    def _is_in_blocks(self) -> bool:
        """Whether the array can be computed in blocks: of sunk and of smaller arrays only."""
        chain = needed(self.sunk, [self.mask.x])
        made = {y for op in chain for y in op.results}
        read = {self.mask.x, *(x for op in chain for x in op.operands)}
        return all(x in made for x in read if x.aval.size >= self.mask.x.aval.size)


# ----- The region


def _in_index_form(region: Region, parts: _Parts) -> Region:
    mask, env = parts.mask, Env()
    arm, deferred, unknown = set(parts.arm), list[Op](), set(parts.exits)
    last = parts.arm[-1]
    with Builder() as b:
        for op in region.ops:
            with at(op.span):
                if op is mask.extremum:
                    env[mask.y], index = _extrema(parts)
                elif op is last:
                    env.update(zip(parts.exits, _emit_if(parts, env[mask.y], index)))
                    for later in deferred:
                        append(substituted(later, env))
                    unknown = set()
                elif op in arm or op in parts.sunk:
                    continue
                elif not unknown.isdisjoint(reads(op)):
                    if has_effect(op):
                        raise Unsupported
                    deferred.append(op)
                    unknown.update(op.results)
                else:
                    append(substituted(op, env))
    new = Region(region.args, tuple(b.ops), tuple(env.get(y, y) for y in region.yields))
    if not {y for op in parts.sunk for y in op.results}.isdisjoint(new.captured):
        parts.sunk, parts.in_blocks = [], False  # elements of such an array are read
        return _in_index_form(region, parts)
    return new


def _extrema(parts: _Parts) -> tuple[Value, Value]:
    mask = parts.mask
    largest = mask.extremum.primitive is reduce_max
    if parts.in_blocks:
        return extrema_in_blocks(mask.x, mask.axis, largest, parts.sunk)
    y, index = emit(lone_extremum_p, mask.x, axis=mask.axis, largest=largest)
    return y, index


def _emit_if(parts: _Parts, y: Value, index: Value) -> Sequence[Value]:
    condition = reduce_and(ge(index, 0), axes=tuple(range(index.aval.ndim)))
    for limit in _limits(parts, y):
        condition = and_(condition, limit)
    then = functools.partial(_on_elements, parts, y, index)
    return if_(condition, then, functools.partial(_as_it_is, parts))


def _limits(parts: _Parts, y: Value) -> list[Value]:
    """True where what is multiplied by the mask is finite."""
    mask, numbers = parts.mask, parts.selection.filled()
    least = {mask.x: y} if mask.extremum.primitive is reduce_min else {}
    bounds = Bounds(parts.made_by, numbers, parts.dependents, mask.x.aval.size, least)
    found = [bounds.of(x) for x in dict.fromkeys(parts.selection.finite)]
    return [le(bound, np.finfo(bound.dtype).max.item()) for bound in dict.fromkeys(found)]


def _on_elements(parts: _Parts, y: Value, index: Value) -> list[Value]:
    mask, selection, env = parts.mask, parts.selection, Env({parts.mask.y: y})
    numbers = selection.filled()
    taken = Taken(index, parts.made_by, env, numbers)
    (hits,) = mask.hits.results
    shape = mask.where.shape(mask.x.shape)
    elements = Elements(index, taken, {hits: constant(True, hits.dtype, shape)})
    taken.found[mask.x, mask.where] = reshape(y, shape=shape)
    for op in parts.arm[1:]:
        with at(op.span):
            result = op.results[0]
            if result in numbers:
                env[result] = constant(numbers[result], result.dtype, result.shape)
            elif result not in selection.emits:
                append(clone_op(op, env))
            else:
                made = elements.of if result in selection.where else env
                made[result] = selection.emits[result](elements)
    return [env[x] for x in parts.exits]


def _as_it_is(parts: _Parts) -> list[Value]:
    mask, env = parts.mask, Env()
    wide = next(v for v in mask.hits.operands if v is not mask.x)
    chosen = {*parts.sunk, *parts.arm, mask.extremum, parts.made_by[wide]}
    for op in parts.region.ops:
        if op is mask.extremum:
            # Not as `reduce_min`: the mask is not to be found again.
            largest = op.primitive is reduce_max
            x = env.get(mask.x, mask.x)
            env[mask.y], _ = emit(lone_extremum_p, x, axis=mask.axis, largest=largest)
        elif op in chosen:
            append(clone_op(op, env))
    return [env[x] for x in parts.exits]
