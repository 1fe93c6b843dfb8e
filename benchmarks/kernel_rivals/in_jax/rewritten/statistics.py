"""Statistics of data: moments, histograms, normalisation, running sums."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from benchmarks.kernel_rivals.in_jax.nest import nest


def covariance(data, cov):
    rows, columns = data.shape
    data = data - jnp.mean(data, axis=0)

    def cell(i, j, cov):
        upper = j >= i

        def term(k, cov):
            return cov.at[i, j].add(jnp.where(upper, data[k, i] * data[k, j], 0.0))

        cov = nest(term, cov, rows)
        cov = cov.at[i, j].set(jnp.where(upper, cov[i, j] / (rows - 1.0), cov[i, j]))
        return cov.at[j, i].set(jnp.where(upper, cov[i, j], cov[j, i]))

    return [nest(cell, cov, columns, columns)]


def correlation(data, corr):
    rows, columns = data.shape
    data = data - data.mean(axis=0)
    data = data / (jnp.sqrt(float(rows)) * data.std(axis=0))
    places = jnp.arange(columns)

    def row(i, corr):
        after = places > i
        corr = corr.at[i].set(jnp.where(after, data[:, i] @ data, corr[i]))
        return corr.at[:, i].set(jnp.where(after, corr[i], corr[:, i]))

    return data, lax.fori_loop(0, columns - 1, row, corr)


def softmax_rows(x):
    def row(i, x):
        powers = jnp.exp(x[i] - x[i].max())
        return x.at[i].set(powers / powers.sum())

    return [lax.fori_loop(0, len(x), row, x)]


def histogram(x, weights, bins):
    width = 1.0 / len(bins)

    def point(i, bins):
        return bins.at[((x[i] - 0.5) / width).astype(int)].add(weights[i])

    return [lax.fori_loop(0, len(x), point, bins)]


def linear_binning(x, density):
    cells = len(density) - 1

    def point(i, density):
        place = (x[i] - 0.5) * cells
        cell = place.astype(int)
        share = place - cell
        return density.at[cell].add(1.0 - share).at[cell + 1].add(share)

    return [lax.fori_loop(0, len(x), point, density)]


def prefix_products(x, out):
    def point(i, state):
        total, product, out = state
        total, product = total + x[i], product * (0.5 + 0.5 * x[i])
        return total, product, out.at[i].set(total * product)

    start = jnp.zeros(()), jnp.ones(()), out
    return [lax.fori_loop(0, len(x), point, start)[2]]


def running_moments(x, means, variances):
    def point(i, state):
        mean, squares, means, variances = state
        difference = x[i] - mean
        mean = mean + difference / (i + 1)
        squares = squares + difference * (x[i] - mean)
        return mean, squares, means.at[i].set(mean), variances.at[i].set(squares / (i + 1))

    start = jnp.zeros(()), jnp.zeros(()), means, variances
    return lax.fori_loop(0, len(x), point, start)[2:]


def moving_average(x, width):
    def point(i, state):
        x, window = state
        window = window.at[i % width].set(x[i])
        return x.at[i].set(jnp.where(i < width - 1, x[i], window.sum() / width)), window

    return [lax.fori_loop(0, len(x), point, (x, jnp.zeros(width)))[0]]
