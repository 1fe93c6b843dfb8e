"""Translated jaxprs on the reference interpreter, compared with JAX's own results.

For a function f at arguments x, the values f(x) are compared, and the first and second derivatives
of w.f(x + t v) in t for nonzero weights w and directions v. Ours come from reverse mode over
reverse mode; JAX's from forward mode, which can differentiate its `while` loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from myia.backends.reference.interpreter import evaluate
from myia.infer.jax.tracing.trace import trace
from myia.infer.jax.tracing.translate import translate
from myia.ir.avals import aval_of
from myia.ir.builder import build_region
from myia.ir.core import Region, Value
from myia.ir.rewrite import inline
from myia.primitives.arrays.shaping import reduce_sum
from myia.primitives.core.define import array_constant, constant
from myia.primitives.pointwise.logic import convert
from myia.primitives.pointwise.transcendental import real
from myia.transforms.vjp import vjp_region
from tests.quick_compiles import QUICKLY
from tests.sampled_arrays import differentiable, weights


def arrays_of(f: Callable) -> Callable[..., list]:
    """`f`, whose results are a list of arrays whatever they were."""
    return lambda *xs: [jnp.asarray(y) for y in jax.tree.leaves(f(*xs))]


def staged_region(f: Callable, args: Sequence[np.ndarray]) -> Region:
    avals = [aval_of(x) for x in args]
    return build_region(avals, lambda *xs: translate(trace(arrays_of(f), avals), xs))


# ----- Ours


def _weighted(xs: Sequence[Value], seed: int) -> Value:
    """sum of Re(w x) over all that is differentiable."""
    total = constant(0, np.float64)
    for i in differentiable(xs):
        x = xs[i] * array_constant(weights(xs[i].shape, xs[i].dtype, seed + i))
        x = convert(real(x) if x.dtype.kind == "c" else x, dtype=np.float64)
        total = total + reduce_sum(x, axes=tuple(range(x.aval.ndim)))
    return total


def _with_weighted_sum(region: Region) -> Region:
    def body(*xs):
        ys = inline(region, xs)
        return [*ys, _weighted(ys, 0)]

    return build_region([x.aval for x in region.args], body)


def _with_derivative_of_last(region: Region) -> Region:
    """The results of `region`, and how the last one moves with the arguments."""
    moving, last = differentiable(region.args), len(region.yields) - 1
    pullback = vjp_region(region, moving, [last])

    def body(*xs):
        one = array_constant(np.ones((), region.yields[last].dtype))
        results = inline(pullback, (*xs, one))
        cts = dict(zip(moving, results[last + 1 :]))
        return [*results[: last + 1], _weighted([cts.get(i, x) for i, x in enumerate(xs)], 100)]

    return build_region([x.aval for x in region.args], body)


def ours(f: Callable, args: Sequence[np.ndarray], order: int) -> list:
    """The results, and (`order` > 0) their weighted sum and its derivatives."""
    region = staged_region(f, args)
    if order > 0:
        region = _with_weighted_sum(region)
    for _ in range(order):
        region = _with_derivative_of_last(region)
    return evaluate(region, args)


# ----- JAX's


def theirs(f: Callable, args: Sequence[np.ndarray], order: int) -> list:
    moving = differentiable(args)
    directions = {i: weights(args[i].shape, args[i].dtype, 100 + i) for i in moving}

    def at(t):
        return [
            x + t.astype(x.dtype) * directions[i] if i in directions else jnp.asarray(x)
            for i, x in enumerate(args)
        ]

    def weighted(t):
        ys = arrays_of(f)(*at(t))
        products = [ys[i] * weights(ys[i].shape, ys[i].dtype, i) for i in differentiable(ys)]
        return sum((jnp.sum(jnp.real(x)).astype(t.dtype) for x in products), 0 * t)

    def derivative(g):
        return lambda t: jax.jvp(g, (t,), (jnp.ones_like(t),))[1]

    zero = jnp.zeros((), jnp.float64)
    results = arrays_of(f)(*map(jnp.asarray, args))
    for _ in range(order + 1 if order else 0):
        results.append(weighted(zero))
        weighted = derivative(weighted)
    return results


# ----- Side by side


def check(cases: dict[str, tuple], order: int, rtol: float = 1e-9) -> None:
    """`cases`: name -> (f, *args); all of JAX's are compiled as one."""
    cases = {name: (f, [np.asarray(x) for x in args]) for name, (f, *args) in cases.items()}

    def everything():
        return {name: theirs(*case, order) for name, case in cases.items()}

    with jax.enable_x64(True):
        wanted = jax.tree.map(np.asarray, jax.jit(everything, compiler_options=QUICKLY)())
    for name, case in cases.items():
        got = ours(*case, order)
        assert_same(got, wanted[name], name, rtol)


def assert_same(got: Sequence, wanted: Sequence, what: str, rtol: float) -> None:
    assert len(got) == len(wanted), what
    for x, y in zip(got, wanted):
        x, y = np.asarray(x), np.asarray(y)
        assert (x.dtype, x.shape) == (y.dtype, y.shape), f"{what}: {x!r} for {y!r}"
        assert np.all(np.isfinite(y)), f"{what}: a bad sample gives {y}"
        np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol * 0.1, err_msg=what)
