"""Before the first call: imports, and first calls of small functions, in processor seconds.

Each figure is the least of several fresh processes. Target: importing myia takes at most 0.5 s
more than importing JAX, and a first call as long as JAX's.
"""

from __future__ import annotations

import os
import subprocess
import sys

PROCESSES = 3
IMPORTS = {
    "import jax": "import jax",
    "import myia (and jax)": "import myia",
}
FIRST_CALLS = {
    "jax.jit": "jax.jit(f)(1.5).item()",
    "jax.jit(jax.grad)": "jax.jit(jax.grad(f))(1.5).item()",
    "myia.jit": "myia.jit(f)(1.5)",
    "myia.grad": "myia.grad(f)(1.5)",
}
IMPORT = """
import time
{statement}
print(time.process_time())
"""
FIRST_CALL = """
import sys, time
import jax
import myia
sys.path.insert(0, {folder!r})
from benchmarks.compiling.start_up import polynomial as f
jax.jit(lambda x: x + 1.0)(1.0).item()  # the backend is up
start = time.process_time()
{statement}
print(time.process_time() - start)
"""


def polynomial(x):
    return 3.0 * x * x * x - x


def seconds(program: str) -> float:
    def once() -> float:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
        return float(done.stdout)

    return min(once() for _ in range(PROCESSES))


def show(title: str, programs: dict[str, str]) -> None:
    """Print seconds, and ratios to the first."""
    print(f"\n{title}")
    found = {name: seconds(program) for name, program in programs.items()}
    base = next(iter(found.values()))
    for name, t in found.items():
        print(f"  {name:<40} {t:8.3f} s {t / base:8.2f} x {t - base:+8.3f} s")


def main() -> None:
    show("imports", {name: IMPORT.format(statement=x) for name, x in IMPORTS.items()})
    calls = {
        name: FIRST_CALL.format(statement=x, folder=os.getcwd()) for name, x in FIRST_CALLS.items()
    }
    show("first calls", calls)


if __name__ == "__main__":
    main()
