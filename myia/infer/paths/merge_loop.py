"""The merge of the start and the end of an iteration, and of the last fixed point.

What an iteration changes is *widened*: the bound of an integer that changes is dropped, so that the
fixed point of the loop is reached in finitely many rounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from myia.infer.domain.dtypes import bounds, interval_hull
from myia.infer.domain.heap import Heap, ViewObject
from myia.infer.domain.values import Abstract
from myia.infer.lists.growing_lists import ListGrowth
from myia.infer.paths import choice, points_to
from myia.infer.paths.merge import merge_states
from myia.infer.paths.merge_arrays import have_same_sizes
from myia.infer.paths.merge_result import (
    ArrayType,
    Join,
    Merge,
    MergeResult,
    Merging,
)
from myia.infer.paths.refit import FixedPoint, predicted_end
from myia.ir.core import Value


@dataclass(frozen=True)
class LoopJoin(Join):
    """What earlier rounds have found of the state at the start.

    `before_loop` is the heap before the loop. `private_arrays`: loop name -> its loop-private
    array. `can_unroll`: values without a common form may have one in straight code.
    """

    before_loop: Heap
    growth: ListGrowth
    entry_placeholders: frozenset[Value] = frozenset()
    header_objects: frozenset[int] = frozenset()
    private_arrays: Mapping[int, int] = field(default_factory=dict)
    can_unroll: bool = True
    takes_objects: bool = False
    takes_arrays: bool = False
    keeps_apart: bool = False

    @property
    def takes_new_sizes(self) -> bool:
        return not self.can_unroll or self.growth.capacities is not None

    def outside(self, merge: Merge) -> Heap:
        return self.before_loop

    def is_loop_name(self, id: int) -> bool:
        return id in self.header_objects and id not in self.before_loop

    def bounds(self, a: Abstract, b: Abstract) -> tuple[int | None, int | None]:
        (lo, hi), (low, high) = bounds(a), interval_hull(a, b)
        return lo if lo == low else None, hi if hi == high else None

    def takes_choice(self, a: Abstract, b: Abstract) -> bool:
        return not choice.adds_nested_choice(a, b)

    def takes_sizes(self, a: int, x: ArrayType, y: ArrayType) -> bool:
        """Arrays with other bounds or dynamic axes have known sizes if the loop is unrolled.

        If it cannot be, the array from before it gets the bounds of the iteration's, once: an array
        that grows in every iteration has no bound.
        """
        grows = any(m > n for n, m in zip(x[0].shape, y[0].shape))
        widens = not self.can_unroll and not (a in self.header_objects and grows)
        return have_same_sizes(x, y) or widens

    def keeps_view(self, view: ViewObject, tracks_points_to: bool) -> bool:
        """Of an array from before the loop: it is there in the next iteration."""
        return tracks_points_to and view.base in self.before_loop

    def add_points_to(self, merging: Merging, a: int, b: int, id: int) -> None:
        points_to.add_set_of_loop(merging, a, b, id, self.before_loop, self.private_arrays)


def merge_iteration(
    join: LoopJoin,
    start: tuple[Sequence[Abstract], Heap],
    end: tuple[Sequence[Abstract], Heap],
    tracks_points_to: bool,
) -> MergeResult:
    """The state at the start of the next round; raises Mismatch."""
    merge = Merge(start[1], start[1], end[1], join, tracks_points_to)
    return merge_states(merge, start[0], end[0])


def merge_last_fixed_point(
    last: FixedPoint, values: Sequence[Abstract], before: Heap, tracks_points_to: bool
) -> MergeResult:
    """The state at the start of the first round, as at the last visit; raises Mismatch."""
    join = LoopJoin(before, ListGrowth())
    return merge_iteration(
        join, (values, before), predicted_end(last, values, before), tracks_points_to
    )
