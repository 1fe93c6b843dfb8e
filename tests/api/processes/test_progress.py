"""Compilations that take long say what they do; interrupted ones leave everything as it was."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import time

import jax
import numpy as np
import pytest

import myia
from myia.source import progress


def polynomial(x, n):
    s = 0.0
    for i in range(n):
        s = s * x + np.sin(x) * i
    return s


def slope(x, n):
    h = 1e-6
    return (polynomial(x + h, n) - polynomial(x - h, n)) / (2 * h)


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


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, after a while."""


def _interrupt(*_):
    raise Interrupted


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("part", range(12))
def test_ctrl_c_leaves_all_usable(part):
    """The next call compiles again, and is right; settings, locks and JAX's modes are restored."""

    def f(x, n):
        return polynomial(x, n) + part

    F = myia.grad(f)
    before = signal.signal(signal.SIGALRM, _interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01 + 0.02 * part)
        F(0.5, 3)
    except Interrupted:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert gc.isenabled()
    assert sys.getrecursionlimit() < 50_000
    assert not jax.config.jax_enable_x64
    assert getattr(progress._here, "compilation", None) is None
    found: list[float] = []
    thread = threading.Thread(target=lambda: found.append(F(0.5, 3)))  # its locks are free
    thread.start()
    thread.join(120)
    assert found[0] == F(0.5, 3)
    assert found[0] == pytest.approx(slope(0.5, 3), rel=1e-6)
