"""Python functions that are called: their closures, and whether their source is compiled."""

from __future__ import annotations

import functools
import types

import numpy as np

from myia.infer import registry
from myia.infer.domain.context import Context
from myia.infer.domain.facts import CODE, Attribute, Cell, Default
from myia.infer.domain.values import Abstract, Static
from myia.infer.unsupported import UnsupportedFunction
from myia.primitives.core.py import Code
from myia.source.defaults import defaults_of

SINGLE_DISPATCH = CODE(functools.singledispatch(len))
UNDER_ERRSTATE = CODE(np.errstate()(len))  # a function under the decorator `np.errstate(...)`


def closure_parts(ctx: Context, f: types.FunctionType) -> tuple[Abstract, ...]:
    """The variables of the closure of a function, then its defaults."""
    parts = tuple(_closure_root(ctx, f, i) for i in range(len(f.__code__.co_freevars)))
    parts += tuple(ctx.root(Default(f, name), name) for name in defaults_of(f))
    ctx.fact(Attribute(f, "__code__"))
    return parts


def _closure_root(ctx: Context, f: types.FunctionType, i: int) -> Abstract:
    question = Cell((f.__closure__ or ())[i])
    if question.read() is f:
        return Static(ctx.fact(question))
    return ctx.root(question, f.__code__.co_freevars[i])


def load(ctx: Context, f: types.FunctionType) -> Code:
    """The source of `f`, as code. Refused: defaults for other parameters than there."""
    code = ctx.load(f)
    if [p.name for p in code.parameters if p.has_default] != [*defaults_of(f)]:
        ctx.fail(
            UnsupportedFunction,
            what=f"`{f.__name__}` with defaults for other parameters than it had",
        )
    return code


def compiles_source(f: types.FunctionType) -> bool:
    """Whether a call of `f` runs its source: there is no handler, no trace, no other function."""
    return (
        registry.handler_of(f) is None
        and not registry.is_traced(f)
        and not registry.is_of_library(f)
        and f.__code__ is not SINGLE_DISPATCH
    )
