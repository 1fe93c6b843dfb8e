"""Rows of the sampled table: gathers and scatters, in all modes."""

from __future__ import annotations

from collections.abc import Callable

from jax import lax

from tests.lax.sampled_case import INEXACT, at, row

ROWS = lax.GatherDimensionNumbers((1,), (0,), (0,))  # whole rows of a matrix
PLACES = lax.GatherDimensionNumbers((), (0, 1), (0, 1))  # single elements of one
BLOCKS = lax.GatherDimensionNumbers((0, 1), (), (0, 1))  # a block of one
OF_ROWS = lax.GatherDimensionNumbers((), (1,), (1,), (0,), (0,))  # an element of each row

ONTO_ROWS = lax.ScatterDimensionNumbers((1,), (0,), (0,))
ONTO_PLACES = lax.ScatterDimensionNumbers((), (0, 1), (0, 1))
ONTO_BLOCK = lax.ScatterDimensionNumbers((0, 1), (), (0, 1))
INTO_ROWS = lax.ScatterDimensionNumbers((), (1,), (1,), (0,), (0,))

MATRIX = (4, 3)
SOME_ROWS = at([[2], [0], [3]])
REPEATED_ROWS = at([[2], [0], [2]])
ROWS_OUTSIDE = at([[-1], [1], [4]])
SOME_PLACES = at([[0, 1], [3, 2]])
REPEATED_PLACES = at([[0, 1], [3, 2], [0, 1]])
ONE_PLACE = at([1, 1])
EACH_ROW = at([[0], [2], [1], [1]])


def gather(numbers, sizes, mode="clip", fill=None) -> Callable:
    return lambda x, i: lax.gather(x, i, numbers, sizes, mode=mode, fill_value=fill)


GATHERS = [
    *row("gather", gather(ROWS, (1, 3)), MATRIX, REPEATED_ROWS, dtypes=INEXACT),
    *row("gather", gather(ROWS, (1, 3)), MATRIX, ROWS_OUTSIDE),
    *row("gather", gather(ROWS, (1, 3), "fill", 7), MATRIX, ROWS_OUTSIDE, dtypes=INEXACT),
    *row("gather", gather(PLACES, (1, 1)), MATRIX, REPEATED_PLACES),
    *row("gather", gather(BLOCKS, (2, 2)), MATRIX, ONE_PLACE),
    *row("gather", gather(BLOCKS, (2, 2), "fill", -1), MATRIX, at([3, 1])),
    *row("gather", gather(OF_ROWS, (1, 1)), MATRIX, EACH_ROW),
    *row("gather", gather(ROWS, (1, 3), "promise_in_bounds"), MATRIX, SOME_ROWS),
    *row("gather", lambda x, i: x[i, 1:], MATRIX, at([3, -1, 0])),
]


def scatter(operation, numbers, mode="clip", unique=False) -> Callable:
    return lambda x, i, u: operation(x, i, u, numbers, mode=mode, unique_indices=unique)


SCATTERS = [
    *row("scatter", scatter(lax.scatter, ONTO_ROWS), MATRIX, SOME_ROWS, (3, 3), dtypes=INEXACT),
    *row("scatter", scatter(lax.scatter, ONTO_ROWS, "fill"), MATRIX, ROWS_OUTSIDE, (3, 3)),
    *row("scatter", scatter(lax.scatter, ONTO_PLACES), MATRIX, SOME_PLACES, (2,)),
    *row("scatter", scatter(lax.scatter, ONTO_BLOCK), MATRIX, ONE_PLACE, (2, 2)),
    *row("scatter", scatter(lax.scatter, INTO_ROWS), MATRIX, EACH_ROW, (4,)),
    *row(
        "scatter",
        scatter(lax.scatter, ONTO_ROWS, "promise_in_bounds", unique=True),
        MATRIX,
        SOME_ROWS,
        (3, 3),
    ),
]

SUMS = [
    case
    for name, operation in {"scatter-add": lax.scatter_add, "scatter-sub": lax.scatter_sub}.items()
    for case in [
        *row(name, scatter(operation, ONTO_ROWS), MATRIX, REPEATED_ROWS, (3, 3), dtypes=INEXACT),
        *row(name, scatter(operation, ONTO_ROWS, "fill"), MATRIX, ROWS_OUTSIDE, (3, 3)),
        *row(name, scatter(operation, ONTO_PLACES), MATRIX, REPEATED_PLACES, (3,)),
        *row(name, scatter(operation, ONTO_BLOCK), MATRIX, ONE_PLACE, (2, 2)),
        *row(name, scatter(operation, INTO_ROWS), MATRIX, EACH_ROW, (4,)),
    ]
]

PRODUCTS = [
    *row(
        "scatter-mul",
        scatter(lax.scatter_mul, ONTO_ROWS, unique=True),
        MATRIX,
        SOME_ROWS,
        (3, 3),
        dtypes=INEXACT,
    ),
    *row(
        "scatter-mul",
        scatter(lax.scatter_mul, ONTO_PLACES, unique=True),
        MATRIX,
        SOME_PLACES,
        (2,),
    ),
]

EXTREMA = [
    case
    for name, operation in {"scatter-max": lax.scatter_max, "scatter-min": lax.scatter_min}.items()
    for case in [
        *row(name, scatter(operation, ONTO_ROWS), MATRIX, REPEATED_ROWS, (3, 3)),
        *row(name, scatter(operation, ONTO_PLACES), MATRIX, SOME_PLACES, (2,)),
        *row(name, scatter(operation, INTO_ROWS), MATRIX, EACH_ROW, (4,)),
    ]
]

TABLE = [*GATHERS, *SCATTERS, *SUMS, *PRODUCTS, *EXTREMA]
