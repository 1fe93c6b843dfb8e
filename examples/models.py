"""Two classifiers of digits, their loss and Adam, in plain Python and NumPy.

Nothing here knows of a compiler or of derivatives: every function runs as it is. Parameters are
dicts of arrays, float32 or float64; `images` have the shape (n, 8, 8), `targets` are one-hot, of
the shape (n, 10).
"""

from __future__ import annotations

import numpy as np

ROWS, COLUMNS, CLASSES = 8, 8, 10


def _dense(rng, inputs, outputs):
    return rng.normal(size=(inputs, outputs)) / np.sqrt(inputs)


# ----- A perceptron of two layers


def perceptron_params(rng, width=256):
    return {
        "w1": _dense(rng, ROWS * COLUMNS, width),
        "b1": np.zeros(width),
        "w2": _dense(rng, width, CLASSES),
        "b2": np.zeros(CLASSES),
    }


def perceptron(params, images):
    """Scores of the classes, (n, 10)."""
    pixels = images.reshape(len(images), ROWS * COLUMNS)
    hidden = np.tanh(pixels @ params["w1"] + params["b1"])
    return hidden @ params["w2"] + params["b2"]


# ----- A recurrent network that reads an image from top to bottom


def recurrent_params(rng, width=64):
    return {
        "read": _dense(rng, COLUMNS, width),
        "keep": _dense(rng, width, width),
        "bias": np.zeros(width),
        "w": _dense(rng, ROWS * width, CLASSES),
        "b": np.zeros(CLASSES),
    }


def recurrent(params, images):
    """Scores of the classes, (n, 10), by the states after each of the rows."""
    state = np.zeros((len(images), len(params["bias"])), images.dtype)
    states = []
    for row in np.swapaxes(images, 0, 1):
        state = np.tanh(row @ params["read"] + state @ params["keep"] + params["bias"])
        states.append(state)
    return np.concatenate(states, axis=1) @ params["w"] + params["b"]


# ----- Loss and training


def cross_entropy(scores, targets):
    scores = scores - np.max(scores, axis=1, keepdims=True)
    normalizer = np.log(np.sum(np.exp(scores), axis=1))
    return np.mean(normalizer - np.sum(scores * targets, axis=1))


def accuracy(scores, labels):
    return np.mean(np.argmax(scores, axis=1) == labels)


def adam_state(params):
    mean = {name: np.zeros_like(p) for name, p in params.items()}
    square = {name: np.zeros_like(p) for name, p in params.items()}
    return {"mean": mean, "square": square, "steps": np.float32(0)}


def adam(params, grads, state, rate=3e-3, decay=0.9, decay_square=0.999, eps=1e-8):
    """Adam (Kingma and Ba, 2015, end of section 2): new parameters, new state."""
    steps = state["steps"] + 1.0
    rate = rate * np.sqrt(1 - decay_square**steps) / (1 - decay**steps)
    new, mean, square = {}, {}, {}
    for name, g in grads.items():
        mean[name] = decay * state["mean"][name] + (1 - decay) * g
        square[name] = decay_square * state["square"][name] + (1 - decay_square) * g**2
        new[name] = params[name] - rate * mean[name] / (np.sqrt(square[name]) + eps)
    return new, {"mean": mean, "square": square, "steps": steps}
