"""Ints that change from call to call become arguments of the program, wherever they stand."""

from __future__ import annotations

import copy
import enum
from typing import NamedTuple

import numpy as np
import pytest

import myia

CALLS = 12


class Adam:
    """The optimizer as people write it: the step is an int of the instance."""

    def __init__(self, size: int = 3):
        self.t = 0
        self.m = self.v = np.zeros(size)

    def step(self, w, g):
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * g
        self.v = 0.999 * self.v + 0.001 * g * g
        m, v = self.m / (1 - 0.9**self.t), self.v / (1 - 0.999**self.t)
        return w - 0.01 * m / (np.sqrt(v) + 1e-8)


class Counted:
    count = 0

    def __init__(self):
        self.scale = 1.5


class Pair(NamedTuple):
    n: int
    scale: float


def in_an_instance(o, x):
    o.count += 1
    return x * o.count * o.scale


def in_a_dict(state, x):
    state["step"] += 1
    return x / state["step"]


def in_a_list(counts, x):
    counts[1] += 2
    return x * counts[1] + counts[0]


def nested(o, x):
    o["inner"][0].count += 1
    return x**2 + o["inner"][0].count


def as_a_bound(o, x):
    o["n"] += 1
    total = 0.0
    for i in range(o["n"]):
        total += x * i
    return total


def twice_the_same(pair, x):
    pair[0].count += 1
    return pair[1].count * x


def shared():
    found = Counted()
    return (found, found)


COUNTERS = {
    in_an_instance: Counted,
    in_a_dict: lambda: {"step": 0},
    in_a_list: lambda: [5, 0],
    nested: lambda: {"inner": (Counted(), "text")},
    as_a_bound: lambda: {"n": 0},
    twice_the_same: shared,
}


def integers(x) -> list:
    """The ints in a structure, and all else that is a number."""
    if isinstance(x, dict):
        return [found for item in x.values() for found in integers(item)]
    if isinstance(x, (list, tuple)):
        return [found for item in x for found in integers(item)]
    return integers(vars(x)) if hasattr(x, "__dict__") else [x]


@pytest.mark.parametrize("f", COUNTERS, ids=lambda f: f.__name__)
def test_a_counter_takes_few_programs(f):
    program, ours, theirs = myia.jit(f), COUNTERS[f](), COUNTERS[f]()
    for i in range(CALLS):
        assert program(ours, 0.5 + i) == pytest.approx(f(theirs, 0.5 + i), rel=1e-14)
        found, wanted = integers(ours), integers(theirs)
        assert found == wanted and list(map(type, found)) == list(map(type, wanted))
    assert program.compiles <= 5


def test_an_optimizer_of_fifty_steps():
    ours, theirs, step = Adam(), Adam(), myia.jit(Adam.step)
    w = expected = np.ones(3)
    for i in range(50):
        g = np.array([1.0, -0.5, 0.1]) * (i % 7)
        w, expected = step(ours, w, g), theirs.step(expected, g)
    np.testing.assert_allclose(w, expected, rtol=1e-12)
    assert (ours.t, type(ours.t)) == (50, int)
    assert step.compiles <= 4


@pytest.mark.parametrize(
    "make",
    (lambda n: Pair(n, 2.0), lambda n: [[n], 2.0], lambda n: {"a": {"b": n}, "scale": 2.0}),
)
def test_an_int_that_the_caller_changes(make):
    def f(p, x):
        n, scale = p.values() if isinstance(p, dict) else p
        n = n["b"] if isinstance(n, dict) else n[0] if isinstance(n, list) else n
        return x * n**2 + scale

    program = myia.jit(f)
    assert [program(make(n), 0.5) for n in range(CALLS)] == [f(make(n), 0.5) for n in range(CALLS)]
    assert program.compiles == 4


# ----- Places that must be static


def sized(p, x):
    return np.ones(p["size"]).sum() * x * p["factor"]


def picked(p, x):
    return ("a", "bc", "def")[p["size"] % 3] * 2 if x is None else (x, 2.0, 3.0)[p["size"] % 3 :]


def described(p, x):
    return f"{p['size']} of {p['factor']}" if isinstance(p["size"], int) else x


@pytest.mark.parametrize("f", (sized, picked, described), ids=lambda f: f.__name__)
def test_a_place_that_must_be_static_is_learned_once(f):
    program = myia.jit(f)
    for n in range(1, CALLS):
        p = {"size": n, "factor": 3}
        assert program(p, 2.0) == f(p, 2.0)
    assert program.compiles == CALLS - 1
    tried = []
    attempt = program._dispatcher._compiled
    program._dispatcher._compiled = lambda *args: tried.append(args) or attempt(*args)
    for n in range(CALLS, CALLS + 3):
        assert program({"size": n, "factor": 3}, 2.0) == f({"size": n, "factor": 3}, 2.0)
    assert len(tried) == 3  # no more attempts: one for each program


def test_one_static_place_leaves_the_others():
    program = myia.jit(sized)
    for n in range(1, 7):
        p = {"size": n, "factor": n + 1}
        assert program(p, 2.0) == sized(p, 2.0)
    compiles = program.compiles
    for factor in range(50, 60):
        p = {"size": 6, "factor": factor}
        assert program(p, 2.0) == sized(p, 2.0)
    assert program.compiles == compiles


def test_several_static_places_among_many():
    def f(p, x):
        return np.ones((p[1], p[4])).sum() * x + p[0] + p[2] * p[3] + p[5] + p[6]

    program = myia.jit(f)
    for n in range(1, 8):
        p = [n + i for i in range(7)]
        assert program(p, 2.0) == f(p, 2.0)
    compiles = program.compiles
    for n in range(10, 15):
        p = [n, 7, n + 1, n + 2, 10, n + 3, n + 4]
        assert program(p, 2.0) == f(p, 2.0)
    assert program.compiles == compiles


def test_a_use_of_another_structure_is_another_matter():
    def f(n, x):
        return np.ones(n["k"]).sum() if x is None else x * n["k"]

    program = myia.jit(f)
    for n in range(1, 6):
        assert program({"k": n}, 2.0) == 2.0 * n
    assert program.compiles == 4
    for n in range(1, 6):
        assert program({"k": n}, None) == n
    compiles = program.compiles
    assert [program({"k": n}, 2.0) for n in range(20, 30)] == [2.0 * n for n in range(20, 30)]
    assert program.compiles == compiles


def test_the_error_is_that_of_the_program():
    def f(p, x):
        return x.nonsense * p["k"]

    program = myia.jit(f)
    messages = set()
    for k in range(6):
        with pytest.raises(myia.MyiaError) as e:
            program({"k": k}, 2.0)
        messages.add(str(e.value))
    assert len(messages) == 1 and "nonsense" in messages.pop()
    # What failed before the error has told nothing about the int.
    good = myia.jit(lambda p, x: x * p["k"] if p["good"] else x.nonsense)
    for k in range(6):
        with pytest.raises(myia.MyiaError):
            good({"k": k, "good": False}, 2.0)
    assert [good({"k": k, "good": True}, 2.0) for k in range(9)] == [2.0 * k for k in range(9)]
    assert good.compiles == 1


def test_static_argnums_keep_all_that_is_in_the_argument_static():
    program = myia.jit(lambda p, x: x * p["k"][0], static_argnums=0)
    for k in range(7):
        assert program({"k": [k]}, 2.0) == 2.0 * k
    assert program.compiles == 7


# ----- Beyond 64 bits


def test_an_int_beyond_64_bits_has_a_program_of_its_own():
    program = myia.jit(lambda o, x: x * o["k"][0])
    for k in (0, 1, 2, 3, 2**63 - 1, -(2**63), 2**63, 4, 2**200, 5):
        assert program({"k": [k]}, 0.5) == 0.5 * k
    assert program.compiles == 6


def powers(n, x):
    return x * 2**n + n * 2**60


NUMBERS = [1, 2, 3, 4, 5, 6, -1, 70, -3, 40, 7]


@pytest.mark.parametrize("transform", [myia.jit, myia.value_and_grad], ids=["jit", "grad"])
def test_ints_beyond_those_of_the_program_have_programs_of_their_own(transform):
    """A float as the power of an int, and ints of more than 64 bits, as in Python."""
    f = myia.jit(powers) if transform is myia.jit else myia.value_and_grad(powers, argnums=1)
    for n in NUMBERS:
        found = f(n, 1.5)
        value, slope = (found, 2.0**n) if transform is myia.jit else found
        assert value == pytest.approx(powers(n, 1.5), rel=1e-15), n
        assert slope == 2.0**n, n
    before = f.compiles
    f(5, 2.5), f(-1, 2.5), f(70, 2.5)
    assert f.compiles == before  # each is found again


def test_functions_of_one_code_share_no_limit():
    """What the calls of others have made an argument may be a power here."""

    def scaled(c):
        return lambda x, n: x * c**n

    for k, n in enumerate(NUMBERS):
        assert myia.grad(scaled(k + 1))(1.5, n) == pytest.approx(float((k + 1) ** n), rel=1e-14)


def test_a_limit_of_values_at_run_time_stays_an_error():
    """The int alone does not tell the number: there is no other program."""

    def product(n, x):
        total = 1
        while total < x:
            total *= n
        return total

    f = myia.jit(product)
    assert [f(n, 1e3) for n in range(2, 8)] == [product(n, 1e3) for n in range(2, 8)]
    with pytest.raises(OverflowError, match="64 bits"):
        f(9, 1e30)
    with pytest.raises(OverflowError, match="64 bits"):
        f.lower(9, 1e30).compile()(9, 1e30)


def test_a_counter_goes_beyond_64_bits():
    program = myia.jit(in_a_dict)
    state = {"step": 0}
    for _ in range(5):
        program(state, 1.0)
    state["step"] = 2**63 - 1
    assert program(state, 1.0) == 1.0 / 2**63 and state["step"] == 2**63
    assert program(state, 1.0) == 1.0 / (2**63 + 1) and state["step"] == 2**63 + 1


class Level(enum.IntEnum):
    LOW, MIDDLE, HIGH, TOP, OVER = range(5)


class Ticket(int):
    """An int with a class of its own stays what it is."""


PROGRAMS = {bool: 2, np.int64: 1, str: 5, Level: 5, Ticket: 5}


@pytest.mark.parametrize("make", PROGRAMS)
def test_only_ints_become_arguments(make):
    one = make(1)
    program = myia.jit(lambda p, x: x if p["k"] == one else 2.0 * x)
    for k in range(5):
        assert program({"k": make(k)}, 3.0) == (3.0 if make(k) == one else 6.0)
    assert program.compiles == PROGRAMS[make]


# ----- Derivatives


class Model:
    def __init__(self):
        self.w = np.array([1.0, 2.0])
        self.epoch = 0


def loss(model, x, state):
    return np.sum(model.w**2 * x) * (1 + model.epoch) + state["step"] * model.w[0]


def slope(w, x, epoch, step):
    return 2 * w * x * (1 + epoch) + step * np.array([1.0, 0.0])


def test_gradients_with_respect_to_what_holds_an_int():
    gradient = myia.grad(loss)
    both = myia.value_and_grad(loss)
    for i in range(CALLS):
        model, state, x = Model(), {"step": i}, 0.5 + i
        model.epoch = 2 * i
        expected = slope(model.w, x, 2 * i, i)
        found, (value, again) = gradient(model, x, state), both(model, x, state)
        assert value == pytest.approx(loss(model, x, state), rel=1e-14)
        for g in (found, again):
            np.testing.assert_allclose(g.w, expected, rtol=1e-14)
            assert (g.epoch, type(g.epoch)) == (2 * i, int)
    assert gradient.compiles == both.compiles == 4


def test_derivatives_beside_ints_that_change():
    def f(x, state):
        return x ** state["k"] * state["n"][0]

    transforms = {
        "jacfwd": lambda x, k: k * x ** (k - 1) * (k + 1),
        "jacrev": lambda x, k: k * x ** (k - 1) * (k + 1),
        "hessian": lambda x, k: k * (k - 1) * x ** (k - 2) * (k + 1),
    }
    for name, expected in transforms.items():
        derivative = getattr(myia, name)(f)
        for k in range(2, 9):
            found = derivative(1.5, {"k": k, "n": [k + 1]})
            assert found == pytest.approx(expected(1.5, k), rel=1e-13)
        assert derivative.compiles == 4, name
    for k in range(2, 9):
        state = {"k": k, "n": [k + 1]}

        def at(x, state=state):
            return f(x, state)

        assert myia.jvp(at, (1.5,), (1.0,))[1] == pytest.approx(k * 1.5 ** (k - 1) * (k + 1))
        assert myia.vjp(at, 1.5)[1](1.0)[0] == pytest.approx(k * 1.5 ** (k - 1) * (k + 1))


def test_lowered_programs_keep_to_their_ints():
    program = myia.jit(in_a_dict)
    early = program.lower({"step": 7}, 2.0).compile()
    state = {"step": 0}
    for _ in range(5):
        program(state, 1.0)
    late = program.lower({"step": 7}, 2.0).compile()
    for compiled, other in ((early, 7), (late, 100)):
        state = {"step": other}
        assert compiled(copy.copy(state), 2.0) == 2.0 / (other + 1)
    with pytest.raises(TypeError, match=r"`state\['step'\]` is 8, was 7; "):
        early({"step": 8}, 2.0)
