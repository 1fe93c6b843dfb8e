"""pandas: the columns of a DataFrame as arrays, functions of NumPy of these and of Series."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from myia.library.guests.classes import by_name, compiled_methods, replaces
from myia.library.guests.series import INSTEAD, Column, Labelled, like, numbers_beside, origin_of
from myia.library.support.from_source import Array

SOME_COLUMNS = "`df[names].to_numpy()`"
NUMBERS = "biufc"

# ----- DataFrames


@compiled_methods
class Frame(Labelled):
    """A DataFrame: the arrays of its columns of numbers, and their names."""

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
