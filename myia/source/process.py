"""The Python process: locks that survive `os.fork`, and settings changed while a thread compiles.

A child of `os.fork` has one thread. A lock that another thread of the parent held would stay held
there for ever, and a setting that it changed would stay changed: both are put right in the child.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

# Calls, branches and loops of the program nest as Python calls of ours.
COMPILER_RECURSION_LIMIT = 50_000  # Python frames, while a program is compiled


class Lock:
    """A reentrant lock. A child of `os.fork` finds it free, unless the forking thread held it."""

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _locks.add(self)

    def __enter__(self) -> Lock:
        self._lock.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def _free(self) -> None:
        if self._lock.acquire(blocking=False):  # free, or held by this thread
            self._lock.release()
        else:
            self._lock = threading.RLock()


_locks: weakref.WeakSet[Lock] = weakref.WeakSet()

# For changes that take moments: `os.fork` waits for it, so that no child sees half of a change.
BRIEF = threading.RLock()


class _Settings:
    """Settings of the process while at least one thread compiles.

    The first thread that compiles changes them, the last one restores them: if each restored what
    it had found, the settings of one would be left by another.
    """

    def __init__(self) -> None:
        self.threads: dict[int, int] = {}  # how many compilations of each thread are under way
        self.recursion_limit = 0
        self.collects = False

    def enter(self) -> None:
        with BRIEF:
            if not self.threads:
                self.recursion_limit, self.collects = sys.getrecursionlimit(), gc.isenabled()
                sys.setrecursionlimit(max(self.recursion_limit, COMPILER_RECURSION_LIMIT))
                gc.disable()
            thread = threading.get_ident()
            self.threads[thread] = self.threads.get(thread, 0) + 1

    def leave(self) -> None:
        with BRIEF:
            thread = threading.get_ident()
            self.threads[thread] -= 1
            if self.threads[thread] == 0:
                del self.threads[thread]
                self._restore()

    def forget_other_threads(self) -> None:
        """In the child of a fork."""
        thread = threading.get_ident()
        others = self.threads.keys() - {thread}
        for other in others:
            del self.threads[other]
        if others:
            self._restore()

    def _restore(self) -> None:
        if self.threads:
            return
        changed = max(self.recursion_limit, COMPILER_RECURSION_LIMIT)
        if sys.getrecursionlimit() == changed:  # else the user has set it meanwhile
            sys.setrecursionlimit(self.recursion_limit)
        if self.collects:
            gc.enable()


_settings = _Settings()


@contextmanager
def compiling() -> Iterator[None]:
    """Python's settings for a compilation, in this thread.

    The recursion limit is raised. The garbage collector is paused: otherwise it takes a third of
    the time. Programs are many objects, and most of them stay alive.
    """
    _settings.enter()
    try:
        yield
    finally:
        _settings.leave()


_limits: dict[int, int] = {}


def recursion_limit() -> int:
    """The limit that the user has set; equal limits are one object."""
    limit = _settings.recursion_limit if _settings.threads else sys.getrecursionlimit()
    return _limits.setdefault(limit, limit)


# ----- Forks


def _in_child() -> None:
    for lock in tuple(_locks):
        lock._free()
    _settings.forget_other_threads()
    BRIEF.release()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(
        before=BRIEF.acquire,
        after_in_parent=BRIEF.release,
        after_in_child=_in_child,
    )


@functools.cache
def process_of_xla() -> int:
    """The process in which JAX's backends were started first; asked before they are.

    Their threads are not in the child of a fork, where XLA would wait for them for ever.
    """
    return os.getpid()
