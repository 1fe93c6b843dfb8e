"""How the reverse sweep restores the versions of an array that an iteration changes by stores.

    %a                                      %b with the overwritten elements restored
    %b = write %u into %a at %i             returned by the adjoint of the inner loop
    %c = for ... (%x = %b) { stores }       %d with the overwritten elements restored
    %d = write %v into %c at %j             the last version: carried by the adjoint loop

Where no adjoint of the inner loop returns %b, a further loop undoes its stores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from myia.ir.core import Op, Region, Value, captures
from myia.ir.rewrite import clone_region
from myia.primitives.arrays.dynamic_slices import STORES, dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.gather import IndexDims, gather, update_slice_sizes
from myia.primitives.arrays.scattering import scatter


@dataclass(frozen=True)
class Carried:
    """The version at the end of the iteration: the adjoint loop carries it."""

    carried: Value


@dataclass(frozen=True)
class UndoneStore:
    """The version before a store: the next version with the elements `old` restored."""

    next: Value
    store: Op  # describes the store: its primitive, parameters and indices
    old: Value

    @property
    def logged(self) -> tuple[Value, ...]:
        """The primal values that the restoration reads."""
        return self.old, *indices_of(self.store)


@dataclass(frozen=True)
class ReturnedByAdjoint:
    """The version before an inner loop: a result of the adjoint of that loop."""

    next: Value
    result: Value


@dataclass(frozen=True)
class UndoneLoop:
    """The version before an inner loop: its stores are undone, last iteration first."""

    next: Value
    count: Value
    bound: int
    undo_iteration: Region  # (k, array, *overwritten in iteration k) -> array before iteration k
    tapes: tuple[Value, ...]

    @property
    def logged(self) -> tuple[Value, ...]:
        """The primal values that the restoration reads."""
        return self.count, *self.tapes, *captures(self.undo_iteration)

    def renamed(self, now: Mapping[Value, Value]) -> UndoneLoop:
        """The same with other values; `now`: what values have become."""
        after, count, *tapes = (now.get(x, x) for x in (self.next, self.count, *self.tapes))
        undo_iteration = clone_region(self.undo_iteration, dict(now))
        return UndoneLoop(after, count, self.bound, undo_iteration, tuple(tapes))


Version = Carried | UndoneStore | ReturnedByAdjoint | UndoneLoop


def indices_of(store: Op) -> tuple[Value, ...]:
    """The operands that say where it stores."""
    return store.operands[2:] if store.primitive in STORES else store.operands[1:2]


def update_of(store: Op) -> Value:
    """The operand that is stored."""
    return store.operands[1 if store.primitive in STORES else 2]


def read_overwritten(store: Op, array: Value, indices: Sequence[Value]) -> Value:
    """Emit a read of the elements of `array` that a store overwrites."""
    if store.primitive in STORES:
        return dynamic_slice(array, *indices, sizes=store.operands[1].shape)
    dims, mode = store.params["dims"], store.params["mode"]
    sizes = update_slice_sizes(array.shape, store.operands[2].shape, IndexDims(*dims))
    fill = 0 if mode == "fill" else None
    return gather(array, *indices, dims=dims, sizes=sizes, mode=mode, fill=fill)


def restore_overwritten(store: Op, array: Value, old: Value, indices: Sequence[Value]) -> Value:
    """Emit the write of the elements `old` over those of a store.

    Where a scatter stored twice at one index, both writes restore the same element.
    """
    if store.primitive in STORES:
        return dynamic_update_slice(array, old, *indices)
    dims, mode = store.params["dims"], store.params["mode"]
    unique = store.params.get("unique", False)
    return scatter(array, *indices, old, dims=dims, mode=mode, unique=unique)
