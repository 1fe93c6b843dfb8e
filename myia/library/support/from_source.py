"""Library functions from NumPy source: compiled from their source, as a user's functions are.

    @from_source(np.polyder)
    def polyder(p, m=1): ...

A function of SciPy is a plain function here, registered by `from_source(scipy_function)(function)`
once a program has imported its module (`@when_imported`: see `library/source/linalg.py`).

Where NumPy has None or "no value" for an argument that is not given, the default is None here.
Errors, also those at run time, point to the user's call. `raise NotImplementedError("this: help")`
states what is refused, and what helps.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from myia.infer.derivatives.derivatives import stop_gradient
from myia.infer.domain.checks import located_here
from myia.infer.domain.context import Context
from myia.infer.domain.errors import RaiseReached
from myia.infer.domain.values import Abstract, Static
from myia.infer.numeric.constant_methods import evaluated
from myia.infer.registry import as_is, function, method
from myia.infer.unsupported import UnsupportedFunction
from myia.library.support.ways import SOURCE, defined_by

# Types in NumPy source. Its functions take what NumPy takes: numbers and sequences for arrays, an
# integer, a tuple or None for axes. The overloads of NumPy's own types do not admit such unions.
Array = Any
Axis = Any
Dtype = DTypeLike | None


def from_source(
    *numpy: Any, methods: str = "", known_by_python: bool = False
) -> Callable[[Callable], Callable]:
    """Register a Python function for functions of NumPy, and for methods of arrays.

    `known_by_python`: of arguments that are known when compiling, the result is Python's.
    """

    def register(source: Callable) -> Callable:
        def handler(ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
            given = {n: x for n, x in kwargs.items() if not _no_value(x)}
            known = evaluated(ctx, numpy[0], *args) if known_by_python and not given else None
            return call_source(ctx, source, args, given) if known is None else known

        parameters = inspect.signature(source).parameters.values()
        positional = inspect.Parameter.POSITIONAL_ONLY
        handler.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter("ctx", positional), *parameters]
        )
        defined_by(SOURCE, handler)
        # The functions that the source calls handle dynamic arrays, or refuse them.
        function(*numpy, dynamic=as_is)(handler)
        for kind in ("array", "number"):
            method(kind, *methods.split())(handler)
        return source

    return register


def call_source(ctx: Context, source: Callable, args: tuple, kwargs: dict) -> Abstract:
    """`source(*args, **kwargs)`, with errors located at the call.

    Errors in a function of the user's that the source calls keep their location.
    """
    try:
        with located_here(ctx.checks):
            return ctx.call(Static(source), args, kwargs)
    except RaiseReached as error:
        if error.exception is NotImplementedError:
            what, _, instead = error.check.message.partition(": ")
            if not instead:
                ctx.fail(UnsupportedFunction, what=what)
            ctx.fail(UnsupportedFunction, what=what, help_text=instead)
        raise


def stopped(x: Any) -> Any:
    """`x`, without a derivative."""
    return x


@function(stopped)
def _stopped(ctx: Context, x: Abstract) -> Abstract:
    return stop_gradient(ctx, x)


def _no_value(x: Abstract) -> bool:
    return isinstance(x, Static) and x.value is np._NoValue
