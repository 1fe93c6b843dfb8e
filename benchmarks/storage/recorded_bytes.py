"""The bytes recorded per iteration, against the residuals of `jax.vjp` of a `lax.scan`.

Target: never more; in the median of twenty loops, half as many.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

import myia
from benchmarks.loop_programs.steps import ITERATIONS, W, X, steps


def ours(step: Callable) -> int:
    def loss(w, x):
        for k in range(ITERATIONS):
            x = step(w, x, k)
        return np.sum(x)

    return sum(p.bytes_per_iteration for p in myia.grad(loss, argnums=(0, 1)).plan(W, X))


def of_scan(step: Callable) -> int:
    """The stacked results of the forward scan of `jax.vjp`: the residuals of its steps."""

    def loss(w, x):
        body = lambda x, k: (step(w, x, k), None)  # noqa: E731
        return jnp.sum(lax.scan(body, x, jnp.arange(ITERATIONS))[0])

    with jax.enable_x64(True):
        program = jax.make_jaxpr(lambda w, x: jax.vjp(loss, w, x))(W, X)
    scans = [e for e in program.jaxpr.eqns if e.primitive.name == "scan"]
    results = [r for e in scans for r in zip(e.outvars, e.params["jaxpr"].out_avals)]
    stacked = [x.aval for x, of_step in results if x.aval.shape == (ITERATIONS, *of_step.shape)]
    return sum(a.size * a.dtype.itemsize for a in stacked) // ITERATIONS


def gradients_agree(step: Callable, by_jax: Callable) -> None:
    def loss(w, x):
        for k in range(3):
            x = step(w, x, k)
        return np.sum(x)

    def same(w, x):
        for k in range(3):
            x = by_jax(w, x, k)
        return jnp.sum(x)

    with jax.enable_x64(True):
        want = jax.grad(same, argnums=(0, 1))(W, X)
    for a, b in zip(myia.grad(loss, argnums=(0, 1))(W, X), want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def main() -> None:
    print(f"\nbytes recorded per iteration{'myia':>22}{'lax.scan':>12}")
    ratios = []
    for (name, step), by_jax in zip(steps(np).items(), steps(jnp).values()):
        gradients_agree(step, by_jax)
        mine, theirs = ours(step), of_scan(by_jax)
        ratios.append(theirs / mine if mine else 1.0 if not theirs else float("inf"))
        print(f"  {name:<40}{mine:8,}{theirs:12,}{ratios[-1]:8.2f} x")
    print(f"  least {min(ratios):.2f} x, median {statistics.median(ratios):.2f} x")


if __name__ == "__main__":
    main()
