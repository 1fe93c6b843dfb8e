"""The time of a first compilation, by stage: myia's and JAX's, each in its own process.

A benchmark that imports this has a `child(name, compiler)`, run by `python -m` with these two
arguments, which prints the seconds of each stage as a line of JSON. Imports are not counted, and
nothing is cached: the medians are over fresh processes, interleaved. On a busy machine the ratio of
processor times says more than the ratio of wall times.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax

from benchmarks.page.rows import Row
from myia.api.dispatch import CompileOptions, Dispatcher
from myia.api.variant import Layout
from myia.frontend.load import load
from myia.infer.eval.program import infer
from myia.pipeline import Compilation, compile_function

COMPILERS = ("jax", "myia")
TOTAL, PROCESSOR = "total", "processor"  # wall time of all stages; processor time of all threads


class Clock:
    """Wall time of each stage, and processor time of all stages together."""

    def __init__(self):
        self.seconds: dict[str, float] = {}
        self.last = time.perf_counter()
        self.processor = time.process_time()

    def lap(self, name: str, less: float = 0.0) -> None:
        now = time.perf_counter()
        self.seconds[name] = now - self.last - less
        self.last = now

    def stop(self) -> dict[str, float]:
        return {**self.seconds, PROCESSOR: time.process_time() - self.processor}


def compile_with_myia(f: Callable, arguments: tuple) -> tuple[dict[str, float], Any]:
    """Seconds by stage of `myia/pipeline.py`, and the compiled program."""
    dispatcher = Dispatcher(f, CompileOptions())
    loading = 0.0

    def timed_load(f):
        nonlocal loading
        start = time.perf_counter()
        code = load(f)
        loading += time.perf_counter() - start
        return code

    clock = Clock()
    call = dispatcher.flatten(arguments, {})
    program = infer(timed_load, f, call.positional, call.keywords)
    clock.lap("infer", less=loading)
    function = program.function
    for now in Compilation(function).stages():
        function = now.function
        clock.lap(now.stage)
    executable = compile_function(function, packing=Layout(call, program).packing)
    lowered = executable.lower()
    clock.lap("trace")
    compiled = lowered.compile()
    clock.lap("XLA")
    return {"load": loading, **clock.stop()}, compiled


def compile_with_jax(jitted: Callable, arguments: tuple) -> tuple[dict[str, float], Any]:
    """Seconds of JAX's two stages, and the compiled program."""
    clock = Clock()
    lowered = jitted.lower(*arguments)
    clock.lap("trace")
    compiled = lowered.compile()
    clock.lap("XLA")
    return clock.stop(), compiled


def start_jax() -> None:
    """Start JAX's backend, which counts for neither side."""
    jax.jit(lambda x: x + 1)(1.0)


def compare_first_compiles(module: str, name: str, processes: int) -> None:
    """Print the times of the stages of both compilers, measured by processes of `module`."""
    medians = first_compiles(module, name, processes)
    of_jax = medians["jax"]
    print(f"\n{name}: from source to executable")
    for compiler, seconds in medians.items():
        seconds = dict(seconds)
        total, processor = seconds.pop(TOTAL), seconds.pop(PROCESSOR)
        split = ", ".join(f"{stage} {t * 1e3:.0f}" for stage, t in seconds.items())
        print(
            f"  {compiler:<6}{total * 1e3:7.0f} ms {total / of_jax[TOTAL]:6.2f} x, "
            f"processor {processor / of_jax[PROCESSOR]:.2f} x   ({split})"
        )


def first_compiles(module: str, name: str, processes: int) -> dict[str, dict[str, float]]:
    """Medians of the seconds of each stage, and of all, by compiler."""
    runs: dict[str, list[dict[str, float]]] = {compiler: [] for compiler in COMPILERS}
    for _ in range(processes):
        for compiler in COMPILERS:
            runs[compiler].append(_measured([module, name, compiler]))
    return {compiler: _medians(found) for compiler, found in runs.items()}


def row_of_first_compiles(module: str, name: str, processes: int) -> Row:
    found = first_compiles(module, name, processes)
    seconds = {"myia": found["myia"][TOTAL], "JAX": found["jax"][TOTAL]}
    return Row("Before the first call", f"{name}: from source to executable", seconds)


def _measured(command: Sequence[str]) -> dict[str, float]:
    out = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
    if out.returncode:
        raise RuntimeError(out.stderr)
    seconds = json.loads(out.stdout.splitlines()[-1])
    wall = sum(t for stage, t in seconds.items() if stage != PROCESSOR)
    return {**seconds, TOTAL: wall}


def _medians(runs: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}
