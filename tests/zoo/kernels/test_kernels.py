"""Kernels that write into arrays: values, what is written, gradients, and copies in loops."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from benchmarks.kernel_programs import KERNELS, LOOPS, Kernel
from tests.zoo.hlo_copies import copies_in_loops

STEP = 1e-6

# Compiled only in the slow run: large programs, or similar to others.
HEAVY = {
    "adi", "cavity_flow", "cholesky_loops", "conjugate_gradients", "correlation", "crank_nicolson",
    "durbin_loops", "floyd_warshall_loops", "gaussian_elimination", "gemver", "gray_scott",
    "horizontal_diffusion", "householder", "jacobi_2d_loops", "lu", "ludcmp", "pivoted_solve",
    "three_mm", "two_mm", "training", "vertical_advection",
}  # fmt: skip

EVERY = pytest.mark.parametrize(
    ("kernel", "n"),
    [
        pytest.param(k, n, id=f"{k.name}-{n}", marks=[pytest.mark.slow] * slow)
        for k in KERNELS.values()
        for n, slow in zip(k.tests, (k.name in HEAVY, True), strict=True)
    ],
)


@EVERY
def test_it_writes_and_returns_what_python_does(kernel: Kernel, n: int):
    args, expected = kernel.arguments(n), kernel.outputs(kernel.arguments(n))
    result = myia.jit(kernel.function)(*args)
    got = [args[i] for i in kernel.writes] + ([] if result is None else [result])
    for ours, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    untouched = set(range(len(args))) - set(kernel.writes)
    for i in untouched:
        np.testing.assert_array_equal(args[i], kernel.arguments(n)[i])


@EVERY
def test_its_gradient(kernel: Kernel, n: int):
    args, weights = kernel.arguments(n), kernel.weights(n)
    active = kernel.active(args)
    gradient = myia.grad(kernel.objective(), argnums=tuple(i + 1 for i in active))
    compiled = gradient.lower(weights, *args).compile()
    found = dict(zip(active, compiled(weights, *args), strict=True))
    for ours, before in zip(args, kernel.arguments(n), strict=True):
        np.testing.assert_array_equal(ours, before)

    rng = np.random.default_rng(3)
    direction = {i: rng.standard_normal(np.shape(args[i])) for i in active}
    slope = sum(np.sum(found[i] * direction[i]) for i in active)
    value, expected = central_difference(kernel, n, direction)
    assert slope == pytest.approx(expected, rel=1e-6, abs=1e-9 * abs(value))

    if kernel.style == LOOPS and n == kernel.tests[0]:
        whole = min((args[i].size for i in kernel.writes), default=n)
        copies = copies_in_loops(compiled.as_text(), at_least=whole)
        assert not copies


def test_shortest_paths_are_copied_once_an_iteration():
    """In the primal: an iteration reads a row and a column of the array that it overwrites."""
    kernel = KERNELS["floyd_warshall"]
    args, weights = kernel.arguments(40), kernel.weights(40)
    compiled = myia.grad(kernel.objective(), argnums=1).lower(weights, *args).compile()
    assert len(copies_in_loops(compiled.as_text(), at_least=40 * 40)) == 1


def central_difference(kernel: Kernel, n: int, direction: dict) -> tuple[float, float]:
    """The objective, and its slope, by NumPy."""
    objective, weights = kernel.objective(), kernel.weights(n)

    def at(step: float) -> float:
        args = kernel.arguments(n)
        moved = [a + step * direction[i] if i in direction else a for i, a in enumerate(args)]
        return objective(weights, *moved)

    above, below = at(STEP), at(-STEP)
    return above, (above - below) / (2 * STEP)
