"""Joined scalars: scalars that a program takes or returns one by one become one vector of it.

    func (%x: f64[], %y: f64[], ...)                    func (%v: f64[n])
      %a = reshape %x {shape=(1,)}                 ->
      ...
      %c = concatenate %a, %b, ...                        (%c is %v)

A list of numbers that a loop reads is such a concatenation. Its numbers travel in one vector anyway
(`backends/xla/packing.py`): as one argument they cost every later pass one value instead of n. In a
`vjp` the concatenation is within its region; then its cotangents are one vector, too, and so are
the results of the program. An item that is read alone is a slice of the vector.

This is no pass of a stage: the caller of the program has to know what was joined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value, captures, walk
from myia.primitives.arrays.shaping import concatenate, reshape, slice
from myia.primitives.core.structured import derivative_p
from myia.rewriting.liveness import eliminate_dead_values

T = TypeVar("T")

MIN_SCALARS = 16  # of a concatenation; fewer stay scalars
MIN_JOINED_PER_SLICE = 4  # scalars of a vector, for each that is still read alone

Run = tuple[int, int]  # positions, from start to stop
Place = tuple[Any, int]  # where a scalar is: a vector, or its number, and a position there


def join_scalars(
    function: Function, arguments: Iterable[Sequence[int]], results: Iterable[Sequence[int]]
) -> tuple[Function, list[Run], list[Run]]:
    """`function` with joined arguments and results, and which of the former ones they are.

    `arguments`, `results`: the positions of scalars that may become one vector, or parts of it.
    """
    runs = _concatenated(function, list(arguments))
    while runs:
        joining = _Joining()
        region, returned = joining.program(function.region, runs, list(results))
        alone = joining.slices(region)
        kept = [
            run for k, run in enumerate(runs) if alone[k] * MIN_JOINED_PER_SLICE <= run[1] - run[0]
        ]
        if kept == runs:
            return function.with_region(region), runs, returned
        runs = kept
    return function, [], []


def _concatenated(function: Function, vectors: Sequence[Sequence[int]]) -> list[Run]:
    """The runs of arguments that are concatenated in this order."""
    places: dict[Value, Place] = {
        function.args[i]: (k, i) for k, vector in enumerate(vectors) for i in vector
    }
    elements: dict[Value, Place] = {}
    found: list[Run] = []
    for op in walk(function.region):
        if op.primitive is derivative_p:
            (f,) = op.regions
            places |= {a: places[x] for a, x in zip(f.args, op.operands) if x in places}
        if _is_element(op) and op.operands[0] in places:
            elements[op.results[0]] = places[op.operands[0]]
        if op.primitive is concatenate:
            found += _positions([elements.get(x) for x in op.operands])
    merged: list[Run] = []
    for start, stop in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return merged


def _positions(places: Sequence[Place | None]) -> Iterator[Run]:
    """What the runs of these places are there."""
    for i, j in _runs(places):
        _, start = _found(places[i])
        yield start, start + j - i


def _is_element(op: Op) -> bool:
    """Is it a scalar as an array of one element?"""
    return op.primitive is reshape and op.params["shape"] == (1,) and not op.operands[0].shape


def _found(place: Place | None) -> Place:
    assert place is not None
    return place


def _runs(places: Sequence[Place | None]) -> Iterator[Run]:
    """The longest runs of places one after the other in one vector."""
    i = 0
    while i < len(places):
        j, place = i + 1, places[i]
        while place is not None and j < len(places) and places[j] == (place[0], place[1] + j - i):
            j += 1
        if place is not None and j - i >= MIN_SCALARS:
            yield i, j
        i = j


@dataclass
class _Joining:
    """One rewrite. The scalars stay what they are, as elements of vectors; dead ones are removed.

    `places`: of the scalars that are elements of a vector; `elements`: the same, of arrays of one
    element; `origins`: of which run of the arguments a vector is.
    """

    places: dict[Value, Place] = field(default_factory=dict)
    elements: dict[Value, Place] = field(default_factory=dict)
    origins: dict[Value, int] = field(default_factory=dict)

    def program(
        self, region: Region, runs: Sequence[Run], results: Sequence[Sequence[int]]
    ) -> tuple[Region, list[Run]]:
        """The region with joined arguments and results, and the runs of the results."""
        joined = self.region(region, runs, range(len(runs)))
        places = [self.places.get(y) for y in joined.yields]
        returned: list[Run] = []
        for vector in results:  # ascending, but of any positions
            travels = {*vector}
            inside = [x if i in travels else None for i, x in enumerate(places)]
            returned += _runs(inside)
        returned.sort()
        with Builder() as b:
            yields = self._with_vectors(joined.yields, places, returned)
        found = Region(joined.args, (*joined.ops, *b.ops), tuple(yields))
        return eliminate_dead_values(found), returned

    def slices(self, region: Region) -> Counter[int]:
        """How many scalars are still read alone, by run of the arguments."""
        read = (op.operands[0] for op in walk(region) if op.primitive is slice)
        return Counter(self.origins[x] for x in read if x in self.origins)

    def region(self, region: Region, runs: Sequence[Run], origins: Sequence[int | None]) -> Region:
        """A region with these runs of its arguments joined."""
        vectors = [_vector(region.args[i:j]) for i, j in runs]
        with Builder() as b:
            for vector, (i, j), origin in zip(vectors, runs, origins):
                if origin is not None:
                    self.origins[vector] = origin
                self._take_apart(vector, region.args[i:j])
            for op in region.ops:
                with at(op.span):
                    self._op(op)
        return Region(tuple(_replaced(region.args, runs, vectors)), tuple(b.ops), region.yields)

    def _take_apart(self, vector: Value, scalars: Sequence[Value]) -> None:
        for i, x in enumerate(scalars):
            element = slice(vector, start=(i,), limit=(i + 1,), stride=(1,))
            append(Op(reshape, (element,), {"shape": ()}, (), (x,)))
            self.places[x] = (vector, i)

    def _op(self, op: Op) -> None:
        if op.primitive is derivative_p and op.params["mode"] == "vjp":
            return self._vjp(op)
        if _is_element(op) and op.operands[0] in self.places:
            self.elements[op.results[0]] = self.places[op.operands[0]]
        if op.primitive is concatenate:
            places = [self.elements.get(x) for x in op.operands]
            operands = self._with_vectors(op.operands, places, list(_runs(places)))
            if len(operands) > 1:
                return append(Op(concatenate, tuple(operands), op.params, (), op.results, op.span))
            shape = operands[0].shape
            return append(Op(reshape, tuple(operands), {"shape": shape}, (), op.results, op.span))
        if any(x in self.places or x in self.elements for x in captures(*op.regions)):
            regions = tuple(self.region(r, (), ()) for r in op.regions)
            op = Op(op.primitive, op.operands, op.params, regions, op.results, op.span)
        return append(op)

    def _vjp(self, op: Op) -> None:
        """A `vjp` whose arguments are joined, and its cotangents with them."""
        (f,) = op.regions
        wrt, count, values = op.params["wrt"], len(f.args), len(f.yields)
        places = [self.places.get(x) for x in op.operands[:count]]
        at_wrt = {i: k for k, i in enumerate(wrt)}
        runs = [run for run in _runs(places) if _in_order([at_wrt.get(k) for k in range(*run)])]
        operands = self._with_vectors(op.operands[:count], places, runs)
        origins = [self.origins.get(_found(places[i])[0]) for i, _ in runs]
        region = self.region(f, runs, origins)
        # The first of a run has the place of its vector.
        new = {i: k for k, i in enumerate(_replaced(range(count), runs, [i for i, _ in runs]))}
        of_wrt = [(at_wrt[i], at_wrt[i] + j - i) for i, j in runs if i in at_wrt]
        joined = sorted((values + i, values + j) for i, j in of_wrt)
        vectors = [_vector(op.results[i:j]) for i, j in joined]
        params = {**op.params, "wrt": tuple(new[i] for i in wrt if i in new)}
        results = tuple(_replaced(op.results, joined, vectors))
        seeds = op.operands[count:]
        append(Op(derivative_p, (*operands, *seeds), params, (region,), results, op.span))
        for vector, (i, j) in zip(vectors, joined):
            self._take_apart(vector, op.results[i:j])

    def _with_vectors(
        self, xs: Sequence[Value], places: Sequence[Place | None], runs: Sequence[Run]
    ) -> list[Value]:
        """`xs`, with a vector, or a part of one, for each of these runs."""
        parts = []
        for i, j in runs:
            vector, start = _found(places[i])
            stop = start + j - i
            whole = (start, stop) == (0, *vector.shape)
            part = vector if whole else slice(vector, start=(start,), limit=(stop,), stride=(1,))
            parts.append(part)
        return _replaced(xs, runs, parts)


def _in_order(numbers: Sequence[int | None]) -> bool:
    """Are they all None, or one after the other?"""
    first = numbers[0]
    steps = [first] * len(numbers) if first is None else [*range(first, first + len(numbers))]
    return list(numbers) == steps


def _vector(scalars: Sequence[Value]) -> Value:
    return Value(scalars[0].aval.with_shape((len(scalars),)), scalars[0].name)


def _replaced(xs: Sequence[T], runs: Sequence[Run], by: Sequence[T]) -> list[T]:
    """`xs` with one item for each of these runs, which are in order."""
    found: list[T] = []
    done = 0
    for (i, j), x in zip(runs, by):
        found += [*xs[done:i], x]
        done = j
    return [*found, *xs[done:]]
