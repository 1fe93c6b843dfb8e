"""Ints that change outside of the arguments: in globals, closures, defaults, attributes."""

from __future__ import annotations

import sys
import types
import warnings

import numpy as np
import pytest

import myia

CALLS = 9
COUNT = 0
STATE = {"step": 0, "inner": [0]}
THIS = sys.modules[__name__]
SETTINGS = types.ModuleType("settings")
SETTINGS.k = 0


class Benchmark:
    """A test function of optimization that counts its evaluations."""

    nfev = 0
    rounds = 1

    def fun(self, x):
        self.nfev += 1
        return np.sum(x * x)

    def repeated(self, x):
        return x * self.rounds


class Schedule:
    def __init__(self):
        self.t, self.rate = 0, 0.5

    def __call__(self, x):
        self.t += 1
        return x * self.rate / self.t


def of_closure():
    n = 0

    def f(x):
        return x * n

    def set_to(value):
        nonlocal n
        n = value

    return f, set_to


def of_default():
    def f(x, k=0):
        return x + k

    def set_to(value):
        f.__defaults__ = (value,)

    return f, set_to


def of_keyword_default():
    def f(x, *, k=0):
        return x + k

    def set_to(value):
        f.__kwdefaults__ = {"k": value}

    return f, set_to


def of_keyword_default_in_place():
    def f(x, *, k=0):
        return x + k

    return f, lambda value: f.__kwdefaults__.update(k=value)


def of_keyword_default_of_a_helper():
    def helper(x, *, k=0):
        return x + k

    return lambda x: helper(x) * 2, lambda value: helper.__kwdefaults__.update(k=value)


def of_helper():
    """The helper is in the closure, its own int in its own."""
    helper, set_to = of_closure()
    return lambda x: helper(x) + 1.0, set_to


def of_class():
    return Benchmark().repeated, lambda value: setattr(Benchmark, "rounds", value)


def of_module():
    return lambda x: x - SETTINGS.k, lambda value: setattr(SETTINGS, "k", value)


def of_global():
    return lambda x: x * COUNT, lambda value: setattr(THIS, "COUNT", value)


def of_instance_in_tuple():
    both = (Schedule(), 2.0)
    return lambda x: x * both[1] + both[0].t, lambda value: setattr(both[0], "t", value)


HIDDEN = (
    of_closure,
    of_default,
    of_keyword_default,
    of_keyword_default_in_place,
    of_keyword_default_of_a_helper,
    of_helper,
    of_class,
    of_module,
    of_global,
    of_instance_in_tuple,
)


@pytest.fixture(autouse=True)
def _restored():
    yield
    Benchmark.rounds, THIS.COUNT, SETTINGS.k = 1, 0, 0
    STATE.update(step=0, inner=[0])


@pytest.mark.parametrize("make", HIDDEN, ids=lambda make: make.__name__)
def test_an_int_outside_of_the_arguments(make):
    f, set_to = make()
    program = myia.jit(f)
    for n in (*range(CALLS), 3, 2**70, 1):
        set_to(n)
        assert program(2.0) == f(2.0), n
    assert program.compiles == 5  # three values, any value, one beyond 64 bits


@pytest.mark.parametrize("transform", (myia.jit, myia.grad), ids=("jit", "grad"))
def test_a_counter_of_evaluations(transform):
    ours = Benchmark()
    program, x = transform(ours.fun), np.arange(3.0)
    for i in range(1, CALLS):
        np.testing.assert_array_equal(program(x), 2 * x if transform is myia.grad else 5.0)
        assert (ours.nfev, type(ours.nfev)) == (i, int)
    assert program.compiles <= 5


def in_global_containers(x):
    STATE["step"] += 1
    STATE["inner"][0] += STATE["step"]
    return x * STATE["step"] + STATE["inner"][0]


def test_counters_in_global_containers():
    program = myia.jit(in_global_containers)
    found = [program(0.5) for _ in range(CALLS)]
    assert (STATE, type(STATE["step"])) == ({"step": 9, "inner": [45]}, int)
    STATE.update(step=0, inner=[0])
    assert found == [in_global_containers(0.5) for _ in range(CALLS)]
    assert program.compiles == 4
    STATE["step"] = 2**63 - 1
    program(0.5)
    assert STATE["step"] == 2**63


def test_a_callable_instance():
    ours, theirs = Schedule(), Schedule()
    program = myia.jit(ours)
    assert [program(3.0) for _ in range(CALLS)] == [theirs(3.0) for _ in range(CALLS)]
    assert (vars(ours), program.compiles) == (vars(theirs), 4)


def test_an_object_that_is_an_argument_and_a_global():
    program = myia.jit(lambda state, x: in_global_containers(x) + state["step"])
    for i in range(1, CALLS):
        assert program(STATE, 0.0) == STATE["inner"][0] + i
    assert (STATE["step"], program.compiles) == (CALLS - 1, 4)


def test_one_static_int_leaves_the_others():
    size, set_size = of_closure()
    factor, set_factor = of_closure()
    program = myia.jit(lambda x: np.ones(int(size(1))).sum() * factor(x))
    for n in range(1, 7):
        set_size(n)
        set_factor(n + 1)
        assert program(0.5) == n * (n + 1) * 0.5
    compiles = program.compiles
    for n in range(50, 60):
        set_factor(n)
        assert program(0.5) == 6 * n * 0.5
    assert program.compiles == compiles


def test_a_static_int_is_learned_once():
    size, set_size = of_closure()
    program = myia.jit(lambda x: np.ones(size(1)).sum() * x)
    for n in range(1, 7):
        set_size(n)
        assert program(0.5) == n * 0.5
    attempt, attempts = program._dispatcher._compiled, []
    program._dispatcher._compiled = lambda *args: attempts.append(args) or attempt(*args)
    for n in range(7, 10):
        set_size(n)
        assert program(0.5) == n * 0.5
    assert len(attempts) == 3 and program.compiles == 9


def test_ints_of_arguments_and_globals_together():
    f = lambda state, x: x * COUNT + state["k"] * STATE["step"]  # noqa: E731
    program = myia.jit(f)
    for i in range(CALLS):
        THIS.COUNT, STATE["step"] = 2 * i, 3 * i
        assert program({"k": i}, 0.5) == f({"k": i}, 0.5)
    assert program.compiles == 4


def test_derivatives_of_functions_with_counters():
    f, set_to = of_closure()
    square = lambda x: f(x) ** 2  # noqa: E731
    derivatives = [myia.grad(square), myia.jacfwd(square), myia.jacrev(square)]
    second = [myia.hessian(square), myia.grad(myia.grad(square))]
    for n in range(CALLS):
        set_to(n)
        assert [d(0.5) for d in derivatives] == [n * n] * 3
        assert [d(0.5) for d in second] == [2 * n * n] * 2
        assert myia.jvp(square, (0.5,), (2.0,)) == (0.25 * n * n, 2 * n * n)
        assert myia.vjp(square, 0.5)[1](2.0) == (2 * n * n,)
    assert [d.compiles for d in derivatives + second] == [4] * 5


def test_the_error_of_a_failed_check_has_its_numbers():
    f, set_to = of_closure()
    program = myia.jit(lambda x: [1.0, 2.0][int(f(x))])
    for n in (0, 1, 0, 1):
        set_to(n)
        assert program(1.0) == [1.0, 2.0][n]
    for n in range(2, 7):
        set_to(n)
        with pytest.raises(IndexError):
            program(1.0)
    assert program.compiles == 4


def test_the_warning_names_what_is_hidden():
    ours = Benchmark()
    ours.rounds = 0
    program = myia.jit(lambda x: np.ones(ours.rounds).sum() * x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(15):
            ours.rounds += 1
            assert program(0.5) == 0.5 * ours.rounds
    ours.rounds += 1
    with pytest.warns(myia.CompileWarning, match="`ours.rounds` is 16, was 15"):
        program(0.5)
