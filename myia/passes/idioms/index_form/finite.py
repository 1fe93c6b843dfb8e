"""Bounds of the magnitudes of arrays, from those of what they are computed from.

    %d = sub (broadcast %x), (broadcast %y)      ->      |%d| <= max |%x| + max |%y|

A product with zero is zero if the other factor is finite. That is checked when the program runs, by
the maxima of the arrays at the leaves of a chain: not by a pass over an array of its results.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from myia.ir.core import Op, Value
from myia.passes.idioms.index_form.taken import Unsupported
from myia.primitives.arrays.reductions import reduce_max, reduce_min
from myia.primitives.arrays.shaping import broadcast, reshape, transpose
from myia.primitives.core.define import constant, constant_p
from myia.primitives.pointwise.arithmetic import abs as absolute
from myia.primitives.pointwise.arithmetic import add, div, mul, neg, sign, sub
from myia.primitives.pointwise.arithmetic import max as maximum
from myia.primitives.pointwise.arithmetic import min as minimum
from myia.primitives.pointwise.logic import select
from myia.primitives.pointwise.transcendental import exp, sqrt, tanh


class Bounds:
    """Upper bounds of magnitudes, as scalars; NaN and infinity if an array has one."""

    def __init__(
        self,
        made_by: Mapping[Value, Op],
        numbers: Mapping[Value, Any],
        forbidden: Container[Value],
        size: int,
        least: Mapping[Value, Value],
    ):
        self.made_by = made_by
        self.numbers = numbers
        self.forbidden = forbidden  # values that are not known yet
        self.size = size  # of the largest array that may be looked through
        self.least = least  # arrays -> their minima along an axis
        self.found: dict[Value, Value] = {}

    def of(self, x: Value) -> Value:
        if x not in self.found:
            self.found[x] = self._of(x)
        return self.found[x]

    def _of(self, x: Value) -> Value:
        op = self.made_by.get(x)
        if x in self.numbers:
            return constant(np.abs(self.numbers[x]), x.dtype)
        if op is not None:
            if op.primitive is constant_p:
                return constant(np.abs(op.params["value"]), x.dtype)
            if op.primitive in (add, sub):
                return add(*map(self.of, op.operands))
            if op.primitive is mul:
                return mul(*map(self.of, op.operands))
            if op.primitive in (select, maximum, minimum):
                return maximum(*map(self.of, op.operands[-2:]))
            if op.primitive in (sign, tanh):
                return minimum(self.of(op.operands[0]), 1)
            if op.primitive is div and (least := self._least(op.operands[1])) is not None:
                return div(self.of(op.operands[0]), least)
            if op.primitive is exp:
                return exp(self.of(op.operands[0]))
            if op.primitive in (neg, absolute, broadcast, reshape, transpose):
                return self.of(op.operands[0])
        if x in self.forbidden or x.aval.size > self.size or x.dtype.kind != "f":
            raise Unsupported
        if x.aval.size == 0:
            return constant(0, x.dtype)
        return reduce_max(absolute(x), axes=tuple(range(x.aval.ndim)))

    def _least(self, x: Value) -> Value | None:
        """A bound of a square root from below, if the minima of it, or of it and 0, are known."""
        if x not in self.made_by or self.made_by[x].primitive is not sqrt:
            return None
        for array, minima in self.least.items():
            op = self.made_by.get(array)
            guarded = op.operands[1:] if op is not None and op.primitive is select else ()
            if array is x or (x in guarded[1:] and self._is_zero(guarded[0])):
                return reduce_min(minima, axes=tuple(range(minima.aval.ndim)))
        return None

    def _is_zero(self, x: Value) -> bool:
        op = self.made_by.get(x)
        return op is not None and op.primitive is constant_p and op.params["value"] == 0
