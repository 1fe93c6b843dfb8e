"""Super-resolution: a network learns from half of two photographs to sharpen the other half.

Scikit-learn ships two photographs. Every other strip of them, at half its size, is brought back to
full size by a small network of convolutions whose last one gives four pixels for each (Shi and
others, CVPR 2016), beside bilinear interpolation; it is trained on random patches, in one compiled
program. Then it enlarges the strips between, which it has never seen.

What makes it hard elsewhere: nothing but speed: an epoch is a loop of draws, slices at drawn
places, gradients and in-place updates, which Python runs step by step, and tracers want as a scan.

Checked: on the strips that were not learned from, the error (as signal-to-noise, in decibels) is
below that of cubic splines (SciPy's `zoom`).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.ndimage import zoom
from sklearn.datasets import load_sample_image

import myia

PATCH, BATCH, CHANNELS = 24, 8, 24


# ----- The compiled functions


def convolved(x, w):
    """Images (n, h, w, c), continued at their edges, with a kernel (k, k, c, d): (n, h, w, d)."""
    n, height, width, _ = x.shape
    size, around = w.shape[0], w.shape[0] // 2
    padded = np.pad(x, ((0, 0), (around, around), (around, around), (0, 0)), mode="edge")
    y = np.zeros((n, height, width, w.shape[-1]), x.dtype)
    for i in range(size):
        for j in range(size):
            y += padded[:, i : i + height, j : j + width] @ w[i, j]
    return y


def enlarged(p, x):
    """Images (n, h, w, 3) at twice their size."""
    n, height, width, _ = x.shape
    y = np.maximum(convolved(x - 0.5, p["first"]) + p["shift"], 0)
    y = np.maximum(convolved(y, p["second"]), 0)
    y = convolved(y, p["third"]) + convolved(x, p["linear"])
    y = y.reshape(n, height, width, 2, 2, 3)
    return y.transpose(0, 1, 3, 2, 4, 5).reshape(n, 2 * height, 2 * width, 3)


def halved(x):
    """Images (n, h, w, 3): the means of two by two pixels."""
    return (x[:, ::2, ::2] + x[:, 1::2, ::2] + x[:, ::2, 1::2] + x[:, 1::2, 1::2]) / 4


def loss(p, x):
    return np.mean((enlarged(p, halved(x)) - x) ** 2)


def train(p, mean, square, start, photo, rng, losses, rate):
    """As many steps of Adam as `losses` has room for, from patches drawn from the photograph."""
    size = 2 * PATCH
    for i in range(len(losses)):
        batch = np.empty((BATCH, size, size, 3), photo.dtype)
        for k in range(BATCH):
            y, x = rng.integers(photo.shape[0] - size), rng.integers(photo.shape[1] - size)
            batch[k] = photo[y : y + size, x : x + size]
        losses[i], slopes = myia.value_and_grad(loss)(p, batch)
        t = start + i + 1
        step = rate * np.sqrt(1 - 0.99**t) / (1 - 0.9**t)
        for k, g in slopes.items():
            mean[k] += 0.1 * (g - mean[k])
            square[k] += 0.01 * (g * g - square[k])
            p[k] -= step * mean[k] / (np.sqrt(square[k]) + 1e-8)


# ----- Data, picture


def load():
    """Strips of both photographs in [0, 1], (852, 320, 3): to learn from, and to test with."""
    photos = [load_sample_image(name)[:426] for name in ("china.jpg", "flower.jpg")]
    both = np.concatenate(photos).astype(np.float32) / 255
    strips = both.reshape(852, 4, 2, 80, 3)
    return strips[:, :, 0].reshape(852, 320, 3), strips[:, :, 1].reshape(852, 320, 3)


def make_network(rng):
    c = CHANNELS
    shapes = {"first": (5, 5, 3, c), "second": (3, 3, c, c), "third": (3, 3, c, 12), "shift": (c,)}
    scales = {"first": 0.15, "second": 0.07, "third": 0.01, "shift": 0.1}
    p = {k: (scales[k] * rng.normal(size=s)).astype(np.float32) for k, s in shapes.items()}
    near = np.array([[0.25, 0.75, 0.0], [0.0, 0.75, 0.25]], np.float32)  # of a pixel's halves
    linear = np.einsum("ai,bj,cd->ijcabd", near, near, np.eye(3, dtype=np.float32))
    return p | {"linear": linear.reshape(3, 3, 3, 12)}


def decibels(guess, photo):
    return -10 * np.log10(np.mean((np.clip(guess, 0, 1) - photo) ** 2))


def plot(pictures, path):
    figure = Figure(figsize=(11, 3.4), layout="tight")
    for axes, (title, picture) in zip(figure.subplots(1, 4), pictures.items()):
        axes.imshow(np.clip(picture, 0, 1))
        axes.set(title=title, xticks=[], yticks=[])
    figure.savefig(path, dpi=120)


def main(folder: str = ".", quick: bool = False) -> dict[str, float]:
    """Signal-to-noise in decibels of pixels repeated, of cubic splines, of the network."""
    rng = np.random.default_rng(0)
    photo, test = load()
    p, losses = make_network(rng), []
    mean, square = ({k: np.zeros_like(w) for k, w in p.items()} for _ in range(2))
    run, blocks, size = myia.jit(train), *((2, 30) if quick else (8, 60))
    for k in range(blocks):
        found = np.zeros(size)
        run(p, mean, square, float(k * size), photo, rng, found, 0.003 if k < blocks - 2 else 0.001)
        losses += found.tolist()
        print(f"step {len(losses):4}   {-10 * np.log10(found.mean()):.2f} dB")

    small = halved(test[None])[0]
    ours = enlarged(p, small[None])[0]  # the same function, run by Python
    spline = zoom(small, (2, 2, 1), order=3, mode="nearest", grid_mode=True)
    repeated = small.repeat(2, axis=0).repeat(2, axis=1)
    found = {"repeated": repeated, "cubic splines": spline, "network": ours}
    noise = {name: decibels(guess, test) for name, guess in found.items()}
    print("the other strips: " + ", ".join(f"{k} {v:.2f} dB" for k, v in noise.items()))
    shown = {k: v[200:280, 80:160] for k, v in {**found, "photograph": test}.items()}
    plot(shown, Path(folder, "super_resolution.png"))
    rival = noise["repeated"] if quick else noise["cubic splines"] + 0.2
    assert noise["network"] > rival
    return noise


if __name__ == "__main__":
    main()
