"""The numbers of the examples, and whether numba, JAX and autograd come to the same.

python -m tests.zoo.python_page.measured

runs the others, each on the file of the examples as it is, but with its own `numpy`. Their answers
are stored in `others.json`, which the page shows.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

import jax

import myia
from tests.zoo.python_page.examples import EXAMPLES

HERE = Path(__file__).parent
STORED = HERE / "others.json"
AT = 0.7
STEP = 1e-4  # of central differences
NUMPY = {"numba": "numpy", "JAX": "jax.numpy", "autograd": "autograd.numpy"}
ANSWERS = ("no", "value", "derivative", "second")
ROWS = [(topic, line, f) for topic, rows in EXAMPLES.items() for line, f in rows]


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@functools.cache
def numbers(f: Callable) -> tuple[float, ...]:
    """The value, the derivative and the second derivative, compiled."""
    with quiet():
        return tuple(float(g(AT)) for g in (myia.jit(f), myia.grad(f), myia.grad(myia.grad(f))))


def in_python(f: Callable) -> tuple[float, float, float]:
    """The same by Python and central differences of fourth order."""
    with quiet():
        y = [float(f(AT + k * STEP)) for k in (-2, -1, 0, 1, 2)]
    slope = (8 * (y[3] - y[1]) - (y[4] - y[0])) / (12 * STEP)
    bend = (16 * (y[3] + y[1]) - (y[4] + y[0]) - 30 * y[2]) / (12 * STEP**2)
    return y[2], slope, bend


def agree(found: Sequence[float], f: Callable) -> list[bool]:
    """Are they the value and the derivatives of `f`?"""
    tolerances = (1e-12, 1e-7, 1e-4)
    return [
        math.isclose(x, y, rel_tol=tolerance, abs_tol=tolerance / 10)
        for x, y, tolerance in zip(found, in_python(f), tolerances)
    ]


# ----- Others


def module_with(numpy: str) -> ModuleType:
    """The module of the examples, with another `numpy`."""
    path = HERE / "examples.py"
    text = path.read_text().replace("import numpy as np", f"import {numpy} as np")
    module = sys.modules["examples"] = ModuleType("examples")
    exec(compile(text, str(path), "exec"), vars(module))
    return module


def derivatives(name: str, f: Callable) -> list[Callable]:
    """What a compiler makes of `f`: its value and its derivatives."""
    other = importlib.import_module(name.lower())
    if name == "numba":
        return [other.njit(f)]
    first, second = other.grad(f), other.grad(other.grad(f))
    return [*map(jax.jit, (f, first, second))] if name == "JAX" else [f, first, second]


def answer(name: str, f: Callable, example: Callable) -> str:
    """How far it comes with the numbers of the example."""
    found: list[float] = []
    with quiet(), jax.enable_x64(True):
        for run in derivatives(name, f):
            try:
                found.append(float(run(AT)))
            except Exception:  # it refuses, in whatever way
                break
    return ANSWERS[(*agree(found, example), False).index(False)]


def answers(name: str) -> dict[str, str]:
    rows = module_with(NUMPY[name]).EXAMPLES.values()
    found = {f.__name__: f for row in rows for _, f in row}
    return {f.__name__: answer(name, found[f.__name__], f) for _, _, f in ROWS}


if __name__ == "__main__":
    STORED.write_text(json.dumps({name: answers(name) for name in NUMPY}, indent=1) + "\n")
