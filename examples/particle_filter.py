"""A particle filter with resampling, and its likelihood as a function of the parameters.

The state is a random walk that returns to zero, observed with noise. A cloud of particles follows
it: they move at random, are weighted by the next observation, and are drawn again by their weights
(systematic resampling) where too few of them count. The model is linear and normal, so that the
Kalman filter, which stands below, has the exact likelihood and its gradient; both filters are
compiled, and differentiated.

The gradient of the particle filter is the score: particles do not move with the parameters, their
log-weights do, also through resampling, where the weight of a chosen particle is 1 but keeps its
derivative (the stop-gradient estimator of Scibior and Wood, 2021).
"""

from __future__ import annotations

import numpy as np

import myia

# ----- The compiled functions


def log_normal(x, mean, deviation):
    return -0.5 * ((x - mean) / deviation) ** 2 - np.log(deviation) - 0.5 * np.log(2 * np.pi)


def systematic(weights, rng):
    """Which particles are drawn: positions one step apart, from a random one on."""
    count = len(weights)
    positions = (rng.random() + np.arange(count)) / count
    total = np.cumsum(weights)
    chosen = np.zeros(count, int)
    k = 0
    for i in range(count):
        while k < count - 1 and total[k] < positions[i]:
            k += 1
        chosen[i] = k
    return chosen


def particle_filter(params, observed, rng, count):
    """The logarithm of the likelihood, the filtered means, and how often was resampled."""
    decay, noise, error = params["decay"], params["noise"], params["error"]
    x = rng.normal(0.0, 1.0, count)
    log_weights = np.full(count, -np.log(count))
    log_likelihood, resampled = 0.0, 0
    means = np.zeros(len(observed))
    for t, y in enumerate(observed):
        before = x
        x = myia.stop_gradient(rng.normal(decay * before, noise))
        moved = log_normal(x, decay * before, noise)
        log_weights += log_normal(y, x, error) + moved - myia.stop_gradient(moved)
        top = np.max(log_weights)
        weights = np.exp(log_weights - top)
        total = np.sum(weights)
        log_likelihood += top + np.log(total)
        weights = weights / total
        log_weights = np.log(weights)
        means[t] = np.sum(weights * x)
        if 1.0 / np.sum(weights**2) < 0.5 * count:
            chosen = systematic(weights, rng)
            x, kept = x[chosen], log_weights[chosen]
            log_weights = kept - myia.stop_gradient(kept) - np.log(count)
            resampled += 1
    return log_likelihood, means, resampled


def kalman_filter(params, observed):
    """The same in closed form: the logarithm of the likelihood, and the filtered means."""
    decay, noise, error = params["decay"], params["noise"], params["error"]
    mean, variance, log_likelihood = 0.0, 1.0, 0.0
    means = np.zeros(len(observed))
    for t, y in enumerate(observed):
        mean, variance = decay * mean, decay**2 * variance + noise**2
        spread = variance + error**2
        log_likelihood += log_normal(y, mean, np.sqrt(spread))
        gain = variance / spread
        mean, variance = mean + gain * (y - mean), (1.0 - gain) * variance
        means[t] = mean
    return log_likelihood, means


# ----- Data


def simulate(params, rng, steps):
    """Observations of the state, and the state."""
    state, states = rng.normal(), np.zeros(steps)
    for t in range(steps):
        state = rng.normal(params["decay"] * state, params["noise"])
        states[t] = state
    return states + params["error"] * rng.normal(size=steps), states


def main(steps: int = 100, count: int = 1_000, runs: int = 40) -> dict[str, tuple[float, ...]]:
    """The mean of several runs of the particle filter and its standard error, and the exact value:
    of the log-likelihood and of its derivatives. The filtered means are compared, too."""
    params = {"decay": 0.9, "noise": 0.5, "error": 0.8}
    rng = np.random.default_rng(1)
    observed, states = simulate(params, rng, steps)

    exact, exact_means = myia.jit(kalman_filter)(params, observed)
    exact_slopes, _ = myia.grad(kalman_filter, has_aux=True)(params, observed)
    run = myia.value_and_grad(
        lambda *args: (lambda value, *rest: (value, rest))(*particle_filter(*args)), has_aux=True
    )
    values, slopes, means, resampled = [], [], [], []
    for _ in range(runs):
        (value, (mean, times)), slope = run(params, observed, rng, count)
        values.append(value)
        slopes.append(slope)
        means.append(mean)
        resampled.append(times)
    print(f"resampled {np.mean(resampled):.1f} times in {steps} steps")
    off = np.abs(np.mean(means, axis=0) - exact_means).max()
    print(f"filtered means differ by at most {off:.3f} (states vary by {states.std():.3f})")
    found = {"log-likelihood": (*mean_and_error(values), exact)}
    for name in params:
        found[f"d/d{name}"] = (*mean_and_error([s[name] for s in slopes]), exact_slopes[name])
    for name, (mean, error, value) in found.items():
        print(f"{name:16}{mean:10.3f} +- {error:.3f}   exact {value:.3f}")
    return found


def mean_and_error(x):
    return np.mean(x), np.std(x, ddof=1) / np.sqrt(len(x))


if __name__ == "__main__":
    main()
