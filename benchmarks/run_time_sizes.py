"""What slices with run-time ends cost in loops: what they hold, or their bound.

Targets: a sparse product at least 10 times faster than NumPy, within 1.5 times of the same program
with a loop over single elements, its gradient within 4 times; the other programs at least as fast
as NumPy, and as JAX with its best library function or operation on whole arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import jax
import numpy as np
from jax import numpy as jnp
from jax.scipy.linalg import solve_triangular

import myia
from benchmarks.harness import compare
from benchmarks.page.rows import Row, row

ROWS = 4096


def sparse_product(starts, columns, v, x):
    y = np.zeros(len(starts) - 1)
    for i in range(len(starts) - 1):
        y[i] = v[starts[i] : starts[i + 1]] @ x[columns[starts[i] : starts[i + 1]]]
    return y


def sparse_product_by_elements(starts, columns, v, x):
    y = np.zeros(len(starts) - 1)
    for i in range(len(starts) - 1):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += v[k] * x[columns[k]]
        y[i] = total
    return y


def sparse_product_by_jax(starts, columns, v, x):
    rows = jnp.repeat(jnp.arange(ROWS), jnp.diff(starts), total_repeat_length=len(v))
    return jax.ops.segment_sum(v * x[columns], rows, ROWS, indices_are_sorted=True)


def segment_sums(starts, v):
    y = np.zeros(len(starts) - 1)
    for i in range(len(starts) - 1):
        y[i] = v[starts[i] : starts[i + 1]].sum()
    return y


def segment_sums_by_jax(starts, v):
    rows = jnp.repeat(jnp.arange(ROWS), jnp.diff(starts), total_repeat_length=len(v))
    return jax.ops.segment_sum(v, rows, ROWS, indices_are_sorted=True)


def normalized_rows(starts, v):
    v = v.copy()
    for i in range(len(starts) - 1):
        v[starts[i] : starts[i + 1]] /= v[starts[i] : starts[i + 1]].sum()
    return v


def window_means(points, values, queries, h):
    """At each query the mean of the values in a window, by distance."""
    means = np.zeros(len(queries))
    for i in range(len(queries)):
        a = np.searchsorted(points, queries[i] - h)
        b = np.searchsorted(points, queries[i] + h)
        w = 1.0 - np.abs(points[a:b] - queries[i]) / h
        means[i] = (w * values[a:b]).sum() / (w.sum() + 1e-9)
    return means


def triangular_solve(lower, b):
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


def triangular_solve_by_jax(lower, b):
    return solve_triangular(lower, b, lower=True)


def cholesky(a):
    a = a.copy()
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, len(a)):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])
    return a


def cholesky_by_jax(a):
    return jnp.linalg.cholesky(a) + jnp.triu(a, 1)  # the program leaves the upper triangle alone


def lu(a):
    a = a.copy()
    for i in range(len(a)):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, len(a)):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


def durbin(r):
    y = np.zeros_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, len(r)):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def covariance(data):
    n, m = data.shape
    data = data - np.mean(data, axis=0)
    cov = np.zeros((m, m))
    for i in range(m):
        cov[i:m, i] = cov[i, i:m] = data[:, i] @ data[:, i:m] / (n - 1.0)
    return cov


def covariance_by_jax(data):
    data = data - jnp.mean(data, axis=0)
    return data.T @ data / (len(data) - 1.0)


def against(
    name: str,
    f: Callable,
    args: tuple,
    argnums: tuple[int, ...] = (),
    **others: Callable,
) -> None:
    """Time NumPy, the compiled function, others, and the gradient of the sum of the result."""
    compiled = myia.jit(f)
    np.testing.assert_allclose(compiled(*args), f(*args), rtol=1e-6, atol=1e-9)
    contestants = {"NumPy": lambda: f(*args), "myia": lambda: compiled(*args)}
    on_device = tuple(map(jnp.asarray, args))
    for label, other in others.items():
        if label == "JAX":
            of_jax = jax.jit(other)
            contestants[label] = lambda g=of_jax: jax.block_until_ready(g(*on_device))
        else:
            of_myia = myia.jit(other)
            contestants[label] = lambda g=of_myia: g(*args)
    if argnums:
        gradient = myia.grad(lambda *xs: f(*xs).sum(), argnums=argnums)
        contestants["myia: gradient"] = lambda: gradient(*args)
    compare(name, contestants, samples=5, max_seconds=4.0)


def cases() -> Iterator[tuple]:
    """Names, functions, arguments, those to differentiate by, other programs for the same."""
    rng = np.random.default_rng(0)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 17, ROWS))])
    count = int(starts[-1])
    columns, v, x = rng.integers(0, ROWS, count), rng.normal(size=count), rng.normal(size=ROWS)
    others = {"myia: single elements": sparse_product_by_elements, "JAX": sparse_product_by_jax}
    name = f"sparse product, {ROWS} rows, {count} numbers"
    yield name, sparse_product, (starts, columns, v, x), (2, 3), others
    yield "sums of segments", segment_sums, (starts, v), (1,), {"JAX": segment_sums_by_jax}
    yield "rows normalized in place", normalized_rows, (starts, v + 5.0), (1,), {}
    points, queries = np.sort(rng.random(1000)), rng.random(2000)
    window = points, rng.normal(size=1000), queries, 0.01
    yield "means in windows (searchsorted)", window_means, window, (1, 2), {}
    for n in (300, 2000):
        lower = np.tril(rng.normal(size=(n, n))) + n * np.eye(n)
        system, others = (lower, rng.normal(size=n)), {"JAX": triangular_solve_by_jax}
        yield f"triangular solve, n = {n}", triangular_solve, system, (0, 1), others
    square = rng.normal(size=(200, 200))
    definite = square @ square.T + 200 * np.eye(200)
    yield "Cholesky, n = 200", cholesky, (definite,), (0,), {"JAX": cholesky_by_jax}
    yield "LU, n = 200", lu, (definite,), (0,), {}
    yield "Durbin, n = 1,000", durbin, (rng.normal(size=1000) * 0.01,), (0,), {}
    data = rng.normal(size=(500, 600))
    yield "covariance, 500 x 600", covariance, (data,), (0,), {"JAX": covariance_by_jax}


def rows(quick: bool = False) -> Iterator[Row]:
    for name, f, args, _, others in islice(cases(), 1) if quick else cases():
        ours = myia.jit(f)
        contestants = {
            "myia": lambda ours=ours, args=args: ours(*args),
            "NumPy": lambda f=f, args=args: f(*args),
        }
        if "JAX" in others:
            contestants["JAX, best"] = _of_jax(others["JAX"], args)
        yield row("Slices of run-time size", f"{name}: value", contestants, quick=quick)


def _of_jax(f: Callable, args: tuple) -> Callable[[], object]:
    jitted = jax.jit(f)
    with jax.enable_x64(True):
        given = jax.device_put(args)

    def call():
        with jax.enable_x64(True):
            return jax.block_until_ready(jitted(*given))

    return call


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    for name, f, args, argnums, others in cases():
        against(name, f, args, argnums, **others)


if __name__ == "__main__":
    main()
