"""The overhead of a call of a compiled function, against `jax.jit`.

Target: at most 1.2 times. A function of floats returns a Python float, so ratios are to JAX with
the `.item()` that a user of floats would write; likewise for NumPy arrays. A transform that is
written anew at each call is compared with JAX's.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import jax
import numpy as np

import myia
from benchmarks.harness import compare
from benchmarks.page.rows import Row, row

LEAVES = 50
SAMPLING = {
    "samples": 41,
    "sample_seconds": 0.01,
}  # many short ones: calls are fast, machines noisy


def scalar(x, y):
    return x * x * y


def descend(params, gradient):
    return {k: params[k] - 0.1 * gradient[k] for k in params}


def of_floats() -> None:
    ours, theirs = myia.jit(scalar), jax.jit(scalar)
    compare(
        "f(float, float)",
        {
            "jax.jit, .item()": lambda: theirs(1.5, 2.0).item(),
            "jax.jit": lambda: theirs(1.5, 2.0),
            "myia.jit (a float)": lambda: ours(1.5, 2.0),
        },
        **SAMPLING,
    )


def of_numpy_arrays() -> None:
    ours, theirs = myia.jit(scalar), jax.jit(scalar)
    x, y = np.full(16, 1.5, np.float32), np.full(16, 2.0, np.float32)
    compare(
        "f(array of 16, array of 16)",
        {
            "jax.jit, np.asarray(...)": lambda: np.asarray(theirs(x, y)),
            "jax.jit": lambda: theirs(x, y),
            "myia.jit": lambda: ours(x, y),
        },
        **SAMPLING,
    )


class Model:
    def __init__(self, k):
        self.k = k

    def loss(self, x):
        return x * x * self.k


def of_transforms_anew() -> None:
    """What is transformed is made anew at each call. Target: 0.2 ms."""

    def pair(k):
        return lambda x: x * x * k

    made = {
        "a lambda": lambda grad: grad(pair(2.0)),
        "a partial": lambda grad: grad(functools.partial(scalar, y=2.0)),
        "a method": lambda grad: grad(Model(2.0).loss),
        "a gradient": lambda grad: grad(grad(pair(2.0))),
    }
    for name, make in made.items():
        compare(
            f"grad(f)(float), f {name} that is made anew",
            {
                "jax.grad, without jit": lambda make=make: make(jax.grad)(1.5).item(),
                "jax.jit(jax.grad)": lambda make=make: jax.jit(make(jax.grad))(1.5).item(),
                "myia.grad": lambda make=make: make(myia.grad)(1.5),
                "myia.jit(myia.grad)": lambda make=make: myia.jit(make(myia.grad))(1.5),
            },
            max_seconds=5.0,
            **SAMPLING,
        )


def of_device_arrays() -> None:
    ours, theirs = myia.jit(scalar), jax.jit(scalar)
    x, y = jax.numpy.float32(1.5), jax.numpy.float32(2.0)
    compare(
        "f(jax.Array, jax.Array)",
        {"jax.jit": lambda: theirs(x, y), "myia.jit": lambda: ours(x, y)},
        **SAMPLING,
    )


def of_dicts() -> None:
    """Two arguments, each a dict of 50 leaves."""
    makers = {
        "NumPy arrays": lambda i: np.full(16, i, np.float32),
        "jax.Arrays": lambda i: jax.numpy.full(16, i, "float32"),
        "floats": float,
    }
    ours, theirs = myia.jit(descend), jax.jit(descend)
    for kind, make in makers.items():
        args = tuple({f"layer{i}": make(i) for i in range(LEAVES)} for _ in range(2))
        contestants = {"jax.jit": lambda args=args: theirs(*args)}
        if kind == "NumPy arrays":
            to_numpy = {"jax.jit, np.asarray(...)": lambda args=args: _to_numpy(theirs(*args))}
            contestants = {**to_numpy, **contestants}
        contestants["myia.jit"] = lambda args=args: ours(*args)
        compare(f"two dicts of {LEAVES} {kind}", contestants, **SAMPLING)


def rows(quick: bool = False) -> Iterator[Row]:
    """JAX also with what its users do to get numbers and arrays."""
    ours, theirs = myia.jit(scalar), jax.jit(scalar)
    x, y = np.full(16, 1.5), np.full(16, 2.0)
    yield row(
        "Calls",
        "f(float, float)",
        {
            "myia": lambda: ours(1.5, 2.0),
            "JAX": lambda: theirs(1.5, 2.0),
            "JAX, .item()": lambda: theirs(1.5, 2.0).item(),
        },
        quick=quick,
        **SAMPLING,
    )
    if quick:
        return
    yield row(
        "Calls",
        "f(array of 16, array of 16)",
        {
            "myia": lambda: ours(x, y),
            "JAX": lambda: theirs(x, y),
            "JAX, np.array()": lambda: np.array(theirs(x, y)),
        },
        **SAMPLING,
    )
    step, by_jax = myia.jit(descend), jax.jit(descend)
    args = tuple({f"layer{i}": jax.numpy.full(16, i) for i in range(LEAVES)} for _ in range(2))
    pair = {"myia": lambda: step(*args), "JAX": lambda: by_jax(*args)}
    yield row("Calls", f"two dicts of {LEAVES} jax.Arrays", pair, **SAMPLING)


def _to_numpy(arrays: dict[str, jax.Array]) -> dict[str, np.ndarray]:
    return {name: np.asarray(x) for name, x in arrays.items()}


def main() -> None:
    of_floats()
    of_numpy_arrays()
    of_transforms_anew()
    of_device_arrays()
    of_dicts()


if __name__ == "__main__":
    main()
