"""Of names that stand for one array or another, loops carry which, and not the array.

    %z = for %k < %n (%z = %x) {              %p = for %k < %n (%p = 0) {
      %w = if %c { yield %y }                   %q = if %c { yield 1 } else { yield %p }
           else { yield %z }            ->      %1 = dynamic_slice %x, %k
      %1 = dynamic_slice %w, %k                 %2 = dynamic_slice %y, %k
      yield %w                                  %3 = select %q == 1, %2, %1
    }                                           yield %q
                                              }
                                              %z = if %p == 1 { yield %y } else { yield %x }

Arrays that are written lie in the rows of one, so that the pointers say where:

    %a, %b = for %k < %n (%a = %x, %b = %y) {    %s = concatenate %x, %y
      %c, %d = if %p { yield %b, %a }            %s, %p, %q = for %k < %n (%s = %s,
               else { yield %a, %b }      ->                               %p = 0, %q = 1) {
      %e = write %u into %c at %k                  %1, %2 = if %p { yield %q, %p }
      yield %e, %d                                          else { yield %p, %q }
    }                                              %3 = write %u into %s at %1, %k
                                                   yield %3, %1, %2
                                                 }

A choice of whole arrays takes time in proportion to their size, in every trip, and so do those of
their cotangents and of what is recorded. Pointers are numbers. Before derivatives are taken, which
are then those of the elements. Which names are meant says `families.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at, emit, emit1
from myia.ir.core import Function, Op, Region, Value, reads, walk
from myia.ir.rewrite import Env
from myia.passes.analysis.accesses import STORES
from myia.passes.memory.array_selection import LOADS, ArraySelection, array_selection_of
from myia.primitives.arrays.dynamic_slices import dynamic_slice, static_indices
from myia.primitives.arrays.shaping import broadcast, concatenate, reshape
from myia.primitives.arrays.shaping import slice as slice_
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.primitives.pointwise.logic import eq, select
from myia.rewriting.walk import look_up, rebuilt, substituted, substituted_region, with_region

Values = tuple[Value, ...]


def select_by_index(function: Function) -> Function:
    """`function` with loops that carry which array a name stands for, where they choose it."""
    return with_region(function, _region(function.region, {}))


def _region(region: Region, env: Env) -> Region:
    """Outer loops first: within them, arrays need not be put side by side for the inner ones."""
    with Builder() as b:
        for op in region.ops:
            family = array_selection_of(op) if op.primitive is loop_p else None
            if family is None:
                append(substituted(op, env, partial(_region, env=env)))
            else:
                with at(op.span):
                    _Pointers(family, env).emit_outermost(op)
    return rebuilt(region, b.ops, look_up(region.yields, env))


class _Pointers:
    """The rewriting of one loop; `env`: what has taken the place of values."""

    def __init__(self, family: ArraySelection, env: Env):
        self.family, self.env = family, env
        self.arrays = look_up(family.arrays, env)
        self.pointers: dict[Value, Value] = {}  # of members
        self.rows: Value | None = None  # the arrays that are written, as they are now

    def emit_outermost(self, op: Op) -> None:
        """Emit the loop of the family, and what its results are, of the last pointers."""
        carries = self.carried(op)
        if self.family.is_written:
            self.rows = concatenate(*map(_as_row, self.arrays), axis=0)
            first = static_indices(range(len(carries)))
        else:
            first = [self.pointer(x) for x in carries]
        for y, pointer in self.loop(op, first).items():
            self.env[y] = self.array(pointer)

    # ----- Arrays

    def pointer(self, x: Value) -> Value:
        if x in self.pointers:
            return self.pointers[x]
        return constant(self.family.arrays.index(x), I64.dtype)

    def array(self, pointer: Value) -> Value:
        """Emit the whole of an array."""
        shape = self.arrays[0].shape
        if self.rows is not None:
            return self.part(pointer, static_indices([0] * len(shape)), shape)
        found = self.arrays[0]
        for i, x in enumerate(self.arrays[1:], 1):
            arms = [Region((), (), (y,)) for y in (x, found)]
            (found,) = emit(if_p, eq(pointer, i), regions=arms)
        return found

    def part(self, pointer: Value, place: Sequence[Value], sizes: tuple[int, ...]) -> Value:
        """Emit the read of a part of an array that is a row."""
        part = dynamic_slice(self.rows, pointer, *place, sizes=(1, *sizes))
        return reshape(part, shape=sizes)

    def read(self, op: Op) -> Value:
        """Emit what `op` reads of a member."""
        pointer, place = self.pointers[op.operands[0]], look_up(op.operands[1:], self.env)
        if self.rows is None:
            parts = [emit1(op.primitive, x, *place, **op.params) for x in self.arrays]
            found = parts[0]
            for i, part in enumerate(parts[1:], 1):
                mask = broadcast(eq(pointer, i), shape=part.shape, dims=())
                found = select(mask, part, found)
            return found
        if op.primitive is dynamic_slice:
            return self.part(pointer, place, op.params["sizes"])
        start, limit = op.params["start"], op.params["limit"]
        sizes = tuple(end - first for first, end in zip(start, limit))
        part = self.part(pointer, static_indices(start), sizes)
        return slice_(part, start=(0,) * len(sizes), limit=sizes, stride=op.params["stride"])

    def store(self, op: Op) -> None:
        (after,) = op.results
        array, update, *place = op.operands
        self.pointers[after] = self.pointers[array]
        update, *place = look_up((update, *place), self.env)
        operands = (self.rows, _as_row(update), self.pointers[array], *place)
        (self.rows,) = emit(op.primitive, *operands, **op.params)

    # ----- Ops

    def op(self, op: Op) -> None:
        if self.family.members.isdisjoint((*reads(op), *op.results)):
            append(substituted(op, self.env, partial(substituted_region, env=self.env)))
        elif op.primitive in LOADS:
            self.env[op.results[0]] = self.read(op)
        elif op.primitive in STORES:
            self.store(op)
        elif op.primitive is if_p:
            self.branches(op)
        else:
            self.pointers.update(self.loop(op, map(self.pointer, self.carried(op))))

    def branches(self, op: Op) -> None:
        state, rows, arms = self.state(op), self.rows, []
        for arm in op.regions:
            self.rows = rows
            arms.append(self.region(arm, (), op.results, state))
        operands = look_up(op.operands, self.env)
        self.pointers.update(self.emit(op, operands, arms, op.results, state))

    def loop(self, op: Op, first: Iterable[Value]) -> dict[Value, Value]:
        """Emit a loop that begins with these pointers; those of its results."""
        loop, state, rows = Loop.of(op), self.state(op), self.rows
        args, regions = loop.body.args[1:], []
        for region in op.regions:
            kept, moved = self.parted(region.args[1:], args)
            pointers, own = tuple(Value(I64) for _ in moved), _like(state)
            self.pointers.update(zip(moved, pointers))
            (self.rows,) = own or (rows,)
            inner = (region.args[0], *kept, *pointers, *own)
            is_body = region is loop.body
            regions.append(
                self.region(region, inner, args if is_body else region.yields, state * is_body)
            )
        self.rows = rows
        carries = look_up(self.parted(loop.carries, args)[0], self.env)
        count = look_up(op.operands[: op.params["counted"]], self.env)
        return self.emit(op, (*count, *carries, *first, *state), regions, args, state)

    def region(
        self, region: Region, args: Sequence[Value], ends: Sequence[Value], state: Values
    ) -> Region:
        """`ends`: what its yields become; `state`: not empty, if it yields the rows too."""
        with Builder() as b:
            for op in region.ops:
                with at(op.span):
                    self.op(op)
            kept, moved = self.parted(region.yields, ends)
            pointers = tuple(map(self.pointer, moved))
        yields = (*look_up(kept, self.env), *pointers, *((self.rows,) if state else ()))
        return Region(tuple(args), tuple(b.ops), yields)

    def emit(
        self,
        op: Op,
        operands: Sequence[Value],
        regions: Sequence[Region],
        names: Sequence[Value],
        state: Values,
    ) -> dict[Value, Value]:
        """Emit `op` with other operands and regions; the pointers that are its results now."""
        kept, moved = self.parted(op.results, names)
        pointers, rows = tuple(Value(I64) for _ in moved), _like(state)
        results = (*kept, *pointers, *rows)
        append(Op(op.primitive, tuple(operands), op.params, tuple(regions), results, op.span))
        (self.rows,) = rows or (self.rows,)
        return dict(zip(moved, pointers))

    def carried(self, op: Op) -> tuple[Value, ...]:
        """The carries of a loop that are pointers now."""
        return self.parted(Loop.of(op).carries, Loop.of(op).body.args[1:])[1]

    def parted(self, values: Sequence[Value], names: Sequence[Value]) -> tuple[Values, Values]:
        """Those of the values that are as they were, and those of which `names` are members."""
        pairs, members = list(zip(values, names, strict=True)), self.family.members
        kept = tuple(x for x, name in pairs if name not in members)
        return kept, tuple(x for x, name in pairs if name in members)

    def state(self, op: Op) -> Values:
        """The rows, if `op` changes them."""
        inside = (inner for region in op.regions for inner in walk(region))
        stores = any(o.primitive in STORES and o.results[0] in self.family.members for o in inside)
        return (self.rows,) if stores else ()


def _as_row(x: Value) -> Value:
    return reshape(x, shape=(1, *x.shape))


def _like(values: Values) -> Values:
    return tuple(Value(x.aval) for x in values)
