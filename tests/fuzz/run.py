"""Many random programs: `python -m tests.fuzz.run --count 1000 --seed 0 [--xla | --float32]`.

With `--low-thresholds`, passes that need long loops or large arrays also change these programs.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import multiprocessing
import signal
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from tests.fuzz.grammar.generator import Generator, Program
from tests.fuzz.harness import Report, check, random_checks
from tests.fuzz.narrow import check_narrow
from tests.fuzz.thresholds import lower_thresholds

SECONDS = 120  # of processor time: a program that takes longer counts as failed


@dataclass(frozen=True)
class Result:
    seed: int
    report: Report | None
    failure: str | None = None


def run_seed(seed: int, xla: bool = False, only: Sequence[str] | None = None) -> Report:
    """Check the program of this seed, of these constructs; raises its failure."""
    rng = Random(seed)
    program = Generator(rng, only).program()
    checks = random_checks(rng)
    return check(program, seed, replace(checks, xla=xla))


def run_narrow(seed: int, only: Sequence[str] | None = None) -> Report:
    """Check the program of this seed on float32 numbers and arrays."""
    return check_narrow(program_of(seed, only), seed)


def program_of(seed: int, only: Sequence[str] | None = None) -> Program:
    return Generator(Random(seed), only).program()


def _result(task: tuple[int, str, Sequence[str] | None]) -> Result:
    seed, mode, only = task
    signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return Result(seed, MODES[mode](seed, only=only))
    except (Exception, TooLong):
        return Result(seed, None, traceback.format_exc(limit=-4))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _results(tasks, jobs, prepare, stack):
    """One job needs no process of its own."""
    if jobs > 1:
        spawn = multiprocessing.get_context("spawn")
        # Executables of XLA stay in memory; a new process takes as long as thirty programs.
        most = 200 if tasks[0][1] == "xla" else 2000
        pool = stack.enter_context(spawn.Pool(jobs, prepare, maxtasksperchild=most))
        return pool.imap_unordered(_result, tasks)
    if prepare is not None:
        prepare()
    return map(_result, tasks)


MODES = {
    "reference": run_seed,
    "xla": functools.partial(run_seed, xla=True),
    "float32": run_narrow,
}


class TooLong(BaseException):
    """Not an `Exception`: the error of a program is compared with Python's."""


def _too_long(*_):
    raise TooLong(f"longer than {SECONDS} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--xla", action="store_true", help="on XLA instead of the reference")
    modes.add_argument("--float32", action="store_true", help="numbers and arrays of float32")
    parser.add_argument(
        "--low-thresholds", action="store_true", help="lower the thresholds of passes"
    )
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no program after these")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="*", metavar="CONSTRUCT", help="besides the core")
    parser.add_argument("--show", action="store_true", help="print the program of --seed")
    options = parser.parse_args()
    if options.show:
        print(program_of(options.seed, options.only).source)
        return 0
    mode = "xla" if options.xla else "float32" if options.float32 else "reference"
    tasks = [
        (seed, mode, options.only) for seed in range(options.seed, options.seed + options.count)
    ]
    counts, refusals, failures = Counter(), Counter(), 0
    written, accepted = Counter(), Counter()  # in how many programs each construct came
    examples: dict[str, int] = {}
    prepare = lower_thresholds if options.low_thresholds else None
    with contextlib.ExitStack() as stack:
        end = time.monotonic() + options.seconds
        for result in _results(tasks, options.jobs, prepare, stack):
            if time.monotonic() > end:
                break
            counts["programs"] += 1
            if result.failure is not None:
                failures += 1
                print(f"--- seed {result.seed}\n{result.failure}", flush=True)
                continue
            counts += result.report.counts
            written.update(result.report.constructs.keys())
            counts["refused" if result.report.refused else "accepted"] += 1
            if result.report.refused:
                refusals[result.report.refused] += 1
                examples.setdefault(result.report.refused, result.seed)
            else:
                accepted.update(result.report.constructs.keys())
    print(f"\n{counts['programs']} programs, {failures} failures")
    for title, counter in (("counts", counts), ("refusals", refusals)):
        print(f"{title}:")
        for key, n in counter.most_common():
            example = f"  (seed {examples[key]})" if key in examples else ""
            print(f"  {n:6}  {key}{example}")
    print("programs with each construct, accepted ones:")
    for name, n in written.most_common():
        print(f"  {n:6} {accepted[name]:6}  {name}")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
