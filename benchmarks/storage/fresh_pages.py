"""What fresh pages cost: chains of elementwise functions on large arrays, by settings of the C
library.

The GNU C library returns large blocks to the system when they are freed, and the next call faults
on each page of new ones. Each setting is a line in the environment of a new process
(docs/python.md, "Memory that is used again"). Printed are milliseconds, with the page faults of a
call in thousands, and the peak of the process.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import jax
import numba
import numpy as np
from jax import numpy as jnp

import myia

KEPT = "MALLOC_ARENA_MAX=1 MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=1099511627776"
SETTINGS = {
    "as it is": "",
    "pages kept, but not those of other threads": KEPT.partition(" ")[2],
    "pages kept": KEPT,
    "large pages": "GLIBC_TUNABLES=glibc.malloc.hugetlb=1",
}
MEGABYTES = (10, 30, 100)
SECONDS = 3.5  # for each size


def chain(x):
    y = np.sqrt(x * x + 1.0)
    z = y / (1.0 + x)
    w = z * y - x
    return w * 0.5 + z


def chain_in_jax(x):
    y = jnp.sqrt(x * x + 1.0)
    z = y / (1.0 + x)
    w = z * y - x
    return w * 0.5 + z


def objective(x):
    y = np.sqrt(x * x + 1.0)
    z = y / (1.0 + x)
    s = np.sum(z)
    return np.sum((z * y - x * s) ** 2)


def objective_in_jax(x):
    y = jnp.sqrt(x * x + 1.0)
    z = y / (1.0 + x)
    s = jnp.sum(z)
    return jnp.sum((z * y - x * s) ** 2)


def contestants(x: np.ndarray) -> dict[str, Callable[[], object]]:
    functions = {
        "myia": myia.jit(chain),
        "jax": jax.jit(chain_in_jax),
        "myia, gradient": myia.grad(objective),
        "jax, gradient": jax.jit(jax.grad(objective_in_jax)),
    }
    given = jax.device_put(x)
    found: dict[str, Callable[[], object]] = {
        name: lambda f=f: jax.block_until_ready(f(given)) for name, f in functions.items()
    }
    compiled = functions["myia"]
    found["myia, of NumPy"] = lambda: compiled(x)
    found["NumPy"] = lambda: chain(x)
    in_numba = numba.njit(chain)
    found["numba"] = lambda: in_numba(x)
    return found


def faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def fastest(runs: dict[str, Callable[[], object]]) -> dict[str, tuple[float, int]]:
    """Seconds and page faults of the fastest call of each."""
    found = {name: (float("inf"), 0) for name in runs}
    for run in runs.values():
        run()
    start = time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        for name, run in runs.items():
            before, began = faults(), time.perf_counter()
            result = run()
            seconds = time.perf_counter() - began
            del result
            found[name] = min(found[name], (seconds, faults() - before))
    return found


def table() -> None:
    with jax.enable_x64(True):
        for megabytes in MEGABYTES:
            cells = fastest(contestants(np.random.default_rng(0).random(125_000 * megabytes)))
            text = "   ".join(f"{k} {1e3 * s:.1f} ({n / 1e3:.1f})" for k, (s, n) in cells.items())
            print(f"  {megabytes} MB: {text}", flush=True)
    print(f"  peak: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:,} MB", flush=True)


def main() -> None:
    for title, line in SETTINGS.items():
        print(f"\n{title}: {line}", flush=True)
        settings = dict(pair.split("=", 1) for pair in line.split())
        command = [sys.executable, "-m", "benchmarks.storage.fresh_pages", "--table"]
        subprocess.run(command, env={**os.environ, **settings}, check=True)


if __name__ == "__main__":
    table() if "--table" in sys.argv else main()
