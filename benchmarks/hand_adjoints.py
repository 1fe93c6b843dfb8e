"""What does a gradient cost beside an adjoint written by hand?

    python -m benchmarks hand_adjoints

Ten kernels, all but one with loops over elements. The rivals are compiled by numba
(`kernel_rivals/hand_adjoints.py`); ours is called like any function, on NumPy arrays. Target: on
five of them at most 4 times the rival's time. All are checked against each other and a central
difference first. Where the rival is much faster, LLVM vectorises its loops or keeps a sum in a
register, which it does not do with XLA's.

Counted is processor time in the fastest of many short turns; everything here runs on one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numba
import numpy as np

import myia
from benchmarks.harness import compare
from benchmarks.kernel_programs import KERNELS, Kernel
from benchmarks.kernel_rivals.hand_adjoints import ADJOINTS

LIMIT = 4.0
STEP = 1e-6
SHORT = {"turns": 41, "turn_seconds": 0.004, "clock": time.process_time}


def size(kernel: Kernel) -> int:
    """Large enough that the work counts, and not the call."""
    return kernel.times * (10 if kernel.times >= 1_000 else 2)


def contestants(kernel: Kernel, by_hand: Callable) -> tuple[Callable, Callable]:
    """Calls without arguments, each a gradient of the weighted sum of what the kernel writes."""
    args, weights = kernel.arguments(size(kernel)), kernel.weights(size(kernel))
    compiled = numba.njit(by_hand)
    gradient = myia.grad(kernel.objective(), argnums=tuple(i + 1 for i in kernel.active(args)))
    return lambda: compiled(*weights, *args), lambda: gradient(weights, *args)


def check(kernel: Kernel, by_hand: Sequence, ours: Sequence) -> None:
    """The two gradients are one another, and a central difference in a random direction."""
    n, rng = size(kernel), np.random.default_rng(7)
    args, weights, objective = kernel.arguments(n), kernel.weights(n), kernel.objective()
    direction = {i: rng.standard_normal(np.shape(args[i])) for i in kernel.active(args)}
    for mine, other in zip(ours, by_hand, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-8, atol=1e-8 * np.max(np.abs(other)))
    slope = sum(np.sum(g * v) for g, v in zip(by_hand, direction.values(), strict=True))

    def at(step: float) -> float:
        moved = [
            a + step * direction[i] if i in direction else a
            for i, a in enumerate(kernel.arguments(n))
        ]
        return objective(weights, *moved)

    expected = (at(STEP) - at(-STEP)) / (2 * STEP)
    np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-6 * abs(at(0.0)))


def main() -> None:
    found = {}
    for by_hand in ADJOINTS:
        kernel = KERNELS[by_hand.__name__]
        rival, ours = contestants(kernel, by_hand)
        check(kernel, rival(), ours())
        title = f"gradient of {kernel.name}, n = {size(kernel)}"
        timings = compare(title, {"by hand, numba": rival, "myia": ours}, **SHORT)
        found[kernel.name] = timings["myia"].fastest / timings["by hand, numba"].fastest
    print(f"\nfastest turn against fastest turn (limit {LIMIT:g}):")
    for name, ratio in found.items():
        print(f"  {name:<24}{ratio:6.2f} x {'' if ratio <= LIMIT else 'above'}")


if __name__ == "__main__":
    main()
