"""Threads that compile and call at one time: events force the interleavings."""

from __future__ import annotations

import gc
import importlib
import importlib.machinery
import inspect
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import myia
from myia.infer import registry
from myia.infer.domain import facts
from myia.source.process import COMPILER_RECURSION_LIMIT, Lock, compiling

load = importlib.import_module("myia.frontend.load")  # not the function of that name

TIMEOUT = 60


class Held:
    """A compilation, or something else, that waits inside until it is let go."""

    def __init__(self):
        self.inside, self.go = threading.Event(), threading.Event()

    def wait(self):
        self.inside.set()
        assert self.go.wait(TIMEOUT)


# ----- The settings of the process


def settings():
    return sys.getrecursionlimit(), gc.isenabled()


@pytest.mark.parametrize("first_to_end", [0, 1])
def test_settings_are_restored_when_the_last_thread_has_compiled(first_to_end):
    before, held = settings(), [Held(), Held()]

    def compile_(i):
        with compiling():
            held[i].wait()

    with ThreadPoolExecutor(2) as pool:
        found = []
        for i in range(2):
            found.append(pool.submit(compile_, i))
            assert held[i].inside.wait(TIMEOUT)
        held[first_to_end].go.set()
        found[first_to_end].result(TIMEOUT)
        assert settings() == (COMPILER_RECURSION_LIMIT, False)  # the other still needs them
        held[1 - first_to_end].go.set()
    assert settings() == before


def test_settings_are_restored_after_errors_and_nested_compilations():
    before = settings()
    with pytest.raises(ValueError), compiling(), compiling():
        raise ValueError
    assert settings() == before


def test_a_limit_that_the_user_sets_meanwhile_is_kept():
    before = sys.getrecursionlimit()
    try:
        with compiling():
            sys.setrecursionlimit(before + 123)
        assert sys.getrecursionlimit() == before + 123
    finally:
        sys.setrecursionlimit(before)


def test_the_settings_after_compilations_in_several_threads():
    before = settings()
    fs = [myia.jit(lambda x, k=k: x * float(k)) for k in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda f: f(2.0), fs)) == [0.0, 2.0, 4.0, 6.0]
    assert settings() == before


@pytest.mark.parametrize("transform", [myia.jit, pytest.param(myia.grad, marks=pytest.mark.slow)])
def test_nested_branches_need_more_than_the_limit_of_the_caller(transform, tmp_path):
    """Each stage of the compiler, and JAX, nests calls as the program nests branches."""
    depth = 25
    lines = ["def f(x):", *("    " * (i + 1) + f"if x > {i}.0:" for i in range(depth))]
    text = "\n".join([*lines, "    " * (depth + 1) + "return x", "    return -x", ""])
    path = tmp_path / "deep.py"
    path.write_text(text)
    namespace = {}
    exec(compile(text, str(path), "exec"), namespace)
    F, before = transform(namespace["f"]), sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 220)
    try:
        limit = sys.getrecursionlimit()
        found = [F(100.0), F(7.0)]
        assert sys.getrecursionlimit() == limit
    finally:
        sys.setrecursionlimit(before)
    assert found == ([100.0, -7.0] if transform is myia.jit else [1.0, -1.0])


# ----- Handlers that are registered on import


def module_with(name, monkeypatch, **functions):
    module = type(sys)(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    vars(module).update(functions)
    monkeypatch.setitem(sys.modules, name, module)
    return module


def test_two_threads_register_a_module_once(monkeypatch):
    """The second thread waits until the handlers are there: it must not miss one."""
    held, calls = Held(), []

    def f(x):
        return x

    def register(module):
        calls.append(module)
        held.wait()
        registry.function(module.f)(handler)

    def handler(ctx, x):
        return x

    module = module_with("registered_by_threads", monkeypatch, f=f)
    monkeypatch.setitem(registry.REGISTERED_ON_IMPORT, module.__name__, [register])
    try:
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(registry.handler_of, f)
            assert held.inside.wait(TIMEOUT)
            second = pool.submit(registry.handler_of, f)
            with pytest.raises(TimeoutError):
                second.result(0.2)
            held.go.set()
            assert first.result(TIMEOUT) is second.result(TIMEOUT) is handler
        assert calls == [module]
    finally:
        registry.FUNCTIONS.pop(f, None)


def test_a_module_that_another_thread_imports_is_waited_for(tmp_path, monkeypatch):
    """It stands in `sys.modules` before its functions are defined."""
    name = "imported_slowly"
    (tmp_path / f"{name}.py").write_text(
        "import tests.api.processes.test_threads as tests\n"
        "tests.IMPORT.wait()\n"
        "def f(x):\n    return x\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(globals(), "IMPORT", Held())
    found = []
    monkeypatch.setitem(
        registry.REGISTERED_ON_IMPORT, name, [lambda module: found.append(module.f)]
    )
    try:
        with ThreadPoolExecutor(2) as pool:
            importing = pool.submit(importlib.import_module, name)
            assert IMPORT.inside.wait(TIMEOUT)
            looking = pool.submit(registry.handler_of, lambda x: x)
            with pytest.raises(TimeoutError):
                looking.result(0.2)
            IMPORT.go.set()
            module = importing.result(TIMEOUT)
            looking.result(TIMEOUT)
        assert found == [module.f]
    finally:
        sys.modules.pop(name, None)


IMPORT = Held()


# ----- Loading


def test_load_gives_each_thread_its_own_namespace(monkeypatch):
    """A thread is stopped where it has found the code of a `def` in another namespace."""

    def make(k):
        return lambda x: x * k

    f, g = make(2), make(3)
    load.load(f)
    stop = threading.local()
    in_namespace, held = load._in_namespace, Held()

    def slowly(code, namespace):
        found = in_namespace(code, namespace)
        if getattr(stop, "here", False):
            held.wait()
        return found

    def load_slowly():
        stop.here = True
        return load.load(g)

    monkeypatch.setattr(load, "_in_namespace", slowly)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(load_slowly)
        assert held.inside.wait(TIMEOUT)
        assert load.load(f).namespace.cells["k"].cell_contents == 2
        held.go.set()
        assert found.result(TIMEOUT).namespace.cells["k"].cell_contents == 3


def test_loads_of_one_def_in_many_threads():
    def make(k):
        return lambda x: x * k

    fs = [make(k) for k in range(8)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:

            def check(k):
                for _ in range(300):
                    assert load.load(fs[k]).namespace.cells["k"].cell_contents == k

            list(pool.map(check, range(8)))
    finally:
        sys.setswitchinterval(before)


# ----- Calls of one compiled function


def stopped(monkeypatch, F, held, when=lambda call: True):
    """`F` waits before it compiles, in the first call for which `when` holds."""
    dispatcher = F._dispatcher
    compiled, waits = dispatcher._compiled, []

    def slowly(call, *rest):
        if when(call) and not waits:
            waits.append(call)
            held.wait()
        return compiled(call, *rest)

    monkeypatch.setattr(dispatcher, "_compiled", slowly)


SHAPES = [(), (3,), (4,), (2, 2)]


def test_shapes_of_one_function_in_several_threads():
    F = myia.grad(lambda x: (x * x * 3.0).sum() if np.ndim(x) else x * x * 3.0)
    args = [np.full(shape, 2.0) if shape else 2.0 for shape in SHAPES] * 2
    with ThreadPoolExecutor(8) as pool:
        for x, found in zip(args, pool.map(F, args)):
            np.testing.assert_array_equal(found, np.full(np.shape(x), 12.0))
    assert F.compiles == len(SHAPES)


class Scale:
    def __init__(self, by, name):
        self.by, self.name = by, name

    def __call__(self, x):
        return x * self.by + len(self.name)


def test_instances_of_one_class_in_several_threads():
    F = myia.jit(lambda s, x: s(x))
    scales = [Scale(float(k), "ab"[: 1 + k % 2]) for k in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for s, found in zip(scales, pool.map(lambda s: F(s, 3.0), scales)):
            assert found == s(3.0)
    assert F.compiles == 2


def test_a_call_that_raises_while_another_thread_waits(monkeypatch):
    def f(x, n):
        return x * [1.0, 2.0][n]

    F, held = myia.jit(f), Held()
    stopped(monkeypatch, F, held, lambda call: call.args[1] == 5)
    with ThreadPoolExecutor(2) as pool:
        wrong = pool.submit(F, 2.0, 5)
        assert held.inside.wait(TIMEOUT)
        right = pool.submit(F, 2.0, 1)
        held.go.set()
        with pytest.raises(IndexError):
            wrong.result(TIMEOUT)
        assert right.result(TIMEOUT) == 4.0


# No program can take `n` as an argument; while one thread tries, others call.
NEEDS_THE_INT = [
    lambda x, n: x * np.ones(n),
    lambda x, n: (x,) * n,
    lambda x, n: x if isinstance(n, int) and n > 2 else np.ones(3) * x,
]


@pytest.mark.parametrize("f", NEEDS_THE_INT)
def test_an_int_that_another_thread_tries_to_make_an_argument(f, monkeypatch):
    F, held = myia.jit(f), Held()
    for n in range(1, 4):
        F(2.0, n)
    stopped(monkeypatch, F, held)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(F, 2.0, 4)  # its first attempt: with an int at run time
        assert held.inside.wait(TIMEOUT)
        second = pool.submit(F, 2.0, 5)
        held.go.set()
        np.testing.assert_array_equal(first.result(TIMEOUT), f(2.0, 4))
        np.testing.assert_array_equal(second.result(TIMEOUT), f(2.0, 5))


TABLE = np.ones(2)


def test_a_global_that_another_thread_changes_after_the_compilation(monkeypatch):
    """A program that does not fit what it reads by then is not run."""
    F = myia.jit(lambda x: (x * TABLE).sum())
    monkeypatch.setitem(globals(), "TABLE", np.ones(2))
    dispatcher = F._dispatcher
    compiled, changes = dispatcher._compiled, [np.ones(3), np.ones(4)]

    def changed_after(call, *rest):
        found = compiled(call, *rest)
        if changes:
            globals()["TABLE"] = changes.pop(0)
        return found

    monkeypatch.setattr(dispatcher, "_compiled", changed_after)
    assert F(2.0) == 8.0
    assert F.compiles == 3


GLOBAL = 1.0


class Holder:
    value = 1.0


def default(x, by=1.0):
    return x * by


def closure(value):
    return lambda x: x * value


MULTIPLY = closure(1.0)


def set_cell(value):
    MULTIPLY.__closure__[0].cell_contents = value


# A fact, how another thread changes it, and its question.
CHANGES = {
    "global": (lambda x: x * GLOBAL, lambda v: globals().update(GLOBAL=v), facts.Global),
    "class": (
        lambda x: x * Holder.value,
        lambda v: setattr(Holder, "value", v),
        facts.Attribute,
    ),
    "default": (
        lambda x: default(x),
        lambda v: setattr(default, "__defaults__", (v,)),
        facts.Global,
    ),
    "closure": (lambda x: MULTIPLY(x), set_cell, facts.Global),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_fact_that_another_thread_changes_after_it_was_asked(name, monkeypatch):
    """Where it stands is looked up after the answer: the two must belong together."""
    f, change, question = CHANGES[name]
    F, places, changes = myia.jit(f), question.places, []

    def changed_before(self, found):
        if changes:
            change(changes.pop())
        return places(self, found)

    try:
        change(1.0)
        assert F(2.0) == 2.0
        change(3.0)
        monkeypatch.setattr(question, "places", changed_before)
        changes.append(5.0)
        assert F(2.0) in (6.0, 10.0)
        assert not changes
        assert F(2.0) == 10.0
        change(7.0)
        assert F(2.0) == 14.0
    finally:
        monkeypatch.undo()
        change(1.0)


def test_a_lock_is_reentrant_and_excludes_other_threads():
    lock, order = Lock(), []

    def other():
        with lock:
            order.append("other")

    with ThreadPoolExecutor(1) as pool:
        with lock, lock:
            found = pool.submit(other)
            with pytest.raises(TimeoutError):
                found.result(0.1)
            order.append("this")
        found.result(TIMEOUT)
    assert order == ["this", "other"]


@pytest.mark.slow
def test_threads_that_switch_at_every_instruction():
    """Many functions, shapes, ints, closures and errors, from eight threads at once."""

    def make(k):
        return lambda x, n: (x * k + n).sum() if n < 7 else (x * k).sum() + [1.0][n - 7]

    fs = [myia.jit(make(float(k))) for k in range(3)]
    gs = [myia.grad(make(float(k))) for k in range(3)]
    rng = np.random.default_rng(0)
    calls = [(int(k), int(s), int(n)) for k, s, n in rng.integers(0, (3, 3, 9), (240, 3))]

    def check(call):
        k, size, n = call
        x = np.arange(size + 1.0)
        if n == 8:
            with pytest.raises(IndexError):
                fs[k](x, n)
            return
        assert fs[k](x, n) == make(float(k))(x, n)
        np.testing.assert_array_equal(gs[k](x, n), np.full(size + 1, float(k)))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(check, calls))
    finally:
        sys.setswitchinterval(before)


class State:
    scale, kind = 1.0, "u"


STATE, ITEMS, TURN, RAISE_TO = State(), [1.0, 2.0], closure(3.0), 2


def of_globals(x):
    return x**RAISE_TO * GLOBAL + len(ITEMS)


def of_objects(x):
    return TURN(x) * STATE.scale + (1.0 if STATE.kind == "u" else x)


def change_something(rng):
    number = float(rng.integers(1, 4))
    which = rng.integers(5)
    if which == 0:
        globals().update(GLOBAL=number, RAISE_TO=int(number))
    elif which == 1:
        ITEMS[:] = [1.0] * int(number)
    elif which == 2:
        TURN.__closure__[0].cell_contents = number
    elif which == 3:
        STATE.scale, STATE.kind = number, "uv"[int(number) % 2]
    else:
        globals().update(TURN=closure(number))


@pytest.mark.slow
def test_what_threads_change_while_others_call():
    """When all is quiet, no program has kept what was."""
    functions = [(T(f), f) for f in (of_globals, of_objects) for T in (myia.jit, myia.grad)]
    rng, before = np.random.default_rng(0), sys.getswitchinterval()
    state = dict(globals())
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            for _ in range(60):
                quiet = threading.Event()

                def call(quiet=quiet):
                    while not quiet.is_set():
                        for F, _ in functions:
                            F(2.0)

                calls = [pool.submit(call) for _ in range(4)]
                for _ in range(40):
                    change_something(rng)
                    quiet.wait(0.0005)
                quiet.set()
                for found in calls:
                    found.result(TIMEOUT)
                for F, f in functions:
                    slope = (f(2.0 + 1e-4) - f(2.0 - 1e-4)) / 2e-4
                    expected = slope if "grad" in repr(F) else f(2.0)
                    np.testing.assert_allclose(F(2.0), expected, rtol=1e-6)
    finally:
        sys.setswitchinterval(before)
        globals().update(state)
        STATE.scale, STATE.kind, ITEMS[:] = 1.0, "u", [1.0, 2.0]
