"""`np.vectorize(f)`: the calls of `f` on each element of its broadcast arguments, as one loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.values import NONE, Abstract, Partial, Static, Tuple, is_none
from myia.infer.registry import function, is_given
from myia.infer.unsupported import UnsupportedFunction
from myia.library.support.arguments import dtype_argument
from myia.library.support.from_source import call_source


@function(np.vectorize)
def _vectorize(
    ctx: Context,
    pyfunc: Abstract = NONE,
    otypes: Abstract = NONE,
    doc: Abstract = NONE,
    *,
    cache: Abstract = NONE,
) -> Abstract:
    """`np.vectorize`; without `otypes` all results decide the dtype, in NumPy the first."""
    dtypes = _dtypes(ctx, otypes)
    return (
        Partial(_decorate, (dtypes,)) if not is_given(pyfunc) else Partial(_call, (dtypes, pyfunc))
    )


def _dtypes(ctx: Context, otypes: Abstract) -> Abstract:
    """None, or one dtype for each result: `"df"`, `[float, int]`."""
    if is_none(otypes):
        return NONE
    if isinstance(otypes, Static) and isinstance(otypes.value, str):
        return Tuple(tuple(Static(np.dtype(code)) for code in otypes.value))
    return Tuple(tuple(Static(dtype_argument(ctx, x)) for x in ctx.list_items(otypes)))


def _decorate(ctx: Context, partial: Partial, args: tuple, kwargs: dict) -> Abstract:
    return Partial(_call, (*partial.items, *args))


def _call(ctx: Context, partial: Partial, args: tuple, kwargs: dict) -> Abstract:
    if kwargs:
        ctx.fail(UnsupportedFunction, what="a keyword argument of what `numpy.vectorize` made")
    return call_source(ctx, map_elementwise, (*partial.items, *args), {})


def map_elementwise(dtypes: Any, f: Callable[..., Any], *arrays: Any) -> Any:
    arrays = np.broadcast_arrays(*arrays)
    shape, size = arrays[0].shape, arrays[0].size
    if size == 0 and dtypes is None:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    if size == 0:
        return of_each_dtype([np.zeros(shape, dtype) for dtype in dtypes])
    flat = [np.ravel(x) for x in arrays]
    found = [f(*[x[i] for x in flat]) for i in range(size)]
    if dtypes is None and not isinstance(found[0], tuple):
        return np.array(found).reshape(shape)
    if dtypes is None:
        return tuple([column(found, k).reshape(shape) for k, _ in enumerate(found[0])])
    if len(dtypes) == 1:
        return np.array(found).reshape(shape).astype(dtypes[0])
    return tuple([column(found, k).reshape(shape).astype(t) for k, t in enumerate(dtypes)])


def column(rows: Any, k: int) -> Any:
    return np.array([row[k] for row in rows])


def of_each_dtype(arrays: Any) -> Any:
    return arrays[0] if len(arrays) == 1 else tuple(arrays)
