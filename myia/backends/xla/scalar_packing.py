"""Scalar packing: float64 scalars are passed to an executable, and returned, as one vector.

    program(%x: f64[], %a: f64[3], %y: f64[]) -> f64[], f64[3], f64[]
    program(%numbers: f64[2], %a: f64[3])     -> f64[2], f64[3]

Each array that goes in or out of an executable costs one or two microseconds per call, whatever
its size; a number in a vector costs nothing. Hidden arguments (the globals and closures that a
program reads) come last and have a vector of their own, which is made only when a number changes.
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
    """The positions, in a list of arrays, of the float64 scalars that form a vector in front.

    Nothing is packed if there are none.
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
        """The arrays with the packed scalars in their places, as Python floats."""
        return self._merged(np.asarray(arrays[0]).tolist(), arrays[1:])

    # ----- In a program, on traced arrays

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

    def packed_positions(self, positions: Sequence[int]) -> tuple[int, ...]:
        """The positions of these arrays after packing, without those in the vector."""
        first = 1 if self.positions else 0
        others = [i for i in positions if i not in self._packed]
        return tuple(first + i - sum(j < i for j in self.positions) for i in others)


@dataclass(frozen=True)
class Packing:
    """Packing of the first `count` arguments (`given`), the rest (`hidden`), and the results.

    Positions of `hidden` count from the first hidden argument.
    """

    count: int
    given: Numbers = Numbers()
    hidden: Numbers = Numbers()
    results: Numbers = Numbers()

    @classmethod
    def of(
        cls, count: int, given: Sequence[int], hidden: Sequence[int], results: Sequence[int]
    ) -> Packing:
        """A single argument is not packed: alone it is faster."""
        packed = [Numbers(tuple(xs) if len(xs) > 1 else ()) for xs in (given, hidden)]
        return cls(count, packed[0], packed[1], Numbers(tuple(results)))

    def avals(self, avals: Sequence[Aval]) -> Sequence[Aval]:
        given, hidden = avals[: self.count], avals[self.count :]
        return [*self.given.avals(given), *self.hidden.avals(hidden)]

    def packed_positions(self, positions: Sequence[int]) -> tuple[int, ...]:
        """The positions of these arguments after packing, without those in the vectors."""
        given = [i for i in positions if i < self.count]
        hidden = [i - self.count for i in positions if i >= self.count]
        start = self.count + (1 - len(self.given.positions) if self.given.positions else 0)
        found = self.hidden.packed_positions(hidden)
        return (*self.given.packed_positions(given), *(start + i for i in found))

    def program(self, program: Callable[..., tuple]) -> Callable[..., tuple]:
        """`program` with packed arguments and results."""
        count = self.count
        if self.given.positions:
            count += 1 - len(self.given.positions)

        def packed(*arrays: Any) -> Any:
            given = self.given.unpack_traced(arrays[:count])
            hidden = self.hidden.unpack_traced(arrays[count:])
            return self.results.pack_traced(program(*given, *hidden))

        packed.__name__ = packed.__qualname__ = program.__name__
        return packed
