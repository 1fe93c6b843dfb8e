"""Stencils on grids: relaxation, heat, waves, advection, Maxwell's equations."""

from __future__ import annotations

import numpy as np

from benchmarks.kernel_programs.define import SLICES, kernel


@kernel(lambda draw, n: (draw(n), draw(n), 6), writes="A B", style=SLICES, times=20_000)
def jacobi_1d(A, B, steps):
    """Means of three neighbours, from A to B and back."""
    for _ in range(steps):
        B[1:-1] = (A[:-2] + A[1:-1] + A[2:]) / 3.0
        A[1:-1] = (B[:-2] + B[1:-1] + B[2:]) / 3.0


@kernel(lambda draw, n: (draw(n, n), draw(n, n), 5), writes="A B", style=SLICES, times=150)
def jacobi_2d(A, B, steps):
    """Means of five neighbours, from A to B and back."""
    for _ in range(steps):
        B[1:-1, 1:-1] = 0.2 * (
            A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[:-2, 1:-1] + A[2:, 1:-1]
        )
        A[1:-1, 1:-1] = 0.2 * (
            B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[:-2, 1:-1] + B[2:, 1:-1]
        )


@kernel(lambda draw, n: (draw(n, n), draw(n, n), 3), writes="A B", times=80)
def jacobi_2d_loops(A, B, steps):
    """The same, cell by cell."""
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i - 1, j] + A[i + 1, j])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i - 1, j] + B[i + 1, j])


@kernel(lambda draw, n: (draw(n), 0.2, 5), writes="u", times=3_000)
def heat_1d(u, r, steps):
    """Explicit heat equation in place: the old left neighbour is kept in a variable."""
    for _ in range(steps):
        left = u[0]
        for i in range(1, len(u) - 1):
            here = u[i]
            u[i] = here + r * (left - 2.0 * here + u[i + 1])
            left = here


@kernel(
    lambda draw, n: (draw(n, n, n), draw(n, n, n), 4),
    writes="A B",
    style=SLICES,
    tests=(9, 5),
    times=30,
)
def heat_3d(A, B, steps):
    """Seven neighbours in three dimensions, from A to B and back."""
    for _ in range(steps):
        for old, new in ((A, B), (B, A)):
            middle = old[1:-1, 1:-1, 1:-1]
            new[1:-1, 1:-1, 1:-1] = (
                0.125 * (old[2:, 1:-1, 1:-1] - 2.0 * middle + old[:-2, 1:-1, 1:-1])
                + 0.125 * (old[1:-1, 2:, 1:-1] - 2.0 * middle + old[1:-1, :-2, 1:-1])
                + 0.125 * (old[1:-1, 1:-1, 2:] - 2.0 * middle + old[1:-1, 1:-1, :-2])
                + middle
            )


@kernel(lambda draw, n: (draw(n, n), 3), writes="A", times=80)
def seidel_2d(A, steps):
    """Means of nine cells, four of them already new."""
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                above = A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
                beside = A[i, j - 1] + A[i, j] + A[i, j + 1]
                below = A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]
                A[i, j] = (above + beside + below) / 9.0


@kernel(lambda draw, n: (draw(n, n), draw(n, n), 1.3, 3), writes="p", times=80)
def over_relaxation(p, f, omega, steps):
    """Successive over-relaxation of Poisson's equation, red cells, then black."""
    n = p.shape[0]
    h = 1.0 / n
    for _ in range(steps):
        for colour in range(2):
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    if (i + j) % 2 != colour:
                        continue
                    mean = 0.25 * (p[i - 1, j] + p[i + 1, j] + p[i, j - 1] + p[i, j + 1])
                    p[i, j] += omega * (mean - h * h * f[i, j] - p[i, j])


@kernel(
    lambda draw, n: (draw(n, n), draw(n, n), draw(n, n), draw(6)),
    writes="ex ey hz",
    style=SLICES,
    times=150,
)
def fdtd_2d(ex, ey, hz, source):
    """Yee's scheme in two dimensions with a source on one side."""
    for t in range(len(source)):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


@kernel(lambda draw, n: (draw(n), draw(n), 0.4, 6), writes="now before", times=3_000)
def wave_1d(now, before, courant, steps):
    """Leapfrog; the two arrays change their roles."""
    n = len(now)
    for _ in range(steps):
        for i in range(1, n - 1):
            bend = now[i - 1] - 2.0 * now[i] + now[i + 1]
            before[i] = 2.0 * now[i] - before[i] + courant * courant * bend
        for i in range(n):
            now[i], before[i] = before[i], now[i]


@kernel(lambda draw, n: (draw(n), draw.signed(n), 0.3, 5), writes="u", times=3_000)
def upwind(u, velocity, ratio, steps):
    """Advection: the difference is taken on the side that the wind comes from."""
    n = len(u)
    for _ in range(steps):
        old = u.copy()
        for i in range(1, n - 1):
            if velocity[i] > 0.0:
                u[i] -= ratio * velocity[i] * (old[i] - old[i - 1])
            else:
                u[i] -= ratio * velocity[i] * (old[i + 1] - old[i])


@kernel(
    lambda draw, n: (draw(n, n, 6), draw(n - 4, n - 4, 6), draw(n - 4, n - 4, 6)),
    writes="out",
    style=SLICES,
    tests=(12, 7),
    times=80,
)
def horizontal_diffusion(field, coefficient, out):
    """Fourth-order diffusion; fluxes that would go uphill are cut off."""
    laplacian = 4.0 * field[1:-1, 1:-1, :] - (
        field[2:, 1:-1, :] + field[:-2, 1:-1, :] + field[1:-1, 2:, :] + field[1:-1, :-2, :]
    )
    flux = laplacian[1:, 1:-1, :] - laplacian[:-1, 1:-1, :]
    slope = field[2:-1, 2:-2, :] - field[1:-2, 2:-2, :]
    along = np.where(flux * slope > 0.0, 0.0, flux)
    flux = laplacian[1:-1, 1:, :] - laplacian[1:-1, :-1, :]
    slope = field[2:-2, 2:-1, :] - field[2:-2, 1:-2, :]
    across = np.where(flux * slope > 0.0, 0.0, flux)
    divergence = along[1:, :, :] - along[:-1, :, :] + across[:, 1:, :] - across[:, :-1, :]
    out[:, :, :] = field[2:-2, 2:-2, :] - coefficient * divergence


@kernel(
    lambda draw, n: (draw(n, n, 9), draw.signed(n, n, 9), 0.2),
    writes="u",
    style=SLICES,
    tests=(8, 4),
    times=60,
)
def vertical_advection(u, w, dt):
    """Implicit advection in each column: elimination upwards, substitution downwards."""
    levels = u.shape[2]
    upper = np.zeros_like(u)
    for k in range(1, levels):
        gain = 0.5 * dt * w[:, :, k]
        pivot = 1.0 + gain * (1.0 + upper[:, :, k - 1])
        upper[:, :, k] = gain / pivot
        u[:, :, k] = (u[:, :, k] + gain * u[:, :, k - 1]) / pivot
    for k in range(levels - 2, -1, -1):
        u[:, :, k] -= upper[:, :, k] * u[:, :, k + 1]


@kernel(lambda draw, n: (draw(n, n), 0.6, 2), writes="u", style=SLICES, times=100)
def adi(u, r, steps):
    """Alternating directions: implicit along rows and explicit across them, then the other way."""
    n = u.shape[0]
    v = np.zeros((n, n))
    factor = np.zeros((n, n))
    for _ in range(steps):
        v[0, :] = 1.0
        v[n - 1, :] = 1.0
        for j in range(1, n - 1):
            _sweep(v.T[j], u[:, j - 1], u[:, j], u[:, j + 1], factor[j], r)
        u[:, 0] = 1.0
        u[:, n - 1] = 1.0
        for i in range(1, n - 1):
            _sweep(u[i], v[i - 1], v[i], v[i + 1], factor[i], r)


def _sweep(line, before, here, after, factor, r):
    """(1 + 2r) x[i] - r (x[i-1] + x[i+1]) = d[i] along a line with x = 1 at its ends."""
    n = len(line)
    line[0] = 1.0
    line[n - 1] = 1.0
    factor[0] = 0.0
    for i in range(1, n - 1):
        explicit = here[i] + r * (before[i] - 2.0 * here[i] + after[i])
        pivot = 1.0 + 2.0 * r - r * factor[i - 1]
        factor[i] = r / pivot
        line[i] = (explicit + r * line[i - 1]) / pivot if i > 1 else (explicit + r) / pivot
    for i in range(n - 2, 0, -1):
        line[i] += factor[i] * line[i + 1]
