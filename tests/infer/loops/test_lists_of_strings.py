"""Loops over lists of strings, functions and the like, which unrolled code knows one by one."""

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_same, inferred, run

PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}


def popped_while_there_are(x):
    ops = []
    for ch in "ab":
        while ops:
            ops.pop()
            x = x * 2.0
        ops.append(ch)
    return x, ops


def popped_by_name(x):
    ops = []
    for ch in "abca":
        while len(ops) > 0:
            if ops.pop() == "a":
                x = x * 2.0
            else:
                x = x + 1
        ops.append(ch)
    return x, ops


def left_by_break(x):
    ops = []
    for ch in "abcad":
        while True:
            if not ops:
                break
            if ops[-1] == "c":
                x = x + 3
                break
            ops.pop()
            x = x * 2.0
        ops.append(ch)
    return x, ops


def infix(tokens, values):
    numbers, operators = [], []

    def apply():
        op, b, a = operators.pop(), numbers.pop(), numbers.pop()
        numbers.append({"+": a + b, "-": a - b, "*": a * b, "/": a / b}[op])

    for token in tokens:
        if token in PRECEDENCE:
            while operators and PRECEDENCE.get(operators[-1], 0) >= PRECEDENCE[token]:
                apply()
            operators.append(token)
        elif token == "(":
            operators.append(token)
        elif token == ")":
            while operators[-1] != "(":
                apply()
            operators.pop()
        else:
            numbers.append(values[token] if token in values else float(token))
    while operators:
        apply()
    return numbers.pop()


def calculator(x):
    return infix(
        [
            "2",
            "*",
            "(",
            "x",
            "+",
            "y",
            ")",
            "-",
            "y",
            "/",
            "x",
            "*",
            "x",
            "-",
            "(",
            "3",
            "-",
            "x",
            ")",
        ],
        {"x": x, "y": x * x},
    )


def by_count(x):
    ops = ["a", "a"]
    for _ in range(2):
        ops.pop()
        x = x * 2.0
    ops.append("b")
    return x, ops


def appended_and_others(x):
    ops = []
    for _ in range(3):
        ops.append("a")
        x = x * 2.0
    ops.append("b")
    return x * len(ops), ops


def pairs(x):
    ops = [("a", x)]
    for ch in "bc":
        while ops:
            _, y = ops.pop()
            x = x * 2.0 + y
        ops.append((ch, x))
    return x, ops


def functions(x):
    waiting = [np.sin]
    for f in (np.cos, np.tanh):
        while waiting:
            x = waiting.pop()(x)
        waiting.append(f)
    return x, len(waiting)


def a_queue(x):
    graph = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}
    waiting, seen = ["a"], []
    while waiting:
        node = waiting.pop(0)
        if node not in seen:
            seen.append(node)
            x = x * 1.5 + len(graph[node])
            waiting.extend(graph[node])
    return x, seen


WITH_LISTS = (popped_while_there_are, popped_by_name, left_by_break, by_count,
              appended_and_others, pairs, functions, a_queue)  # fmt: skip


@pytest.mark.parametrize("f", WITH_LISTS)
def test_value_and_list(f):
    assert_same(myia.jit(f)(0.5), f(0.5))


@pytest.mark.parametrize("f", (*WITH_LISTS, calculator))
def test_gradient(f):
    def number(x):
        found = f(x)
        return found[0] if isinstance(found, tuple) else found

    assert_same(myia.jit(number)(0.7), number(0.7))
    wanted = (number(0.7 + 1e-6) - number(0.7 - 1e-6)) / 2e-6
    np.testing.assert_allclose(myia.grad(number)(0.7), wanted, rtol=1e-7)


def test_a_long_list_is_a_loop():
    def f(x):
        ops = ["a"] * 2000
        while ops:
            ops.pop()
            x = x * 1.001
        return x

    program, _ = inferred(f, 0.5)
    assert len(program.function.region.ops) < 50
    np.testing.assert_allclose(myia.jit(f)(0.5), f(0.5), rtol=1e-12)


def test_a_length_that_only_the_run_knows():
    def f(x):
        ops = ["a", "a", "a"]
        while ops and x < 3.0:
            ops.pop()
            x = x * 2.0
        return x, len(ops)

    for x in (0.1, 1.0, 5.0):
        assert run(f, x) == f(x)

    def other(x):
        ops = ["a"]
        while ops and x < 3.0:
            ops.pop()
            x = x * 2.0
        ops.append("b")
        return x, len(ops)

    with pytest.raises(MyiaError, match="statics"):
        run(other, 1.0)
