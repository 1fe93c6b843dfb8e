"""Time and memory of gradients of long loops.

Targets, in temporaries by XLA's own count:
    `while` of 10^7 iterations on a number, of 10^5 on 1,000 numbers: at most 8 MB, 12 and 5 times
    the forward, orders 2 and 3 within 4 times the order before; a tenth and a hundredth of the
    tape's memory: 2.5 and 4 times the time of the tape; faster than Equinox's checkpointed
    `while_loop` and a checkpointed `lax.scan` at equal or less memory; second derivatives faster
    than `lax.scan`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import equinox as eqx
import jax
import numpy as np
from jax import numpy as jnp

import myia
from benchmarks.harness import Timing, measure
from benchmarks.loop_programs import PROGRAMS, Program
from benchmarks.loop_programs.by_jax import checkpointed_scan, checkpointed_while, scanned

SAMPLING = {"samples": 3, "sample_seconds": 0.0}
MEGABYTE = 2**20


@dataclass(frozen=True)
class Contestant:
    """A program that is ready to run, and the bytes of its temporaries."""

    run: Callable[[], object]
    temporaries: int


def compiled(transformed, *args) -> Contestant:
    """A function compiled by myia."""
    program = transformed.lower(*args).compile()
    return Contestant(lambda: transformed(*args), program.memory_analysis().temp_size_in_bytes)


def jitted(f: Callable, *args) -> Contestant:
    """A function compiled by JAX."""
    with jax.enable_x64(True):
        args = jax.device_put(args)
        program = jax.jit(f).lower(*args).compile()
    return Contestant(
        lambda: jax.block_until_ready(program(*args)),
        program.memory_analysis().temp_size_in_bytes,
    )


def compare(title: str, contestants: dict[str, Contestant]) -> dict[str, Timing]:
    """`harness.compare` with a column of temporaries."""
    timings = measure({name: c.run for name, c in contestants.items()}, **SAMPLING)
    base = next(iter(timings.values())).median
    print(f"\n{title}")
    for name, timing in timings.items():
        size = contestants[name].temporaries / MEGABYTE
        print(f"  {name:<44} {timing!s:>20} {timing.median / base:7.2f} x {size:9.3g} MB")
    return timings


# ----- Loops of unknown trip count


def settling(x, c, n):
    t = 0
    while t < n:
        x = np.sin(x) * 1.01 + c
        t += 1
    return np.sum(x)


def settling_by_equinox(checkpoints: int) -> Callable:
    def loss(x, c, n):
        body = lambda s: (s[0] + 1, jnp.sin(s[1]) * 1.01 + c)  # noqa: E731
        start = (jnp.asarray(0), x)
        _, x = eqx.internal.while_loop(
            lambda s: s[0] < n, body, start, kind="checkpointed", checkpoints=checkpoints
        )
        return jnp.sum(x)

    return loss


def unknown_counts(x, iterations: int) -> None:
    arguments = x, 0.1, np.int64(iterations)
    orders = [settling]
    for _ in range(3):
        orders.append(myia.grad(orders[-1], argnums=1))
    names = ["forward", "gradient", "order 2", "order 3"]
    contestants = {
        name: compiled(f if f is not settling else myia.jit(f), *arguments)
        for name, f in zip(names, orders)
    }
    title = f"while loop of {iterations:,} iterations on {np.size(x):,} numbers"
    timings = compare(title, contestants)
    for before, name in pairwise(names[1:]):
        ratio = timings[name].median / timings[before].median
        print(f"  {name} beside {before}: {ratio:.2f} x")


def against_equinox(x, iterations: int) -> None:
    """The same loop, with as much memory for Equinox as myia takes."""
    arguments = x, 0.1, np.int64(iterations)
    ours = compiled(myia.grad(settling, argnums=1), *arguments)
    checkpoints = max(2, ours.temporaries // (8 * np.size(x)))
    theirs = jitted(jax.grad(settling_by_equinox(checkpoints), argnums=1), *arguments)
    title = f"while loop of {iterations:,} iterations on {np.size(x):,} numbers, its gradient"
    compare(title, {"myia": ours, f"equinox, {checkpoints:,} checkpoints": theirs})


# ----- Loops within a budget


def gradient(program: Program, **options):
    return myia.grad(
        program.loss, argnums=program.argnums, static_argnums=program.static, **options
    )


def size_of_state(program: Program) -> int:
    with jax.enable_x64(True):
        state = jax.eval_shape(program.init, *program.args)
    return sum(x.size * 8 for x in jax.tree.leaves(state))


def budgets(name: str, program: Program) -> None:
    """A tape, a tenth of its memory, a hundredth; against JAX with as much memory."""
    numbers = [x for i, x in enumerate(program.args) if i not in program.static]
    static = [program.args[i] for i in program.static]
    taped = gradient(program, checkpoint="tape")
    tape = taped.plan(*program.args).bytes
    forward = myia.jit(program.loss, static_argnums=program.static)
    contestants = {
        "the tape": compiled(taped, *program.args),
        "forward only": compiled(forward, *program.args),
        'checkpoint="auto"': compiled(gradient(program), *program.args),
    }
    for part in (10, 100):
        within = gradient(program, memory=tape // part)
        contestants[f"memory={tape // part:,} (1/{part})"] = compiled(within, *program.args)

    def by_jax(loss: Callable) -> Contestant:
        return jitted(jax.grad(lambda *xs: loss(*xs, *static), argnums=program.argnums), *numbers)

    contestants["jax.grad of lax.scan"] = by_jax(scanned(program))
    contestants["the same, segments under jax.checkpoint"] = by_jax(checkpointed_scan(program))
    for part in (10, 100):
        checkpoints = max(2, tape // part // size_of_state(program))
        loss = checkpointed_while(program, checkpoints)
        contestants[f"equinox, {checkpoints:,} checkpoints"] = by_jax(loss)
    _check(contestants)
    compare(f"{name}, {program.steps:,} steps", contestants)


def _check(contestants: dict[str, Contestant]) -> None:
    """Check that all gradients are equal."""
    want = contestants["the tape"].run()
    for name, contestant in contestants.items():
        if name != "forward only":
            for a, b in zip(contestant.run(), want, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-8 * np.max(np.abs(b)))


def second_order(name: str, program: Program) -> None:
    """The Hessian in the first argument, times a vector."""
    numbers = [x for i, x in enumerate(program.args) if i not in program.static]
    static = [program.args[i] for i in program.static]
    direction = np.ones_like(numbers[0])

    def by_jax(loss: Callable) -> Contestant:
        def product(v, x, *rest):
            slope = jax.grad(lambda x: loss(x, *rest, *static))
            return jax.jvp(slope, (x,), (v,))[1]

        return jitted(product, direction, *numbers)

    def by_us(**options) -> Contestant:
        ours = myia.hvp(program.loss, static_argnums=program.static, **options)
        return compiled(ours, *program.args, direction)

    segments = by_jax(checkpointed_scan(program))
    contestants = {
        "myia": by_us(),
        f"myia, memory={segments.temporaries:,}": by_us(memory=segments.temporaries),
        "lax.scan": by_jax(scanned(program)),
        "lax.scan, segments under jax.checkpoint": segments,
    }
    compare(f"{name}, {program.steps:,} steps: Hessian times vector", contestants)


def main(names: Sequence[str] = tuple(PROGRAMS)) -> None:
    unknown_counts(np.float64(0.3), 10**7)
    unknown_counts(np.linspace(0, 1, 1000), 10**5)
    against_equinox(np.float64(0.3), 10**5)
    against_equinox(np.linspace(0, 1, 1000), 10**4)
    for name in names:
        budgets(name, PROGRAMS[name])
        second_order(name, PROGRAMS[name])


if __name__ == "__main__":
    main()
