"""pandas: a Series and the columns of a DataFrame as arrays, where no index is needed.

    df["x"] * 2.0 + df["y"]        the columns have one index: their arrays are added
    s + t                          of two arguments only if both indexes are the same `RangeIndex`
    s.mean(), np.sum(s)            as in pandas, which leaves out NaN

What needs labels is refused. Results are arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from myia.library.guests.classes import by_name, compiled_methods, replaces
from myia.library.support.from_source import Array

INSTEAD = "give its numbers: `.to_numpy()`"
OTHER_INDEX = "an operation on two Series whose indexes may differ: take `.to_numpy()` of both"
LABELS = "an item of a Series by its label: take `.to_numpy()[i]` or `.iloc[i]`"
SOME_COLUMNS = "`df[names].to_numpy()`"
NUMBERS = "biufc"

# ----- Series


@compiled_methods
class Column:
    """A Series: its array, the labels of a `RangeIndex`, and the object whose index it has."""

    __array_ufunc__ = None
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
        return np.sum(present(self.to_numpy(), 0))

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
        if not isinstance(i, int):
            raise NotImplementedError("`iloc` but for one position")
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
    if isinstance(y, Frame):
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


# ----- DataFrames


@compiled_methods
class Frame:
    """A DataFrame: the arrays of its columns of numbers, and their names."""

    __array_ufunc__ = None
    ndim = 2
    _arrays: tuple[Array, ...]
    _columns: tuple[Any, ...]
    _names: tuple[Any, ...]
    _labels: Any
    _count: int
    _origin: Any

    def __init__(self, arrays: Any, columns: Any, frame: Any) -> None:
        self._arrays, self._columns, self._names = arrays, columns, columns
        self._labels, self._count, self._origin = frame._labels, frame._count, origin_of(frame)

    def _column(self, name: Any) -> Any:
        if name not in self._columns:
            raise KeyError(name)
        if name not in self._names:
            raise NotImplementedError(f"the column {name!r}, which has no numbers: leave it out")
        return dict(zip(self._names, self._arrays))[name]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, list):
            return Frame(tuple([self._column(name) for name in key]), tuple(key), self)
        if isinstance(key, (str, int)):
            return Column(self._column(key), self._labels, origin_of(self))
        raise NotImplementedError("rows of a DataFrame: take them of `.to_numpy()`")

    def __getattr__(self, name: str) -> Any:
        if name not in self._columns:
            raise AttributeError(f"'DataFrame' object has no attribute {name!r}")
        return self[name]

    def to_numpy(self) -> Array:
        if len(self._names) != len(self._columns):
            raise NotImplementedError(f"an array of columns that have no numbers: {SOME_COLUMNS}")
        kinds = [x.dtype.kind for x in self._arrays]
        if "b" in kinds and set(kinds) != {"b"}:
            raise NotImplementedError("an array of bools and numbers: `.astype(float)` outside")
        return np.stack(self._arrays, axis=1)

    @property
    def values(self) -> Array:
        return self.to_numpy()

    @property
    def shape(self) -> Array:
        return self._count, len(self._columns)

    @property
    def size(self) -> int:
        return self._count * len(self._columns)

    @property
    def columns(self) -> Array:
        return self._columns

    def __len__(self) -> int:
        return self._count

    def __contains__(self, name: Any) -> bool:
        return name in self._columns


# ----- Functions of NumPy


@by_name
def elementwise(f: Any, *args: Any) -> Any:
    """A ufunc of Series, of which the first tells the index."""
    first = [x for x in args if isinstance(x, Column)][0]  # noqa: RUF015
    return like(first, f(*[numbers_beside(first, x) for x in args]))


@by_name
def reduced(f: Any, x: Any) -> Array:
    """NumPy calls the method of pandas."""
    return getattr(x, METHODS[f])()


@by_name
def spread(f: Any, x: Any, ddof: int = 0) -> Array:
    return x.std(ddof) if f is np.std else x.var(ddof)


@by_name
def of_arrays(f: Any, *args: Any, **kwargs: Any) -> Array:
    """NumPy converts its arguments."""
    return f(*[x.to_numpy() if isinstance(x, (Column, Frame)) else x for x in args], **kwargs)


METHODS = {np.sum: "sum", np.prod: "prod", np.mean: "mean", np.min: "min", np.max: "max"}
CONVERTING = (
    *(np.asarray, np.array, np.dot, np.inner, np.outer, np.where, np.median, np.diff),
    *(np.nansum, np.nanmean, np.nanmin, np.nanmax, np.nanstd, np.nanvar, np.percentile, np.sort),
    *(np.quantile, np.linalg.norm, np.interp, np.polyfit, np.array_equal, np.allclose, np.unique),
)


def _of_numpy(f: Any) -> Callable[..., Any] | None:
    """What a function of NumPy does with a Series or a DataFrame; None: it is refused."""
    if f in CONVERTING:
        return of_arrays
    if isinstance(f, np.ufunc):
        return elementwise if f.nout == 1 and f.signature is None else None
    if f in (np.std, np.var):
        return spread
    return reduced if f in METHODS else None


# ----- Those of pandas


def _labels(x: Any) -> Any:
    index = x.index
    if type(index).__name__ != "RangeIndex":
        return None
    return index.start, index.stop, index.step


def _is_numeric(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in NUMBERS


def _array(x: Any) -> Any:
    return x.to_numpy() if _is_numeric(x.dtype) else None


replaces(
    "pandas",
    "Series",
    parts=("_array",),
    take_parts=lambda x: (_array(x),),
    values=("_labels", "_origin"),
    take_values=lambda x: (_labels(x), None),
    rebuilt=lambda state: state["_array"],
    instead=INSTEAD,
    numpy=_of_numpy,
)(Column)


def _arrays(x: Any) -> tuple[Any, ...]:
    return (tuple([c.to_numpy() for _, c in x.items() if _is_numeric(c.dtype)]),)


def _names(x: Any) -> tuple[Any, ...]:
    columns = tuple(x.columns)
    if len({*columns}) != len(columns):
        raise TypeError("a DataFrame with two columns of one name: pass their arrays")
    names = tuple([name for name, dtype in zip(columns, x.dtypes) if _is_numeric(dtype)])
    return columns, names, _labels(x), len(x), None


replaces(
    "pandas",
    "DataFrame",
    parts=("_arrays",),
    take_parts=_arrays,
    values=("_columns", "_names", "_labels", "_count", "_origin"),
    take_values=_names,
    rebuilt=lambda state: dict(zip(state["_names"], state["_arrays"])),
    instead=INSTEAD,
    numpy=_of_numpy,
)(Frame)
