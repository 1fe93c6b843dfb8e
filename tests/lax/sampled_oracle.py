"""Values, gradients and second derivatives of a case, by myia and by JAX.

The results y of a case make one number, sum Re(w y (1 + y / 2)) for fixed weights w: not linear in
y, so that an operation that is linear has a second derivative too. Compared are y, the gradient g
of that number, and the gradient of sum Re(v g) for fixed directions v. Ours come by reverse mode
over reverse mode, JAX's by forward mode over reverse mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np

from myia.backends.reference.interpreter import evaluate
from myia.backends.xla.executable import compile_function
from myia.infer.jax.tracing.trace import trace
from myia.infer.jax.tracing.translate import translate
from myia.ir.avals import aval_of
from myia.ir.builder import build_region
from myia.ir.core import Function, Region, Value
from myia.ir.rewrite import inline
from myia.pipeline import lowered
from myia.primitives.arrays.shaping import reduce_sum
from myia.primitives.core.define import array_constant, constant
from myia.primitives.pointwise.logic import convert
from myia.primitives.pointwise.transcendental import real
from myia.transforms.vjp import vjp_region
from tests.lax.sampled_case import Case
from tests.quick_compiles import QUICKLY
from tests.sampled_arrays import differentiable, weights

# ----- Ours


def ours(case: Case) -> Region:
    """inputs -> *values, *gradients, *second derivatives"""
    avals = [aval_of(x) for x in case.inputs]
    staged = trace(lambda *xs: jax.tree.leaves(case.f(*xs)), avals)
    region = build_region(avals, lambda *xs: translate(staged, xs))
    values = len(region.yields)
    if case.order > 0:
        region = _with_gradient(region, range(values), 0)
    if case.order > 1:
        region = _with_gradient(region, range(values, len(region.yields)), 100)
    return region


def _with_gradient(region: Region, of: Sequence[int], seed: int) -> Region:
    """The results of `region`, and the gradient of the number that its results `of` make."""

    def with_number(*xs):
        ys = inline(region, xs)
        return [*ys, _number([ys[i] for i in of], seed)]

    whole = build_region([x.aval for x in region.args], with_number)
    last = len(region.yields)
    pullback = vjp_region(whole, differentiable(region.args), [last])

    def body(*xs):
        results = inline(pullback, (*xs, constant(1, np.float64)))
        return [*results[:last], *results[last + 1 :]]

    return build_region([x.aval for x in region.args], body)


def _number(ys: Sequence[Value], seed: int) -> Value:
    """sum Re(w y (1 + y / 2)) of values (seed 0), else sum Re(v y)"""
    total = constant(0, np.float64)
    for i in differentiable(ys):
        y = ys[i] * array_constant(weights(ys[i].shape, ys[i].dtype, seed + i))
        if seed == 0:
            y = y * (1 + ys[i] / 2)
        y = convert(real(y) if y.dtype.kind == "c" else y, dtype=np.float64)
        total = total + reduce_sum(y, axes=tuple(range(y.aval.ndim)))
    return total


def on_reference(case: Case) -> list[np.ndarray]:
    return evaluate(ours(case), case.inputs)


def on_xla(cases: Sequence[Case]) -> list[list[np.ndarray]]:
    """Through all passes, in one compile."""
    regions = [ours(case) for case in cases]
    avals = [x.aval for r in regions for x in r.args]

    def body(*xs):
        xs = iter(xs)
        return [y for r in regions for y in inline(r, [next(xs) for _ in r.args])]

    program = lowered(Function("sampled", build_region(avals, body)))
    found = iter(compile_function(program)(*(x for case in cases for x in case.inputs)))
    return [[np.asarray(next(found)) for _ in r.yields] for r in regions]


# ----- JAX's


def by_jax(cases: Sequence[Case]) -> list[list[np.ndarray]]:
    """Of all cases, in one compile: values, gradients and second derivatives."""

    def program(inputs):
        return [_derivatives(case, xs) for case, xs in zip(cases, inputs)]

    with jax.enable_x64(True):
        run = jax.jit(program, compiler_options=QUICKLY)
        return jax.tree.map(np.asarray, run([case.inputs for case in cases]))


def _derivatives(case: Case, inputs: Sequence[jax.Array]) -> list[jax.Array]:
    at = differentiable(inputs)

    def number(*xs):
        everything = list(inputs)
        for i, x in zip(at, xs):
            everything[i] = x
        ys = jax.tree.leaves(case.f(*everything))
        return sum((_weighted(ys[i], i) for i in differentiable(ys)), jnp.zeros(())), ys

    xs = [inputs[i] for i in at]
    if case.order == 0:
        return number(*xs)[1]
    gradient = _gradient_forward(number) if case.forward else _gradient(number, len(xs))
    if case.order == 1:
        g, ys = gradient(*xs)
        return [*ys, *g]
    vs = [jnp.asarray(weights(x.shape, x.dtype, 100 + k)) for k, x in enumerate(xs)]
    g, h, ys = jax.jvp(gradient, xs, vs, has_aux=True)
    return [*ys, *g, *h]


def _gradient(number: Callable, count: int) -> Callable:
    return jax.grad(number, argnums=tuple(range(count)), has_aux=True)


def _gradient_forward(number: Callable) -> Callable:
    """The gradient, by one tangent for each element of the arguments, which are real."""

    def gradient(*xs):
        flat, unflatten = jax.flatten_util.ravel_pytree(list(xs))

        def along(t):
            return jax.jvp(number, xs, tuple(unflatten(t)), has_aux=True)[1]

        slopes = jax.vmap(along)(jnp.eye(flat.size, dtype=flat.dtype))
        return unflatten(slopes.astype(flat.dtype)), number(*xs)[1]

    return gradient


def _weighted(y: jax.Array, i: int) -> jax.Array:
    number = jnp.real(jnp.asarray(weights(y.shape, y.dtype, i)) * y * (1 + y / 2))
    return jnp.sum(number.astype(jnp.float64))


# ----- Side by side

TOLERANCE = {"f": 1e-4, "d": 1e-10, "F": 1e-4, "D": 1e-10}


def assert_equal(got: Sequence, wanted: Sequence, what: str) -> None:
    """Numbers equal to the tolerance, relative to themselves or to the largest of the array.

    The tolerance is that of the results' lowest precision, which all derivatives go through.
    """
    assert len(got) == len(wanted), what
    tolerance = max((TOLERANCE.get(y.dtype.char, 0) for y in wanted), default=0)
    for k, (x, y) in enumerate(zip(got, wanted)):
        assert (x.dtype, x.shape) == (y.dtype, y.shape), f"{what}: result {k}"
        assert np.all(np.isfinite(y)), f"{what}: at a bad sample JAX gives {y}"
        atol = tolerance * max(1.0, float(np.max(np.abs(y), initial=0)))
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=atol, err_msg=f"{what}: result {k}")
