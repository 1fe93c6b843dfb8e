"""What the comparisons with JAX sample: weights, matrices, and which of some arrays move."""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np


def differentiable(xs: Sequence) -> list[int]:
    return [i for i, x in enumerate(xs) if np.dtype(x.dtype).kind in "fc"]


def weights(shape, dtype, seed: int) -> np.ndarray:
    """Numbers between 1/2 and 3/2, in both parts of complex ones."""
    return _uniform(np.random.default_rng([seed, *shape]), 0.5, 1.5, shape, dtype)


def matrix(rng: np.random.Generator, shape, dtype) -> np.ndarray:
    """A general matrix, its diagonal heavy and unequal."""
    x = _uniform(rng, -1, 1, shape, dtype)
    rank = min(shape[-2:])
    x[..., range(rank), range(rank)] += np.linspace(2, 4, rank).astype(dtype)
    return x


def hermitian(x):
    return (x + jnp.conj(x.mT)) / 2


def definite(x):
    """A positive definite matrix of a general one."""
    return hermitian(x) + 4 * jnp.eye(x.shape[-1], dtype=x.dtype)


def _uniform(rng: np.random.Generator, low: float, high: float, shape, dtype) -> np.ndarray:
    x = rng.uniform(low, high, shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.uniform(low, high, shape)
    return np.asarray(x, dtype)
