"""Jacobians of two programs of ADBench: bundle adjustment and hand tracking.

    python -m benchmarks adbench

Written as a NumPy user would, with loops over bones and points, against functions for JAX at its
best: batched over points, unrolled over bones. Synthetic data of ADBench's shapes. Target: faster
than JAX in every size. Processor time.

Bundle adjustment: a camera (rotation, centre, focal length, principal point, radial distortion)
sees a point; the residual has 2 numbers, each with 14 derivatives. Hand tracking: 26 numbers move
22 bones, which move vertices; each correspondence has 3 residuals.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import myia
from benchmarks.harness import compare

RTOL = 1e-9

# ----- Bundle adjustment: one observation


def residual(camera, point, weight, seen):
    """Where a camera sees a point, less where it was seen."""
    axis = camera[:3]
    square = axis @ axis
    x = point - camera[3:6]
    if square > 0.0:
        angle = np.sqrt(square)
        axis = axis / angle
        turned = x * np.cos(angle) + np.cross(axis, x) * np.sin(angle)
        x = turned + axis * (axis @ x) * (1.0 - np.cos(angle))
    else:
        x = x + np.cross(axis, x)
    plane = x[:2] / x[2]
    radius = plane @ plane
    plane = plane * (1.0 + camera[9] * radius + camera[10] * radius * radius)
    return weight * (camera[6] * plane + camera[7:9] - seen)


def residual_in_jax(camera, point, weight, seen):
    axis = camera[:3]
    square = axis @ axis
    x = point - camera[3:6]
    angle = jnp.sqrt(jnp.where(square > 0.0, square, 1.0))
    unit = axis / angle
    turned = x * jnp.cos(angle) + jnp.cross(unit, x) * jnp.sin(angle)
    turned = turned + unit * (unit @ x) * (1.0 - jnp.cos(angle))
    x = jnp.where(square > 0.0, turned, x + jnp.cross(axis, x))
    plane = x[:2] / x[2]
    radius = plane @ plane
    plane = plane * (1.0 + camera[9] * radius + camera[10] * radius * radius)
    return weight * (camera[6] * plane + camera[7:9] - seen)


def bundle(count: int) -> tuple:
    rng = np.random.default_rng(0)
    cameras = rng.normal(size=(count, 11)) * 0.1
    cameras[:, 6] += 5.0
    points = rng.normal(size=(count, 3))
    points[:, 2] += 6.0
    return cameras, points, rng.uniform(0.5, 1.0, count), rng.normal(size=(count, 2))


# ----- Hand tracking

PARENTS = (-1, 0, *(p for f in range(5) for p in (1, 2 + 4 * f, 3 + 4 * f, 4 + 4 * f)))
BONES, ANGLES = len(PARENTS), 26


def rotation(x, y, z):
    """Of angles about three axes."""
    a, b, c = np.cos(x), np.cos(y), np.cos(z)
    d, e, f = np.sin(x), np.sin(y), np.sin(z)
    return np.array(
        [
            [b * c, -a * f + d * e * c, d * f + a * e * c],
            [b * f, a * c + d * e * f, -d * c + a * e * f],
            [-e, d * b, a * b],
        ]
    )


def tracking(angles, offsets, weights, vertices, chosen, seen):
    """The vertices of a posed hand at the chosen places, less where they were seen."""
    turns = np.zeros((BONES, 3, 3))
    places = np.zeros((BONES, 3))
    turns[0] = rotation(angles[0], angles[1], angles[2])
    places[0] = angles[3:6]
    for b in range(1, BONES):
        bend = angles[b + 4] if b > 1 else 0.0
        p = PARENTS[b]
        turns[b] = turns[p] @ rotation(bend, 0.0, 0.0)
        places[b] = places[p] + turns[p] @ offsets[b]
    found = np.zeros((len(chosen), 3))
    for i in range(len(chosen)):
        v = chosen[i]
        for b in range(BONES):
            found[i] += weights[v, b] * (turns[b] @ vertices[v] + places[b])
    return found - seen


def tracking_in_jax(angles, offsets, weights, vertices, chosen, seen):
    def turn(x, y, z):
        a, b, c = jnp.cos(x), jnp.cos(y), jnp.cos(z)
        d, e, f = jnp.sin(x), jnp.sin(y), jnp.sin(z)
        rows = [
            [b * c, -a * f + d * e * c, d * f + a * e * c],
            [b * f, a * c + d * e * f, -d * c + a * e * f],
            [-e, d * b, a * b],
        ]
        return jnp.array([jnp.stack([jnp.asarray(x, float) for x in row]) for row in rows])

    turns, places = [turn(angles[0], angles[1], angles[2])], [angles[3:6]]
    for b in range(1, BONES):
        bend = angles[b + 4] if b > 1 else 0.0
        p = PARENTS[b]
        turns.append(turns[p] @ turn(bend, 0.0, 0.0))
        places.append(places[p] + turns[p] @ offsets[b])
    moved = jnp.einsum("bij,vj->vbi", jnp.stack(turns), vertices[chosen]) + jnp.stack(places)
    return jnp.einsum("vb,vbi->vi", weights[chosen], moved) - seen


def hand(count: int) -> tuple:
    rng = np.random.default_rng(1)
    many = 544
    weights = rng.uniform(size=(many, BONES)) ** 8
    weights /= weights.sum(1, keepdims=True)
    vertices, chosen = rng.normal(size=(many, 3)), rng.integers(0, many, count)
    offsets = rng.normal(size=(BONES, 3)) * 0.3
    angles = rng.normal(size=ANGLES) * 0.3
    return angles, offsets, weights, vertices, chosen, rng.normal(size=(count, 3))


# ----- The contest


def cases() -> Iterator[tuple[str, Callable, Callable, tuple]]:
    axes: Any = (0, 1)
    for count in (100, 3_000, 30_000):
        yield (
            f"bundle adjustment, {count:,} observations",
            myia.vmap(myia.jacrev(residual, argnums=axes)),
            jax.jit(jax.vmap(jax.jacrev(residual_in_jax, argnums=axes))),
            bundle(count),
        )
    for count in (100, 1_000, 10_000):
        yield (
            f"hand tracking, {count:,} correspondences",
            myia.jacfwd(tracking),
            jax.jit(jax.jacfwd(tracking_in_jax)),
            hand(count),
        )


def main() -> None:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        for title, ours, theirs, args in cases():
            _compare(title, ours, theirs, jax.tree.map(jnp.asarray, args))
    finally:
        jax.config.update("jax_enable_x64", before)


def _compare(title: str, ours: Callable, theirs: Callable, args: tuple) -> None:
    calls, found = {}, {}
    for name, f in (("myia", ours), ("JAX", theirs)):
        start = time.perf_counter()
        found[name] = jax.block_until_ready(f(*args))
        title += f", {name} compiles in {time.perf_counter() - start:.1f} s"
        calls[name] = lambda f=f: jax.block_until_ready(f(*args))
    for x, y in zip(jax.tree.leaves(found["myia"]), jax.tree.leaves(found["JAX"]), strict=True):
        np.testing.assert_allclose(x, y, RTOL, RTOL, err_msg=title)
    compare(title, calls, clock=time.process_time, max_seconds=6.0)


if __name__ == "__main__":
    main()
