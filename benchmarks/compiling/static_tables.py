"""Tables that a program makes of static numbers: how long it takes to compile, against JAX.

JAX runs this code in Python while it traces. So does inference, where all is static, but one
operation of IR(py) after the other. Target: at most 0.15 s more than JAX.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import jax
from jax import numpy as jnp

from benchmarks.compiling.first_compile import compile_with_jax, compile_with_myia

ROUNDS = 5
POINT = 0.37


def fibonacci(x):
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    return x * fib(18)


def sieve(x):
    marks = [True] * 2_000
    marks[0] = marks[1] = False
    for i in range(2, len(marks)):
        if marks[i]:
            for j in range(i * i, len(marks), i):
                marks[j] = False
    return x * sum(i for i in range(len(marks)) if marks[i])


def collatz(x):
    longest = 0
    for start in range(1, 200):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        longest = max(longest, steps)
    return x * longest


def binomials(x):
    row = [1]
    for _ in range(24):
        row = [1, *[row[i] + row[i + 1] for i in range(len(row) - 1)], 1]
    total = 0.0
    for k, c in enumerate(row):
        total = total + c * x**k
    return total


def quadrature(x):
    n, total = 10, 0.0
    nodes, weights = [], []
    for i in range(n):
        z, step = math.cos(math.pi * (i + 0.75) / (n + 0.5)), 1.0
        while abs(step) > 1e-14:
            p, before = 1.0, 0.0
            for j in range(n):
                p, before = ((2 * j + 1) * z * p - j * before) / (j + 1), p
            slope = n * (z * p - before) / (z * z - 1)
            step = p / slope
            z -= step
        nodes.append(z)
        weights.append(2 / ((1 - z * z) * slope * slope))
    for z, w in zip(nodes, weights):
        total = total + w * (1.0 + x * z) ** 5
    return total


def queens(x):
    count, stack = 0, [()]
    while stack:
        found = stack.pop()
        if len(found) == 6:
            count += 1
            continue
        for c in range(6):
            if all(c != d and abs(c - d) != len(found) - r for r, d in enumerate(found)):
                stack.append((*found, c))
    return x * count


PROGRAMS: tuple[Callable, ...] = (fibonacci, sieve, collatz, binomials, quadrature, queens)


def seconds(f: Callable) -> dict[str, float]:
    """Processor seconds from source to executable: the least of several compilations."""

    def once(compiler: str) -> float:
        if compiler == "myia":
            return compile_with_myia(f, (POINT,))[0]["processor"]
        return compile_with_jax(jax.jit(lambda x: f(x)), (jnp.float64(POINT),))[0]["processor"]

    found: dict[str, float] = {}
    for _ in range(ROUNDS):
        for compiler in ("jax", "myia"):
            found[compiler] = min(once(compiler), found.get(compiler, math.inf))
    return found


def main() -> None:
    with jax.enable_x64(True):
        for f in PROGRAMS:
            found = seconds(f)
            ratio = found["myia"] / found["jax"]
            print(
                f"  {f.__name__:<12} jax {found['jax']:7.3f} s   myia {found['myia']:7.3f} s "
                f"{ratio:6.2f} x"
            )


if __name__ == "__main__":
    main()
