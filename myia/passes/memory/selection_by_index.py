"""Selection by index: a loop that selects among arrays carries the index of the array instead.

    %z = for %k < %n (%z = %x) {              %p = for %k < %n (%p = 0) {
      %w = if %c { yield %y }                   %q = if %c { yield 1 } else { yield %p }
           else { yield %z }            ->      %1 = dynamic_slice %x, %k
      %1 = dynamic_slice %w, %k                 %2 = dynamic_slice %y, %k
      yield %w                                  %3 = select %q == 1, %2, %1
    }                                           yield %q
                                              }
                                              %z = if %p == 1 { yield %y } else { yield %x }

Arrays that are stored into become the rows of one array, and the indices select rows:

    %a, %b = for %k < %n (%a = %x, %b = %y) {    %s = concatenate %x, %y
      %c, %d = if %p { yield %b, %a }            %s, %p, %q = for %k < %n (%s = %s,
               else { yield %a, %b }      ->                               %p = 0, %q = 1) {
      %e = write %u into %c at %k                  %1, %2 = if %p { yield %q, %p }
      yield %e, %d                                          else { yield %p, %q }
    }                                              %3 = write %u into %s at %1, %k
                                                   yield %3, %1, %2
                                                 }

Selecting a whole array takes time proportional to its size, in every iteration; so do the select of
its cotangent and the recording of its residual. An index is a scalar. The pass runs before
derivatives are taken, so that cotangents are selected by slices, too.

`array_selection.py` finds the loops, and the names that become indices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at, emit, emit1
from myia.ir.core import Function, Op, Region, Value, reads, walk
from myia.ir.rewrite import Env
from myia.passes.memory.array_selection import LOADS, ArraySelection, array_selection_of
from myia.primitives.arrays.dynamic_slices import STORES, dynamic_slice, static_indices
from myia.primitives.arrays.shaping import broadcast, concatenate, reshape
from myia.primitives.arrays.shaping import slice as slice_
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.primitives.pointwise.logic import eq, select
from myia.rewriting.walk import look_up, rebuilt, substituted, substituted_region, with_region

Values = tuple[Value, ...]


def selection_by_index(function: Function) -> Function:
    """`function` with loops that carry the index of an array, where they select the array."""
    return with_region(function, _region(function.region, {}))


def _region(region: Region, env: Env) -> Region:
    """Outer loops first: inner loops then need no concatenation of the arrays of their own."""
    with Builder() as b:
        for op in region.ops:
            selection = array_selection_of(op) if op.primitive is loop_p else None
            if selection is None:
                append(substituted(op, env, partial(_region, env=env)))
            else:
                with at(op.span):
                    _IndexRewrite(selection, env).emit_outermost(op)
    return rebuilt(region, b.ops, look_up(region.yields, env))


class _IndexRewrite:
    """The rewriting of one loop and of the loops inside it.

    A member, once a value of the shape of an array, has an index in `indices`. If arrays are stored
    into, `rows` is the newest version of the array that holds them: loops carry it, branches yield
    it.
    """

    def __init__(self, selection: ArraySelection, env: Env):
        self.selection, self.env = selection, env
        self.arrays = look_up(selection.arrays, env)
        self.indices: dict[Value, Value] = {}  # member -> its index
        self.rows: Values = ()  # one or none

    def emit_outermost(self, op: Op) -> None:
        """Emit the loop, and its results: the arrays at the final indices."""
        carries = self._carried_members(op)
        if self.selection.is_written:
            self.rows = (concatenate(*map(_as_row, self.arrays), axis=0),)
            initial = static_indices(range(len(carries)))
        else:
            initial = [self._index(x) for x in carries]
        for y, index in self._emit_loop(op, initial).items():
            self.env[y] = self._emit_array(index)

    # ----- Arrays

    def _index(self, x: Value) -> Value:
        if x in self.indices:
            return self.indices[x]
        return constant(self.selection.arrays.index(x), I64.dtype)

    def _emit_array(self, index: Value) -> Value:
        """Emit the whole array at an index."""
        shape = self.arrays[0].shape
        if self.rows:
            return self._emit_slice_of_row(index, static_indices([0] * len(shape)), shape)
        found = self.arrays[0]
        for i, x in enumerate(self.arrays[1:], 1):
            arms = [Region((), (), (y,)) for y in (x, found)]
            (found,) = emit(if_p, eq(index, i), regions=arms)
        return found

    def _emit_slice_of_row(
        self, index: Value, starts: Sequence[Value], sizes: tuple[int, ...]
    ) -> Value:
        """Emit the load of a slice of the array that is the row at `index`."""
        part = dynamic_slice(*self.rows, index, *starts, sizes=(1, *sizes))
        return reshape(part, shape=sizes)

    def _emit_load(self, op: Op) -> Value:
        """Emit what `op` loads from a member."""
        index, starts = self.indices[op.operands[0]], look_up(op.operands[1:], self.env)
        if not self.rows:
            parts = [emit1(op.primitive, x, *starts, **op.params) for x in self.arrays]
            found = parts[0]
            for i, part in enumerate(parts[1:], 1):
                mask = broadcast(eq(index, i), shape=part.shape, dims=())
                found = select(mask, part, found)
            return found
        if op.primitive is dynamic_slice:
            return self._emit_slice_of_row(index, starts, op.params["sizes"])
        start, limit = op.params["start"], op.params["limit"]
        sizes = tuple(end - first for first, end in zip(start, limit))
        part = self._emit_slice_of_row(index, static_indices(start), sizes)
        return slice_(part, start=(0,) * len(sizes), limit=sizes, stride=op.params["stride"])

    def _emit_store(self, op: Op) -> None:
        (after,) = op.results
        array, update, *starts = op.operands
        self.indices[after] = self.indices[array]
        update, *starts = look_up((update, *starts), self.env)
        operands = (*self.rows, _as_row(update), self.indices[array], *starts)
        self.rows = emit(op.primitive, *operands, **op.params)

    # ----- Ops

    def _emit_op(self, op: Op) -> None:
        if self.selection.members.isdisjoint((*reads(op), *op.results)):
            append(substituted(op, self.env, partial(substituted_region, env=self.env)))
        elif op.primitive in LOADS:
            self.env[op.results[0]] = self._emit_load(op)
        elif op.primitive in STORES:
            self._emit_store(op)
        elif op.primitive is if_p:
            self._emit_if(op)
        else:
            self.indices.update(self._emit_loop(op, map(self._index, self._carried_members(op))))

    def _emit_if(self, op: Op) -> None:
        changed, rows, arms = self._rows_if_changed(op), self.rows, []
        for arm in op.regions:
            self.rows = rows
            arms.append(self._region(arm, (), op.results, changed))
        operands = look_up(op.operands, self.env)
        self.indices.update(self._emit_rewritten(op, operands, arms, op.results, changed))

    def _emit_loop(self, op: Op, initial: Iterable[Value]) -> dict[Value, Value]:
        """Emit a loop whose carried members have these initial indices; the final indices."""
        loop, changed, rows = Loop.of(op), self._rows_if_changed(op), self.rows
        args, regions = loop.body.args[1:], []
        for region in op.regions:
            others, members = self._split(region.args[1:], args)
            indices, rows_arg = tuple(Value(I64) for _ in members), _fresh(changed)
            self.indices.update(zip(members, indices))
            self.rows = rows_arg or rows
            new_args = (region.args[0], *others, *indices, *rows_arg)
            is_body = region is loop.body
            yielded_as = args if is_body else region.yields
            regions.append(self._region(region, new_args, yielded_as, changed * is_body))
        self.rows = rows
        carries = look_up(self._split(loop.carries, args)[0], self.env)
        count = look_up(op.operands[: op.params["counted"]], self.env)
        operands = (*count, *carries, *initial, *changed)
        return self._emit_rewritten(op, operands, regions, args, changed)

    def _region(
        self, region: Region, args: Sequence[Value], yielded_as: Sequence[Value], changed: Values
    ) -> Region:
        """`region` with indices in the place of members, and these arguments.

        `yielded_as`: the values that its yields become. It yields the rows, too, if `changed` has
        them.
        """
        with Builder() as b:
            for op in region.ops:
                with at(op.span):
                    self._emit_op(op)
            others, members = self._split(region.yields, yielded_as)
            indices = tuple(map(self._index, members))
        yields = (*look_up(others, self.env), *indices, *(self.rows if changed else ()))
        return Region(tuple(args), tuple(b.ops), yields)

    def _emit_rewritten(
        self,
        op: Op,
        operands: Sequence[Value],
        regions: Sequence[Region],
        names: Sequence[Value],
        changed: Values,
    ) -> dict[Value, Value]:
        """Emit `op` with other operands and regions; the indices among its results, by result.

        The results at positions where `names` has a member are indices.
        """
        others, members = self._split(op.results, names)
        indices, rows = tuple(Value(I64) for _ in members), _fresh(changed)
        results = (*others, *indices, *rows)
        append(Op(op.primitive, tuple(operands), op.params, tuple(regions), results, op.span))
        self.rows = rows or self.rows
        return dict(zip(members, indices))

    def _carried_members(self, op: Op) -> tuple[Value, ...]:
        """The carries of a loop that become indices."""
        return self._split(Loop.of(op).carries, Loop.of(op).body.args[1:])[1]

    def _split(self, values: Sequence[Value], names: Sequence[Value]) -> tuple[Values, Values]:
        """The values at positions where `names` has no member, and those where it has one."""
        pairs, members = list(zip(values, names, strict=True)), self.selection.members
        others = tuple(x for x, name in pairs if name not in members)
        return others, tuple(x for x, name in pairs if name in members)

    def _rows_if_changed(self, op: Op) -> Values:
        """The rows, if a store inside `op` changes them; else nothing."""
        inside = (inner for region in op.regions for inner in walk(region))
        members = self.selection.members
        stores = any(o.primitive in STORES and o.results[0] in members for o in inside)
        return self.rows if stores else ()


def _as_row(x: Value) -> Value:
    return reshape(x, shape=(1, *x.shape))


def _fresh(values: Values) -> Values:
    """New values of the same avals."""
    return tuple(Value(x.aval) for x in values)
