"""The arguments of a traced function: abstract values as Python objects, arrays as tracers.

The recipes are those by which a program's results are rebuilt, and here callables can be rebuilt
too. An unmarked function of the user's is refused: traced, its Python would run once and its source
would not be compiled.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

from myia.infer.boundary.arguments import call_partial
from myia.infer.boundary.recipes import Recipe
from myia.infer.boundary.results import Outputs
from myia.infer.domain.context import Context
from myia.infer.domain.errors import UserFunctionTraced
from myia.infer.domain.values import (
    Abstract,
    Closure,
    Method,
    Opaque,
    Partial,
    PyFunction,
    Scalar,
    SliceValue,
    Static,
)
from myia.infer.jax.objects.pytrees import class_attribute, is_user_function
from myia.infer.registry import handler_of, is_marked_for_tracing, is_traced
from myia.source.defaults import keyword_defaults

# How to rebuild a callable with values inside (`Partial`), by its target: meta -> (*values) -> f.
REBUILD_PARTIAL: dict[Callable, Callable[[Any], Callable]] = {}


class TracerArguments(Outputs):
    """Collects the values that a traced function takes. `leaves[i]`: the abstract value of value i.

    `calls`: the function calls the modules among its arguments, and does not only flatten them.
    """

    def __init__(self, ctx: Context, name: str, calls: bool = False) -> None:
        super().__init__(ctx, {})
        self.name, self.calls = name, calls
        self.leaves: dict[int, Abstract] = {}
        self.trusting = False  # True inside a function that the user marked by `myia.staged`

    def recipe(self, x: Abstract) -> Recipe:
        x = self.ctx.force(x)
        if isinstance(x, Scalar) or self.ctx.is_array(x):
            self.leaves[len(self.values)] = x
        if isinstance(x, PyFunction) and (self.trusting or is_marked_for_tracing(x.function)):
            return self.function(x)
        if isinstance(x, (Closure, PyFunction)):
            self.refuse(f"`{x.code.name if isinstance(x, Closure) else x.function.__name__}`")
        if isinstance(x, Static):
            self.check(x.value)
        if isinstance(x, Method):
            return self.method(x)
        if (
            isinstance(x, Opaque)
            and self.calls
            and is_user_function(class_attribute(x, "__call__"))
        ):
            self.refuse(f"`{x.structure.cls.__name__}.__call__`")
        if isinstance(x, SliceValue):
            return self.rebuilt_by(slice, x.children())
        if isinstance(x, Partial):
            if x.call not in REBUILD_PARTIAL:
                self.refuse("a function that was made here")
            return self.rebuilt_by(REBUILD_PARTIAL[x.call](x.meta), x.items)
        return super().recipe(x)

    def rebuilt_by(self, make: Callable, parts: tuple[Abstract, ...]) -> Recipe:
        """`make(*parts)`"""
        recipes = [self.recipe(part) for part in parts]
        return lambda n, o: make(*(part(n, o) for part in recipes))

    def function(self, x: PyFunction) -> Recipe:
        """A function that the user marked, or one that such a function calls."""
        before, self.trusting = self.trusting, True
        recipe = self.rebuilt_by(functools.partial(_with_variables, x.function), x.parts)
        self.trusting = before
        return recipe

    def method(self, x: Method) -> Recipe:
        plain = isinstance(x.function, types.FunctionType)
        if not plain or not (self.trusting or is_traced(x.function)):
            self.refuse(str(getattr(x.function, "__qualname__", x.function)))
        instance = self.recipe(x.self)
        return lambda n, o: types.MethodType(x.function, instance(n, o))

    def check(self, f: Any) -> None:
        """Refuse a compile-time object that is or holds a function of the user's."""
        if self.trusting or is_marked_for_tracing(f):
            return
        for found in functions_in(f):
            if not is_traced(found) and handler_of(found) is None:
                self.refuse(f"`{found.__qualname__}`")

    def refuse(self, what: str) -> None:
        self.ctx.fail(UserFunctionTraced, name=self.name, what=what)


def _with_variables(f: types.FunctionType, *parts: Any) -> types.FunctionType:
    """`f` with other values in its closure and defaults (in the order of their signatures)."""
    closed, defaults = len(f.__closure__ or ()), len(f.__defaults__ or ())
    cells = tuple(map(types.CellType, parts[:closed])) if closed else None
    g = types.FunctionType(f.__code__, f.__globals__, f.__name__, None, cells)
    g.__defaults__ = parts[closed : closed + defaults] or None
    g.__kwdefaults__ = dict(zip(keyword_defaults(f), parts[closed + defaults :])) or None
    return g


def rebuild_call(meta: tuple) -> Callable:
    """`f(*xs, **keywords)`, of values that are flat: the keywords are the last ones."""
    f, count, *names = meta
    return lambda *xs: f(*xs[:count], **dict(zip(names, xs[count:])))


REBUILD_PARTIAL[call_partial] = lambda meta: rebuild_call(
    (functools.partial, meta[0] + 1, *meta[1:])
)


def functions_in(x: Any, seen: set[int] | None = None) -> Iterator[types.FunctionType]:
    """The Python functions that `x` is, wraps or closes over, for functions and tuples."""
    seen = set() if seen is None else seen
    if id(x) in seen:
        return
    seen.add(id(x))
    if isinstance(x, types.FunctionType):
        yield x
        if is_marked_for_tracing(x) or not is_traced(x):
            return
        held = [c.cell_contents for c in x.__closure__ or () if c != _EMPTY_CELL]
    elif isinstance(x, types.MethodType):
        held = [x.__func__]
    elif isinstance(x, functools.partial):
        held = [x.func, *x.args, *x.keywords.values()]
    elif isinstance(x, (tuple, list)):
        held = list(x)
    elif isinstance(x, dict):
        held = list(x.values())
    else:
        wrapped = None if isinstance(x, type) else getattr(x, "__wrapped__", None)
        held = [] if wrapped is None else [wrapped]
    for inner in held:
        yield from functions_in(inner, seen)


_EMPTY_CELL = types.CellType()
