"""Compare two pages of results: which programs have become slower?

    python -m benchmarks.page.compare OLD/rows.json NEW/rows.json [--limit 1.05]

Machines differ, and so do their hours: a program's time is divided by those of its rivals, which
are the same in both. Exits with 1 if a program takes more than `--limit` times as long.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import geometric_mean

from benchmarks.page.rows import OURS, Row, read_json


def slowdowns(old: Sequence[Row], new: Sequence[Row]) -> dict[str, float]:
    """How many times as long each program of both pages takes."""
    before = {(row.group, row.program): row for row in old}
    found = {}
    for row in new:
        other = before.get((row.group, row.program))
        if other is not None:
            found[f"{row.group}: {row.program}"] = slowdown(other, row)
    return found


def slowdown(old: Row, new: Row) -> float:
    """The ratio of our seconds, over the mean ratio of the rivals that both have."""
    ratios = {c: new.seconds[c] / old.seconds[c] for c in new.seconds if c in old.seconds}
    ours = ratios.pop(OURS)
    return ours / geometric_mean(ratios.values()) if ratios else ours


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page.compare")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--limit", type=float, default=1.05)
    options = parser.parse_args()
    found = slowdowns(read_json(options.old), read_json(options.new))
    slower = {name: ratio for name, ratio in found.items() if ratio > options.limit}
    for name, ratio in sorted(slower.items(), key=lambda item: -item[1]):
        print(f"{ratio:8.2f} x  {name}")
    print(f"{len(slower)} of {len(found)} programs take more than {options.limit:g} times as long")
    sys.exit(bool(slower))


if __name__ == "__main__":
    main()
