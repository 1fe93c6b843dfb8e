"""The small programs under `vmap` at every batch size: values, gradients, second derivatives.

    python -m tests.zoo.batched_sweep [--part 1/8] [--orders 0 1 2] [--sizes 1 2 7] [--xla]

Counts what agrees with a loop over the examples, is refused, is skipped and why, or is wrong; wrong
ones are named. The reference interpreter runs the programs, or XLA.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable

import pytest

import myia
from tests.zoo import test_batched as batched
from tests.zoo.reference_calls import ReferenceCalls


def outcome_of(check: Callable[[], None]) -> str:
    before = sum(batched.REFUSED.values())
    try:
        check()
    except pytest.skip.Exception as reason:
        return f"skipped: {reason}"
    except Exception as error:
        return f"WRONG: {type(error).__name__}: {str(error).strip()[:600]}"
    return "refused" if sum(batched.REFUSED.values()) > before else "agrees"


def check_of(program: batched.Program, order: int, size: int, on_xla: bool) -> Callable[[], None]:
    run = (lambda f: f) if on_xla else ReferenceCalls
    if order:
        return lambda: batched.check_derivatives(program, order, run, size)
    mapped = myia.vmap(program.f, in_axes=batched.batch_of(program, 1).axes)
    return lambda: batched.check_values(program, run(mapped), size)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--part", default="1/1", help="of the programs: 1/8, ... 8/8")
    parser.add_argument("--orders", type=int, nargs="*", default=[0, 1, 2])
    parser.add_argument("--sizes", type=int, nargs="*", default=batched.SIZES)
    parser.add_argument("--xla", action="store_true", help="on XLA, not the reference interpreter")
    given = parser.parse_args()
    part, parts = map(int, given.part.split("/"))
    warnings.simplefilter("ignore")
    counts = {order: Counter[str]() for order in given.orders}
    for program in batched.PLAIN[part - 1 :: parts]:
        start = time.process_time()
        for order in given.orders:
            for size in given.sizes:
                found = outcome_of(check_of(program, order, size, given.xla))
                counts[order][found.split(":")[0]] += 1
                if found.startswith("WRONG"):
                    print(f"{program.name}, order {order}, size {size}: {found}", flush=True)
        print(f"{program.name} {time.process_time() - start:.1f} s", file=sys.stderr, flush=True)
    for order, found in counts.items():
        print(f"order {order}:", ", ".join(f"{n} {what}" for what, n in sorted(found.items())))
    for message, n in batched.REFUSED.most_common():
        print(f"refused {n}: {message}")
    return any("WRONG" in found for found in counts.values())


if __name__ == "__main__":
    sys.exit(main())
