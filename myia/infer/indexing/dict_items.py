"""Items of dicts. Keys are compile-time values; a number known at run time may be looked up.

    moves[k]      ->      moves[0] if k == 0 else moves[1] if k == 1 else (raise KeyError)

*When it gives up*: where the values are arrays or objects, which branches would copy, and where a
dict makes what is missing.
"""

from __future__ import annotations

import collections
import operator
from functools import partial
from typing import Any, NoReturn

from myia.infer.boundary.exceptions import raise_error
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number
from myia.infer.domain.errors import BadValue
from myia.infer.domain.heap import DictObject
from myia.infer.domain.values import FALSE, TRUE, Abstract, NewException, Ref, Scalar, Static, Tuple
from myia.infer.indexing.list_items import static_key
from myia.infer.numeric.samples import require_hashable
from myia.infer.paths.branches import branch
from myia.infer.paths.choice import kind_of_option
from myia.infer.unsupported import UnsupportedIndex


def dict_key(ctx: Context, key: Abstract) -> Any:
    """A compile-time, hashable key."""
    require_hashable(ctx, key)
    return static_key(ctx, key)


def dict_item(ctx: Context, contents: DictObject, key: Abstract, x: Ref | None = None) -> Abstract:
    """`x[key]`; without `x` no missing key is added."""
    if isinstance(key, Scalar) and all(map(_is_plain, contents.values)):
        return _item_at(ctx, contents, key)
    value = dict_key(ctx, key)
    if x is not None and value not in contents.keys and contents.factory is not None:
        made = ctx.call(contents.factory, (), {})
        now = ctx.contents_as(x, DictObject)
        ctx.write(x, now.with_items({**dict(zip(now.keys, now.values)), value: made}))
        return made
    if value not in contents.keys and contents.factory is not None:
        fail_missing(ctx, value)
    if value not in contents.keys and issubclass(contents.cls, collections.Counter):
        return Static(0)
    if value not in contents.keys and hasattr(contents.cls, "__missing__"):
        what = f"a missing key of a {contents.cls.__name__}, {value!r},"
        ctx.fail(UnsupportedIndex, what=what, help_text="write `d.setdefault(key, default)`")
    if value not in contents.keys:
        fail_missing(ctx, value)
    return contents.values[contents.keys.index(value)]


def fail_missing(ctx: Context, key: Any) -> NoReturn:
    message = f"key {key!r} is not in the dict"
    ctx.fail(BadValue, message=message, exception="KeyError", arguments=(key,))


# ----- Numbers known at run time as keys


def has_key(ctx: Context, contents: DictObject, key: Abstract) -> Abstract:
    """`key in x`"""
    require_hashable(ctx, key)
    if not isinstance(key, Scalar):
        return Static(static_key(ctx, key) in contents.keys)
    found: Abstract = FALSE
    for known in contents.keys:
        found = branch(ctx, found, lambda: TRUE, partial(_equals, ctx, key, known))
    return found


def _equals(ctx: Context, key: Scalar, known: Any) -> Abstract:
    return ctx.call(Static(operator.eq), (key, Static(known)), {})


def _is_plain(x: Abstract) -> bool:
    """Is it a number, a constant or a function, or a tuple of such?"""
    if isinstance(x, Tuple):
        return all(map(_is_plain, x.items))
    return is_number(x) or isinstance(x, Static) or kind_of_option(x) is not None


def _item_at(ctx: Context, contents: DictObject, key: Scalar, first: int = 0) -> Abstract:
    """The value of one of the keys from number `first` on."""
    if contents.factory is not None or hasattr(contents.cls, "__missing__"):
        ctx.needs_static("the key of a dict that makes missing items")
    if first == len(contents.keys):
        raise_error(ctx, NewException(KeyError, (key,)))
    return branch(
        ctx,
        _equals(ctx, key, contents.keys[first]),
        lambda: contents.values[first],
        lambda: _item_at(ctx, contents, key, first + 1),
    )
