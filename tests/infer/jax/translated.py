"""Functions of JAX in our IR: values, gradients and second derivatives, by us and by JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from myia.backends.reference.interpreter import evaluate
from myia.infer.jax.tracing.trace import trace
from myia.infer.jax.tracing.translate import translate
from myia.ir.avals import aval_of
from myia.ir.builder import build_region, emit
from myia.ir.core import Function
from myia.ir.rewrite import clone_region, inline
from myia.ir.verifier import verify
from myia.primitives.arrays import shaping
from myia.primitives.core.define import array_constant, constant
from myia.primitives.core.structured import derivative_p
from myia.transforms.expand import expand_derivatives


def translated(f: Callable, args: Sequence, name: str = "f") -> Function:
    """Typed IR of the JAX function `f` at arrays like `args`; its results are the leaves."""
    avals = [aval_of(np.asarray(x)) for x in args]
    staged = trace(lambda *xs: jax.tree.leaves(f(*xs)), avals)
    with jax.enable_x64(True):
        function = Function(name, build_region(avals, lambda *xs: translate(staged, xs)))
    verify(function)
    return function


def direction(x: np.ndarray) -> np.ndarray:
    """A fixed array like `x`."""
    return np.cos(1.0 + np.arange(x.size)).reshape(x.shape).astype(x.dtype)


def floats(args: Sequence) -> list[int]:
    return [i for i, x in enumerate(args) if np.asarray(x).dtype.kind == "f"]


# ----- By JAX


def weighted(f: Callable) -> Callable:
    """The results of `f`, weighted and summed: a loss."""

    def loss(*xs):
        leaves = [y for y in jax.tree.leaves(f(*xs)) if y.dtype.kind in "fc"]
        return sum(jnp.sum((y * direction(y)).real) for y in leaves)

    return loss


def gradient_by_jax(f: Callable, args: Sequence) -> Callable:
    return jax.grad(weighted(f), argnums=tuple(floats(args)))


# ----- By us


def gradient(f: Function) -> Function:
    """args -> gradients of the only result, a number, with respect to the floating args."""
    wrt = tuple(i for i, x in enumerate(f.args) if x.aval.differentiable)

    def body(*xs):
        one = constant(1.0, f.results[0].dtype)
        regions = [clone_region(f.region)]
        return emit(derivative_p, *xs, one, regions=regions, mode="vjp", wrt=wrt, of=(0,))[1:]

    return Function("gradient", build_region([x.aval for x in f.args], body))


def along(f: Function) -> Function:
    """args -> the sum of the results' components along fixed directions."""

    def body(*xs):
        total = constant(0.0, f.results[0].dtype)
        for y in inline(f.region, xs):
            towards = array_constant(direction(np.zeros(y.shape, y.dtype)))
            total = total + shaping.reduce_sum(y * towards, axes=tuple(range(y.aval.ndim)))
        return [total]

    return Function("along", build_region([x.aval for x in f.args], body))


def gradient_by_us(f: Callable, args: Sequence) -> Function:
    return gradient(translated(weighted(f), args))


def second_by_us(f: Callable, args: Sequence) -> Function:
    return gradient(along(gradient_by_us(f, args)))


def joined(functions: Sequence[Function]) -> Function:
    """One function of all their arguments that gives all their results: one compile."""
    avals = [x.aval for f in functions for x in f.args]

    def body(*xs):
        xs = iter(xs)
        return [y for f in functions for y in inline(f.region, [next(xs) for _ in f.args])]

    return Function("joined", build_region(avals, body))


def difference_of_gradients(f: Callable, args: Sequence, eps: float = 1e-4) -> list[np.ndarray]:
    """The derivative of the gradients along the fixed directions, by central differences."""
    g = expand_derivatives(gradient_by_us(f, args))

    def moved(step: float) -> list[np.ndarray]:
        xs = [x + step * direction(x) if x.dtype.kind == "f" else x for x in args]
        return evaluate(g, xs)

    # Fourth order, so that the error stays far below the tolerance.
    near, far = ([(a - b) / 2 for a, b in zip(moved(h), moved(-h))] for h in (eps, 2 * eps))
    return [(8 * a - b) / (6 * eps) for a, b in zip(near, far)]
