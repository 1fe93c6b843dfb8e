"""Snapshots leave the loops of the iterations, and the numbers stay."""

from __future__ import annotations

import numpy as np
import pytest

from myia.ir.avals import I64
from myia.ir.core import walk
from myia.ir.verifier import verify
from myia.primitives.arrays.rows import rows_aval, write_row
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.core.structured import loop_p
from myia.primitives.pointwise.arithmetic import add, mul
from myia.primitives.pointwise.logic import eq
from myia.primitives.pointwise.transcendental import sin
from myia.storage.loops.strip_mining import strip_mine
from tests.transforms.derivative_checks import function, run

X = np.linspace(0.0, 1.0, 40)
TRIP_COUNT, STRIDE, SNAPSHOTS = 20, 6, 5


def number(n):
    return constant(n, I64.dtype)


def two_checkpointings(x, reader):
    """Snapshots of two carries, due at the same iterations; `reader(due)` is carried, too."""

    def iteration(k, x, y, xs, ys, used, due, seen):
        taken = eq(k, due)
        xs_after, used_after, due_after = if_(
            taken,
            lambda: [write_row(xs, x, used), add(used, 1), add(due, STRIDE)],
            lambda: [xs, used, due],
        )
        (ys_after,) = if_(eq(k, due), lambda: [write_row(ys, y, used)], lambda: [ys])
        seen = add(seen, reader(due))
        return [sin(x), mul(y, x), xs_after, ys_after, used_after, due_after, seen]

    snapshots = zeros(rows_aval(x.aval, SNAPSHOTS))
    return loop(
        [x, x, snapshots, snapshots, number(0), number(0), number(0)],
        iteration,
        count=number(TRIP_COUNT),
    )


def loops(f) -> int:
    return sum(op.primitive is loop_p for op in walk(f.region))


@pytest.mark.parametrize("read_elsewhere", [False, True])
def test_checkpointings_that_share_the_next_due_iteration(read_elsewhere):
    """All their snapshots leave the loop, or none."""
    f = function(
        lambda x: two_checkpointings(x, lambda due: due if read_elsewhere else number(1)), X
    )
    stripped = strip_mine(f)
    verify(stripped)
    assert loops(stripped) == loops(f) + (not read_elsewhere)
    for got, want in zip(run(stripped, [X]), run(f, [X]), strict=True):
        np.testing.assert_array_equal(got, want)
