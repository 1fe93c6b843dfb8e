"""Derivatives of small programs, checked against central differences and against each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from myia.backends.reference.interpreter import evaluate
from myia.ir.avals import aval_of
from myia.ir.builder import build_region, emit
from myia.ir.core import Function, Region
from myia.ir.rewrite import clone_region
from myia.ir.verifier import verify
from myia.primitives.core.define import constant
from myia.primitives.core.structured import derivative_p
from myia.transforms.expand import expand_derivatives


def function(body: Callable, *args, name: str = "f") -> Function:
    """The function `body(*values)` of arguments like the arrays `args`; it returns its yields."""
    return Function(name, build_region([aval_of(np.asarray(x)) for x in args], body))


def differentiable(values) -> tuple[int, ...]:
    return tuple(i for i, x in enumerate(values) if x.aval.differentiable)


def _derivative(region: Region, mode: str, args, seeds, wrt, of):
    return emit(
        derivative_p, *args, *seeds, regions=[clone_region(region)], mode=mode, wrt=wrt, of=of
    )


def pushforward(f: Function) -> Function:
    """(*args, *tangents) -> (*ys, *tangents of ys)."""
    wrt, of = differentiable(f.args), differentiable(f.results)
    avals = [x.aval for x in f.args]

    def body(*xs):
        return _derivative(f.region, "jvp", xs[: len(avals)], xs[len(avals) :], wrt, of)

    return Function("jvp", build_region([*avals, *(avals[i] for i in wrt)], body))


def pullback(f: Function) -> Function:
    """(*args, *cotangents of ys) -> (*ys, *cotangents)."""
    wrt, of = differentiable(f.args), differentiable(f.results)
    avals = [x.aval for x in f.args]

    def body(*xs):
        return _derivative(f.region, "vjp", xs[: len(avals)], xs[len(avals) :], wrt, of)

    return Function("vjp", build_region([*avals, *(f.results[i].aval for i in of)], body))


def gradient(f: Function) -> Function:
    """args -> the gradients of the first result, a scalar, with respect to all float args."""
    n, wrt = len(f.results), differentiable(f.args)

    def body(*xs):
        one = constant(1.0, f.results[0].dtype)
        return _derivative(f.region, "vjp", xs, [one], wrt, (0,))[n:]

    return Function("grad", build_region([x.aval for x in f.args], body))


def expanded(f: Function) -> Function:
    verify(f)
    g = expand_derivatives(f)
    verify(g, expanded=True)
    return g


def run(f: Function, args: Sequence) -> list:
    return evaluate(f, args)


def dot(xs, ys) -> float:
    return sum(float(np.sum(np.asarray(x) * np.asarray(y))) for x, y in zip(xs, ys, strict=True))


def directions(f: Function, args, seed: int):
    """Tangents for the float args and cotangents for the float results, at random."""
    rng = np.random.default_rng(seed)
    ts = [rng.normal(size=np.shape(args[i])) for i in differentiable(f.args)]
    cts = [rng.normal(size=f.results[i].shape) for i in differentiable(f.results)]
    return ts, cts


def central_difference(f: Function, args, ts, eps: float) -> list[np.ndarray]:
    """The directional derivative of the float results."""

    def shifted(step):
        xs, steps = list(args), iter(ts)
        for i in differentiable(f.args):
            xs[i] = np.asarray(xs[i]) + step * next(steps)
        ys = run(f, xs)
        return [ys[i] for i in differentiable(f.results)]

    # Fourth order, so that the error stays far below the tolerance.
    near, far = (
        [(a - b) / 2 for a, b in zip(shifted(h), shifted(-h), strict=True)] for h in (eps, 2 * eps)
    )
    return [(8 * a - b) / (6 * eps) for a, b in zip(near, far, strict=True)]


def check(f: Function, args, *, order: int = 2, eps: float = 1e-4, rtol: float = 1e-7, seed=0):
    """`f` forward and reverse: against central differences, against each other, then `order - 1`.

    The derivatives of the derivatives are checked the same way, so that order 2 means forward over
    forward, forward over reverse, reverse over forward and reverse over reverse.
    """
    f = expanded(f)
    ts, cts = directions(f, args, seed)
    values = run(f, args)
    floats = differentiable(f.results)
    expected = central_difference(f, args, ts, eps)
    forward = expanded(pushforward(f))
    reverse = expanded(pullback(f))
    ys_t = run(forward, [*args, *ts])
    xs_ct = run(reverse, [*args, *cts])
    for got in (ys_t, xs_ct):
        np.testing.assert_equal([got[i] for i in range(len(values))], values)
    ys_t, xs_ct = ys_t[len(values) :], xs_ct[len(values) :]
    assert len(ys_t) == len(floats)
    for got, want in zip(ys_t, expected):
        np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * (1 + np.max(np.abs(want))))
    np.testing.assert_allclose(dot(ys_t, cts), dot(xs_ct, ts), rtol=1e-10, atol=1e-12)
    if order > 1:
        for derived, more in ((forward, ts), (reverse, cts)):
            check(derived, [*args, *more], order=order - 1, eps=eps, rtol=rtol, seed=seed + 1)
