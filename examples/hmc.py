"""Hamiltonian Monte Carlo, compiled whole: draws, leapfrog steps, acceptance, adaptation.

The sampler takes any log-density written in NumPy; its gradient is taken inside. One program runs
all chains: warm-up with dual averaging of the step size (Hoffman and Gelman, 2014), then samples.
The posterior here is that of a linear regression with known noise, which is normal, with mean and
covariance in closed form: the moments of the samples are compared with it.
"""

from __future__ import annotations

import numpy as np

import myia

NOISE, PRIOR = 0.5, 2.0
TARGET = 0.8  # the acceptance that the step size is adapted to


# ----- The compiled functions


def log_posterior(weights, x, y):
    """Of the weights of a linear regression, up to a constant."""
    return -0.5 * np.sum((y - x @ weights) ** 2) / NOISE**2 - 0.5 * np.sum(weights**2) / PRIOR**2


def leapfrog(log_density, q, p, step, count, data):
    gradient = myia.grad(log_density)
    p = p + 0.5 * step * gradient(q, *data)
    for i in range(count):
        q = q + step * p
        if i < count - 1:
            p = p + step * gradient(q, *data)
    return q, p + 0.5 * step * gradient(q, *data)


def hmc(log_density, start, rng, warm_up, samples, data, trajectory=0.5):
    """The samples of one chain, the step size, and which share of proposals was accepted."""
    q, step, accepted = start, 0.1, 0
    shift, log_mean, error = np.log(10.0 * step), 0.0, 0.0
    found = np.empty((samples, len(start)))
    for i in range(warm_up + samples):
        if i == warm_up:
            step = np.exp(log_mean)
        p = rng.standard_normal(len(start))
        count = min(int(rng.exponential(trajectory) / step) + 1, 200)
        q_new, p_new = leapfrog(log_density, q, p, step, count, data)
        energy = log_density(q, *data) - 0.5 * p @ p
        energy_new = log_density(q_new, *data) - 0.5 * p_new @ p_new
        acceptance = min(1.0, np.exp(energy_new - energy)) if np.isfinite(energy_new) else 0.0
        if rng.random() < acceptance:
            q = q_new
            if i >= warm_up:
                accepted += 1
        if i < warm_up:
            error += (TARGET - acceptance - error) / (i + 11)
            log_step = shift - np.sqrt(i + 1) / 0.05 * error
            weight = (i + 1) ** -0.75
            log_mean = weight * log_step + (1 - weight) * log_mean
            step = np.exp(log_step)
        else:
            found[i - warm_up] = q
    return found, step, accepted / samples


# ----- Data and closed form


def make_data(rng, points=40, dimensions=4):
    x = rng.normal(size=(points, dimensions)) * np.array([1.0, 0.5, 2.0, 1.0])[:dimensions]
    x[:, 1] += 0.8 * x[:, 0]  # correlated
    return x, x @ rng.normal(size=dimensions) + NOISE * rng.normal(size=points)


def exact_posterior(x, y):
    """Mean and covariance of the weights."""
    covariance = np.linalg.inv(x.T @ x / NOISE**2 + np.eye(x.shape[1]) / PRIOR**2)
    return covariance @ x.T @ y / NOISE**2, covariance


def main(chains: int = 4, warm_up: int = 500, samples: int = 5_000) -> np.ndarray:
    """The samples; raises AssertionError where their moments are not those of the posterior."""
    rng = np.random.default_rng(0)
    x, y = make_data(rng)
    mean, covariance = exact_posterior(x, y)
    sampler = myia.jit(hmc)
    found = []
    for chain in rng.spawn(chains):
        start = chain.normal(size=len(mean))
        draws, step, share = sampler(log_posterior, start, chain, warm_up, samples, (x, y))
        print(f"step size {step:.3f}, accepted {share:.0%}")
        found.append(draws)
    draws = np.concatenate(found)
    deviation = np.sqrt(np.diag(covariance))
    print("weight      sampled             exact")
    for i in range(len(mean)):
        here = draws[:, i]
        print(f"{i}   {here.mean():8.4f} +- {here.std():.4f}  {mean[i]:8.4f} +- {deviation[i]:.4f}")
    slack = 10.0 / np.sqrt(len(draws))
    np.testing.assert_allclose(draws.mean(axis=0) / deviation, mean / deviation, atol=slack)
    scale = np.outer(deviation, deviation)
    np.testing.assert_allclose(np.cov(draws.T) / scale, covariance / scale, atol=slack)
    return draws


if __name__ == "__main__":
    main()
