"""Statistics of data: moments, histograms, normalisation, running sums."""

from __future__ import annotations

import numpy as np

from benchmarks.kernel_programs.define import SLICES, kernel


@kernel(lambda draw, n: (draw(n + 3, n), np.zeros((n, n))), writes="cov", times=60)
def covariance(data, cov):
    """Of the columns; the data are centred in a copy."""
    rows, columns = data.shape
    data = data - np.mean(data, axis=0)
    for i in range(columns):
        for j in range(i, columns):
            for k in range(rows):
                cov[i, j] += data[k, i] * data[k, j]
            cov[i, j] /= rows - 1.0
            cov[j, i] = cov[i, j]


@kernel(
    lambda draw, n: (draw(n + 3, n), np.eye(n)),
    writes="data corr",
    passive="corr",
    style=SLICES,
    times=80,
)
def correlation(data, corr):
    """Of the columns; the data are standardised in place."""
    rows, columns = data.shape
    data -= data.mean(axis=0)
    data /= np.sqrt(float(rows)) * data.std(axis=0)
    for i in range(columns - 1):
        corr[i, i + 1 :] = data[:, i] @ data[:, i + 1 :]
        corr[i + 1 :, i] = corr[i, i + 1 :]


@kernel(lambda draw, n: (draw.signed(n, n),), writes="x", style=SLICES, times=200)
def softmax_rows(x):
    """In place, a row at a time."""
    for row in x:
        row -= row.max()
        np.exp(row, out=row)
        row /= row.sum()


@kernel(lambda draw, n: (draw(n), draw(n), np.zeros(8)), writes="bins", passive="x", times=3_000)
def histogram(x, weights, bins):
    """Weights collected in the bin that their point falls into."""
    width = 1.0 / len(bins)
    for i in range(len(x)):
        bins[int((x[i] - 0.5) / width)] += weights[i]


@kernel(lambda draw, n: (draw(n), np.zeros(9)), writes="density", times=2_000)
def linear_binning(x, density):
    """Each point is shared between the two grid points beside it."""
    cells = len(density) - 1
    for i in range(len(x)):
        place = (x[i] - 0.5) * cells
        cell = int(place)
        share = place - cell
        density[cell] += 1.0 - share
        density[cell + 1] += share


@kernel(lambda draw, n: (draw(n), np.zeros(n)), writes="out", times=3_000)
def prefix_products(x, out):
    """A sum and a product that run along, and what they are at each place."""
    total = 0.0
    product = 1.0
    for i in range(len(x)):
        total += x[i]
        product *= 0.5 + 0.5 * x[i]
        out[i] = total * product


@kernel(lambda draw, n: (draw(n), np.zeros(n), np.zeros(n)), writes="means variances", times=3_000)
def running_moments(x, means, variances):
    """Welford's mean and variance of the first i numbers."""
    mean = 0.0
    squares = 0.0
    for i in range(len(x)):
        difference = x[i] - mean
        mean += difference / (i + 1)
        squares += difference * (x[i] - mean)
        means[i] = mean
        variances[i] = squares / (i + 1)


@kernel(lambda draw, n: (draw(n), 5), writes="x", times=2_000)
def moving_average(x, width):
    """In place: each number becomes the mean of the window that ends with it, once it is full."""
    window = np.zeros(width)
    for i in range(len(x)):
        window[i % width] = x[i]
        if i < width - 1:
            continue
        x[i] = window.sum() / width
