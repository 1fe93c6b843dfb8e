"""`scipy.sparse`: matrices and arrays in the formats csr, csc and coo, from source.

Products are loops over the elements that are stored, as SciPy has them: a run-time number of
them in each row. Only `data` is differentiated; a gradient has the structure of the matrix.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from myia.infer.registry import when_imported
from myia.infer.unsupported import PYTHON_PAGE
from myia.library.guests.classes import compiled_methods, replaces
from myia.library.support.from_source import Array, from_source

OF_DENSE = "an array: use `A.toarray()`"
INSTEAD = f"for what compiles {PYTHON_PAGE}; or use a dense one: `A.toarray()`"

# ----- Products. Of `A` by rows: in row i it has `data[k]` in the columns `indices[k]`


def rows_times(data: Array, indices: Array, indptr: Array, x: Array, shape: Array) -> Array:
    """`A @ x` of a matrix by rows, `A.T @ x` of one by columns."""
    if x.shape[0] != shape[1]:
        raise ValueError("matmul: dimension mismatch of a sparse matrix and an array")
    y = np.zeros((shape[0], *x.shape[1:]), np.result_type(data, x))
    for i in range(shape[0]):
        for k in range(indptr[i], indptr[i + 1]):
            y[i] += data[k] * x[indices[k]]
    return y


def columns_times(data: Array, indices: Array, indptr: Array, x: Array, shape: Array) -> Array:
    """`A @ x` of a matrix by columns, `A.T @ x` of one by rows."""
    if x.shape[0] != shape[1]:
        raise ValueError("matmul: dimension mismatch of a sparse matrix and an array")
    y = np.zeros((shape[0], *x.shape[1:]), np.result_type(data, x))
    for j in range(shape[1]):
        for k in range(indptr[j], indptr[j + 1]):
            y[indices[k]] += data[k] * x[j]
    return y


def elements_times(data: Array, row: Array, col: Array, x: Array, shape: Array) -> Array:
    """`A @ x` of a matrix by elements."""
    if x.shape[0] != shape[1]:
        raise ValueError("matmul: dimension mismatch of a sparse matrix and an array")
    y = np.zeros((shape[0], *x.shape[1:]), np.result_type(data, x))
    for k in range(len(data)):
        y[row[k]] += data[k] * x[col[k]]
    return y


# ----- The classes


@compiled_methods
class Sparse:
    """What all formats have."""

    __array_ufunc__ = None
    _is_matrix = False  # of the older classes, whose `*` is a product of matrices
    ndim = 2
    data: Array
    shape: tuple[int, int]
    _own: Any  # the class of ours
    _with_data: Any  # of each format
    _times: Any
    transpose: Any
    toarray: Any

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def nnz(self) -> int:
        return len(self.data)

    @property
    def T(self) -> Array:
        return self.transpose()

    def dot(self, other: Array) -> Array:
        return self @ other

    def __matmul__(self, other: Array) -> Array:
        if isinstance(other, Sparse):
            raise NotImplementedError("a product of two sparse matrices: `A @ B.toarray()`")
        x = np.asarray(other)
        if x.ndim == 0:
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        if x.ndim > 2:
            raise NotImplementedError("a product of a sparse matrix and an array of three axes")
        return self._times(x)

    def __rmatmul__(self, other: Array) -> Array:
        x = np.asarray(other)
        if x.ndim == 0:
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        if x.ndim > 2:
            raise NotImplementedError("a product of a sparse matrix and an array of three axes")
        return self.transpose()._times(x.T).T

    def __mul__(self, other: Array) -> Array:
        if isinstance(other, Sparse) or np.ndim(other) > 0:
            if self._is_matrix:
                return self @ other
            raise NotImplementedError(f"an elementwise product of a sparse array and {OF_DENSE}")
        return self._with_data(self.data * other)

    def __rmul__(self, other: Array) -> Array:
        if np.ndim(other) > 0:
            if self._is_matrix:
                return other @ self
            raise NotImplementedError(f"an elementwise product of a sparse array and {OF_DENSE}")
        return self._with_data(other * self.data)

    def __truediv__(self, other: Array) -> Array:
        if isinstance(other, Sparse) or np.ndim(other) > 0:
            raise NotImplementedError(f"a quotient of a sparse matrix and {OF_DENSE}")
        data = self.data if self.data.dtype.kind == "c" else self.data.astype(np.float64)
        return self._with_data(data * (1.0 / other))  # as SciPy has it

    def __neg__(self) -> Array:
        return self._with_data(-self.data)

    def copy(self) -> Array:
        return self._with_data(self.data.copy())

    def sum(self, axis: int | None = None) -> Array:
        if axis is None:
            return self.data.sum()
        if self._is_matrix:
            raise NotImplementedError("a sum of a sparse matrix along an axis, an `np.matrix`,")
        if not -2 <= axis < 2:
            raise ValueError("axis out of range")
        total = self.data.sum().dtype
        if axis % 2 == 0:
            return self.transpose()._times(np.ones(self.shape[0], total))
        return self._times(np.ones(self.shape[1], total))

    def todense(self) -> Array:
        if self._is_matrix:
            raise NotImplementedError("`todense` of a sparse matrix, an `np.matrix`,")
        return self.toarray()


@compiled_methods
class Compressed(Sparse):
    """By rows or columns: those of `indices[indptr[i]:indptr[i + 1]]` in the one numbered i."""

    indices: Array
    indptr: Array

    def __init__(self, data: Array, indices: Array, indptr: Array, shape: Array) -> None:
        self.data, self.indices, self.indptr, self.shape = data, indices, indptr, shape

    def _with_data(self, data: Array) -> Array:
        return self._own(data, self.indices, self.indptr, self.shape)


@compiled_methods
class Csr(Compressed):
    format = "csr"

    def _times(self, x: Array) -> Array:
        return rows_times(self.data, self.indices, self.indptr, x, self.shape)

    def toarray(self) -> Array:
        found = np.zeros(self.shape, self.data.dtype)
        for i in range(self.shape[0]):
            for k in range(self.indptr[i], self.indptr[i + 1]):
                found[i, self.indices[k]] += self.data[k]
        return found

    def diagonal(self) -> Array:
        count = min(self.shape)
        found = np.zeros(count, self.data.dtype)
        for i in range(count):
            for k in range(self.indptr[i], self.indptr[i + 1]):
                if self.indices[k] == i:
                    found[i] += self.data[k]
        return found


@compiled_methods
class Csc(Compressed):
    format = "csc"

    def _times(self, x: Array) -> Array:
        return columns_times(self.data, self.indices, self.indptr, x, self.shape)

    def toarray(self) -> Array:
        return self.transpose().toarray().T

    def diagonal(self) -> Array:
        return self.transpose().diagonal()


@compiled_methods
class Coo(Sparse):
    """By elements."""

    format = "coo"
    row: Array
    col: Array

    def __init__(self, data: Array, row: Array, col: Array, shape: Array) -> None:
        self.data, self.row, self.col, self.shape = data, row, col, shape

    def _with_data(self, data: Array) -> Array:
        return self._own(data, self.row, self.col, self.shape)

    @property
    def coords(self) -> Array:
        return self.row, self.col

    def _times(self, x: Array) -> Array:
        return elements_times(self.data, self.row, self.col, x, self.shape)

    def transpose(self) -> Array:
        return self._own(self.data, self.col, self.row, self.shape[::-1])

    def toarray(self) -> Array:
        found = np.zeros(self.shape, self.data.dtype)
        for k in range(len(self.data)):
            found[self.row[k], self.col[k]] += self.data[k]
        return found

    def diagonal(self) -> Array:
        found = np.zeros(min(self.shape), self.data.dtype)
        for k in range(len(self.data)):
            if self.row[k] == self.col[k]:
                found[self.row[k]] += self.data[k]
        return found


# ----- Those of SciPy


@when_imported("scipy.sparse")
def _sparse(module: ModuleType) -> None:
    from_source(module.issparse)(issparse)


def issparse(x: Any) -> bool:
    return isinstance(x, Sparse)


def _of_two_axes(x: Any) -> Any:
    if len(x.shape) != 2:
        raise TypeError(f"a sparse array of {len(x.shape)} dimension: pass `x.toarray()`")
    return x


def _parts_of_compressed(x: Any) -> tuple[Any, ...]:
    count = _of_two_axes(x).nnz
    data, indices = x.data, x.indices
    if len(data) != count:  # there is room for more
        data, indices = data[:count], indices[:count]
    return data, indices, x.indptr


def _parts_of_elements(x: Any) -> tuple[Any, ...]:
    return x.data, *_of_two_axes(x).coords


def _shape(x: Any) -> tuple[Any, ...]:
    return (x.shape,)


def _rebuilt(name: str, *positions: str) -> Callable[[Mapping[str, Any]], Any]:
    def rebuild(state: Mapping[str, Any]) -> Any:
        cls = getattr(sys.modules["scipy.sparse"], name)
        found = [state[p] for p in positions]
        where = found[0] if len(found) == 1 else tuple(found)
        given = (state["data"], where) if name.startswith("coo") else (state["data"], *found)
        return cls(given, shape=state["shape"], copy=True)

    return rebuild


def _compressed(name: str) -> Callable[[type], type]:
    parts = ("data", "indices", "indptr")
    return replaces(
        "scipy",
        name,
        parts=parts,
        take_parts=_parts_of_compressed,
        values=("shape",),
        take_values=_shape,
        rebuilt=_rebuilt(name, "indices", "indptr"),
        settings=("indices", "indptr"),
        instead=INSTEAD,
    )


def _by_elements(name: str) -> Callable[[type], type]:
    return replaces(
        "scipy",
        name,
        parts=("data", "row", "col"),
        take_parts=_parts_of_elements,
        values=("shape",),
        take_values=_shape,
        rebuilt=_rebuilt(name, "row", "col"),
        settings=("row", "col"),
        instead=INSTEAD,
    )


@_compressed("csr_array")
class CsrArray(Csr):
    def transpose(self) -> Array:
        return CscArray(self.data, self.indices, self.indptr, self.shape[::-1])


@_compressed("csc_array")
class CscArray(Csc):
    def transpose(self) -> Array:
        return CsrArray(self.data, self.indices, self.indptr, self.shape[::-1])


@_compressed("csr_matrix")
class CsrMatrix(Csr):
    _is_matrix = True

    def transpose(self) -> Array:
        return CscMatrix(self.data, self.indices, self.indptr, self.shape[::-1])


@_compressed("csc_matrix")
class CscMatrix(Csc):
    _is_matrix = True

    def transpose(self) -> Array:
        return CsrMatrix(self.data, self.indices, self.indptr, self.shape[::-1])


@_by_elements("coo_array")
class CooArray(Coo):
    pass


@_by_elements("coo_matrix")
class CooMatrix(Coo):
    _is_matrix = True
