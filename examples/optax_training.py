"""Trains a classifier of wines, written in NumPy, with an optimizer of Optax.

The loss is plain Python and NumPy; the optimizer, its schedule and its clipping are Optax's, called
in the compiled training step like any other function: the whole epoch is one program, in which the
loop over the batches is one loop.
"""

from __future__ import annotations

import jax
import numpy as np
import optax
from sklearn.datasets import load_wine

import myia

WIDTH, BATCH, EPOCHS = 16, 16, 30

OPTIMIZER = optax.chain(
    optax.clip_by_global_norm(1.0),
    optax.adamw(optax.cosine_decay_schedule(0.02, decay_steps=300), weight_decay=1e-3),
)


def wines(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Measurements of 176 wines in a random order, standardized; the kind of each: 0, 1 or 2."""
    data, kinds = load_wine(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(data))[:176]
    scaled = (data - data.mean(axis=0)) / data.std(axis=0)
    return scaled[order].astype(np.float32), kinds[order]


def initial(inputs: int, outputs: int, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        "w1": (rng.standard_normal((inputs, WIDTH)) / np.sqrt(inputs)).astype(np.float32),
        "b1": np.zeros(WIDTH, np.float32),
        "w2": (rng.standard_normal((WIDTH, outputs)) / np.sqrt(WIDTH)).astype(np.float32),
        "b2": np.zeros(outputs, np.float32),
    }


def scores(params, data):
    hidden = np.tanh(data @ params["w1"] + params["b1"])
    return hidden @ params["w2"] + params["b2"]


def loss(params, data, kinds):
    losses = optax.softmax_cross_entropy_with_integer_labels(scores(params, data), kinds)
    return np.mean(losses)


@myia.jit
def epoch(params, state, data, kinds):
    """One pass over the data, batch by batch, and the mean of the losses."""
    total = np.float32(0.0)
    batches = len(data) // BATCH
    for i in range(batches):
        start = i * BATCH
        batch = data[start : start + BATCH], kinds[start : start + BATCH]
        value, grads = myia.value_and_grad(loss)(params, *batch)
        updates, state = OPTIMIZER.update(grads, state, params)
        params = optax.apply_updates(params, updates)
        total += value
    return params, state, total / batches


def train(epochs: int = EPOCHS) -> tuple[list[float], float]:
    """The losses of the epochs, and the share of wines classified right in the end."""
    data, kinds = wines()
    params = jax.device_put(initial(data.shape[1], 3))
    state = OPTIMIZER.init(params)
    losses = []
    for _ in range(epochs):
        params, state, mean = epoch(params, state, data, kinds)
        losses.append(float(mean))
    return losses, float(np.mean(np.argmax(scores(params, data), axis=1) == kinds))


if __name__ == "__main__":
    losses, right = train()
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}, {100 * right:.1f} % right")
