"""Calls that Ctrl-C interrupts while they compile, in a process of their own.

Python may deliver an interruption anywhere, in a destructor or in a callback of a weak reference
too, where it can only be printed. So no other test runs in this process.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading

import jax
import numpy as np

import myia
from myia.source import progress

PARTS = 12


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, after a while."""


def _interrupt(*_):
    raise Interrupted


def polynomial(x, n):
    s = 0.0
    for i in range(n):
        s = s * x + np.sin(x) * i
    return s


def slope(x, n):
    h = 1e-6
    return (polynomial(x + h, n) - polynomial(x - h, n)) / (2 * h)


def interrupted(f, seconds: float) -> bool:
    """Whether `f()` has been interrupted, after `seconds`; no signal comes later."""
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            f()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Interrupted:
        return True
    return False


def total(x, n):
    return np.sum(polynomial(x, n))


def check_all_is_usable_after(seconds: float, x: np.ndarray) -> bool:
    """The next call compiles again, and is right; settings, locks and JAX's modes are restored."""
    F = myia.grad(total)
    was_interrupted = interrupted(lambda: F(x, 3), seconds)
    assert gc.isenabled()
    assert sys.getrecursionlimit() < 50_000
    assert not jax.config.jax_enable_x64
    assert getattr(progress._here, "compilation", None) is None
    found: list[np.ndarray] = []
    thread = threading.Thread(target=lambda: found.append(F(x, 3)))  # its locks are free
    thread.start()
    thread.join(120)
    np.testing.assert_array_equal(found[0], F(x, 3))
    np.testing.assert_allclose(found[0], slope(x, 3), rtol=1e-6)
    return was_interrupted


def main() -> None:
    """Prints how many calls were interrupted; each is of another length, so that it compiles."""
    signal.signal(signal.SIGALRM, _interrupt)
    points = [np.linspace(0.3, 0.7, part + 2) for part in range(PARTS)]
    count = sum(check_all_is_usable_after(0.01 * (i + 0.5), x) for i, x in enumerate(points))
    print(count, flush=True)
    os._exit(0)  # a timer of JAX that an interruption has left would hold the exit for a minute


if __name__ == "__main__":
    main()
