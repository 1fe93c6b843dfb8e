"""`numpy`: functions traced from `jax.numpy`, one line each.

A function that is not listed here has a handler, is compiled from NumPy source
(`support/from_source.py`), is evaluated at compile time (`compile_time.py`), or is refused
(`refused.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType
from myia.infer.domain.values import Abstract, Static, is_none
from myia.library.numpy.ufuncs.ufuncs import ufunc
from myia.library.support import value_formulas
from myia.library.support.arguments import array, cast, dtype_of
from myia.library.support.traced import (
    Dtypes,
    always_array,
    double,
    each_inexact,
    each_own,
    in_c_order,
    one_dtype,
    one_inexact,
    one_strong,
    summed,
    traced,
    traced_values,
)


def _numpy(arrays: dict[str, str], dtypes: Dtypes, **more: Any) -> None:
    """Register functions of `numpy` by name; `like` where NumPy 2.2 tells no signature."""
    for name, parameters in arrays.items():
        traced(getattr(np, name), f"numpy.{name}", parameters, dtypes, **more)


# ----- Sums, extrema and statistics that skip NaN

_numpy(
    {
        "nansum": "a initial ~where",
        "nanprod": "a initial ~where",
        "nanmax": "a initial ~where",
        "nanmin": "a initial ~where",
    },
    one_dtype,
)
_numpy(
    {
        "nancumsum": "a",
        "nancumprod": "a",
        "cumulative_sum": "x",
        "cumulative_prod": "x",
    },
    summed,
)
_numpy({"nanargmax": "a", "nanargmin": "a"}, each_own)
_numpy(
    {"nanmean": "a ~where", "nanvar": "a ~where mean", "nanstd": "a ~where mean"},
    one_inexact,
)
_numpy(
    {
        "nanmedian": "a",
        "quantile": "a q ~weights",
        "percentile": "a q ~weights",
        "nanquantile": "a q ~weights",
        "nanpercentile": "a q ~weights",
    },
    one_inexact,
)

# ----- Statistics of several variables, histograms

_numpy({"cov": "m y ~fweights ~aweights"}, double, result=always_array)

# ----- Signals and polynomials

_numpy({"convolve": "a v", "correlate": "a v"}, one_dtype)
_numpy({"polyval": "p x"}, one_strong)
_numpy({"interp": "x xp fp left right period"}, double)
_numpy({"gradient": "f varargs"}, one_inexact)
_numpy({"i0": "x"}, each_inexact)

# ----- Elementwise

for _ufunc in (np.gcd, np.lcm, np.bitwise_count, np.nextafter, np.spacing, np.ldexp, np.frexp):
    ufunc(_ufunc, traced_values(f"numpy.{_ufunc.__name__}"))
ufunc(np.modf, value_formulas.modf)
_numpy({"iscomplex": "x", "isreal": "x", "isneginf": "x", "isposinf": "x"}, each_own)
_numpy({"isin": "element test_elements"}, one_dtype)

# ----- Products


def _of_pairs(
    x1: Any, x2: Any, /, out: Any = None, *, axes: Any = np._NoValue, axis: Any = np._NoValue,
    keepdims: Any = False, casting: Any = "same_kind", order: Any = "K", dtype: Any = None,
    subok: Any = True, signature: Any = None,
) -> None: ...  # fmt: skip


_numpy({"vecdot": "x1 x2", "matvec": "x1 x2", "vecmat": "x1 x2"}, one_dtype, like=_of_pairs)
_numpy({"cross": "a b"}, one_dtype)

# ----- Splitting and joining

_numpy({"tile": "A"}, each_own, result=in_c_order)
_numpy({"resize": "a", "delete": "arr"}, each_own)


def _values_as_elements(ctx: Context, bound: dict[str, Abstract]) -> None:
    x = bound["arr"] = array(ctx, bound["arr"])
    args = (bound["values"], Static(dtype_of(ctx, x)))
    bound["values"] = ctx.call(Static(np.asarray), args, {})


def _ends_as_elements(ctx: Context, bound: dict[str, Abstract]) -> None:
    x = bound["ary"] = array(ctx, bound["ary"])
    for name in bound.keys() & {"to_begin", "to_end"}:
        if not is_none(bound[name]):
            end, dtype = array(ctx, bound[name]), dtype_of(ctx, x)
            if not np.can_cast(dtype_of(ctx, end), dtype, "same_kind"):
                message = f"dtype of `{name}` must be compatible with input `ary`"
                ctx.fail(BadType, message=f"{message} under the `same_kind` rule")
            bound[name] = cast(ctx, end, dtype)


_numpy({"insert": "arr values"}, each_own, convert=_values_as_elements)
_numpy({"ediff1d": "ary to_end to_begin"}, one_dtype, convert=_ends_as_elements)
_numpy({"lexsort": "keys*"}, each_own, like=lambda keys, axis=-1: ...)
_numpy({"packbits": "a"}, each_own, like=lambda a, /, axis=None, bitorder="big": ...)
_numpy({"unpackbits": "a"}, each_own, like=lambda a, /, axis=None, count=None, bitorder="big": ...)
_numpy({"geomspace": "start stop"}, double)
_numpy({"logspace": "start stop base"}, one_inexact)
