"""The gradient of a Gaussian mixture (GradBench's gmm) in four spellings, against the best peers.

    python -m benchmarks mixtures

The factors of the inverse covariances come as GradBench has them: the logarithms of a diagonal,
and a lower triangle packed into a vector. The spellings: loops over the packed triangle; matrices
and `np.tril`, one cluster after another; one `einsum`; `logsumexp` over a stacked axis. The peers:
JAX (one `einsum`, or a map over clusters), PyTorch, and an adjoint written by hand for numba.
Targets: at most 1.3 times the best of them, the gradient at most 6 times the value, the spellings
within twice of each other. First the gradients are checked against each other.

Measured is processor time in the fastest of many samples, contestants in turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numba
import numpy as np
import torch
from scipy.special import logsumexp

import myia
from benchmarks.harness import measure
from benchmarks.page.rows import Row, row

SAMPLING = {"samples": 9, "sample_seconds": 0.01, "clock": time.process_time, "max_seconds": 2.5}
SIZES = ((1000, 10, 10), (1000, 20, 25), (1000, 64, 50))  # points, dimensions, clusters
WEIGHTS = (0, 1, 2)  # the positions of the arguments that get a gradient


def _lse(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def _prior(factors, d):
    return (np.sum(np.exp(2.0 * factors[:, :d])) + np.sum(factors[:, d:] ** 2)) / 2


# ----- Four spellings


def by_loops(alphas, means, factors, x):
    n, d = x.shape
    total = 0.0
    for i in range(n):
        terms = np.zeros(len(alphas), x.dtype)
        for c in range(len(alphas)):
            squares, at = 0.0, d
            for j in range(d):
                y = np.exp(factors[c, j]) * (x[i, j] - means[c, j])
                for k in range(j):
                    y += factors[c, at] * (x[i, k] - means[c, k])
                    at += 1
                squares += y * y
            terms[c] = alphas[c] + np.sum(factors[c, :d]) - squares / 2
        total += _lse(terms)
    return total - n * _lse(alphas) + _prior(factors, d)


def by_matrices(alphas, means, factors, x):
    n, d = x.shape
    rows, columns = np.tril_indices(d, -1)
    terms = np.zeros((n, len(alphas)), x.dtype)
    for c in range(len(alphas)):
        full = np.zeros((d, d), x.dtype)
        full[rows, columns] = factors[c, d:]
        lower = np.tril(full, -1) + np.diag(np.exp(factors[c, :d]))
        y = (x - means[c]) @ lower.T
        terms[:, c] = alphas[c] + np.sum(factors[c, :d]) - np.sum(y**2, axis=1) / 2
    m = np.max(terms, axis=1)
    total = np.sum(m + np.log(np.sum(np.exp(terms - m[:, None]), axis=1)))
    return total - n * _lse(alphas) + _prior(factors, d)


def _lower(factors, d):
    lower = np.zeros((len(factors), d, d), factors.dtype)
    rows, columns = np.tril_indices(d, -1)
    lower[:, rows, columns] = factors[:, d:]
    lower[:, np.arange(d), np.arange(d)] = np.exp(factors[:, :d])
    return lower


def by_einsum(alphas, means, factors, x):
    n, d = x.shape
    y = np.einsum("kij,nkj->nki", _lower(factors, d), x[:, None, :] - means)
    terms = alphas + np.sum(factors[:, :d], axis=1) - np.sum(y**2, axis=2) / 2
    m = np.max(terms, axis=1)
    total = np.sum(m + np.log(np.sum(np.exp(terms - m[:, None]), axis=1)))
    return total - n * _lse(alphas) + _prior(factors, d)


def by_stacking(alphas, means, factors, x):
    n, d = x.shape
    lower = _lower(factors, d)
    squares = [np.sum(((x - means[c]) @ lower[c].T) ** 2, axis=1) for c in range(len(alphas))]
    weights = alphas + np.sum(factors[:, :d], axis=1)
    terms = weights[:, None] - np.stack(squares) / 2
    return np.sum(logsumexp(terms, axis=0)) - n * _lse(alphas) + _prior(factors, d)


FORMS = {"loops": by_loops, "matrices": by_matrices, "einsum": by_einsum, "stacked": by_stacking}

# ----- Peers


def _lower_jax(factors, d):
    rows, columns = np.tril_indices(d, -1)
    strict = jnp.zeros((len(factors), d, d), factors.dtype)
    strict = strict.at[:, rows, columns].set(factors[:, d:])
    return strict + jax.vmap(jnp.diag)(jnp.exp(factors[:, :d]))


def _total_jax(alphas, factors, squares, n, d):
    terms = alphas + jnp.sum(factors[:, :d], axis=1) - squares / 2
    total = jnp.sum(jax.nn.logsumexp(terms, axis=1)) - n * jax.nn.logsumexp(alphas)
    return total + (jnp.sum(jnp.exp(2.0 * factors[:, :d])) + jnp.sum(factors[:, d:] ** 2)) / 2


def _jax_einsum(alphas, means, factors, x):
    n, d = x.shape
    y = jnp.einsum("kij,nkj->nki", _lower_jax(factors, d), x[:, None, :] - means)
    return _total_jax(alphas, factors, jnp.sum(y**2, axis=2), n, d)


def _jax_map(alphas, means, factors, x):
    n, d = x.shape

    def squares(of):
        return jnp.sum(((x - of[1]) @ of[0].T) ** 2, axis=1)

    found = jax.lax.map(squares, (_lower_jax(factors, d), means))
    return _total_jax(alphas, factors, found.T, n, d)


def _torch(*args):
    alphas, means, factors = (torch.tensor(v, requires_grad=True) for v in args[:3])
    x, (k, d) = torch.tensor(args[3]), means.shape
    rows, columns = (torch.as_tensor(v) for v in np.tril_indices(d, -1))
    strict = torch.zeros((k, d, d), dtype=x.dtype)
    strict = strict.index_put((torch.arange(k)[:, None], rows, columns), factors[:, d:])
    lower = strict + torch.diag_embed(torch.exp(factors[:, :d]))
    y = torch.einsum("kij,nkj->nki", lower, x[:, None, :] - means)
    terms = alphas + factors[:, :d].sum(1) - (y**2).sum(2) / 2
    total = torch.logsumexp(terms, 1).sum() - len(x) * torch.logsumexp(alphas, 0)
    prior = torch.exp(2.0 * factors[:, :d]).sum() + (factors[:, d:] ** 2).sum()
    (total + prior / 2).backward()
    return alphas.grad, means.grad, factors.grad


@numba.njit(fastmath=True)
def _by_hand(alphas, means, factors, x):
    (n, d), k = x.shape, len(alphas)
    ct_alphas, ct_means = np.zeros_like(alphas), np.zeros_like(means)
    ct_factors = np.zeros_like(factors)
    diagonal, weights, terms = np.exp(factors[:, :d]), np.empty_like(alphas), np.empty_like(alphas)
    for c in range(k):
        weights[c] = alphas[c] + np.sum(factors[c, :d])
    y, centred, ct = np.empty_like(means), np.empty_like(means), np.empty(d, x.dtype)
    for i in range(n):
        for c in range(k):
            squares, at = x.dtype.type(0), d
            for j in range(d):
                centred[c, j] = x[i, j] - means[c, j]
                y[c, j] = diagonal[c, j] * centred[c, j]
                for m in range(j):
                    y[c, j] += factors[c, at + m] * centred[c, m]
                at += j
                squares += y[c, j] * y[c, j]
            terms[c] = weights[c] - squares / 2
        terms[:] = np.exp(terms - np.max(terms))
        terms /= np.sum(terms)
        for c in range(k):
            ct_alphas[c] += terms[c]
            ct[:], at = 0, d
            for j in range(d):
                ct_y = -terms[c] * y[c, j]
                ct_factors[c, j] += terms[c] + ct_y * centred[c, j] * diagonal[c, j]
                ct[j] += ct_y * diagonal[c, j]
                for m in range(j):
                    ct_factors[c, at + m] += ct_y * centred[c, m]
                    ct[m] += ct_y * factors[c, at + m]
                at += j
            for j in range(d):
                ct_means[c, j] -= ct[j]
    shares = np.exp(alphas - np.max(alphas))
    ct_alphas -= n * shares / np.sum(shares)
    ct_factors[:, :d] += diagonal * diagonal
    ct_factors[:, d:] += factors[:, d:]
    return ct_alphas, ct_means, ct_factors


# ----- The table


def arguments(n: int, d: int, k: int, dtype: type) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    packed = 0.3 * rng.normal(size=(k, d * (d + 1) // 2))
    given = (rng.normal(size=k), rng.random((k, d)), packed, rng.normal(size=(n, d)))
    return tuple(x.astype(dtype) for x in given)


def rivals(args: tuple[np.ndarray, ...]) -> dict[str, Callable[[], object]]:
    with jax.enable_x64(True):
        given = [jnp.asarray(x) for x in args]

    def on_jax(f: Callable) -> Callable[[], object]:
        gradient = jax.jit(jax.grad(f, WEIGHTS))

        def call() -> object:
            with jax.enable_x64(True):
                return jax.block_until_ready(gradient(*given))

        return call

    return {
        "JAX": on_jax(_jax_einsum),
        "JAX, map": on_jax(_jax_map),
        "PyTorch": lambda: _torch(*args),
        "by hand": lambda: _by_hand(*args),
    }


def rows(quick: bool = False) -> Iterator[Row]:
    """For the page of results: each spelling at each size."""
    for size in SIZES[:1] if quick else SIZES:
        args = arguments(*size, np.float64)
        for name, f in FORMS.items():
            gradient = myia.grad(f, argnums=WEIGHTS)
            contestants = {"myia": lambda g=gradient, a=args: g(*a), **rivals(args)}
            title = f"mixture, {size[2]} clusters in {size[1]} dimensions: {name}"
            yield row("Derivatives", title, contestants, quick=quick)


def check(found: dict[str, object], dtype: type) -> None:
    """Check that all gradients are equal."""
    expected = found.pop("by hand")
    rtol, atol = (1e-6, 1e-8) if dtype is np.float64 else (1e-2, 3e-3)
    for name, gradient in found.items():
        for ours, theirs in zip(gradient, expected, strict=True):
            scale = np.max(np.abs(theirs))
            np.testing.assert_allclose(ours, theirs, rtol, atol * scale, err_msg=name)


def main() -> None:
    for size in SIZES:
        for dtype in (np.float64, np.float32):
            args = arguments(*size, dtype)
            peers, calls = rivals(args), {}
            for name, f in FORMS.items():
                value, gradient = myia.jit(f), myia.grad(f, argnums=WEIGHTS)
                calls[f"{name}: value"] = lambda f=value, a=args: f(*a)
                calls[name] = lambda f=gradient, a=args: f(*a)
            check({n: f() for n, f in {**calls, **peers}.items() if ":" not in n}, dtype)
            times = measure({**calls, **peers}, **SAMPLING)
            ms = {name: t.fastest * 1e3 for name, t in times.items()}
            best = min(peers, key=ms.__getitem__)
            others = ", ".join(f"{name} {ms[name]:.3g}" for name in peers)
            n, d, k = size
            print(f"\n{k} clusters, {d} dimensions, {n} points, {dtype.__name__}: ms: {others}")
            for name in FORMS:
                ours, value = ms[name], ms[f"{name}: value"]
                print(
                    f"  {name:<9} value {value:8.3g} ms, gradient {ours:8.3g} ms:"
                    f" {ours / value:5.2f} x the value, {ours / ms[best]:5.2f} x {best}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
