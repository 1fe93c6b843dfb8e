"""Items of lists and tuples of functions, strings and enum members, at run-time indices."""

import enum
import math

import numpy as np
import pytest

import myia
from tests.infer.lists.test_list_edits import assert_same, outcome


class Phase(enum.Enum):
    SOLID = 1
    LIQUID = 2
    GAS = 3


def functions(x):
    table = [math.sin, math.cos, lambda t: math.tanh(t) ** 2]
    return sum(table[int(abs(v) * 3) % 3](v) for v in x)


def functions_in_a_loop(x):
    table, total, i = (np.sin, np.cos, lambda t: t * x[0], np.sin), 0.0, 0
    while i < 6:
        total += table[int(abs(x[i % 4]) * 5.1) % 4](x[i % 4] + total)
        i += 1
    return total


def closures_of_one_code(x):
    powers = [lambda t, k=k: x[k] * t**k for k in (1, 2, 3)]
    return sum(powers[int(abs(v) * 2) % 3](v) for v in x)


def methods(x):
    class Line:
        def __init__(self, a):
            self.a = a

        def value(self, t):
            return self.a * t

        def square(self, t):
            return self.a + t * t

    line = Line(x[1])
    return sum([line.value, line.square][int(v > 0.5)](v) for v in x)


def keys_of_a_dict(x):
    kinds = ["low", "mid", "high", "mid"]
    weights = {"low": 0.5, "mid": 2.0, "high": -1.0}
    return sum(weights[kinds[min(int(abs(v) * 3.5), 3)]] * v * v for v in x)


def members(x):
    phases, total = list(Phase), 0.0
    for v in x:
        phase = phases[int(abs(v) * 2) % 3]
        if phase is Phase.SOLID:
            total += v
        elif phase == Phase.LIQUID:
            total *= v
        else:
            total += phase.value * v * v
    return total


def from_the_end(x):
    return (2.0 if ("a", "b", "c")[-1 - int(x[0] * 3)] == "b" else 3.0) * x[1]


def clipped(v, lo=-1.0, hi=1.0):
    return max(lo, min(hi, v))


RULES = [("square", lambda v, **_: v * v), ("clipped", clipped), ("linear", lambda v, lo: v - lo)]


def rows_of_a_table(x):
    total, weights = 0.0, (("a", (x[0], "u")), ("b", (x[1], "v")), ("a", (2.0, "v")))
    for v in x:
        name, rule = RULES[int(abs(v) * 2.9) % 3]
        total += rule(v, lo=-0.5) * (2 if name == "clipped" else 1)
        kind, (weight, other) = weights[int(abs(v) * 2.9) % 3]
        total += weight * v * (3 if kind == "a" and other == "v" else 1)
    return total


def out_of_range(x):
    return [math.sin, math.cos][int(x[2] * 4)](x[0])


PROGRAMS = (functions, functions_in_a_loop, closures_of_one_code, methods, keys_of_a_dict)
PROGRAMS += (members, from_the_end, rows_of_a_table)
X = np.array([0.63, -0.31, 1.2, 0.45])


@pytest.mark.parametrize("f", (*PROGRAMS, out_of_range), ids=lambda f: f.__name__)
def test_as_python(f):
    assert_same(outcome(myia.jit(f), X), outcome(f, X))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("order", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_derivatives(f, order):
    myia.check_grads(lambda x: 1e-1 * f(x), (X,), order=order)


def test_indices_of_unrolled_loops_are_known():
    def layers(x):
        for k in range(3):
            x = (np.sin, np.cos, np.tanh)[k](x) * x
        return x

    assert " if " not in str(myia.jit(layers).ir(X)["typed"])
