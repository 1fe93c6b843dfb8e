"""What a long compilation is doing, on stderr: nothing before ten seconds have passed.

    myia: `grad(loss)` has been compiling for 12 s: finish, outer_loop

On a terminal one line is kept up to date, and cleared at the end; elsewhere a line is written for
each stage. `MYIA_PROGRESS` in the environment is the number of seconds before the first line; with
`MYIA_PROGRESS=off` there is none.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "MYIA_PROGRESS"
SILENT_SECONDS = 10.0
SECONDS_BETWEEN_UPDATES = 1.0

_here = threading.local()  # the compilation of this thread


class _Compilation:
    def __init__(self, name: str, silent: float) -> None:
        self.name, self.stage, self.step = name, "inference", ""
        self._silent, self._started = silent, time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self.tell, name="myia progress", daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self._thread.join(SECONDS_BETWEEN_UPDATES)  # the terminal's line is cleared by then

    def tell(self) -> None:
        """Runs in a thread of its own, as XLA compiles without a word."""
        told, width = "", 0
        wait = self._silent
        while not self._ended.wait(wait):
            wait = min(SECONDS_BETWEEN_UPDATES, max(self._silent, 0.01))
            if not self.stage:
                continue
            seconds = time.monotonic() - self._started
            doing = f"{self.stage}, {self.step}" if self.step else self.stage
            line = f"myia: `{self.name}` has been compiling for {seconds:.0f} s: {doing}"
            if _is_terminal():
                _write("\r" + line.ljust(width))
                width = len(line)
            elif self.stage != told:
                _write(line + "\n")
            told = self.stage
        if width:
            _write("\r" + " " * width + "\r")


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except Exception:  # stderr is closed, or none
        return False


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except Exception:  # nobody can read it: no reason to fail
        return


def _silent_seconds() -> float | None:
    """None: nothing is to be written."""
    text = os.environ.get(VARIABLE, "")
    try:
        return max(0.0, float(text)) if text else SILENT_SECONDS
    except ValueError:
        return None


@contextmanager
def compilation_of(name: str) -> Iterator[None]:
    """This thread compiles `name`. Within another compilation it is a part of that."""
    silent = None if getattr(_here, "compilation", None) is not None else _silent_seconds()
    if silent is None:
        yield
        return
    found = _here.compilation = _Compilation(name, silent)
    try:
        yield
    finally:
        _here.compilation = None
        found.end()


def stage(name: str, step: str = "") -> None:
    """The compilation of this thread, if there is one, has come to a stage and a step of it.

    Without a name nothing is told: what goes on is no compilation.
    """
    found = getattr(_here, "compilation", None)
    if found is not None:
        found.stage, found.step = name, step


BY_XLA = "XLA"


def compiled_by_xla() -> None:
    """XLA has compiled: what follows is the first run."""
    found = getattr(_here, "compilation", None)
    if found is not None and found.stage == BY_XLA:
        found.stage = ""
