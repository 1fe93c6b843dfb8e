"""From the name of a function of NumPy or SciPy to the function of JAX that computes the same.

    jax_function("numpy.linalg.svd")  ->  jax.numpy.linalg.svd
    jax_function("scipy.special.i0")  ->  jax.scipy.special.i0

`formula` registers, under NumPy's name, a composition of functions of `jax.numpy` where JAX has no
such function or defines it otherwise. Submodules of JAX are imported when they are first needed.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from myia.infer.registry import registering

COMPOSITIONS: dict[str, Callable] = {}


def formula(*names: str) -> Callable[[Callable], Callable]:
    """Register a composition for NumPy's functions of these names."""
    return registering(COMPOSITIONS, *names)


@cache
def jax_function(name: str) -> Callable | None:
    """The function that is traced for this name; None when there is none."""
    if name in COMPOSITIONS:
        return COMPOSITIONS[name]
    module, _, attribute = name.rpartition(".")
    root = "jax.scipy.stats" if name.startswith("scipy.stats.") else f"jax.{module}"
    namespace: Any = importlib.import_module(root)
    if module.startswith("scipy.stats."):
        namespace = getattr(namespace, module.rpartition(".")[2], None)
    return getattr(namespace, attribute, None)


@cache
def accepts_keyword(f: Callable, name: str) -> bool:
    """True when `f` accepts an argument of this name."""
    found = inspect.signature(f).parameters.values()
    return name in parameters(f) or any(p.kind is p.VAR_KEYWORD for p in found)


@cache
def parameters(f: Callable) -> frozenset[str]:
    """The names of the parameters of `f` that can be given by keyword."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return frozenset(n for n, p in inspect.signature(f).parameters.items() if p.kind in kinds)


@dataclass(frozen=True)
class FlatCall:
    """`f` as a function of a flat list of arrays.

    `layout` has an entry for each argument of `f`: its keyword (None: the next positional
    argument), and how many of the arrays form a sequence (None: one array, passed as it is).
    """

    f: Callable
    layout: tuple[tuple[str | None, int | None], ...]

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        rest = iter(arrays)
        positional = []
        for keyword, count in self.layout:
            x = next(rest) if count is None else [next(rest) for _ in range(count)]
            if keyword is None:
                positional.append(x)
            else:
                options[keyword] = x
        return self.f(*positional, **options)
