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
from myia.primitives.arrays.reductions import reduce_max
from myia.primitives.arrays.shaping import broadcast, reshape, transpose
from myia.primitives.core.define import constant, constant_p
from myia.primitives.pointwise.arithmetic import abs as absolute
from myia.primitives.pointwise.arithmetic import add, mul, neg, sign, sub
from myia.primitives.pointwise.arithmetic import max as maximum
from myia.primitives.pointwise.arithmetic import min as minimum
from myia.primitives.pointwise.logic import select
from myia.primitives.pointwise.transcendental import exp, tanh


class Bounds:
    """Upper bounds of magnitudes, as scalars; NaN and infinity if an array has one."""

    def __init__(
        self,
        made_by: Mapping[Value, Op],
        numbers: Mapping[Value, Any],
        forbidden: Container[Value],
        size: int,
    ):
        self.made_by = made_by
        self.numbers = numbers
        self.forbidden = forbidden  # values that are not known yet
        self.size = size  # of the largest array that may be looked through
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
            if op.primitive is exp:
                return exp(self.of(op.operands[0]))
            if op.primitive in (neg, absolute, broadcast, reshape, transpose):
                return self.of(op.operands[0])
        if x in self.forbidden or x.aval.size > self.size or x.dtype.kind != "f":
            raise Unsupported
        if x.aval.size == 0:
            return constant(0, x.dtype)
        return reduce_max(absolute(x), axes=tuple(range(x.aval.ndim)))
