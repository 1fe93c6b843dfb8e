"""Rows: what the page of results is made of. A benchmark file is on the page if it has `rows`.

    def rows(quick: bool = False) -> Iterator[Row]:
        for n in (10,) if quick else (300, 3_000):
            contestants = {"myia": lambda: ours(x), "JAX": lambda: jax.block_until_ready(theirs(x))}
            yield row("Products", f"matrix times vector, n = {n:,}", contestants, quick=quick)

`quick` asks for one small program, with which a test goes through the machinery. Contestants are
calls without arguments, not called before, so that the first call compiles; `myia` is ours, and the
other names are those of `RIVALS`, perhaps with a comment after a comma ("JAX, best").
"""

from __future__ import annotations

import ctypes
import gc
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import jax
import numpy as np

from benchmarks.harness import measure

OURS = "myia"
RIVALS = ("NumPy", "JAX", "autograd", "PyTorch", "numba", "by hand")  # "by hand": with numba
SAMPLING: dict[str, Any] = {"samples": 61, "sample_seconds": 0.003, "max_seconds": 3.0}
QUICK_SAMPLING: dict[str, Any] = {"samples": 3, "sample_seconds": 0.0}

SLOW_SECONDS = 1.0
PAGED_BYTES, MAPPED_BYTES = 2**16, 2**25
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of glibc's mallopt


@dataclass(frozen=True)
class Row:
    """One program of a group: figures by contestant.

    seconds          of a call, in the fastest sample
    compile_seconds  of the first call, less those of a later one
    peak_bytes       by how much a call raises the memory of the process, results included
    """

    group: str
    program: str
    seconds: Mapping[str, float]
    compile_seconds: Mapping[str, float] = field(default_factory=dict)
    peak_bytes: Mapping[str, int] = field(default_factory=dict)

    def ratios(self) -> dict[str, float]:
        """Seconds of the rivals over ours: below 1 the rival is faster."""
        ours = self.seconds[OURS]
        return {name: t / ours for name, t in self.seconds.items() if name != OURS}

    def show(self) -> None:
        """Print it as lines of a table."""
        print(f"\n{self.group}: {self.program}")
        for name, seconds in self.seconds.items():
            first = self.compile_seconds.get(name, 0.0)
            memory = self.peak_bytes.get(name, 0) / 2**20
            ratio = seconds / self.seconds[OURS]
            times = f"{seconds * 1e3:12.4f} ms {ratio:10.2f} x"
            print(f"  {name:<28}{times}   first call {first:6.2f} s, peak {memory:8.1f} MB")


def row(
    group: str,
    program: str,
    contestants: Mapping[str, Callable[[], Any]],
    *,
    quick: bool = False,
    rtol: float | None = 1e-6,
    **sampling: Any,
) -> Row:
    """Measures contestants in turn.

    Their results must agree within `rtol` of the largest number of each array; None: they differ.
    """
    _map_arrays_from(PAGED_BYTES)
    first, results = {}, {}
    for name, run in contestants.items():
        start = time.perf_counter()
        results[name] = run()
        first[name] = time.perf_counter() - start
    if rtol is not None:
        _check(results, rtol)
    del results
    memory, once = {}, {}
    for name, run in contestants.items():
        memory[name], once[name] = peak_bytes(run)
    _map_arrays_from(MAPPED_BYTES)
    options = (QUICK_SAMPLING if quick else SAMPLING) | sampling
    # One call of what takes so long is enough.
    timed = {name: f for name, f in contestants.items() if once[name] < SLOW_SECONDS}
    measured = measure(timed, **options) if timed else {}
    seconds = {name: measured[name].fastest if name in timed else once[name] for name in once}
    return Row(
        group,
        program,
        seconds,
        {name: max(0.0, first[name] - seconds[name]) for name in seconds},
        {name: found for name, found in memory.items() if found is not None},
    )


def write_json(rows: Sequence[Row], path: Path) -> None:
    path.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


def read_json(path: Path) -> list[Row]:
    return [Row(**fields) for fields in json.loads(path.read_text())]


def _check(results: Mapping[str, Any], rtol: float) -> None:
    found = {name: [np.asarray(x) for x in jax.tree.leaves(r)] for name, r in results.items()}
    (base, expected), *others = found.items()
    for name, given in others:
        for x, y in zip(given, expected, strict=True):
            limit = rtol * np.max(np.abs(y), initial=1e-300)
            message = f"{name} and {base} differ"
            np.testing.assert_allclose(x, y, rtol=rtol, atol=limit, err_msg=message)


def peak_bytes(run: Callable[[], Any]) -> tuple[int | None, float]:
    """By how much a call raises the memory of the process, and its seconds.

    None bytes where Linux does not tell. Arrays of less than `PAGED_BYTES` may reuse what earlier
    calls have freed, which is not counted.
    """
    gc.collect()
    _map_arrays_from(PAGED_BYTES)
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")  # the peak is what is there now
        before = _status_bytes("VmRSS")
    except OSError:
        before = None
    start = time.perf_counter()
    result = run()
    seconds = time.perf_counter() - start
    peak = None if before is None else max(0, _status_bytes("VmHWM") - before)
    del result
    return peak, seconds


def _map_arrays_from(size: int) -> None:
    """From which size on the C library gives arrays pages of their own, which it returns at once.

    Left alone, it raises this size up to `MAPPED_BYTES` when arrays are freed.
    """
    library: Any = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(_M_MMAP_THRESHOLD, size)
        library.mallopt(_M_TRIM_THRESHOLD, 2 * size)
        library.malloc_trim(0)


def _status_bytes(name: str) -> int:
    with open("/proc/self/status") as file:
        line = next(line for line in file if line.startswith(name))
    return 1024 * int(line.split()[1])
