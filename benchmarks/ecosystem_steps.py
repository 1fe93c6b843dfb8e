"""The cost of training steps made of parts of JAX's ecosystem, against the same under `jax.jit`.

Losses and steps are the same code (Optax's Adam, models of Equinox and Flax), except for the
function that takes the derivative, and the loop over a sequence: a `for` here, `lax.scan` there.
Targets: flops and bytes, by XLA's own count, within 1.05 times; time within 1.15 times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import flax.linen
import jax
import jax.numpy as jnp
import numpy as np
import optax

import myia
from benchmarks.demo_steps import compare_steps, row_of_steps
from benchmarks.page.rows import Row

BATCH, ROWS, COLUMNS, CLASSES, WIDTH = 128, 8, 8, 10, 64
OPTIMIZER = optax.adam(1e-3)


def cross_entropy(scores, digits):
    return optax.softmax_cross_entropy_with_integer_labels(scores, digits).mean()


def step_of(loss: Callable, rest: Any, value_and_grad: Callable) -> Callable:
    """`rest` holds the leaves of the model that are not arrays."""

    def step(params, state, images, digits):
        value, grads = value_and_grad(loss)(params, rest, images, digits)
        updates, state = OPTIMIZER.update(grads, state)
        return optax.apply_updates(params, updates), state, value

    return step


# ----- Losses


def perceptron(params, rest, images, digits):
    hidden = jnp.tanh(images.reshape(BATCH, -1) @ params["w1"] + params["b1"])
    return cross_entropy(hidden @ params["w2"] + params["b2"], digits)


def equinox_mlp(params, rest, images, digits):
    model = eqx.combine(params, rest)
    return cross_entropy(jax.vmap(model)(images.reshape(BATCH, -1)), digits)


def equinox_attention(params, rest, images, digits):
    attend, head = eqx.combine(params, rest)
    seen = jax.vmap(attend)(images, images, images)
    return cross_entropy(jax.vmap(head)(seen.reshape(BATCH, -1)), digits)


def equinox_gru(params, rest, images, digits):
    cell, head = eqx.combine(params, rest)
    state = jnp.zeros((BATCH, WIDTH), jnp.float32)
    for row in jnp.swapaxes(images, 0, 1):
        state = jax.vmap(cell)(row, state)
    return cross_entropy(jax.vmap(head)(state), digits)


def equinox_gru_scan(params, rest, images, digits):
    cell, head = eqx.combine(params, rest)
    start = jnp.zeros((BATCH, WIDTH), jnp.float32)
    rows = jnp.swapaxes(images, 0, 1)
    state, _ = jax.lax.scan(lambda state, row: (jax.vmap(cell)(row, state), None), start, rows)
    return cross_entropy(jax.vmap(head)(state), digits)


class Linen(flax.linen.Module):
    @flax.linen.compact
    def __call__(self, images):
        hidden = flax.linen.relu(flax.linen.Dense(WIDTH)(images.reshape(BATCH, -1)))
        return flax.linen.Dense(CLASSES)(flax.linen.LayerNorm()(hidden))


LINEN = Linen()


def flax_linen(params, rest, images, digits):
    return cross_entropy(LINEN.apply(params, images), digits)


# ----- Models


def dense(key) -> dict[str, jax.Array]:
    first, second = jax.random.split(key)
    return {
        "w1": 0.1 * jax.random.normal(first, (ROWS * COLUMNS, WIDTH)),
        "b1": jnp.zeros(WIDTH),
        "w2": 0.1 * jax.random.normal(second, (WIDTH, CLASSES)),
        "b2": jnp.zeros(CLASSES),
    }


def mlp(key) -> eqx.Module:
    return eqx.nn.MLP(ROWS * COLUMNS, CLASSES, WIDTH, 2, key=key)


def attention(key) -> tuple[eqx.Module, eqx.Module]:
    first, second = jax.random.split(key)
    attend = eqx.nn.MultiheadAttention(4, COLUMNS, key=first)
    return attend, eqx.nn.Linear(ROWS * COLUMNS, CLASSES, key=second)


def gru(key) -> tuple[eqx.Module, eqx.Module]:
    first, second = jax.random.split(key)
    return eqx.nn.GRUCell(COLUMNS, WIDTH, key=first), eqx.nn.Linear(WIDTH, CLASSES, key=second)


def linen(key) -> Any:
    return LINEN.init(key, jnp.zeros((BATCH, ROWS, COLUMNS)))


@dataclass(frozen=True)
class Case:
    model: Callable
    loss: Callable
    by_jax: Callable | None = None  # if its code differs

    def parts(self) -> tuple:
        """The parameters, and the leaves of the model that are not arrays."""
        return eqx.partition(self.model(jax.random.key(0)), eqx.is_array)

    def arguments(self) -> tuple:
        """Parameters, state, images and digits, on the device."""
        params, _ = self.parts()
        rng = np.random.default_rng(0)
        images = rng.random((BATCH, ROWS, COLUMNS), np.float32)
        digits = rng.integers(CLASSES, size=BATCH, dtype=np.int32)
        return params, OPTIMIZER.init(params), *jax.device_put((images, digits))

    def steps(self) -> tuple[Callable, Callable]:
        """The steps of myia and of JAX."""
        _, rest = self.parts()
        ours = myia.jit(step_of(self.loss, rest, myia.value_and_grad), donate_argnums=(0, 1))
        theirs = step_of(self.by_jax or self.loss, rest, jax.value_and_grad)
        return ours, jax.jit(theirs, donate_argnums=(0, 1))


CASES = {
    "Optax, perceptron": Case(dense, perceptron),
    "Equinox, MLP": Case(mlp, equinox_mlp),
    "Equinox, GRUCell": Case(gru, equinox_gru, equinox_gru_scan),
    "Equinox, MultiheadAttention": Case(attention, equinox_attention),
    "Flax Linen": Case(linen, flax_linen),
}


def rows(quick: bool = False) -> Iterator[Row]:
    for name, case in ({} if quick else CASES).items():
        yield row_of_steps(name, *case.steps(), case.arguments, quick)


def main() -> None:
    for name, case in CASES.items():
        compare_steps(name, *case.steps(), case.arguments)


if __name__ == "__main__":
    main()
