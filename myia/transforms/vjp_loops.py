"""Reverse mode of loops. Loops are closed under differentiation: nothing is recorded here.

    vjp(loop f)  =  rev f
    vjp(rev f)   =  loop f', then rev f'          (`vjp_rev.py`)

The adjoint region of a `rev` holds the step of the loop, recomputed from the carried values x at
the start of the iteration, and its pullback. Which values of that step are stored and which are
recomputed is decided after all derivatives are taken, by `storage/`.

The supports of cotangents (`supports/`) are arrays of booleans that the adjoint loop carries:

    %x_ct, %x_support = rev ... { adjoint(%k, %x, %x_ct, %x_support) }

only where one is of use: for an array that an op with a pole computes before the loop, or if a part
of a result is left out afterwards. Where the iterations leave it alone, as elementwise ones do, it
is read from outside instead. Cotangents depend on them, they do not depend on cotangents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from myia.ir.avals import I64
from myia.ir.builder import append, build_region
from myia.ir.core import Op, Region, Tangents, Value, Values, captures
from myia.primitives.arrays.shaping import broadcast
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.structured import Loop
from myia.primitives.pointwise.logic import and_, gt, or_
from myia.rewriting.def_use import uses
from myia.transforms.clone import clone, clone_with_args
from myia.transforms.cotangents import Accumulators, Reverse, like_cotangents, or_zeros
from myia.transforms.custom import region_with_rules
from myia.transforms.host_calls import check_adjoint
from myia.transforms.residuals import export_residuals
from myia.transforms.supports.slices import Stores, Support, as_array
from myia.transforms.supports.tracked import Supports, nowhere


def pull_back_loop(
    reverse: Reverse, op: Op, cts: Tangents, supports: Sequence[Support], acc: Accumulators
) -> None:
    """Emit the adjoint loop of `op`. `reverse`: handed in, see the docstring of `vjp.py`."""
    parts = Loop.of(op)
    args = parts.body.args[1:]
    active = [i for i, x in enumerate(args) if acc.wants(x) or cts[i] is not None]
    captured = [x for x in captures(parts.body) if acc.wants(x)]
    # What the first iteration overwrites needs its support for products and elements, too.
    read = {*uses(parts.body), *parts.body.yields}
    poles = {x for x, arg in zip(parts.carries, args) if arg not in read and acc.tracks(x)}
    poles |= acc.tracked.poles
    starts = [
        Start(
            parts.carries[i],
            args[i],
            cts[i] is not None,
            supports[i],
            not poles.isdisjoint((parts.carries[i], args[i], parts.body.yields[i])),
        )
        for i in active
    ]
    tracked = LoopSupports(parts, starts, captured, acc)

    def adjoint(k: Value, xs: Values, cts: Values, sums: Values, masks: Values) -> Values:
        step = clone_with_args(parts.body, (k, *xs), replay=True)
        wanted = [xs[i] for i in active if acc.wants(args[i])]
        seeds = [(step.yields[i], ct) for i, ct in zip(active, cts)]
        known = dict(zip(captured, sums))
        supports = tracked.inside([xs[i] for i in active], masks)
        total = reverse(step.ops, [*wanted, *captured], seeds, known, supports)
        after = [total.buffer(xs[i]) for i in active] + [total.buffer(x) for x in captured]
        return after + tracked.after([xs[i] for i in active], total)

    seeds = tuple(or_zeros(cts[i], op.results[i]) for i in active)
    sums = tuple(acc.buffer(x) for x in captured)
    groups = args, like_cotangents(args[i] for i in active), like_cotangents(captured)
    region = tracked.settled(lambda: closed_region(adjoint, *groups, tracked.masks))
    rev = replace(
        parts,
        cond=parts.cond and clone(parts.cond, replay=True),
        body=clone(region_with_rules(parts.body, acc.active), replay=True),
        adjoint=region,
        active=tuple(active),
        seeds=seeds,
        accumulators=(*sums, *tracked.masks),
    )
    results = emit_loop(rev)
    tracked.add_results(results, results[len(active) :])


def closed_region(
    body: Callable[..., Values], *groups: Values, carries: int = 1, linear_in: Values = ()
) -> Region:
    """A closed region (k, *groups[0], *groups[1], ...); `body` receives the groups one by one.

    Its arguments have the avals and names of the values in the groups. The region is linear in the
    values `linear_in` and in its arguments after the `carries` first groups: residuals of branches
    that depend on these share no result with others (`residuals.py`).
    """

    def split(k: Value, *args: Value) -> Values:
        rest = iter(args)
        return body(k, *([next(rest) for _ in group] for group in groups))

    like = [x for group in groups for x in group]
    names = [None, *(x.name for x in like)]
    region = build_region([I64, *(x.aval for x in like)], split, names)
    check_adjoint(region)
    linear = region.args[1 + sum(map(len, groups[:carries])) :]
    return export_residuals(region, (*linear_in, *linear))


# ----- Supports of cotangents, which an adjoint loop carries beside them


@dataclass(frozen=True)
class Start:
    """A carried value, and the support of its cotangent after the last iteration."""

    x: Value
    arg: Value  # of the body
    has_ct: bool
    support: Support = None
    asked: bool = False  # whether it is of use, before the loop or in it


class LoopSupports:
    """Which supports the adjoint loop carries: its body is built until that is settled.

    The supports of cotangents of carried values (by their numbers) are `fixed`, in all iterations
    within the same; or `carried`, with what they are after the last iteration; or `everywhere`, as
    far as is known.
    """

    def __init__(
        self, parts: Loop, starts: Sequence[Start], captured: Sequence[Value], acc: Accumulators
    ):
        self.parts, self.starts, self.all_captured, self.acc = parts, starts, captured, acc
        self.fixed: dict[int, Value] = {}
        self.carried: dict[int, Value] = {}
        self.everywhere: set[int] = set()
        self.captured: dict[Value, Value] = {}
        for i, start in enumerate(starts):
            asked, support = start.asked, start.support
            if not start.has_ct:
                if asked:
                    self.carried[i] = as_array(nowhere(start.x), start.x.aval)
            elif support is None:
                if asked:
                    self.everywhere.add(i)
            elif asked or not (acc.in_loop and _is_overwritten(support)):
                self.fixed[i] = as_array(support, start.x.aval)
                if support in acc.by_position:
                    acc.by_position.add(self.fixed[i])
        by_data = any(x not in acc.by_position for x in self.fixed.values())
        for x in captured:
            is_everywhere = x in acc.supports and acc.supports[x] is None
            asked = x in acc.tracked.poles or (by_data and acc.tracks(x))
            if asked and not is_everywhere:
                self.captured[x] = acc.support(x)
        self.start_of_carried = {**self.fixed, **self.carried}
        self.start_of_captured = dict(self.captured)

    @property
    def masks(self) -> tuple[Value, ...]:
        """What the loop carries, after the last iteration."""
        return (*self.carried.values(), *self.captured.values())

    def inside(self, xs: Sequence[Value], masks: Sequence[Value]) -> Supports:
        """What the sweep of an iteration starts from."""
        self._note_positions(masks)
        carried = {**self.fixed, **dict(zip(self.carried, masks))}
        captured = dict(zip(self.captured, masks[len(self.carried) :]))
        args = [start.arg for start in self.starts]
        return Supports(
            of_cts=[carried.get(i) for i in range(len(xs))],
            of_sums=captured,
            wanted=[*(xs[i] for i in (*carried, *self.everywhere)), *captured],
            outside=self.acc.tracked.also_of(zip(args, xs)),
            by_position=self.acc.by_position,
            within=self.acc.within,
            in_loop=True,
        )

    def _note_positions(self, masks: Sequence[Value]) -> None:
        """Of the masks in the loop, or after it: which of them come of positions only."""
        by_position = self.acc.by_position
        by_position.update(y for x, y in zip(self.masks, masks) if x in by_position)

    def after(self, xs: Sequence[Value], total: Accumulators) -> list[Value]:
        """The arrays of booleans after the sweep of an iteration."""
        found = (*self.fixed, *self.carried, *self.everywhere)
        self.found = {i: total.supports.get(xs[i], nowhere(xs[i])) for i in found}
        self.found_captured = {x: total.supports.get(x, nowhere(x)) for x in self.captured}
        return [*(total.support(xs[i]) for i in self.carried), *map(total.support, self.captured)]

    def settled(self, build: Callable[[], Region]) -> Region:
        """The adjoint, built until its supports do not change."""
        region = build()
        while self.change():
            region = build()
        return region

    def change(self) -> bool:
        """Whether the body must be built again, with other supports."""
        before = self._which()
        more = [i for i in self.everywhere if self.found[i] is not None]
        self.carried.update({i: as_array(None, self.starts[i].x.aval) for i in more})
        self.everywhere.difference_update(more)
        if not more:  # else what seems to be everywhere may follow from supports that are now known
            self._give_up()
        return before != self._which()

    def _give_up(self) -> None:
        """Carry what is not fixed; drop what is everywhere."""
        for i, support in self.found.items():
            if i in self.fixed and not self._stays(i, support):
                start = self.fixed.pop(i)
                # An array of booleans that changes in each iteration pays for poles only.
                pays = self.acc.tracked.of_poles or self.starts[i].asked
                if support is not None and pays:
                    self.carried[i] = start
            elif i in self.carried and support is None:
                del self.carried[i]
        for x, support in self.found_captured.items():
            if support is None:
                del self.captured[x]

    def _which(self) -> tuple[set[int], set[int], set[Value]]:
        return set(self.fixed), set(self.carried), set(self.captured)

    def _stays(self, i: int, support: Support) -> bool:
        """Whether an iteration leaves a support as it is, or within that if it is not asked for."""
        start = self.fixed[i]
        is_nowhere = isinstance(support, Stores) and support.is_nowhere
        is_within = is_nowhere or self.acc.within.get(support) is start
        return support is start or (is_within and not self.starts[i].asked)

    def add_results(self, cts: Sequence[Value], sums: Sequence[Value]) -> None:
        """Add the cotangents of carried values, and set the `sums` of captured ones.

        After these come the supports that the loop has carried.
        """
        masks = sums[len(self.all_captured) :]
        self._note_positions(masks)
        carried = {**self.fixed, **dict(zip(self.carried, masks))}
        captured = dict(zip(self.captured, masks[len(self.carried) :]))
        self._add_everywhere(carried, captured)
        for x, ct in zip(self.all_captured, sums):
            self.acc.replace(x, ct, captured.get(x))
        for i, (start, ct) in enumerate(zip(self.starts, cts)):
            with self.acc.contribute({start.x: carried.get(i)}):
                self.acc.add(start.x, ct)

    def _add_everywhere(self, carried: dict[int, Value], captured: dict[Value, Value]) -> None:
        """The supports that an iteration makes those of all elements, if there is one."""
        of_carried = {i: x for i, x in self.start_of_carried.items() if i not in carried}
        of_captured = {x: s for x, s in self.start_of_captured.items() if x not in captured}
        if not self.acc.tracked.poles or not (of_carried or of_captured):
            return
        ran = _has_run(self.parts, self.acc)
        if ran is None:
            return

        def found(start: Value) -> Value:
            support = or_(start, broadcast(ran, shape=start.shape, dims=()))
            if start in self.acc.by_position:
                self.acc.by_position.add(support)
            return support

        carried.update({i: found(start) for i, start in of_carried.items()})
        captured.update({x: found(start) for x, start in of_captured.items()})


def _has_run(parts: Loop, acc: Accumulators) -> Value | None:
    """Whether the loop has any iterations; None if it is sure to have."""
    conditions = []
    if parts.count is not None:
        known = acc.tracked.integers.get(parts.count)
        if not (isinstance(known, (int, np.integer)) and known > 0):
            conditions.append(gt(parts.count, 0))
    if parts.cond is not None:
        first = constant(0, I64.dtype)
        cond = clone_with_args(parts.cond, (first, *parts.carries), replay=True)
        for op in cond.ops:
            append(op)
        conditions += cond.yields
    return reduce(and_, conditions) if conditions else None


def _is_overwritten(support: Support) -> bool:
    """Whether only stores make it smaller.

    Many loops overwrite elements of an array of an outer loop: not worth an array of booleans.
    """
    return isinstance(support, Stores) and support.everywhere
