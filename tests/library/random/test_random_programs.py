"""Random programs that draw in branches, loops and helpers, and after early returns."""

from __future__ import annotations

import importlib.util
import random

import numpy as np
import pytest

import myia
from tests.library.random.streams import state

DRAWS = (
    *(
        "r.random()",
        "r.normal()",
        "r.exponential(0.5)",
        "r.uniform(-1.0, y)",
        "0.1 * r.integers(9)",
    ),
    *("np.sum(r.normal(y, 0.5, 3))", "0.5 * r.permutation(4)[0]", "helper(r, y)"),
)
HELPER = """
def helper(r, y):
    if y < {0}:
        return {1}
    return 0.5 * r.random()
"""


class Writer:
    def __init__(self, seed: int):
        self.choices = random.Random(seed)

    def draw(self) -> str:
        return self.choices.choice(DRAWS)

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
        helper = HELPER.format(0.3, self.draw().replace("helper(r, y)", "r.normal()"))
        return f"import numpy as np\n\n{helper}\n\ndef f(r, y):\n{body}\n"


def run(seed: int, path) -> None:
    file = path / f"program_{seed}.py"
    file.write_text(Writer(seed).program())
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    ours, theirs, y = np.random.default_rng(seed), np.random.default_rng(seed), np.float64(0.5)
    compiled = myia.jit(module.f)
    for _ in range(3):
        np.testing.assert_allclose(compiled(ours, y), module.f(theirs, y), rtol=1e-9)
        assert state(ours) == state(theirs)


@pytest.mark.parametrize("seed", range(4))
def test_programs(seed, tmp_path):
    run(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_more_programs(seed, tmp_path):
    run(seed, tmp_path)
