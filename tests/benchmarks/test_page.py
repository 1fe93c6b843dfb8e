"""The page of results: measured rows, its tables, what it says where others are better."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from benchmarks.page.__main__ import write
from benchmarks.page.compare import slowdowns
from benchmarks.page.markdown import Run, page
from benchmarks.page.pictures import OVERVIEW, pictures
from benchmarks.page.rows import Row, peak_bytes, read_json, row, write_json

ROWS = [
    Row("Loops", "sum, n = 3: value", {"myia": 1e-3, "NumPy": 5e-2, "JAX, best": 5e-4}),
    Row("Loops", "sum, n = 3: gradient", {"myia": 2e-3, "JAX": 4e-3}, {"myia": 0.9, "JAX": 0.3}),
    Row("Nets", "MLP", {"JAX": 1e-3, "myia": 1e-3}, {}, {"myia": 9 * 2**20, "JAX": 3 * 2**20}),
]


def lines(text: str, start: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(start)]


def test_a_kernel_through_the_whole_machinery(tmp_path):
    write(["kernels"], tmp_path, quick=True)
    text = (tmp_path / "README.md").read_text()
    (value,) = lines(text, "| running_moments, n = 7: value")
    (gradient,) = lines(text, "| running_moments, n = 7: gradient")
    assert all(float(line.split(" | ")[1]) > 0 for line in (value, gradient))
    assert "## Where we lose" in text and "python -m benchmarks.page kernels --quick" in text
    for name in (OVERVIEW, "element_loops.svg"):
        assert name in text
        assert ElementTree.parse(tmp_path / name).getroot().tag.endswith("svg")
    measured = read_json(tmp_path / "rows.json")
    assert {"myia", "JAX"} <= measured[1].seconds.keys()


def test_losses_are_said():
    text = page(ROWS, Run("a command", 0.0, 60.0))
    lost = text.partition("## Where we lose")[2].partition("\n## ")[0]
    assert lines(lost, "| ") == [
        "| program | rival | times as fast |",
        "| --- | ---: | ---: |",
        "| Loops: sum, n = 3: value | JAX, best | 2 |",
        "| program | rival | times as fast |",
        "| --- | ---: | ---: |",
        "| Loops: sum, n = 3: gradient | JAX | 3 |",
        "| program | rival | times as little |",
        "| --- | ---: | ---: |",
        "| Nets: MLP | JAX | 3 |",
    ]
    assert "nowhere" in page(ROWS[2:], Run("a command", 0.0, 60.0))


def test_tables_name_every_rival():
    text = page(ROWS, Run("a command", 0.0, 60.0))
    (head,) = lines(text, "| program | myia, ms | NumPy / myia | JAX / myia | JAX, best / myia")
    assert head
    (value,) = lines(text, "| sum, n = 3: value")
    assert value.split(" | ")[1:5] == ["1", "50", "–", "**0.5**"]
    assert "a command" in text and "numpy" in text


def test_pictures_are_the_same_for_the_same_numbers():
    once, again = pictures(ROWS[:1]), pictures(ROWS[:1])
    assert once == again
    assert set(once) == {OVERVIEW, "loops.svg"}
    assert "JAX, best 0.5" in once["loops.svg"]


def test_slower_programs_are_found(tmp_path):
    write_json(ROWS, tmp_path / "old.json")
    slower = [Row("Loops", "sum, n = 3: gradient", {"myia": 6e-3, "JAX": 8e-3})]
    assert slowdowns(read_json(tmp_path / "old.json"), slower) == {
        "Loops: sum, n = 3: gradient": pytest.approx(1.5)
    }


def test_results_must_agree():
    equal = row("g", "p", {"myia": lambda: 1.0, "JAX": lambda: 1.0 + 1e-9}, quick=True)
    assert set(equal.seconds) == {"myia", "JAX"}
    with pytest.raises(AssertionError, match="JAX and myia differ"):
        row("g", "p", {"myia": lambda: 1.0, "JAX": lambda: 1.1}, quick=True)


def test_peak_memory_is_that_of_a_call():
    x = np.ones(4_000_000)
    small, large = peak_bytes(lambda: x[:10] + 1)[0], peak_bytes(lambda: np.sum(x + 1))[0]
    if large is None:
        pytest.skip("only Linux tells")
    assert small < 2**20 < 0.9 * x.nbytes < large < 1.5 * x.nbytes
