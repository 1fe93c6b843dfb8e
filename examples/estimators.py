"""Two gradients of an expectation side by side: score function and reparameterisation.

The expectation of a cost under a normal distribution is a number that depends on the mean and the
deviation. Its gradient is estimated from samples in two ways: the cost of each sample times the
derivative of its log-density (REINFORCE), or the derivative of the cost along the sample, which
moves with the parameters. Both have the same mean, known here in closed form; the second varies
much less. Where the cost jumps, the second is wrong, and only the first is left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

import myia

# ----- The compiled functions


def quadratic(x):
    return (x - 3.0) ** 2


def jump(x):
    """1 beyond a threshold: its derivative is zero wherever it has one."""
    return np.where(x > 1.0, 1.0, 0.0)


def reparameterised(params, cost, rng, count):
    """The mean cost of samples, whose derivative is that of the cost along them."""
    return np.mean(cost(rng.normal(params["mean"], params["deviation"], count)))


def score_function(params, cost, rng, count):
    """The mean of costs that do not move, each with the weight of the log-density of its sample."""
    x = myia.stop_gradient(rng.normal(params["mean"], params["deviation"], count))
    costs = cost(x)
    baseline = (np.sum(costs) - costs) / (count - 1)  # the mean of the others
    return np.mean((costs - baseline) * norm.logpdf(x, params["mean"], params["deviation"]))


def repeated(estimator, params, cost, rng, count, rounds):
    """As many estimates of the gradient, each from new samples."""
    found = {name: np.zeros(rounds) for name in params}
    for i in range(rounds):
        slopes = myia.grad(estimator)(params, cost, rng, count)
        for name in params:
            found[name][i] = slopes[name]
    return found


# ----- Closed forms


def exact_quadratic(mean, deviation):
    """The gradient of (mean - 3)^2 + deviation^2."""
    return {"mean": 2.0 * (mean - 3.0), "deviation": 2.0 * deviation}


def exact_jump(mean, deviation):
    """The gradient of the probability to be beyond 1."""
    z = (1.0 - mean) / deviation
    return {"mean": norm.pdf(z) / deviation, "deviation": z * norm.pdf(z) / deviation}


# ----- The comparison


@dataclass
class Estimate:
    """Mean, standard error of the mean and deviation of the estimates by one parameter."""

    mean: float
    error: float
    deviation: float

    def agrees(self, exact: float) -> bool:
        return abs(self.mean - exact) < 5.0 * self.error


def summary(estimates):
    deviation = np.std(estimates, ddof=1)
    return Estimate(np.mean(estimates), deviation / np.sqrt(len(estimates)), deviation)


def main(count: int = 100, rounds: int = 20_000) -> dict[str, dict[str, Estimate]]:
    params = {"mean": 0.5, "deviation": 1.5}
    run = myia.jit(repeated)
    found = {}
    for cost, exact in ((quadratic, exact_quadratic), (jump, exact_jump)):
        print(f"{cost.__name__}: mean and deviation of {rounds:,} estimates, {count} samples each")
        for estimator in (score_function, reparameterised):
            rng = np.random.default_rng(0)
            estimates = run(estimator, params, cost, rng, count, rounds)
            rows = {name: summary(x) for name, x in estimates.items()}
            found[f"{cost.__name__}, {estimator.__name__}"] = rows
            for name, row in rows.items():
                value = exact(**params)[name]
                verdict = "" if row.agrees(value) else "   <- biased"
                print(
                    f"  {estimator.__name__:16} d/d{name:10} {row.mean:8.4f} +- {row.error:.4f}"
                    f"   (exact {value:.4f})   deviation {row.deviation:.3f}{verdict}"
                )
    return found


if __name__ == "__main__":
    main()
