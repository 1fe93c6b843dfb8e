"""Checks of what derivative rules return: its structure, dtypes and shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadRule
from myia.infer.domain.heap_arrays import array_aval
from myia.infer.domain.values import (
    Abstract,
    Node,
    Ref,
    Scalar,
    Static,
    is_none,
    same_static,
)
from myia.infer.numeric.promotion import is_numeric, operand, operand_dtype
from myia.infer.structures import matched_children
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.core.define import zeros


@dataclass(frozen=True)
class RuleResultChecker:
    """Checks what the rule of the function `name` returns as `what` (a result, a tangent, ...).

    `every`: all leaves are checked, as for results. Else only floating leaves are checked, the
    others may be anything, and None is zero for a leaf or for all leaves of a container.
    """

    ctx: Context
    name: str
    what: str
    every: bool = False

    def values(self, like: Abstract, x: Abstract) -> list[Value]:
        """The leaves of `x`, each with the dtype and shape of the matching leaf of `like`."""
        if isinstance(like, Scalar):
            return self.leaf(like, like.value.aval, x)
        if self.ctx.is_array(like):
            return self.leaf(like, array_aval(self.ctx.heap, like.id), x)
        x = self.ctx.force(x)
        if isinstance(like, Static):
            return self.static(like, x)
        wanted = self.contents(like).children()
        if is_none(x) and not self.every:
            return [zero for part in wanted for zero in self.values(part, x)]
        given = matched_children(self.contents(like), self.contents(x))
        if given is None:
            self.fail(like, x)
        return [v for pair in zip(wanted, given, strict=True) for v in self.values(*pair)]

    def leaf(self, like: Abstract, aval: Aval, x: Abstract) -> list[Value]:
        if not self.every and not aval.differentiable:
            return []
        x = self.ctx.force(x)
        if is_none(x) and not self.every:
            return [zeros(aval)]
        if not is_numeric(self.ctx, x) or not self.fits(x, aval):
            self.fail(like, x)
        return [operand(self.ctx, x, aval)]

    def fits(self, x: Abstract, aval: Aval) -> bool:
        """True for the same shape, and a kind of number that the dtype can hold."""
        kinds = "biufc"
        dtype, _ = operand_dtype(self.ctx, x)
        return self.ctx.shape(x) == aval.shape and (
            kinds.index(dtype.kind) <= kinds.index(aval.dtype.kind)
        )

    def static(self, like: Static, x: Abstract) -> list[Value]:
        same = isinstance(x, Static) and same_static(like.value, x.value)
        if self.every and not same:
            self.fail(like, x)
        return []

    def contents(self, x: Abstract) -> Node:
        return self.ctx.contents(x) if isinstance(x, Ref) else x

    def fail(self, like: Abstract, x: Abstract) -> NoReturn:
        describe = self.ctx.describe
        given = f"{describe(x)} as {self.what}"
        self.ctx.fail(BadRule, name=self.name, given=given, wanted=describe(like))
