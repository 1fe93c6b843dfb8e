"""How long a process takes to its first result: compiled, of the cache, and from a file.

    python -m benchmarks.start_up [--samples N]

Each first call is made in a process of its own: without a cache; with one that an earlier process
has filled; and with `myia.load`, which imports no compiler. Seconds are CPU time of the process,
the least of some samples; the first call is without the imports, the start with them, but without
those of NumPy and JAX. Python keeps the bytecode of what is imported, as it does for users; without
(`PYTHONDONTWRITEBYTECODE`) each process would compile our sources again, which takes two seconds.
Target: with the cache, at most 0.3 times the first call that compiles.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np

import myia
from benchmarks.kernel_programs import KERNELS

ROOT = Path(__file__).parents[1]
SAMPLES = 3
TARGET = 0.3
SIZE = 64
BEFORE = (np, jax)  # imported before the time begins
PROGRAMS = ("heat_1d", "cholesky_loops", "lstm", "soft_alignment", "residual_block", "adi")
BYTECODE = os.path.join(tempfile.gettempdir(), "myia_start_up_bytecode")
IN_A_PROCESS = "from benchmarks.start_up import first_call; first_call()"


def gradient(name: str) -> tuple[Callable, tuple]:
    """A kernel's gradient, and arguments."""
    kernel = KERNELS[name]
    args = kernel.arguments(SIZE)
    active = tuple(i + 1 for i in kernel.active(args))
    return myia.grad(kernel.pure(), argnums=active), (kernel.weights(SIZE), *args)


def first_call() -> None:
    """In a process of its own: `how` and the program are in the environment."""
    name, path = os.environ["START_UP_PROGRAM"], os.environ.get("START_UP_FILE")
    started = time.process_time()
    f, args = gradient(name)
    if path:
        started = time.process_time()
        f = myia.load(path)
    imported = time.process_time()
    f(*args)
    print(
        json.dumps({"start": time.process_time() - started, "call": time.process_time() - imported})
    )


def measured(name: str, samples: int, **environment: str) -> dict[str, float]:
    """The least seconds of some processes."""
    found = []
    outer = {k: x for k, x in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(samples):
        output = subprocess.run(
            [sys.executable, "-c", IN_A_PROCESS],
            cwd=ROOT,
            env={**outer, "START_UP_PROGRAM": name, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(json.loads(output.stdout.splitlines()[-1]))
    return {key: min(x[key] for x in found) for key in ("start", "call")}


def report(name: str, samples: int) -> float:
    """Print a line; how much of the first call is left with the cache."""
    with tempfile.TemporaryDirectory() as folder:
        cache, path = os.path.join(folder, "cache"), os.path.join(folder, "f.myia")
        f, args = gradient(name)
        f.lower(*args).compile().save(path)
        bytecode = {"PYTHONPYCACHEPREFIX": BYTECODE}
        measured(name, 1, **bytecode)
        plain = measured(name, samples, **bytecode)
        measured(name, 1, MYIA_CACHE=cache, **bytecode)
        kept = measured(name, samples, MYIA_CACHE=cache, **bytecode)
        loaded = measured(name, samples, START_UP_FILE=path, **bytecode)
    ratios = kept["call"] / plain["call"], kept["start"] / plain["start"]
    cells = [f"{x[key]:6.2f}" for key in ("call", "start") for x in (plain, kept, loaded)]
    print(f"{name:16}", *cells, *(f"{r:6.2f}" for r in ratios), flush=True)
    return ratios[0]


def main(samples: int = SAMPLES) -> None:
    print("CPU seconds of     the first call        the start until then    cached / compiled")
    print("                compiled cached loaded  compiled cached loaded    call  start")
    ratios = [report(name, samples) for name in PROGRAMS]
    print(f"median {np.median(ratios):.2f}, worst {max(ratios):.2f} (target: {TARGET})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    main(parser.parse_args().samples)
