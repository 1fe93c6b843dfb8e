"""The names of a differentiated function and of its parameters, for what is said of them."""

from __future__ import annotations

import inspect
import types
from typing import Any

from myia.infer.boundary.arguments import call_partial
from myia.infer.domain.context import Context
from myia.infer.domain.heap import InstanceObject
from myia.infer.domain.values import Abstract, Closure, Method, Partial, PyFunction, Ref, Static


def parameter_names(ctx: Context, f: Abstract, count: int) -> list[str]:
    """The user's names of the positional arguments; `args[i]` where `f` does not tell them."""
    names = _names(ctx, f)
    return [names[i] if i < len(names) else f"args[{i}]" for i in range(count)]


def function_name(ctx: Context, f: Abstract) -> str:
    """The name of a function in messages."""
    code = code_of(ctx, f)
    return "the function" if code is None else getattr(code, "name", None) or code.co_name


def code_of(ctx: Context, f: Abstract) -> Any:
    """The code of a function: Python's, or ours of a function made in compiled code."""
    function, _ = _function_of(ctx, f)
    return function.code if isinstance(function, Closure) else getattr(function, "__code__", None)


def _names(ctx: Context, f: Abstract) -> list[str]:
    function, bound = _function_of(ctx, f)
    if isinstance(function, Closure):
        parameters = function.code.parameters
        return [p.name for p in parameters if p.kind.startswith("POSITIONAL")][bound:]
    code = getattr(function, "__code__", None)
    return [] if code is None else list(code.co_varnames[bound : code.co_argcount])


def _function_of(ctx: Context, f: Abstract) -> tuple[Any, int]:
    """The function that runs, and how many of its parameters are bound."""
    if isinstance(f, Closure):
        return f, 0
    if isinstance(f, PyFunction):
        return inspect.unwrap(f.function), 0
    if isinstance(f, Static):
        function = inspect.unwrap(f.value)
        if isinstance(function, types.MethodType):
            return function.__func__, 1
        return function, 0
    if isinstance(f, Method) and isinstance(f.function, types.FunctionType):
        return inspect.unwrap(f.function), 1
    if isinstance(f, Partial) and f.call is call_partial:
        function, bound = _function_of(ctx, f.items[0])
        return function, bound + f.meta[0]
    if isinstance(f, Ref) and isinstance(contents := ctx.contents(f), InstanceObject):
        return inspect.getattr_static(contents.cls, "__call__", None), 1
    return None, 0
