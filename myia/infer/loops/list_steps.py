"""How much longer an iteration makes a list, at most: read off the ops that compute its length.

The room of a list is found from what the first iteration appends. A later one may append more:

    for i in range(4):                  first: 1 item, room for 1 + 4
        for j in range(len(xs)):        later: as many as there are
            xs.append(xs[j])

Within an iteration it may be longer than at its end, where it also removes items.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from myia.ir.core import Region, Value, walk
from myia.primitives.core.define import constant_p
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.primitives.pointwise import arithmetic, logic


class ListSteps:
    """The steps of a list in an iteration of a loop, which starts with the length `start`.

    `longest`: the greatest start for which there is room. A step is None where other ops compute
    the length, and `math.inf` where it has no bound.
    """

    def __init__(self, body: Region, start: Value, longest: int):
        ops = list(walk(body))
        self.definitions = {y: op for op in ops for y in op.results}
        loops = [(op, Loop.of(op)) for op in ops if op.primitive is loop_p]
        self.carried = {x: (loop, i) for _, loop in loops for i, x in enumerate(loop.body.args[1:])}
        self.start, self.longest = start, longest

    def net(self, length: Value) -> float | None:
        """The greatest `length - start`."""
        return self.step(length, self.start)

    def peak(self, lengths: Mapping[Value, int]) -> float:
        """The greatest `length + number - start` of these lengths; 0 where none is of the list."""
        known = ((self.net(x), number) for x, number in lengths.items())
        return max([0, *(step + number for step, number in known if step is not None)])

    def step(self, x: Value, start: Value) -> float | None:
        if x is start:
            return 0
        op = self.definitions.get(x)
        if op is None:
            loop, i = self.carried.get(x, (None, 0))
            return None if loop is None else self.of_loop(loop, i, start, at_start=True)
        number = self.constant(x)
        if number is not None:
            return number - self.longest
        if op.primitive in (arithmetic.add, arithmetic.sub):
            before, other = (self.step(y, start) for y in op.operands)
            number = self.constant(op.operands[1])
            if before is None or other is None:
                return None
            if number is None:  # twice the length, or so
                return math.inf if op.primitive is arithmetic.add else before
            return before + (number if op.primitive is arithmetic.add else -number)
        if op.primitive in (logic.select, arithmetic.max):
            return self.most(op.operands[-2:], start)
        i = op.results.index(x)
        if op.primitive is if_p:
            return self.most([region.yields[i] for region in op.regions], start)
        return self.of_loop(Loop.of(op), i, start) if op.primitive is loop_p else None

    def constant(self, x: Value) -> int | None:
        op = self.definitions.get(x)
        return int(op.params["value"]) if op is not None and op.primitive is constant_p else None

    def most(self, xs: tuple[Value, ...] | list[Value], start: Value) -> float | None:
        found = [self.step(x, start) for x in xs]
        known = [step for step in found if step is not None]
        return max(known) if len(known) == len(found) else None

    def of_loop(self, loop: Loop, i: int, start: Value, at_start: bool = False) -> float | None:
        """After the loop, or `at_start` of any of its iterations."""
        before = self.step(loop.carries[i], start)
        each = self.step(loop.body.yields[i], loop.body.args[1 + i])
        if before is None or each is None:
            return None
        if each <= 0:
            return max(before, each)
        count = math.inf if loop.bound is None else loop.bound - at_start
        return before + each * count if count else before
