"""`numpy`: functions traced from `jax.numpy`, by their parameters that are values.

A function that is not listed here has a handler, is compiled from NumPy source
(`support/from_source.py`), is evaluated at compile time (`compile_time.py`), or is refused
(`refused.py`).
"""

from __future__ import annotations

import functools
from functools import partial
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, is_none
from myia.infer.numeric.constant_methods import constant_or_none
from myia.infer.registry import FUNCTIONS, for_dynamic_arrays
from myia.library.numpy.run_time_sizes import by_source, convolve, is_in
from myia.library.numpy.ufuncs.ufuncs import ufunc
from myia.library.source import padding
from myia.library.source.sets import deleted, inserted
from myia.library.support import value_formulas
from myia.library.support.arguments import array, cast, dtype_of
from myia.library.support.from_source import call_source
from myia.library.support.traced import (
    always_array,
    double,
    each_inexact,
    each_own,
    in_c_order,
    inexact_as_first,
    like_first,
    one_dtype,
    one_inexact,
    one_strong,
    summed,
    traced_by_name,
    traced_values,
)
from myia.library.support.ways import defined_by, way_of

_numpy = partial(traced_by_name, np)

# ----- Sums, extrema and statistics that skip NaN

_numpy(one_dtype, {"a initial ~where": "nansum nanprod nanmax nanmin"})
_numpy(summed, {"a": "nancumsum nancumprod", "x": "cumulative_sum cumulative_prod"})
_numpy(
    one_inexact,
    {
        "a ~where": "nanmean",
        "a ~where mean": "nanvar nanstd",
    },
)

# ----- Statistics of several variables

_numpy(double, {"m y ~fweights ~aweights": "cov"}, result=always_array)

# ----- Signals and polynomials

_numpy(one_dtype, {"a v": "convolve correlate"})
_numpy(one_strong, {"p x": "polyval"})
_numpy(like_first, {"f varargs": "gradient"}, result=inexact_as_first)
_numpy(each_inexact, {"x": "i0"})

# ----- Elementwise

for _ufunc in (np.gcd, np.lcm, np.bitwise_count, np.nextafter, np.spacing, np.ldexp, np.frexp):
    ufunc(_ufunc, traced_values(f"numpy.{_ufunc.__name__}"))
ufunc(np.modf, value_formulas.modf)
_numpy(each_own, {"x": "iscomplex isreal isneginf isposinf"})
_numpy(one_strong, {"element test_elements": "isin"}, result=always_array)

# ----- Products


def _of_pairs(
    x1: Any, x2: Any, /, out: Any = None, *, axes: Any = np._NoValue, axis: Any = np._NoValue,
    keepdims: Any = False, casting: Any = "same_kind", order: Any = "K", dtype: Any = None,
    subok: Any = True, signature: Any = None,
) -> None: ...  # fmt: skip


_numpy(one_dtype, {"x1 x2": "vecdot matvec vecmat"}, like=_of_pairs)
_numpy(one_dtype, {"a b": "cross"}, result=always_array)

# ----- Splitting and joining

_numpy(each_own, {"A": "tile"}, result=in_c_order)
_numpy(each_own, {"a": "resize", "arr": "delete"})


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


_numpy(each_own, {"arr values": "insert"}, convert=_values_as_elements)


def _at_run_time(f: Any, source: Any) -> None:
    """The function by its source, where sizes or indices are known at run time only."""
    handler = FUNCTIONS[f]

    def by_source(ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return call_source(ctx, source, args, kwargs)

    @functools.wraps(handler)
    def of_any_index(ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
        obj = kwargs.get("obj", args[1] if len(args) > 1 else None)
        known = not isinstance(obj, (Scalar, Ref)) or constant_or_none(ctx, obj) is not None
        return (handler if known else by_source)(ctx, *args, **kwargs)

    FUNCTIONS[f] = defined_by(way_of(handler), of_any_index)
    for_dynamic_arrays(of_any_index)(by_source)


_at_run_time(np.delete, deleted)
_at_run_time(np.insert, inserted)
_numpy(one_dtype, {"ary to_end to_begin": "ediff1d"}, convert=_ends_as_elements)
_numpy(each_own, {"keys*": "lexsort"}, like=lambda keys, axis=-1: ...)
_numpy(each_own, {"a": "packbits"}, like=lambda a, /, axis=None, bitorder="big": ...)
_numpy(each_own, {"a": "unpackbits"}, like=lambda a, /, axis=None, count=None, bitorder="big": ...)

# ----- Arrays of run-time size

for_dynamic_arrays(FUNCTIONS[np.isin])(is_in)
for_dynamic_arrays(FUNCTIONS[np.convolve])(convolve)
for_dynamic_arrays(FUNCTIONS[np.tile])(by_source(padding.tiled))
