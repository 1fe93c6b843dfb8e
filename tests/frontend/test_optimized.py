"""`python -O` skips assertions, in compiled code as in Python."""

import os
import pathlib
import subprocess
import sys

import pytest

import myia

SCRIPT = """
import contextlib
import numpy as np
import myia

def simple(x):
    assert x < 0, f"{x} is not negative"
    return x * (2.0 if __debug__ else 3.0)

def caught(x):
    try:
        assert x < 0
        return "passed"
    except AssertionError:
        return "failed"

def assigned(x):
    y = 1.0
    for i in range(3):
        assert (y := y + x) < 0, "no"
    return y

def unbound(x):
    assert (late := x) > 0
    return late

def returns(x):
    if x > 0:
        assert False, "unreachable"
    else:
        return x
    return -x

def generated(x):
    def items():
        yield x
        assert x < 0
        yield 2 * x
    total = 0.0
    for item in items():
        total += item
    return total

class Scaled:
    def __init__(self, k):
        assert k < 0, k
        self.k = k

    def __call__(self, x):
        assert isinstance(x, str)
        return self.k * x

def method(x):
    return Scaled(2.0)(x)

@contextlib.contextmanager
def context(x):
    assert x < 0
    yield x

def entered(x):
    with context(x) as y:
        return y

def matched(x):
    match [x]:
        case [_]:
            assert x < 0
    return x

def derived(x):
    assert x < 0
    return x * x

def told(f):
    try:
        return f(1.0)
    except Exception as error:
        return type(error).__name__, str(error).partition(chr(10))[0]

ALL = (simple, caught, assigned, unbound, returns, generated, method, entered, matched, derived)
for f in ALL:
    plain, compiled = told(f), told(myia.jit(f))
    print(f.__name__, plain == compiled or (plain, compiled), plain)
print("slope", told(myia.grad(derived)))
"""


@pytest.mark.parametrize("flag", ["-O", "-OO", None])
def test_assertions_are_those_of_python(flag, tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    root = str(pathlib.Path(myia.__file__).parents[1])
    command = [sys.executable, *([flag] if flag else []), str(tmp_path / "script.py")]
    given = os.environ | {"PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1"}
    found = subprocess.run(command, capture_output=True, text=True, env=given)
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert len(lines) == 11 and all(line.split()[1] == "True" for line in lines[:-1]), lines
    failed = "AssertionError" in lines[-1]
    assert failed == (flag is None), lines
    assert lines[0].startswith("simple True 3.0" if flag else "simple True ('Assert")
