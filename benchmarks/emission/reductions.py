"""Sums and extrema along wide rows and of a few elements, against NumPy and JAX.

The emission of `backends/xla/cpu/reduction_forms.py` rests on it: run it when the version of JAX
changes. XLA's library for reductions is what `jax` calls.
"""

from __future__ import annotations

from functools import partial

import jax
import numpy as np
from jax import numpy as jnp

import myia
from benchmarks.emission.products import SHORT, run
from benchmarks.harness import compare

RNG = np.random.default_rng(0)
CASES = (  # shape, axis
    ((3, 200_000), 0),
    ((20, 30_000), 0),
    ((100, 20_000), 0),
    ((1_000, 600), 0),
    ((10, 20, 20_000), 1),
    ((300_000, 2), 1),
    ((100, 3_000, 8), 2),
    ((20_000, 30), 1),
)


def main() -> None:
    for name in ("sum", "max"):
        for shape, axis in CASES:
            for dtype in (np.float64, np.float32):
                x = RNG.standard_normal(shape).astype(dtype)
                in_numpy = partial(getattr(np, name), axis=axis)
                in_jax = partial(getattr(jnp, name), axis=axis)
                compare(
                    f"{name} of {shape} along axis {axis}, {np.dtype(dtype)}",
                    {
                        "NumPy": lambda x=x, f=in_numpy: f(x),
                        "myia": run(myia.jit(lambda x, f=in_numpy: f(x)), x),
                        "jax": run(jax.jit(in_jax), x),
                    },
                    **SHORT,
                )


if __name__ == "__main__":
    main()
