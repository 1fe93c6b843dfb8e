"""Functions that NumPy evaluates at compile time.

Their results depend on compile-time values alone (`np.hanning(8)`), or on the dtypes and shapes of
arrays (`np.iscomplexobj(x)`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.heap import DictObject
from myia.infer.domain.values import Abstract, Ref, Static, Tuple
from myia.infer.numeric.constant_methods import evaluate_constant
from myia.infer.numeric.promotion import is_numeric
from myia.infer.registry import function
from myia.library.support.arguments import dtype_of
from myia.library.support.traced import python_value
from myia.library.support.ways import COMPILE_TIME, defined_by


def _compile_time_handler(f: Callable, argument: Callable) -> Callable:
    name = f"{f.__module__}.{f.__name__}"

    def handler(ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
        given = [argument(ctx, x, name) for x in args]
        options = {key: argument(ctx, x, name) for key, x in kwargs.items()}
        return evaluate_constant(ctx, f, *given, **options)

    return defined_by(COMPILE_TIME, handler)


def _compile_time_value(ctx: Context, x: Abstract, name: str) -> Any:
    return python_value(ctx, x, f"an argument of `{name}`")


def _zeros_like(ctx: Context, x: Abstract, name: str) -> Any:
    """An object of the same dtype and shape; the elements of arrays are not read."""
    if is_numeric(ctx, x) and not isinstance(x, Static):
        found = np.broadcast_to(np.zeros((), dtype_of(ctx, x)), ctx.shape(x))
        return found if ctx.is_array(x) or getattr(x, "boxed", False) else found[()]
    if isinstance(x, Tuple):
        return tuple(_zeros_like(ctx, item, name) for item in x.items)
    if isinstance(x, Ref) and not isinstance(ctx.contents(x), DictObject):
        return [_zeros_like(ctx, item, name) for item in ctx.list_items(x)]
    return _compile_time_value(ctx, x, name)


def evaluate_at_compile_time(*functions: Callable) -> None:
    """Register functions of compile-time values, evaluated by NumPy."""
    for f in functions:
        function(f)(_compile_time_handler(f, _compile_time_value))


evaluate_at_compile_time(
    np.bartlett, np.blackman, np.hamming, np.hanning, np.kaiser,
    np.indices, np.diag_indices, np.tril_indices, np.triu_indices,
    np.fft.fftfreq, np.fft.rfftfreq, np.base_repr, np.binary_repr,
    np.issubdtype, np.isdtype, np.typename, np.mintypecode,
)  # fmt: skip

function(np.ndindex)(
    _compile_time_handler(lambda *shape: tuple(np.ndindex(*shape)), _compile_time_value)
)

OF_SHAPES: tuple[Callable[..., Any], ...] = (
    np.iscomplexobj, np.isrealobj, np.isscalar, np.iterable, np.broadcast_shapes, np.can_cast,
    np.common_type, np.diag_indices_from, np.tril_indices_from, np.triu_indices_from,
    np.einsum_path,
)  # fmt: skip
for _g in OF_SHAPES:
    function(_g)(_compile_time_handler(_g, _zeros_like))
