"""Rows that loops fill, one for each trip of an outer loop, are filled where they are wanted.

    %t = for %i < %n (%t = zeros[9,5]) bound 9 {   ->   %t = for %i < %n (%t = zeros[9,5]) bound 9 {
      %r = for %j < %m (%r = zeros[5]) {                  %t' = for %j < %m (%r = %t) {
        ...                                                 ...
        %1 = write %u into %r at %j                         %1 = write %u into %r at %i, %j
        yield %1                                            yield %1
      }                                                   }
      %t' = write %r into %t at %i, 0
      yield %t'                                           yield %t'
    }                                                   }

Such are the tapes of inner loops, which the outer loop records in a tape of its own, and tables
that users make row by row. Nothing is cleared and nothing copied, and a trip of the nest touches a
few elements, so that the nest can be compiled whole.

Nobody else reads or writes the array. Either each trip finds its row as it would make it: the array
starts filled with the number that rows start from, and the trips write rows that lie apart. Or it
does not matter what it finds: the row starts `empty`, as a tape in a loop does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value, walk
from myia.ir.params import param_key
from myia.ir.rewrite import rematerialize
from myia.passes.analysis.def_use import is_write_only_carry, uses
from myia.passes.analysis.linear_indices import IndexRanges
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice
from myia.primitives.arrays.shaping import reshape
from myia.primitives.core.define import constant_p, empty_p
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region


def elide_copies(function: Function) -> Function:
    """`function` without arrays that loops fill only to have them copied into another."""
    return with_region(function, _region(function.region, _Known(function.region)))


class _Known:
    """What defines each value, and the ranges of integers."""

    def __init__(self, region: Region):
        self.definitions: dict[Value, Op] = {}
        self.ranges = IndexRanges(region)
        self.learn(region)

    def learn(self, region: Region) -> None:
        self.definitions.update((y, op) for op in walk(region) for y in op.results)

    def op(self, x: Value) -> Op | None:
        return self.definitions.get(x)


def _region(region: Region, known: _Known) -> Region:
    """Inner loops first: what they fill for their own arrays these may fill for larger ones."""
    ops = [_op(op, known) for op in region.ops]
    return rebuilt(region, ops, region.yields)


def _op(op: Op, known: _Known) -> Op:
    op = substituted(op, {}, lambda region: _region(region, known))
    if op.primitive is not loop_p:
        return op
    for i in range(len(op.results)):
        fill = _fill(Loop.of(op), i, known)
        if fill is not None:
            regions = (*op.regions[:-1], _filled_in_place(Loop.of(op).body, fill))
            op = Op(op.primitive, op.operands, op.params, regions, op.results, op.span)
            known.learn(regions[-1])
    known.learn(Region((), (op,), ()))
    return op


# ----- What can be filled in place


@dataclass(frozen=True)
class _Fill:
    """The store of a row into an array, and the ops that make the row, each of what the one before
    it made (the operand at its position; the first of a constant)."""

    store: Op
    links: tuple[tuple[Op, int], ...]
    row: Value  # which the store writes with more axes, of one element each

    @property
    def place(self) -> tuple[Value, ...]:
        """The indices of the row in the array."""
        _, _, *starts = self.store.operands
        return tuple(starts[: len(starts) - len(self.row.shape)])


def _fill(loop: Loop, i: int, known: _Known) -> _Fill | None:
    """How the trips of `loop` fill carry `i` with rows made in loops, if they do."""
    array, store = loop.body.args[1 + i], known.op(loop.body.yields[i])
    if store is None or store.primitive is not dynamic_update_slice:
        return None
    if store.operands[0] is not array or not is_write_only_carry(loop, i):
        return None
    row = _row(store, loop.body, known)
    links, start = _links(row, loop.body, known)
    if not any(op.primitive is loop_p for op, _ in links):
        return None
    fill = _Fill(store, links, row)
    if not _whole_rows(fill):
        return None
    start, filled = known.op(start), known.op(loop.carries[i])
    unread = start is not None and start.primitive is empty_p
    found = unread or (_same_number(start, filled) and _rows_apart(loop, fill, known))
    return fill if found else None


def _row(store: Op, body: Region, known: _Known) -> Value:
    """What `store` writes, before it was given axes of one element."""
    update = store.operands[1]
    cast = known.op(update)
    if cast is None or cast.primitive is not reshape or not _read_once(update, body):
        return update
    return cast.operands[0]


def _links(row: Value, body: Region, known: _Known) -> tuple[tuple[tuple[Op, int], ...], Value]:
    """The writes and loops of `body` that make `row`, and what they make it of."""
    links: list[tuple[Op, int]] = []
    while _read_once(row, body):
        op = known.op(row)
        if op is None or op not in body.ops:
            break
        if op.primitive is dynamic_update_slice:
            position = 0
        elif op.primitive is loop_p and is_write_only_carry(Loop.of(op), op.results.index(row)):
            position = op.params["counted"] + op.results.index(row)
        else:
            break
        links.append((op, position))
        row = op.operands[position]
    return tuple(links[::-1]), row


def _read_once(x: Value, body: Region) -> bool:
    return len(uses(body).get(x, ())) == 1 and x not in body.yields


def _same_number(x: Op | None, y: Op | None) -> bool:
    """Are these constants filled with the same number, to the bit?"""
    if x is None or y is None or {x.primitive, y.primitive} != {constant_p}:
        return False
    return param_key(x.params["value"]) == param_key(y.params["value"])


def _whole_rows(fill: _Fill) -> bool:
    array, update, *_ = fill.store.operands
    return len(fill.place) == 1 and update.shape == (1, *array.shape[1:]) == (1, *fill.row.shape)


def _rows_apart(loop: Loop, fill: _Fill, known: _Known) -> bool:
    """Does each trip write a row of its own?"""
    rows = fill.store.operands[0].shape[0]
    return known.ranges.are_disjoint_across_iterations(fill.place[0], 1, rows, loop.body.args[0])


# ----- What it becomes


def _filled_in_place(body: Region, fill: _Fill) -> Region:
    array, place = fill.store.operands[0], None
    links = dict(fill.links)
    with Builder() as b:
        for op in body.ops:
            if op in links:
                place = place or rematerialize(fill.place, body.ops[len(b.ops) :])
                array = _redirected(op, links[op], array, place)
            elif op is not fill.store and fill.store.operands[1] not in op.results:
                append(op)
    yields = look_up(body.yields, {fill.store.results[0]: array})
    return Region(body.args, tuple(b.ops), yields)


def _redirected(op: Op, position: int, array: Value, place: Sequence[Value]) -> Value:
    """Emit `op`, a write or a loop of writes into its operand at `position`, writing at `place` of
    `array`; returns what that becomes."""
    operands = (*op.operands[:position], array, *op.operands[position + 1 :])
    if op.primitive is dynamic_update_slice:
        _, update, *starts = operands
        with at(op.span):
            row = reshape(update, shape=(1,) * len(place) + update.shape)
            return dynamic_update_slice(array, row, *place, *starts)
    i = position - op.params["counted"]
    arg = Value(array.aval, array.name)
    result = Value(array.aval, op.results[i].name)
    *conds, body = op.regions
    conds = [_with_arg(cond, 1 + i, Value(array.aval)) for cond in conds]
    body = _body_redirected(_with_arg(body, 1 + i, arg), body.args[1 + i], arg, place)
    regions = (*conds, body)
    results = (*op.results[:i], result, *op.results[i + 1 :])
    append(Op(op.primitive, operands, op.params, regions, results, op.span))
    return result


def _with_arg(region: Region, i: int, arg: Value) -> Region:
    return Region((*region.args[:i], arg, *region.args[i + 1 :]), region.ops, region.yields)


def _body_redirected(body: Region, old: Value, new: Value, place: Sequence[Value]) -> Region:
    """`body` with the writes into `old` going to `place` of `new`."""
    with Builder() as b:
        for op in body.ops:
            if old in op.operands:
                position = op.operands.index(old)
                new = _redirected(op, position, new, place)
                old = _version_after(op, position)
            else:
                append(op)
    return Region(body.args, tuple(b.ops), look_up(body.yields, {old: new}))


def _version_after(op: Op, position: int) -> Value:
    """What `op` makes of its operand at `position`, which it writes into."""
    return op.results[position - op.params["counted"] if op.primitive is loop_p else 0]
