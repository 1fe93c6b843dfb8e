"""Matrix formulas (on the last two axes of arrays) that the factorizations share.

Derivative rules are written with these, so that they read as in the literature:

    L' = L phi(L^-1 A' L^-H)

Every rule states its jvp; where there is no vjp beside it, the reverse sweep transposes that jvp.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy

from myia.ir.avals import I32, Aval, aval_of
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.ir.primitive import Explicit, Formula
from myia.primitives.arrays.shaping import broadcast, iota, reduce_sum, slice, transpose
from myia.primitives.core.define import constant, require, require_kind
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise import transcendental
from myia.primitives.pointwise.logic import and_, eq, ge, le, select
from myia.source.diagnostics import Diagnostic, MyiaError

# Tangents of which some are functions that emit them, or refuse to (`Explicit`).
LazyTangents = Sequence[Value | Callable[[], Value | None] | None]

# ----- Shapes


def matrix_shape(name: str, x: Aval) -> tuple[tuple[int, ...], int, int]:
    """The batch axes, rows and columns of an array of matrices of floats or complex numbers."""
    require(x.ndim >= 2, f"{name}: {x} is no matrix")
    require_kind(name, x, "fc")
    rows, columns = x.shape[-2:]
    return x.shape[:-2], rows, columns


def square_shape(name: str, x: Aval) -> tuple[tuple[int, ...], int]:
    batch, rows, columns = matrix_shape(name, x)
    require(rows == columns, f"{name}: the matrix {x} is not square")
    return batch, rows


# ----- Products and transposes


def matmul(x: Value, y: Value) -> Value:
    batch = tuple(range(x.aval.ndim - 2))
    columns, rows = x.aval.ndim - 1, y.aval.ndim - 2
    return dot_general(x, y, contract=((columns,), (rows,)), batch=(batch, batch))


def conj(x: Value) -> Value:
    return transcendental.conj(x) if x.dtype.kind == "c" else x


def real(x: Value) -> Value:
    return transcendental.real(x) if x.dtype.kind == "c" else x


def transposed(x: Value) -> Value:
    *batch, rows, columns = range(x.aval.ndim)
    return transpose(x, permutation=(*batch, columns, rows))


def adjoint(x: Value) -> Value:
    """The conjugate transpose."""
    return conj(transposed(x))


# ----- Parts of matrices


def _row_and_column(x: Aval) -> tuple[Value, Value]:
    """The index of the row and of the column of each element."""
    row, column = (iota(shape=x.shape, axis=x.ndim + i, dtype=I32.dtype) for i in (-2, -1))
    return row, column


def lower(x: Value, k: int = 0) -> Value:
    """`x` with zeros above the `k`-th diagonal."""
    row, column = _row_and_column(x.aval)
    return select(le(column, row + k), x, 0)


def upper(x: Value, k: int = 0) -> Value:
    """`x` with zeros below the `k`-th diagonal."""
    row, column = _row_and_column(x.aval)
    return select(ge(column, row + k), x, 0)


def on_diagonal(x: Aval, start: int = 0) -> Value:
    """True on the diagonal of matrices of this shape, from its element `start` on."""
    row, column = _row_and_column(x)
    here = eq(row, column)
    return and_(here, ge(row, constant(start, row.dtype, row.shape))) if start else here


def diagonal(x: Value) -> Value:
    """The diagonal of square matrices, as vectors."""
    return reduce_sum(select(on_diagonal(x.aval), x, 0), axes=(x.aval.ndim - 1,))


def as_rows(x: Value, count: int) -> Value:
    """Matrices with `count` rows, each equal to the vector `x`."""
    *batch, n = x.shape
    dims = (*range(len(batch)), len(batch) + 1)
    return broadcast(x, shape=(*batch, count, n), dims=dims)


def as_columns(x: Value, count: int) -> Value:
    """Matrices with `count` columns, each equal to the vector `x`."""
    return broadcast(x, shape=(*x.shape, count), dims=tuple(range(x.aval.ndim)))


def block(x: Value, rows: tuple[int, int], columns: tuple[int, int]) -> Value:
    """`x[..., rows[0]:rows[1], columns[0]:columns[1]]`."""
    batch = x.shape[:-2]
    start = (0,) * len(batch) + (rows[0], columns[0])
    limit = (*batch, rows[1], columns[1])
    if start == (0,) * x.aval.ndim and limit == x.shape:
        return x
    return slice(x, start=start, limit=limit, stride=(1,) * x.aval.ndim)


def filled_from_triangle(x: Value, is_lower: bool) -> Value:
    """The Hermitian matrix that routines read from the lower, or the upper, triangle of `x`."""
    inside, strictly = (lower(x), lower(x, -1)) if is_lower else (upper(x), upper(x, 1))
    if x.dtype.kind == "c":
        inside = select(on_diagonal(x.aval), transcendental.complex(real(x), 0), inside)
    return inside + adjoint(strictly)


# ----- Evaluation


def evaluated(
    avals: Formula, routine: Formula, *, cores: int = 2, only_finite: bool = False
) -> Formula:
    """The evaluation of an operation: `routine(*matrices, **params)` for each matrix of a batch.

    The trailing axes of the first operand are its `cores`, those before them are the batch. A
    routine that is for `only_finite` matrices does not run for others: their results are NaN.
    """

    def evaluate(*operands: np.ndarray, **params: Any) -> Any:
        results = [np.zeros(a.shape, a.dtype) for a in avals(*map(aval_of, operands), **params)]
        batch = operands[0].shape[: operands[0].ndim - cores]
        for index in np.ndindex(batch) if any(y.size for y in results) else ():
            matrices = [x[index] for x in operands]
            if only_finite and not np.all(np.isfinite(matrices[0])):
                parts = [np.nan] * len(results)
            else:
                parts = routine(*matrices, **params)
            for y, part in zip(results, parts, strict=True):
                y[index] = part
        return results if len(results) > 1 else results[0]

    return evaluate


def lapack(name: str, *arrays: np.ndarray) -> Any:
    """The LAPACK routine for the dtype of `arrays`; it returns its status last."""
    (routine,) = scipy.linalg.get_lapack_funcs((name,), arrays)
    return routine


def nan_unless(ok: bool, x: np.ndarray) -> np.ndarray:
    """`x`, or NaNs where a factorization does not exist, as in XLA."""
    return x if ok else np.full_like(x, math.nan)


# ----- Refused derivatives


class NoMatrixDerivative(Diagnostic):
    title = "no derivative of {what} is known"
    label = "a derivative passes through it here"
    help = "hold it constant, with `myia.stop_gradient`, where its derivative does not count"

    what: str


def refuse_derivative(what: str) -> None:
    raise MyiaError(NoMatrixDerivative(current_span(), what))


def without_derivative(what: str) -> Explicit:
    """Derivative of smooth operations without a rule: an error, as zero would be a wrong number."""

    def refuse(*_: Value, **__: Any) -> None:
        refuse_derivative(what)

    return Explicit(refuse, refuse)
