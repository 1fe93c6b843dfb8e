"""What a gradient does grows with the size as what its primal does: counted, not timed."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from benchmarks.counts import Counts, counts
from benchmarks.exponents import counted_excess
from benchmarks.kernel_programs import KERNELS
from myia.ir.parser import parse

NAMES = (
    *("atax", "cholesky", "durbin", "floyd_warshall", "gram_schmidt"),
    *("jacobi_1d", "lu", "time_warping", "trisolv", "viterbi"),
)
SIZES = (60, 120)  # whose tapes are small enough for both: trails run trips again, a step upwards


def below(x, n):
    """Trips that depend on integers, and a branch that depends on numbers."""
    s = 0.0
    for i in range(n):
        for j in range(i):
            s += x[j]
        if x[i] > 0.5:
            s = np.sin(s)
    return s


def test_each_op_counts_as_often_as_it_runs():
    """Python's own count, of three programs that differ in what they run."""
    f = parse(myia.jit(below, static_argnums=1).ir(np.ones(4), 4)["finish"])
    of = lambda *x: counts(f, [np.array(x)]).computed  # noqa: E731
    sine = of(1.0, 0.0, 0.0, 0.0) - of(0.0, 0.0, 0.0, 0.0)
    assert sine > 0
    assert of(1.0, 0.0, 1.0, 1.0) == of(0.0, 0.0, 0.0, 0.0) + 3 * sine
    total = Counts(1.0, 2.0) + Counts(3.0, 4.0) * 2
    assert (total.touched, total.computed) == (7.0, 10.0)


def test_a_nest_counts_its_trips():
    def sums(x, n):
        s = 0.0
        for i in range(n):
            for j in range(i):
                s += x[j] * x[i]
        return s

    def computed(n):
        f = parse(myia.jit(sums, static_argnums=1).ir(np.ones(9), n)["finish"])
        return counts(f, [np.ones(9)]).computed

    second = [computed(n + 1) - 2 * computed(n) + computed(n - 1) for n in (4, 5, 6)]
    assert second[0] == second[1] == second[2] > 0


@pytest.mark.parametrize("name", NAMES)
def test_the_exponent_of_the_gradient_is_that_of_the_primal(name):
    for _, more in counted_excess(KERNELS[name], SIZES):
        assert more <= 0.15
