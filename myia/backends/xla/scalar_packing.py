"""Numbers travel together: scalar arguments as one vector, and scalar results.

    program(%x: f64[], %a: f64[3], %y: f64[]) -> f64[], f64[3], f64[]
    program(%numbers: f64[2], %a: f64[3])     -> f64[2], f64[3]

Every array that goes in or out of an executable costs one or two microseconds of a call, whatever
its size; a number in a vector costs nothing. What a program reads outside its arguments comes last
and has a vector of its own, which is made only when one of the numbers has changed.
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
class Numbers:
    """Of some arrays, the positions of the float64 scalars that travel as a vector in front.

    Nothing is to be packed or unpacked where there are none.
    """

    positions: tuple[int, ...] = ()

    @cached_property
    def _packed(self) -> frozenset[int]:
        return frozenset(self.positions)

    def _others(self, xs: Sequence[Any]) -> list[Any]:
        return [x for i, x in enumerate(xs) if i not in self._packed]

    def _merged(self, numbers: Sequence[Any], others: Sequence[Any]) -> Sequence[Any]:
        if not others:
            return numbers
        merged = list(others)
        for i, x in zip(self.positions, numbers):  # positions ascend
            merged.insert(i, x)
        return merged

    def pack(self, arrays: Sequence[Any]) -> Sequence[Any]:
        if len(self.positions) == len(arrays):
            return [np.array(arrays)]
        return [np.array([arrays[i] for i in self.positions]), *self._others(arrays)]

    def unpack(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """The packed ones are Python floats."""
        return self._merged(np.asarray(arrays[0]).tolist(), arrays[1:])

    # ----- The same in a program, whose arrays are traced

    def pack_traced(self, arrays: Sequence[Any]) -> Sequence[Any]:
        if not self.positions:
            return arrays
        numbers = [lax.reshape(arrays[i], (1,)) for i in self.positions]
        return [lax.concatenate(numbers, 0), *self._others(arrays)]

    def unpack_traced(self, arrays: Sequence[Any]) -> Sequence[Any]:
        if not self.positions:
            return arrays
        vector, *others = arrays
        count = len(self.positions)
        numbers = [lax.index_in_dim(vector, k, keepdims=False) for k in range(count)]
        return self._merged(numbers, others)

    def avals(self, avals: Sequence[Aval]) -> Sequence[Aval]:
        if not self.positions:
            return avals
        return [F64.with_shape((len(self.positions),)), *self._others(avals)]

    def moved(self, positions: Sequence[int]) -> tuple[int, ...]:
        """Where the arrays at these positions are when packed; those in the vector are left out."""
        first = 1 if self.positions else 0
        others = [i for i in positions if i not in self._packed]
        return tuple(first + i - sum(j < i for j in self.positions) for i in others)


@dataclass(frozen=True)
class Packing:
    """`given` of the first `count` arguments, `hidden` of the rest (in positions of their own)."""

    count: int
    given: Numbers = Numbers()
    hidden: Numbers = Numbers()
    results: Numbers = Numbers()

    @classmethod
    def of(
        cls, count: int, given: Sequence[int], hidden: Sequence[int], results: Sequence[int]
    ) -> Packing:
        """A single argument is quicker by itself."""
        groups = (tuple(xs) if len(xs) > 1 else () for xs in (given, hidden))
        return cls(count, *map(Numbers, groups), Numbers(tuple(results)))

    def avals(self, avals: Sequence[Aval]) -> Sequence[Aval]:
        given, hidden = avals[: self.count], avals[self.count :]
        return [*self.given.avals(given), *self.hidden.avals(hidden)]

    def program(self, program: Callable[..., tuple]) -> Callable[..., tuple]:
        """`program` with packed arguments and results."""
        count = self.count
        if self.given.positions:
            count += 1 - len(self.given.positions)

        def packed(*arrays):
            given = self.given.unpack_traced(arrays[:count])
            hidden = self.hidden.unpack_traced(arrays[count:])
            return self.results.pack_traced(program(*given, *hidden))

        packed.__name__ = packed.__qualname__ = program.__name__
        return packed
