"""Arrays of NumPy have 64 bits where JAX's transforms take them for ones of 32."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import myia

X, K = np.array([0.7, 0.3, 1.1]), np.array([2.0, 3.0])


def scaled(x, k):
    return np.sum(x * x * k)


F = myia.jit(scaled)
EACH = [scaled(X, k) for k in K]


@pytest.mark.parametrize("wide", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "run, want",
    [
        (lambda: jax.vmap(F, (None, 0))(X, K), EACH),
        (lambda: jax.vmap(F)(np.stack([X, X]), K), EACH),
        (lambda: jax.vmap(lambda k: F(X, k))(K), EACH),
        (lambda: jax.jit(jax.vmap(F, (None, 0)))(X, K), EACH),
        (lambda: jax.vmap(jax.vmap(F, (0, None)), (None, 0))(X[None], K)[:, 0], EACH),
        (lambda: jax.vmap(jax.grad(F), (None, 0))(X, K), [2.0 * X * k for k in K]),
        (lambda: jax.jvp(F, (X, K[0]), (np.ones(3), np.float64(0.0)))[1], 4.0 * X.sum()),
        (lambda: jax.hessian(F)(X, K[0]), 4.0 * np.eye(3)),
        (lambda: jax.linearize(lambda x: F(x, 2.0), X)[1](X), 4.0 * X @ X),
    ],
)
def test_values_and_derivatives(run, want, wide):
    with jax.enable_x64(wide):
        np.testing.assert_allclose(run(), want, rtol=1e-12 if wide else 1e-6)


def test_seeds_of_examples():
    def noise(x, seed):
        return np.sum(x * np.random.default_rng(seed).normal(size=3))

    got = jax.vmap(myia.jit(noise), (None, 0))(X, np.arange(3))
    np.testing.assert_allclose(got, [noise(X, seed) for seed in range(3)], rtol=1e-5)
