"""The elements of an array at an index along an axis, without the array.

    %d = sub (broadcast %x), (broadcast %y)     %1 = gather %y, %index
    %d at %index                          ->    sub (broadcast %x), (broadcast %1)

An elementwise chain is computed for the elements that are taken, from taken elements. The axis
stays, with length 1: so every op keeps its parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from myia.ir.builder import emit1
from myia.ir.core import Op, Value
from myia.ir.rewrite import Env
from myia.primitives.arrays.gather import take, take_along_axis
from myia.primitives.arrays.shaping import broadcast, reduce_sum, reshape, transpose
from myia.primitives.core.define import PointwisePrimitive, constant, constant_p


class Unsupported(Exception):
    """An array has no such form here: the program stays as it is."""


@dataclass(frozen=True, slots=True)
class Where:
    """An axis of an array, and the axes that the axes of the index are."""

    axis: int
    along: tuple[int, ...]

    def shape(self, full: tuple[int, ...]) -> tuple[int, ...]:
        return (*full[: self.axis], 1, *full[self.axis + 1 :])

    def through(self, axes: Mapping[int, int]) -> Where:
        """The same in an array whose axes `axes` maps these to."""
        try:
            return Where(axes[self.axis], tuple(axes[i] for i in self.along))
        except KeyError:
            raise Unsupported from None


class Taken:
    """Arrays at `index`; `env` has what other values have become, `numbers` what fills them."""

    def __init__(
        self, index: Value, made_by: Mapping[Value, Op], env: Env, numbers: Mapping[Value, Any]
    ):
        self.index = index
        self.made_by = made_by
        self.env = env
        self.numbers = numbers
        self.found: dict[tuple[Value, Where], Value] = {}

    def at(self, x: Value, where: Where) -> Value:
        if (x, where) not in self.found:
            self.found[x, where] = self._at(x, where)
        return self.found[x, where]

    def _at(self, x: Value, where: Where) -> Value:
        if x.shape[where.axis] == 1:
            return self.env.get(x, x)
        if x in self.numbers:
            return constant(self.numbers[x], x.dtype, where.shape(x.shape))
        op = self.made_by.get(x)
        if op is None:
            return self._element(x, where)
        if op.primitive is constant_p:
            return constant(op.params["value"], x.dtype, where.shape(x.shape))
        if isinstance(op.primitive, PointwisePrimitive):
            return emit1(op.primitive, *(self.at(y, where) for y in op.operands), **op.params)
        if op.primitive is broadcast:
            return self._of_broadcast(op, where)
        if op.primitive is reduce_sum:
            axes = op.params["axes"]
            kept = (i for i in range(op.operands[0].aval.ndim) if i not in axes)
            return reduce_sum(
                self.at(op.operands[0], where.through(dict(enumerate(kept)))), axes=axes
            )
        return self._element(x, where)

    def _element(self, x: Value, where: Where) -> Value:
        x = self.env.get(x, x)
        shape = where.shape(x.shape)
        return take_along_axis(x, broadcast(self.index, shape=shape, dims=where.along), where.axis)

    def _of_broadcast(self, op: Op, where: Where) -> Value:
        (x,), dims = op.operands, op.params["dims"]
        shape = where.shape(op.params["shape"])
        axes = {d: i for i, (d, n) in enumerate(zip(dims, x.shape)) if n != 1}
        if where.axis not in axes:
            return broadcast(self.env.get(x, x), shape=shape, dims=dims)
        present = [d in axes for d in where.along]
        if all(present):
            return broadcast(self.at(x, where.through(axes)), shape=shape, dims=dims)
        if any(present):
            raise Unsupported
        # The index brings the axes `along`, which `x` lacks, in place of the one it takes.
        at = axes[where.axis]
        taken = take(self.env.get(x, x), self.index, axis=at)
        names = [*dims[:at], *where.along, *dims[at + 1 :]]
        if len(set(names)) != len(names):  # an axis of length 1 that `x` has
            raise Unsupported
        order = sorted(range(len(names)), key=names.__getitem__)
        taken = transpose(taken, permutation=tuple(order))
        return broadcast(taken, shape=shape, dims=tuple(sorted(names)))


def without_axis(x: Value, axis: int) -> Value:
    return reshape(x, shape=(*x.shape[:axis], *x.shape[axis + 1 :]))
