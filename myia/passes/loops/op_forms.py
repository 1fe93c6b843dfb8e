"""The form of an op: what is left of it without the values that it reads. Isomorphic ops have one.

    %b = loop %n, %x { ... %w ... 0.5 ... }        ->   leaves %n, %x, %w, 0.5

A leaf is one place where a value is read, in a region of the op, too. Constants of its regions are
leaves, and so is the start of a slice: these may differ from iteration to iteration of a loop.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from myia.ir.builder import Builder
from myia.ir.core import Op, Region, Value
from myia.ir.rewrite import Env
from myia.primitives.arrays.dynamic_slices import dynamic_slice, static_indices
from myia.primitives.arrays.shaping import slice
from myia.primitives.core.define import constant_p

Values = tuple[Value, ...]


@dataclass(frozen=True)
class Form:
    """An op apart from what it reads: `key` is equal for isomorphic ops.

    leaves   what it reads, at any depth, in order
    inner    those of its leaves that are its own: constants of its regions, starts of slices
    """

    key: Hashable
    leaves: Values
    inner: frozenset[Value]


class Forms:
    """The forms of the ops of a region, and the ops that define their leaves."""

    def __init__(self, region: Region):
        self.region = region
        self.definitions = {y: op for op in region.ops for y in op.results}
        self._forms: dict[Op, Form] = {}

    def __getitem__(self, op: Op) -> Form:
        if op not in self._forms:
            self._forms[op] = self._form(op)
        return self._forms[op]

    def _form(self, op: Op) -> Form:
        leaves: list[Value] = []
        inner: set[Value] = set()
        numbers: dict[Value, int] = {}

        def read(x: Value) -> Hashable:
            if x not in numbers:
                leaves.append(x)
            return numbers.get(x, x.aval)

        def own(made_by: Op) -> None:
            (x,) = made_by.results
            leaves.append(x)
            inner.add(x)
            self.definitions[x] = made_by

        def define(xs: Values) -> Hashable:
            numbers.update((x, len(numbers)) for x in xs)
            return tuple(x.aval for x in xs)

        def inside(region: Region) -> Hashable:
            args = define(region.args)
            return args, tuple(map(visit, region.ops)), tuple(map(read, region.yields))

        def visit(op: Op) -> Hashable:
            operands, params = tuple(map(read, op.operands)), op.params_key
            if op.primitive is constant_p:
                own(op)
                params = ()
            elif _has_start(op):
                for start in _starts(op):
                    own(start)
                params = ()
            regions = tuple(map(inside, op.regions))
            return op.primitive, operands, params, regions, define(op.results)

        return Form(visit(op), tuple(leaves), frozenset(inner))


def copied(op: Op, leaves: Sequence[Value | None]) -> tuple[list[Op], Values]:
    """A copy of `op` that reads other leaves, with ops that it needs; None: an inner leaf stays."""
    given = iter(leaves)
    env: Env = {}

    def read(x: Value) -> Value:
        if x in env:
            return env[x]
        leaf = next(given)
        assert leaf is not None
        return leaf

    def fresh(xs: Values) -> Values:
        env.update((x, Value(x.aval, x.name)) for x in xs)
        return tuple(env[x] for x in xs)

    def inside(region: Region) -> Region:
        args = fresh(region.args)
        ops = [new for inner in region.ops for new in visit(inner)]
        return Region(args, tuple(ops), tuple(map(read, region.yields)))

    def visit(op: Op) -> list[Op]:
        operands = tuple(map(read, op.operands))
        if op.primitive is constant_p:
            number = next(given)
            if number is not None:
                env[op.results[0]] = number
                return []
        elif _has_start(op):
            starts = [next(given) for _ in op.params["start"]]
            if any(start is not None for start in starts):
                return _dynamic_slice(op, operands, starts, fresh(op.results))
        regions = tuple(map(inside, op.regions))
        return [Op(op.primitive, operands, op.params, regions, fresh(op.results), op.span)]

    ops = visit(op)
    return ops, ops[-1].results


def _has_start(op: Op) -> bool:
    """Whether it is a slice that `dynamic_slice` can take at any start."""
    return op.primitive is slice and set(op.params["stride"]) <= {1}


def _starts(op: Op) -> list[Op]:
    """The start of a slice as constants, which no region has."""
    with Builder() as b:
        static_indices(op.params["start"])
    return b.ops


def _dynamic_slice(
    op: Op, operands: Values, starts: Iterable[Value | None], results: Values
) -> list[Op]:
    """A slice at these start indices; None: at its own."""
    own = _starts(op)
    indices = [known.results[0] if x is None else x for known, x in zip(own, starts)]
    params = {"sizes": op.results[0].shape}
    return [*own, Op(dynamic_slice, (*operands, *indices), params, (), results, op.span)]
