"""Tangents and cotangents as the rules handle them: None is zero, nothing is added to nothing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from numbers import Number

from myia.ir.builder import at, current_span
from myia.ir.core import Op, Value
from myia.primitives.arrays.dynamic_slices import add_to_slice, static_indices
from myia.primitives.core.define import zeros
from myia.primitives.pointwise.arithmetic import add, mul, neg
from myia.source.span import Span
from myia.transforms.slice_cotangents import SliceCotangent, sum_of_slice_cotangents

Update = Callable[[Value], Value]


def scaled(partial: Value | Number, t: Value) -> Value | None:
    """`partial * t`, where rules may write a partial derivative that is constant as a number."""
    if isinstance(partial, Value):
        return mul(t, partial)
    if partial == 0:
        return None
    if partial == 1:
        return t
    return neg(t) if partial == -1 else mul(t, partial)


def plus(a: Value | None, b: Value | None, **params) -> Value | None:
    if a is None or b is None:
        return b if a is None else a
    return add(a, b, **params)


def or_zeros(t: Value | None, like: Value) -> Value:
    """The tangent or cotangent `t` of the value `like`, zero made explicit."""
    return zeros(like.aval) if t is None else t


def like_cotangents(xs: Iterable[Value]) -> tuple[Value, ...]:
    """New values to stand for the cotangents of `xs`, named after them."""
    return tuple(Value(x.aval, f"{x.name}_ct" if x.name else None) for x in xs)


class Accumulators:
    """The reverse sweep's sums: for each active value its cotangent so far.

    This is the `Cotangents` that the rules of primitives see (`ir/primitive.py`). Sums of nested
    sweeps start from those of the enclosing one, so that a window is added to the buffer that is
    there already, in a branch and in a loop as in straight code. Other windows wait until the sum
    is read, to be added together (`windows.py`), and what changes some elements waits for an array
    to be there that it can change in place: zeros made for it would have to be added to that array.
    """

    def __init__(
        self,
        active: set[Value],
        sums: Mapping[Value, Value] | None = None,
        residuals: dict[Op, tuple[Value, ...]] | None = None,
    ):
        self.active = active
        self.sums = dict(sums or {})
        self.begun = frozenset(self.sums)
        self.windows: dict[Value, dict[Hashable, SliceCotangent]] = {}
        self.updates: dict[Value, list[tuple[Span | None, Update]]] = {}
        self.residuals = {} if residuals is None else residuals  # what `custom` ops left behind

    def wants(self, x: Value) -> bool:
        return x in self.active

    def get(self, x: Value) -> Value | None:
        waiting = self.windows.pop(x, None)
        if waiting:
            self.sums[x] = sum_of_slice_cotangents(x.aval, self.sums.get(x), list(waiting.values()))
        for span, change in self.updates.pop(x, ()):
            with at(span):
                self.sums[x] = change(or_zeros(self.sums.get(x), x))
        return self.sums.get(x)

    def add(self, x: Value, ct: Value | None) -> None:
        if ct is not None and self.wants(x):
            free = {"reassoc": True} if x in self.begun else {}
            self.sums[x] = plus(self.sums.get(x), ct, **free)

    def add_slice(self, x: Value, start: tuple[int, ...], ct: Value) -> None:
        if x in self.begun:
            self.sums[x] = add_to_slice(self.sums[x], ct, static_indices(start))
        elif self.wants(x):
            waiting, place = self.windows.setdefault(x, {}), (start, ct.shape)
            if place in waiting:
                ct = add(waiting[place].ct, ct)
            waiting[place] = SliceCotangent(start, ct, current_span())

    def update(self, x: Value, change: Update) -> None:
        if x in self.sums:
            self.sums[x] = change(self.sums[x])
        elif self.wants(x):
            self.updates.setdefault(x, []).append((current_span(), change))

    def buffer(self, x: Value) -> Value:
        return or_zeros(self.get(x), x)

    def replace(self, x: Value, ct: Value) -> None:
        """`ct` contains what `get` and `buffer` gave."""
        if self.wants(x):
            self.sums[x] = ct

    def take(self, x: Value) -> Value | None:
        """The complete cotangent of `x`, when the sweep reaches its definition."""
        total = self.get(x)
        self.sums.pop(x, None)
        return total

    def settle(self) -> None:
        """Nothing waits any more."""
        for x in (*self.windows, *self.updates):
            self.get(x)
