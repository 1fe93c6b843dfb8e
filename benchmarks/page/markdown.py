"""The page of results as text: where we lose, then a table for each group of rows."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import geometric_mean

from benchmarks.page.pictures import OVERVIEW, picture_name
from benchmarks.page.rows import OURS, RIVALS, Row

PACKAGES = ("numpy", "jax", "jaxlib", "torch", "autograd", "numba", "scipy")
LOST = 0.95  # a rival's seconds over ours, below which we lose
MAX_COMPILE_RATIO = 1.2  # ours over those of JAX
MIN_LOST_COMPILE_SECONDS = 0.1
MAX_MEMORY_RATIO, MIN_LOST_BYTES = 1.2, 2**20
MEGABYTE = 2**20

HEADER = """# Results

Written by `make bench`; nobody edits it. Times are of one process, in which all contestants of a
row are measured in turn, each by its fastest sample: read ratios, not digits. *Compile* is the
first call less a later one. *Peak* is by how much a call raises the memory of the process.

- **NumPy**, **numba**: the same function as it is, or under `numba.njit`
- **JAX**: as its users write it, loop by loop, under `jax.jit`; **JAX, best**: its best version,
  where operations on whole arrays may replace loops
- **autograd**, **PyTorch**: the same computation with their arrays
- **by hand**: an adjoint derived by hand, in loops that numba compiles
"""


BUSY = """**Other processes kept the machine busy**: numbers on this page are rough. Calls that hand
over between threads, as those of JAX and of myia do, suffer most.
"""


@dataclass(frozen=True)
class Run:
    """What made the rows: a command, when it began, how many seconds it took."""

    command: str
    started: float
    seconds: float


def page(rows: Sequence[Row], run: Run) -> str:
    """The page of a run."""
    parts = [HEADER, machine(run), overview(rows), losses(rows)]
    parts += [group(name, list(found)) for name, found in groups(rows).items()]
    return "\n".join(parts)


def groups(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.group, []).append(row)
    return found


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table of Markdown, whose columns but the first are numbers."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *lines)) + "\n"


# ----- The machine


def machine(run: Run) -> str:
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    facts = {
        "command": f"`{run.command}`, {run.seconds / 60:.0f} minutes",
        "date": time.strftime("%Y-%m-%d", time.gmtime(run.started)),
        "processor": f"{processor()}, {os.cpu_count()} cores; load at the end {load}",
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "packages": ", ".join(versions()),
    }
    found = "## Machine\n\n" + table(["", ""], [[k, v] for k, v in facts.items()])
    return found if os.getloadavg()[0] <= (os.cpu_count() or 1) + 1 else f"{found}\n{BUSY}"


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def versions() -> Iterator[str]:
    for name in PACKAGES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield f"{name} is not installed"


# ----- Summaries


def overview(rows: Sequence[Row]) -> str:
    """Geometric means of the ratios to each rival, by group."""
    lines = []
    for name, found in groups(rows).items():
        rivals = sorted({rival for row in found for rival in row.ratios()}, key=rank)
        for rival in rivals:
            ratios = [row.ratios()[rival] for row in found if rival in row.ratios()]
            mean, least, most = geometric_mean(ratios), min(ratios), max(ratios)
            cells = [f"{mean:.3g}", f"{least:.3g}", f"{most:.3g}", str(len(ratios))]
            lines.append([f"{name}: {rival}", *cells])
    head = ["seconds of a rival over those of myia", "geometric mean", "least", "most", "programs"]
    picture = f"![How many times as long rivals take]({OVERVIEW})\n"
    return "## Overview\n\n" + picture + "\n" + table(head, lines)


def rank(contestant: str) -> tuple[int, str]:
    """Ours first, then as in `RIVALS`."""
    kind = contestant.partition(",")[0]
    order = (OURS, *RIVALS)
    return (order.index(kind) if kind in order else len(order), contestant)


def losses(rows: Sequence[Row]) -> str:
    """The programs for which a rival is faster, compiles faster or needs less memory."""
    parts = ["## Where we lose\n"]
    parts += [lost("Time of a call", "times as fast", time_lost(rows))]
    parts += [lost("Time to compile", "times as fast", compile_lost(rows))]
    parts += [lost("Peak memory", "times as little", memory_lost(rows))]
    return "\n".join(parts)


Loss = tuple[float, str, str]  # by how much, the program, the rival


def time_lost(rows: Iterable[Row]) -> Iterator[Loss]:
    for row in rows:
        for rival, ratio in row.ratios().items():
            if ratio < LOST:
                yield 1 / ratio, f"{row.group}: {row.program}", rival


def compile_lost(rows: Iterable[Row]) -> Iterator[Loss]:
    for row in rows:
        ours = row.compile_seconds.get(OURS, 0.0)
        theirs = row.compile_seconds.get("JAX")
        if theirs and ours > MAX_COMPILE_RATIO * theirs and ours > MIN_LOST_COMPILE_SECONDS:
            yield ours / theirs, f"{row.group}: {row.program}", "JAX"


def memory_lost(rows: Iterable[Row]) -> Iterator[Loss]:
    for row in rows:
        ours = row.peak_bytes.get(OURS, 0)
        others = {name: n for name, n in row.peak_bytes.items() if name != OURS}
        if others and ours > MIN_LOST_BYTES:
            rival, least = min(others.items(), key=lambda item: item[1])
            if ours > MAX_MEMORY_RATIO * least:
                yield ours / max(least, 4096), f"{row.group}: {row.program}", rival


def lost(what: str, unit: str, found: Iterable[Loss]) -> str:
    ordered = sorted(found, reverse=True)
    if not ordered:
        return f"**{what}**: nowhere.\n"
    lines = [[program, rival, f"{ratio:.3g}"] for ratio, program, rival in ordered]
    return f"**{what}**\n\n" + table(["program", "rival", unit], lines)


# ----- Groups


def group(name: str, rows: Sequence[Row]) -> str:
    contestants = sorted({c for row in rows for c in row.seconds}, key=rank)
    rivals = contestants[1:] if contestants[0] == OURS else contestants
    head = ["program", "myia, ms", *(f"{rival} / myia" for rival in rivals)]
    head += ["compile, s: myia", "JAX", "peak, MB: myia", "least of the others"]
    parts = [f"## {name}\n", f"![{name}]({picture_name(name)})\n"]
    return "\n".join([*parts, table(head, [line(row, rivals) for row in rows])])


def line(row: Row, rivals: Sequence[str]) -> list[str]:
    ratios = row.ratios()
    others = [n for name, n in row.peak_bytes.items() if name != OURS]
    return [
        row.program,
        f"{row.seconds[OURS] * 1e3:.4g}",
        *(_ratio(ratios.get(rival)) for rival in rivals),
        _number(row.compile_seconds.get(OURS)),
        _number(row.compile_seconds.get("JAX")),
        _megabytes(row.peak_bytes.get(OURS)),
        _megabytes(min(others, default=None)),
    ]


def _ratio(x: float | None) -> str:
    return f"**{x:.2g}**" if x is not None and x < LOST else _number(x)


def _number(x: float | None) -> str:
    return "–" if x is None else f"{x:.3g}"


def _megabytes(n: int | None) -> str:
    return "–" if n is None else f"{n / MEGABYTE:.1f}"
