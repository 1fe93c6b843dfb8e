"""Gradient-based tuning of hyperparameters: 1,000 steps of training are differentiated.

A small network is trained by stochastic gradient descent with momentum. What the trained network
loses on held-out data is a function of the learning rate, the momentum and the initial weights;
its gradient by all of them runs the training backwards, in a fixed amount of memory. The training
step takes a gradient itself, so this is a derivative of second order.
Writes `tuning.png`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

import myia

WIDTH, POINTS, BATCH = 12, 96, 16
MEMORY = "500kB"


# ----- The compiled functions


def network(weights, x):
    """A perceptron of one hidden layer, of numbers (n,) to numbers (n,)."""
    hidden = np.tanh(x[:, None] * weights["in"] + weights["shift"])
    return hidden @ weights["out"] + weights["offset"]


def loss(weights, x, y):
    return np.mean((network(weights, x) - y) ** 2)


def train(hyper, weights, x, y, steps):
    """The weights after that many steps, on batches taken in turn."""
    rate, momentum = np.exp(hyper["log_rate"]), 1 / (1 + np.exp(-hyper["logit_momentum"]))
    velocity = {name: np.zeros_like(w) for name, w in weights.items()}
    for i in range(steps):
        start = (i * BATCH) % POINTS
        batch = slice(start, start + BATCH)
        slopes = myia.grad(loss)(weights, x[batch], y[batch])
        velocity = {name: momentum * velocity[name] - rate * slopes[name] for name in weights}
        weights = {name: weights[name] + velocity[name] for name in weights}
    return weights


def held_out_loss(hyper, weights, data, steps):
    """The loss of the trained network on data that it was not trained with."""
    x, y, x_test, y_test = data
    return loss(train(hyper, weights, x, y, steps), x_test, y_test)


# ----- Data and weights


def make_data(rng):
    """Noisy samples of a function, shuffled: to train with, and to test with."""
    x = rng.permutation(np.linspace(-2, 2, 2 * POINTS))
    y = np.sin(3 * x) + 0.3 * x + 0.1 * rng.normal(size=x.shape)
    return x[:POINTS], y[:POINTS], x[POINTS:], y[POINTS:]


def make_weights(rng):
    return {
        "in": rng.normal(size=WIDTH),
        "shift": rng.normal(size=WIDTH),
        "out": rng.normal(size=WIDTH) / np.sqrt(WIDTH),
        "offset": np.zeros(1),
    }


# ----- Tuning


@dataclass
class Tuning:
    """Hyperparameters and initial weights after each step of tuning, and the losses there."""

    hyper: list[dict]
    weights: list[dict]
    losses: list[float]


def tune(data, hyper, weights, *, steps: int, rounds: int) -> Tuning:
    """Normalised gradient descent, which needs no rate of its own to be tuned."""
    gradient = myia.value_and_grad(held_out_loss, argnums=(0, 1), static_argnums=3, memory=MEMORY)
    for line in str(gradient.plan(hyper, weights, data, steps)).splitlines():
        print(line[:100])
    memory = gradient.lower(hyper, weights, data, steps).compile().memory_analysis()
    print(f"temporaries {memory.temp_size_in_bytes:,} bytes of {MEMORY}\n")
    found = Tuning([hyper], [weights], [])
    for i in range(rounds):
        value, slopes = gradient(hyper, weights, data, steps)
        found.losses.append(value)
        print(f"{i:3}  held-out loss {value:.5f}  {describe(hyper)}")
        step = 0.3 * (1 - i / rounds)
        hyper, weights = (_moved(x, g, step) for x, g in zip((hyper, weights), slopes))
        found.hyper.append(hyper)
        found.weights.append(weights)
    return found


def _moved(values, slopes, step):
    """A step of fixed length downhill."""
    norm = np.sqrt(sum(np.sum(g**2) for g in slopes.values())) + 1e-12
    return {name: x - step / norm * slopes[name] for name, x in values.items()}


def describe(hyper) -> str:
    rate = np.exp(hyper["log_rate"])
    momentum = 1 / (1 + np.exp(-hyper["logit_momentum"]))
    return f"rate {rate:.4f}  momentum {momentum:.4f}"


# ----- Pictures


def plot(found: Tuning, data, steps: int, path: str) -> None:
    figure = Figure(figsize=(10, 3.5), layout="tight")
    left, middle, right = figure.subplots(1, 3)
    left.semilogy(found.losses)
    left.set(xlabel="round", ylabel="held-out loss", title=f"{steps:,} steps of training")
    middle.plot([np.exp(h["log_rate"]) for h in found.hyper], label="learning rate")
    momenta = [1 / (1 + np.exp(-h["logit_momentum"])) for h in found.hyper]
    middle.plot(momenta, label="momentum")
    middle.set(xlabel="round", title="hyperparameters")
    middle.legend()
    x, y, x_test, y_test = data
    right.plot(x_test, y_test, ".", markersize=3, label="held-out data")
    grid = np.linspace(-2, 2, 200)
    trained = myia.jit(train, static_argnums=4)
    for name, i in (("before", 0), ("after tuning", int(np.argmin(found.losses)))):
        weights = trained(found.hyper[i], found.weights[i], x, y, steps)
        right.plot(grid, network(weights, grid), label=name)
    right.set(title="the trained network")
    right.legend()
    figure.savefig(path, dpi=150)


def main(steps: int = 1_000, rounds: int = 40, path: str = "tuning.png") -> Tuning:
    rng = np.random.default_rng(0)
    data, weights = make_data(rng), make_weights(rng)
    hyper = {"log_rate": np.log(0.02), "logit_momentum": 0.0}
    found = tune(data, hyper, weights, steps=steps, rounds=rounds)
    plot(found, data, steps, path)
    print(f"\nheld-out loss {found.losses[0]:.4f} -> {min(found.losses):.4f}; pictures: {path}")
    return found


if __name__ == "__main__":
    main()
