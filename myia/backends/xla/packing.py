"""Packing: scalars and small arrays are passed to an executable, and returned, in few vectors.

    program(%x: f64[], %a: f64[3], %y: f64[]) -> f64[], f64[3], f64[]
    program(%numbers: f64[2], %a: f64[3])     -> f64[5]

Each array that goes in or out of an executable costs one or two microseconds per call, whatever
its size; in a vector it costs its copy. Hidden arguments (the globals and closures that a program
reads) come last and have vectors of their own, which are made only when a number changes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import Any

import numpy as np
from jax import lax

from myia.ir.avals import Aval

MAX_PACKED_BYTES = (
    4096  # bytes of an array that may travel in a vector: there its copy costs less than a call
)
MIN_PACKED_ARRAYS = 4  # small arrays of one dtype among the arguments; fewer travel alone


@dataclass(frozen=True)
class Vector:
    """Arrays that travel one after the other, in a vector of the dtype of the first.

    `positions`: theirs in a list of arrays, ascending; `numbers`: which of them are Python numbers,
    as results.
    """

    positions: tuple[int, ...]
    avals: tuple[Aval, ...]
    numbers: frozenset[int] = frozenset()

    @property
    def aval(self) -> Aval:
        return self.avals[0].with_shape((sum(a.size for a in self.avals),))

    @property
    def ends(self) -> list[tuple[int, int]]:
        """Where each array begins and ends."""
        return [*pairwise(accumulate((a.size for a in self.avals), initial=0))]

    def join(self, count: int) -> Callable[[Sequence[Any]], np.ndarray]:
        """The vector of some of `count` arrays and numbers."""
        take = _getter(self.positions)
        if not any(a.shape for a in self.avals):
            return np.array if self.positions == (*range(count),) else lambda xs: np.array(take(xs))
        return lambda xs: np.concatenate(take(xs), axis=None)

    def split(self) -> Callable[[Any], Sequence[Any]]:
        """Of a vector the numbers, NumPy scalars and views."""
        if len(self.numbers) == len(self.positions):
            return _numbers_of(self.aval)
        parts = [
            _part(i in self.numbers, *ends, a.shape)
            for i, ends, a in zip(self.positions, self.ends, self.avals)
        ]

        def split(x: Any) -> list[Any]:
            vector = np.asarray(x)
            return [part(vector) for part in parts]

        return split


CODES = "?bBhHiIlLqQfd"  # of numbers in memory, as in the module `struct`
READERS = {np.dtype(code): code for code in CODES}


def _numbers_of(aval: Aval) -> Callable[[Any], Sequence[Any]]:
    """The Python numbers in a vector."""
    code = READERS.get(aval.dtype)
    if code is None:  # complex numbers
        return lambda x: np.asarray(x).tolist()
    read = struct.Struct(f"{aval.size}{code}").unpack

    def numbers(x: Any) -> Sequence[Any]:
        try:
            return read(x)  # half the time of an array
        except Exception:  # not in the memory of the host, or never computed: it raises again
            found: list[Any] = np.asarray(x).tolist()
            return found

    return numbers


def _part(
    number: bool, start: int, stop: int, shape: tuple[int, ...]
) -> Callable[[np.ndarray], Any]:
    if number:
        return lambda vector: vector.item(start)
    if not shape:
        return itemgetter(start)
    items = itemgetter(slice(start, stop))
    return items if len(shape) == 1 else lambda vector: items(vector).reshape(shape)


def _getter(positions: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """The items at these positions."""
    if len(positions) > 1:
        return itemgetter(*positions)
    return lambda xs: [xs[i] for i in positions]


@dataclass(frozen=True)
class Vectors:
    """How `count` arrays travel: some in vectors, which come first."""

    count: int = 0
    vectors: tuple[Vector, ...] = ()

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """Of the arrays in vectors."""
        return tuple(i for v in self.vectors for i in v.positions)

    @cached_property
    def numbers(self) -> frozenset[int]:
        """The positions of the results that are unpacked as Python numbers."""
        return frozenset[int]().union(*(v.numbers for v in self.vectors))

    @cached_property
    def _others(self) -> tuple[int, ...]:
        packed = {*self.positions}
        return tuple(i for i in range(self.count) if i not in packed)

    @property
    def packed_count(self) -> int:
        """How many arrays travel."""
        return self.count - len(self.positions) + len(self.vectors)

    def pack(self) -> Callable[[Sequence[Any]], Sequence[Any]]:
        joins, others = [v.join(self.count) for v in self.vectors], _getter(self._others)
        if len(joins) == 1 and not self._others:
            (join,) = joins
            return lambda xs: (join(xs),)
        return lambda xs: [*[join(xs) for join in joins], *others(xs)]

    def unpack(self) -> Callable[[Sequence[Any]], Sequence[Any]]:
        """The arrays, with those of the vectors in their places."""
        splits = [v.split() for v in self.vectors]
        if len(splits) == 1 and not self._others:
            (split,) = splits
            return lambda xs: split(xs[0])
        ordered, count = self._ordered, len(splits)
        return lambda xs: ordered(
            [x for split, vector in zip(splits, xs) for x in split(vector)] + list(xs[count:])
        )

    @cached_property
    def _ordered(self) -> Callable[[Sequence[Any]], Sequence[Any]]:
        """Of what came out of the vectors, and the others: all of them in order."""
        found = (*self.positions, *self._others)
        return _getter(sorted(range(len(found)), key=found.__getitem__))

    # ----- In a program, on traced arrays

    def pack_traced(self, arrays: Sequence[Any]) -> Sequence[Any]:
        return [*(_joined(v, arrays) for v in self.vectors), *(arrays[i] for i in self._others)]

    def unpack_traced(self, arrays: Sequence[Any]) -> Sequence[Any]:
        parts = [x for v, array in zip(self.vectors, arrays) for x in _traced_parts(v, array)]
        return self._ordered([*parts, *arrays[len(self.vectors) :]])

    def avals(self, avals: Sequence[Aval]) -> Sequence[Aval]:
        return [*(v.aval for v in self.vectors), *(avals[i] for i in self._others)]

    def unpacked_avals(self, avals: Sequence[Aval]) -> Sequence[Aval]:
        """Of the arrays that travel: those of all arrays."""
        parts = [aval for v in self.vectors for aval in v.avals]
        return self._ordered([*parts, *avals[len(self.vectors) :]])

    def told_of_each(self, xs: Sequence[Any]) -> Sequence[Any]:
        """What is told of each array, for the arrays that travel; of vectors nothing is told."""
        return [*(None for _ in self.vectors), *(xs[i] for i in self._others)]

    def joined(self, runs: Sequence[tuple[int, int]]) -> Vectors:
        """The same vectors, where the scalars from start to stop of each run are one array.

        They are in one vector.
        """
        lengths = {start: stop - start for start, stop in runs}
        gone = {i for start, stop in runs for i in range(start + 1, stop)}
        left = [i for i in range(self.count) if i not in gone]
        new = {i: k for k, i in enumerate(left)}

        def vector(v: Vector) -> Vector:
            kept = [(i, a) for i, a in zip(v.positions, v.avals) if i in new]
            avals = tuple(a.with_shape((lengths[i],)) if i in lengths else a for i, a in kept)
            return Vector(tuple(new[i] for i, _ in kept), avals)

        return Vectors(len(left), tuple(map(vector, self.vectors)))

    def packed_positions(self, positions: Sequence[int]) -> tuple[int, ...]:
        """The positions of these arrays after packing, without those in the vectors."""
        first = len(self.vectors)
        return tuple(first + self._others.index(i) for i in positions if i in self._others)


def _joined(vector: Vector, arrays: Sequence[Any]) -> Any:
    dtype = vector.aval.dtype
    flat = [
        lax.convert_element_type(lax.reshape(arrays[i], (a.size,)), dtype)
        for i, a in zip(vector.positions, vector.avals)
    ]
    return lax.concatenate(flat, 0)


def _traced_parts(vector: Vector, array: Any) -> list[Any]:
    return [
        lax.reshape(lax.slice(array, (start,), (stop,)), a.shape)
        for (start, stop), a in zip(vector.ends, vector.avals)
    ]


# ----- What is packed


def arguments_in_vectors(
    avals: Sequence[Aval], scalars: Sequence[int], arrays: Sequence[int] = ()
) -> Vectors:
    """`scalars`: positions of scalars of one dtype; `arrays`: of arrays of NumPy.

    A single scalar is not packed: alone it is faster.
    """
    found = [scalars] if len(scalars) > 1 else []
    found += [group for group in _small(avals, arrays).values() if len(group) >= MIN_PACKED_ARRAYS]
    return Vectors(len(avals), tuple(_vector(avals, group) for group in found))


def results_in_vectors(
    avals: Sequence[Aval], numbers: Sequence[int], code: int | None = None
) -> Vectors:
    """Results for NumPy. `numbers`: positions of Python numbers; `code`: that of the error code,
    which travels with others, whatever their dtype, if there are some."""
    groups = _small(avals, [i for i in range(len(avals)) if i != code])
    if code is not None:
        exact = (dtype.kind in "fi" and dtype.itemsize >= 4 for dtype in groups)
        holds_code = [group for group, holds in zip(groups.values(), exact) if holds]
        for group in holds_code[:1]:
            group.append(code)
    among = frozenset(numbers if code is None else (*numbers, code))
    # A Python number is read from a vector faster than from an array without axes.
    found = [group for group in groups.values() if len(group) > 1 or among & {*group}]
    return Vectors(len(avals), tuple(_vector(avals, group, among) for group in found))


def is_small(aval: Aval) -> bool:
    """May it travel in a vector?"""
    return 0 < aval.nbytes <= MAX_PACKED_BYTES


def _small(avals: Sequence[Aval], positions: Sequence[int]) -> dict[np.dtype, list[int]]:
    """Those of small arrays, by dtype."""
    groups: dict[np.dtype, list[int]] = {}
    for i in positions:
        if is_small(avals[i]):
            groups.setdefault(avals[i].dtype, []).append(i)
    return groups


def _vector(
    avals: Sequence[Aval], group: Sequence[int], numbers: frozenset[int] = frozenset()
) -> Vector:
    return Vector(tuple(group), tuple(avals[i] for i in group), numbers & {*group})


@dataclass(frozen=True)
class Packing:
    """Packing of the arguments that users pass, of those that come after them, and of results.

    `inside`: the same vectors as the program sees them, if it takes or returns parts of them as
    arrays where callers have scalars.
    """

    given: Vectors
    hidden: Vectors = Vectors()
    results: Vectors = Vectors()
    inside: Packing | None = None

    def joined(
        self, arguments: Sequence[tuple[int, int]], results: Sequence[tuple[int, int]]
    ) -> Packing:
        """For a program that takes and returns an array for each of these runs of scalars."""
        count = self.given.count
        given = self.given.joined([(i, j) for i, j in arguments if i < count])
        hidden = self.hidden.joined([(i - count, j - count) for i, j in arguments if i >= count])
        return replace(self, inside=Packing(given, hidden, self.results.joined(results)))

    def avals(self, avals: Sequence[Aval]) -> Sequence[Aval]:
        """Of the packed arguments; `avals`: of the arguments of the program."""
        inside = self.inside or self
        given, hidden = avals[: inside.given.count], avals[inside.given.count :]
        return [*inside.given.avals(given), *inside.hidden.avals(hidden)]

    def packed_positions(self, positions: Sequence[int]) -> tuple[int, ...]:
        """The positions of these arguments after packing, without those in the vectors."""
        count = self.given.count
        given = self.given.packed_positions([i for i in positions if i < count])
        hidden = self.hidden.packed_positions([i - count for i in positions if i >= count])
        return (*given, *(self.given_count + i for i in hidden))

    @property
    def given_count(self) -> int:
        """How many arrays the given arguments are when they are packed."""
        return self.given.packed_count

    def results_count(self, count: int) -> int:
        """How many arrays are returned for so many results."""
        return self.results.packed_count if self.results.vectors else count

    def program(self, program: Callable[..., tuple]) -> Callable[..., tuple]:
        """`program` with packed arguments and results."""
        count, inside = self.given_count, self.inside or self

        def packed(*arrays: Any) -> Any:
            given = inside.given.unpack_traced(arrays[:count])
            hidden = inside.hidden.unpack_traced(arrays[count:])
            results = program(*given, *hidden)
            return tuple(inside.results.pack_traced(results)) if self.results.vectors else results

        packed.__name__ = packed.__qualname__ = program.__name__
        return packed
