"""The form of an op: what is left of it without the values that it reads. Isomorphic ops have one.

    %b = loop %n, %x { ... %w ... 0.5 ... }        leaves: %n, %x, %w, 0.5

A leaf is one place where a value is read, in a region of the op, too. Constants of its regions are
leaves, and so is the start of a slice: these may differ from iteration to iteration of a loop.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from myia.ir.builder import Builder, append
from myia.ir.core import Op, Region, Value
from myia.ir.rewrite import Env
from myia.primitives.arrays.dynamic_slices import dynamic_slice, static_indices
from myia.primitives.arrays.shaping import slice
from myia.primitives.core.define import constant_p

Values = tuple[Value, ...]


@dataclass(frozen=True)
class Form:
    """An op apart from what it reads: `key` is equal for isomorphic ops.

    leaves   what it reads, at any depth, in order; the constants of its regions are among them
    inner    those of its leaves that are constants of its regions
    op       the op itself, or, for a static slice, one whose start is among the leaves
    """

    key: Hashable
    leaves: Values
    inner: frozenset[Value]
    op: Op


class Forms:
    """The forms of the ops of a region, and the ops that define their leaves."""

    def __init__(self, region: Region):
        self.region = region
        self.definitions = {y: op for op in region.ops for y in op.results}
        self._forms: dict[Op, Form] = {}

    def __getitem__(self, op: Op) -> Form:
        if op not in self._forms:
            self._forms[op] = self._form(self._with_indices(op))
        return self._forms[op]

    def _with_indices(self, op: Op) -> Op:
        if op.primitive is not slice or set(op.params["stride"]) - {1}:
            return op
        with Builder() as b:
            starts = static_indices(op.params["start"])
        self.definitions.update((y, made) for made in b.ops for y in made.results)
        params = {"sizes": op.results[0].shape}
        return Op(dynamic_slice, (*op.operands, *starts), params, (), op.results, op.span)

    def _form(self, op: Op) -> Form:
        leaves: list[Value] = []
        inner: set[Value] = set()
        numbers: dict[Value, int] = {}

        def read(x: Value) -> Hashable:
            if x not in numbers:
                leaves.append(x)
            return numbers.get(x, x.aval)

        def define(xs: Iterable[Value]) -> tuple[Hashable, ...]:
            numbers.update((x, len(numbers)) for x in xs)
            return tuple(x.aval for x in xs)

        def inside(region: Region) -> Hashable:
            args = define(region.args)
            return args, tuple(map(visit, region.ops)), tuple(map(read, region.yields))

        def visit(op: Op) -> Hashable:
            if op.primitive is constant_p:
                leaves.append(op.results[0])
                inner.add(op.results[0])
                self.definitions[op.results[0]] = op
                return define(op.results)
            parts = tuple(map(read, op.operands)), tuple(map(inside, op.regions))
            return op.primitive, op.params_key, parts, define(op.results)

        return Form(visit(op), tuple(leaves), frozenset(inner), op)


def copied(op: Op, leaves: Iterable[Value | None]) -> Values:
    """Emit a copy of the `op` of a form with these leaves; None: the constant stays."""
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
        ops = []
        for inner in region.ops:
            if inner.primitive is constant_p and (number := next(given)) is not None:
                env[inner.results[0]] = number
            else:
                ops.append(visit(inner))
        return Region(args, tuple(ops), tuple(map(read, region.yields)))

    def visit(op: Op) -> Op:
        operands = tuple(map(read, op.operands))
        regions = tuple(map(inside, op.regions))
        return Op(op.primitive, operands, op.params, regions, fresh(op.results), op.span)

    append(copy := visit(op))
    return copy.results
