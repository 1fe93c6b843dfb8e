"""Control flow and derivative rules in jaxprs: loops stay loops, authors' rules are used."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from myia.backends.reference.interpreter import evaluate
from myia.backends.xla.executable import compile_function
from myia.ir.avals import F64
from myia.ir.builder import build_region, emit
from myia.ir.core import Function, walk
from myia.ir.verifier import verify
from myia.pipeline import lowered
from myia.primitives.core.structured import custom_p, derivative_p, loop_p
from myia.source.diagnostics import MyiaError
from myia.transforms.expand import expand_derivatives
from tests.infer.jax.translated import (
    difference_of_gradients,
    gradient,
    gradient_by_jax,
    gradient_by_us,
    joined,
    second_by_us,
    translated,
)
from tests.quick_compiles import QUICKLY

X = np.array([[0.3, -1.2, 0.7], [-0.4, 0.8, -2.1], [1.3, 0.6, -0.25], [0.9, -0.1, 0.5]])
V = X[0]


def cumulated(x):
    return lax.scan(lambda c, row: (jnp.sin(c) * row, c + row), x[0], x)


def backwards(x):
    return lax.scan(lambda c, row: (jnp.cos(c) + row, c * row), x[0], x, reverse=True)


def two_states(x):
    def step(state, pair):
        (a, k), (row, other) = state, pair
        return (a * row.sum() + other[0], k + 1), {"a": a, "k": k}

    return lax.scan(step, (1.0, 0), (x, x[::-1]))


def nested(x):
    def outer(c, row):
        return lax.scan(lambda d, v: (jnp.tanh(d * v + c), d), c, row)

    return lax.scan(outer, 0.5, x)


def without_inputs(x):
    return lax.scan(lambda c, _: (jnp.sin(c), c), x, None, length=4)


def no_trips(x):
    return lax.scan(lambda c, row: (c + row, c), x[0], x[:0])


def counted(x):
    return lax.fori_loop(0, 5, lambda k, c: jnp.sin(c) * x[k % 4] + k, x[0])


def branches(x):
    return lax.cond(x[0, 0] > 0, lambda x: x**2, jnp.sin, x)


def many_branches(x):
    def choose(k):
        return lax.switch(k, [jnp.sin, lambda x: x**2, jnp.exp], x)

    return [choose(k + jnp.argmax(x[0]) - 2) for k in (-1, 0, 1, 2, 7)]


def branch_in_loop(x):
    def step(c, row):
        return lax.cond(row[0] > 0.5, lambda c: c * row.sum(), jnp.sin, c), c

    return lax.scan(step, 0.7, x)


def mapped(x):
    return lax.map(lambda row: jnp.prod(row) * row, x), jax.vmap(jnp.outer)(x, x)


def prefix(x):
    return lax.associative_scan(jnp.multiply, x)


def until(x):
    return lax.while_loop(lambda s: jnp.sum(s**2) < 50, lambda s: s * 1.5 + x[1], x[0])


def counted_by_value(x):
    return lax.fori_loop(0, (x[0, 0] * 10 + 0.5).astype(int), lambda k, c: jnp.sin(c) + x[k], x[0])


@jax.custom_jvp
def twice_sine(x, k):
    return k * jnp.sin(x)


# Not the derivative of what it returns, so that one sees who is asked.
@twice_sine.defjvp
def _(primals, tangents):
    (x, k), (t, _) = primals, tangents
    return twice_sine(x, k), 2 * k * jnp.cos(x) * t


@jax.custom_vjp
def tripled(x, y):
    return x * y, x + 1


tripled.defvjp(
    lambda x, y: (tripled(x, y), (x, y)), lambda r, g: (3 * g[0] * r[1] + g[1], 5 * g[0] * r[0])
)


@jax.custom_vjp
def clipped(x):
    return x * 1.0


clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -0.5, 0.5),))


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def counting(x, n):
    return x**n


counting.defvjp(lambda x, n: (x**n, x), lambda n, x, g: (n * g * x ** (n - 1),))


@jax.custom_vjp
def chosen(x, k):
    return x[k] ** 2


chosen.defvjp(
    lambda x, k: (x[k] ** 2, k),
    lambda k, g: (jnp.where(jnp.arange(4)[:, None] == k, g, 0.0), None),
)


@jax.custom_batching.custom_vmap
def batched(x):
    return jnp.sin(x) * x


batched.def_vmap(lambda size, batched_args, x: (jnp.sin(x) * x, batched_args[0]))

SMOOTH = {
    "scan": cumulated,
    "reversed scan": backwards,
    "states": two_states,
    "nest": nested,
    "no inputs": without_inputs,
    "no trips": no_trips,
    "counted": counted,
    "cond": branches,
    "switch": many_branches,
    "cond in scan": branch_in_loop,
    "map": mapped,
    "associative scan": prefix,
    "call": jax.jit(lambda x: jax.jit(jnp.sin)(x) * x),
    "remat": jax.checkpoint(lambda x: jnp.sin(jnp.exp(x))),
}


def solver(x):
    return lax.custom_root(
        lambda y: y**3 + y - x.sum(), 0.0, lambda f, y: _newton(f, y), lambda g, b: b / g(1.0)
    )


# Since JAX 0.11.2 it is a primitive whose derivative no public function tells.
HAS_OPAQUE_ROOTS = jax.__version_info__ >= (0, 11, 2)
if not HAS_OPAQUE_ROOTS:
    SMOOTH["solver"] = solver
RULES = {
    "relu": lambda x: jax.nn.relu(x) * x,
    "custom_jvp": lambda x: twice_sine(x, 2.0) * x,
    "custom_jvp in scan": lambda x: lax.scan(lambda c, r: (twice_sine(c * r, 2), c), V, x),
    "custom_vjp": lambda x: tripled(x, x**2)[0] * tripled(x, x)[1],
    "custom_vjp in scan": lambda x: lax.scan(lambda c, r: (tripled(c, r)[0], c), V, x),
    "custom_vjp in cond": lambda x: lax.cond(x[0, 0] > 0, lambda x: tripled(x, x)[0], jnp.sin, x),
    "clipping": lambda x: clipped(x**2) ** 2,
    "clipping in scan": lambda x: lax.scan(lambda c, r: (clipped(c * r), c), V, x),
    "static argument": lambda x: counting(x, 3),
    "integer argument": lambda x: chosen(x, jnp.argmax(x[0])),
}
# Those that JAX cannot differentiate in reverse.
OURS = {"while": until, "trips by value": counted_by_value, "custom_vmap": batched}
ALL = {**SMOOTH, **RULES, **OURS}


def _newton(f, y):
    return lax.fori_loop(0, 30, lambda _, y: y - f(y) / (3 * y**2 + 1), y)


@functools.cache
def by_jax() -> tuple[dict, dict]:
    def everything(x):
        values = {name: jax.tree.leaves(f(x)) for name, f in ALL.items()}
        gradients = {
            name: gradient_by_jax(f, [X])(x) for name, f in ALL.items() if name not in OURS
        }
        return values, gradients

    with jax.enable_x64(True):
        quick = jax.jit(everything, compiler_options=QUICKLY)
        return jax.tree.map(np.asarray, quick(X))


def assert_equal(got, wanted, rtol=1e-9):
    assert len(got) == len(wanted)
    for g, w in zip(got, wanted):
        assert g.dtype == w.dtype and g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("name", ALL)
def test_values(name):
    assert_equal(evaluate(translated(ALL[name], [X]), [X]), by_jax()[0][name])


@pytest.mark.parametrize("name", [*SMOOTH, *RULES])
def test_gradients(name):
    got = evaluate(expand_derivatives(gradient_by_us(ALL[name], [X])), [X])
    assert_equal(got, by_jax()[1][name])


@pytest.mark.parametrize("name", OURS)
def test_gradients_that_jax_does_not_have(name):
    """Against the same operations, written without the loop."""
    same = {"while": _until_unrolled, "trips by value": _counted_unrolled, "custom_vmap": _plain}
    with jax.enable_x64(True):
        wanted = gradient_by_jax(same[name], [X])(X)
    got = evaluate(expand_derivatives(gradient_by_us(OURS[name], [X])), [X])
    assert_equal(got, wanted)


def _plain(x):
    return jnp.sin(x) * x


def _until_unrolled(x):
    s = x[0]
    while jnp.sum(lax.stop_gradient(X[0] if s is x[0] else s) ** 2) < 50:
        s = s * 1.5 + x[1]
    return s


def _counted_unrolled(x):
    c = x[0]
    for k in range(3):
        c = jnp.sin(c) + x[k]
    return c


@pytest.mark.parametrize("name", [*SMOOTH, *OURS])
def test_second_derivatives(name):
    got = evaluate(expand_derivatives(second_by_us(ALL[name], [X])), [X])
    assert_equal(got, difference_of_gradients(ALL[name], [X]), rtol=1e-7)


def test_on_xla():
    programs = [gradient_by_us(f, [X]) for f in ALL.values()]
    programs += [translated(f, [X]) for f in OURS.values()]
    got = compile_function(lowered(joined(programs)))(*[X] * len(programs))
    wanted = [y for program in programs for y in evaluate(expand_derivatives(program), [X])]
    assert_equal([np.asarray(y) for y in got], wanted)


# ----- Loops


def test_the_translation_of_a_loop_is_as_long_as_its_body():
    def ops(n: int) -> int:
        f = translated(lambda x: lax.scan(lambda c, v: (jnp.sin(c * v), c), 1.0, x), [np.ones(n)])
        g = expand_derivatives(
            gradient(translated(lambda x: cumulated(x)[0][0], [np.ones((n, 2))]))
        )
        return sum(1 for function in (f, g) for _ in walk(function.region))

    assert ops(3) == ops(1000)


def test_a_scan_is_one_loop():
    function = translated(two_states, [X])
    assert [op.primitive for op in walk(function.region)].count(loop_p) == 1


# ----- Rules


def test_a_rule_is_not_asked_for_before_a_derivative_is_taken():
    asked = []

    @jax.custom_jvp
    def f(x):
        return jnp.sin(x)

    @f.defjvp
    def _(primals, tangents):
        asked.append(1)
        return f(*primals), 3 * tangents[0]

    function = translated(f, [1.0])
    assert [op.primitive for op in function.region.ops] == [custom_p] and not asked
    (got,) = evaluate(expand_derivatives(gradient(function)), [1.0])
    assert got == 3.0 and asked


def test_a_second_derivative_is_that_of_the_rule():
    f = translated(lambda x: twice_sine(x, 1.0), [0.4])
    (got,) = evaluate(expand_derivatives(gradient(gradient(f))), [0.4])
    np.testing.assert_allclose(got, -2 * np.sin(0.4))


def test_after_expansion_nobody_asks_for_rules():
    f = Function("f", translated(RULES["custom_vjp"], [X]).region)
    verify(expand_derivatives(f), expanded=True)


def forward(f: Function) -> Function:
    def body(x, t):
        return emit(derivative_p, x, t, regions=[f.region], mode="jvp", wrt=(0,), of=(0,))

    return Function("forward", build_region([F64, F64], body))


def test_forward_mode_of_a_rule():
    f = forward(translated(lambda x: twice_sine(x, 3.0), [0.4]))
    _, t = evaluate(expand_derivatives(f), [0.4, 2.0])
    np.testing.assert_allclose(t, 2 * 3 * np.cos(0.4) * 2.0)


def test_forward_mode_of_a_rule_for_reverse_mode_is_refused():
    f = forward(translated(clipped, [0.4]))
    with pytest.raises(MyiaError, match="`clipped` has a rule for reverse mode only"):
        expand_derivatives(f)


def test_a_rule_that_is_not_linear_is_refused_in_loops_at_second_order():
    second = second_by_us(RULES["clipping in scan"], [X])
    with pytest.raises(MyiaError, match="not linear in the cotangents"):
        expand_derivatives(second)


@pytest.mark.skipif(not HAS_OPAQUE_ROOTS, reason="older versions of JAX tell the derivative")
def test_an_opaque_root_is_refused():
    with pytest.raises(MyiaError, match="`call_hi_primitive` is not supported"):
        translated(solver, [X])


def test_a_rule_says_nothing_about_what_its_function_closes_over():
    def outer(x):
        @jax.custom_jvp
        def f(y):
            return y * x

        f.defjvp(lambda primals, tangents: (primals[0], tangents[0]))
        return f(2.0)

    with pytest.raises(MyiaError, match="says nothing about a value that it closes over"):
        expand_derivatives(gradient(translated(outer, [0.4])))
