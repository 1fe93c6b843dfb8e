"""A variational autoencoder of handwritten digits, with two hidden numbers.

The lower bound of Kingma and Welling (ICLR 2014), written down as it is: the encoder gives a mean
and a deviation, a generator of NumPy draws, the decoder gives each pixel's probability. Draws,
gradient, Adam, and the loops over epochs and batches are one compiled program.

What makes it hard elsewhere: the generator. Compiled code elsewhere has keys to split and pass on;
here `rng.normal` draws, in compiled code and under a gradient, what it draws in NumPy.

Checked: training by plain Python, with the same generator, gives the same weights; on digits that
were held out the bound is far above the likelihood of independent pixels, and below the tighter
bound of many samples (Burda and others, ICLR 2016), as it must be.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.special import logsumexp
from sklearn.datasets import load_digits

import myia

WIDTH, HIDDEN, BATCH = 128, 2, 64


# ----- The compiled functions


def encode(p, x):
    h = np.tanh(x @ p["e1"])
    return h @ p["mean"], np.exp(h @ p["deviation"] - 1.0)


def decode(p, z):
    """The log-odds of pixels."""
    h = np.tanh(z @ p["d1"] + p["d1_shift"])
    return np.tanh(h @ p["d2"]) @ p["d3"] + p["d3_shift"]


def log_weights(p, x, rng):
    """log p(x, z) - log q(z | x) of a z that is drawn for each x: its mean is the lower bound."""
    mean, deviation = encode(p, x)
    noise = rng.normal(size=mean.shape)
    z = mean + deviation * noise
    odds = decode(p, z)
    log_likelihood = np.sum(x * odds - np.logaddexp(0.0, odds), axis=1)
    log_prior = -0.5 * np.sum(z**2, axis=1)
    return log_likelihood + log_prior + np.sum(0.5 * noise**2 + np.log(deviation), axis=1)


def loss(p, x, rng):
    return -np.mean(log_weights(p, x, rng))


def train(p, x, rng, epochs, rate):
    """The weights after Adam, and the mean loss of each epoch."""
    mean = {k: np.zeros_like(w) for k, w in p.items()}
    square = {k: np.zeros_like(w) for k, w in p.items()}
    losses, t, batches = np.zeros(epochs), 0, len(x) // BATCH
    for epoch in range(epochs):
        order = rng.permutation(len(x))
        for b in range(batches):
            batch = x[order[b * BATCH : (b + 1) * BATCH]]
            value, slopes = myia.value_and_grad(loss)(p, batch, rng)
            losses[epoch] += value / batches
            t += 1
            for k, g in slopes.items():
                mean[k] = 0.9 * mean[k] + 0.1 * g
                square[k] = 0.999 * square[k] + 0.001 * g * g
                scale = np.sqrt(square[k] / (1 - 0.999**t)) + 1e-8
                p[k] = p[k] - rate * mean[k] / (1 - 0.9**t) / scale
    return p, losses


# ----- Data, picture


def load(rng):
    """Black and white digits (n, 64): to train with, and to test with, and the labels of these."""
    digits = load_digits()
    order = rng.permutation(len(digits.data))
    x, labels = (digits.data[order] > 7.5).astype(float), digits.target[order]
    return x[:-357], x[-357:], labels[-357:]


def make_weights(rng):
    shapes = {"e1": (64, WIDTH), "mean": (WIDTH, HIDDEN), "deviation": (WIDTH, HIDDEN)}
    shapes |= {"d1": (HIDDEN, WIDTH), "d2": (WIDTH, WIDTH), "d3": (WIDTH, 64)}
    p = {k: rng.normal(size=s) / np.sqrt(s[0]) for k, s in shapes.items()}
    return p | {"d1_shift": np.zeros(WIDTH), "d3_shift": np.zeros(64)}


def plot(p, x, labels, path):
    figure = Figure(figsize=(9, 4.5), layout="tight")
    left, right = figure.subplots(1, 2)
    points = left.scatter(*encode(p, x)[0].T, c=labels, cmap="tab10", s=8)
    figure.colorbar(points, ax=left, ticks=range(10))
    left.set(title="hidden numbers of new digits", aspect="equal")
    z = np.stack(np.meshgrid(np.linspace(-2, 2, 14), np.linspace(2, -2, 14)), -1)
    pixels = 1 / (1 + np.exp(-decode(p, z.reshape(-1, 2))))
    sheet = pixels.reshape(14, 14, 8, 8).transpose(0, 2, 1, 3).reshape(112, 112)
    right.imshow(sheet, cmap="gray_r")
    right.set(title="digits of hidden numbers", xticks=[], yticks=[])
    figure.savefig(path, dpi=120)


def main(folder: str = ".", quick: bool = False) -> dict[str, float]:
    """The difference to plain Python; log-likelihoods of pixels, lower bounds by one and many z."""
    rng = np.random.default_rng(0)
    x, test, labels = load(rng)
    p, run = make_weights(rng), myia.jit(train)
    runs = [f(dict(p), x[:320], np.random.default_rng(1), 20, 0.003)[0] for f in (run, train)]
    difference = max(np.max(np.abs(a - b)) for a, b in zip(*(r.values() for r in runs)))
    p, losses = run(p, x, rng, 20 if quick else 120, 0.003)

    share = np.clip(x.mean(axis=0), 1e-3, 1 - 1e-3)
    pixels = np.mean(np.sum(test * np.log(share) + (1 - test) * np.log(1 - share), axis=1))
    bound_of = myia.jit(log_weights)
    samples = np.array([bound_of(p, test, rng) for _ in range(100)])
    one, many = samples.mean(), np.mean(logsumexp(samples, axis=0) - np.log(len(samples)))
    print(f"weights after 100 steps, compiled and by plain Python: {difference:.1e} apart")
    print(f"bound, {len(losses)} epochs: {-losses[0]:.2f} -> {-losses[-1]:.2f} nats a digit")
    print(f"of new digits: {one:.2f}, by 100 samples {many:.2f}; independent pixels {pixels:.2f}")
    plot(p, test, labels, Path(folder, "autoencoder.png"))
    assert difference < 1e-9 and pixels + (3 if quick else 4) < one < many
    return {"difference": difference, "pixels": pixels, "one": one, "many": many}


if __name__ == "__main__":
    main()
