"""The cost of the gradient of a scalar Python loop.

Targets: a loop of 1,000 iterations within 1.2 times `jax.grad` of a hand-written `lax.scan`, and
100 times faster than autograd and PyTorch, which run the plain loop; a program whose size does not
depend on the trip count; one compilation and 8 MB for every count of a `while`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import autograd
import autograd.numpy as anp
import jax
import numpy as np
import torch
from jax import lax
from jax import numpy as jnp

import myia
from benchmarks.harness import compare
from benchmarks.page.rows import Row, row

ITERATIONS = 1_000
START, SHIFT = 0.3, 0.1


def loop_of(iterations: int, sin: Callable) -> Callable:
    """The plain Python loop, with the sine of one library."""

    def loop(x, c):
        for _ in range(iterations):
            x = sin(x) * 1.01 + c
        return x

    return loop


def unknown_count_loop(x, c, stop):
    """A loop whose trip count is unknown."""
    t = 0.0
    while t < stop:
        x = math.sin(x) * 1.01 + c
        t += 1.0
    return x


def scan(x, c):
    return lax.scan(lambda x, _: (jnp.sin(x) * 1.01 + c, None), x, None, length=ITERATIONS)[0]


def contestants() -> dict[str, Callable]:
    """Gradients of the same loop, first that of JAX."""
    ours = myia.grad(loop_of(ITERATIONS, math.sin), argnums=(0, 1))
    scanned = jax.jit(jax.grad(scan, argnums=(0, 1)))
    taped = autograd.grad(loop_of(ITERATIONS, anp.sin), (0, 1))
    arguments = np.float64(START), np.float64(SHIFT)

    def by_jax():
        with jax.enable_x64(True):
            return jax.block_until_ready(scanned(*arguments))

    def by_torch():
        x = torch.tensor(START, dtype=torch.float64, requires_grad=True)
        c = torch.tensor(SHIFT, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(loop_of(ITERATIONS, torch.sin)(x, c), (x, c))

    return {
        "JAX": by_jax,
        "myia": lambda: ours(START, SHIFT),
        "autograd": lambda: taped(START, SHIFT),
        "PyTorch": by_torch,
    }


PROGRAM = f"x = sin(x) * 1.01 + c, {ITERATIONS:,} iterations: gradient"


def against_others() -> None:
    """JAX differentiates a `lax.scan`, the others the Python loop."""
    found = contestants()
    for name, run in found.items():
        np.testing.assert_allclose(np.float64(run()), found["JAX"](), rtol=1e-9, err_msg=name)
    compare(PROGRAM, found)


def rows(quick: bool = False) -> Iterator[Row]:
    yield row("Element loops", PROGRAM, contestants(), quick=quick)


def sizes() -> None:
    """Lines of the program at 10 and at 100,000 iterations."""
    print("\nsize of the program, in lines")
    for iterations in (10, 100_000):
        gradient = myia.grad(loop_of(iterations, math.sin), argnums=(0, 1))
        ir = gradient.ir(START, SHIFT)["finish"].count("\n")
        compiled = gradient.lower(START, SHIFT).compile()
        hlo = compiled.as_text().count("\n")
        print(
            f"  {iterations:>7,} iterations: IR {ir}, HLO {hlo}, temporaries {_megabytes(compiled)}"
        )


def unknown_counts() -> None:
    gradient = myia.grad(unknown_count_loop, argnums=(0, 1))
    compiled = gradient.lower(START, SHIFT, 0.0).compile()
    print(f"\nwhile loop of unknown count: temporaries {_megabytes(compiled)}")
    for count in (0, 1, 7, 1_000, 1_000_000):
        ours = gradient(START, SHIFT, float(count))
        np.testing.assert_allclose(ours, _by_hand(count), rtol=1e-7, atol=1e-300)
    print(f"  counts 0, 1, 7, 10^3 and 10^6: {gradient.compiles} compile(s)")
    counts = (1_000, 1_000_000)
    contestants = {
        f"{n:,} iterations": lambda n=n: gradient(START, SHIFT, float(n)) for n in counts
    }
    compare("its gradient", contestants, samples=3)


def _by_hand(count: int) -> tuple[float, float]:
    """The gradient by forward mode."""
    x, by_x, by_c = START, 1.0, 0.0
    for _ in range(count):
        slope = 1.01 * math.cos(x)
        x, by_x, by_c = math.sin(x) * 1.01 + SHIFT, slope * by_x, slope * by_c + 1.0
    return by_x, by_c


def _megabytes(compiled) -> str:
    return f"{compiled.memory_analysis().temp_size_in_bytes / 2**20:.3g} MB"


def main() -> None:
    against_others()
    sizes()
    unknown_counts()


if __name__ == "__main__":
    main()
