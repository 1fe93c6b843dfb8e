"""A Kalman filter calibrated by likelihood: the hidden volatility of a share's price.

The logarithm of a squared return is that of the variance, plus noise of known mean and variance
(Harvey, Ruiz, Shephard: Review of Economic Studies 61, 1994). The log-variance is an
autoregression; its level, persistence and noise, and the noise of observation, are the maximum of
the filter's likelihood: its gradient runs the filter backwards, SciPy's BFGS does the rest, and
the Hessian gives standard errors. The prices are Google's of 2004 to 2008, which ship with
matplotlib; each Friday's is left out, so that the filter has gaps to bridge.

What makes it hard elsewhere: `if np.isnan(y[t])`. A missing observation poisons gradients through
`where`; here the branch that is not taken does not exist.

Checked: the likelihood equals the multivariate normal density of all observations at once; the
gradient equals central differences, and vanishes at the maximum; innovations are white.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.cbook import get_sample_data
from matplotlib.figure import Figure
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

import myia

OFFSET = -1.2704  # the mean of the logarithm of a squared normal number
NAMES = ("level", "persistence", "volatility of volatility", "error")


# ----- The compiled functions


def parameters(theta):
    """Level, persistence, standard deviations of steps and errors, of any four numbers."""
    return theta[0], np.tanh(theta[1]), np.exp(theta[2]), np.exp(theta[3])


def kalman(theta, y):
    """The log-likelihood; means, variances and standardised innovations of each day."""
    level, persistence, step, error = parameters(theta)
    n = len(y)
    means, variances, innovations = np.empty(n), np.empty(n), np.full(n, np.nan)
    mean, variance = level, step**2 / (1 - persistence**2)
    total = 0.0
    for t in range(n):
        if not np.isnan(y[t]):
            spread = variance + error**2
            surprise = y[t] - OFFSET - mean
            total -= 0.5 * (np.log(2 * np.pi * spread) + surprise**2 / spread)
            innovations[t] = surprise / np.sqrt(spread)
            gain = variance / spread
            mean += gain * surprise
            variance *= 1 - gain
        means[t], variances[t] = mean, variance
        mean = level + persistence * (mean - level)
        variance = persistence**2 * variance + step**2
    return total, (means, variances, innovations)


def cost(theta, y):
    return -kalman(theta, y)[0]


# ----- Data, checks, picture


def load(days):
    """Dates, daily returns, and the logarithms of their squares, without those of Fridays."""
    prices = get_sample_data("goog.npz")["price_data"]
    dates, returns = prices["date"][1:], np.diff(np.log(prices["adj_close"]))
    returns -= returns.mean()
    y = np.log(returns**2 + 1e-8)
    y[(dates.astype("datetime64[D]").astype(int) - 1) % 7 == 0] = np.nan  # 1970-01-02
    return dates[-days:], returns[-days:], y[-days:]


def dense_log_density(theta, y):
    """The same likelihood, from the covariance of all observations."""
    level, persistence, step, error = parameters(theta)
    seen = np.flatnonzero(~np.isnan(y))
    lags = np.abs(seen[:, None] - seen)
    covariance = step**2 / (1 - persistence**2) * persistence**lags + error**2 * np.eye(len(seen))
    return multivariate_normal(np.full(len(seen), level + OFFSET), covariance).logpdf(y[seen])


def plot(dates, returns, means, variances, path):
    figure = Figure(figsize=(9, 3.5), layout="tight")
    axes = figure.subplots()
    axes.plot(dates, 100 * np.abs(returns), ".", markersize=2, color="grey", label="|return|")
    low, high = (100 * np.exp(0.5 * (means + k * np.sqrt(variances))) for k in (-2, 2))
    axes.fill_between(dates, low, high, alpha=0.3, label="two deviations")
    axes.plot(dates, 100 * np.exp(0.5 * means), label="volatility, filtered")
    axes.set(ylabel="% a day", title="Google: hidden volatility", ylim=(0, 12))
    axes.legend()
    figure.savefig(path, dpi=120)


def main(folder: str = ".", quick: bool = False) -> dict[str, float]:
    """Errors of likelihood and gradient, and the correlation of innovations."""
    dates, returns, y = load(250 if quick else 1046)
    start = np.array([np.nanmean(y) - OFFSET, 1.5, -1.0, 0.5])
    value_and_grad, filtered = myia.value_and_grad(cost), myia.jit(kalman)

    likelihood = abs(filtered(start, y)[0] - dense_log_density(start, y))
    _, slope = value_and_grad(start, y)
    steps = 1e-6 * np.eye(4)
    differences = [(cost(start + h, y) - cost(start - h, y)) / 2e-6 for h in steps]
    gradient = np.max(np.abs(differences - slope)) / np.max(np.abs(slope))
    print(f"likelihood against the dense density: {likelihood:.1e}")
    print(f"gradient against central differences of plain Python: {gradient:.1e}")

    found = minimize(value_and_grad, start, args=(y,), jac=True, method="BFGS")
    covariance = np.linalg.inv(myia.hessian(cost)(found.x, y))
    scale = np.array([1.0, 1 - np.tanh(found.x[1]) ** 2, *np.exp(found.x[2:])])
    errors = scale * np.sqrt(np.diag(covariance))
    print(f"log-likelihood {-cost(start, y):.2f} -> {-found.fun:.2f} in {found.nfev} gradients")
    for name, value, error in zip(NAMES, parameters(found.x), errors):
        print(f"  {name:<24} {value:8.4f} +- {error:.4f}")

    _, (means, variances, innovations) = filtered(found.x, y)
    u = innovations[~np.isnan(innovations)]
    correlation = np.corrcoef(u[1:], u[:-1])[0, 1]
    print(f"innovations: variance {u.var():.3f}, correlation of successive ones {correlation:.3f}")
    plot(dates, returns, means, variances, Path(folder, "kalman.png"))
    assert likelihood < 1e-8 and gradient < 1e-6 and np.max(np.abs(found.jac)) < 1e-3
    assert abs(correlation) < 3 / np.sqrt(len(u))
    return {"likelihood": likelihood, "gradient": gradient, "correlation": correlation}


if __name__ == "__main__":
    main()
