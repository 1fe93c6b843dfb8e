"""The package, built and tried where nothing else is installed: `make package`.

    python -m tests.package FOLDER          the wheel and the sdist in it
    python -m tests.package FOLDER least    only what has this word in its name

The wheel is tried with each supported Python that is on this machine, and once more with exactly
the least version of each dependency that `pyproject.toml` names; the sdist with one Python.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.versions import ENVIRONMENTS, PIP, interpreter, project

PROGRAM = """
import importlib.metadata, pathlib, sys
import numpy as np
import scipy.special
import myia

assert pathlib.Path(myia.__file__).is_relative_to(sys.prefix), myia.__file__
assert importlib.metadata.version("myia") == myia.__version__
assert pathlib.Path(myia.__file__).with_name("py.typed").exists()

def damped(x, rate):
    total = 0.0
    for i in range(len(x)):
        while x[i] > 0.5:
            x[i] = rate * np.sin(x[i])
            if x[i] < 0.1:
                break
        total += x[i] ** 2
    return total

x, h = np.array([1.0, 0.2, 3.0]), 1e-6
value, gradient = myia.value_and_grad(damped)(x.copy(), 0.8)
assert np.isclose(value, damped(x.copy(), 0.8), rtol=1e-12)
for i, e in enumerate(np.eye(3) * h):
    difference = (damped(x + e, 0.8) - damped(x - e, 0.8)) / (2 * h)
    assert np.isclose(gradient[i], difference, rtol=1e-6), (i, gradient, difference)
assert myia.hessian(lambda x: np.sum(x**3))(x).shape == (3, 3)

def likelihood(x, n):
    return np.sum(np.linalg.solve(n * np.eye(3), scipy.special.gammaln(x)))

F = myia.value_and_grad(likelihood)
F.lower(x, 2).compile().save("likelihood.myia")
for want, got in zip(F(x, 2), myia.load("likelihood.myia")(x, 2)):
    assert np.allclose(want, got, rtol=1e-12), (want, got)
assert np.isclose(F(x, 2)[0], likelihood(x, 2), rtol=1e-12)

async def refused(x):
    return x

try:
    myia.jit(refused)(1.0)
except myia.MyiaError as error:
    assert "async" in str(error)
else:
    raise AssertionError("accepted")
"""


def least() -> list[str]:
    """The least version of each dependency, as a requirement."""
    return [re.sub(r">=([0-9.]+).*", r"==\1", each) for each in project()["dependencies"]]


def tried(python: str, install: Sequence[str]) -> bool:
    """Does the program run in a new environment with only these packages?"""
    with tempfile.TemporaryDirectory() as folder:
        environment, script = Path(folder) / "environment", Path(folder) / "program.py"
        script.write_text(PROGRAM)
        subprocess.run([python, "-m", "venv", environment], check=True)
        inside = environment / "bin" / "python"
        subprocess.run([inside, *PIP, *install], check=True)
        return subprocess.run([inside, "-I", script], cwd=folder).returncode == 0


def main(folder: str, word: str = "") -> int:
    (wheel,), (sdist,) = Path(folder).glob("*.whl"), Path(folder).glob("*.tar.gz")
    found = {each.python: interpreter(each.python) for each in ENVIRONMENTS}
    pythons = {version: path for version, path in found.items() if path is not None}
    first = next(iter(pythons.values()))
    cases = {f"wheel, Python {version}": (path, [str(wheel)]) for version, path in pythons.items()}
    cases["wheel, least versions"] = first, [str(wheel), *least()]
    cases["sdist"] = first, [str(sdist)]
    failed = []
    for name, case in cases.items():
        if word not in name:
            continue
        works = tried(*case)
        print(f"{name}: {'works' if works else 'FAILED'}", flush=True)
        failed += [] if works else [name]
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
