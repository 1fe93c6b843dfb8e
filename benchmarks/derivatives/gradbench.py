"""What a derivative costs, against the best alternative: problems of GradBench.

    python -m benchmarks gradbench

Each is written as a user of NumPy writes it. The alternatives: JAX, PyTorch where it fits, and an
adjoint written by hand for numba. Targets: at most 1.3 times the best of them, and the derivative
at most 6 times the function. First the derivatives are checked against each other.

Measured is processor time in the fastest of many samples, contestants in turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numba
import numpy as np
import torch

import myia
from benchmarks.harness import measure
from benchmarks.page.rows import Row, row

SAMPLING = {"samples": 15, "sample_seconds": 0.01, "clock": time.process_time, "max_seconds": 3.0}

# ----- Clustering: the gradient of the cost in the centroids, and the diagonal of its Hessian


def kmeans(points, centroids):
    distances = np.sum((points[:, None, :] - centroids[None, :, :]) ** 2, axis=2)
    return np.sum(np.min(distances, axis=1))


def kmeans_by_product(points, centroids):
    squares = np.sum(points**2, axis=1)[:, None] + np.sum(centroids**2, axis=1)
    return np.sum(np.min(squares - 2 * points @ centroids.T, axis=1))


def _newton(cost):
    def derivatives(points, centroids):
        def gradient(c):
            return myia.grad(cost, argnums=1)(points, c)

        return myia.jvp(gradient, (centroids,), (np.ones_like(centroids),))

    return derivatives


def _kmeans_jax(points, centroids):
    squares = jnp.sum(points**2, axis=1)[:, None] + jnp.sum(centroids**2, axis=1)
    return jnp.sum(jnp.min(squares - 2 * points @ centroids.T, axis=1))


def _newton_jax(points, centroids):
    gradient = jax.grad(lambda c: _kmeans_jax(points, c))
    return jax.jvp(gradient, (centroids,), (jnp.ones_like(centroids),))


@numba.njit
def _newton_by_hand(points, centroids):
    gradient, diagonal = np.zeros_like(centroids), np.zeros_like(centroids)
    for i in range(points.shape[0]):
        best, least = 0, np.inf
        for j in range(centroids.shape[0]):
            distance = 0.0
            for d in range(points.shape[1]):
                distance += (points[i, d] - centroids[j, d]) ** 2
            if distance < least:
                best, least = j, distance
        for d in range(points.shape[1]):
            gradient[best, d] += 2.0 * (centroids[best, d] - points[i, d])
            diagonal[best, d] += 2.0
    return gradient, diagonal


# ----- The logarithm of a sum of exponentials


def lse(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def _lse_jax(x):
    m = jnp.max(x)
    return m + jnp.log(jnp.sum(jnp.exp(x - m)))


def _lse_torch(x):
    x = torch.tensor(x, requires_grad=True)
    torch.logsumexp(x, 0).backward()
    return x.grad


@numba.njit(fastmath=True)
def _lse_by_hand(x):
    m = x[0]
    for v in x:
        m = max(m, v)
    e, total = np.empty_like(x), 0.0
    for i in range(x.size):
        e[i] = np.exp(x[i] - m)
        total += e[i]
    for i in range(x.size):
        e[i] /= total
    return e


# ----- Least squares: a polynomial fitted to the sign function


def llsq(x, n):
    total = 0.0
    for i in range(n):
        t = -1.0 + i * 2.0 / (n - 1.0)
        residual, power = np.sign(t), 1.0
        for j in range(len(x)):
            residual -= x[j] * power
            power *= t
        total += residual * residual
    return total / 2.0


def llsq_by_rows(x, n):
    t = np.linspace(-1.0, 1.0, n)
    residuals = np.sign(t) - np.vander(t, len(x), increasing=True) @ x
    return np.sum(residuals**2) / 2.0


def _llsq_jax(x, n):
    t = jnp.linspace(-1.0, 1.0, n)
    residuals = jnp.sign(t) - jnp.vander(t, len(x), increasing=True) @ x
    return jnp.sum(residuals**2) / 2.0


@numba.njit(fastmath=True)
def _llsq_by_hand(x, n):
    gradient = np.zeros_like(x)
    for i in range(n):
        t = -1.0 + i * 2.0 / (n - 1.0)
        residual, power = np.sign(t), 1.0
        for j in range(x.size):
            residual -= x[j] * power
            power *= t
        power = 1.0
        for j in range(x.size):
            gradient[j] -= residual * power
            power *= t
    return gradient


# ----- A determinant by minors


def det(a):
    n = len(a)
    if n == 1:
        return a[0, 0]
    total, sign, columns = 0.0, 1.0, np.arange(n - 1)
    for j in range(n):
        total += sign * a[0, j] * det(a[1:, columns + (columns >= j)])
        sign = -sign
    return total


def _det_jax(a):
    n = len(a)
    if n == 1:
        return a[0, 0]

    def term(total, j):
        columns = jnp.arange(n - 1)
        minor = a[1:, columns + (columns >= j)]
        return total + jnp.where(j % 2, -1.0, 1.0) * a[0, j] * _det_jax(minor), None

    return jax.lax.scan(term, 0.0, jnp.arange(n))[0]


@numba.njit
def _minors(a, ct, used, columns, row, weight):
    """The determinant below `row` in the columns not used; adds to the cotangent `ct`."""
    n = a.shape[0]
    if row == n:
        return 1.0
    total, sign = 0.0, 1.0
    for j in range(n):
        if not used[j]:
            used[j] = True
            below = _minors(a, ct, used, columns, row + 1, weight * sign * a[row, j])
            used[j] = False
            ct[row, j] += weight * sign * below
            total += sign * a[row, j] * below
            sign = -sign
    return total


@numba.njit
def _det_by_hand(a):
    ct, n = np.zeros_like(a), a.shape[0]
    _minors(a, ct, np.zeros(n, np.bool_), np.arange(n), 0, 1.0)
    return ct


# ----- A differential equation: Runge-Kutta steps of y' = x * (1, y[0], y[1], ...)


def ode(x, steps):
    def slope(y):
        dy = x.copy()
        dy[1:] = x[1:] * y[:-1]
        return dy

    y, h = np.zeros(len(x)), 1.0 / steps
    for _ in range(steps):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        k4 = slope(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y[-1]


def _ode_jax(x, steps):
    def slope(y):
        return x * jnp.concatenate([jnp.ones(1), y[:-1]])

    def step(y, _):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        k4 = slope(y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    h = 1.0 / steps
    return jax.lax.scan(step, jnp.zeros(len(x)), None, length=steps)[0][-1]


# ----- Diffusion between fixed ends, by slices


def sliced(u, steps):
    for _ in range(steps):
        change = np.zeros_like(u)
        change[1:-1] = u[2:] - 2.0 * u[1:-1] + u[:-2]
        u = u + 0.1 * change
    return np.sum(u**2)


def _sliced_jax(u, steps):
    def step(_, u):
        change = jnp.zeros_like(u).at[1:-1].set(u[2:] - 2.0 * u[1:-1] + u[:-2])
        return u + 0.1 * change

    return jnp.sum(jax.lax.fori_loop(0, steps, step, u) ** 2)


# ----- Diffusion with periodic boundaries


def rolled(x, steps):
    for _ in range(steps):
        change = -2.0 * x.ndim * x
        for axis in range(x.ndim):
            change = change + np.roll(x, 1, axis) + np.roll(x, -1, axis)
        x = x + 0.1 * change
    return np.sum(x**2)


def _rolled_jax(x, steps):
    def step(_, x):
        change = -2.0 * x.ndim * x
        for axis in range(x.ndim):
            change = change + jnp.roll(x, 1, axis) + jnp.roll(x, -1, axis)
        return x + 0.1 * change

    return jnp.sum(jax.lax.fori_loop(0, steps, step, x) ** 2)


# ----- The table


@dataclass(frozen=True)
class Problem:
    """Functions of the arrays `args`; `steps` is an integer known when compiling."""

    name: str
    args: tuple[np.ndarray, ...]
    forms: dict[str, Callable]  # what users write
    jax: Callable
    steps: tuple[int, ...] = ()
    others: dict[str, Callable] = field(default_factory=dict)  # derivatives
    derivative: Callable = myia.grad
    derivative_jax: Callable = jax.grad

    def rivals(self) -> dict[str, Callable[[], object]]:
        args, steps = self.args, self.steps
        static = tuple(range(len(args), len(args) + len(steps)))
        with jax.enable_x64(True):
            values = [jnp.asarray(x) for x in args]
        on_jax = jax.jit(self.derivative_jax(self.jax), static_argnums=static)
        found = {"JAX": _in_double(on_jax, *values, *steps)}
        return found | {name: _call(f, *args, *steps) for name, f in self.others.items()}

    def contestants(self) -> dict[str, Callable[[], object]]:
        args, steps, found = self.args, self.steps, {}
        for name, f in self.forms.items():
            found[f"{name}: value"] = _call(myia.jit(f), *args, *steps)
            found[f"{name}: derivative"] = _call(myia.jit(self.derivative(f)), *args, *steps)
        return found | self.rivals()


def _call(f: Callable, *args) -> Callable[[], object]:
    return lambda: f(*args)


def _in_double(f: Callable, *args) -> Callable[[], object]:
    def call():
        with jax.enable_x64(True):
            return jax.block_until_ready(f(*args))

    return call


def problems() -> list[Problem]:
    rng = np.random.default_rng(0)

    def clusters(k: int, n: int, d: int) -> Problem:
        return Problem(
            f"kmeans, {k} centroids, {n} points in {d} dimensions",
            (rng.normal(size=(n, d)), rng.normal(size=(k, d))),
            {"product": kmeans_by_product, "differences": kmeans},
            _kmeans_jax,
            others={"by hand": _newton_by_hand},
            derivative=_newton,
            derivative_jax=lambda _: _newton_jax,
        )

    def exponentials(n: int) -> Problem:
        others = {"PyTorch": _lse_torch, "by hand": _lse_by_hand}
        return Problem(f"lse, {n}", (rng.normal(size=n),), {"arrays": lse}, _lse_jax, (), others)

    forms = {"loops": llsq, "rows": llsq_by_rows}
    hand = {"by hand": _llsq_by_hand}
    minors = {"by hand": _det_by_hand}
    x = rng.normal(size=128)
    return [
        clusters(10, 1000, 8),
        clusters(100, 10_000, 8),
        clusters(500, 10_000, 16),
        exponentials(160_000),
        exponentials(1_280_000),
        Problem("llsq, 1024 points, degree 128", (x,), forms, _llsq_jax, (1024,), hand),
        Problem("det, 5", (rng.normal(size=(5, 5)),), {"minors": det}, _det_jax, (), minors),
        Problem("det, 7", (rng.normal(size=(7, 7)),), {"minors": det}, _det_jax, (), minors),
        Problem("ode, 1000, 100 steps", (rng.normal(size=1000),), {"loop": ode}, _ode_jax, (100,)),
        *(
            Problem(f"slices, {shape}", (rng.random(shape),), {"loop": sliced}, _sliced_jax, (100,))
            for shape in ((1000,), (10_000,), (90_000,))
        ),
        *(
            Problem(f"rolls, {shape}", (rng.random(shape),), {"loop": rolled}, _rolled_jax, (50,))
            for shape in ((1000,), (100_000,), (256, 256), (40, 40, 40))
        ),
    ]


def rows(quick: bool = False) -> Iterator[Row]:
    """For the page of results: each form of each problem."""
    for problem in [p for p in problems() if p.name == "det, 5"] if quick else problems():
        for form, f in problem.forms.items():
            ours = _call(myia.jit(problem.derivative(f)), *problem.args, *problem.steps)
            contestants = {"myia": ours, **problem.rivals()}
            yield row("Derivatives", f"{problem.name}: {form}", contestants, quick=quick)


def check(problem: Problem, calls: dict[str, Callable[[], object]]) -> None:
    """Check that all derivatives are equal."""
    found = {name: call() for name, call in calls.items() if not name.endswith(": value")}
    first = found.pop("JAX")
    for name, derivative in found.items():
        for ours, theirs in zip(_arrays(derivative), _arrays(first), strict=True):
            scale = np.max(np.abs(theirs))
            np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9 * scale, err_msg=name)


def _arrays(derivative: object) -> list[np.ndarray]:
    several = derivative if isinstance(derivative, tuple) else (derivative,)
    return [np.asarray(x) for x in several]


def main(only: str = "") -> None:
    for problem in problems():
        if only in problem.name:
            report(problem)


def report(problem: Problem) -> None:
    """Check all derivatives, and print what they cost."""
    calls = problem.contestants()
    check(problem, calls)
    fastest = {name: t.fastest for name, t in measure(calls, **SAMPLING).items()}
    peers = {n: t for n, t in fastest.items() if n == "JAX" or n in problem.others}
    best = min(peers, key=peers.__getitem__)
    others = ", ".join(f"{name} {t * 1e3:.3g}" for name, t in peers.items())
    print(f"\n{problem.name}: derivatives in ms: {others}")
    for name in problem.forms:
        value, ours = fastest[f"{name}: value"], fastest[f"{name}: derivative"]
        print(
            f"  {name:<14} value {value * 1e3:8.3g} ms, derivative {ours * 1e3:8.3g} ms:"
            f" {ours / value:5.2f} x the value, {ours / peers[best]:5.2f} x {best}"
        )


if __name__ == "__main__":
    main()
