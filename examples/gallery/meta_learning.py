"""Meta-learning: a start from which ten steps of training read digits never seen before.

A task is to tell three digits apart, from five images of each. The network is trained for ten steps
of gradient descent, and judged on other images; the gradient of that verdict by the start, through
all ten steps, improves the start and the rates (MAML: Finn, Abbeel, Levine, ICML 2017). Tasks for
learning are of the digits 0 to 6, those of the test of 7, 8 and 9.

What makes it hard elsewhere: a gradient in a loop, of which a gradient is taken, in a loop. Here
`myia.grad` within a function that is differentiated is a line like any other.

Checked: the meta-gradient against central differences of plain Python's ten steps; on the digits
never seen, ten steps from the start found are right more often than from a random one.
"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

import myia

WAYS, SHOTS, QUERIES, STEPS, WIDTH, TASKS = 3, 5, 15, 10, 40, 6


# ----- The compiled functions


def network(w, x):
    return np.tanh(x @ w["in"] + w["shift"]) @ w["out"] + w["offset"]


def loss(w, x, labels):
    scores = network(w, x)
    top = np.max(scores, axis=1)
    log_total = top + np.log(np.sum(np.exp(scores - top[:, None]), axis=1))
    return np.mean(log_total - scores[np.arange(len(labels)), labels])


def stepped(meta, w, x, labels):
    slopes = myia.grad(loss)(w, x, labels)
    return {k: w[k] - np.exp(meta["log_rate"][k]) * slopes[k] for k in w}


def trained(meta, x, labels):
    """The weights after ten steps from the start, each array with a rate of its own."""
    w = meta["start"]
    for _ in range(STEPS):
        w = stepped(meta, w, x, labels)
    return w


def verdict(meta, task):
    """The loss on the queries after training on the shots."""
    x, labels, queries, truth = task
    return loss(trained(meta, x, labels), queries, truth)


def draw_task(images, digits, rng):
    """Shots and queries of three of the digits: images (count, each, 64) of each."""
    chosen = rng.permutation(digits)[:WAYS]
    x = np.empty((WAYS, SHOTS, 64))
    queries = np.empty((WAYS, QUERIES, 64))
    for k in range(WAYS):
        order = rng.permutation(images.shape[1])
        x[k] = images[chosen[k], order[:SHOTS]]
        queries[k] = images[chosen[k], order[SHOTS : SHOTS + QUERIES]]
    labels, truth = (np.repeat(np.arange(WAYS), count) for count in (SHOTS, QUERIES))
    return x.reshape(-1, 64), labels, queries.reshape(-1, 64), truth


def accuracies(meta, images, digits, rng, count):
    """The part of the queries that is right before training and after each of ten steps."""
    found = np.zeros(STEPS + 1)
    for _ in range(count):
        x, labels, queries, truth = draw_task(images, digits, rng)
        w = meta["start"]
        for i in range(STEPS + 1):
            found[i] += np.mean(np.argmax(network(w, queries), axis=1) == truth) / count
            w = stepped(meta, w, x, labels)
    return found


def learn(meta, images, digits, rng, rate, losses):
    """Adam, with the mean verdict of a few tasks for each place in `losses`."""
    mean = {g: {k: np.zeros_like(w) for k, w in part.items()} for g, part in meta.items()}
    square = {g: {k: np.zeros_like(w) for k, w in part.items()} for g, part in meta.items()}
    for i in range(len(losses)):
        total = {g: {k: np.zeros_like(w) for k, w in part.items()} for g, part in meta.items()}
        for _ in range(TASKS):
            value, slopes = myia.value_and_grad(verdict)(meta, draw_task(images, digits, rng))
            losses[i] += value / TASKS
            for g, part in slopes.items():
                for k, slope in part.items():
                    total[g][k] += slope / TASKS
        for g, part in total.items():
            for k, slope in part.items():
                mean[g][k] += 0.1 * (slope - mean[g][k])
                square[g][k] += 0.01 * (slope**2 - square[g][k])
                scale = np.sqrt(square[g][k] / (1 - 0.99 ** (i + 1))) + 1e-8
                meta[g][k] -= rate * mean[g][k] / (1 - 0.9 ** (i + 1)) / scale
    return meta


# ----- Data, picture


def make_meta(rng):
    shapes = {"in": (64, WIDTH), "shift": (WIDTH,), "out": (WIDTH, WAYS), "offset": (WAYS,)}
    start = {k: rng.normal(size=s) / np.sqrt(s[0]) * (len(s) == 2) for k, s in shapes.items()}
    return {"start": start, "log_rate": {k: np.full(1, np.log(0.1)) for k in shapes}}


def main(folder: str = ".", quick: bool = False) -> dict[str, float]:
    """The error of the meta-gradient; accuracies from a random start and from the one found."""
    data, rng = load_digits(), np.random.default_rng(0)
    images = np.array([data.data[data.target == d][:170] / 16 for d in range(10)])
    seen, unseen = np.arange(7), np.arange(7, 10)
    meta = make_meta(rng)
    task, h = draw_task(images, seen, rng), 1e-5
    direction = {k: rng.normal(size=w.shape) for k, w in meta["start"].items()}
    slopes = myia.grad(verdict)(meta, task)["start"]
    moved = [{k: w + s * h * direction[k] for k, w in meta["start"].items()} for s in (1, -1)]
    ends = [verdict({**meta, "start": w}, task) for w in moved]
    slope = sum(np.sum(slopes[k] * direction[k]) for k in slopes)
    error = abs((ends[0] - ends[1]) / (2 * h) / slope - 1)
    print(f"meta-gradient against central differences of plain Python: {error:.1e}")

    test, losses = myia.jit(accuracies), np.zeros(60 if quick else 120)
    before = test(meta, images, unseen, np.random.default_rng(1), 100)
    meta = myia.jit(learn)(meta, images, seen, rng, 0.01, losses)
    after = test(meta, images, unseen, np.random.default_rng(1), 100)
    print(f"loss after ten steps: {losses[:10].mean():.3f} -> {losses[-10:].mean():.3f}")
    print(f"unseen digits: from a random start {before[-1]:.1%}, from that found {after[-1]:.1%}")
    figure = Figure(figsize=(9, 3.5), layout="tight")
    left, right = figure.subplots(1, 2)
    left.plot(np.convolve(losses, np.ones(10) / 10, "valid"))
    left.set(title="loss after ten steps, digits 0 to 6", xlabel="meta-step")
    right.plot(before, "o-", label="from a random start")
    right.plot(after, "o-", label="from the start found")
    right.set(title="digits 7, 8, 9, never seen", xlabel="step of training", ylabel="right")
    right.legend()
    figure.savefig(Path(folder, "meta_learning.png"), dpi=120)
    assert error < 1e-6 and after[-1] > before[-1] + 0.02
    return {"error": error, "before": before[-1], "after": after[-1]}


if __name__ == "__main__":
    main()
