"""Tables that are computed once, as constants of a program.

constant(ziggurat.normal, "width")   ->   an array of 256 numbers
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.values import Abstract, Static, as_ref
from myia.infer.registry import function
from myia.primitives.core.define import array_constant
from myia.primitives.special.gamma_bessel import beta_sample, gamma_sample


def constant(tables: Callable[[], Any], name: str) -> Any:
    """The array `name` of what `tables()` makes; nobody writes to it."""
    return getattr(tables(), name)


@function(constant)
def _constant(ctx: Context, tables: Abstract, name: Abstract) -> Abstract:
    assert isinstance(tables, Static) and isinstance(name, Static)
    return ctx.array(array_constant(constant(tables.value, name.value)))


def computed(f: Callable[..., np.ndarray], *args: Any) -> Any:
    """The array `f(*args)` of a cached function and ints; nobody writes to it."""
    return f(*args)


@function(computed)
def _computed(ctx: Context, f: Abstract, *args: Abstract) -> Abstract:
    numbers = [ctx.static(x, "a number of words") for x in args]
    assert isinstance(f, Static)
    return ctx.array(array_constant(f.value(*numbers)))


def wrapped(x: Any) -> Any:
    """An integer modulo 2**64, as a uint64."""
    return np.uint64(x % 2**64)


@function(wrapped)
def _wrapped(ctx: Context, x: Abstract) -> Abstract:
    if isinstance(x, Static):
        return Static(wrapped(x.value))
    return ctx.call(Static(_run_time_word), (x,), {})


def _run_time_word(x: Any) -> Any:
    return np.int64(x).astype(np.uint64)


def fresh() -> Any:
    """A bit generator that the system has seeded, another one at each call of a program."""
    return np.random.PCG64()


def at_quantile(shape: Any, x: Any) -> Any:
    """Samples x of gamma distributions, which move with the shapes (arrays of one length)."""
    return x


@function(at_quantile)
def _at_quantile(ctx: Context, shape: Abstract, x: Abstract) -> Abstract:
    return ctx.array(gamma_sample(ctx.read(as_ref(shape)), ctx.read(as_ref(x))))


def at_beta_quantile(a: Any, b: Any, x: Any) -> Any:
    """Samples x of beta distributions, which move with the parameters (arrays of one length)."""
    return x


@function(at_beta_quantile)
def _at_beta_quantile(ctx: Context, a: Abstract, b: Abstract, x: Abstract) -> Abstract:
    operands = [ctx.read(as_ref(part)) for part in (a, b, x)]
    return ctx.array(beta_sample(*operands))
