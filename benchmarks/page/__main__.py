"""Measure the rows of all benchmark files, or of those named, and write the page of results.

    python -m benchmarks.page [NAME ...] [--quick] [--to FOLDER]

The folder gets `README.md`, its pictures and `rows.json`, which `python -m benchmarks.page.compare`
reads. It takes about twenty minutes on two quiet cores, `--quick` one or two.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import benchmarks
from benchmarks.page.markdown import Run, page
from benchmarks.page.pictures import pictures
from benchmarks.page.rows import Row, write_json

RESULTS = Path(benchmarks.__path__[0]) / "results"


def write(names: Sequence[str], folder: Path, quick: bool) -> None:
    started, rows = time.time(), list[Row]()
    for module in benchmarks.benchmark_modules("rows", names):
        for row in module.rows(quick=quick):
            rows.append(row)
            row.show()
            sys.stdout.flush()
    folder.mkdir(parents=True, exist_ok=True)
    command = " ".join(["python -m benchmarks.page", *names, *(["--quick"] if quick else [])])
    run = Run(command, started, time.time() - started)
    for name, picture in pictures(rows).items():
        (folder / name).write_text(picture)
    (folder / "README.md").write_text(page(rows, run))
    write_json(rows, folder / "rows.json")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page")
    parser.add_argument("names", nargs="*", help="benchmark files; without any, all")
    parser.add_argument("--quick", action="store_true", help="one small program of each file")
    parser.add_argument("--to", type=Path, default=RESULTS, help="the folder that is written")
    options = parser.parse_args()
    write(options.names, options.to, options.quick)


if __name__ == "__main__":
    main()
