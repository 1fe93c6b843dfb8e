"""Derivatives of a program to second order, in all four orders of the modes, by the interpreter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import myia
from myia.backends.reference.interpreter import evaluate
from myia.pipeline import lowered
from tests.infer.driver import hidden_arguments, inferred

STEP = 1e-5


def derivatives_of(f: Callable, order: int) -> Callable:
    """A program of all derivatives of `loss = sum(f(x) * w)`, along `v` where one is needed."""

    def program(x, v, w):
        def loss(x):
            return np.sum(f(x) * w)

        gradient = myia.grad(loss)

        def along(x):
            return myia.jvp(loss, (x,), (v,))[1]

        if order == 1:
            return loss(x), gradient(x), along(x)
        return (
            loss(x),
            gradient(x),
            along(x),
            myia.jvp(gradient, (x,), (v,))[1],
            myia.grad(lambda x: np.sum(gradient(x) * v))(x),
            myia.grad(along)(x),
            myia.jvp(along, (x,), (v,))[1],
        )

    return program


def check_derivatives(
    f: Callable, x: np.ndarray, order: int = 2, rtol: float = 1e-6, atol: float = 1e-7
) -> None:
    """First order against differences of values, second order against differences of gradients."""
    rng = np.random.default_rng(0)
    v, w = rng.normal(size=np.shape(x)), rng.normal(size=np.shape(f(x.copy())))
    x = x.copy()  # another object than one that `f` reads beside its argument
    program, _ = inferred(derivatives_of(f, order), x, v, w)
    hidden = hidden_arguments(program)
    compiled = lowered(program.function)

    def at(x):
        return evaluate(compiled, [np.asarray(a) for a in (x, v, w, *hidden)])

    _, gradient, tangent, *second = at(x)[: 3 if order == 1 else 7]
    numeric = [_difference(at, x, i, 0) for i in np.ndindex(x.shape)]
    np.testing.assert_allclose(gradient.ravel(), numeric, rtol, atol, err_msg="reverse mode")
    np.testing.assert_allclose(tangent, np.sum(gradient * v), rtol, atol, err_msg="forward mode")
    if order == 1:
        return
    wanted = (at(x + STEP * v)[1] - at(x - STEP * v)[1]) / (2 * STEP)
    modes = ("forward over reverse", "reverse over reverse", "reverse over forward")
    scale = 10 * atol * (1 + np.max(np.abs(wanted), initial=0))
    for got, mode in zip(second, modes):
        np.testing.assert_allclose(got, wanted, 10 * rtol, scale, err_msg=mode)
    np.testing.assert_allclose(
        second[3], np.sum(second[0] * v), 10 * rtol, scale, err_msg="forward over forward"
    )


def _difference(at: Callable, x: np.ndarray, i: tuple[int, ...], output: int) -> float:
    step = np.zeros_like(x)
    step[i] = STEP
    return (at(x + step)[output] - at(x - step)[output]) / (2 * STEP)
