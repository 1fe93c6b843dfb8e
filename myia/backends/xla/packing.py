"""Numbers travel together: scalar arguments as one vector, and scalar results.

    program(%x: f64[], %a: f64[3], %y: f64[]) -> f64[], f64[3], f64[]
    program(%numbers: f64[2], %a: f64[3])     -> f64[2], f64[3]

Every array that goes in or out of an executable costs one or two microseconds of a call, whatever
its size; a number in a vector costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jax import lax

from myia.ir.avals import F64, Aval


@dataclass(frozen=True)
class Packing:
    """The positions of the float64 scalars that travel as the first argument and first result."""

    arguments: tuple[int, ...] = ()
    results: tuple[int, ...] = ()

    @classmethod
    def of(cls, arguments: Sequence[int], results: Sequence[int]) -> Packing:
        """A packing of these; a single argument is quicker by itself."""
        return cls(tuple(arguments) if len(arguments) > 1 else (), tuple(results))

    # ----- On the side of the caller

    def pack(self, arrays: Sequence[Any]) -> Sequence[Any]:
        if not self.arguments:
            return arrays
        if len(self.arguments) == len(arrays):
            return [np.array(arrays)]
        packed = self._packed
        numbers = np.array([arrays[i] for i in self.arguments])
        return [numbers, *[x for i, x in enumerate(arrays) if i not in packed]]

    @cached_property
    def _packed(self) -> frozenset[int]:
        return frozenset(self.arguments)

    def unpack(self, results: Sequence[Any]) -> Sequence[Any]:
        """The results in their order; the packed ones are Python floats."""
        if not self.results:
            return results
        numbers = np.asarray(results[0]).tolist()
        return _merged(self.results, numbers, results[1:]) if len(results) > 1 else numbers

    def avals(self, avals: Sequence[Aval]) -> Sequence[Aval]:
        if not self.arguments:
            return avals
        return [F64.with_shape((len(self.arguments),)), *_without(self.arguments, avals)]

    def positions(self, arguments: Sequence[int]) -> tuple[int, ...]:
        """Where these arguments are among the packed ones; those in the vector are left out."""
        packed = set(self.arguments)
        first = 1 if packed else 0
        return tuple(first + i - sum(j < i for j in packed) for i in arguments if i not in packed)

    # ----- On the side of the program

    def program(self, program: Callable[..., tuple]) -> Callable[..., tuple]:
        """`program` with packed arguments and results."""
        if not (self.arguments or self.results):
            return program

        def packed(*arrays):
            results = program(*self._unpacked_arguments(arrays))
            return self._packed_results(results)

        packed.__name__ = packed.__qualname__ = program.__name__
        return packed

    def _unpacked_arguments(self, arrays: Sequence[Any]) -> Sequence[Any]:
        if not self.arguments:
            return arrays
        vector, *others = arrays
        numbers = [lax.index_in_dim(vector, k, keepdims=False) for k in range(len(self.arguments))]
        return _merged(self.arguments, numbers, others)

    def _packed_results(self, results: Sequence[Any]) -> Sequence[Any]:
        if not self.results:
            return results
        numbers = lax.concatenate([lax.reshape(results[i], (1,)) for i in self.results], 0)
        return (numbers, *_without(self.results, results))


UNPACKED = Packing()


def _without(positions: Sequence[int], xs: Sequence[Any]) -> list[Any]:
    packed = frozenset(positions)
    return [x for i, x in enumerate(xs) if i not in packed]


def _merged(positions: Sequence[int], numbers: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """`numbers` at their positions, between the others."""
    merged = list(others)
    for i, x in zip(positions, numbers):  # positions ascend
        merged.insert(i, x)
    return merged
