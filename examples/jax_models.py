"""The training steps of `models.py` as one writes them by hand for JAX: `scan`, tree maps."""

from __future__ import annotations

from functools import partial

import jax
from jax import lax
from jax import numpy as jnp


def perceptron(params, images):
    hidden = jnp.tanh(images.reshape(len(images), -1) @ params["w1"] + params["b1"])
    return hidden @ params["w2"] + params["b2"]


def recurrent(params, images):
    def read(state, row):
        state = jnp.tanh(row @ params["read"] + state @ params["keep"] + params["bias"])
        return state, state

    start = jnp.zeros((len(images), len(params["bias"])), images.dtype)
    _, states = lax.scan(read, start, jnp.swapaxes(images, 0, 1))
    states = jnp.swapaxes(states, 0, 1).reshape(len(images), -1)
    return states @ params["w"] + params["b"]


def cross_entropy(scores, targets):
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(scores) * targets, axis=1))


def adam(params, grads, state, rate=3e-3, decay=0.9, decay_square=0.999, eps=1e-8):
    steps = state["steps"] + 1.0
    rate = rate * jnp.sqrt(1 - decay_square**steps) / (1 - decay**steps)
    mean = jax.tree.map(lambda m, g: decay * m + (1 - decay) * g, state["mean"], grads)
    square = jax.tree.map(
        lambda v, g: decay_square * v + (1 - decay_square) * g**2, state["square"], grads
    )
    new = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + eps), params, mean, square)
    return new, {"mean": mean, "square": square, "steps": steps}


def step_of(model):
    """`step(params, state, images, targets) -> (params, state, loss)`, compiled, which donates."""

    def loss(params, images, targets):
        return cross_entropy(model(params, images), targets)

    @partial(jax.jit, donate_argnums=(0, 1))
    def step(params, state, images, targets):
        value, grads = jax.value_and_grad(loss)(params, images, targets)
        return *adam(params, grads, state), value

    return step
