"""The text of every stage of a few programs."""

import numpy as np
import pytest

import myia
from tests.api.api_programs import power, smallest, wave

PROGRAMS = {
    "power": (myia.grad(power), (1.5, 20.0)),
    "smallest": (myia.jit(smallest), (np.array([3.0, 1.0, 2.0]),)),
    "wave": (myia.grad(wave), (np.ones(4), 0.5)),
}
STAGES = ["core", "py", "typed", "prepare", "expand", "optimize", "storage", "finish"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_stages(name, golden):
    f, args = PROGRAMS[name]
    texts = f.ir(*args)
    assert list(texts) == STAGES
    golden("\n".join(f"# ----- {stage}\n{text}" for stage, text in texts.items()))


def test_a_function_known_by_name_has_no_source():
    assert list(myia.jit(np.linalg.cholesky).ir(np.eye(2))) == STAGES[2:]


class Scale:
    def times(self, x):
        return x * 2.0


def test_a_bound_method_has_its_source():
    texts = myia.jit(Scale().times).ir(1.0)
    assert list(texts) == STAGES
    assert "def times(self, x):" in texts["core"]
    assert "func @times(%x: f64[])" in texts["typed"]
