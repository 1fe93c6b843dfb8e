"""Training with dropout and data augmentation, all inside one compiled function.

The pictures are bright bars and crosses, anywhere in a noisy square. An epoch shuffles them, moves
and mirrors each picture at random, drops units of the hidden layer, and takes a step of gradient
descent for each batch: one program, in which a generator of NumPy draws. It draws what it would
draw in Python, so that a run of it can be repeated without the compiler, number for number.
"""

from __future__ import annotations

import numpy as np

import myia

SIDE, WIDTH, BATCH, KEEP = 8, 48, 16, 0.8


# ----- The compiled functions


def augmented(picture, rng):
    """Moved by up to a pixel, around the edges, and mirrored as often as not."""
    down, right = rng.integers(-1, 2, size=2)
    moved = np.roll(picture, (down, right), axis=(0, 1))
    if rng.random() < 0.5:
        moved = moved[:, ::-1]
    return moved


def dropout(x, rng, keep):
    return np.where(rng.random(x.shape) < keep, x / keep, 0.0)


def hidden(weights, pictures):
    flat = pictures.reshape(len(pictures), -1)
    return np.maximum(flat @ weights["in"] + weights["shift"], 0.0)


def loss(weights, pictures, labels, rng):
    """The cross-entropy of a perceptron with dropout."""
    units = dropout(hidden(weights, pictures), rng, KEEP)
    scores = units @ weights["out"] + weights["offset"]
    top = np.max(scores, axis=1, keepdims=True)
    log_total = np.log(np.sum(np.exp(scores - top), axis=1)) + top[:, 0]
    return np.mean(log_total - scores[np.arange(len(labels)), labels])


def epoch(weights, pictures, labels, rng, rate):
    """The weights after one pass over the pictures, and the mean loss."""
    order = rng.permutation(len(pictures))
    total = 0.0
    for start in range(0, len(pictures), BATCH):
        chosen = order[start : start + BATCH]
        batch = np.array([augmented(pictures[i], rng) for i in chosen])
        value, slopes = myia.value_and_grad(loss)(weights, batch, labels[chosen], rng)
        weights = {name: w - rate * slopes[name] for name, w in weights.items()}
        total += value * len(batch)
    return weights, total / len(pictures)


# ----- Data


def make_data(rng, count):
    """Pictures of a bar that lies (0), one that stands (1), or a cross (2)."""
    labels = rng.integers(3, size=count)
    pictures = 0.3 * rng.normal(size=(count, SIDE, SIDE))
    for picture, label in zip(pictures, labels):
        i, j = rng.integers(1, SIDE - 1, size=2)
        if label != 1:
            picture[i, :] += 1.0
        if label != 0:
            picture[:, j] += 1.0
    return pictures, labels


def make_weights(rng):
    return {
        "in": rng.normal(size=(SIDE * SIDE, WIDTH)) / SIDE,
        "shift": np.zeros(WIDTH),
        "out": rng.normal(size=(WIDTH, 3)) / np.sqrt(WIDTH),
        "offset": np.zeros(3),
    }


def accuracy(weights, pictures, labels):
    scores = hidden(weights, pictures) @ weights["out"] + weights["offset"]
    return np.mean(np.argmax(scores, axis=1) == labels)


def main(count: int = 1_000, epochs: int = 40, rate: float = 0.1) -> tuple[float, float]:
    """The accuracy on new pictures before and after training."""
    rng = np.random.default_rng(0)
    pictures, labels = make_data(rng, count)
    test = make_data(rng, 1_000)
    weights = make_weights(rng)
    before = accuracy(weights, *test)
    step = myia.jit(epoch)
    for i in range(epochs):
        weights, value = step(weights, pictures, labels, rng, rate)
        if i % 5 == 0 or i == epochs - 1:
            print(f"epoch {i:3}   loss {value:.4f}   accuracy {accuracy(weights, *test):.3f}")
    return before, accuracy(weights, *test)


if __name__ == "__main__":
    main()
