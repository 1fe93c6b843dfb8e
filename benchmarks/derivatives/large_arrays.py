"""What derivatives on large arrays cost, which NumPy would hold as a whole.

    python -m benchmarks large_arrays

Sums over all pairs of points, and short loops of elementwise operations, against JAX: `gradbench`
has more, and says how it is measured. Here most of the time goes to memory, if arrays are stored.
"""

from __future__ import annotations

import types
from collections.abc import Callable

import jax
import numpy as np
from jax import numpy as jnp

from benchmarks.derivatives.gradbench import Problem, report

# ----- All pairs of points


def norms(p, c):
    return np.sum(np.linalg.norm(p[:, None, :] - c[None, :, :], axis=-1))


def gaussians(p, c):
    return np.sum(np.exp(-np.sum((p[:, None, :] - c[None, :, :]) ** 2, axis=2)))


def potentials(p, c):
    d = p[:, None, :] - c[None, :, :]
    return np.sum(1.0 / np.sqrt(np.sum(d * d, axis=2) + 0.1))


def absolutes(p, c):
    return np.mean(np.abs(p[:, None, :] - c[None, :, :]))


# ----- Short loops


def polynomial(x, coefficients):
    return np.sum(np.polyval(coefficients, x))


def newton(x, coefficients):
    y = np.ones_like(x)
    for _ in range(8):
        y = 0.5 * (y + (x * x + 1) / y)
    return np.sum(y)


def series(x, coefficients):
    term, total = np.ones_like(x), np.zeros_like(x)
    for k in range(1, 15):
        total, term = total + term, term * x / k
    return np.sum(total)


def medians(x, coefficients):
    return np.median(x)


# ----- The table


def _of_jax(f: Callable) -> Callable:
    """The same source on `jax.numpy`."""
    return types.FunctionType(f.__code__, {"np": jnp})


def problems() -> list[Problem]:
    rng = np.random.default_rng(0)
    found = []
    for n, k, d in ((2000, 2000, 3), (10_000, 100, 8), (3000, 40, 3)):
        points, centers = rng.normal(size=(n, d)), rng.normal(size=(k, d))
        for f in (norms, gaussians, potentials, absolutes):
            name = f"{f.__name__}, {n} x {k} points in {d} dimensions"
            found.append(Problem(name, (points, centers), {"pairs": f}, _of_jax(f)))
    for n in (20_000, 1_000_000):
        args = (rng.normal(size=n), rng.normal(size=10))
        for f in (polynomial, newton, series, medians):
            found.append(Problem(f"{f.__name__}, {n}", args, {"arrays": f}, _of_jax(f)))
    return found


def main(only: str = "") -> None:
    for problem in problems():
        if only in problem.name:
            report(problem)
            jax.clear_caches()


if __name__ == "__main__":
    main()
