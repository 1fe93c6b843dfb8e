"""NumPy's and SciPy's functions by name: the function of JAX that computes what they compute.

    find("numpy.linalg.svd")  ->  jax.numpy.linalg.svd
    find("scipy.special.i0")  ->  jax.scipy.special.i0

`formula` registers what `jax.numpy` has not, or has otherwise than NumPy: a composition of
functions of `jax.numpy`, under NumPy's name. JAX's submodules are imported when they are needed.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

COMPOSITIONS: dict[str, Callable] = {}


def formula(*names: str) -> Callable[[Callable], Callable]:
    """Register what stands for NumPy's functions of these names."""

    def register(f: Callable) -> Callable:
        for name in names:
            COMPOSITIONS[name] = f
        return f

    return register


@cache
def jax_function(name: str) -> Callable | None:
    """What is staged for the function of this name; None when there is nothing."""
    if name in COMPOSITIONS:
        return COMPOSITIONS[name]
    module, _, attribute = name.rpartition(".")
    root = "jax.scipy.stats" if name.startswith("scipy.stats.") else f"jax.{module}"
    place = importlib.import_module(root)
    if module.startswith("scipy.stats."):
        place = getattr(place, module.rpartition(".")[2], None)
    return getattr(place, attribute, None)


@cache
def accepts_keyword(f: Callable, name: str) -> bool:
    """True when `f` can be given an argument of this name."""
    found = inspect.signature(f).parameters.values()
    return name in parameters(f) or any(p.kind is p.VAR_KEYWORD for p in found)


@cache
def parameters(f: Callable) -> frozenset[str]:
    """The names of the parameters of `f` that have one."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return frozenset(n for n, p in inspect.signature(f).parameters.items() if p.kind in kinds)


@dataclass(frozen=True)
class FlatCall:
    """`f` as a function of a flat list of arrays.

    `places` says where each array goes: a keyword, or None for the next positional argument; and
    how many of the arrays make one sequence there (None: the array itself).
    """

    f: Callable
    places: tuple[tuple[str | None, int | None], ...]

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        rest = iter(arrays)
        positional = []
        for keyword, count in self.places:
            x = next(rest) if count is None else [next(rest) for _ in range(count)]
            if keyword is None:
                positional.append(x)
            else:
                options[keyword] = x
        return self.f(*positional, **options)
