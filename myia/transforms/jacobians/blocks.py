"""Jacobians: a loop over the directions of a basis, or over the few that a sparse one needs.

    derivative jacrev    ->    for each unit vector e of the result: vjp of f at e
    derivative jacfwd    ->    for each unit vector e of the argument: jvp of f at e

The function's forward sweep does not depend on the direction, so passes hoist it out of the loop:
a Jacobian costs one forward sweep and one pullback (or pushforward) for each direction.

What does not meet costs nothing. A block of an argument and a result that do not is zero. A
diagonal block takes one direction, a band of three diagonals three, whatever its size
(`patterns.py`, `colouring.py`): a seed is 1 in all elements of a colour, and what comes of it is
put where each belongs.

Tangents and cotangents of complex numbers pair by Re(a b). So a seed of 1 gives the real part of
the derivative of a complex number by real ones (in reverse mode) and of a real number by complex
ones (in forward mode); a seed of i gives the imaginary part, negated.

    y = np.sin(x) * x    ->    %1 = jvp of f at 1, 1, ..., 1
                               %J = select (%row == %column), %1, 0
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from myia.ir.avals import Aval
from myia.ir.core import Op, Region, Value
from myia.ir.rewrite import inline
from myia.primitives.arrays.rows import read_row, write_row
from myia.primitives.arrays.shaping import broadcast, iota, reshape, transpose
from myia.primitives.core.barriers import barrier
from myia.primitives.core.define import array_constant, constant, zeros
from myia.primitives.core.emit_structured import loop
from myia.primitives.core.structured import block_aval
from myia.primitives.pointwise.logic import eq, select
from myia.primitives.pointwise.transcendental import complex as complex_of
from myia.transforms.jacobians.colouring import colouring, transposed
from myia.transforms.jacobians.patterns import ANY, Pattern, patterns
from myia.transforms.jvp import jvp_region
from myia.transforms.vjp import vjp_region

INT = np.dtype(np.int64)
# Of matrices for whose elements XLA must not compute again what they are selected from.
MIN_ELEMENTS = 8192


def jacobian(op: Op, operands: Sequence[Value], f: Region) -> tuple[Value, ...]:
    """The values of `f`, and the derivatives of its results `of` by its arguments `wrt`."""
    wrt, of = op.params["wrt"], op.params["of"]
    outputs = [f.yields[j] for j in of]
    found = {(j, i): p for i in wrt for j, p in zip(of, patterns(f, f.args[i], outputs))}
    blocks: dict[tuple[int, int], Value] = {}
    if op.params["mode"] == "jacfwd":
        for i in wrt:
            columns = _Seeded(f, operands, i, True).blocks({j: found[j, i] for j in of})
            blocks |= {(j, i): block for j, block in columns.items()}
    else:
        for j in of:
            meets = {i: transposed(found[j, i], f.args[i].aval.size) for i in wrt}
            rows = _Seeded(f, operands, j, False).blocks(meets)
            blocks |= {(j, i): block for i, block in rows.items()}
    shapes = {(j, i): (*f.yields[j].shape, *f.args[i].shape) for j in of for i in wrt}
    return (*inline(f, operands), *(reshape(blocks[at], shape=shapes[at]) for at in shapes))


@dataclass(frozen=True)
class _Seeded:
    """An argument (forward mode), or a result, whose elements are seeded: number `at` of `f`."""

    f: Region
    operands: Sequence[Value]
    at: int
    forward: bool

    @property
    def value(self) -> Value:
        return self.f.args[self.at] if self.forward else self.f.yields[self.at]

    def other(self, k: int) -> Value:
        return self.f.yields[k] if self.forward else self.f.args[k]

    def blocks(self, depends: dict[int, Pattern]) -> dict[int, Value]:
        """Matrices, of the elements of a result by those of an argument, for each of the others.

        `depends[k]`: on which elements of this one each element of number k depends.
        """
        size = self.value.aval.size
        known = {k: p for k, p in depends.items() if p is not ANY}
        sparse = {k: p for k, p in known.items() if p.size}
        found = {k: zeros(self.matrix(k)) for k in known if k not in sparse}
        coloured = colouring(size, list(sparse.values())) if sparse else None
        if coloured is not None:
            directions = self.along(list(sparse), array_constant(coloured.colours), coloured.count)
            for k, met, rows in zip(sparse, coloured.met, directions):
                found[k] = self.spread(k, met, rows)
        if rest := [k for k in depends if k not in found]:
            position = iota(shape=(size,), axis=0, dtype=INT)
            for k, rows in zip(rest, self.along(rest, position, size)):
                found[k] = transpose(rows, permutation=(1, 0)) if self.forward else rows
        return found

    def aval(self, k: int) -> Aval:
        """That of the derivatives by, or of, the value number k."""
        here, there = self.value.aval, self.other(k).aval
        return block_aval(there, here, "jacfwd") if self.forward else block_aval(here, there, "")

    def matrix(self, k: int) -> Aval:
        x = self.aval(k)
        mine = self.value.aval.size
        return x.with_shape((x.size, mine) if self.forward else (mine, x.size))

    def along(self, others: Sequence[int], colours: Value, count: int) -> list[Value]:
        """Row c of a result: the derivative for the seed of 1 where `colours` is c.

        What has no seed has none of zeros, either: what depends on it alone has no derivative to
        compute, and none that could be NaN.
        """
        like, values = self.value.aval, len(self.f.yields)
        if self.forward:
            region = jvp_region(self.f, (self.at,), others)
        else:
            region = vjp_region(self.f, others, (self.at,))

        def along_seed(seed: Value) -> Sequence[Value]:
            return inline(region, (*self.operands, reshape(seed, shape=like.shape)))[values:]

        def derivatives(seed: Callable[[complex], Value]) -> list[Value]:
            found = list(along_seed(seed(1)))
            halves = [i for i, k in enumerate(others) if self.aval(k) != self.other(k).aval]
            imaginary = along_seed(seed(1j)) if halves else ()
            for i in halves:
                found[i] = complex_of(found[i], -imaginary[i])
            return [reshape(t, shape=(t.aval.size,)) for t in found]

        if count == 1:
            found = derivatives(lambda unit: constant(unit, like.dtype, colours.shape))
            rows = [reshape(t, shape=(1, t.aval.size)) for t in found]
            large = any(self.matrix(k).size >= MIN_ELEMENTS for k in others)
            return list(barrier(rows, rows)) if large else rows
        avals = [self.aval(k) for k in others]
        buffers = [zeros(x.with_shape((count, x.size))) for x in avals]
        if count == 0:
            return buffers

        def body(k: Value, *rows: Value) -> list[Value]:
            here = eq(colours, broadcast(k, shape=colours.shape, dims=()))

            def seed(unit: complex) -> Value:
                one, zero = (constant(n, like.dtype, colours.shape) for n in (unit, 0))
                return select(here, one, zero)

            return [write_row(r, t, k) for r, t in zip(rows, derivatives(seed))]

        return list(loop(buffers, body, count=constant(count, INT), bound=count))

    def spread(self, k: int, met: np.ndarray, rows: Value) -> Value:
        """The matrix of number k, of the derivatives `rows`, which belong to the elements `met`."""
        matrix = self.matrix(k)
        along, across = (0, 1) if self.forward else (1, 0)
        position = iota(shape=matrix.shape, axis=across, dtype=INT)
        found = zeros(matrix)
        for c, elements in enumerate(met):
            row = read_row(rows, constant(c, INT))
            here, row = (
                broadcast(x, shape=matrix.shape, dims=(along,))
                for x in (array_constant(elements), row)
            )
            found = select(eq(position, here), row, found)
        return found
