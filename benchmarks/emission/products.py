"""Products against NumPy and JAX, and the atlas of `dot_general` that their emission rests on.

The atlas times every form of one product that XLA's CPU backend may be given: which operand comes
first, which axis is summed, whether a transposed operand is stored before. Run it when the version
of JAX changes (docs/emission.md, rules 2, 15, 20 and 21). Ratios are to the first line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

import myia
from benchmarks.harness import compare
from benchmarks.page.rows import Row, row

Contestants = dict[str, Callable[[], object]]
RNG = np.random.default_rng(0)
SHORT: Any = {"samples": 7, "sample_seconds": 0.02, "max_seconds": 1.5}


def random(*shape: int, dtype: Any = np.float64) -> np.ndarray:
    return (RNG.standard_normal(shape) / shape[-1]).astype(dtype)


def run(f: Callable, *args) -> Callable[[], object]:
    """`f` on arrays that are on the device already, where `f` is ours or JAX's."""
    with jax.enable_x64(True):
        given = [jax.device_put(x) if isinstance(x, np.ndarray) else x for x in args]

    def call():
        with jax.enable_x64(True):
            return jax.block_until_ready(f(*given))

    return call


# ----- A matrix and a vector, two matrices


def straight(a, x):
    return a @ x


def transposed(a, x):
    return a.T @ x


def sum_of_squares(a, x):
    return ((a @ x) ** 2).sum()


def matrices_and_vectors() -> None:
    for dtype in (np.float64, np.float32):
        for n in (300, 1_000, 3_000):
            a, x = random(n, n, dtype=dtype), random(n, dtype=dtype)
            compare(
                f"matrix-vector, n = {n}, {np.dtype(dtype)}",
                {
                    "NumPy a @ x": lambda a=a, x=x: a @ x,
                    "NumPy a.T @ x": lambda a=a, x=x: a.T @ x,
                    "myia a @ x": run(myia.jit(straight), a, x),
                    "myia a.T @ x": run(myia.jit(transposed), a, x),
                    "jax a @ x": run(jax.jit(straight), a, x),
                    "jax a.T @ x, as written": run(jax.jit(transposed), a, x),
                    "jax x @ a, at its best": run(jax.jit(lambda a, x: x @ a), a, x),
                    "myia gradient in x": run(myia.grad(sum_of_squares, argnums=1), a, x),
                    "jax gradient in x": run(jax.jit(jax.grad(sum_of_squares, 1)), a, x),
                },
                **SHORT,
            )


def two_matrices() -> None:
    for n in (300, 1_000, 3_000):
        a, b = random(n, n), random(n, n)
        compare(
            f"matrix-matrix, n = {n}",
            {
                "NumPy a @ b": lambda a=a, b=b: a @ b,
                "myia a @ b": run(myia.jit(straight), a, b),
                "myia a.T @ b": run(myia.jit(transposed), a, b),
                "jax a @ b": run(jax.jit(straight), a, b),
            },
            **SHORT,
        )


# ----- Batch axes, and matrices that all points share


def by_einsum(a, x):
    return (np.einsum("kij,nkj->nki", a, x) ** 2).sum()


def by_loop(a, x):
    total = 0.0
    for k in range(len(a)):
        total += ((x[:, k, :] @ a[k].T) ** 2).sum()
    return total


def in_jax(a, x):
    return (jnp.einsum("kij,nkj->nki", a, x) ** 2).sum()


def by_points(lower, means, points):
    out = np.zeros((len(points), len(lower)))
    for i in range(len(points)):
        for c in range(len(lower)):
            q = lower[c] @ (points[i] - means[c])
            out[i, c] = np.sum(q * q)
    return np.sum(np.log(np.sum(np.exp(-0.1 * out), axis=1)))


def points_in_jax(lower, means, points):
    q = jnp.einsum("kij,nkj->nki", lower, points[:, None, :] - means)
    return jnp.sum(jnp.log(jnp.sum(jnp.exp(-0.1 * jnp.sum(q * q, axis=2)), axis=1)))


def batch_axes() -> None:
    for k, n, d in ((10, 1_000, 10), (25, 1_000, 20), (50, 1_000, 64)):
        a, x = random(k, d, d), random(n, k, d)
        means, points = random(k, d), random(n, d)
        sizes = f"{k} clusters, {n} points, {d} dimensions"
        for title, ours, jaxs in (
            ("", myia.jit, jax.jit),
            (
                ", gradient",
                lambda f: myia.grad(f, argnums=(0, 1)),
                lambda f: jax.jit(jax.grad(f, (0, 1))),
            ),
        ):
            compare(
                f"einsum kij,nkj->nki, sum of squares{title}: {sizes}",
                {
                    "myia, a loop of products": run(ours(by_loop), a, x),
                    "myia, einsum": run(ours(by_einsum), a, x),
                    "jax, einsum": run(jaxs(in_jax), a, x),
                },
                **SHORT,
            )
            compare(
                f"a matrix a cluster, a loop over points{title}: {sizes}",
                {
                    "myia, loops": run(ours(by_points), a, means, points),
                    "jax, einsum": run(jaxs(points_in_jax), a, means, points),
                },
                **SHORT,
            )


# ----- Sums over examples


def losses(a, x):
    s = 0.0
    for v in x:
        h = np.tanh(a @ v)
        s += np.log(np.sum(np.exp(h))) - h[0]
    return s


def losses_at_once(a, x):
    h = jnp.tanh(x @ a.T)
    return jnp.sum(jnp.log(jnp.sum(jnp.exp(h), axis=1)) - h[:, 0])


def sums_over_examples() -> None:
    for n, d in ((300, 30), (1_000, 64), (300, 300)):
        a, x = random(d, d), random(n, d)
        compare(
            f"a loss of a product, summed in a loop: {n} examples, {d} x {d}",
            {
                "myia": run(myia.jit(losses), a, x),
                "jax, at its best": run(jax.jit(losses_at_once), a, x),
                "myia, and gradient": run(myia.value_and_grad(losses, argnums=(0, 1)), a, x),
                "jax, and gradient": run(jax.jit(jax.value_and_grad(losses_at_once, (0, 1))), a, x),
                "NumPy": lambda a=a, x=x: losses(a, x),
            },
            **SHORT,
        )


# ----- Small matrices in loops


def chain(a, b, n):
    for _ in range(n):
        a = a @ b * 0.5 + b
    return a


def chain_in_jax(a, b, n):
    return lax.fori_loop(0, n, lambda _, a: a @ b * 0.5 + b, a)


def small_matrices() -> None:
    for n in (2, 4, 5, 8, 10):
        a, b = random(n, n), random(n, n)
        gradient = myia.grad(lambda a, b, n: np.sum(chain(a, b, n)), argnums=(0, 1))
        compare(
            f"1,000 times a = a @ b * 0.5 + b, {n} x {n}",
            {
                "myia": run(myia.jit(chain), a, b, 1_000),
                "myia, gradient": run(gradient, a, b, 1_000),
                "jax": run(jax.jit(chain_in_jax, static_argnums=2), a, b, 1_000),
                "NumPy": lambda a=a, b=b: chain(a, b, 1_000),
            },
            **SHORT,
        )


# ----- The atlas


def dot(i: int, j: int, batch: Any = ((), ())) -> Callable:
    return lambda x, y: lax.dot_general(
        x, y, (((i,), (j,)), batch), precision=lax.Precision.HIGHEST
    )


def forms(a: np.ndarray, x: np.ndarray, y: np.ndarray) -> Contestants:
    """The forms of `a @ y` and `a.T @ x`: operand first, axis of the matrix that is summed."""
    return {
        "(a, y), axis 1": run(jax.jit(dot(1, 0)), a, y),
        "(y, a), axis 1": run(jax.jit(dot(0, 1)), y, a),
        "(a, x), axis 0": run(jax.jit(dot(0, 0)), a, x),
        "(x, a), axis 0": run(jax.jit(dot(0, 0)), x, a),
        "(a transposed, x)": run(jax.jit(lambda a, x: dot(1, 0)(a.T, x)), a, x),
        "(y, a transposed)": run(jax.jit(lambda a, y: dot(0, 0)(y, a.T)), a, y),
    }


def atlas() -> None:
    for dtype in (np.float64, np.float32, np.complex128, np.int64):
        for m, n in ((3, 3), (30, 30), (300, 300), (3_000, 3_000), (10_000, 100), (100, 10_000)):
            if m * n > 1_000_000 and np.dtype(dtype).kind in "ci":
                continue
            a, x, y = (random(*s, dtype=dtype) for s in ((m, n), (m,), (n,)))
            options = {**SHORT, "max_seconds": 0.7}
            compare(f"atlas: {m} x {n}, {np.dtype(dtype)}", forms(a, x, y), **options)
    k, n, d = 25, 1_000, 20
    a, inner, front = random(k, d, d), random(n, k, d), random(k, n, d)
    compare(
        f"atlas: {k} products of {n} x {d} and {d} x {d}",
        {
            "batch axis first": run(jax.jit(dot(2, 2, ((0,), (0,)))), front, a),
            "batch axis inner in one": run(jax.jit(dot(2, 2, ((1,), (0,)))), inner, a),
            "the matrices repeated": run(
                jax.jit(
                    lambda x, a: dot(2, 3, ((0, 1), (0, 1)))(x, jnp.broadcast_to(a, (n, *a.shape)))
                ),
                inner,
                a,
            ),
        },
        **SHORT,
    )


# ----- The page of results


def rows(quick: bool = False) -> Iterator[Row]:
    for n in (30,) if quick else (300, 1_000, 3_000):
        a, x = random(n, n), random(n)
        for name, f in (("a @ x", straight), ("a.T @ x", transposed)):
            contestants = {
                "myia": run(myia.jit(f), a, x),
                "NumPy": lambda f=f, a=a, x=x: f(a, x),
                "JAX": run(jax.jit(f), a, x),
            }
            yield row("Products", f"{name}, n = {n:,}", contestants, quick=quick)
    if quick:
        return
    for n in (300, 1_000, 3_000):
        a, b = random(n, n), random(n, n)
        contestants = {
            "myia": run(myia.jit(straight), a, b),
            "NumPy": lambda a=a, b=b: a @ b,
            "JAX": run(jax.jit(straight), a, b),
        }
        yield row("Products", f"a @ b, n = {n:,}", contestants)
    a, means, points = random(25, 20, 20), random(25, 20), random(1_000, 20)
    for what, ours, theirs in (("value", myia.jit, jax.jit), ("gradient", *GRADIENTS)):
        contestants = {
            "myia": run(ours(by_points), a, means, points),
            "JAX, best": run(theirs(points_in_jax), a, means, points),
        }
        yield row("Products", f"25 matrices, a loop over 1,000 points: {what}", contestants)
    a, b = random(4, 4), random(4, 4)
    contestants = {
        "myia": run(myia.jit(chain), a, b, 1_000),
        "NumPy": lambda: chain(a, b, 1_000),
        "JAX": run(jax.jit(chain_in_jax, static_argnums=2), a, b, 1_000),
    }
    yield row("Products", "1,000 products of 4 x 4 in a loop", contestants)


GRADIENTS = (
    lambda f: myia.grad(f, argnums=(0, 1)),
    lambda f: jax.jit(jax.grad(f, (0, 1))),
)


def main() -> None:
    matrices_and_vectors()
    two_matrices()
    batch_axes()
    sums_over_examples()
    small_matrices()
    atlas()


if __name__ == "__main__":
    main()
