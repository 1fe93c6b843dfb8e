"""A notebook: functions of cells, cells that are run again, errors, displays, interrupts."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = {
    "imports": """
        import numpy as np
        import myia
    """,
    "first": """
        def slope_of(x):
            return x**2

        def f(x):
            total = 0.0
            for v in x:
                total += slope_of(v)
            return total

        F = myia.value_and_grad(f)
        F(np.array([1.0, 2.0]))
    """,
    "again": """
        def slope_of(x):  # another one
            return x**3
    """,
    "called": "[*F(np.array([1.0, 2.0]))], F.compiles",
    "decorated": """
        @myia.jit
        def g(x): return x * 2
        g(1.5), g
    """,
    "decorated again": """
        @myia.jit
        def g(x): return x * 3
        g(1.5)
    """,
    "refused": """
        def h(x):
            y = x + 1
            return x.tofile("numbers")

        myia.jit(h)(np.ones(2))
    """,
    "raises": """
        @myia.jit
        def check(x):
            if x[0] < 1:
                raise ValueError("too small")
            return x

        check(np.zeros(2))
    """,
    "plan": "F.plan(np.ones(3))",
    "text": "print(F.ir(np.ones(3))['typed'])",
    "interrupted": """
        import os, signal, threading

        def slow(x, n):
            for _ in range(n):
                x = np.sin(x) + 1e-3
            return x

        S = myia.jit(slow)
        S(1.0, 10)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        for _ in range(1000):
            S(1.0, 1_000_000)
    """,
    "afterwards": "S(0.5, 3), S.compiles, myia.grad(slow)(0.5, 3)",
    "magic": """
        %timeit -n 1 -r 1 S(0.5, 3)
        k = myia.jit(lambda x: x - 1.0); k(3.0)
    """,
}


@pytest.fixture(scope="module")
def outputs() -> dict[str, Any]:
    """The outputs of the cells of a notebook that has been run."""
    lines = {name: text.strip("\n") for name, text in CELLS.items()}
    cells = [nbformat.v4.new_code_cell(_dedented(text)) for text in lines.values()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", allow_errors=True
    )
    client.execute()
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells)}


def _dedented(text: str) -> str:
    indent = len(text) - len(text.lstrip())
    return "\n".join(line[indent:] for line in text.splitlines()).strip()


def result(cell: list[Any]) -> str:
    (found,) = (x for x in cell if x["output_type"] == "execute_result")
    return found["data"]["text/plain"]


def error(cell: list[Any]) -> tuple[str, str, str]:
    """Its class, its text, and the traceback without colours."""
    (found,) = (x for x in cell if x["output_type"] == "error")
    trace = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(found["traceback"]))
    return found["ename"], found["evalue"], trace


def test_functions_of_cells_are_found(outputs):
    assert result(outputs["first"]) == "(np.float64(5.0), array([2., 4.]))"
    assert result(outputs["magic"]) == "2.0"


def test_a_cell_run_again_compiles_again(outputs):
    assert result(outputs["called"]) == "([np.float64(9.0), array([ 3., 12.])], 2)"
    assert result(outputs["decorated"]) == "(3.0, myia.jit(g))"
    assert result(outputs["decorated again"]) == "4.5"


def test_errors_show_the_line_of_the_cell(outputs):
    name, message, trace = error(outputs["refused"])
    assert name == "MyiaError" and "--> Cell In[7]:3:" in message
    assert "return x.tofile" in message and "Cell In[7], line 5" in trace
    name, message, trace = error(outputs["raises"])
    assert (name, message) == ("ValueError", "too small")
    assert "at Cell In[8]:4" in trace


def test_texts_name_the_cell(outputs):
    assert "Cell In[2]:6" in result(outputs["plan"])
    assert "# Cell In[2]:6" in outputs["text"][0]["text"]


def test_an_interrupt_leaves_all_usable(outputs):
    assert error(outputs["interrupted"])[0] == "KeyboardInterrupt"
    value, compiles, slope = result(outputs["afterwards"]).strip("()").split(", ")
    x, want = 0.5, 1.0
    for _ in range(3):
        x, want = math.sin(x) + 1e-3, want * math.cos(x)
    assert float(value.removeprefix("np.float64(").rstrip(")")) == pytest.approx(x, rel=1e-12)
    assert float(slope) == pytest.approx(want, rel=1e-12)
    assert int(compiles) <= 3
