"""Trains two classifiers of handwritten digits, written in plain NumPy (`models.py`).

A perceptron of two layers, and a recurrent network that reads an image row by row with a Python
`for`. Their training step, gradient and Adam included, is compiled once, ahead of time; it is
saved, and another process goes on with it (`resume.py`). Printed beside: the same functions run by
Python, and a step written by hand for JAX (`jax_models.py`).
Writes the loss curves to `digits.png`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import jax
import jax_models
import models
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from tqdm import tqdm

import myia

SEED = 0
BATCH = 128


# ----- The compiled functions: plain Python that takes a gradient


def loss_of(model):
    def loss(params, images, targets):
        return models.cross_entropy(model(params, images), targets)

    return loss


def step_of(model):
    loss = loss_of(model)

    def step(params, state, images, targets):
        value, grads = myia.value_and_grad(loss)(params, images, targets)
        params, state = models.adam(params, grads, state)
        return params, state, value

    return step


# ----- Data


@dataclass(frozen=True)
class Digits:
    """1,797 images of 8 by 8 pixels in [0, 1]: (n, 8, 8); labels (n,); one-hot targets (n, 10)."""

    images: np.ndarray
    labels: np.ndarray
    targets: np.ndarray

    def batches(self, rng):
        order = rng.permutation(len(self.images))
        for i in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[i : i + BATCH]
            yield self.images[chosen], self.targets[chosen]


def load() -> tuple[Digits, Digits]:
    """80 % to train with, 20 % to test with."""
    digits = load_digits()
    order = np.random.default_rng(SEED).permutation(len(digits.images))
    images = (digits.images / 16).astype(np.float32)
    targets = np.eye(models.CLASSES, dtype=np.float32)[digits.target]
    cut = len(order) * 4 // 5
    parts = (order[:cut], order[cut:])
    return tuple(Digits(images[part], digits.target[part], targets[part]) for part in parts)


# ----- Checks


def gradient_error(model, params, images, targets, checks=8, eps=1e-5) -> float:
    """The gradient against central differences of the plain function, in float64.

    Largest difference over `checks` random elements of each parameter, relative to the largest
    element of the gradient.
    """
    loss = loss_of(model)
    params = {name: p.astype(np.float64) for name, p in params.items()}
    images, targets = images.astype(np.float64), targets.astype(np.float64)
    grads = myia.grad(loss)(params, images, targets)
    rng = np.random.default_rng(SEED)
    worst = 0.0
    for name, p in params.items():
        for _ in range(checks):
            at = tuple(rng.integers(p.shape))
            moved = np.zeros_like(p)
            moved[at] = eps
            plus = loss({**params, name: p + moved}, images, targets)
            minus = loss({**params, name: p - moved}, images, targets)
            worst = max(worst, abs((plus - minus) / (2 * eps) - grads[name][at]))
    return worst / max(np.abs(g).max() for g in grads.values())


def timed(f) -> tuple[float, object]:
    start = time.perf_counter()
    result = f()
    return time.perf_counter() - start, result


def median_times(contestants, samples=60, calls=5) -> dict[str, float]:
    """Seconds per call, from interleaved samples of the contestants."""
    times = {name: [] for name in contestants}
    for _ in range(samples):
        for name, f in contestants.items():
            times[name].append(timed(lambda f=f: [f() for _ in range(calls)])[0] / calls)
    return {name: float(np.median(t)) for name, t in times.items()}


class Training:
    """A step with its parameters and state; a call makes one step."""

    def __init__(self, step, params):
        self.step = step
        self.params, self.state = jax.device_put((params, models.adam_state(params)))

    def __call__(self, images, targets):
        self.params, self.state, loss = self.step(self.params, self.state, images, targets)
        return float(loss)


# ----- The step in another process


class Resumed(NamedTuple):
    """What a process that went on with a saved step tells. `own_seconds`: without its imports."""

    seconds: float
    own_seconds: float
    losses: tuple[float, float]


def paths(x, path="") -> dict[str, np.ndarray]:
    """The arrays in nested dicts, by paths."""
    if not isinstance(x, dict):
        return {path.lstrip("/"): np.asarray(x)}
    return {p: a for key, y in x.items() for p, a in paths(y, f"{path}/{key}").items()}


def resumed(compiled, training: Training, data: Digits) -> Resumed:
    """Save the step, and go on with it for an epoch in a new process (`resume.py`)."""
    images, targets = zip(*data.batches(np.random.default_rng(SEED)))
    numbers = {"params": training.params, "state": training.state}
    with tempfile.TemporaryDirectory() as folder:
        step_file, numbers_file = Path(folder, "step.myia"), Path(folder, "numbers.npz")
        compiled.save(step_file)
        np.savez(numbers_file, **paths(numbers), images=np.stack(images), targets=np.stack(targets))
        script = Path(__file__).with_name("resume.py")
        command = [sys.executable, script, step_file, numbers_file, str(time.time())]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds, own, first, last = map(float, output.split())
    return Resumed(seconds, own, (first, last))


# ----- The demo


def train(step, params, data: Digits, epochs: int, name: str) -> tuple[Training, list[float]]:
    training, losses = Training(step, params), []
    rng = np.random.default_rng(SEED)
    with tqdm(range(epochs), desc=name, unit="epoch") as progress:
        for _ in progress:
            losses += [training(*batch) for batch in data.batches(rng)]
            progress.set_postfix(loss=f"{losses[-1]:.4f}")
    return training, losses


def compare_times(model, step, by_hand, params, batch) -> dict[str, float]:
    loss, ours, theirs = loss_of(model), Training(step, params), Training(by_hand, params)
    compiled = {"jax": lambda: theirs(*batch), "myia": lambda: ours(*batch)}
    # NumPy comes last: its threads stay active after a product and would slow down the others.
    return median_times(compiled) | median_times({"python": lambda: loss(params, *batch)})


def demo(name, model, params, by_hand, data: Digits, test: Digits, epochs: int) -> list[float]:
    """Check, compile, train and time one network; the losses of its steps."""
    params = {key: p.astype(np.float32) for key, p in params.items()}
    batch = data.images[:BATCH], data.targets[:BATCH]
    print(f"\n{name}: {sum(p.size for p in params.values()):,} parameters")
    error = gradient_error(model, params, *batch)
    print(f"  gradient against central differences (float64)   {error:.1e}")

    args = jax.device_put((params, models.adam_state(params))) + batch
    step = myia.jit(step_of(model), donate_argnums=(0, 1))
    seconds, compiled = timed(lambda: step.lower(*args).compile())
    seconds_by_hand, compiled_by_hand = timed(lambda: by_hand.lower(*args).compile())
    print(f"  compiled in {seconds:.2f} s (hand-written JAX: {seconds_by_hand:.2f} s)")

    training, losses = train(compiled, params, data, epochs, f"  {name}")
    trained = {key: np.asarray(p) for key, p in training.params.items()}
    scores = model(trained, test.images)  # the same function, run by Python
    print(f"  test accuracy  {models.accuracy(scores, test.labels):.1%}")

    went_on = resumed(compiled, training, data)
    print(f"  saved, and gone on with in a new process: first step after {went_on.seconds:.2f} s,")
    print(f"    {went_on.own_seconds:.2f} s of it not Python, NumPy and JAX; ", end="")
    print(f"loss {losses[-1]:.4f}, then {went_on.losses[0]:.4f} ... {went_on.losses[1]:.4f}")

    times = compare_times(model, compiled, compiled_by_hand, params, batch)
    print(f"  one step, compiled by myia          {times['myia'] * 1e6:6.0f} µs")
    ratio = times["myia"] / times["jax"]
    print(f"  one step, written by hand for JAX   {times['jax'] * 1e6:6.0f} µs  ({ratio:.2f} x)")
    print(f"  the loss alone, run by Python       {times['python'] * 1e6:6.0f} µs")
    return losses


def plot(curves: dict[str, list[float]], path: str) -> None:
    figure = Figure(figsize=(7, 4), layout="tight")
    axes = figure.subplots()
    for name, losses in curves.items():
        axes.semilogy(losses, label=name, linewidth=1)
    axes.set(xlabel="step", ylabel="cross-entropy", title="Handwritten digits")
    axes.legend()
    figure.savefig(path, dpi=150)


def main(epochs: int = 80, path: str = "digits.png") -> None:
    rng = np.random.default_rng(SEED)
    data, test = load()
    print(f"{len(data.images):,} images to train with, {len(test.images)} to test with")
    networks = {
        "perceptron": (models.perceptron, models.perceptron_params(rng), jax_models.perceptron),
        "recurrent": (models.recurrent, models.recurrent_params(rng), jax_models.recurrent),
    }
    curves = {}
    for name, (model, params, by_hand) in networks.items():
        step = jax_models.step_of(by_hand)
        curves[name] = demo(name, model, params, step, data, test, epochs)
    plot(curves, path)
    print(f"\nloss curves: {path}")


if __name__ == "__main__":
    main()
