"""The leaves of signatures: what is known of a number or an array; and sets without numbers."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from myia.infer.guest_arrays import GuestClass


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A number or an array. `kind`: the type of a Python number, "generic" or "array" (NumPy),
    "device" (JAX), "transformed" (JAX, under a transform such as `jax.vmap`), "traced" (JAX, while
    it traces a function that calls ours, to compile it).

    Made by `leaf`, which interns them: leaves with equal fields are one object.
    """

    kind: Any
    dtype: np.dtype
    shape: tuple[int, ...] = ()
    contiguous: bool = True
    guest: GuestClass | None = None  # of an array of another library

    @property
    def is_jax(self) -> bool:
        return self.kind == "device" or self.is_tracer

    @property
    def is_tracer(self) -> bool:
        return self.kind in ("transformed", "traced")


leaf: Callable[..., Leaf] = functools.cache(Leaf)
INTEGER = leaf(int, np.dtype(np.int64))  # an int that is an argument of the program


class ConstantSet(NamedTuple):
    """The value of a set or frozenset without numbers that vary, in the order of Python's loops."""

    cls: type
    items: tuple[Any, ...]

    def __repr__(self) -> str:
        return repr(self.cls(self.items))
