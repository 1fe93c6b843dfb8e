"""The same losses as loops of JAX and Equinox, which differentiate them."""

from __future__ import annotations

import math
from collections.abc import Callable

import equinox as eqx
import jax
from jax import lax
from jax import numpy as jnp

from benchmarks.loop_programs.simulations import Program


def scanned(program: Program) -> Callable:
    """`lax.scan`, which stores the residuals of every step."""

    def loss(*args):
        def body(state, k):
            return program.step(args, k, state), None

        state, _ = lax.scan(body, program.init(*args), jnp.arange(program.steps))
        return program.end(state)

    return loss


def checkpointed_scan(program: Program) -> Callable:
    """Segments of steps under `jax.checkpoint`, which stores only the first state of each.

    The number of segments is about the number of steps in each: the least memory.
    """
    inner = divisor_near(program.steps, math.sqrt(program.steps))

    def loss(*args):
        def body(state, k):
            return program.step(args, k, state), None

        @jax.checkpoint
        def segment(state, ks):
            return lax.scan(body, state, ks)[0], None

        ks = jnp.arange(program.steps).reshape(-1, inner)
        state, _ = lax.scan(segment, program.init(*args), ks)
        return program.end(state)

    return loss


def divisor_near(n: int, wanted: float) -> int:
    return min((d for d in range(1, n + 1) if n % d == 0), key=lambda d: abs(d - wanted))


def checkpointed_while(program: Program, checkpoints: int) -> Callable:
    """Equinox's `while_loop` with so many snapshots of the state, treeverse."""

    def loss(*args):
        def body(state):
            k, inner = state
            return k + 1, program.step(args, k, inner)

        _, state = eqx.internal.while_loop(
            lambda state: state[0] < program.steps,
            body,
            (jnp.asarray(0), program.init(*args)),
            kind="checkpointed",
            checkpoints=checkpoints,
        )
        return program.end(state)

    return loss
