"""The builder: `emit` makes an op whose results the shape rule types, and appends it to a region.

A pass may also copy an op, whose results keep their avals (`rewrite.py`); `append` takes such ops.
The verifier runs the shape rules of all ops again.

Builders nest; `emit` appends to the innermost one:

    with Builder() as b:
        y = emit1(mul, x, x)
    region = Region((x,), tuple(b.ops), (y,))

or, the same in one call, `region = build_region([x.aval], lambda x: [emit1(mul, x, x)])`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from myia.ir.avals import Aval
from myia.ir.core import Op, Region, Value
from myia.ir.primitive import Primitive
from myia.source.span import Span


class _State(threading.local):
    def __init__(self) -> None:
        self.builders: list[Builder] = []
        self.span: Span | None = None


_state = _State()


class Builder:
    """A list of ops under construction; a context in which `emit` appends to it."""

    __slots__ = ("__weakref__", "ops")

    def __init__(self) -> None:
        self.ops: list[Op] = []

    def __enter__(self) -> Builder:
        _state.builders.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _state.builders.pop()


def current_builder() -> Builder:
    return _state.builders[-1]


def is_open(builder: Builder | None) -> bool:
    """Is what was emitted into this builder visible here?"""
    return any(b is builder for b in _state.builders)


class _At:
    """A class, since each op of each pass is in such a context: a generator takes longer."""

    __slots__ = ("previous", "span")

    def __init__(self, span: Span | None) -> None:
        self.span = span

    def __enter__(self) -> None:
        self.previous = _state.span
        if self.span is not None:
            _state.span = self.span

    def __exit__(self, *_: object) -> None:
        _state.span = self.previous


def at(span: Span | None) -> AbstractContextManager[None]:
    """Ops emitted inside come from `span` (None: keep the span that is current)."""
    return _At(span)


def current_span() -> Span | None:
    return _state.span


def emit(
    primitive: Primitive, *operands: Value, regions: Sequence[Region] = (), **params: Any
) -> tuple[Value, ...]:
    """Append one op; its results are typed by the primitive's shape rule."""
    of_regions = {"regions": tuple(regions)} if primitive.structured else {}
    avals = primitive.avals(*(x.aval for x in operands), **of_regions, **params)
    results = tuple(Value(a) for a in avals)
    op = Op(primitive, operands, params, tuple(regions), results, _state.span)
    _state.builders[-1].ops.append(op)
    return results


def emit1(primitive: Primitive, *operands: Value, **params: Any) -> Value:
    """`emit` for a primitive with one result."""
    (result,) = emit(primitive, *operands, **params)
    return result


def append(op: Op) -> None:
    """Append an existing op, whose operands are visible here."""
    _state.builders[-1].ops.append(op)


def build_region(
    avals: Sequence[Aval], body: Callable[..., Sequence[Value]], names: Sequence[str | None] = ()
) -> Region:
    """A region with arguments of `avals`; `body(*args)` emits its ops and returns its yields."""
    names = tuple(names) + (None,) * (len(avals) - len(names))
    args = tuple(Value(a, n) for a, n in zip(avals, names))
    with Builder() as b:
        yields = tuple(body(*args))
    return Region(args, tuple(b.ops), yields)
