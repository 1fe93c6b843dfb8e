"""Copy elision: rows that inner loops compute for an array are stored into the array directly.

    %t = for %i < %n (%t = zeros[9,5]) bound 9 {   ->   %t = for %i < %n (%t = zeros[9,5]) bound 9 {
      %r = for %j < %m (%r = zeros[5]) {                  %t' = for %j < %m (%r = %t) {
        ...                                                 ...
        %1 = write %u into %r at %j                         %1 = write %u into %r at %i, %j
        yield %1                                            yield %1
      }                                                   }
      %t' = write %r into %t at %i, 0
      yield %t'                                           yield %t'
    }                                                   }

Also called destination passing. Examples are the tapes of inner loops, which the outer loop stores
as rows of its own tape, and tables that users compute row by row. Nothing is cleared or copied, and
an iteration of the nest touches a few elements only, so that the nest can be emitted as a whole
loop.

The outer loop may only write the array, never read it. In addition, one of two conditions must
hold for the row that an iteration begins with:
- it is `empty`, as tapes of inner loops are: its elements are never read; or
- it is filled with the constant that the array is filled with, and each iteration of the outer loop
  stores a row of its own, so that the row in the array has still this constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from myia.analysis.array_versions import is_write_only_carry
from myia.analysis.linear_indices import IndexRanges
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value, walk
from myia.ir.params import param_key
from myia.ir.rewrite import rematerialize
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice
from myia.primitives.arrays.shaping import reshape
from myia.primitives.core.define import constant_p, empty_p
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.def_use import uses
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region


def copy_elision(function: Function) -> Function:
    """`function` without arrays that loops fill only to be copied into another array."""
    return with_region(function, _region(function.region, _Definitions(function.region)))


class _Definitions:
    """The op that defines each value, at any depth, and the ranges of integers."""

    def __init__(self, region: Region):
        self._ops: dict[Value, Op] = {}
        self.ranges = IndexRanges(region)
        self.add(region)

    def add(self, region: Region) -> None:
        self._ops.update((y, op) for op in walk(region) for y in op.results)

    def op(self, x: Value) -> Op | None:
        return self._ops.get(x)


def _region(region: Region, definitions: _Definitions) -> Region:
    """Inner loops first: a row that one of them now fills may itself be part of a larger array."""
    ops = [_op(op, definitions) for op in region.ops]
    return rebuilt(region, ops, region.yields)


def _op(op: Op, definitions: _Definitions) -> Op:
    op = substituted(op, {}, lambda region: _region(region, definitions))
    if op.primitive is not loop_p:
        return op
    for i in range(len(op.results)):
        copy = _copy_of_row(Loop.of(op), i, definitions)
        if copy is not None:
            regions = (*op.regions[:-1], _without_copy(Loop.of(op).body, copy))
            op = Op(op.primitive, op.operands, op.params, regions, op.results, op.span)
            # The rows of the next carry are looked up in the new body.
            definitions.add(regions[-1])
    definitions.add(Region((), (op,), ()))
    return op


# ----- Which copies can be elided


@dataclass(frozen=True)
class _RowCopy:
    """The store of a row into an array, and the ops that compute the row.

    `writers` is a chain of stores and loops. Each writes into its operand at the position beside
    it, which is the result of the writer before it; the first writes into a constant.
    """

    store: Op
    writers: tuple[tuple[Op, int], ...]
    row: Value  # the store reshapes it to have leading axes of length 1

    @property
    def row_indices(self) -> tuple[Value, ...]:
        """The indices of the row in the array."""
        # Along the axes of a whole row the store is clamped to start at 0 (`_stores_whole_rows`).
        _, _, *starts = self.store.operands
        return tuple(starts[: len(starts) - len(self.row.shape)])


def _copy_of_row(loop: Loop, i: int, definitions: _Definitions) -> _RowCopy | None:
    """The store of rows into carry `i` of `loop`, if the rows can be written there directly."""
    array, store = loop.body.args[1 + i], definitions.op(loop.body.yields[i])
    if store is None or store.primitive is not dynamic_update_slice:
        return None
    if store.operands[0] is not array or not is_write_only_carry(loop, i):
        return None
    row = _row_before_reshape(store, loop.body, definitions)
    writers, initial = _writers_of(row, loop.body, definitions)
    if not any(op.primitive is loop_p for op, _ in writers):
        return None
    copy = _RowCopy(store, writers, row)
    if not _stores_whole_rows(copy):
        return None
    row_fill, array_fill = definitions.op(initial), definitions.op(loop.carries[i])
    is_empty = row_fill is not None and row_fill.primitive is empty_p
    if is_empty:
        return copy
    same = _are_same_constant(row_fill, array_fill)
    return copy if same and _rows_are_disjoint(loop, copy, definitions) else None


def _row_before_reshape(store: Op, body: Region, definitions: _Definitions) -> Value:
    """The row that `store` writes, before it was given leading axes of length 1."""
    update = store.operands[1]
    add_axes = definitions.op(update)
    if add_axes is None or add_axes.primitive is not reshape or not _is_used_once(update, body):
        return update
    return add_axes.operands[0]


def _writers_of(
    row: Value, body: Region, definitions: _Definitions
) -> tuple[tuple[tuple[Op, int], ...], Value]:
    """The stores and loops of `body` that compute `row`, and the value that the first one changes.

    No intermediate version may have another use, because it will not exist as an array.
    """
    writers: list[tuple[Op, int]] = []
    while _is_used_once(row, body):
        op = definitions.op(row)
        if op is None or op not in body.ops:
            break
        if op.primitive is dynamic_update_slice:
            position = 0
        elif op.primitive is loop_p and is_write_only_carry(Loop.of(op), op.results.index(row)):
            position = op.params["counted"] + op.results.index(row)
        else:
            break
        writers.append((op, position))
        row = op.operands[position]
    return tuple(writers[::-1]), row


def _is_used_once(x: Value, body: Region) -> bool:
    return len(uses(body).get(x, ())) == 1 and x not in body.yields


def _are_same_constant(x: Op | None, y: Op | None) -> bool:
    """Are these constants filled with the same number, to the bit?"""
    if x is None or y is None or {x.primitive, y.primitive} != {constant_p}:
        return False
    return bool(param_key(x.params["value"]) == param_key(y.params["value"]))


def _stores_whole_rows(copy: _RowCopy) -> bool:
    array, update, *_ = copy.store.operands
    is_row = update.shape == (1, *array.shape[1:]) == (1, *copy.row.shape)
    return is_row and len(copy.row_indices) == 1


def _rows_are_disjoint(loop: Loop, copy: _RowCopy, definitions: _Definitions) -> bool:
    """Does each iteration store a row of its own?"""
    rows = copy.store.operands[0].shape[0]
    return definitions.ranges.are_disjoint_across_iterations(
        copy.row_indices[0], 1, rows, loop.body.args[0]
    )


# ----- What it becomes


def _without_copy(body: Region, copy: _RowCopy) -> Region:
    """`body` whose `writers` store into the array at the indices of the row."""
    array, indices = copy.store.operands[0], None
    writers = dict(copy.writers)
    with Builder() as b:
        for op in body.ops:
            if op in writers:
                # The indices may be computed only after the first writer: emit them before it. All
                # ops up to there have been copied, so `len(b.ops)` is its position.
                indices = indices or rematerialize(copy.row_indices, body.ops[len(b.ops) :])
                array = _emit_redirected(op, writers[op], array, indices)
            elif op is not copy.store and copy.store.operands[1] not in op.results:
                append(op)
    yields = look_up(body.yields, {copy.store.results[0]: array})
    return Region(body.args, tuple(b.ops), yields)


def _emit_redirected(op: Op, position: int, array: Value, indices: Sequence[Value]) -> Value:
    """Emit `op`, a store or a loop of stores, so that it writes into `array` at leading `indices`
    and not into its operand at `position`; returns the new version of `array`.
    """
    operands = (*op.operands[:position], array, *op.operands[position + 1 :])
    if op.primitive is dynamic_update_slice:
        _, update, *starts = operands
        with at(op.span):
            row = reshape(update, shape=(1,) * len(indices) + update.shape)
            return dynamic_update_slice(array, row, *indices, *starts)
    i = position - op.params["counted"]
    arg = Value(array.aval, array.name)
    result = Value(array.aval, op.results[i].name)
    *conds, body = op.regions
    conds = [_with_arg(cond, 1 + i, Value(array.aval)) for cond in conds]
    body = _redirected_body(_with_arg(body, 1 + i, arg), body.args[1 + i], arg, indices)
    regions = (*conds, body)
    results = (*op.results[:i], result, *op.results[i + 1 :])
    append(Op(op.primitive, operands, op.params, regions, results, op.span))
    return result


def _with_arg(region: Region, i: int, arg: Value) -> Region:
    return Region((*region.args[:i], arg, *region.args[i + 1 :]), region.ops, region.yields)


def _redirected_body(body: Region, old: Value, new: Value, indices: Sequence[Value]) -> Region:
    """`body` with the stores into `old` redirected to `new` at leading `indices`."""
    with Builder() as b:
        for op in body.ops:
            if old in op.operands:
                position = op.operands.index(old)
                new = _emit_redirected(op, position, new, indices)
                old = _version_after(op, position)
            else:
                append(op)
    return Region(body.args, tuple(b.ops), look_up(body.yields, {old: new}))


def _version_after(op: Op, position: int) -> Value:
    """The result of `op` that is the new version of its operand at `position`."""
    return op.results[position - op.params["counted"] if op.primitive is loop_p else 0]
