"""Values that differ in kind between paths: strings, members, None or a number, tables."""

from __future__ import annotations

import enum
import math

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array


class Phase(enum.Enum):
    RISING = 1.5
    FALLING = -0.5


@program((A([0.5, 2.0, -1.0, 3.0]),), (A([-0.5, -2.0]),))
def state_named_by_a_string(xs):
    state, total = "idle", 0.0
    for x in xs:
        if state == "idle" and x > 0.4:
            state = "busy"
        elif state != "idle" and x < 0.0:
            state = "late" if x < -0.9 else "idle"
        if state in ("busy", "late"):
            total += x * x if state == "busy" else 3.0 * x
    return total, state


@program((0.5, 2.0), (-0.5, 3.0), (2.5, 3.0))
def table_by_a_string_of_run_time(x, y):
    name = "sin" if x > y else "square" if x > 0 else "twice"
    table = {"sin": math.sin, "square": lambda v: v * v, "twice": lambda v: 2.0 * v}
    weights = {"sin": 1.5, "square": 0.5, "twice": y}
    return table[name](x) * weights[name]


@program((A([1.0, 2.0, 1.5, 0.5]),), (A([1.0, 0.5]),))
def members_selected_in_a_loop(xs):
    phase, total = Phase.RISING, 0.0
    for i in range(1, len(xs)):
        phase = Phase.RISING if xs[i] > xs[i - 1] else Phase.FALLING
        total += xs[i] * phase.value * (2.0 if phase is Phase.FALLING else 1.0)
    return total, phase.name


@program((A([0, 2, 1, 2]), 1.5), (A([1, 1]), 0.5))
def dict_at_keys_of_run_time(keys, x):
    steps = {0: (1.0, x), 1: (x, 0.5), 2: (x * x, -x)}
    total = 0.0
    for k in keys:
        dx, dy = steps[int(k)]
        total += dx * dy + steps.get(k + 1, (0.25, 1.0))[0]
        if k - 1 in steps:
            total *= x
    return total


@program((A([0, 2, 5]), 1.5), (A([1, 1]), 0.5))
def key_that_may_be_missing(keys, x):
    prices, total = {0: x, 2: 2.0 * x}, 0.0
    for k in keys:
        try:
            total += prices[int(k)]
        except KeyError as error:
            total -= 0.5 * error.args[0] * x
    return total


@program((A([3.0, 1.0, 2.0]), 2.5), (A([3.0, 4.0]), 1.0))
def index_or_none(xs, bound):
    best = None
    for i in range(len(xs)):
        if xs[i] < bound and (best is None or xs[i] > xs[best]):
            best = i
    if best is None:
        return xs[0] * bound
    table = np.outer(xs, xs)
    return table[best, 0] + xs[best]


@program((A([1.0, 2.0]), 0.5), (A([]), 2.0), (A([3.0]), 3.0))
def operands_of_several_types(xs, y):
    total = y
    if len(xs) and xs[0] < 2.5:
        total += xs[0]
    if not (len(xs) or y) or (y > 1.0 and None) or [] or total:
        total *= y
    count = 3
    while count and total < 10.0:
        total *= 1.5
        count -= 1
    return total


@program(
    (A([[1, 2, 3, 4], [2, 1, 4, 3], [3, 4, 1, 2], [4, 3, 2, 1]]), 2, 3, 0.5),
    (np.eye(4, dtype=int), 1, 1, 2.0),
)
def membership_in_a_block(grid, row, value, x):
    total = x
    for i in range(4):
        r = 2 * (int(grid[i, i]) // 2)
        if value in grid[r : r + 2, row : row + i]:
            total *= 1.0 + x
        if ord("a") + i not in grid[:r, 0]:
            total += x * x
    return total
