"""Items of dicts. The keys of a dict are compile-time values; which is meant may be known at run
time: a number, a string that a branch selects, or a tuple with these in it.

    moves[k]          ->      moves[0] if k == 0 else moves[1] if k == 1 else (raise KeyError)
    counts[k] += 1    ->      if k == 0: counts[0] += 1
                              if k == 1: counts[1] += 1

    rows[k].append(x) ->      if k == 0: rows[0].append(x)
                              if k == 1: rows[1].append(x)

*When it gives up*: where the values are arrays, which branches would copy. A key that the dict has
not is not added at run time: that is an error, which Python has not. In a loop that can be unrolled
the key may be known then, if no item has been read with it and it may be new.
"""

from __future__ import annotations

import collections
import operator
from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np

from myia.infer.boundary.exceptions import raise_error
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import (
    NumberKind,
    interval_hull,
    is_number,
    joined_all,
    number_value,
)
from myia.infer.domain.errors import BadValue, NeedsChoice, NeedsStatic, NewKey
from myia.infer.domain.heap import OF_AN_ARGUMENT, DictObject
from myia.infer.domain.values import (
    FALSE,
    NONE,
    TRUE,
    Abstract,
    Choice,
    NewException,
    Ref,
    Scalar,
    Static,
    Tuple,
)
from myia.infer.indexing.list_items import CHANGED, are_changed_in_place, static_key
from myia.infer.numeric.samples import require_hashable
from myia.infer.paths.branches import branch
from myia.infer.paths.choice import kind_of_option
from myia.infer.unsupported import UnsupportedIndex
from myia.ir.avals import I64
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic
from myia.source.value_texts import value_text


def dict_key(ctx: Context, key: Abstract) -> Any:
    """A compile-time, hashable key."""
    require_hashable(ctx, key)
    return static_key(ctx, key)


def is_run_time_key(key: Abstract) -> bool:
    """A number or a constant chosen at run time, or a tuple that holds one."""
    if isinstance(key, Tuple):
        return any(map(is_run_time_key, key.items))
    return isinstance(key, (Choice, Scalar))


def dict_item(ctx: Context, contents: DictObject, key: Abstract, x: Ref | None = None) -> Abstract:
    """`x[key]`; without `x` no missing key is added."""
    if is_run_time_key(key) and all(_is_plain(ctx, v) for v in contents.values):
        found = _item_at(ctx, contents, key)
        if x is not None and not _makes_missing(contents):
            ctx.keys_read.setdefault((x.id, _identity(key)), ctx.open_paths)
        return found
    value = dict_key(ctx, key)
    if x is not None and value not in contents.keys and contents.makes is not None:
        made = ctx.call(contents.makes, (), {})
        now = ctx.contents_as(x, DictObject)
        ctx.write(x, now.with_items({**dict(zip(now.keys, now.values)), value: made}))
        return made
    if value not in contents.keys and _has_factory(contents):
        fail_missing(ctx, value)
    if value not in contents.keys and issubclass(contents.cls, collections.Counter):
        return Static(0)
    if value not in contents.keys and hasattr(contents.cls, "__missing__"):
        what = f"a missing key of a {contents.cls.__name__}, {value_text(value)},"
        ctx.fail(UnsupportedIndex, what=what, help_text="write `d.setdefault(key, default)`")
    if value not in contents.keys:
        fail_missing(ctx, value)
    return contents.values[contents.keys.index(value)]


def store_dict_item(ctx: Context, x: Ref, key: Abstract, value: Abstract) -> None:
    """`x[key] = value`"""

    def store(known: Any) -> Abstract:
        contents = ctx.contents_as(x, DictObject)
        values = {**dict(zip(contents.keys, contents.values)), known: value}
        ctx.write(x, contents.with_items(values))
        return NONE

    if not is_run_time_key(key):
        store(dict_key(ctx, key))
        return
    contents = ctx.contents_as(x, DictObject)
    is_there = has_key(ctx, contents, key)
    if not contents.keys or _is_false(is_there):
        _fail_new_key(ctx, NeedsStatic)
    if not _is_known(contents, key):
        read_in = ctx.keys_read.get((x.id, _identity(key)), ctx.open_paths + 1)
        if ctx.loop_depth and read_in > ctx.open_paths and not ctx.takes_objects:
            _fail_new_key(ctx, NeedsChoice)
        _check_is_there(ctx, is_there)
    for known, old in zip(contents.keys, contents.values):
        here = _equals(ctx, key, known)
        of = _joined_type((value, old))
        if isinstance(here, Scalar) and of is not None:
            now = ctx.contents_as(x, DictObject)
            values = {**dict(zip(now.keys, now.values)), known: _selected(here, value, old, of)}
            ctx.write(x, now.with_items(values))
        else:
            branch(ctx, here, partial(store, known), lambda: NONE)


def _identity(key: Abstract) -> Any:
    """What two run-time keys have in common that are one."""
    own = key.value if isinstance(key, (Scalar, Static)) else None
    return (own, *map(_identity, key.children()))


def _is_known(contents: DictObject, key: Abstract) -> bool:
    """Is the key one of the dict, whichever integer it is?"""
    if not isinstance(key, Scalar) or key.lo is None or key.hi is None:
        return False
    return key.hi - key.lo < len(contents.keys) and all(
        k in contents.keys for k in range(key.lo, key.hi + 1)
    )


def fail_missing(ctx: Context, key: Any) -> NoReturn:
    message = f"key {value_text(key)} is not in the dict"
    ctx.fail(BadValue, message=message, exception="KeyError", arguments=(key,))


# ----- Keys known at run time


def has_key(ctx: Context, contents: DictObject, key: Abstract) -> Abstract:
    """`key in x`"""
    require_hashable(ctx, key)
    if not is_run_time_key(key):
        return Static(static_key(ctx, key) in contents.keys)
    found: Abstract = FALSE
    for known in contents.keys:
        found = branch(ctx, found, lambda: TRUE, partial(_equals, ctx, key, known))
    return found


def _equals(ctx: Context, key: Abstract, known: Any) -> Abstract:
    return ctx.call(Static(operator.eq), (key, Static(known)), {})


def chosen_object(ctx: Context, x: Abstract, key: Abstract) -> Choice | None:
    """`x[key]`, to be changed, of a dict of lists, dicts or instances: one of them, not a merge.

    None: it is not such a dict, or the key is known.
    """
    contents = ctx.held(x)
    if not isinstance(contents, DictObject) or not is_run_time_key(key) or not contents.keys:
        return None
    if not are_changed_in_place(ctx, contents.values):
        return None
    there = has_key(ctx, contents, key)
    branch(ctx, there, lambda: NONE, lambda: _missing(ctx, contents, key))
    index = constant(0, I64)
    for i, known in enumerate(contents.keys):
        here = _equals(ctx, key, known)
        if isinstance(here, Scalar):
            index = logic.select(here.value, constant(i, I64), index)
        elif isinstance(here, Static) and here.value:
            index = constant(i, I64)
    return Choice(Scalar(index, True, 0, len(contents.keys) - 1), contents.values)


def _is_plain(ctx: Context, x: Abstract) -> bool:
    """Is it no array, which branches would copy, nor a tuple with one?"""
    if isinstance(x, Tuple):
        return all(_is_plain(ctx, item) for item in x.items)
    if isinstance(x, Ref):
        return isinstance(ctx.held(x), CHANGED)
    return is_number(x) or isinstance(x, Static) or kind_of_option(x) is not None


def _item_at(ctx: Context, contents: DictObject, key: Abstract, first: int = 0) -> Abstract:
    """The value of one of the keys from number `first` on."""
    if first == len(contents.keys):
        return _missing(ctx, contents, key)
    if first == 0 and (of := _joined_type(contents.values)) is not None:
        return _number_at(ctx, contents, key, of)
    return branch(
        ctx,
        _equals(ctx, key, contents.keys[first]),
        lambda: contents.values[first],
        lambda: _item_at(ctx, contents, key, first + 1),
    )


def _number_at(
    ctx: Context, contents: DictObject, key: Abstract, of: tuple[np.dtype, bool]
) -> Abstract:
    """The same of numbers of one type, without branches."""
    is_there = has_key(ctx, contents, key)
    found = branch(ctx, is_there, lambda: contents.values[-1], lambda: _missing(ctx, contents, key))
    for known, value in zip(contents.keys, contents.values):
        here = _equals(ctx, key, known)
        if isinstance(here, Scalar):
            found = _selected(here, value, found, of)
        elif isinstance(here, Static) and here.value:
            found = value
    return found


def _joined_type(xs: Sequence[Abstract]) -> tuple[np.dtype, bool] | None:
    """The type of numbers of which one is all; None: there is none, or they are no numbers."""
    return joined_all([NumberKind.of(x) for x in xs]) if all(map(is_number, xs)) else None


def _selected(condition: Scalar, a: Abstract, b: Abstract, of: tuple[np.dtype, bool]) -> Scalar:
    """One of two numbers, of this dtype, and whether it is a Python number."""
    dtype, weak = of
    lo, hi = interval_hull(a, b) if dtype.kind in "iu" else (None, None)
    found = logic.select(condition.value, number_value(a, dtype), number_value(b, dtype))
    return Scalar(found, weak, lo, hi)


def _has_factory(contents: DictObject) -> bool:
    """Of a `defaultdict`: is it known what makes missing values, or that nothing does?"""
    return contents.factory is not None and contents.factory is not OF_AN_ARGUMENT


def _makes_missing(contents: DictObject) -> bool:
    if _has_factory(contents):
        return contents.makes is not None
    return hasattr(contents.cls, "__missing__")


def _missing(ctx: Context, contents: DictObject, key: Abstract) -> Abstract:
    """What a dict gives for a key that it has not."""
    if issubclass(contents.cls, collections.Counter):
        return Static(0)
    if not _makes_missing(contents):
        raise_error(ctx, NewException(KeyError, (key,)))
    if not contents.keys:
        _fail_new_key(ctx, NeedsStatic)
    _check_is_there(ctx, FALSE)
    return contents.values[-1]


def _fail_new_key(ctx: Context, error: type[NeedsStatic]) -> NoReturn:
    ctx.fail(NewKey, error=error)


def _is_false(x: Abstract) -> bool:
    return isinstance(x, Static) and not x.value


def _check_is_there(ctx: Context, is_there: Abstract) -> None:
    if isinstance(is_there, Scalar) or _is_false(is_there):
        there = is_there.value if isinstance(is_there, Scalar) else constant(False, bool)
        message = "a dict gets no key that is known only at run time: give it all its keys first"
        ctx.check(logic.not_(there), KeyError, message, is_python=False)
