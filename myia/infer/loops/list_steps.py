"""How much longer an iteration makes a list, at most: read off the ops that compute its length.

The room of a list is found from what the first iteration appends. A later one may append more:

    for i in range(4):                  first: 1 item, room for 1 + 4
        for j in range(len(xs)):        later: as many as there are
            xs.append(xs[j])
"""

from __future__ import annotations

import math

from myia.ir.core import Op, Region, Value, walk
from myia.primitives.core.define import constant_p
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.primitives.pointwise import arithmetic, logic


def greatest_step(length: Value, start: Value, body: Region, longest: int) -> float | None:
    """The greatest `length - start`; None: other ops compute the length.

    `math.inf`: it has no bound. `longest`: the greatest start for which there is room.
    """
    return _Steps({y: op for op in walk(body) for y in op.results}, longest).step(length, start)


class _Steps:
    def __init__(self, definitions: dict[Value, Op], longest: int):
        self.definitions, self.longest = definitions, longest

    def step(self, x: Value, start: Value) -> float | None:
        op = self.definitions.get(x)
        if x is start or op is None:
            return 0 if x is start else None
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

    def of_loop(self, loop: Loop, i: int, start: Value) -> float | None:
        before = self.step(loop.carries[i], start)
        each = self.step(loop.body.yields[i], loop.body.args[1 + i])
        if before is None or each is None:
            return None
        if each <= 0:
            return max(before, each)
        return before + each * (math.inf if loop.bound is None else loop.bound)
