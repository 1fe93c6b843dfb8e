"""The cost of a gradient, against an adjoint written by hand.

    python -m benchmarks hand_adjoints

Ten kernels, all but one with loops over elements. The hand-written adjoints are compiled by numba
(`kernel_rivals/hand_adjoints.py`); the gradient is called like any function, on NumPy arrays.
Target: on five of them at most 4 times their time. First all are checked against each other and a
central difference. Where the hand-written one is much faster, LLVM vectorises its loops or keeps a
sum in a register, which it does not do with XLA's.

Measured is processor time in the fastest of many short samples; everything runs on one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import numba
import numpy as np

import myia
from benchmarks.harness import compare
from benchmarks.kernel_programs import KERNELS, Kernel
from benchmarks.kernel_rivals.hand_adjoints import ADJOINTS
from benchmarks.page.rows import Row, row

MAX_RATIO = 4.0
DIFFERENCE_STEP = 1e-6
SAMPLING = {"samples": 41, "sample_seconds": 0.004, "clock": time.process_time}


def size(kernel: Kernel) -> int:
    """A size at which the work dominates the overhead of a call."""
    return kernel.times * (10 if kernel.times >= 1_000 else 2)


def contestants(kernel: Kernel, by_hand: Callable) -> tuple[Callable, Callable]:
    """Calls without arguments: gradients of the weighted sum of what the kernel writes."""
    args, weights = kernel.arguments(size(kernel)), kernel.weights(size(kernel))
    compiled = numba.njit(by_hand)
    gradient = myia.grad(kernel.objective(), argnums=tuple(i + 1 for i in kernel.active(args)))
    return lambda: compiled(*weights, *args), lambda: gradient(weights, *args)


def check(kernel: Kernel, by_hand: Sequence, ours: Sequence) -> None:
    """Check that both gradients are equal, and equal a central difference in a random direction."""
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

    expected = (at(DIFFERENCE_STEP) - at(-DIFFERENCE_STEP)) / (2 * DIFFERENCE_STEP)
    np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-6 * abs(at(0.0)))


def rows(quick: bool = False) -> Iterator[Row]:
    for by_hand in () if quick else ADJOINTS:
        kernel = KERNELS[by_hand.__name__]
        rival, ours = contestants(kernel, by_hand)
        program = f"{kernel.name}, n = {size(kernel):,}: gradient"
        both = {"myia": ours, "by hand": rival}
        yield row("Adjoints by hand", program, both, clock=time.process_time)


def main() -> None:
    found = {}
    for by_hand in ADJOINTS:
        kernel = KERNELS[by_hand.__name__]
        rival, ours = contestants(kernel, by_hand)
        check(kernel, rival(), ours())
        title = f"gradient of {kernel.name}, n = {size(kernel)}"
        timings = compare(title, {"by hand, numba": rival, "myia": ours}, **SAMPLING)
        found[kernel.name] = timings["myia"].fastest / timings["by hand, numba"].fastest
    print(f"\nfastest sample against fastest sample (limit {MAX_RATIO:g}):")
    for name, ratio in found.items():
        print(f"  {name:<24}{ratio:6.2f} x {'' if ratio <= MAX_RATIO else 'above'}")


if __name__ == "__main__":
    main()
