"""Random recursive programs against plain Python: values, stores, errors, two derivatives.

python -m tests.infer.recursion.random_programs --count 100 --seed 0

A program has one to three functions that call themselves and each other, `n` less at each call. In
some `n` is known at run time only, so that the recursion becomes a state machine.
"""

from __future__ import annotations

import argparse
import copy
import math
import sys
import warnings
from collections import Counter
from random import Random
from typing import Any

import numpy as np

import myia
from myia.source.hidden import HIDDEN
from tests.fuzz.harness import define
from tests.zoo.reference_calls import ReferenceCalls

HEAD = """
class Stop(Exception):
    pass

"""
RESULTS = ["number", "number", "number", "pair", "none or number", "nothing", "array"]
EXTRAS = ["z", "t", "xs", "v", "o", "step=2", "*, scale=0.5"]
KINDS = {
    "float": lambda v: float(v),
    "np.float64": lambda v: np.float64(v),
    "float32": lambda v: np.float32(v),
    "complex": lambda v: complex(v, 0.25),
    "int": lambda v: round(2 * v),
    "bool": lambda v: v > 0,
}
STEP = 1e-5


class Box:
    """An object that programs are given, and change."""

    def __init__(self, total: float) -> None:
        self.total, self.count = total, 0


class Generator:
    """Writes one program: `f(n, x, y, z, a)`, where `z` may be of any kind."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.names = [f"r{i}" for i in range(rng.choice([1, 1, 1, 2, 2, 3]))]
        self.results = {name: rng.choice(RESULTS) for name in self.names}
        self.extras = {name: self._extras() for name in self.names}
        self.style = rng.choice(["global", "global", "inner", "method"])
        self.seen: Counter[str] = Counter([self.style])
        self.size = self.calls = self.loops = 0
        self.now = ""
        self.known: list[str] = []

    def _extras(self) -> list[str]:
        extras = [e for e in EXTRAS if self.rng.random() < 0.3]
        return sorted(extras, key=EXTRAS.index)

    def program(self) -> str:
        depth = 0 if self.style == "global" else 1
        head = "def f(n, x, y, z, a):"
        if self.style == "inner":
            self.lines += [head, "    count = 0", "    memory = a * 0.5"]
        elif self.style == "method":
            self.lines += ["class Machine:", "    def __init__(self, a):"]
            self.lines += ["        self.a = a", "        self.count = 0"]
        for name in self.names:
            self.function(name, depth)
        if self.style != "inner":
            self.lines.append(head)
        if self.style == "method":
            self.line(1, "m = Machine(a)")
        self.outer()
        return HEAD + "\n".join(self.lines) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def outer(self) -> None:
        self.known = ["x", "y"]
        self.line(1, "t = (x, y)")
        self.line(1, "xs = [y, 0.5]")
        self.line(1, "v = a + 1.0")
        self.line(1, "o = Box(0.5)")
        self.line(1, "s = y")
        self.now = ""
        pick, first = self.rng.random(), self.names[0]
        if pick < 0.2:
            self.seen["in a loop"] += 1
            self.line(1, "for i in range(3):")
            self.use(2, first, "i")
        elif pick < 0.35:
            self.seen["in a try"] += 1
            self.line(1, "try:")
            self.use(2, first, "n")
            self.line(1, "except Stop as e:")
            self.line(2, "s = s * 0.5 + len(e.args)")
        elif pick < 0.45:
            self.seen["in a branch"] += 1
            self.line(1, "if x > 0.0:")
            self.use(2, first, "n")
        else:
            self.use(1, first, "n")
        if self.rng.random() < 0.3:
            self.use(1, self.rng.choice(self.names), "n - 1")
        count = {"inner": " + count", "method": " + m.count"}.get(self.style, "")
        self.line(1, f"return s + o.total * x + o.count + xs[0] + v[0]{count}")

    def function(self, name: str, depth: int) -> None:
        rng, self.now = self.rng, name
        parameters = ["n", "x", "a", *self.extras[name]]
        self.known = ["x", *(e for e in ("z",) if e in self.extras[name]), "s"]
        if self.style == "method":
            parameters.insert(0, "self")
        self.line(depth, f"def {name}({', '.join(parameters)}):")
        depth += 1
        if self.style == "inner" and rng.random() < 0.6:
            self.line(depth, "nonlocal count")
            self.line(depth, "count += 1")
        if self.style == "method" and rng.random() < 0.6:
            self.line(depth, "self.count += 1")
        if rng.random() < 0.4:
            self.line(depth, "s = x * 0.5")
            self.base(depth)
        else:
            self.base(depth)
            self.known.remove("s")
            self.line(depth, f"s = {self.number()}")
            self.known.append("s")
        self.size, self.calls, self.loops = rng.randint(4, 9), 0, 0
        for _ in range(rng.randint(2, 4)):
            self.statement(depth, False)
        if not self.calls:
            self.use(depth, rng.choice(self.names), "n - 1")
        self.give(depth)

    def base(self, depth: int) -> None:
        self.line(depth, "if n <= 0:")
        known, self.known = self.known, [k for k in self.known if k != "s"]
        if self.rng.random() < 0.3:
            self.store(depth + 1)
        self.give(depth + 1, is_base=True)
        self.known = known

    def give(self, depth: int, is_base: bool = False) -> None:
        kind = self.results[self.now]
        one, two = self.number(), self.number()
        if kind == "pair":
            self.line(depth, f"return {one}, {two}")
        elif kind == "array":
            w = self.rng.choice(["a * 0.5", "a + x", f"np.array([{one}, {two}, 0.5])"])
            self.line(depth, f"return {w}")
        elif kind == "nothing" or (kind == "none or number" and is_base):
            self.line(depth, "return" if self.rng.random() < 0.5 else "return None")
        else:
            self.line(depth, f"return {one} * {two}" if not is_base else f"return {one}")

    # ----- Calls

    def call(self, name: str, n: str) -> str:
        rng, extras, mine = self.rng, self.extras[name], self.extras.get(self.now, EXTRAS)
        x = rng.choice(["x", "x * 0.5", "x + 0.25", "x - a[0]"])
        values = {
            "z": "z" if "z" in mine and rng.random() < 0.7 else rng.choice(["x", "1.5", "2"]),
            "t": "t" if "t" in mine and rng.random() < 0.5 else "(x, 0.5)",
            "xs": "xs" if "xs" in mine else "[x, 1.0]",
            "v": rng.choice(["v", "v * 0.5"]) if "v" in mine else "a * 2.0",
            "o": "o" if "o" in mine else "Box(x)",
        }
        arguments = [n, x, "a", *(values[e] for e in extras if e in values)]
        if "step=2" in extras and rng.random() < 0.5:
            arguments.append(rng.choice(["3", "step=1", "step=n"]))
        if "*, scale=0.5" in extras and rng.random() < 0.5:
            arguments.append("scale=" + rng.choice(["x", "0.25"]))
        if rng.random() < 0.1 and len(arguments) == 3:
            arguments = [f"x={x}", f"n={n}", "a=a"]
        prefix = {"method": "m." if not self.now else "self."}.get(self.style, "")
        return f"{prefix}{name}({', '.join(arguments)})"

    def use(self, depth: int, name: str, n: str) -> None:
        """A statement that calls `name` and does something with the result."""
        self.calls += bool(self.now)
        rng, call, kind = self.rng, self.call(name, n), self.results[name]
        self.seen[f"gives {kind}"] += 1
        if kind == "nothing":
            self.line(depth, call)
        elif kind == "pair":
            self.line(depth, f"p, q = {call}")
            self.line(depth, "s = s + p * q")
        elif kind == "array":
            self.line(depth, f"w = {call}")
            if rng.random() < 0.3:
                self.seen["store into a result"] += 1
                self.line(depth, "w[0] = s")
            self.line(depth, "s = s + w[0] * w[2]")
        elif kind == "none or number":
            self.line(depth, f"p = {call}")
            self.line(depth, "s = s + (0.5 if p is None else p * 0.25)")
        else:
            self.number_of(depth, call, n)

    def number_of(self, depth: int, call: str, n: str) -> None:
        rng, pick = self.rng, self.rng.random()
        if pick < 0.25:
            self.line(depth, f"s {rng.choice(['+=', '-='])} {call} * 0.5")
        elif pick < 0.4:
            name = rng.choice([k for k in self.names if self.results[k] == "number"])
            self.calls += bool(self.now)
            self.seen["two in an expression"] += 1
            self.line(depth, f"s = s + {call} * {self.call(name, n)} * 0.125")
        elif pick < 0.5 and self.now:
            self.seen["conditional"] += 1
            self.line(depth, f"s = {call} if {self.test()} else s")
        elif pick < 0.58 and self.now:
            self.seen["and, or"] += 1
            word = rng.choice(["and", "or"])
            self.line(depth, f"if {self.test()} {word} {call} == 0.5:")
            self.line(depth + 1, "s = s - 0.25")
        elif pick < 0.68:
            self.seen["into an array"] += 1
            self.line(depth, f"a[1] = {call} * 0.25" if self.real() else f"s = s * {call}")
        elif pick < 0.74 and self.now:
            self.seen["comprehension"] += 1
            self.line(depth, f"s = s + sum([{call} for j in range({rng.choice(['2', 'n'])})])")
        else:
            self.line(depth, f"s = {call} + {self.number()}")

    def real(self) -> bool:
        return "z" not in "".join(e for es in self.extras.values() for e in es)

    # ----- Statements

    def number(self) -> str:
        pick = self.rng.random()
        if pick < 0.55:
            return self.rng.choice(self.known)
        if pick < 0.7:
            return self.rng.choice(["a[0]", "a[n % 3]", "np.sin(a[1])"])
        if pick < 0.9:
            return f"({self.rng.choice(self.known)} * {self.rng.choice(['x', '0.5', 'n'])})"
        extras = self.extras.get(self.now, [])
        special = [c for k, c in (("t", "t[1]"), ("xs", "xs[1]"), ("o", "o.total")) if k in extras]
        return self.rng.choice([*special, "0.75", "1"])

    def test(self) -> str:
        tests = ["x > 0.3", "a[0] < 1.0", "n % 2 == 0", "n > 1", "x < a[1]"]
        return self.rng.choice(tests)

    def less(self) -> str:
        return self.rng.choice(["n - 1", "n - 1", "n - 2", "n // 2"])

    def store(self, depth: int) -> None:
        extras = self.extras.get(self.now, [])
        choices = ["a[n % 3] += 0.25", "a[0] = x * 0.5", "a[1] *= 0.5"]
        choices += ["xs[0] = xs[0] * 0.5 + x"] * ("xs" in extras)
        choices += ["o.total += x", "o.count += 1"] * ("o" in extras)
        choices += ["memory[n % 3] += x"] * (self.style == "inner")
        self.line(depth, self.rng.choice(choices))

    def statement(self, depth: int, loop: bool) -> None:
        self.size -= 1
        rng, pick = self.rng, self.rng.random()
        if self.size < 0 or depth > 5:
            self.line(depth, rng.choice(["s = s * 0.5", "s += 0.125", "pass"]))
        elif pick < 0.4 and self.calls < 2:
            self.use(depth, rng.choice(self.names), self.less())
        elif pick < 0.5:
            self.store(depth)
        elif pick < 0.6:
            self.line(depth, f"s = s * {self.number()}")
        elif pick < 0.66:
            self.seen["local array"] += 1
            self.line(depth, f"w{depth} = a * {self.number()}")
            if rng.random() < 0.5:
                self.line(depth, f"w{depth}[0] = 0.5")
            if self.calls < 2:
                self.use(depth, rng.choice(self.names), self.less())
            self.line(depth, f"s = s + w{depth}[0] + w{depth}[2]")
        elif pick < 0.8:
            self.line(depth, f"if {self.test()}:")
            self.block(depth + 1, loop)
            if rng.random() < 0.5:
                self.line(depth, "else:")
                self.block(depth + 1, loop)
        elif pick < 0.92 and self.loops < 1 and self.calls < 2:
            self.loop(depth)
        else:
            self.jump(depth, loop)

    def block(self, depth: int, loop: bool) -> None:
        for _ in range(self.rng.randint(1, 2)):
            self.statement(depth, loop)

    def loop(self, depth: int) -> None:
        rng = self.rng
        self.loops += 1
        self.seen["loop inside"] += 1
        pick = rng.random()
        if pick < 0.4:
            self.line(depth, f"for i in range({rng.choice(['2', 'n', '3'])}):")
        elif pick < 0.6:
            self.line(depth, f"for e in {rng.choice(['a', '(x, 0.5)', 'a[:2]'])}:")
            self.line(depth + 1, "s = s + e * 0.25")
        else:
            self.line(depth, "k = 0")
            self.line(depth, f"while k < {rng.choice(['2', 'n'])}:")
            self.line(depth + 1, "k += 1")
        if rng.random() < 0.6:
            self.use(depth + 1, rng.choice(self.names), self.less())
        self.block(depth + 1, True)
        if rng.random() < 0.2:
            self.line(depth, "else:")
            self.block(depth + 1, False)
        self.loops -= 1

    def jump(self, depth: int, loop: bool) -> None:
        rng = self.rng
        self.line(depth, f"if {self.test()}:")
        pick = rng.random()
        if pick < 0.4 and loop:
            self.line(depth + 1, rng.choice(["break", "continue"]))
        elif pick < 0.6:
            self.seen["raise"] += 1
            self.line(depth + 1, rng.choice(["raise Stop(n)", 'raise ValueError("no")']))
        else:
            self.give(depth + 1)


# ----- Comparison


def outcome(f: Any, args: tuple) -> tuple[Any, ...]:
    """What a call returns and stores, or raises."""
    given = copy.deepcopy(args)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            value = f(*given)
    except myia.MyiaError:
        raise
    except Exception as error:
        return "raises", type(error).__name__, str(error)
    return "returns", value, given[-1]


def agree(one: tuple, other: tuple, rtol: float) -> bool:
    if one[0] != other[0] or one[0] == "raises":
        return one == other or (one[:2] == other[:2] and HIDDEN in other[2])
    return all(
        np.allclose(p, q, rtol=rtol, atol=rtol, equal_nan=True) for p, q in zip(one[1:], other[1:])
    )


class TooManyCalls(Exception):
    """A program that would take long."""


def calls_of(f: Any, args: tuple) -> None:
    """Raise TooManyCalls if Python makes thousands of calls."""
    count = 0

    def trace(frame: Any, event: str, _: Any) -> None:
        nonlocal count
        count += event == "call"
        if count > 3000:
            raise TooManyCalls

    sys.setprofile(trace)
    try:
        outcome(f, args)
    finally:
        sys.setprofile(None)


def arguments(rng: Random, kind: str) -> tuple[Any, ...]:
    n = rng.randint(0, 4)
    fuel = n if rng.random() < 0.2 else np.int64(n)
    numbers = [round(rng.uniform(-1.2, 1.2), 2) for _ in range(3)]
    a = np.array([round(rng.uniform(-1.0, 1.5), 2) for _ in range(3)])
    return fuel, numbers[0], numbers[1], KINDS[kind](numbers[2]), a


def check(source: str, rng: Random, second: bool = False, xla: bool = False) -> Counter[str]:
    """Compare a program with plain Python; raises AssertionError. `second`: derivatives, too."""
    counts: Counter[str] = Counter()
    f = define(source, {"math": math, "np": np, "Box": Box})["f"]
    kind = rng.choice(list(KINDS))
    compiled = myia.jit(f) if xla else ReferenceCalls(myia.jit(f))
    derivative = ReferenceCalls(myia.grad(f, argnums=1))
    for i in range(4):
        args = arguments(rng, kind)
        try:
            calls_of(f, args)
        except TooManyCalls:
            counts["too many calls"] += 1
            continue
        expected = outcome(f, args)
        try:
            found = outcome(compiled, args)
        except myia.MyiaError as error:
            wanted = getattr(error, "exception", None)
            if wanted is not None and expected[:2] == ("raises", wanted.__name__):
                counts["while compiling"] += 1
                continue
            text = str(error).splitlines()[0]
            counts[f"refused: {text[:110]}"] += 1
            return counts
        rtol = 1e-4 if kind == "float32" else 1e-9
        assert agree(expected, found, rtol), (
            f"{kind} {args}: expected {expected}, found {found}\n{source}"
        )
        counts[expected[0]] += 1
        smooth = expected[0] == "returns" and kind in ("float", "np.float64", "int", "bool")
        if smooth and i < 3:
            counts += compare_gradient(f, derivative, args, source)
        if smooth and second and i == 0:
            twice = ReferenceCalls(myia.grad(myia.grad(f, argnums=1), argnums=1))
            found = compare_gradient(derivative, twice, args, source)
            counts += Counter({f"second {name}": n for name, n in found.items()})
    return counts


def compare_gradient(f: Any, derivative: Any, args: tuple, source: str) -> Counter[str]:
    """Against central differences, where the function is smooth around `args`."""
    n, x, *rest = args
    x += 0.0123
    values = [outcome(f, (n, x + h, *rest)) for h in (-2 * STEP, -STEP, STEP, 2 * STEP)]
    if not all(v[0] == "returns" and math.isfinite(v[1]) for v in values):
        return Counter()
    wide = (values[3][1] - values[0][1]) / (4 * STEP)
    near = (values[2][1] - values[1][1]) / (2 * STEP)
    if abs(wide - near) > 1e-5 * (1 + abs(near)) or abs(near) > 1e4:
        return Counter(rough=1)
    found = outcome(derivative, (n, x, *rest))
    right = found[0] == "returns" and np.isclose(found[1], near, rtol=1e-4, atol=1e-4)
    assert right, f"gradient at {(n, x, *rest)}: expected {near}, found {found}\n{source}"
    return Counter(gradients=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--xla", action="store_true")
    parser.add_argument("--second", action="store_true")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.count):
        rng = Random(seed)
        generator = Generator(rng)
        source = generator.program()
        try:
            counts += check(source, rng, options.second, options.xla)
            counts += Counter({f"has: {k}": 1 for k in generator.seen})
        except Exception as error:
            counts["failures"] += 1
            print(f"seed {seed}: {type(error).__name__}: {error}\n", flush=True)
    for name, count in counts.most_common():
        print(f"{count:6} {name}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
