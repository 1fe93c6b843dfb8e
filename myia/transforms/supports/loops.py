"""Supports of cotangents through loops: in the adjoint loop they are state beside the cotangents.

    %x_ct, %x_support = rev ... { adjoint(%k, %x, %x_ct, %x_support) }

An array of booleans is carried for a cotangent only where it is of use: for an array that is
computed before the loop by an op with a pole, or if a part of the result is left out afterwards.
Where the iterations leave it alone, as elementwise ones do, it is read from outside instead.

The adjoint is linear in the cotangents, and the arrays of booleans do not depend on them.
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Value
from myia.primitives.core.structured import Loop
from myia.transforms.cotangents import Accumulators
from myia.transforms.supports.slices import Support, as_array
from myia.transforms.supports.tracked import Supports, nowhere


class LoopSupports:
    """Which supports the adjoint loop carries: its body is built until that is settled.

    The supports of cotangents of carried values are `fixed`, the same in all iterations; or
    `carried`, with what they are after the last iteration; or `everywhere`, as far as is known.
    """

    def __init__(
        self,
        parts: Loop,
        active: Sequence[int],
        captured: Sequence[Value],
        cts: Sequence[Value | None],
        supports: Sequence[Support],
        acc: Accumulators,
    ):
        self.acc, self.active = acc, active
        self.fixed: dict[int, Value] = {}
        self.carried: dict[int, Value] = {}
        self.everywhere: dict[int, Value] = {}
        self.captured: dict[Value, Value] = {}
        for i in active:
            x = parts.carries[i]
            asked = x in acc.tracked.poles
            if cts[i] is not None and supports[i] is not None:
                self.fixed[i] = as_array(supports[i], x.aval)
                if supports[i] in acc.by_position:
                    acc.by_position.add(self.fixed[i])
            elif asked and cts[i] is None:
                self.carried[i] = as_array(nowhere(x), x.aval)
            elif asked:
                self.everywhere[i] = x
        for x in captured:
            is_everywhere = x in acc.supports and acc.supports[x] is None
            if x in acc.tracked.poles and not is_everywhere:
                self.captured[x] = acc.support(x)

    @property
    def masks(self) -> tuple[Value, ...]:
        """What the loop carries, after the last iteration."""
        return (*self.carried.values(), *self.captured.values())

    def inside(self, xs: Sequence[Value], masks: Sequence[Value]) -> Supports:
        """What the sweep of an iteration starts from."""
        self.acc.by_position.update(masks)
        carried = {**self.fixed, **dict(zip(self.carried, masks))}
        captured = dict(zip(self.captured, masks[len(self.carried) :]))
        return Supports(
            of_cts=[carried.get(i) for i in self.active],
            of_sums=captured,
            wanted=[*(xs[i] for i in (*carried, *self.everywhere)), *captured],
            outside=self.acc.tracked,
            by_position=self.acc.by_position,
        )

    def after(self, xs: Sequence[Value], total: Accumulators) -> list[Value]:
        """The arrays of booleans after the sweep of an iteration."""
        found = (*self.fixed, *self.carried, *self.everywhere)
        self.found = {i: total.supports.get(xs[i], nowhere(xs[i])) for i in found}
        self.found_captured = {x: total.supports.get(x, nowhere(x)) for x in self.captured}
        return [*(total.support(xs[i]) for i in self.carried), *map(total.support, self.captured)]

    def change(self) -> bool:
        """Whether the body must be built again, with other supports."""
        before = len(self.fixed), len(self.carried), len(self.captured)
        for i, support in self.found.items():
            if i in self.everywhere and support is not None:
                self.carried[i] = as_array(None, self.everywhere[i].aval)
            elif i in self.fixed and support is not self.fixed[i]:
                start = self.fixed.pop(i)
                if support is not None:
                    self.carried[i] = start
            elif i in self.carried and support is None:
                del self.carried[i]
        for x, support in self.found_captured.items():
            if support is None:
                del self.captured[x]
        self.everywhere = {}
        return before != (len(self.fixed), len(self.carried), len(self.captured))

    def results(self, masks: Sequence[Value]) -> tuple[dict[int, Support], dict[Value, Support]]:
        """The supports after the loop, of carried and of captured values."""
        self.acc.by_position.update(masks)
        carried = {**self.fixed, **dict(zip(self.carried, masks))}
        return carried, dict(zip(self.captured, masks[len(self.carried) :]))
