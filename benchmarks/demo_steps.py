"""The training steps of `examples/digits.py`, against steps written by hand for JAX.

Targets: flops and bytes, by XLA's own count, within 1.05 times; time within 1.15 times. Both steps
donate parameters and state, which stay on the device, in float32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import jax
import numpy as np

import myia
from benchmarks.harness import compare
from benchmarks.page.rows import Row, row
from examples import jax_models, models

BATCH = 128


def step_of(model: Callable) -> Callable:
    def loss(params, images, targets):
        return models.cross_entropy(model(params, images), targets)

    def step(params, state, images, targets):
        value, grads = myia.value_and_grad(loss)(params, images, targets)
        params, state = models.adam(params, grads, state)
        return params, state, value

    return step


@dataclass(frozen=True)
class Network:
    step: Callable
    by_hand: Callable
    make_params: Callable

    def arguments(self):
        """Parameters, state, images and targets, on the device."""
        rng = np.random.default_rng(0)
        made = self.make_params(rng)
        params = {name: p.astype(np.float32) for name, p in made.items()}
        images = rng.random((BATCH, models.ROWS, models.COLUMNS), np.float32)
        targets = np.eye(models.CLASSES, dtype=np.float32)[rng.integers(models.CLASSES, size=BATCH)]
        return jax.device_put((params, models.adam_state(params), images, targets))


NETWORKS = {
    "perceptron": Network(
        step_of(models.perceptron),
        jax_models.step_of(jax_models.perceptron),
        models.perceptron_params,
    ),
    "recurrent": Network(
        step_of(models.recurrent),
        jax_models.step_of(jax_models.recurrent),
        models.recurrent_params,
    ),
}


class Training:
    """A compiled step and its state. A call makes one step and blocks until it is done."""

    def __init__(self, step: Callable, arguments: tuple):
        self.step = step
        self.params, self.state, *self.batch = arguments

    def __call__(self) -> None:
        self.params, self.state, loss = self.step(self.params, self.state, *self.batch)
        jax.block_until_ready((self.params, loss))


def analyses(compiled) -> dict[str, float]:
    """XLA's analyses of flops, bytes and memory."""
    costs = compiled.cost_analysis()
    counts = {name: costs[name] for name in ("flops", "bytes accessed", "transcendentals")}
    return counts | {"temporaries": compiled.memory_analysis().temp_size_in_bytes}


def compare_steps(name: str, ours: Callable, theirs: Callable, arguments: Callable) -> None:
    """Counts and times of two steps with JAX's method `lower`; each has its own `arguments()`."""
    compiled = [step.lower(*arguments()).compile() for step in (ours, theirs)]
    print(f"\n{name}: myia, JAX, ratio")
    for (what, a), b in zip(analyses(compiled[0]).items(), analyses(compiled[1]).values()):
        print(f"  {what:<16} {a:12,.0f} {b:12,.0f} {a / b if b else 1:8.3f} x")
    contestants = {
        side: Training(step, arguments()) for side, step in zip(("JAX", "myia"), compiled[::-1])
    }
    compare(f"{name}: one step", contestants, samples=41, sample_seconds=0.02)


def row_of_steps(
    name: str, ours: Callable, theirs: Callable, arguments: Callable, quick: bool
) -> Row:
    """A step donates its state, so each call trains on."""
    contestants = {"myia": Training(ours, arguments()), "JAX": Training(theirs, arguments())}
    return row("Training steps", name, contestants, quick=quick, rtol=None)


def rows(quick: bool = False) -> Iterator[Row]:
    for name, network in NETWORKS.items():
        if not quick or name == "perceptron":
            ours = myia.jit(network.step, donate_argnums=(0, 1))
            yield row_of_steps(name, ours, network.by_hand, network.arguments, quick)


def main() -> None:
    for name, network in NETWORKS.items():
        ours = myia.jit(network.step, donate_argnums=(0, 1))
        compare_steps(name, ours, network.by_hand, network.arguments)


if __name__ == "__main__":
    main()
