"""Trains a model made of Equinox modules: a recurrent reader of handwritten digits.

The model's own `__call__` is read from its source: its `for` over the rows is a loop in the
program. The modules in it (`GRUCell`, `Linear`) are Equinox's, traced from JAX. `myia.grad` gives
the gradient: a model whose arrays are the derivatives.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from sklearn.datasets import load_digits

import myia

WIDTH, BATCH, STEPS = 32, 64, 300


class Reader(eqx.Module):
    """Reads an image row by row; its state after the last row decides the digit."""

    cell: eqx.nn.GRUCell
    head: eqx.nn.Linear

    def __init__(self, width: int, *, key):
        of_cell, of_head = jax.random.split(key)
        self.cell = eqx.nn.GRUCell(8, width, key=of_cell)
        self.head = eqx.nn.Linear(width, 10, key=of_head)

    def __call__(self, images):
        state = jnp.zeros((len(images), self.cell.hidden_size))
        for row in np.swapaxes(images, 0, 1):
            state = jax.vmap(self.cell)(row, state)
        return jax.vmap(self.head)(state)


def loss(params, rest, images, digits):
    scores = eqx.combine(params, rest)(images)
    return optax.softmax_cross_entropy_with_integer_labels(scores, digits).mean()


OPTIMIZER = optax.adam(1e-2)


@myia.jit
def step(params, rest, state, images, digits):
    value, grads = myia.value_and_grad(loss)(params, rest, images, digits)
    updates, state = OPTIMIZER.update(grads, state)
    return eqx.apply_updates(params, updates), state, value


@myia.jit
def accuracy(model, images, digits):
    return np.mean(np.argmax(model(images), axis=1) == digits)


def train(steps: int = STEPS, width: int = WIDTH) -> tuple[list[float], float]:
    """The losses of the steps; the share of 360 test images classified right in the end."""
    images, digits = load_digits(return_X_y=True)
    images = (images.reshape(-1, 8, 8) / 16).astype(np.float32)
    params, rest = eqx.partition(Reader(width, key=jax.random.key(0)), eqx.is_array)
    state = OPTIMIZER.init(params)
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(steps):
        batch = rng.integers(len(images) - 360, size=BATCH)
        params, state, value = step(params, rest, state, images[batch], digits[batch])
        losses.append(float(value))
    right = accuracy(eqx.combine(params, rest), images[-360:], digits[-360:])
    return losses, float(right)


if __name__ == "__main__":
    losses, right = train()
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}, {100 * right:.1f} % of the test set right")
