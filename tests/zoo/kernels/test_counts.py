"""The work of a gradient grows with the size as its primal's work: counted, not timed."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from benchmarks.counts import Counts, counts
from benchmarks.exponents import exponent_excess_of_counts
from benchmarks.kernel_programs import KERNELS
from myia.ir.core import walk
from myia.ir.parser import parse
from tests.default_run import every
from tests.zoo.hlo_copies import copies_in_loops

NAMES = (
    *("atax", "cholesky", "durbin", "floyd_warshall", "gram_schmidt"),
    *("jacobi_1d", "lu", "time_warping", "trisolv", "viterbi"),
)
SECOND = ("gram_schmidt", "hidden_markov", "lattice_boltzmann", "softmax_rows", "syrk", "trisolv")
SIZES = (
    60,
    120,
)  # tapes fit at both sizes: checkpointing would recompute iterations, a jump in the counts


def below(x, n):
    """Iterations that depend on integers, and a branch that depends on numbers."""
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


def test_a_nest_counts_its_iterations():
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
    for _, more in exponent_excess_of_counts(KERNELS[name], SIZES):
        assert more <= 0.15


@pytest.mark.parametrize("name", every(3, SECOND))
def test_the_exponent_of_the_second_derivative_is_that_of_the_primal(name):
    """A whole array in each iteration would add one. At these sizes each kernel has one storage."""
    kernel, sizes = KERNELS[name], (96, 192)
    active = tuple(i + 1 for i in kernel.active(kernel.arguments(sizes[0])))
    gradient, many = myia.grad(kernel.pure(), argnums=active), len(kernel.arguments(4)) + 1

    def along(*args_and_direction):
        total = 0.0
        for g, v in zip(gradient(*args_and_direction[:many]), args_and_direction[many:]):
            total = total + np.sum(g * v)
        return total

    def touched(derived, *args):
        program, every = parse(derived.ir(*args)["finish"]), _leaves(args)
        traced = [x for x in every if x.dtype.kind == "f"]
        whole = len(every) == len(program.region.args)
        return counts(program, every if whole else traced).touched

    found = []
    for n in sizes:
        args = (kernel.weights(n), *kernel.arguments(n))
        direction = [args[i] + 0.5 for i in active]
        primal = touched(myia.jit(kernel.pure()), *args)
        found.append(touched(myia.grad(along, argnums=active), *args, *direction) / primal)
    assert np.log2(found[1] / found[0]) <= 0.15


def at_indices(x, places):
    for p in places:
        x[p] = np.sin(x[p]) * x[p[::-1]]
    return np.sum(x)


def rows_at_indices(x, places):
    for p in places:
        x[p] *= x[[3, 0]]
        x[[0, p[0]]] = x[[p[0], 1]]
    return np.sum(x)


@pytest.mark.parametrize(
    "f, shape, count", [(at_indices, (), 2), (at_indices, (), 40), (rows_at_indices, (3,), 2)]
)
def test_stores_at_indices_cost_what_they_write(f, shape, count):
    """Beside the user's array none of its size is made, nor is one copied, to know who wrote."""
    n, rng = 80_000, np.random.default_rng(0)
    args = (rng.normal(size=(n, *shape)), rng.integers(0, n, (30, count)))
    gradient = myia.grad(f)
    large = {
        x.dtype.kind
        for op in walk(parse(gradient.ir(*args)["finish"]).region)
        for x in op.results
        if x.aval.size >= n
    }
    assert large == {"f"}
    assert not copies_in_loops(gradient.lower(*args).compile().as_text(), at_least=n)


def _leaves(args):
    lists = (x if isinstance(x, list) else [x] for x in args)
    return [np.asarray(x) for leaves in lists for x in leaves]
