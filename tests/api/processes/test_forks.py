"""Children of `os.fork`, made while another thread of the parent compiles."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

import myia
from myia.source.process import BRIEF, COMPILER_RECURSION_LIMIT, Lock, compiling

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*"),
]


def in_child(f, seconds=30) -> bool:
    """Is `f()` true in a forked child? False if it hangs."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if f() else 1)
        finally:
            os._exit(2)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


@contextmanager
def another_thread_inside(context):
    """While the block runs, another thread is inside `context`."""
    inside, leave = threading.Event(), threading.Event()

    def run():
        with context:
            inside.set()
            leave.wait(60)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert inside.wait(60)
        yield
    finally:
        leave.set()
        thread.join()


def is_free(lock) -> bool:
    with lock:
        return True


def test_a_lock_that_another_thread_holds_is_free_in_the_child():
    lock, other = Lock(), Lock()
    with another_thread_inside(lock):
        assert in_child(lambda: is_free(lock) and is_free(other))


def test_every_lock_of_ours_is_such_a_lock():
    """Others stay held in a child."""
    package = Path(myia.__file__).parent
    found = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"threading\.(R?Lock|Condition|(Bounded)?Semaphore|Event)\b", path.read_text())
    }
    assert found == {"source/process.py"}


def test_every_dispatcher_is_usable_in_the_child():
    fs = [myia.jit(lambda x: x), myia.grad(lambda x: x * x), myia.hessian(lambda x: x)]
    with ExitStack() as stack:
        for f in fs:
            stack.enter_context(another_thread_inside(f._dispatcher.lock))
        assert in_child(lambda: all(is_free(f._dispatcher.lock) for f in fs))


def test_a_lock_that_the_forking_thread_holds_stays_held():
    lock = Lock()

    def excludes_others():
        entered = threading.Event()

        def enter():
            with lock:
                entered.set()

        thread = threading.Thread(target=enter, daemon=True)
        thread.start()
        return not entered.wait(0.1)

    with lock:
        assert in_child(excludes_others)


def test_a_fork_waits_for_brief_changes():
    """They are complete in the child: the lock is not broken open."""
    changed = []

    def change():
        with BRIEF:
            inside.set()
            time.sleep(0.2)
            changed.append(True)

    inside = threading.Event()
    thread = threading.Thread(target=change)
    thread.start()
    assert inside.wait(60)
    assert in_child(lambda: changed == [True] and is_free(BRIEF))
    thread.join()


def test_settings_of_another_threads_compilation_end_in_the_child():
    before = sys.getrecursionlimit(), gc.isenabled()
    with another_thread_inside(compiling()):
        assert (sys.getrecursionlimit(), gc.isenabled()) == (COMPILER_RECURSION_LIMIT, False)
        assert in_child(lambda: (sys.getrecursionlimit(), gc.isenabled()) == before)
    assert (sys.getrecursionlimit(), gc.isenabled()) == before


def test_settings_of_the_forking_thread_stay_in_the_child():
    def still_compiling():
        return (sys.getrecursionlimit(), gc.isenabled()) == (COMPILER_RECURSION_LIMIT, False)

    with another_thread_inside(compiling()), compiling():
        assert in_child(still_compiling)


def refuses_to_compile(f, *args) -> bool:
    try:
        f(*args)
    except RuntimeError as error:
        return "spawn" in str(error)
    return False


def test_a_child_of_a_process_in_which_xla_has_compiled():
    """What is compiled runs; what XLA would have to compile would wait for its threads for ever."""
    F, G = myia.jit(lambda x: x * 3.0), myia.grad(lambda x: x * x)
    assert F(1.0) == 3.0
    assert in_child(lambda: F(2.0) == 6.0)
    assert in_child(lambda: refuses_to_compile(G, 2.0) and refuses_to_compile(F, np.ones(2)))
    assert G(2.0) == 4.0


COLD = """
import os, threading
import myia

F = myia.jit(lambda x: x * 3.0)
compiled, inside = F._dispatcher._compiled, threading.Event()

def slowly(call, *rest):
    if threading.current_thread() is not threading.main_thread():
        inside.set()
        threading.Event().wait()
    return compiled(call, *rest)

F._dispatcher._compiled = slowly
threading.Thread(target=lambda: F(1.0), daemon=True).start()
assert inside.wait(60)
if os.fork() == 0:
    try:
        F(2.0)
    except RuntimeError as error:
        os._exit(0 if "spawn" in str(error) else 2)
    os._exit(1)
os._exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""


@pytest.mark.slow
def test_a_child_of_a_process_that_is_compiling(tmp_path):
    """The parent has started XLA to learn its platform: the child is refused, and never waits."""
    path = tmp_path / "cold.py"
    path.write_text(COLD)
    env = os.environ | {"PYTHONPATH": os.getcwd()}
    assert subprocess.run([sys.executable, str(path)], env=env, timeout=60).returncode == 0
