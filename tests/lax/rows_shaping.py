"""Rows of the sampled table: selecting, converting, rearranging, cutting and joining."""

from __future__ import annotations

from jax import lax

from tests.lax.sampled_case import INEXACT, at, flags, row, whole

X, CUBE = (2, 3), (2, 3, 4)


def converted(dtype: str, back: str | None = None):
    """Through `dtype`, whose numbers are the same in double precision."""
    return lambda x: lax.convert_element_type(x, dtype) * 1


SELECTION = [
    *row("select_n", lax.select_n, flags(X), X, X, dtypes=INEXACT),
    *row("select_n", lax.select_n, flags(()), X, X, dtypes=INEXACT),
    *row("select_n", lax.select_n, whole(0, 3, X), X, X, X),
]

CONVERSION = [
    *row("convert_element_type", converted("f8"), X, dtypes=("f4",)),
    *row("convert_element_type", converted("f4"), X, dtypes=("f8",)),
    *row("convert_element_type", converted("c16"), X, dtypes=("f8", "f4", "c8")),
    *row("convert_element_type", converted("c8"), X, dtypes=("f8", "f4", "c16")),
    *row(
        "convert_element_type",
        lambda x: x * lax.convert_element_type(lax.convert_element_type(x, "i4"), x.dtype),
        X,
    ),
    *row("convert_element_type", lambda n, x: x * n.astype(x.dtype), whole(-3, 4, X), X),
    *row("convert_element_type", lambda p, x: x * p.astype(x.dtype), flags(X), X, dtypes=INEXACT),
    *row(
        "bitcast_convert_type",
        lambda x: x * (lax.bitcast_convert_type(x, f"i{x.dtype.itemsize}") > 0),
        X,
    ),
    *row(
        "reduce_precision", lambda x: lax.reduce_precision(x, 5, 30 if x.dtype == "f8" else 20), X
    ),
]

REARRANGING = [
    *row("reshape", lambda x: lax.reshape(x, (3, 8)), CUBE, dtypes=INEXACT),
    *row("reshape", lambda x: lax.reshape(x, (4, 6), (2, 0, 1)), CUBE),
    *row("reshape", lambda x: lax.reshape(x, (3, 0)), (0, 3)),
    *row("reshape", lambda x: lax.reshape(x, (1, 1)), ()),
    *row("squeeze", lambda x: lax.squeeze(x, (0, 2)), (1, 3, 1), dtypes=INEXACT),
    *row("broadcast_in_dim", lambda x: lax.broadcast_in_dim(x, (3, 2, 4), (1, 2)), (2, 1)),
    *row("broadcast_in_dim", lambda x: lax.broadcast(x, (2, 3)), (), dtypes=INEXACT),
    *row("broadcast_in_dim", lambda x: lax.broadcast_in_dim(x, (0, 3), (1,)), (3,)),
    *row("transpose", lambda x: lax.transpose(x, (2, 0, 1)), CUBE, dtypes=INEXACT),
    *row("transpose", lambda x: lax.transpose(x, (1, 0)), (0, 3)),
    *row("rev", lambda x: lax.rev(x, (1,)), X, dtypes=INEXACT),
    *row("rev", lambda x: lax.rev(x, (0, 2)), CUBE),
    *row("tile", lambda x: lax.tile(x, (2, 3)), X, dtypes=INEXACT),
]

JOINING = [
    *row("concatenate", lambda *xs: lax.concatenate(xs, 1), X, (2, 1), (2, 0), dtypes=INEXACT),
    *row("concatenate", lambda *xs: lax.concatenate(xs, 0), (3,), (2,)),
    *row("stack", lambda *xs: lax.stack(xs, 1), X, X, dtypes=INEXACT),
    *row("unstack", lambda x: lax.unstack(x, 1), X, dtypes=INEXACT),
    *row("split", lambda x: lax.split(x, (1, 3, 0), 1), (2, 4), dtypes=INEXACT),
    *row(
        "pad",
        lambda x, v: lax.pad(x, v, ((1, 0, 2), (0, 2, 0))),
        X,
        (),
        dtypes=INEXACT,
    ),
    *row("pad", lambda x, v: lax.pad(x, v, ((-1, -1, 1), (1, -2, 0))), (4, 3), ()),
    *row("pad", lambda x, v: lax.pad(x, v, ((1, 2, 1),)), (0,), ()),
]

CUTTING = [
    *row("slice", lambda x: lax.slice(x, (1, 0), (3, 5)), (4, 5), dtypes=INEXACT),
    *row("slice", lambda x: lax.slice(x, (1, 1), (4, 5), (2, 3)), (4, 5)),
    *row("slice", lambda x: lax.slice(x, (2,), (2,)), (3,)),
    *row(
        "dynamic_slice",
        lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 3)),
        (5, 4),
        at(1),
        at(0),
        dtypes=INEXACT,
    ),
    *row("dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i, i), (2, 1)), (5, 4), at(7)),
    *row("dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i,), (0,)), (3,), at(1)),
    *row(
        "dynamic_update_slice",
        lambda x, u, i: lax.dynamic_update_slice(x, u, (i, i)),
        (5, 4),
        (2, 3),
        at(1),
        dtypes=INEXACT,
    ),
    *row(
        "dynamic_update_slice",
        lambda x, u, i: lax.dynamic_update_slice(x, u, (i, -i)),
        (5, 4),
        (2, 1),
        at(9),
    ),
]

TABLE = [*SELECTION, *CONVERSION, *REARRANGING, *JOINING, *CUTTING]
