"""A convolutional residual network on handwritten digits, in plain NumPy.

A convolution is nine products of shifted images, in two loops; a residual block is two of them
beside the identity; blocks are rows of an array, and `for w in blocks` is the network's depth. An
epoch is one program: a generator of NumPy shuffles and shifts the images, and each batch takes its
gradient and a step of Adam.

What makes it hard elsewhere: nothing in the network, which any library has; but the epoch, with its
shuffling, its loop over batches and its state, is usually Python around compiled steps.

Checked: of 360 digits that it was not trained with, it reads at least 97.5 %.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

import myia

CHANNELS, BLOCKS, BATCH = 16, 3, 48


# ----- The compiled functions


def convolved(x, w):
    """Images (n, h, w, c) with a kernel (3, 3, c, d): (n, h, w, d)."""
    n, height, width, _ = x.shape
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    y = np.zeros((n, height, width, w.shape[-1]), x.dtype)
    for i in range(3):
        for j in range(3):
            y += padded[:, i : i + height, j : j + width] @ w[i, j]
    return y


def normalized(x):
    """Of each image, to mean 0 and variance 1."""
    mean, variance = (f(x, axis=(1, 2, 3), keepdims=True) for f in (np.mean, np.var))
    return (x - mean) / np.sqrt(variance + 1e-3)


def network(p, images):
    """Scores (n, 10) of images (n, 8, 8)."""
    x = convolved(images[..., None], p["stem"])
    x = np.maximum(np.maximum(x[:, ::2, ::2], x[:, 1::2, ::2]), x[:, ::2, 1::2])
    for w in p["blocks"]:
        y = convolved(np.maximum(normalized(x), 0), w[0])
        x = x + convolved(np.maximum(normalized(y), 0), w[1])
    return np.maximum(x, 0).reshape(len(x), -1) @ p["head"]


def loss(p, images, labels):
    scores = network(p, images)
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_p = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


def epoch(p, state, images, labels, rng, rate):
    """Parameters, Adam's state and the losses after a pass over images shifted by up to a pixel."""
    order = rng.permutation(len(images))
    batches = len(images) // BATCH
    losses = np.zeros(batches)
    for k in range(batches):
        chosen = order[k * BATCH : (k + 1) * BATCH]
        down, right = rng.integers(-1, 2, size=2)
        x = np.roll(images[chosen], (down, right), axis=(1, 2))
        losses[k], slopes = myia.value_and_grad(loss)(p, x, labels[chosen])
        state["time"] += 1.0
        for name, g in slopes.items():
            state["mean"][name] = 0.9 * state["mean"][name] + 0.1 * g
            state["square"][name] = 0.99 * state["square"][name] + 0.01 * g * g
            mean = state["mean"][name] / (1 - 0.9 ** state["time"])
            square = state["square"][name] / (1 - 0.99 ** state["time"])
            p[name] = (p[name] - rate * mean / (np.sqrt(square) + 1e-8)).astype(g.dtype)
    return p, state, losses


# ----- Data, picture


def load(rng):
    """Images in [0, 1] and labels: to train with, and to test with."""
    digits = load_digits()
    order = rng.permutation(len(digits.images))
    images, labels = (digits.images[order] / 16).astype(np.float32), digits.target[order]
    return (images[:-360], labels[:-360]), (images[-360:], labels[-360:])


def make_network(rng):
    c = CHANNELS
    shapes = {"stem": (3, 3, 1, c), "blocks": (BLOCKS, 2, 3, 3, c, c), "head": (16 * c, 10)}
    scales = {"stem": 0.3, "blocks": 0.5 / np.sqrt(9 * c), "head": 0.02}
    return {k: (scales[k] * rng.normal(size=s)).astype(np.float32) for k, s in shapes.items()}


def plot(losses, images, labels, guesses, path):
    figure = Figure(figsize=(9, 3.5), layout="tight")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    left.semilogy(losses)
    left.set(title="cross-entropy", xlabel="step")
    wrong = np.argsort(guesses == labels, kind="stable")[:12]
    sheet = np.pad(images[wrong], ((0, 0), (3, 0), (1, 1))).reshape(3, 4, 11, 10)
    right.imshow(sheet.transpose(0, 2, 1, 3).reshape(33, 40), cmap="gray_r")
    for k, i in enumerate(wrong):
        text, x, y = f"{labels[i]}: {guesses[i]}", 10 * (k % 4) + 2, 11 * (k // 4) + 2
        right.text(x, y, text, color="green" if labels[i] == guesses[i] else "red")
    right.set(title="the digit: what was read", xticks=[], yticks=[])
    figure.savefig(path, dpi=120)


def main(folder: str = ".", quick: bool = False) -> dict[str, float]:
    """The part of new digits that is read, by the network and by logistic regression."""
    rng = np.random.default_rng(0)
    (images, labels), (test, truth) = load(rng)
    p, losses = make_network(rng), []
    state = {"time": np.float64(0), "mean": {}, "square": {}}
    for name, w in p.items():
        state["mean"][name], state["square"][name] = np.zeros_like(w), np.zeros_like(w)
    run, epochs = myia.jit(epoch), 5 if quick else 40
    for k in range(epochs):
        rate = 0.003 * (1 - k / epochs)
        p, state, found = run(p, state, images, labels, rng, rate)
        losses += found.tolist()
        print(f"epoch {k + 1:2}   cross-entropy {found.mean():.4f}")
    guesses = np.argmax(network(p, test), axis=1)  # the same function, run by Python
    right = np.mean(guesses == truth)
    flat = LogisticRegression(max_iter=1000).fit(images.reshape(-1, 64), labels)
    linear = flat.score(test.reshape(-1, 64), truth)
    print(f"read of new digits: {right:.1%}; by logistic regression {linear:.1%}")
    plot(losses, test, truth, guesses, Path(folder, "residual_net.png"))
    assert right > (0.85 if quick else 0.975)
    return {"right": right, "linear": linear}


if __name__ == "__main__":
    main()
