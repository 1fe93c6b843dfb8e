"""Random programs that raise and catch, against plain Python: values, stores, errors, gradients.

python -m tests.fuzz.exceptions --count 300 --seed 0
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections import Counter
from random import Random
from typing import Any

import numpy as np

import myia
from myia.infer.domain.checks import HIDDEN, Hidden
from myia.infer.domain.errors import CertainError
from tests.fuzz.harness import define
from tests.zoo.reference_calls import ReferenceCalls

HEAD = """
class Bad(Exception):
    pass

class Worse(Bad):
    def __init__(self, value, k=0):
        super().__init__("worse", value)
        self.value = value
        self.k = k

"""
CLASSES = ["ValueError", "KeyError", "Bad", "Worse", "IndexError", "ZeroDivisionError"]
CAUGHT = [*CLASSES, "Exception", "LookupError", "ArithmeticError", "(ValueError, Bad)"]
INPUTS = [-2.0, -1.0, 0.0, 0.5, 1.5, 2.0]
STEP = 1e-6
OF_FLOATS = {str((text,)) for text in ("float division by zero", "math domain error")}


class Generator:
    """Writes one program. `operations`: Python's floats and `math` raise, too."""

    def __init__(self, rng: Random, operations: bool = True):
        self.rng, self.operations = rng, operations
        self.lines: list[str] = []
        self.size = self.loops = 0

    def program(self) -> str:
        for name in ("h0", "h1", "f"):
            self.lines.append(f"def {name}(x, y, n, a):")
            self.helpers = [h for h in ("h0", "h1") if h < name and name != "h0"]
            self.size, self.loops = self.rng.randint(3, 7) if name != "f" else 16, 0
            self.line(1, "s = 0.25")
            self.line(1, "t = y")
            self.line(1, "k = 0")
            if name == "f" and self.rng.random() < 0.8:
                self.try_(1, loop=False, handler=False)
            self.block(1, loop=False, handler=False)
            self.line(1, "return s * x + t + k")
        return HEAD + "\n".join(self.lines) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def number(self) -> str:
        return self.rng.choice(["x", "y", "s", "t", "0.5", "2.0", "a[1]", "k"])

    def expression(self) -> str:
        p, q, pick = self.number(), self.number(), self.rng.random()
        if pick < 0.4:
            return f"{p} * {q}"
        if pick < 0.6:
            return f"{p} + {q}"
        if pick < 0.7:
            return f"{p} - a[{self.rng.choice(['0', 'k', 'n', 'n - 1'])}]"
        if pick < 0.8:
            return f"{p} + k // (n - 1)"
        if self.operations and pick < 0.95:
            floats = self.rng.choice(["x", "y", "(x - y)"])
            return self.rng.choice(
                [f"{p} / {floats}", f"math.sqrt({floats})", f"math.log({floats})"]
            )
        if self.helpers:
            return f"{self.rng.choice(self.helpers)}({self.rng.choice('xy')}, {p}, n, a)"
        return p

    def test(self) -> str:
        return self.rng.choice(
            ["x > 0.2", "y < 1.0", "s > t", "k == 1", "n > 2", "a[0] < 1.0", "t < 3.0", "k > 1"]
        )

    def block(self, depth: int, loop: bool, handler: bool) -> None:
        for _ in range(self.rng.randint(1, 3)):
            self.statement(depth, loop, handler)

    def statement(self, depth: int, loop: bool, handler: bool) -> None:
        self.size -= 1
        rng = self.rng
        if self.size < 0 or depth > 6:
            self.line(depth, rng.choice(["s += 0.125", "t = s - t", "k += 1", "pass"]))
            return
        pick = rng.random()
        if pick < 0.22:
            self.line(depth, f"{rng.choice('st')} {rng.choice(['=', '+='])} {self.expression()}")
        elif pick < 0.3:
            self.line(depth, f"a[{rng.choice('012kn')}] {rng.choice(['=', '-='])} {self.number()}")
        elif pick < 0.34:
            self.line(depth, "k += 1")
        elif pick < 0.44:
            self.line(depth, f"if {self.test()}:")
            self.block(depth + 1, loop, handler)
            if rng.random() < 0.4:
                self.line(depth, "else:")
                self.block(depth + 1, loop, handler)
        elif pick < 0.54 and self.loops < 2:
            self.loops += 1
            if rng.random() < 0.5:
                self.line(depth, f"for i{depth} in range({rng.choice(['2', '3', 'n'])}):")
            else:
                self.line(depth, f"w{depth} = 0")
                self.line(depth, f"while w{depth} < {rng.choice(['2', 'n', '3'])}:")
                self.line(depth + 1, f"w{depth} += 1")
            self.block(depth + 1, True, handler)
            if rng.random() < 0.2:
                self.line(depth, "else:")
                self.block(depth + 1, loop, handler)
            self.loops -= 1
        elif pick < 0.68:
            self.jump(depth, loop, handler)
        else:
            self.try_(depth, loop, handler)

    def jump(self, depth: int, loop: bool, handler: bool) -> None:
        rng = self.rng
        if rng.random() < 0.85:
            self.line(depth, f"if {self.test()}:")
            depth += 1
        choices = ["raise"] * 4 + ["return"] + ["break", "continue"] * loop + ["again"] * handler
        pick = rng.choice([*choices, "assert"])
        if pick == "raise":
            cls = rng.choice(CLASSES)
            arguments = rng.choice(["", '"no"', f"{self.number()} + 1.0", '"k", k + 1'])
            if cls == "Worse":
                arguments = rng.choice(["t * 2.0", "s + 1.0, k"])
            self.line(depth, f"raise {cls}({arguments})")
        elif pick == "return":
            self.line(depth, f"return {self.number()} * 1.5")
        elif pick == "assert":
            self.line(depth, f"assert {self.test()}")
        else:
            self.line(depth, {"again": "raise"}.get(pick, pick))

    def try_(self, depth: int, loop: bool, handler: bool) -> None:
        rng = self.rng
        self.line(depth, "try:")
        self.block(depth + 1, loop, handler)
        handlers = rng.randint(0 if rng.random() < 0.25 else 1, 2)
        for i in range(handlers):
            cls = rng.choice(CAUGHT)
            if i == handlers - 1 and rng.random() < 0.15:
                self.line(depth, "except:")
            elif cls == "Worse" and rng.random() < 0.7:
                self.line(depth, "except Worse as e:")
                self.line(depth + 1, "s += e.value + e.k")
            elif rng.random() < 0.3:
                self.line(depth, f"except {cls} as e:")
                self.line(depth + 1, "k += len(e.args)")
            else:
                self.line(depth, f"except {cls}:")
            self.block(depth + 1, loop, True)
        if handlers and rng.random() < 0.3:
            self.line(depth, "else:")
            self.block(depth + 1, loop, handler)
        if not handlers or rng.random() < 0.3:
            self.line(depth, "finally:")
            self.block(depth + 1, loop if rng.random() < 0.2 else False, handler)


def outcome(f: Any, args: tuple) -> tuple[Any, ...]:
    """What a call returns and stores, or raises."""
    x, y, n, a = args
    a = a.copy()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            value = f(x, y, n, a)
    except myia.MyiaError:
        raise
    except Exception as error:
        return "raises", type(error).__name__, error.args
    return "returns", float(value), a


def agree(one: tuple, other: tuple) -> bool:
    if one[:1] != other[:1]:
        return False
    if one[0] == "raises":
        return one[1] == other[1] and _near(one[2], other[2])
    return np.allclose(one[1], other[1], rtol=1e-9, equal_nan=True) and np.allclose(
        one[2], other[2], rtol=1e-9, equal_nan=True
    )


def _near(one: tuple, other: tuple) -> bool:
    """The arguments of two exceptions; a number that a second run would find is not compared."""
    return len(one) == len(other) and all(map(_near_argument, one, other))


def _near_argument(p: Any, q: Any) -> bool:
    if isinstance(q, Hidden) or HIDDEN in str(q):
        return True
    if isinstance(p, (float, int)):
        return bool(np.isclose(p, q, rtol=1e-9, equal_nan=True))
    return bool(p == q)


def check(source: str, rng: Random, gradients: bool = True) -> Counter:
    """Compare a program with plain Python; raises AssertionError."""
    counts: Counter = Counter()
    f = define(source, {"math": math, "np": np})["f"]
    compiled = ReferenceCalls(myia.jit(f))
    derivative = ReferenceCalls(myia.grad(f))
    for _ in range(5):
        a = np.array([rng.choice(INPUTS) for _ in range(3)])
        args = rng.choice(INPUTS), rng.choice(INPUTS), rng.randint(0, 3), a
        expected = outcome(f, args)
        try:
            found = outcome(compiled, args)
        except CertainError as error:  # it is sure to be raised
            assert issubclass(error.exception, BaseException)
            found = expected if expected[:2] == ("raises", error.exception.__name__) else None
            counts["while compiling"] += 1
            if found is None:
                return counts  # Python raises it for other arguments
        except myia.MyiaError as error:
            counts[f"refused: {type(error.diagnostic).__name__}: {str(error)[:90]}"] += 1
            return counts
        if expected[0] == "raises" and str(expected[2]) in OF_FLOATS:
            counts["of floats"] += 1  # where nothing catches it, we do not raise it
            continue
        assert agree(expected, found), f"{args}: expected {expected}, found {found}\n{source}"
        counts[expected[0]] += 1
        if gradients and expected[0] == "returns":
            counts += _compare_gradient(f, derivative, args, source)
    return counts


def _compare_gradient(f: Any, derivative: Any, args: tuple, source: str) -> Counter:
    """Against central differences, where the function is smooth around `args`."""
    x, *rest = args
    x += 0.0123
    steps = (-2 * STEP, -STEP, STEP, 2 * STEP)
    values = [outcome(f, (x + h, *rest)) for h in steps]
    if not all(v[0] == "returns" and math.isfinite(v[1]) for v in values):
        return Counter()
    wide = (values[3][1] - values[0][1]) / (4 * STEP)
    near = (values[2][1] - values[1][1]) / (2 * STEP)
    if abs(wide - near) > 1e-5 * (1 + abs(near)) or abs(near) > 1e5:
        return Counter(rough=1)
    found = outcome(derivative, (x, *rest))
    right = found[0] == "returns" and np.isclose(found[1], near, rtol=1e-4, atol=1e-4)
    assert right, f"gradient at {(x, *rest)}: expected {near}, found {found}\n{source}"
    return Counter(gradients=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-operations", action="store_true")
    options = parser.parse_args()
    counts: Counter = Counter()
    for seed in range(options.seed, options.seed + options.count):
        rng = Random(seed)
        source = Generator(rng, not options.no_operations).program()
        try:
            counts += check(source, rng)
        except Exception as error:
            counts["failures"] += 1
            print(f"seed {seed}: {type(error).__name__}: {error}\n")
    for name, count in counts.most_common():
        print(f"{count:6} {name}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
