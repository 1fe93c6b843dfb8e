"""The gradient of networks written with NumPy: an MLP, a convolution, a block of a transformer.

    python -m benchmarks networks

Against the same code on `jax.numpy` and autograd, JAX's own convolution, and PyTorch's modules.
Targets: within 1.15 times of JAX at its best. All are in float32, on a batch, with arrays on the
device of each library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import autograd
import autograd.numpy as anp
import jax
import jax.numpy as jnp
import numpy as np
import torch
from jax import lax

import myia
from benchmarks.page.rows import Row, row

BATCH, CLASSES = 128, 10
SIDE, CHANNELS, FILTERS = 16, 3, 16  # of images
LENGTH, WIDTH, HEADS = 64, 64, 4  # of sequences
SEQUENCES = 8
RTOL = 1e-3

Arrays = dict[str, Any]


# ----- In NumPy, or a library with its names


def mlp(np: ModuleType) -> Callable:
    def loss(p: Arrays, x, y):
        hidden = np.tanh(x @ p["w1"] + p["b1"])
        scores = hidden @ p["w2"] + p["b2"]
        scores = scores - np.max(scores, axis=1, keepdims=True)
        return np.mean(np.log(np.sum(np.exp(scores), axis=1)) - np.sum(scores * y, axis=1))

    return loss


def convolution(np: ModuleType) -> Callable:
    def loss(p: Arrays, x, y):
        n = SIDE - 2
        total = p["b"]
        for i in range(3):
            for j in range(3):
                total = total + x[:, i : i + n, j : j + n] @ p["k"][i, j]
        features = np.mean(np.maximum(total, 0.0), axis=(1, 2))
        return np.mean((features @ p["w"] - y) ** 2)

    return loss


def normalised(np: ModuleType, x):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5)


def transformer(np: ModuleType) -> Callable:
    def loss(p: Arrays, x, y):
        z = normalised(np, x)
        total = x
        size = WIDTH // HEADS
        for h in range(HEADS):
            part = slice(h * size, (h + 1) * size)
            q, k, v = z @ p["q"][:, part], z @ p["k"][:, part], z @ p["v"][:, part]
            scores = np.exp(q @ np.swapaxes(k, 1, 2) / size**0.5)
            weights = scores / np.sum(scores, axis=-1, keepdims=True)
            total = total + weights @ v @ p["o"][part]
        hidden = np.maximum(normalised(np, total) @ p["w1"], 0.0)
        return np.mean((total + hidden @ p["w2"] - y) ** 2)

    return loss


# ----- At their best in other libraries


def convolution_of_jax(p: Arrays, x, y):
    dims = ("NHWC", "HWIO", "NHWC")
    features = lax.conv_general_dilated(x, p["k"], (1, 1), "VALID", dimension_numbers=dims)
    features = jnp.mean(jnp.maximum(features + p["b"], 0.0), axis=(1, 2))
    return jnp.mean((features @ p["w"] - y) ** 2)


def mlp_of_torch(p: Arrays, x, y):
    scores = torch.tanh(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]
    return torch.nn.functional.cross_entropy(scores, y)


def convolution_of_torch(p: Arrays, x, y):
    kernels = p["k"].permute(3, 2, 0, 1)
    features = torch.nn.functional.conv2d(x.permute(0, 3, 1, 2), kernels, p["b"])
    features = torch.relu(features).mean(dim=(2, 3))
    return ((features @ p["w"] - y) ** 2).mean()


def transformer_of_torch(p: Arrays, x, y):
    def heads(z):
        return z.reshape(*z.shape[:2], HEADS, -1).transpose(1, 2)

    norm = torch.nn.functional.layer_norm
    z = norm(x, (WIDTH,))
    q, k, v = (heads(z @ p[name]) for name in "qkv")
    attended = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    total = x + attended.transpose(1, 2).reshape(x.shape) @ p["o"]
    hidden = torch.relu(norm(total, (WIDTH,)) @ p["w1"])
    return ((total + hidden @ p["w2"] - y) ** 2).mean()


# ----- Arguments


def of_mlp(draw: Callable) -> tuple[Arrays, Any, Any]:
    digits = np.arange(BATCH) % CLASSES
    p = {"w1": draw(64, 128), "b1": draw(128), "w2": draw(128, CLASSES), "b2": draw(CLASSES)}
    return p, draw(BATCH, 64), np.eye(CLASSES, dtype=np.float32)[digits]


def of_convolution(draw: Callable) -> tuple[Arrays, Any, Any]:
    p = {"k": draw(3, 3, CHANNELS, FILTERS), "b": draw(FILTERS), "w": draw(FILTERS, CLASSES)}
    return p, draw(BATCH, SIDE, SIDE, CHANNELS), draw(BATCH, CLASSES)


def of_transformer(draw: Callable) -> tuple[Arrays, Any, Any]:
    p = {name: draw(WIDTH, WIDTH) for name in "qkvo"}
    p |= {"w1": draw(WIDTH, 4 * WIDTH), "w2": draw(4 * WIDTH, WIDTH)}
    return p, draw(SEQUENCES, LENGTH, WIDTH), draw(SEQUENCES, LENGTH, WIDTH)


@dataclass(frozen=True)
class Network:
    written: Callable
    arguments: Callable
    of_torch: Callable
    of_jax: Callable | None = None  # if JAX has a function for it

    def contestants(self) -> dict[str, Callable[[], Any]]:
        """Calls that return the gradient in the parameters."""
        rng = np.random.default_rng(0)
        args = self.arguments(lambda *shape: 0.1 * rng.standard_normal(shape, np.float32))
        on_device = jax.device_put(args)
        ours = myia.grad(self.written(np))
        theirs = {"JAX": self.written(jnp)}
        if self.of_jax is not None:
            theirs["JAX, best"] = self.of_jax
        taped = autograd.grad(self.written(anp))
        return {
            "myia": lambda: jax.block_until_ready(ours(*on_device)),
            **{name: _of_jax(f, on_device) for name, f in theirs.items()},
            "autograd": lambda: taped(*args),
            "PyTorch": _of_torch(self.of_torch, args),
        }


def _of_jax(f: Callable, args: tuple) -> Callable[[], Any]:
    gradient = jax.jit(jax.grad(f))
    return lambda: jax.block_until_ready(gradient(*args))


def _of_torch(f: Callable, args: tuple) -> Callable[[], Any]:
    params, x, y = args
    p = {name: torch.tensor(a, requires_grad=True) for name, a in params.items()}
    x, y = torch.tensor(x), torch.tensor(y)

    def run() -> Arrays:
        return dict(zip(p, torch.autograd.grad(f(p, x, y), list(p.values()))))

    return run


NETWORKS = {
    "MLP": Network(mlp, of_mlp, mlp_of_torch),
    "convolution": Network(convolution, of_convolution, convolution_of_torch, convolution_of_jax),
    "transformer block": Network(transformer, of_transformer, transformer_of_torch),
}


def rows(quick: bool = False) -> Iterator[Row]:
    for name, network in NETWORKS.items():
        if not quick or name == "MLP":
            contestants = network.contestants()
            yield row("Networks", f"{name}: gradient", contestants, quick=quick, rtol=RTOL)


def main() -> None:
    for found in rows():
        found.show()


if __name__ == "__main__":
    main()
