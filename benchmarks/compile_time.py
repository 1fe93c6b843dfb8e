"""How long from source to executable, beside JAX's trace and compile of the same step by hand?

Target: at most 1.5 times. Every measurement is of a fresh process, with nothing cached; imports are
not counted. The columns are the stages of `myia/pipeline.py` and the two of JAX.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

import jax

from benchmarks.demo_steps import NETWORKS, Network
from myia.api.dispatch import CompileOptions, Dispatcher
from myia.api.variant import Layout
from myia.frontend.load import load
from myia.infer.program import infer
from myia.pipeline import compile_function, stages

PROCESSES = 5


class Clock:
    """Seconds by name of a stage."""

    def __init__(self):
        self.seconds: dict[str, float] = {}
        self.last = time.perf_counter()

    def lap(self, name: str, less: float = 0.0) -> None:
        now = time.perf_counter()
        self.seconds[name] = now - self.last - less
        self.last = now


def ours(network: Network) -> dict[str, float]:
    dispatcher = Dispatcher(network.step, CompileOptions())
    loading = 0.0

    def timed_load(f):
        nonlocal loading
        start = time.perf_counter()
        code = load(f)
        loading += time.perf_counter() - start
        return code

    clock = Clock()
    call = dispatcher.take_apart(network.arguments(), {})
    program = infer(timed_load, network.step, call.positional, call.keywords)
    clock.lap("infer", less=loading)
    function = program.function
    for name, after in stages(function):
        function = after
        clock.lap(name)
    executable = compile_function(function, packing=Layout(call, program).packing)
    lowered = executable.lower()
    clock.lap("trace")
    lowered.compile()
    clock.lap("XLA")
    return {"load": loading, **clock.seconds}


def theirs(network: Network) -> dict[str, float]:
    arguments = network.arguments()
    clock = Clock()
    lowered = network.by_hand.lower(*arguments)
    clock.lap("trace")
    lowered.compile()
    clock.lap("XLA")
    return clock.seconds


COMPILERS = {"jax": theirs, "myia": ours}


def child(network: str, compiler: str) -> None:
    """What a fresh process runs; one line of JSON."""
    jax.jit(lambda x: x + 1)(1.0)  # the backend is up
    print(json.dumps(COMPILERS[compiler](NETWORKS[network])))


def measured(network: str, compiler: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.compile_time", network, compiler]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(out.splitlines()[-1])


def medians(runs: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def main() -> None:
    for network in NETWORKS:
        runs: dict[str, list[dict[str, float]]] = {compiler: [] for compiler in COMPILERS}
        for _ in range(PROCESSES):
            for compiler in COMPILERS:
                runs[compiler].append(measured(network, compiler))
        totals = {c: statistics.median(sum(run.values()) for run in runs[c]) for c in COMPILERS}
        print(f"\n{network}: from source to executable")
        for compiler, total in totals.items():
            split = ", ".join(f"{k} {v * 1e3:.0f}" for k, v in medians(runs[compiler]).items())
            ratio = total / totals["jax"]
            print(f"  {compiler:<6}{total * 1e3:7.0f} ms {ratio:6.2f} x   ({split})")


if __name__ == "__main__":
    child(*sys.argv[1:]) if sys.argv[1:] else main()
