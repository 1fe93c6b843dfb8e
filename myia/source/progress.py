"""What a long compilation is doing, on stderr: nothing before ten seconds have passed.

    myia: `grad(loss)` has been compiling for 12 s: finish, outer_loop

A loop of which many iterations are inferred one by one is named in it, whatever stage it is:

    ...: finish, cse; the loop at program.py:7 is unrolled, 300 iterations

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
SECONDS_BETWEEN_UPDATES = 0.5
BY_XLA = "XLA"
MANY_ITERATIONS = 16  # of an unrolled loop

_here = threading.local()  # the compilation of this thread


class _Compilation:
    def __init__(self, name: str, silent: float) -> None:
        self.name, self.stage, self.step = name, "inference", ""
        self._silent, self._started = silent, time.monotonic()
        self._told, self._width = "", 0
        self.unrolled: tuple[object, int] = (None, 0)  # the place of a loop, its iterations

    def tell(self) -> None:
        seconds = time.monotonic() - self._started
        if seconds < self._silent or not self.stage:
            return
        doing = f"{self.stage}, {self.step}" if self.step else self.stage
        line = f"myia: `{self.name}` has been compiling for {seconds:.0f} s: {doing}"
        place, iterations = self.unrolled
        if iterations >= MANY_ITERATIONS:
            line += f"; the loop at {place} is unrolled, {iterations} iterations"
        if _is_terminal():
            _write("\r" + line.ljust(self._width))
            self._width = len(line)
        elif self.stage != self._told:
            _write(line + "\n")
        self._told = self.stage

    def clear(self) -> None:
        """The line of a terminal is gone."""
        if self._width:
            _write("\r" + " " * self._width + "\r")


class _Watcher:
    """Tells of the compilations of all threads, in a thread of its own: XLA compiles in silence.

    It ends with the last of them. Nothing here waits for anything, so a fork at any time leaves
    nothing locked; in the child its thread is not alive.
    """

    def __init__(self) -> None:
        self.compilations: dict[int, _Compilation] = {}
        self._thread: threading.Thread | None = None

    def start(self, found: _Compilation) -> None:
        self.compilations[id(found)] = found
        if self._thread is None or not self._thread.is_alive():
            thread = threading.Thread(target=self._watch, name="myia progress", daemon=True)
            self._thread = thread
            thread.start()

    def end(self, found: _Compilation) -> None:
        self.compilations.pop(id(found), None)
        found.clear()

    def forget_other_threads(self) -> None:
        """In the child of a fork."""
        own = getattr(_here, "compilation", None)
        self.compilations, self._thread = {} if own is None else {id(own): own}, None

    def _watch(self) -> None:
        while self.compilations:
            self._watch_these()
            self._thread = None  # a compilation that begins from here on starts a thread

    def _watch_these(self) -> None:
        while self.compilations:
            for key, found in tuple(self.compilations.items()):
                if key in self.compilations:
                    found.tell()
            silent = _silent_seconds()
            wait = SECONDS_BETWEEN_UPDATES if silent is None else max(0.01, silent)
            time.sleep(min(wait, SECONDS_BETWEEN_UPDATES))


_watcher = _Watcher()

if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_watcher.forget_other_threads)


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
        _watcher.start(found)
        yield
    finally:
        _here.compilation = None
        _watcher.end(found)


def stage(name: str, step: str = "") -> None:
    """The compilation of this thread, if there is one, has come to a stage and a step of it.

    Without a name nothing is told: what goes on is no compilation.
    """
    found = getattr(_here, "compilation", None)
    if found is not None:
        found.stage, found.step = name, step


def unrolls(place: object, iterations: int) -> None:
    """The compilation of this thread, if there is one, has unrolled so much of a loop."""
    found = getattr(_here, "compilation", None)
    if found is not None and iterations > found.unrolled[1]:
        found.unrolled = (place, iterations)


def compiled_by_xla() -> None:
    """XLA has compiled: what follows is the first run."""
    found = getattr(_here, "compilation", None)
    if found is not None and found.stage == BY_XLA:
        found.stage = ""
