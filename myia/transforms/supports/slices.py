"""Supports that differ from everywhere or nowhere in a few slices: stores, without an array.

    %a = dynamic_slice %x, %i              support of %x_ct: nowhere, but at %i everywhere
    %y = dynamic_update_slice %x, %u, %i   support of %x_ct: everywhere, but at %i nowhere

Loops store and load the same elements again and again: an array of booleans would cost as much in
each iteration as the array is long. So loads are forwarded from the stores, by their indices. Where
it is not known whether two slices overlap the answer is everywhere, which is always true.
"""

from __future__ import annotations

import builtins
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

from myia.ir.avals import BOOL, Aval, Shape
from myia.ir.core import Op, Value
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import broadcast, pad, slice
from myia.primitives.core.define import constant
from myia.primitives.pointwise.arithmetic import max as maximum
from myia.primitives.pointwise.arithmetic import min as minimum
from myia.primitives.pointwise.logic import and_, eq, or_, select

MAX_STORES = 16
MAX_CHECKED_ELEMENTS = 1 << 20  # of an array: whether slices at constant indices cover it

# What is known of an integer: its value, or what is the same for all integers equal to it.
Integers = Mapping[Value, Hashable]


# ----- Slices


@dataclass(frozen=True, eq=False)
class Slice:
    """A slice of an array, at constant indices or at those of run time."""

    start: tuple[int | Value, ...]
    sizes: Shape
    stride: Shape | None  # None: at run-time indices
    key: Hashable  # equal for equal slices

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slice) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def is_constant(self) -> bool:
        return self.stride is not None

    @property
    def constants(self) -> tuple[Shape, Shape]:
        """Start and stride, for constant indices."""
        return tuple(i for i in self.start if isinstance(i, int)), self.stride or ()

    @property
    def subscript(self) -> tuple[builtins.slice, ...]:
        """For constant indices."""
        start, stride = self.constants
        ends = zip(start, self.sizes, stride)
        return tuple(np.s_[a : a + n * step : step] for a, n, step in ends)

    def padded(self, support: Value, x: Aval) -> Value:
        """An array like `x` with `support` in the slice, for constant indices."""
        start, stride = self.constants
        interior = tuple(step - 1 for step in stride)
        lengths = (max(0, (n - 1) * step + 1) for n, step in zip(self.sizes, stride))
        high = tuple(n - a - m for n, a, m in zip(x.shape, start, lengths))
        outside = constant(False, BOOL.dtype)
        return pad(support, outside, low=start, high=high, interior=interior)


def slice_of(op: Op, integers: Integers) -> Slice:
    """What `op` reads or writes."""
    x, *indices = op.operands
    sizes = op.results[0].shape
    if op.primitive is slice:
        start, stride = op.params["start"], op.params["stride"]
        return Slice(start, sizes, stride, (start, sizes, stride))
    if op.primitive is dynamic_update_slice:
        sizes, indices = indices[0].shape, indices[1:]
    known = [integers.get(i, i) for i in indices]
    constants = [i for i in known if isinstance(i, int)]
    if len(constants) < len(known):
        return Slice(tuple(indices), sizes, None, (*known, sizes))
    start = tuple(max(0, min(i, n - size)) for i, n, size in zip(constants, x.shape, sizes))
    stride = (1,) * len(sizes)
    return Slice(start, sizes, stride, (start, sizes, stride))


# ----- Supports


@dataclass(frozen=True, eq=False)
class Stores:
    """Everywhere or nowhere in an array, but for what is stored: slices with their supports."""

    aval: Aval
    everywhere: bool = False
    stores: tuple[tuple[Slice, Support], ...] = ()

    @property
    def is_nowhere(self) -> bool:
        return not (self.everywhere or self.stores)

    def load(self, part: Slice) -> Support:
        """The support in a slice, as one of an array like the slice."""
        aval = self.aval.with_shape(part.sizes)
        known = self._known()
        if known is not None and part.is_constant:
            inside = known[part.subscript]
            if inside.all() or not inside.any():
                return None if inside.all() else Stores(aval)
        found: Support = None if self.everywhere else Stores(aval)
        for other, support in self.stores:
            if other == part:
                found = support
            elif other.is_constant and part.is_constant:
                if _overlap(other, part):
                    return self._load_from_array(part)
            elif found is not support:
                found = self._if_equal(other, part, support, found)
        return found

    def _if_equal(self, one: Slice, other: Slice, then: Support, otherwise: Support) -> Support:
        """`then` if the slices, of one element each, are the same, else `otherwise`."""
        if set(one.sizes) | set(other.sizes) != {1}:
            return None
        pairs = zip(one.start, other.start, self.aval.shape)
        conditions = [eq(_clamped(i, n), _clamped(j, n)) for i, j, n in pairs if i is not j]
        aval = self.aval.with_shape(other.sizes)
        same = broadcast(reduce(and_, conditions), shape=aval.shape, dims=())
        return select(same, as_array(then, aval), as_array(otherwise, aval))

    @property
    def has_constant_indices(self) -> bool:
        return all(part.is_constant for part, _ in self.stores)

    def _load_from_array(self, part: Slice) -> Support:
        if not self.has_constant_indices:
            return None
        start, stride = part.constants
        limits = zip(start, part.sizes, stride)
        limit = tuple(a + max(0, (n - 1) * step + 1) for a, n, step in limits)
        return slice(self.as_array(), start=start, limit=limit, stride=stride)

    def store(self, part: Slice, support: Support) -> Support:
        kept = tuple((other, old) for other, old in self.stores if other != part)
        if len(kept) == MAX_STORES:
            return None
        if support is None and self.everywhere and not kept:
            return None
        if _is_nowhere(support) and not self.everywhere and not kept:
            return Stores(self.aval)
        found = Stores(self.aval, self.everywhere, (*kept, (part, support)))
        known = found._known()
        return None if known is not None and known.all() else found

    def add(self, part: Slice, support: Support) -> Support:
        return self.store(part, union(self.load(part), support))

    def _known(self) -> np.ndarray | None:
        """The booleans, if they are known at compile time."""
        if self.aval.size > MAX_CHECKED_ELEMENTS:
            return None
        found = np.full(self.aval.shape, self.everywhere)
        for part, support in self.stores:
            if not part.is_constant or not (support is None or _is_nowhere(support)):
                return None
            found[part.subscript] = support is None
        return found

    @property
    def only_adds(self) -> bool:
        return not self.everywhere and not any(_is_nowhere(s) for _, s in self.stores)

    def as_array(self) -> Value:
        total = constant(self.everywhere, BOOL.dtype, self.aval.shape)
        for part, support in self.stores:
            inner = as_array(support, self.aval.with_shape(part.sizes))
            if part.is_constant:
                inside = part.padded(constant(True, BOOL.dtype, part.sizes), self.aval)
                total = select(inside, part.padded(inner, self.aval), total)
            else:
                total = dynamic_update_slice(total, inner, *_as_values(part.start))
        return total


Support = Value | Stores | None


def as_array(support: Support, like: Aval) -> Value:
    """The support of an array of this aval, as booleans."""
    if support is None:
        return constant(True, BOOL.dtype, like.shape)
    return support.as_array() if isinstance(support, Stores) else support


def union(a: Support, b: Support) -> Support:
    if a is None or b is None:
        return None
    if a is b:
        return a
    for one, other in ((a, b), (b, a)):
        if _is_nowhere(one):
            return other
        if isinstance(one, Stores) and one.only_adds:
            if isinstance(other, Stores):
                total: Support = other
                return reduce(_with_store, one.stores, total)
            return reduce(_with_booleans, one.stores, other)
    if all(isinstance(x, Stores) and not x.has_constant_indices for x in (a, b)):
        return None  # each lacks slices that the other has, as far as is known
    return or_(*(x.as_array() if isinstance(x, Stores) else x for x in (a, b)))


def _with_store(total: Support, store: tuple[Slice, Support]) -> Support:
    return total.add(*store) if isinstance(total, Stores) else None


def _with_booleans(total: Value, store: tuple[Slice, Support]) -> Value:
    """An array of booleans with a slice added: in place, since loops do it in each iteration."""
    part, support = store
    more = as_array(support, total.aval.with_shape(part.sizes))
    if part.stride is not None and set(part.stride) != {1}:
        return or_(total, part.padded(more, total.aval))
    start = _as_values(part.start)
    if support is not None:
        more = or_(dynamic_slice(total, *start, sizes=part.sizes), more)
    return dynamic_update_slice(total, more, *start)


def _as_values(indices: Iterable[int | Value]) -> list[Value]:
    return [constant(i, np.int64) if isinstance(i, int) else i for i in indices]


def _overlap(one: Slice, other: Slice) -> bool:
    """Whether slices at constant indices may have a common element."""
    (start, stride), (others, hops) = one.constants, other.constants
    axes = zip(start, one.sizes, stride, others, other.sizes, hops)
    return all(
        set(range(a, a + n * step, step)).intersection(range(b, b + m * hop, hop))
        for a, n, step, b, m, hop in axes
    )


def _is_nowhere(support: Support) -> bool:
    return isinstance(support, Stores) and support.is_nowhere


def _clamped(i: int | Value, length: int) -> Value:
    """An index of one element, as loads and stores take it."""
    value = constant(i, np.int64) if isinstance(i, int) else i
    return minimum(maximum(value, 0), length - 1)
