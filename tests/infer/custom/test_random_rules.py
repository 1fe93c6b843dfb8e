"""Random nests of functions with derivative rules, against the same functions without rules.

The rules are right: they are made of derivatives of the body, taken in random ways. So values and
derivatives to second order are those of the functions without rules.
"""

from __future__ import annotations

import linecache
import random
from dataclasses import dataclass, field

import numpy as np
import pytest

import myia

EXPRESSIONS = [
    "np.sin(x) * {g}",
    "x * {g} + 0.3 * {g}",
    "np.tanh(x + {g})",
    "{g} / (1.0 + x * x)",
    "np.exp(-x * x) + {g}",
    "np.sum(np.array([x, {g}]) ** 2) * 0.2",
]
STATEMENTS = [
    "    x = {e}\n",
    "    if x > {c}:\n        x = {e}\n",
    "    if x > {c}:\n        x = {e}\n    else:\n        x = 0.5 * x + {g}\n",
    "    for _ in range({n}):\n        x = 0.5 * ({e})\n",
    "    for _ in range(3):\n        if x > {c}:\n            x = 0.4 * ({e})\n",
    "    t = 0.0\n    while t < 1.0:\n        t += 0.3 + 0.1 * x * x\n        x = 0.7 * ({e})\n",
]
JVP_RULES = [
    "({f}({n}x), myia.grad(body)(x) * t)",
    "(body(x), myia.vjp(body, x)[1](t)[0])",
    "(body(x), t * myia.jacrev(body)(x))",
    "({f}({n}x), t * myia.value_and_grad(body)(x)[1])",
]
JVP_RULES_FORWARD = ["myia.jvp(body, (x,), (t,))", "({f}({n}x), t * myia.jacfwd(body)(x))"]
VJP_RULES = [
    ("({f}({n}x), x)", "ct * myia.grad(body)(r)"),
    ("myia.vjp(body, x)", "r(ct)[0]"),
    ("myia.value_and_grad(body)(x)", "r * ct"),
    ("(body(x), [x])", "myia.vjp(body, r[0])[1](ct)[0]"),
    ("({f}({n}x), {{'x': x}})", "ct * myia.elementwise_grad(body)(r['x'])"),
]
VJP_RULES_FORWARD = [("(body(x), x)", "myia.jvp(body, (r,), (ct,))[1]")]


@dataclass
class Program:
    """The text of functions `f0`, `f1`, ... of which each calls earlier ones."""

    seed: int
    forward: list[bool] = field(default_factory=list)  # has each a forward mode?
    counted: list[bool] = field(default_factory=list)  # does it take a count first?
    plain: str = ""
    ruled: str = ""

    def __post_init__(self):
        self.choose = random.Random(self.seed)
        for i in range(self.choose.randint(2, 4)):
            self.function(i)

    def call(self, called: set[int]) -> str:
        if not self.forward or self.choose.random() < 0.2:
            return "x"
        j = self.choose.randrange(len(self.forward))
        called.add(j)
        return f"f{j}({'2, ' if self.counted[j] else ''}x)"

    def body(self, counted: bool) -> tuple[str, set[int]]:
        called: set[int] = set()
        text = ""
        for _ in range(self.choose.randint(1, 2)):
            e = self.choose.choice(EXPRESSIONS).replace("{g}", self.call(called))
            statement = self.choose.choice(STATEMENTS)
            c, n = round(self.choose.uniform(0.1, 0.9), 2) + 0.0137, "n" if counted else 2
            text += statement.format(e=e, c=c, n=n, g=self.call(called))
        return text + "    return x\n", called

    def function(self, i: int) -> None:
        counted = self.choose.random() < 0.3
        body, called = self.body(counted)
        n = "n, " if counted else ""
        self.plain += f"def f{i}({n}x):\n{body}\n"
        self.ruled += f"def body{i}({n}x):\n{body}\n"
        mode = self.choose.choice(["jvp", "vjp", "vjp"])
        forward = all(self.forward[j] for j in called)
        numbers = "(0,)" if counted else "()"
        self.ruled += f"f{i} = myia.custom_{mode}(lambda {n}x: body{i}({n}x), {numbers})\n"
        local = f"    body = lambda x: body{i}({n}x)\n"
        names = {"f": f"f{i}", "n": n}
        if mode == "jvp":
            rules = JVP_RULES + JVP_RULES_FORWARD * forward
            rule = self.choose.choice(rules).format(**names)
            self.ruled += f"def rule{i}({n}primals, tangents):\n{local}"
            self.ruled += f"    (x,), (t,) = primals, tangents\n    return {rule}\n"
            self.ruled += f"f{i}.defjvp(rule{i})\n\n"
        else:
            first, second = self.choose.choice(VJP_RULES + VJP_RULES_FORWARD * forward)
            self.ruled += f"def fwd{i}({n}x):\n{local}    return {first.format(**names)}\n"
            self.ruled += f"def bwd{i}({n}r, ct):\n{local}    return ({second},)\n"
            self.ruled += f"f{i}.defvjp(fwd{i}, bwd{i})\n\n"
        self.forward.append(forward and mode == "jvp")
        self.counted.append(counted)

    def last(self, text: str):
        name = f"<rules {self.seed}, {len(text)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        namespace = {"__name__": "program", "np": np, "myia": myia}
        exec(compile(text, name, "exec"), namespace)
        f = namespace[f"f{len(self.forward) - 1}"]
        return (lambda x: f(2, x)) if self.counted[-1] else f


def derivatives(f, forward: bool):
    first = myia.grad(f)

    def found(x):
        reverse = (f(x), first(x), myia.grad(first)(x))
        return (*reverse, myia.hessian(f)(x), myia.jvp(f, (x,), (1.0,))[1]) if forward else reverse

    return myia.jit(found)


def check(seed: int) -> None:
    program = Program(seed)
    plain, ruled = program.last(program.plain), program.last(program.ruled)
    x, h = 0.6 + 0.05 * (seed % 7), 1e-6
    want = derivatives(plain, program.forward[-1])(x)
    found = derivatives(ruled, program.forward[-1])(x)
    np.testing.assert_allclose(found, want, rtol=1e-9, atol=1e-10, err_msg=program.ruled)
    slope = (plain(x + h) - plain(x - h)) / (2 * h)
    np.testing.assert_allclose(found[:2], (plain(x), slope), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_random_rules(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 102))
def test_more_random_rules(seed):
    check(seed)
