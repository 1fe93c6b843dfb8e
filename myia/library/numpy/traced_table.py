"""`numpy`: functions traced from `jax.numpy`, one line each.

A function that is not listed here has a handler, is compiled from NumPy source
(`support/from_source.py`), is evaluated at compile time (`compile_time.py`), or is refused
(`refused.py`).
"""

from __future__ import annotations

import numpy as np

from myia.library.numpy.ufuncs.ufuncs import ufunc
from myia.library.support import value_formulas
from myia.library.support.traced import (
    Dtypes,
    double,
    each_inexact,
    each_own,
    one_dtype,
    one_inexact,
    one_strong,
    summed,
    traced,
    traced_values,
)


def _numpy(arrays: dict[str, str], dtypes: Dtypes, **more) -> None:
    """Register functions of `numpy` by name."""
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

_numpy({"cov": "m y ~fweights ~aweights"}, double, boxed=True)

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

_numpy({"vecdot": "x1 x2", "matvec": "x1 x2", "vecmat": "x1 x2"}, one_dtype)
_numpy({"cross": "a b"}, one_dtype)

# ----- Splitting and joining

_numpy({"resize": "a", "delete": "arr"}, each_own)
_numpy({"insert": "arr values"}, each_own)
_numpy({"ediff1d": "ary to_end to_begin"}, one_dtype)
_numpy({"lexsort": "keys*"}, each_own)
_numpy({"packbits": "a", "unpackbits": "a"}, each_own)
_numpy({"geomspace": "start stop"}, double)
_numpy({"logspace": "start stop base"}, one_inexact)
