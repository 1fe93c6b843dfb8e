"""What the widener is told about a loop, and how values vary along an axis of examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from itertools import product

from myia.ir.core import Op, Region, Value, walk
from myia.primitives.arrays.shaping import broadcast, reshape
from myia.primitives.core.region_dataflow import Edge, carry_args, dataflow_edges, reachable
from myia.primitives.core.structured import Loop, if_p, loop_p, rev_p
from myia.primitives.pointwise import arithmetic, logic

# Commutative and associative, but for rounding.
REDUCTIONS = {arithmetic.add, arithmetic.mul, arithmetic.max, arithmetic.min, logic.and_, logic.or_}
SHAPE_CHANGES = {reshape, broadcast}  # of a single element: they do not change it


@dataclass(frozen=True)
class Stride:
    """An access moves by `step`, which is 1 or -1, along `axis` from iteration to iteration."""

    axis: int
    step: int


@dataclass(frozen=True)
class ReductionStep:
    """`op` combines a running sum with what an iteration contributes to it.

    The contribution is the operand at `term_position`, the running sum is the other operand.
    """

    op: Op
    term_position: int

    @property
    def term(self) -> Value:
        return self.op.operands[self.term_position]

    @property
    def accumulates(self) -> bool:
        """Is the contribution added to the running sum, and not the sum subtracted from it?"""
        subtracts = self.op.primitive is arithmetic.sub and self.term_position == 1
        return self.op.primitive in REDUCTIONS or subtracts

    @property
    def is_reassociable(self) -> bool:
        """May the contributions be added in any order?"""
        return bool(self.op.params.get("reassoc"))


@dataclass(frozen=True)
class ArrayReduction:
    """An element is loaded, contributions are added to it, and it is stored where it was.

    `ops` are all the ops that do this. The load is not among them if it has other uses.
    """

    store: Op
    steps: tuple[ReductionStep, ...]
    ops: tuple[Op, ...]

    @property
    def is_reassociable(self) -> bool:
        """May the contributions be added in any order?"""
        return all(step.is_reassociable for step in self.steps)


@dataclass(frozen=True)
class LoopSummary:
    """Facts about a loop with independent iterations; about examples it says what varies.

    The keys of `reductions` and `array_reductions` are the values that the body yields, those of
    `recurrences` are the arguments of the body. Nests have `partial_sums` and `reduced_stores` in
    place of the three.
    """

    varying: Set[Value]  # in a nest without the versions of shared arrays
    arrays: Mapping[Value, Value] = field(default_factory=dict)  # version of an array -> its carry
    # Of accesses to arrays that all iterations share; None: the same slice in all of them.
    strides: Mapping[Op, Stride | None] = field(default_factory=dict)
    gathers: Set[Op] = frozenset()  # loads at an index that each iteration computes
    # In the order of an iteration.
    reductions: Mapping[Value, tuple[ReductionStep, ...]] = field(default_factory=dict)
    # In an order valid for vectors.
    array_reductions: Mapping[Value, tuple[ArrayReduction, ...]] = field(default_factory=dict)
    # What the previous iteration yielded, by the carry.
    recurrences: Mapping[Value, Value] = field(default_factory=dict)
    partial_sums: Set[Value] = frozenset()  # carries to which iterations add: private sums
    # Additions to elements, by the store.
    reduced_stores: Mapping[Op, ArrayReduction] = field(default_factory=dict)
    reduction_ops: Set[Op] = frozenset()  # the ops of these reductions, except the reduced stores

    @property
    def direction(self) -> int:
        """1 if most accesses go forwards through memory, else -1."""
        steps = sum(stride.step for stride in self.strides.values() if stride is not None)
        return 1 if steps >= 0 else -1


def varying_values(
    region: Region, sources: Iterable[Value], shared: Container[Value] = ()
) -> set[Value]:
    """The values of `region`, at any depth, that vary with `sources`: by what they are computed
    from, or by which branch and how many iterations run. Those that are `shared` never do."""
    successors: dict[Value, list[Value]] = defaultdict(list)
    for op in walk(region):
        for x, y in _edges(op):
            if y not in shared:
                successors[x].append(y)
    return reachable([x for x in sources if x not in shared], successors)


def _edges(op: Op) -> Iterator[Edge]:
    if not op.primitive.structured:
        yield from product(op.operands, op.results)
    else:
        yield from dataflow_edges(op)
    if op.primitive is if_p:
        yield from product(op.operands, op.results)
    elif op.primitive in (loop_p, rev_p):
        loop = Loop.of(op)
        exits = [] if loop.count is None else [loop.count]
        exits += [] if loop.cond is None else loop.cond.yields
        targets = (op.results, *carry_args(loop))
        yield from (edge for target in targets for edge in product(exits, target))
