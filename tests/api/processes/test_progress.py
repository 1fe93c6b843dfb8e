"""Compilations that take long say what they do; interrupted ones leave everything as it was."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import myia
from myia.source import progress
from tests.api.processes import interrupted_calls
from tests.api.processes.interrupted_calls import polynomial

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def no_watcher_of_before():
    """One that sleeps between the updates of an earlier compilation would tell too late."""
    thread = progress._watcher._thread
    if thread is not None:
        thread.join(10)


def lines(capsys) -> list[str]:
    time.sleep(0.05)
    return capsys.readouterr().err.splitlines()


def test_a_long_compilation_names_function_and_stages(monkeypatch, capsys):
    monkeypatch.setenv(progress.VARIABLE, "0")
    F = myia.grad(polynomial)
    F(0.5, 7)
    told = lines(capsys)
    assert told
    assert all(line.startswith("myia: `myia.grad(polynomial)` has been compiling") for line in told)
    assert any(line.endswith(": inference") or ": finish" in line for line in told)
    assert any(line.endswith(": XLA") for line in told)
    F(0.5, 7)
    assert not lines(capsys)


def by_name(x):
    found = {}
    for i in range(40):  # a key is a string, so each iteration is inferred by itself
        found[f"x{i}"] = x + i
    return found["x39"] * found["x1"]


def test_an_unrolled_loop_is_named_at_every_stage(monkeypatch, capsys):
    monkeypatch.setenv(progress.VARIABLE, "0")
    assert myia.grad(by_name)(2.0) == 2.0 * 2.0 + 40.0
    last = lines(capsys)[-1]
    line = by_name.__code__.co_firstlineno + 2
    assert f": XLA; the loop at {__file__}:{line} is unrolled, 40 iterations" in last
    myia.grad(polynomial)(0.5, 9)
    assert not [told for told in lines(capsys) if "unrolled" in told]


@pytest.mark.parametrize("setting", ["", "off", "1000"])
def test_nothing_is_said_otherwise(monkeypatch, capsys, setting):
    monkeypatch.setenv(progress.VARIABLE, setting)
    myia.grad(polynomial)(0.5, 6)
    assert not lines(capsys)


def test_ahead_of_time_and_errors(monkeypatch, capsys):
    monkeypatch.setenv(progress.VARIABLE, "0")
    lowered = myia.jit(polynomial).lower(0.5, 5)
    lines(capsys)
    lowered.compile()
    assert any(line.endswith(": XLA") for line in lines(capsys))

    def refused(x):
        return open(x)

    with pytest.raises(myia.MyiaError):
        myia.jit(refused)(1.0)
    lines(capsys)
    assert getattr(progress._here, "compilation", None) is None


def test_a_terminal_has_one_line(monkeypatch, capsys):
    monkeypatch.setenv(progress.VARIABLE, "0")
    monkeypatch.setattr(progress, "_is_terminal", lambda: True)
    myia.grad(polynomial)(0.5, 4)
    text = capsys.readouterr().err
    assert text.count("\rmyia: ") > 1
    assert "\n" not in text
    assert text.rpartition("\r")[2] == "" and text.rstrip("\r").endswith(" ")  # it is cleared


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_ctrl_c_leaves_all_usable():
    """Many calls, each interrupted somewhat later than the one before."""
    command = [sys.executable, "-m", interrupted_calls.__name__]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert 0 < int(run.stdout) <= interrupted_calls.PARTS
