"""Value numbering of one iteration: the forward loop's body beside the primal part of the adjoint.

It tells which primal values the forward loop computes anyway, and which values of an iteration are
carries of the next one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from myia.analysis.cost_model import op_cost
from myia.ir.core import Op, Region, Value
from myia.primitives.core.structured import if_p
from myia.rewriting.value_numbering import Numbering
from myia.storage.residuals.record_or_recompute import SplitAdjoint

# XLA takes these of real numbers for cheap, and computes them in each fused loop that reads them:
# at equal bytes it is better to record them.
COMPUTED_AGAIN = ("sin", "cos", "tan")
COMPUTED_AGAIN_SHARE = 0.1


class Iteration:
    """`body`: that of the forward loop; `mapping[i]`: its carry that is carry i of the `rev`."""

    def __init__(self, split: SplitAdjoint, body: Region, mapping: Sequence[int]):
        self.split, self.body, self.mapping = split, body, mapping
        self.numbering = Numbering()
        k, *xs = body.args
        self.numbering.set_equal(split.rev.adjoint_region.args[0], k)
        for x, i in zip(split.carry_args, mapping, strict=True):
            self.numbering.set_equal(x, xs[i])
        self.numbering.visit(body.ops)
        self.forward = set(self._numbers_in(body.ops))
        self.numbering.visit(split.primal)
        # The forward loop does not compute these: recomputing them in the adjoint is no extra work.
        self.only_in_adjoint = {op for op in split.primal if self._is_only_in_adjoint(op)}
        self.not_in_forward_loop = {y for op in self.only_in_adjoint for y in op.results}
        self.yields = set(self.numbering.numbers_of(body.yields[i] for i in mapping))

    def _numbers_in(self, ops: Iterable[Op]) -> Iterator[int]:
        """The numbers of what the ops compute, also in branches."""
        for op in ops:
            yield from self.numbering.numbers_of(op.results)
            if op.primitive is if_p:
                for branch in op.regions:
                    yield from self._numbers_in(branch.ops)

    def _is_only_in_adjoint(self, op: Op) -> bool:
        """A branch may yield what the forward loop computes in a branch and does not yield."""
        return self.forward.isdisjoint(self._numbers_in([op]))

    def recompute_cost(self, op: Op) -> float:
        """What it takes the adjoint to compute a primal op again, or first."""
        if op not in self.only_in_adjoint:
            return op_cost(op)
        is_again = op.primitive.name in COMPUTED_AGAIN and op.results[0].dtype.kind == "f"
        return COMPUTED_AGAIN_SHARE * op_cost(op) if is_again else 0.0

    def record_discount(self, x: Value) -> float:
        """A factor for the cost of recording `x`.

        Recording a value that only the adjoint computes is extra work for the forward loop. A carry
        of the next iteration may be recorded anyway, as the residual of that iteration.
        """
        if x in self.not_in_forward_loop:
            return 1.05
        return 0.6 if self.numbering.number(x) in self.yields else 1.0

    def successors(self, residuals: Sequence[Value]) -> dict[int, int]:
        """Pairs of positions in `residuals`: a carry, and its value in the next iteration."""
        number = self.numbering.number
        next_value = {
            x: number(self.body.yields[i]) for x, i in zip(self.split.carry_args, self.mapping)
        }
        pairs: dict[int, int] = {}
        for i, x in enumerate(residuals):
            for j, y in enumerate(residuals):
                paired = {*pairs, *pairs.values()}
                follows = x in next_value and number(y) == next_value[x]
                if follows and i != j and paired.isdisjoint((i, j)):
                    pairs[i] = j
        return pairs
