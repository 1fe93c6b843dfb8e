"""`myia.vmap` on twelve functions of one example, and derivatives of them.

    python -m benchmarks batching

Against `jax.vmap` of the program that we emit, and `jax.vmap` of the function as one writes it for
JAX (loops of `lax`, both sides of each branch). Target: never slower than either. Processor time,
since the machine is shared. JAX has no reverse mode through `while`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import myia
from benchmarks import batched_in_jax as in_jax
from benchmarks import batched_programs as programs
from benchmarks.batched_programs import EXAMPLES as N
from benchmarks.harness import compare

RTOL = 1e-8


@dataclass(frozen=True)
class Case:
    """A transform of a function, its arguments, and the axes of their examples."""

    name: str
    ours: Callable
    theirs: Callable | None  # None: JAX has no such derivative
    args: tuple
    axes: tuple


def matrices(rng: np.random.Generator, n: int) -> np.ndarray:
    a = rng.normal(size=(N, n, n))
    return a @ a.transpose(0, 2, 1) + n * np.eye(n)


def cases() -> Iterator[Case]:
    rng = np.random.default_rng(0)

    def case(name: str, args: tuple, axes: tuple, of: str = "", **options: Any) -> Case:
        ours, theirs = getattr(programs, name), getattr(in_jax, name)
        loops = name in ("adaptive_ode", "kepler", "first_passage") and of
        if of:
            ours = getattr(myia, of)(ours, **options)
            theirs = None if loops else getattr(jax, of)(theirs, **options)
        return Case(f"{of} {name}".strip(), ours, theirs, args, axes)

    weights = {"w1": rng.normal(size=(32, 16)) / 4, "b1": np.zeros(32)}
    weights |= {"w2": rng.normal(size=(4, 32)) / 6, "b2": np.zeros(4)}
    data = weights, rng.normal(size=(N, 16)), rng.normal(size=(N, 4))
    yield case("mlp_loss", data, (None, 0, 0), "grad")
    decays = rng.normal(size=N), rng.uniform(1, 20, N)
    yield case("adaptive_ode", decays, (0, 0))
    yield case("adaptive_ode", decays, (0, 0), "grad")
    yield case("cholesky", (matrices(rng, 8),), (0,))
    series = rng.normal(size=(2, N, 24))
    yield case("time_warp", tuple(series), (0, 0))
    yield case("time_warp", tuple(series), (0, 0), "grad")
    orbits = rng.uniform(0, 6, 8 * N), rng.uniform(0, 0.9, 8 * N)
    yield case("kepler", orbits, (0, 0))
    yield case("kepler", orbits, (0, 0), "grad")
    yield case("escape", (rng.uniform(-2, 1, 8 * N), rng.uniform(-1, 1, 8 * N)), (0, 0))
    labelled = rng.normal(size=8), rng.normal(size=(N, 8)), np.sign(rng.normal(size=N))
    yield case("logistic_loss", labelled, (None, 0, 0), "hessian")
    walks = rng.normal(size=(N, 50)).cumsum(1), 0.1, 1.0
    yield case("kalman", walks, (0, None, None))
    yield case("kalman", walks, (0, None, None), "grad")
    yield case("pendulum", (rng.normal(size=(N, 2)), rng.uniform(0.5, 2, N)), (0, 0), "grad")
    yield case("descent", (rng.normal(size=(N, 10)),), (0,))
    yield case("american_put", (rng.uniform(80, 120, N), 100.0), (0, None))
    yield case("first_passage", (rng.normal(size=N) / 10, rng.normal(size=(N, 200))), (0, 0))


def check(case: Case, found: Any, wanted: Any) -> None:
    for x, y in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(x, y, RTOL, RTOL, err_msg=case.name)


def run(case: Case) -> None:
    args = jax.tree.map(jnp.asarray, case.args)
    compiled = myia.jit(case.ours)
    contestants = {"myia.vmap": myia.vmap(case.ours, in_axes=case.axes)}
    contestants["jax.vmap of our program"] = jax.jit(jax.vmap(compiled, in_axes=case.axes))
    if case.theirs is not None:
        by_hand = jax.vmap(case.theirs, in_axes=case.axes)
        contestants["jax.vmap, written by hand"] = jax.jit(by_hand)
    title = case.name
    found = {}
    for name, f in contestants.items():
        start = time.perf_counter()
        found[name] = jax.block_until_ready(f(*args))
        title += f", {time.perf_counter() - start:.1f} s"
        check(case, found[name], found["myia.vmap"])
    calls = {name: lambda f=f: jax.block_until_ready(f(*args)) for name, f in contestants.items()}
    compare(f"{title} to compile", calls, clock=time.process_time, max_seconds=4.0)


def main() -> None:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        for case in cases():
            run(case)
    finally:
        jax.config.update("jax_enable_x64", before)
