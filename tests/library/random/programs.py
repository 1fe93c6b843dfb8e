"""Random programs that draw in branches, loops and helpers, and after early returns.

`python -m tests.library.random.programs --count 3000` compares them with Python: results, and what
becomes of the generator, in three calls of each. They run on the reference interpreter; some on
XLA (`--xla`: all). Each tenth is differentiated in its argument, beside central differences with
equal generators.
"""

from __future__ import annotations

import argparse
import random
import time
import traceback
from typing import Any

import numpy as np

import myia
from tests.fuzz.comparisons import differences, vector
from tests.fuzz.harness import Checks, Reference
from tests.fuzz.programs import define
from tests.library.random.streams import state

OF_GENERATORS = (
    *("r.random()", "r.normal()", "r.exponential(0.5)", "r.uniform(-1.0, y)"),
    *("0.1 * r.integers(9)", "np.sum(r.normal(y, 0.5, 3))", "0.5 * r.permutation(4)[0]"),
)
OF_STATES = (
    *("r.random()", "r.normal()", "r.exponential(0.5)", "r.uniform(-1.0, y)"),
    *("0.1 * r.randint(9)", "np.sum(r.normal(y, 0.5, 3))", "0.5 * r.permutation(4)[0]"),
)
OF_PYTHON = (
    *("r.random()", "r.gauss(0.0, 1.0)", "r.expovariate(2.0)", "r.uniform(-1.0, y)"),
    *("0.1 * r.randrange(9)", "r.choice([0.5, 1.5, y])", "0.1 * r.getrandbits(3)"),
)
KINDS = (
    *((np.random.default_rng, OF_GENERATORS),) * 3,
    (np.random.RandomState, OF_STATES),
    (random.Random, OF_PYTHON),
)
CALL = "helper(r, y)"
HELPER = """
def helper(r, y):
    if y < {0}:
        return {1}
    return 0.5 * r.random()
"""
START = 0.5


class Writer:
    def __init__(self, seed: int):
        self.make, self.draws = KINDS[seed % len(KINDS)]
        self.choices = random.Random(seed)

    def draw(self) -> str:
        return self.choices.choice((*self.draws, CALL))

    def block(self, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.choices.randint(1, 2)):
            lines += self.statement(depth)
        return lines

    def statement(self, depth: int) -> list[str]:
        kind = self.choices.randrange(6) if depth else 5
        inner = ["    " + line for line in self.block(depth - 1)] if kind < 5 else []
        heads = (
            f"if {self.draw()} < {self.choices.random():.2f}:",
            f"for _ in range({self.choices.randint(0, 4)}):",
            "while r.random() < 0.6:",
        )
        if kind < 3:
            return [heads[kind], *inner]
        if kind == 3:
            return ["if r.random() < 0.2:", *inner, f"    return y, {self.draw()}"]
        if kind == 4:
            return ["for _ in range(5):", *inner, "    if r.random() < 0.4:", "        break"]
        return [f"y = np.tanh(y + {self.draw()})"]

    def program(self) -> str:
        body = "\n".join("    " + line for line in (*self.block(2), "return y, r.random()"))
        helper = HELPER.format(0.3, self.choices.choice(self.draws))
        return f"import numpy as np\n\n{helper}\n\ndef f(r, y):\n{body}\n"


def check(seed: int, xla: bool = False, calls: int = 3) -> None:
    """Raise unless the program of this seed does what it does in Python."""
    writer = Writer(seed)
    f, y = define(writer.program())["f"], np.float64(START)
    ours, theirs = writer.make(seed), writer.make(seed)
    compiled = myia.jit(f) if xla else Reference(f, Checks(stage="typed"))
    for _ in range(calls):
        np.testing.assert_allclose(compiled(ours, y), f(theirs, y), rtol=1e-9)
        assert state(ours) == state(theirs)


def check_gradient(seed: int, xla: bool = False) -> bool:
    """The same for its derivative in `y`; False if differences are no measure of it."""
    writer = Writer(seed)
    f = define(writer.program())["f"]

    def loss(y: Any, r: Any) -> Any:
        a, b = f(r, y)
        return a + 2.0 * b

    want, trusted = differences(lambda y: loss(y[0], writer.make(seed)), np.array([START]), [[1.0]])
    gradient = myia.grad(loss)
    run = gradient if xla else Reference(gradient, Checks())
    ours, theirs = writer.make(seed), writer.make(seed)
    got = vector(run(np.float64(START), ours))
    loss(np.float64(START), theirs)
    assert state(ours) == state(theirs)
    if np.all(trusted):
        np.testing.assert_allclose(got, want[0], rtol=1e-5, atol=1e-7)
    return bool(np.all(trusted))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--xla", action="store_true")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no program after these")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    programs = gradients = failures = 0
    for seed in range(options.seed, options.seed + options.count):
        if time.monotonic() > end:
            break
        programs += 1
        try:
            check(seed, options.xla or seed // 5 % 40 == 0)
            if seed // 5 % 10 == 1:
                gradients += check_gradient(seed)
        except Exception:
            failures += 1
            print(f"--- seed {seed}\n{traceback.format_exc(limit=-4)}", flush=True)
        if programs % 100 == 0:
            print(f"{programs} programs, {failures} failures, {gradients} gradients", flush=True)
    print(f"{programs} programs, {failures} failures, {gradients} gradients")
    return failures > 0


if __name__ == "__main__":
    raise SystemExit(main())
