"""Benchmarks: `python -m benchmarks [name ...]` runs them all, or the ones named.

`make bench` measures and writes the page of results, `results/README.md`. A benchmark file is on it
if it has a function `rows(quick)`, which yields records (`page/rows.py`): programs of a group, with
seconds, compile time and peak memory by contestant.
"""

import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from types import ModuleType

# The programs, and what measures and prints.
_OTHERS = (
    "__main__",
    "batched_in_jax",
    "batched_programs",
    "counts",
    "harness",
    "kernel_programs",
    "kernel_rivals",
    "loop_programs",
    "numpy_programs",
    "page",
)


def benchmark_modules(function: str, names: Sequence[str] = ()) -> Iterator[ModuleType]:
    """The benchmark files that have this function, or those of them with these names."""
    for path in _files(__path__, f"{__name__}."):
        if not names or path.rpartition(".")[2] in names:
            module = importlib.import_module(path)
            if hasattr(module, function):
                yield module


def _files(paths: Sequence[str], prefix: str) -> Iterator[str]:
    for found in sorted(pkgutil.iter_modules(paths), key=lambda m: m.name):
        if found.name in _OTHERS:
            continue
        if found.ispkg:
            folders = [f"{path}/{found.name}" for path in paths]
            yield from _files(folders, f"{prefix}{found.name}.")
        else:
            yield prefix + found.name
