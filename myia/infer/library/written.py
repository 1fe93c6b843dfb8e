"""Functions of NumPy that are written in NumPy: compiled from their source, as a user's are.

    @written(np.polyder)
    def polyder(p, m=1): ...

Where NumPy says `None` or "no value" for an argument that is not given, the default is None here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from myia.infer.context import Context
from myia.infer.registry import function, method
from myia.infer.values import Abstract, Static


def written(*numpy: Any, methods: str = "") -> Callable[[Callable], Callable]:
    """Register a Python function for functions of NumPy, and for `methods` of arrays."""

    def register(source: Callable) -> Callable:
        def handler(ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
            given = {n: x for n, x in kwargs.items() if not _no_value(x)}
            return ctx.call(Static(source), args, given)

        function(*numpy)(handler)
        for name in methods.split():
            method("array", name)(handler)
        return source

    return register


def _no_value(x: Abstract) -> bool:
    return isinstance(x, Static) and x.value is np._NoValue
