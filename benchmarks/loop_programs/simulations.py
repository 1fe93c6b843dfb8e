"""Heat, a recurrent network, attracting bodies: as loops over NumPy arrays, as steps for JAX."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jax import numpy as jnp

CELLS, HEAT_STEPS = 100, 100_000
WIDTH, INPUTS, BATCH, LENGTH = 64, 8, 16, 2_000
BODIES, LEAPS, TIME_STEP = 16, 10_000, 1e-4


@dataclass(frozen=True)
class Program:
    """`loss(*args)` in NumPy. By hand: `init(*args)`, `steps` times `step(args, k, state)`, `end`.

    `argnums` are differentiated; arguments at `static` are known at compile time.
    """

    loss: Callable
    args: tuple
    argnums: tuple[int, ...]
    static: tuple[int, ...]
    init: Callable[..., Any]
    step: Callable[[tuple, Any, Any], Any]
    end: Callable[[Any], Any]
    steps: int


# ----- Diffusion with a conductivity that depends on the temperature


def heat(u, k, steps):
    for _ in range(steps):
        c = k * (1 + u * u)
        flux = 0.5 * (c[1:] + c[:-1]) * (u[1:] - u[:-1])
        u = np.concatenate([u[:1], u[1:-1] + 0.1 * (flux[1:] - flux[:-1]), u[-1:]])
    return np.sum(u**2)


def heat_step(args, k, u):
    c = args[1] * (1 + u * u)
    flux = 0.5 * (c[1:] + c[:-1]) * (u[1:] - u[:-1])
    return jnp.concatenate([u[:1], u[1:-1] + 0.1 * (flux[1:] - flux[:-1]), u[-1:]])


# ----- A recurrent network


def recurrent(w, v, xs):
    h = np.zeros((BATCH, WIDTH))
    s = 0.0
    for x in xs:
        h = np.tanh(h @ w + x @ v)
        s = s + np.sum(h * h)
    return s


def recurrent_step(args, k, state):
    (w, v, xs), (h, s) = args, state
    h = jnp.tanh(h @ w + xs[k] @ v)
    return h, s + jnp.sum(h * h)


# ----- Bodies that attract each other, by the leapfrog method


def bodies(q, p, m, steps):
    for _ in range(steps):
        d = q[:, None, :] - q[None, :, :]
        r2 = np.sum(d * d, axis=2) + 0.1
        pull = m[:, None] * m[None, :] / (r2 * np.sqrt(r2))
        p = p - TIME_STEP * np.sum(pull[:, :, None] * d, axis=1)
        q = q + TIME_STEP * p / m[:, None]
    return np.sum(q * q)


def bodies_step(args, k, state):
    m, (q, p) = args[2], state
    d = q[:, None, :] - q[None, :, :]
    r2 = jnp.sum(d * d, axis=2) + 0.1
    pull = m[:, None] * m[None, :] / (r2 * jnp.sqrt(r2))
    p = p - TIME_STEP * jnp.sum(pull[:, :, None] * d, axis=1)
    return q + TIME_STEP * p / m[:, None], p


def programs() -> dict[str, Program]:
    rng = np.random.default_rng(0)
    return {
        "heat equation": Program(
            heat,
            (np.sin(np.linspace(0, 3, CELLS)), 0.3, HEAT_STEPS),
            (0, 1),
            (2,),
            lambda u, k, steps: u,
            heat_step,
            lambda u: jnp.sum(u**2),
            HEAT_STEPS,
        ),
        "recurrent network": Program(
            recurrent,
            (
                rng.normal(size=(WIDTH, WIDTH)) / 10,
                rng.normal(size=(INPUTS, WIDTH)) / 4,
                rng.normal(size=(LENGTH, BATCH, INPUTS)),
            ),
            (0, 1),
            (),
            lambda w, v, xs: (jnp.zeros((BATCH, WIDTH)), jnp.zeros(())),
            recurrent_step,
            lambda state: state[1],
            LENGTH,
        ),
        "leapfrog n-body": Program(
            bodies,
            (
                rng.normal(size=(BODIES, 3)),
                rng.normal(size=(BODIES, 3)),
                rng.random(BODIES) + 0.5,
                LEAPS,
            ),
            (0, 1, 2),
            (3,),
            lambda q, p, m, steps: (q, p),
            bodies_step,
            lambda state: jnp.sum(state[0] * state[0]),
            LEAPS,
        ),
    }


PROGRAMS = programs()
