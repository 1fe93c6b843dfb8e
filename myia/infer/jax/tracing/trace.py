"""Tracing: functions of JAX to jaxprs, at the avals of their arguments.

    trace(jnp.tanh, [Aval(f64, (3,))])  ->  { lambda ; a:f64[3]. let b:f64[3] = tanh a in (b,) }

`trace` is for JAX's functions in the role of NumPy's, in 64 bits like all of typed IR.
`trace_in_user_mode` is for functions that users call by their JAX names. They mean what they mean
under the user's own configuration: `jax.random.normal` draws other numbers in another mode.
Functions of users are never traced, unless the user marked them by `myia.staged`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr

from myia.ir.avals import Aval
from myia.ir.params import params_key

MAX_CACHED_JAXPRS = 4096


def trace(f: Callable, avals: Sequence[Aval], params: Mapping[str, Any] = {}) -> ClosedJaxpr:
    """The jaxpr of `f(*arrays of avals, **params)` in 64 bits; `params` are compile-time values."""
    try:
        hash(tuple(params.values()))
    except TypeError:
        with jax.enable_x64(True):
            return _make_jaxpr(f, avals, params)
    return _trace_cached(f, tuple(avals), _HashableParams(params_key(params), dict(params)))


def trace_in_user_mode(
    f: Callable, avals: Sequence[Aval], params: Mapping[str, Any] = {}
) -> ClosedJaxpr:
    """As `trace`, in JAX's current mode and without a cache: `f` may read state that changes.

    Without 64-bit mode JAX narrows float64 and int64: the jaxpr's own avals say what it takes.
    """
    return _make_jaxpr(f, avals, params)


@dataclass(frozen=True)
class _HashableParams:
    """Keyword arguments with a hash; equal when they mean the same (`1` is not `True`)."""

    key: Any
    values: dict = field(compare=False)


@functools.lru_cache(MAX_CACHED_JAXPRS)
def _trace_cached(f: Callable, avals: tuple[Aval, ...], params: _HashableParams) -> ClosedJaxpr:
    with jax.enable_x64(True):
        return _make_jaxpr(f, avals, params.values)


def _make_jaxpr(f: Callable, avals: Sequence[Aval], params: Mapping[str, Any]) -> ClosedJaxpr:
    arrays = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
    with jax.disable_jit(False):  # else loops would be unrolled, and conditions read
        return jax.make_jaxpr(functools.partial(f, **params))(*arrays)
