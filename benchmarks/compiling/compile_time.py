"""Time from source to executable, against JAX's trace and compilation of the same step by hand.

Target: at most 1.5 times. Every measurement is of a fresh process, with nothing cached; imports are
not counted. The columns are the stages of `myia/pipeline.py` and the two of JAX.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

from benchmarks.compiling.first_compile import (
    compare_first_compiles,
    compile_with_jax,
    compile_with_myia,
    row_of_first_compiles,
    start_jax,
)
from benchmarks.demo_steps import NETWORKS
from benchmarks.page.rows import Row

PROCESSES = 5


def child(name: str, compiler: str) -> None:
    """The work of a fresh process; prints one line of JSON."""
    start_jax()
    network = NETWORKS[name]
    if compiler == "jax":
        seconds, _ = compile_with_jax(network.by_hand, network.arguments())
    else:
        seconds, _ = compile_with_myia(network.step, network.arguments())
    print(json.dumps(seconds))


def rows(quick: bool = False) -> Iterator[Row]:
    for name in () if quick else NETWORKS:
        yield row_of_first_compiles("benchmarks.compiling.compile_time", name, PROCESSES)


def main() -> None:
    for name in NETWORKS:
        compare_first_compiles("benchmarks.compiling.compile_time", name, PROCESSES)


if __name__ == "__main__":
    child(*sys.argv[1:]) if sys.argv[1:] else main()
