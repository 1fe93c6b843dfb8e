"""The versions of an array that a step changes by stores, and how the reverse sweep has them.

%a                   restored from %b by putting back what the store overwrote
%b = write %u into %a at %i
%c = for ... (%x = %b) { stores }       %b: returned by the reversal of this loop
%d = write %v into %c at %j             the last version: the reversal carries it

Where the reversal of the inner loop does not return %b, or there is none, a loop of its own puts
back what the inner one overwrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from myia.ir.core import Op, Region, Value, captures
from myia.primitives.arrays.dynamic_slices import (
    dynamic_slice,
    dynamic_update_add,
    dynamic_update_slice,
)
from myia.primitives.arrays.gather import IndexDims, gather, scatter_add, update_slice_sizes
from myia.primitives.arrays.scattering import scatter

OF_WINDOWS = (dynamic_update_slice, dynamic_update_add)
STORES = (*OF_WINDOWS, scatter, scatter_add)


@dataclass(frozen=True)
class Last:
    """The version at the end of the trip: what the reversal carries."""

    carried: Value


@dataclass(frozen=True)
class Undone:
    """The version before a store: `old` put back into the next version."""

    next: Value
    store: Op  # names the place
    old: Value

    @property
    def logged(self) -> tuple[Value, ...]:
        """The primal values that it takes."""
        return self.old, *place_of(self.store)


@dataclass(frozen=True)
class Returned:
    """The version before an inner loop: what the reversal of that loop returns."""

    next: Value
    result: Value


@dataclass(frozen=True)
class Unwound:
    """The version before an inner loop: what it overwrote is put back, the last trip first."""

    next: Value
    count: Value
    bound: int
    trip: Region  # (k, array, *overwritten in trip k) -> array before trip k
    tapes: tuple[Value, ...]

    @property
    def logged(self) -> tuple[Value, ...]:
        """The primal values that it takes."""
        return self.count, *self.tapes, *captures(self.trip)


Version = Last | Undone | Returned | Unwound


def place_of(store: Op) -> tuple[Value, ...]:
    """Where: the operands that are indices."""
    return store.operands[2:] if store.primitive in OF_WINDOWS else store.operands[1:2]


def update_of(store: Op) -> Value:
    """What is stored."""
    return store.operands[1 if store.primitive in OF_WINDOWS else 2]


def overwritten(store: Op, array: Value, place: Sequence[Value]) -> Value:
    """Emit the read of what a store overwrites in `array`."""
    if store.primitive in OF_WINDOWS:
        return dynamic_slice(array, *place, sizes=store.operands[1].shape)
    dims, mode = store.params["dims"], store.params["mode"]
    sizes = update_slice_sizes(array.shape, store.operands[2].shape, IndexDims(*dims))
    fill = 0 if mode == "fill" else None
    return gather(array, *place, dims=dims, sizes=sizes, mode=mode, fill=fill)


def put_back(store: Op, array: Value, old: Value, place: Sequence[Value]) -> Value:
    """Emit the write of `old`. (Where a scatter wrote twice, both write the same value back.)"""
    if store.primitive in OF_WINDOWS:
        return dynamic_update_slice(array, old, *place)
    dims, mode = store.params["dims"], store.params["mode"]
    unique = store.params.get("unique", False)
    return scatter(array, *place, old, dims=dims, mode=mode, unique=unique)
