"""Trains the perceptron of the demo on eight devices, is killed, and goes on from a checkpoint.

    python data_parallel.py          on a CPU: eight devices of XLA's, which share its cores

The training step is that of one device, in plain NumPy (`models.py`). Its arguments say where it
runs: the parameters are on all devices, each batch is split among them. A second process trains,
saves every few steps by Orbax, and is killed; this one goes on from its last checkpoint, and ends
with the numbers of a training on one device that nothing interrupts.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile

import jax
import models
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import NamedSharding, PartitionSpec
from sklearn.datasets import load_digits

import myia

BATCH, EVERY, DEVICES = 128, 5, 8


# ----- The step: plain Python that takes a gradient


def loss(params, images, targets):
    return models.cross_entropy(models.perceptron(params, images), targets)


@myia.jit(donate_argnums=(0, 1))
def step(params, state, images, targets):
    value, grads = myia.value_and_grad(loss)(params, images, targets)
    params, state = models.adam(params, grads, state)
    return params, state, value


def start() -> dict:
    params = models.perceptron_params(np.random.default_rng(0), width=64)
    params = {name: p.astype(np.float32) for name, p in params.items()}
    return {"params": params, "state": models.adam_state(params)}


# ----- Data


def load() -> tuple[np.ndarray, np.ndarray]:
    digits = load_digits()
    return (digits.images / 16).astype(np.float32), digits.target


def batch(images, labels, i):
    """Batch number `i`: the same in every process, whenever it is asked for."""
    chosen = np.random.default_rng([1, i]).choice(len(images), BATCH, replace=False)
    return images[chosen], np.eye(models.CLASSES, dtype=np.float32)[labels[chosen]]


# ----- Training, on any devices


def train(numbers, first, steps, sharding, after=lambda i, numbers, value: None):
    """From step `first` on; `sharding`: that of a batch; `after`: called after each step."""
    images, labels = load()
    params, state = numbers["params"], numbers["state"]
    for i in range(first, steps):
        given = jax.device_put(batch(images, labels, i), sharding)
        params, state, value = step(params, state, *given)
        after(i, {"params": params, "state": state}, value)
    return {"params": params, "state": state}


def shardings() -> tuple[NamedSharding, NamedSharding]:
    """What all devices have, and what is split among them."""
    mesh = jax.make_mesh((jax.device_count(),), ("batch",))
    return NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec("batch"))


def train_with_checkpoints(folder: str, steps: int) -> tuple[int, dict]:
    """On all devices, from the last checkpoint in the folder on: its step, and the numbers."""
    everywhere, split = shardings()
    numbers, first = jax.device_put(start(), everywhere), 0
    with ocp.CheckpointManager(folder, options=ocp.CheckpointManagerOptions(max_to_keep=2)) as kept:
        if (latest := kept.latest_step()) is not None:
            numbers = kept.restore(latest, args=ocp.args.StandardRestore(numbers))
            first = latest + 1

        def after(i, numbers, value):
            if i % EVERY == EVERY - 1:
                kept.save(i, args=ocp.args.StandardSave(numbers))
            print(f"step {i} on {value.sharding.num_devices} devices: {value:.4f}", flush=True)

        return first, train(numbers, first, steps, split, after)


def train_and_be_killed(folder: str, steps: int, last: int) -> None:
    """Another process trains, and is killed after step `last`."""
    command = [sys.executable, __file__, folder, str(steps)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith(f"step {last} "):
                process.kill()
                break
        process.stdout.read()
    print(f"killed after step {last}, by signal {-process.returncode}")
    assert process.returncode == -signal.SIGKILL


def main(steps: int = 120, last: int = 67) -> float:
    """The accuracy; raises AssertionError where the numbers are not those of one device."""
    with tempfile.TemporaryDirectory() as folder:
        train_and_be_killed(folder, steps, last)
        first, found = train_with_checkpoints(folder, steps)
    print(f"went on from step {first}")
    assert 0 < first <= last + 1
    device = jax.devices()[0]
    expected = train(jax.device_put(start(), device), 0, steps, device)
    for name, p in expected["params"].items():
        error = np.abs(np.asarray(found["params"][name]) - p).max() / np.abs(p).max()
        print(f"{name}: largest difference from one device {error:.1e}")
        assert error < 1e-4
    images, labels = load()
    accuracy = models.accuracy(models.perceptron(jax.device_get(found["params"]), images), labels)
    print(f"accuracy {accuracy:.1%}")
    return accuracy


if __name__ == "__main__":
    if jax.config.jax_num_cpu_devices < DEVICES:
        jax.config.update("jax_num_cpu_devices", DEVICES)
    if len(sys.argv) == 3:
        train_with_checkpoints(sys.argv[1], int(sys.argv[2]))
    else:
        main()
