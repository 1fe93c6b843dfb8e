"""Two structures side by side: their parts are matched by position, by key or by name."""

from __future__ import annotations

from myia.infer.domain.context import Context
from myia.infer.domain.describe import describe_contents
from myia.infer.domain.heap import Contents, DictObject, InstanceObject
from myia.infer.domain.values import Abstract, Node, Tuple


def matched_children(like: Node, x: Node) -> tuple[Abstract, ...] | None:
    """The children of `x` in the order of those of `like`; None: its structure is another one.

    Both are abstract values or contents of objects. Items of dicts are matched by their keys, in
    whatever order they came, and attributes of instances by their names.
    """
    if isinstance(like, DictObject) and isinstance(x, DictObject):
        wanted, given = like.keys, x.keys
    elif isinstance(like, InstanceObject) and isinstance(x, InstanceObject):
        if like.cls is not x.cls:
            return None
        wanted, given = like.names, x.names
    else:
        return x.children() if like.key() == x.key() else None
    found = dict(zip(given, x.values))
    return tuple(found[k] for k in wanted) if found.keys() == set(wanted) else None


def unlike(ctx: Context, x: Node, like: Node) -> str:
    """What `x` is, and what is wanted."""
    given, wanted = _described(ctx, x), _described(ctx, like)
    if given == wanted and isinstance(x, InstanceObject) and isinstance(like, InstanceObject):
        given, wanted = (f"{given} with the attributes {_names(y)}" for y in (x, like))
    return f"{given} where {wanted} is wanted"


def _described(ctx: Context, x: Node) -> str:
    if isinstance(x, Tuple) and x.cls is not None:
        return f"an instance of {x.cls.__name__}"
    if isinstance(x, Contents):
        return describe_contents(x)
    assert isinstance(x, Abstract)
    return ctx.describe(x)


def _names(x: InstanceObject) -> str:
    return ", ".join(map(repr, x.names)) or "(none)"
