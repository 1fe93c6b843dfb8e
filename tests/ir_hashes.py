"""Hashes of the final IR of many programs: what a change of names and places must leave alone.

    python -m tests.ir_hashes > before        # at one commit
    python -m tests.ir_hashes > after         # at another; `diff before after` is empty

One line a program: its name and a hash of the text of its last stage, without comments (where in
the source an op comes from). The programs: the kernels of the benchmarks, primal and gradient; the
training steps of the demo; the zoo's small programs, values, gradients and second derivatives, and
those of the language. `--renamed OLD=NEW` says which ops have another name than in the other
commit; `--only TEXT` takes the programs whose name contains it.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import multiprocessing
import re
from collections.abc import Callable, Iterator

import numpy as np

import myia
from benchmarks.demo_steps import NETWORKS
from benchmarks.kernel_programs import KERNELS
from tests.zoo.language import objects, values  # noqa: F401  (imported for what they register)
from tests.zoo.language.registry import PROGRAMS as LANGUAGE
from tests.zoo.small_programs import PROGRAMS
from tests.zoo.test_programs import Case
from tests.zoo.trees import random_like

SPAN = re.compile(r" +# \S+:\d+\S*$", re.MULTILINE)


def kernels() -> Iterator[tuple[str, Callable, tuple]]:
    for name, kernel in KERNELS.items():
        size = kernel.tests[0]
        objective, args = kernel.objective(), kernel.arguments(size)
        args = (kernel.weights(size), *args)
        active = tuple(1 + i for i in kernel.active(args[1:]))
        yield f"kernel {name} primal", myia.jit(objective), args
        yield f"kernel {name} gradient", myia.grad(objective, argnums=active), args


def demo() -> Iterator[tuple[str, Callable, tuple]]:
    for name, network in NETWORKS.items():
        yield f"demo {name}", myia.jit(network.step), network.arguments()


def small_programs() -> Iterator[tuple[str, Callable, tuple]]:
    for program in PROGRAMS:
        case = Case(program)
        args = case.all_inputs[0]
        yield f"zoo {program.name} value", myia.jit(program.f), copy.deepcopy(args)
        if any(case.active):
            xs, *rest = case.point(args)
            direction = random_like(xs, seed=2)
            yield f"zoo {program.name} gradient", case.transformed("gradient"), (xs, *rest)
            yield f"zoo {program.name} hvp", case.transformed("hvp"), (xs, *rest, direction)


def language() -> Iterator[tuple[str, Callable, tuple]]:
    for entry in LANGUAGE:
        f, args = entry.values
        yield f"language {entry.id}", myia.value_and_grad(f), args


def programs() -> Iterator[tuple[str, Callable, tuple]]:
    for family in (kernels, demo, small_programs, language):
        yield from family()


def hashed(text: str, renamed: dict[str, str]) -> str:
    text = SPAN.sub("", text)
    for old, new in renamed.items():
        text = re.sub(rf"(?<![%\w]){re.escape(old)}(?!\w)", new, text)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def part(k: int, of: int, only: str, renamed: dict[str, str]) -> list[str]:
    """The lines of every `of`-th program, from the k-th on."""
    lines = []
    for i, (name, f, args) in enumerate(programs()):
        if i % of == k and only in name:
            with np.errstate(all="ignore"):
                text = f.ir(*args)["finish"]
            lines.append(f"{hashed(text, renamed)}  {name}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--renamed", nargs="*", default=[], metavar="OLD=NEW")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    renamed = dict(pair.split("=") for pair in options.renamed)
    tasks = [(k, options.jobs, options.only, renamed) for k in range(options.jobs)]
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        lines = [line for found in pool.starmap(part, tasks) for line in found]
    print("\n".join(sorted(lines, key=lambda line: line.split("  ", 1)[1])))


if __name__ == "__main__":
    main()
