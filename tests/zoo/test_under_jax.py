"""Gradients of kernels in functions that JAX compiles, or exports: right, and without copies.

There myia's compiler options do not apply.
"""

from __future__ import annotations

import jax
import numpy as np
import pytest
from jax import export

import myia
from benchmarks.kernel_programs import KERNELS
from tests.zoo.hlo_copies import copies_in_loops

NAMES = ("heat_1d", "seidel_2d", "thomas", "running_moments", "soft_alignment", "wave_1d")
SIZE = 12


class Under:
    """The gradients of some kernels in one function of arrays, as JAX sees it."""

    def __init__(self, names: tuple[str, ...]):
        self.kernels = [KERNELS[name] for name in names]
        self.args = [kernel.arguments(SIZE) for kernel in self.kernels]
        self.weights = [kernel.weights(SIZE) for kernel in self.kernels]
        self.gradients = [self.gradient(k, a) for k, a in zip(self.kernels, self.args)]
        self.given = [
            {i: x for i, x in enumerate(args) if not isinstance(x, int)} for args in self.args
        ]

    @staticmethod
    def gradient(kernel, args):
        return myia.grad(kernel.pure(), argnums=tuple(i + 1 for i in kernel.active(args)))

    def expected(self) -> list:
        return [g(w, *a) for g, w, a in zip(self.gradients, self.weights, self.args)]

    def __call__(self, weights, given):
        full = [
            [arrays.get(i, x) for i, x in enumerate(args)]
            for args, arrays in zip(self.args, given, strict=True)
        ]
        return [g(w, *a) for g, w, a in zip(self.gradients, weights, full, strict=True)]


@pytest.fixture(scope="module")
def under() -> Under:
    return Under(NAMES)


def check(run, under: Under) -> None:
    """Values, and arrays of the kernels' size in the loops of the optimised HLO."""
    given = jax.tree.map(jax.numpy.asarray, (under.weights, under.given))
    for got, expected in zip(run(*given), under.expected(), strict=True):
        for ours, theirs in zip(got, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)
    assert copies_in_loops(run.lower(*given).compile().as_text(), at_least=SIZE) == []


def test_inside_a_jit_of_jax(under):
    with jax.enable_x64(True):
        check(jax.jit(under), under)


def test_after_export(under):
    with jax.enable_x64(True):
        given = jax.tree.map(jax.numpy.asarray, (under.weights, under.given))
        check(jax.jit(export.export(jax.jit(under))(*given).call), under)


def scatter_and_branch(x, k):
    for i in range(len(x)):
        x[[i, 0]] = x[[0, i]] * 2.0
        if x[i] > k:
            x[i] = x[i - 1] * 0.5
        np.add.at(x, [1, i], x[i])
    return np.sum(x**2)


def test_scatters_and_branches_under_transforms_of_jax():
    """Of one function: compiled, mapped, and both; by itself it is compiled with our options."""
    x = np.linspace(-1.0, 1.0, 5)
    gradient = myia.grad(lambda x, k: scatter_and_branch(x.copy(), k))
    expected = gradient(x, 0.3)
    rows = np.stack([x, x])
    with jax.enable_x64(True):
        np.testing.assert_allclose(jax.jit(gradient)(x, 0.3), expected, rtol=1e-12)
        mapped = jax.vmap(gradient, in_axes=(0, None))
        for found in (*mapped(rows, 0.3), *jax.jit(mapped)(rows, 0.3)):
            np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("wide", [False, True])
def test_derivatives_of_jax_by_python_floats(wide):
    def f(x):
        return 3.0 * x * x

    with jax.enable_x64(wide):
        for program, value, slope in ((myia.jit(f), 12.0, 12.0), (myia.grad(f), 12.0, 6.0)):
            y, t = jax.jvp(program, (2.0,), (1.0,))
            assert (y, t, y.dtype) == (value, slope, np.float64 if wide else np.float32)
            y, pull = jax.linearize(program, 2.0)
            assert (y, pull(1.0)) == (value, slope)
