"""Tangents and cotangents while rules run: None is zero, and adding None emits nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from myia.ir.builder import at, current_span
from myia.ir.core import Op, Value
from myia.primitives.arrays.dynamic_slices import add_to_slice, static_indices
from myia.primitives.core.define import Number, zeros
from myia.primitives.pointwise.arithmetic import add, mul, neg
from myia.source.span import Span
from myia.transforms.slice_cotangents import SliceCotangent, sum_of_slice_cotangents
from myia.transforms.supports.slices import Support, as_array, union
from myia.transforms.supports.tracked import UNTRACKED, Supports, Tracked, nowhere, restricted

Update = Callable[[Value], Value]
Reverse = Callable[..., "Accumulators"]  # the reverse sweep of `vjp.py`, handed in


def scaled(partial: Value | Number, t: Value) -> Value | None:
    """`partial * t`. Rules may write a constant partial derivative as a number."""
    if isinstance(partial, Value):
        return mul(t, partial)
    if partial == 0:
        return None
    if partial == 1:
        return t
    return neg(t) if partial == -1 else mul(t, partial)


def plus(a: Value | None, b: Value | None, **params: Any) -> Value | None:
    if a is None or b is None:
        return b if a is None else a
    return add(a, b, **params)


def or_zeros(t: Value | None, like: Value) -> Value:
    """The tangent or cotangent `t` of the value `like`; None becomes an array of zeros."""
    return zeros(like.aval) if t is None else t


def like_cotangents(xs: Iterable[Value], suffix: str = "ct") -> tuple[Value, ...]:
    """New values for the cotangents of `xs`, named after them; or the tangents, `suffix` "t"."""
    return tuple(Value(x.aval, f"{x.name}_{suffix}" if x.name else None) for x in xs)


class Accumulators:
    """The sums of the reverse sweep: for each active value its cotangent so far.

    This is the `Cotangents` that the rules of primitives see (`ir/primitive.py`). The sums of a
    nested sweep start from those of the enclosing one (`inherited`). So the cotangent of a slice is
    added to the existing buffer, in branches and loops as in straight-line code.

    Where there is no buffer yet, two kinds of contributions are deferred until the sum is read:

    - cotangents of slices at constant start indices, to be combined (`slice_cotangents.py`);
    - updates of some elements: zeros that were made for them would have to be added to the array
      that other contributions make, so the update is applied to that array, in place.

    Beside the sums stand the supports of those in `tracked` (`supports/`). Rules add numbers only:
    who runs a rule says before which supports its contributions have (`contribute`).
    """

    def __init__(
        self,
        active: set[Value],
        sums: Mapping[Value, Value] | None = None,
        residuals: dict[Op, tuple[Value, ...]] | None = None,
        tracked: Tracked = UNTRACKED,
        supports: Supports | None = None,
    ):
        self.active = active
        self.tracked = tracked
        supports = Supports() if supports is None else supports
        # Of the sums, as far as they are tracked. A sum without an entry is zero everywhere.
        self.supports: dict[Value, Support] = {**dict.fromkeys(sums or {}), **supports.of_sums}
        # Supports that come of run-time positions only; parts of other supports.
        self.by_position, self.within = supports.by_position, supports.within
        self.in_loop = supports.in_loop
        self.contribution: Mapping[Value, Support] = {}
        self.spoiled: Collection[Value] = ()
        self.sums = dict(sums or {})
        self.inherited = frozenset(self.sums)
        self.deferred_slices: dict[Value, dict[Hashable, SliceCotangent]] = {}
        self.deferred_updates: dict[Value, list[tuple[Span | None, Update]]] = {}
        self.residuals = (
            {} if residuals is None else residuals
        )  # of `custom` ops, from their forward rules

    def wants(self, x: Value) -> bool:
        return x in self.active

    def tracks(self, x: Value) -> bool:
        return x in self.tracked.values

    @contextmanager
    def contribute(
        self, supports: Mapping[Value, Support], spoiled: Collection[Value] = ()
    ) -> Iterator[None]:
        """Inside, contributions have these supports (without an entry: everywhere).

        Those to the values `spoiled` are made zero elsewhere.
        """
        self.contribution, self.spoiled = supports, spoiled
        yield
        self.contribution, self.spoiled = {}, ()

    def _grow_support(self, x: Value) -> None:
        if self.tracks(x):
            old, more = self.supports.get(x), self.contribution.get(x)
            self.supports[x] = union(old, more) if x in self.supports else more
            total = self.supports[x]
            if {old, more} <= self.by_position:
                self.by_position.add(total)
            if total is not more:
                self.note_within(total, old, more)

    def note_within(self, total: Support, *parts: Support) -> None:
        """Note that `total` is in any array of booleans in which all of these parts are."""
        wholes = {self.within.get(part, part) for part in parts}
        if len(wholes) == 1:
            (whole,) = wholes
            if isinstance(whole, Value) and whole is not total:
                self.within[total] = whole

    def support(self, x: Value) -> Value:
        """The support of the cotangent of `x` so far, as an array even where it is everywhere."""
        return as_array(self.supports[x] if x in self.supports else nowhere(x), x.aval)

    def of_branch(self, sums: Mapping[Value, Value]) -> Accumulators:
        """The accumulators of a branch, which start from these sums."""
        of_sums = {x: self.supports.get(x) for x in sums}
        supports = Supports(
            of_sums=of_sums,
            by_position=self.by_position,
            within=self.within,
            in_loop=self.in_loop,
        )
        return Accumulators(self.active, sums, self.residuals, self.tracked, supports)

    def get(self, x: Value) -> Value | None:
        """The cotangent of `x` so far, deferred contributions included; None: zero."""
        # Slices before updates: an update is applied in place to the array that the slices make.
        slices = self.deferred_slices.pop(x, None)
        if slices:
            self.sums[x] = sum_of_slice_cotangents(x.aval, self.sums.get(x), list(slices.values()))
        for span, change in self.deferred_updates.pop(x, ()):
            with at(span):
                self.sums[x] = change(or_zeros(self.sums.get(x), x))
        return self.sums.get(x)

    def add(self, x: Value, ct: Value | None) -> None:
        if ct is not None and self.wants(x):
            # The sums that an adjoint loop collects have no order that a user wrote.
            any_order = {"reassoc": True} if x in self.inherited else {}
            if x in self.spoiled:
                ct = restricted(ct, self.contribution[x])
            self._grow_support(x)
            total = plus(self.sums.get(x), ct, **any_order)
            if total is not None:
                self.sums[x] = total

    def add_slice(self, x: Value, start: tuple[int, ...], ct: Value) -> None:
        self._grow_support(x)
        if x in self.inherited:
            self.sums[x] = add_to_slice(self.sums[x], ct, static_indices(start))
        elif self.wants(x):
            slices, key = self.deferred_slices.setdefault(x, {}), (start, ct.shape)
            if key in slices:
                ct = add(slices[key].ct, ct)
            slices[key] = SliceCotangent(start, ct, current_span())

    def update(self, x: Value, change: Update) -> None:
        self._grow_support(x)
        if x in self.sums:
            self.sums[x] = change(self.sums[x])
        elif self.wants(x):
            self.deferred_updates.setdefault(x, []).append((current_span(), change))

    def buffer(self, x: Value) -> Value:
        """The cotangent of `x` so far, as an array even where it is zero."""
        return or_zeros(self.get(x), x)

    def replace(self, x: Value, ct: Value, support: Support = None) -> None:
        """Set the sum of `x` to `ct`, which includes what `get` or `buffer` gave."""
        if self.wants(x):
            self.sums[x] = ct
            self.supports[x] = support

    def take(self, x: Value) -> Value | None:
        """Remove and return the cotangent of `x`: the sweep has reached the definition of `x`."""
        total = self.get(x)
        self.sums.pop(x, None)
        return total

    def take_support(self, x: Value) -> Support:
        return self.supports.pop(x, None)

    def flush(self) -> None:
        """Add all deferred contributions."""
        for x in (*self.deferred_slices, *self.deferred_updates):
            self.get(x)
