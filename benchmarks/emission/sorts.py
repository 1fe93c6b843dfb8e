"""Sorts and orders of floats, against NumPy and JAX.

The emission of `backends/xla/cpu/sort_forms.py` rests on it: run it when JAX's version changes.
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
SHAPES = ((100,), (1_000,), (10_000,), (300_000,), (1_000, 10), (1_000, 100))


def main() -> None:
    for name in ("sort", "argsort"):
        for shape in SHAPES:
            for dtype in (np.float64, np.float32):
                x = RNG.standard_normal(shape).astype(dtype)
                in_numpy = getattr(np, name)
                compare(
                    f"{name} of {shape}, {np.dtype(dtype)}",
                    {
                        "NumPy": partial(in_numpy, x),
                        "NumPy, stable": partial(in_numpy, x, kind="stable"),
                        "myia": run(myia.jit(lambda x, f=in_numpy: f(x)), x),
                        "jax": run(jax.jit(getattr(jnp, name)), x),
                    },
                    **SHORT,
                )


if __name__ == "__main__":
    main()
