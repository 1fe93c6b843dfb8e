"""pandas: a Series as an array, where no index is needed.

    df["x"] * 2.0 + df["y"]        the columns have one index: their arrays are added
    s + t                          of two arguments only if both indexes are the same `RangeIndex`
    s.mean(), np.sum(s)            as in pandas, which leaves out NaN

What needs labels is refused. Results are arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.guests.classes import compiled_methods
from myia.library.support.from_source import Array

INSTEAD = "give its numbers: `.to_numpy()`"
OTHER_INDEX = "an operation on two Series whose indexes may differ: take `.to_numpy()` of both"
LABELS = "an item of a Series by its label: take `.to_numpy()[i]` or `.iloc[i]`"


class Labelled:
    """What pandas has: operators of NumPy leave it to them."""

    __array_ufunc__ = None


@compiled_methods
class Column(Labelled):
    """A Series: its array, the labels of a `RangeIndex`, and the object whose index it has."""

    ndim = 1
    _array: Array
    _labels: Any
    _origin: Any

    def __init__(self, array: Array, labels: Any, origin: Any) -> None:
        self._array, self._labels, self._origin = array, labels, origin

    def to_numpy(self) -> Array:
        if self._array is None:
            raise NotImplementedError("a Series of what is not numbers")
        return self._array

    @property
    def values(self) -> Array:
        return self.to_numpy()

    @property
    def shape(self) -> Array:
        return self.to_numpy().shape

    @property
    def size(self) -> int:
        return self.to_numpy().size

    @property
    def dtype(self) -> Any:
        return self.to_numpy().dtype

    @property
    def iloc(self) -> Array:
        return Positions(self.to_numpy())

    def __len__(self) -> int:
        return len(self.to_numpy())

    def __getitem__(self, key: Any) -> Any:
        mask = numbers_beside(self, key) if isinstance(key, (Column, np.ndarray)) else None
        if mask is None or mask.dtype.kind != "b":
            raise NotImplementedError(LABELS)
        return Column(self.to_numpy()[mask], None, None)

    def __add__(self, y: Array) -> Any:
        return like(self, self.to_numpy() + numbers_beside(self, y))

    def __radd__(self, y: Array) -> Any:
        return like(self, numbers_beside(self, y) + self.to_numpy())

    def __sub__(self, y: Array) -> Any:
        return like(self, self.to_numpy() - numbers_beside(self, y))

    def __rsub__(self, y: Array) -> Any:
        return like(self, numbers_beside(self, y) - self.to_numpy())

    def __mul__(self, y: Array) -> Any:
        return like(self, self.to_numpy() * numbers_beside(self, y))

    def __rmul__(self, y: Array) -> Any:
        return like(self, numbers_beside(self, y) * self.to_numpy())

    def __truediv__(self, y: Array) -> Any:
        return like(self, self.to_numpy() / numbers_beside(self, y))

    def __rtruediv__(self, y: Array) -> Any:
        return like(self, numbers_beside(self, y) / self.to_numpy())

    def __pow__(self, y: Array) -> Any:
        return like(self, self.to_numpy() ** numbers_beside(self, y))

    def __rpow__(self, y: Array) -> Any:
        return like(self, numbers_beside(self, y) ** self.to_numpy())

    def __neg__(self) -> Any:
        return like(self, -self.to_numpy())

    def __abs__(self) -> Any:
        return like(self, np.abs(self.to_numpy()))

    def __lt__(self, y: Array) -> Any:
        return like(self, self.to_numpy() < numbers_beside(self, y))

    def __le__(self, y: Array) -> Any:
        return like(self, self.to_numpy() <= numbers_beside(self, y))

    def __gt__(self, y: Array) -> Any:
        return like(self, self.to_numpy() > numbers_beside(self, y))

    def __ge__(self, y: Array) -> Any:
        return like(self, self.to_numpy() >= numbers_beside(self, y))

    def __eq__(self, y: Any) -> Any:
        return like(self, self.to_numpy() == numbers_beside(self, y))

    def __ne__(self, y: Any) -> Any:
        return like(self, self.to_numpy() != numbers_beside(self, y))

    def __invert__(self) -> Any:
        return like(self, ~self.to_numpy())

    def __and__(self, y: Array) -> Any:
        return like(self, flags_of(self.to_numpy()) & flags_of(numbers_beside(self, y)))

    def __or__(self, y: Array) -> Any:
        return like(self, flags_of(self.to_numpy()) | flags_of(numbers_beside(self, y)))

    def __matmul__(self, y: Array) -> Array:
        return self.dot(y)

    def __rmatmul__(self, y: Array) -> Array:
        return np.asarray(y) @ self.to_numpy()

    def dot(self, y: Array) -> Array:
        if isinstance(y, Column):
            return self.to_numpy() @ numbers_beside(self, y)
        return self.to_numpy() @ np.asarray(y)

    def abs(self) -> Any:
        return like(self, np.abs(self.to_numpy()))

    def sum(self) -> Array:
        x = present(self.to_numpy(), 0)
        return np.sum(x.astype(np.float64) if x.dtype == np.float16 else x)

    def prod(self) -> Array:
        return np.prod(present(self.to_numpy(), 1))

    def mean(self) -> Array:
        if self.dtype == np.float32:
            return np.nanmean(self.to_numpy())
        return self.sum() / self.count()

    def median(self) -> Array:
        return np.nanmedian(self.to_numpy())

    def min(self) -> Array:
        if len(self.to_numpy()) == 0:
            return np.nan
        return np.nanmin(self.to_numpy())

    def max(self) -> Array:
        if len(self.to_numpy()) == 0:
            return np.nan
        return np.nanmax(self.to_numpy())

    def var(self, ddof: int = 1) -> Array:
        return np.nanvar(self.to_numpy(), ddof=ddof)

    def std(self, ddof: int = 1) -> Array:
        return np.nanstd(self.to_numpy(), ddof=ddof)

    def count(self) -> Array:
        return np.sum(~np.isnan(self.to_numpy()))


@compiled_methods
class Positions:
    """`s.iloc`"""

    def __init__(self, array: Array) -> None:
        self._array = array

    def __getitem__(self, i: Any) -> Array:
        if isinstance(i, slice):
            return Column(self._array[i], None, None)
        if not isinstance(i, int):
            raise NotImplementedError("`iloc` but for one position and slices: take `.to_numpy()`")
        return self._array[i]


def like(x: Any, array: Array) -> Any:
    """A Series with the index of another."""
    return Column(array, x._labels, origin_of(x))


def origin_of(x: Any) -> Any:
    return x if x._origin is None else x._origin


def numbers_beside(x: Any, y: Any) -> Array:
    """`y` as an operand of an operator on a Series."""
    if isinstance(y, Column):
        unlabelled = x._labels is None or y._labels is None
        same = origin_of(x) is origin_of(y) if unlabelled else x._labels == y._labels
        if not same:
            raise NotImplementedError(OTHER_INDEX)
        return y.to_numpy()
    if isinstance(y, Labelled):
        raise NotImplementedError(f"an operation on a Series and a DataFrame: {INSTEAD}")
    if np.ndim(y) == 0:
        return y
    if np.shape(y) != x.to_numpy().shape:
        raise ValueError("a Series and an array must have the same length")
    return np.asarray(y)


def present(x: Array, neutral: int) -> Array:
    """`x` with a number in place of NaN."""
    return np.where(np.isnan(x), neutral, x) if x.dtype.kind in "fc" else x


def flags_of(x: Array) -> Array:
    if np.asarray(x).dtype.kind != "b":
        raise NotImplementedError(f"`&` and `|` of Series but of bools: {INSTEAD}")
    return x
