"""Compile time of twenty calls of one helper that contains a loop, and the time of a call.

Against `jax.jit(jax.grad(...))` of the same calls, of a helper under `jax.jit` with `fori_loop` or
`scan`. Target: at most 1.2 times; measured: 0.3 to 0.4 times in processor time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial

import jax
import numpy as np
from jax import numpy as jnp

import myia
from benchmarks.compiling.first_compile import (
    compare_first_compiles,
    compile_with_jax,
    compile_with_myia,
    row_of_first_compiles,
    start_jax,
)
from benchmarks.harness import compare
from benchmarks.page.rows import Row

MODULE = "benchmarks.compiling.helper_calls"
PROCESSES = 3


def relaxed(x, w):
    for _ in range(10):
        x = np.sin(x * w) + 0.5 * x
    return x


def filtered(x, w):
    y = np.zeros(32)
    s = 0.0
    for i in range(32):
        s = s * 0.5 + np.sin(x[i] * w[i])
        y[i] = s
    return y


@jax.jit
def relaxed_in_jax(x, w):
    return jax.lax.fori_loop(0, 10, lambda _, x: jnp.sin(x * w) + 0.5 * x, x)


@jax.jit
def filtered_in_jax(x, w):
    def step(s, items):
        x, w = items
        s = s * 0.5 + jnp.sin(x * w)
        return s, s

    return jax.lax.scan(step, 0.0, (x, w))[1]


def twenty_calls(f: Callable) -> Callable:
    def program(x, w):
        x = f(f(f(f(f(x, w) + 0.1, w) + 0.2, w) + 0.3, w) + 0.4, w) + 0.5
        x = f(f(f(f(f(x, w) + 0.6, w) + 0.7, w) + 0.8, w) + 0.9, w) + 1.0
        x = f(f(f(f(f(x, w) + 1.1, w) + 1.2, w) + 1.3, w) + 1.4, w) + 1.5
        x = f(f(f(f(f(x, w) + 1.6, w) + 1.7, w) + 1.8, w) + 1.9, w) + 2.0
        return x.sum()

    return program


HELPERS = {
    "twenty calls, whole arrays": (relaxed, relaxed_in_jax),
    "twenty calls, elements": (filtered, filtered_in_jax),
}


def arguments() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.standard_normal(32), rng.standard_normal(32)


def child(name: str, compiler: str) -> None:
    """The work of a fresh process; prints one line of JSON."""
    start_jax()
    ours, theirs = HELPERS[name]
    if compiler == "myia":
        seconds, _ = compile_with_myia(myia.grad(twenty_calls(ours), (0, 1)), arguments())
    else:
        with jax.enable_x64(True):
            gradient = jax.jit(jax.grad(twenty_calls(theirs), (0, 1)))
            seconds, _ = compile_with_jax(gradient, arguments())
    print(json.dumps(seconds))


def rows(quick: bool = False) -> Iterator[Row]:
    for name in () if quick else HELPERS:
        yield row_of_first_compiles(MODULE, name, PROCESSES)


def main() -> None:
    for name, (ours, theirs) in HELPERS.items():
        compare_first_compiles(MODULE, name, PROCESSES)
        with jax.enable_x64(True):
            args = tuple(map(jnp.asarray, arguments()))
            gradients = {
                "jax": jax.jit(jax.grad(twenty_calls(theirs), (0, 1))),
                "myia": myia.grad(twenty_calls(ours), (0, 1)),
            }
            calls = {who: partial(called, f, args) for who, f in gradients.items()}
            compare(f"{name}: a call of the gradient", calls)


def called(f: Callable, args: tuple) -> object:
    return jax.block_until_ready(f(*args))


if __name__ == "__main__":
    child(*sys.argv[1:]) if sys.argv[1:] else main()
