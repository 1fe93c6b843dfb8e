"""Displays: `[x, *xs]`, `(x, *xs)`, `{x, *xs}`, `{"k": x, **d}`. Their items may be None."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType
from myia.infer.domain.heap import DictObject, ListObject, SetObject
from myia.infer.domain.values import Abstract, Ref, Static, Tuple, is_static_int, may_be_none
from myia.infer.eval.interpreter import handles
from myia.infer.indexing import indexing
from myia.infer.lists import list_slices
from myia.infer.numeric.constant_methods import evaluate_constant, items_of_new_set
from myia.infer.paths.branches import on_each
from myia.ir.core import Op
from myia.primitives.core import py


def _unstarred(ctx: Context, op: Op, items: Sequence[Abstract]) -> tuple[Abstract, ...]:
    found: list[Abstract] = []
    for starred, item in zip(op.params["stars"], items):
        found += ctx.list_items(item) if starred else [item]
    return tuple(found)


@handles(py.tuple_, optional=True)
def _tuple(ctx: Context, op: Op, *items: Abstract) -> Abstract:
    return Tuple(_unstarred(ctx, op, items))


@handles(py.list_, optional=True)
def _list(ctx: Context, op: Op, *items: Abstract) -> Abstract:
    """A list; one of run-time length that is unpacked in it is joined to the items around it."""
    stars = op.params["stars"]
    items = tuple(
        ctx.present(x) if star or not may_be_none(x) else x for star, x in zip(stars, items)
    )
    lists = [_in_list(ctx, x) if star else None for star, x in zip(stars, items)]
    if all(xs is None or is_static_int(ctx.length(xs)) for xs in lists):
        given = [x if xs is None else xs for x, xs in zip(items, lists)]
        return ctx.new(ListObject(_unstarred(ctx, op, given)))
    parts = [ctx.new(ListObject(()))]
    for star, x, xs in zip(stars, items, lists):
        some = ctx.list_items(x) if star and xs is None else (x,)
        parts.append(xs if xs is not None else ctx.new(ListObject(some)))
    return list_slices.concatenated(ctx, parts)


def _in_list(ctx: Context, x: Abstract) -> Ref | None:
    """What may have a run-time length, as a list."""
    if list_slices.as_list(ctx, x) is None and not isinstance(x, (Tuple, Static)):
        x = ctx.call(Static(list), (x,), {})
    return list_slices.as_list(ctx, x)


@handles(py.set_)
def _set(ctx: Context, op: Op, *items: Abstract) -> Abstract:
    known = items_of_new_set(ctx, _unstarred(ctx, op, items))
    found = evaluate_constant(ctx, set, known)
    assert isinstance(found, Ref)
    if not any(op.params["stars"]) and not _has_one_order(known):
        ctx.write(found, replace(ctx.contents_as(found, SetObject), ordered=False))
    return found


def _has_one_order(items: list) -> bool:
    """Has a set of these constants one order, however and whenever it is made?"""
    if not all(type(x) in (int, bool, float) for x in items):
        return len(items) < 2  # hashes of strings differ from process to process
    return list(set(items)) == list(set(items[::-1])) == list(frozenset(items))


@handles(py.dict_, optional=True)
def _dict(ctx: Context, op: Op, *keys_and_values: Abstract) -> Abstract:
    keys, values, stars = keys_and_values[::2], keys_and_values[1::2], op.params["stars"]

    def made(mappings: Sequence[Abstract]) -> Abstract:
        found: dict = {}
        unpacked = iter(mappings)
        for starred, key, value in zip(stars, keys, values):
            if starred:
                found.update(mapping_items(ctx, next(unpacked)))
            else:
                found[indexing.dict_key(ctx, key)] = value
        return ctx.new(DictObject(tuple(found), tuple(found.values())))

    return on_each(ctx, [x for starred, x in zip(stars, values) if starred], made)


def mapping_items(ctx: Context, x: Abstract) -> Iterator[tuple[Any, Abstract]]:
    """The items of `**x`."""
    contents = ctx.held(ctx.force(x))
    if not isinstance(contents, DictObject):
        ctx.fail(BadType, message="argument after ** must be a mapping")
    return zip(contents.keys, contents.values)
