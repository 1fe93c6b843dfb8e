"""The cost of gradients of in-place kernels, against the primal, NumPy, JAX and numba.

    python -m benchmarks.kernels [--only NAME ...] [--plot FILE.png]

Targets: gradient / compiled primal: median at most 3, none over 8; 10 times faster than what users
of JAX write, and never below 0.9; the primal 10 times faster than Python's loops, and at most 6
times numba's time on scalar loops, 1.5 times on arrays. How times grow with the size:
`exponents.py`.

JAX has two columns (`kernel_rivals/in_jax`): the kernel rewritten loop by loop, and the best
version in JAX, where operations on whole arrays may replace loops (a matrix product replaces
three). Where both are one function, it is timed once.

Samples of JAX and of myia are interleaved, both on JAX arrays: each call would copy a NumPy array
whose address is not a multiple of 64, and results are copied for NumPy (30 us for 320 KB).
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
import timeit
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import jax
import numpy as np
from matplotlib import pyplot

import myia
from benchmarks.harness import measure
from benchmarks.kernel_programs import KERNELS, LOOPS, SLICES, Kernel
from benchmarks.kernel_rivals.in_jax import BEST, REWRITTEN
from benchmarks.page.rows import Row, row

try:
    import numba
except ImportError:
    numba = None

SAMPLES, SAMPLE_SECONDS = 15, 0.004
THREADED_SAMPLES = 61  # more, as JAX runs on several threads and other processes disturb it
MAX_SAMPLING_SECONDS = 4.0  # a contestant that takes seconds needs fewer samples
MIN_RATIO_TO_JAX = 0.9  # below it the measurement is repeated
MAX_REPETITIONS = 2


@dataclass(frozen=True)
class Ratios:
    """Seconds per call, and the times of JAX's gradients over myia's (None: numba refuses)."""

    kernel: Kernel
    size: int
    primal: float
    gradient: float
    numpy: float
    jax_loops: float
    jax_best: float
    numba: float | None

    def ratios(self) -> dict[str, float | None]:
        return {
            "grad/primal": self.gradient / self.primal,
            "numpy/primal": self.numpy / self.primal,
            "jax loops/grad": self.jax_loops,
            "jax best/grad": self.jax_best,
            "primal/numba": self.numba and self.primal / self.numba,
        }


def measured(kernel: Kernel, n: int) -> Ratios:
    primal, gradient = ours(kernel, n)
    jax_loops, jax_best = ratios_to_jax(kernel, n)
    return Ratios(
        kernel,
        n,
        primal=fastest(primal),
        gradient=fastest(gradient),
        numpy=fastest(plain_numpy(kernel, n), samples=3),
        jax_loops=jax_loops,
        jax_best=jax_best,
        numba=fastest(by_numba(kernel, n)),
    )


def ratios_to_jax(kernel: Kernel, n: int) -> tuple[float, float]:
    """Times of JAX's gradients (rewritten loops, best version) over the time of myia's."""
    gradient = on_jax_arrays(kernel, n)[1]
    expected = gradient()

    def over_ours(version: Callable) -> float:
        rival = by_jax(kernel, n, version)
        check(expected, rival())
        limits = {
            "samples": THREADED_SAMPLES,
            "sample_seconds": SAMPLE_SECONDS,
            "max_seconds": MAX_SAMPLING_SECONDS,
        }
        theirs = mine = math.inf
        for _ in range(1 + MAX_REPETITIONS):
            timings = measure({"jax": rival, "ours": gradient}, **limits)
            theirs = min(theirs, timings["jax"].fastest)
            mine = min(mine, timings["ours"].fastest)
            if theirs / mine >= MIN_RATIO_TO_JAX:
                break
        return theirs / mine

    versions = REWRITTEN[kernel.name], BEST[kernel.name]
    ratios = {version: over_ours(version) for version in dict.fromkeys(versions)}
    return ratios[versions[0]], ratios[versions[1]]


def fastest(f: Callable | None, samples: int = SAMPLES) -> float | None:
    """Seconds per call in the fastest of several short samples: the machine may be shared."""
    if f is None:
        return None
    f()
    start = time.perf_counter()
    f()
    calls = max(1, round(SAMPLE_SECONDS / (time.perf_counter() - start)))
    return min(timeit.repeat(f, number=calls, repeat=samples)) / calls


# ----- The contestants, each a call without arguments


def ours(kernel: Kernel, n: int) -> tuple[Callable, Callable]:
    args, weights = kernel.arguments(n), kernel.weights(n)
    primal, gradient = compiled(kernel, args)
    return lambda: primal(weights, *args), lambda: gradient(weights, *args)


def on_jax_arrays(kernel: Kernel, n: int) -> tuple[Callable, Callable]:
    """As `ours`, on arrays that need not be copied."""
    args, weights = kernel.arguments(n), kernel.weights(n)
    functions = compiled(kernel, args)
    with jax.enable_x64(True):
        given = [jax.device_put(a) if isinstance(a, np.ndarray) else a for a in args]
        weights = jax.device_put(weights)
    primal, gradient = (lambda f=f: jax.block_until_ready(f(weights, *given)) for f in functions)
    return primal, gradient


def compiled(kernel: Kernel, args: tuple) -> tuple[Callable, Callable]:
    pure = kernel.pure()
    return myia.jit(pure), myia.grad(pure, argnums=tuple(i + 1 for i in kernel.active(args)))


def plain_numpy(kernel: Kernel, n: int) -> Callable:
    args, weights, pure = kernel.arguments(n), kernel.weights(n), kernel.pure()
    return lambda: pure(weights, *args)


def by_jax(kernel: Kernel, n: int, version: Callable) -> Callable:
    """`jax.jit(jax.grad(...))`; integers are static, as JAX requires of its users."""
    objective, operands = jax_objective(kernel, n, version)
    gradient = jax.jit(jax.grad(objective))

    def call():
        with jax.enable_x64(True):
            return jax.block_until_ready(gradient(*operands))

    return call


def jax_objective(kernel: Kernel, n: int, version: Callable) -> tuple[Callable, tuple]:
    """A JAX function and its operands: active arguments first, weights last."""
    args = kernel.arguments(n)
    active = kernel.active(args)
    others = {i: a for i, a in enumerate(args) if not isinstance(a, int) and i not in active}

    def objective(chosen, others, weights):
        known = dict(zip(active, chosen)) | others
        outputs = version(*(known.get(i, a) for i, a in enumerate(args)))
        return sum((w * y).sum() for w, y in zip(weights, outputs, strict=True))

    with jax.enable_x64(True):
        return objective, jax.device_put(([args[i] for i in active], others, kernel.weights(n)))


def check(ours: Sequence, found: Sequence) -> None:
    """Check that both compute the same gradient."""
    for mine, other in zip(ours, found, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-6 * (np.max(np.abs(mine)) + 1.0))


def by_numba(kernel: Kernel, n: int) -> Callable | None:
    """The same function under `numba.njit`; None if numba refuses it."""
    if numba is None:
        return None
    args, weights = kernel.arguments(n), kernel.weights(n)
    function = numba.njit(kernel.function)

    def call():
        copies = [a.copy() if i in kernel.writes else a for i, a in enumerate(args)]
        result = function(*copies)
        outputs = [copies[i] for i in kernel.writes] + ([] if result is None else [result])
        return sum(np.sum(w * y) for w, y in zip(weights, outputs))

    try:
        value = call()
    except (numba.core.errors.NumbaError, NotImplementedError):
        return None
    np.testing.assert_allclose(value, plain_numpy(kernel, n)(), rtol=1e-6)
    return call


# ----- The page of results

ON_THE_PAGE = (
    *("seidel_2d", "jacobi_2d", "jacobi_2d_loops", "heat_3d", "fdtd_2d", "adi", "over_relaxation"),
    *("cholesky_loops", "cholesky", "lu", "trisolv", "durbin", "gram_schmidt", "householder"),
    *("gemm", "syrk", "symm", "atax", "covariance", "correlation", "sparse_product"),
    *("floyd_warshall", "nussinov", "soft_alignment", "viterbi", "deriche", "biquad", "lstm"),
    *("causal_attention", "n_body", "spring_chain", "histogram", "running_moments"),
)
GROUPS = {LOOPS: "Element loops", SLICES: "NPBench-like kernels on slices"}


def rows(quick: bool = False) -> Iterator[Row]:
    """The value and the gradient of each kernel."""
    for name in ("running_moments",) if quick else ON_THE_PAGE:
        kernel = KERNELS[name]
        n = min(kernel.tests) if quick else kernel.times
        group = GROUPS[kernel.style]
        values = {"myia": ours(kernel, n)[0], "NumPy": plain_numpy(kernel, n)}
        if (by_loops := by_numba(kernel, n)) is not None:
            values["numba"] = by_loops
        yield row(group, f"{name}, n = {n:,}: value", values, quick=quick)
        gradients = {"myia": on_jax_arrays(kernel, n)[1]}
        for rival, version in (("JAX", REWRITTEN[name]), ("JAX, best", BEST[name])):
            if rival == "JAX" or version is not REWRITTEN[name]:
                gradients[rival] = by_jax(kernel, n, version)
        yield row(group, f"{name}, n = {n:,}: gradient", gradients, quick=quick)


# ----- Tables


def table(rows: list[Ratios]) -> None:
    for style in (LOOPS, SLICES):
        chosen = [r for r in rows if r.kernel.style == style]
        for name in chosen[0].ratios() if chosen else ():
            summary(f"{style:<8}{name}", [r.ratios()[name] for r in chosen])
    for name in ("jax loops/grad", "jax best/grad"):
        ratios = {r.kernel.name: r.ratios()[name] for r in rows}
        slower = {kernel: ratio for kernel, ratio in ratios.items() if ratio < MIN_RATIO_TO_JAX}
        listed = ", ".join(f"{kernel} {ratio:.2f}" for kernel, ratio in sorted(slower.items()))
        print(f"{name}: {len(slower)} of {len(rows)} below {MIN_RATIO_TO_JAX}: {listed or 'none'}")


def summary(name: str, ratios: list[float | None]) -> None:
    found = [x for x in ratios if x is not None]
    if found:
        print(
            f"{name:<32}{len(found):>3} kernels: median {statistics.median(found):.3g}, "
            f"geometric mean {statistics.geometric_mean(found):.3g}, "
            f"{min(found):.3g} to {max(found):.3g}"
        )


def heading(r: Ratios) -> str:
    cells = "".join(f"{name:>16}" for name in r.ratios())
    return f"{'kernel':<24}{'size':>7}{'primal, ms':>12}{cells}"


def line(r: Ratios) -> str:
    cells = "".join(f"{'-' if x is None else format(x, '.3g'):>16}" for x in r.ratios().values())
    return f"{r.kernel.name:<24}{r.size:>7}{r.primal * 1e3:>12.3f}{cells}"


def plot(rows: list[Ratios], path: str) -> None:
    """All ratios, kernel by kernel, on a logarithmic axis."""
    names = [r.kernel.name for r in rows]
    ratios = list(rows[0].ratios())
    size = 4 * len(ratios), 2 + 0.18 * len(rows)
    figure, axes = pyplot.subplots(1, len(ratios), figsize=size, sharey=True)
    for axis, ratio in zip(axes, ratios):
        axis.barh(names, [r.ratios()[ratio] or np.nan for r in rows], color="#4477aa")
        axis.axvline(1.0, color="black", linewidth=0.8)
        axis.set(xscale="log", title=ratio)
        axis.grid(axis="x", alpha=0.3)
    axes[0].invert_yaxis()
    axes[0].tick_params(axis="y", labelsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def run(kernels: list[Kernel], picture: str | None = None) -> None:
    found: list[Ratios] = []
    for kernel in kernels:
        found.append(measured(kernel, kernel.times))
        if len(found) == 1:
            print(heading(found[0]))
        print(line(found[-1]), flush=True)
    table(found)
    if picture:
        plot(found, picture)


def main() -> None:
    run(list(KERNELS.values()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", default=list(KERNELS), choices=list(KERNELS))
    parser.add_argument("--plot")
    options = parser.parse_args()
    run([KERNELS[name] for name in options.only], options.plot)
