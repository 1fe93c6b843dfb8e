"""Solvers inside solvers: GradBench's `saddle` and `particle`, against JAX.

    python -m benchmarks nested_solvers

`saddle` finds the least of a largest value: gradient descent around gradient descent, each with a
step found by trial. `particle` finds the parameter for which a particle among charges comes through
the origin: gradient descent around a loop of Euler's steps, whose force is a derivative. The outer
and the inner derivative are taken forwards or in reverse: ff, fr, rf, rr. The programs are written
with tuples of floats. JAX cannot differentiate `while_loop` in reverse, so it has ff and fr only,
and the inner derivative alone decides whether they are reverse.

First all results are checked against each other. Measured is processor time in the fastest of many
samples, contestants in turns, and that of the first call. Target: at most 1.3 times JAX.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import myia
from benchmarks.harness import measure
from benchmarks.page.rows import Row, row

SAMPLING = {"samples": 15, "sample_seconds": 0.01, "clock": time.process_time, "max_seconds": 3.0}

# ----- What users write


def reverse(f):
    return myia.grad(f)


def forward(f):
    """The gradient of a function of a tuple, one direction after the other."""

    def gradient(x):
        unit = [tuple(1.0 if i == j else 0.0 for j in range(len(x))) for i in range(len(x))]
        return tuple([myia.jvp(f, (x,), (direction,))[1] for direction in unit])

    return gradient


def norm(x):
    return math.sqrt(sum([v * v for v in x]))


def argmin(derivative, f, x):
    gradient = derivative(f)
    fx, gx, eta, i = f(x), gradient(x), 1e-5, 0
    while norm(gx) > 1e-5:
        if i == 10:
            eta, i = 2 * eta, 0
            continue
        new = tuple([v - eta * g for v, g in zip(x, gx)])
        if norm([v - w for v, w in zip(x, new)]) <= 1e-5:
            break
        f_new = f(new)
        if f_new < fx:
            x, fx, gx, i = new, f_new, gradient(new), i + 1
        else:
            eta, i = eta / 2, 0
    return x


def saddle(outer, inner, start):
    def f(p, q):
        return (p[0] ** 2 + p[1] ** 2) - (q[0] ** 2 + q[1] ** 2)

    def largest(p):
        return f(p, argmin(inner, lambda q: -f(p, q), start))

    p = argmin(outer, largest, start)
    return p, argmin(outer, lambda q: -f(p, q), start)


def _landing(inner, w):
    def potential(x):
        first = math.sqrt((x[0] - 10.0) ** 2 + (x[1] - (10.0 - w)) ** 2)
        return 1.0 / first + 1.0 / math.sqrt((x[0] - 10.0) ** 2 + x[1] ** 2)

    force = inner(potential)
    x, v, dt = (0.0, 8.0), (0.75, 0.0), 0.1
    while True:
        fx = force(x)
        new = (x[0] + dt * v[0], x[1] + dt * v[1])
        if new[1] <= 0.0:
            break
        x, v = new, (v[0] - dt * fx[0], v[1] - dt * fx[1])
    return (x[0] - x[1] / v[1] * v[0]) ** 2


def particle(outer, inner, start):
    return argmin(outer, lambda w: _landing(inner, w[0]), (start,))[0]


# ----- JAX


def _argmin_jax(derivative, f, x):
    gradient = derivative(f)

    def step(state):
        x, fx, gx, eta, i, _ = state

        def move(_):
            new = x - eta * gx

            def trial(_):
                f_new = f(new)
                accepted = lambda _: (new, f_new, gradient(new), eta, i + 1, True)  # noqa: E731
                refused = lambda _: (x, fx, gx, eta / 2, 0, True)  # noqa: E731
                return lax.cond(f_new < fx, accepted, refused, None)

            close = jnp.linalg.norm(x - new) <= 1e-5
            return lax.cond(close, lambda _: (x, fx, gx, eta, i, False), trial, None)

        return lax.cond(i == 10, lambda _: (x, fx, gx, 2 * eta, 0, True), move, None)

    def more(state):
        return state[5] & (jnp.linalg.norm(state[2]) > 1e-5)

    return lax.while_loop(more, step, (x, f(x), gradient(x), 1e-5, 0, True))[0]


def _saddle_jax(inner, start):
    def f(p, q):
        return jnp.sum(p**2) - jnp.sum(q**2)

    def largest(p):
        return f(p, _argmin_jax(inner, lambda q: -f(p, q), start))

    p = _argmin_jax(jax.jacfwd, largest, start)
    return p, _argmin_jax(jax.jacfwd, lambda q: -f(p, q), start)


def _particle_jax(inner, start):
    def landing(w):
        def potential(x):
            first = jnp.sqrt((x[0] - 10.0) ** 2 + (x[1] - (10.0 - w[0])) ** 2)
            return 1.0 / first + 1.0 / jnp.sqrt((x[0] - 10.0) ** 2 + x[1] ** 2)

        dt, force = 0.1, inner(potential)

        def step(state):
            x, v = state
            return x + dt * v, v - dt * force(x)

        start = (jnp.array([0.0, 8.0]), jnp.array([0.75, 0.0]))
        x, v = lax.while_loop(lambda s: (s[0] + dt * s[1])[1] > 0.0, step, start)
        return (x[0] - x[1] / v[1] * v[0]) ** 2

    return _argmin_jax(jax.jacfwd, landing, jnp.array([start]))[0]


# ----- The table

MODES = {"f": forward, "r": reverse}
MODES_JAX = {"f": jax.jacfwd, "r": jax.grad}


def _on_jax(f: Callable, *args) -> Callable[[], object]:
    compiled = jax.jit(f)

    def call():
        with jax.enable_x64(True):
            return jax.block_until_ready(compiled(*args))

    return call


def problems() -> Iterator[tuple[str, dict[str, Callable[[], object]]]]:
    """Each problem, and its contestants by name."""
    for name, ours, theirs, start in (
        ("saddle", saddle, _saddle_jax, (1.0, 1.0)),
        ("particle", particle, _particle_jax, 0.1),
    ):
        calls: dict[str, Callable[[], object]] = {}
        for outer, inner in ("ff", "fr", "rf", "rr"):
            compiled = myia.jit(partial(ours, MODES[outer], MODES[inner]))
            calls[f"myia, {outer}{inner}"] = partial(compiled, start)
            if outer == "f":
                on_jax = _on_jax(partial(theirs, MODES_JAX[inner]), np.array(start))
                calls[f"JAX, {outer}{inner}"] = on_jax
        yield name, calls


def rows(quick: bool = False) -> Iterator[Row]:
    """For the page of results: both with the inner derivative in reverse."""
    for name, calls in list(problems())[: 1 if quick else 2]:
        contestants = {"myia": calls["myia, fr"], "JAX": calls["JAX, fr"]}
        yield row("Derivatives", f"{name}, a solver in a solver", contestants, quick=quick)


def main(only: str = "") -> None:
    for name, calls in problems():
        if only not in name:
            continue
        first, results = {}, {}
        for who, call in calls.items():
            start = time.process_time()
            results[who] = np.ravel(call())
            first[who] = time.process_time() - start
        for who, result in results.items():
            expected = results["JAX, ff"]
            np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-9, err_msg=who)
        print(f"\n{name}")
        for who, timing in measure(calls, **SAMPLING).items():
            print(f"  {who:<10} {timing.fastest * 1e3:8.3g} ms, first call {first[who]:5.2f} s")


if __name__ == "__main__":
    main()
