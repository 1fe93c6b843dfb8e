"""Statistics of data: moments, histograms, normalisation, running sums."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


def covariance(data, cov):
    centred = data - jnp.mean(data, axis=0)
    upper = jnp.triu((cov + centred.T @ centred) / (len(data) - 1.0))
    return [upper + jnp.triu(upper, 1).T]


def correlation(data, corr):
    data = data - data.mean(axis=0)
    data = data / (jnp.sqrt(float(len(data))) * data.std(axis=0))
    return data, jnp.where(jnp.eye(len(corr), dtype=bool), corr, data.T @ data)


def softmax_rows(x):
    return [jax.nn.softmax(x, axis=1)]


def histogram(x, weights, bins):
    width = 1.0 / len(bins)
    return [bins.at[((x - 0.5) / width).astype(int)].add(weights)]


def linear_binning(x, density):
    place = (x - 0.5) * (len(density) - 1)
    cell = place.astype(int)
    share = place - cell
    return [density.at[cell].add(1.0 - share).at[cell + 1].add(share)]


def prefix_products(x, out):
    return [jnp.cumsum(x) * jnp.cumprod(0.5 + 0.5 * x)]


def running_moments(x, means, variances):
    def point(state, given):
        mean, squares = state
        count, x = given
        difference = x - mean
        mean = mean + difference / count
        squares = squares + difference * (x - mean)
        return (mean, squares), (mean, squares / count)

    start = jnp.zeros(()), jnp.zeros(())
    return lax.scan(point, start, (jnp.arange(1, len(x) + 1), x))[1]


def moving_average(x, width):
    means = jnp.convolve(x, jnp.ones(width) / width, mode="valid")
    return [x.at[width - 1 :].set(means)]
