"""Is a matrix-vector product of XLA's CPU backend as fast as NumPy's? What of it is the call?

The product alone is one of 20 in a loop, each of the result of the one before. Beside it the other
forms that XLA offers, in such loops: none is faster in general. A call is measured twice, since JAX
has a thread of its own run it: in a process in which it must not, the caller does. Ratios are to
NumPy.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

from benchmarks.emission.products import SHORT, random, run
from benchmarks.harness import measure

PRODUCTS = 20
SIZES = (300, 1_000, 3_000)


def straight(a, x):
    return a @ x


def vector_first(a, x):
    return x @ a


def in_blocks(a, x, blocks=4):
    """Blocks of rows as a batch: they may run side by side."""
    rows = a.reshape(blocks, -1, a.shape[1])
    xs = jnp.broadcast_to(x, (blocks, *x.shape))
    return lax.dot_general(rows, xs, (((2,), (1,)), ((0,), (0,)))).reshape(-1)


def of_two_columns(a, x):
    """A product of matrices, which a library of several threads computes."""
    return (a @ jnp.stack([x, jnp.zeros_like(x)], axis=1))[:, 0]


def multiply_and_sum(a, x):
    """One fusion, which several threads run."""
    return jnp.sum(a * x, axis=1)


FORMS = (straight, vector_first, in_blocks, of_two_columns, multiply_and_sum)


def in_a_loop(f: Callable) -> Callable:
    return lambda a, x: lax.fori_loop(0, PRODUCTS, lambda _, x: f(a, x), x)


def call_times(title: str, with_products: bool) -> None:
    for dtype in (np.float64, np.float32):
        for n in SIZES:
            a, x = random(n, n, dtype=dtype), random(n, dtype=dtype)
            contestants: dict[str, Callable[[], Any]] = {
                "NumPy": lambda a=a, x=x: a @ x,
                "a call of JAX": run(jax.jit(straight), a, x),
                "a call of x + 1": run(jax.jit(lambda a, x: x + 1), a, x),
            }
            if with_products:
                for f in FORMS:
                    contestants[f.__name__] = run(jax.jit(in_a_loop(f)), a, x)
            times = {k: t.fastest for k, t in measure(contestants, **SHORT).items()}
            print(f"\n{title}, n = {n}, {np.dtype(dtype)}: NumPy {times['NumPy'] * 1e6:.1f} µs")
            for name, seconds in list(times.items())[1:]:
                count = PRODUCTS if name in {f.__name__ for f in FORMS} else 1
                print(f"  {name:<20} {seconds / count / times['NumPy']:8.2f} x", flush=True)


def main() -> None:
    call_times("run by JAX's thread", with_products=True)
    command = [sys.executable, "-m", "benchmarks.emission.matrix_vector", "--inline"]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    if "--inline" in sys.argv:
        jax.config.update("jax_cpu_enable_async_dispatch", False)
        call_times("run by the caller", with_products=False)
    else:
        main()
