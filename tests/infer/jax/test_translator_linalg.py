"""Whole functions of linear algebra, translated: values and derivatives are those of JAX.

Values, cotangents and tangents of cotangents of one group of functions are made by JAX in one
executable; ours are evaluated by the reference interpreter.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
import pytest
from jax import lax

from myia.backends.reference.interpreter import evaluate
from myia.infer.jax.tracing.trace import trace
from myia.infer.jax.tracing.translate import translate
from myia.ir.avals import aval_of
from myia.ir.builder import build_region
from myia.ir.core import Function as Program
from myia.ir.core import Region
from myia.passes.canonicalize.cse import cse
from myia.passes.canonicalize.dce import dce
from myia.source.diagnostics import MyiaError
from myia.transforms.jvp import jvp_region
from myia.transforms.vjp import vjp_region
from tests.library.samples.linalg_functions import GROUPS, PAIR, Function, matrix, vector
from tests.quick_compiles import QUICKLY

# ----- Derivatives, ours and JAX's


def direction(x: np.ndarray, seed: int) -> np.ndarray:
    return vector(*x.shape, dtype=x.dtype, seed=seed)


def floating(values) -> list[int]:
    return [i for i, x in enumerate(values) if np.dtype(x.dtype).kind in "fc"]


def seeds(function: Function, ys) -> tuple[list, list]:
    """Cotangents of the floating results; tangents of the inputs and of these cotangents."""
    cts = [direction(np.asarray(ys[i]), 7 + i) for i in floating(ys)]
    return cts, [direction(x, 20 + i) for i, x in enumerate((*function.inputs, *cts))]


def by_jax(function: Function, cts, ts):
    """The cotangents of the inputs, and their tangents."""

    def results(*xs):
        ys = jax.tree.leaves(function.f(*xs))
        return [ys[i] for i in floating(ys)]

    def pullback(*args):
        xs, cts = args[: len(function.inputs)], list(args[len(function.inputs) :])
        return jax.vjp(results, *xs)[1](cts)

    if function.order == 1:
        return [*pullback(*function.inputs, *cts)]
    pulled, moved = jax.jvp(pullback, (*function.inputs, *cts), tuple(ts))
    return [*pulled, *moved]


def translated(function: Function) -> Region:
    avals = [aval_of(x) for x in function.inputs]
    closed = trace(function.f, avals)
    return build_region(avals, lambda *xs: translate(closed, xs))


def by_us(function: Function, region: Region, cts, ts):
    n, count = len(function.inputs), len(region.yields)
    pullback = vjp_region(region, range(n), floating(region.yields))
    if function.order == 1:
        return evaluate(pullback, [*function.inputs, *cts])[count:]
    moved = jvp_region(pullback, range(n + len(cts)), range(count, count + n))
    return evaluate(moved, [*function.inputs, *cts, *ts])[count:]


def compare(ours, theirs, what: str) -> None:
    assert len(ours) == len(theirs), what
    for x, y in zip(ours, theirs):
        assert aval_of(x) == aval_of(y), what
        y = np.asarray(y)
        rtol = 1e-9 if y.dtype.char in "dD" else 1e-3
        scale = 1 + np.max(np.abs(y), initial=0)
        np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol * scale / 10, err_msg=what)


@pytest.mark.parametrize("group", GROUPS)
def test_values_and_derivatives_are_those_of_jax(group):
    functions = GROUPS[group]
    regions = [translated(one) for one in functions]
    ours = [evaluate(region, one.inputs) for one, region in zip(functions, regions)]
    given = [seeds(one, ys) for one, ys in zip(functions, ours)]

    def all_of_them():
        values = [jax.tree.leaves(one.f(*one.inputs)) for one in functions]
        return values, [by_jax(one, *s) if one.order else [] for one, s in zip(functions, given)]

    with jax.enable_x64(True):
        values, derivatives = jax.jit(all_of_them, compiler_options=QUICKLY)()
        for one, region, ys, y, s, d in zip(functions, regions, ours, values, given, derivatives):
            compare(ys, y, f"value of {one}")
            if one.order:
                compare(by_us(one, region, *s), d, f"derivatives of {one}")


# ----- What has no derivative

REFUSED = [
    (lambda x: jnp.linalg.svd(x)[0], matrix(4, 3)),
    (lambda x: jnp.linalg.eig(x)[1], matrix(3, 3)),
    (lambda x: jsl.schur(x)[0], matrix(3, 3)),
    (jsl.hessenberg, matrix(3, 3)),
    (lambda x: jnp.linalg.qr(x, mode="raw"), matrix(3, 3)),
    (lax.linalg.tridiagonal, matrix(3, 3)),
    (lambda x: lax.linalg.householder_product(x, x[0]), matrix(4, 3)),
]


@pytest.mark.parametrize("f, x", REFUSED)
def test_what_has_no_derivative_is_refused(f, x):
    """It moves smoothly or by jumps, but has no rule: a gradient of zeros would be wrong."""
    function = Function(f, (x,), 1)
    region = translated(function)
    cts, ts = seeds(function, evaluate(region, [x]))
    with pytest.raises(MyiaError, match="no derivative"):
        by_us(function, region, cts, ts)
    with pytest.raises(MyiaError, match="no derivative"):
        jvp_region(region, [0], floating(region.yields))


@pytest.mark.parametrize(
    "all_of_it, values, x, ct",
    [
        (jnp.linalg.eig, jnp.linalg.eigvals, matrix(3, 3), vector(3, dtype="c16")),
        (lambda x: jnp.linalg.svd(x)[1], jnp.linalg.svdvals, matrix(4, 3), vector(3)),
    ],
    ids=["eig", "svd"],
)
def test_values_beside_refused_vectors_have_derivatives(all_of_it, values, x, ct):
    """The vectors alone are refused: of the values there is any order."""
    pullbacks = [vjp_region(translated(Function(f, (x,))), [0], [0]) for f in (all_of_it, values)]
    beside, alone = (evaluate(pullback, [x, ct])[-1] for pullback in pullbacks)
    np.testing.assert_allclose(beside, alone, rtol=1e-12)
    t, last = direction(x, 3), len(pullbacks[0].yields) - 1
    moved = evaluate(jvp_region(pullbacks[0], [0], [last]), [x, ct, t])[-1]
    ahead, behind = (evaluate(pullbacks[0], [x + h * t, ct])[-1] for h in (1e-5, -1e-5))
    np.testing.assert_allclose(moved, (ahead - behind) / 2e-5, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("f", [jnp.linalg.eigh, lambda x: jnp.linalg.svd(x, full_matrices=False)])
def test_of_repeated_values_the_vectors_have_no_finite_derivative(f):
    """As JAX has it; the derivative of the values stays finite."""
    x = np.diag([2.0, 2.0, 1.0])
    region = translated(Function(f, (x,)))
    t = direction(x, 3)
    tangents = evaluate(jvp_region(region, [0], range(len(region.yields))), [x, t])
    with jax.enable_x64(True):
        expected = jax.tree.leaves(jax.jvp(lambda x: tuple(f(x)), (x,), (t + 0.0,))[1])
        for mine, theirs in zip(tangents[len(region.yields) :], expected, strict=True):
            np.testing.assert_array_equal(np.isfinite(mine), np.isfinite(theirs))
            np.testing.assert_allclose(mine[np.isfinite(mine)], theirs[np.isfinite(mine)])


def test_a_matrix_is_factored_once():
    """The gradient of a solution solves with the factors of the value."""
    region = translated(Function(jnp.linalg.solve, PAIR))
    pullback = vjp_region(region, [0, 1], [0])
    program = dce(cse(Program("f", pullback)))
    names = [op.primitive.name for op in program.region.ops]
    assert names.count("lu_solve") == 2
    assert names.count("lu") == 1


def test_solvers_that_report_are_refused():
    def solve(_, b):
        return b / 2, jnp.sum(b)

    def reporting(b):
        return lax.custom_linear_solve(lambda x: 2 * x, b, solve, symmetric=True, has_aux=True)

    with pytest.raises(MyiaError, match="has_aux"):
        translated(Function(reporting, (vector(3),)))
