"""Ops with a side effect: they run once, in program order."""

from __future__ import annotations

import functools
from typing import Any, Protocol

import jax
import numpy as np
from jax import numpy as jnp

from myia.ir.builder import emit
from myia.ir.core import Value
from myia.ir.primitive import NONDIFFERENTIABLE, Primitive
from myia.primitives.core.host_calls import as_words, call_in_order


class Template(Protocol):
    def format(self, *numbers: Any) -> str: ...


def _print(*xs: jax.Array | np.ndarray, fmt: str, end: str = "\n") -> tuple[()]:
    print(fmt.format(*(np.asarray(x)[()] for x in xs)), end=end)
    return ()


def _lower_print(*xs: jax.Array, **text: str) -> tuple[()]:
    sent, received = as_words(xs)

    def show(*words: jax.Array) -> None:
        _print(*received(words), **text)

    jax.debug.callback(show, *sent, ordered=True)
    return ()


def print_among_host_calls(*xs: jax.Array, **text: str) -> tuple[()]:
    """As `debug_print` is lowered in a program with host calls: in one order with them.

    Elsewhere JAX may differentiate and map over a program that prints.
    """
    call_in_order(functools.partial(_print, **text), (), list(map(jnp.asarray, xs)))
    return ()


debug_print_p = Primitive(
    name="debug_print",
    avals=lambda *xs, fmt, end="\n": (),
    lower=_lower_print,
    evaluate=_print,
    derivative=NONDIFFERENTIABLE,
    effect=True,
)


def debug_print(fmt: Template, *xs: Value, end: str = "\n") -> None:
    """Print `fmt.format(*xs)`, then `end`, when the program runs."""
    params = {"fmt": fmt} if end == "\n" else {"fmt": fmt, "end": end}
    emit(debug_print_p, *xs, regions=(), **params)
