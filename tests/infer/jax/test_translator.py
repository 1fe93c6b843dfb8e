"""Functions of JAX, translated: values, gradients and second derivatives are JAX's own."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from myia.backends.reference.interpreter import evaluate
from myia.backends.xla.executable import compile_function
from myia.infer.jax.tracing.rules import translation_rule
from myia.infer.jax.tracing.trace import trace, trace_in_user_mode
from myia.infer.jax.tracing.translate import translate
from myia.ir.avals import F32, F64
from myia.ir.builder import build_region
from myia.ir.parser import parse
from myia.ir.printer import to_text
from myia.pipeline import lowered
from myia.source.diagnostics import MyiaError
from myia.transforms.expand import expand_derivatives
from tests.infer.jax.translated import (
    difference_of_gradients,
    direction,
    gradient_by_jax,
    gradient_by_us,
    joined,
    second_by_us,
    translated,
)
from tests.quick_compiles import QUICKLY

X = np.array([[0.3, -1.2, 0.7, 1.9], [-0.4, 0.8, -2.1, 0.15], [1.3, 0.6, -0.25, -0.9]])
P = np.abs(X) + 0.1
V = X[0]
I = np.array([[5, -3, 7, 0], [-4, 2, 9, 1]])
N = np.array([4, 2, 9, 1])
B = X > 0
W = P.astype(np.float32)
Z = X[:2] + 1j * X[1:]
TABLE = np.array([0.5, -1.5, 2.0, 0.25])

# Smooth at the samples, to second order.
DIFFERENTIABLE = {
    "arithmetic": (lambda x, y: (x + y) * x / y - (-x), X, P),
    "powers": (lambda x, p: x**3 + p**2.5 + p**-2 + x**2 + 2.0**x + jnp.power(p, x), X, P),
    "integer exponents": (lambda x, n: x[0] ** n, X, N),
    "remainders": (lambda x, p: x % p + jnp.fmod(x, p) + jnp.remainder(p, 0.7), X, P),
    "roots": (lambda p: jnp.sqrt(p) + lax.rsqrt(p) + jnp.cbrt(p) + jnp.hypot(p, 2 * p), P),
    "exponentials": (lambda x: jnp.exp(x) + jnp.exp2(x) + jnp.expm1(x) + jnp.logaddexp(x, 1), X),
    "logarithms": (lambda p: jnp.log(p) + jnp.log1p(p) + jnp.log2(p) + jnp.log10(p), P),
    "circle": (lambda x: jnp.sin(x) * jnp.cos(x) + jnp.tan(x / 3) + jnp.sinc(x), X),
    "arcs": (lambda x: jnp.arcsin(x / 3) * jnp.arccos(x / 4) + jnp.arctan(x), X),
    "angles": (lambda x, p: jnp.arctan2(x, p) + jnp.deg2rad(x), X, P),
    "hyperbola": (lambda x: jnp.sinh(x) + jnp.cosh(x) * jnp.tanh(x), X),
    "areas": (lambda x, p: jnp.arcsinh(x) + jnp.arccosh(p + 1) + jnp.arctanh(x / 3), X, P),
    "magnitudes": (lambda x: jnp.abs(x) * x + jnp.sign(x) * x, X),
    "extrema": (lambda x, p: jnp.maximum(x, p / 2) * jnp.minimum(x, 0.1), X, P),
    "clip": (lambda x: jnp.clip(x, -1, 0.65) * x + lax.clamp(-1.0, x, 0.5) ** 2, X),
    "where": (lambda x: jnp.where(x > 0, x**2, jnp.sin(x)), X),
    "select": (lambda x: jnp.select([x > 1, x > 0], [x, x**2], jnp.cos(x)), X),
    "choose": (lambda x, i: lax.select_n(i[:1] % 3, x[:1], x[1:2] ** 2, x[2:]), X, I),
    "steps": (lambda x: x * (jnp.floor(x) + jnp.ceil(x) + jnp.round(x) + jnp.trunc(x)), X),
    "stopped": (lambda x: lax.stop_gradient(x) * x, X),
    "table": (lambda x: jnp.sin(x[0]) * TABLE, X),
    "complex": (lambda x: jnp.abs(jnp.exp(1j * x) * (x + 2)) ** 2, X),
    "parts": (lambda x: (jnp.conj((x + 1j) ** 2) * 1j).real + jnp.angle(x + 2j), X),
    "conversions": (lambda x: x.astype(np.float32).astype(float) ** 2, X.round(1)),
    "broadcasting": (lambda x: x[:, None, :] * x[:, :, None] + x[0], X),
    "shapes": (lambda x: jnp.reshape(x, (2, -1)).T.ravel()[::-1] * jnp.expand_dims(x, 1).size, X),
    "axes": (lambda x: jnp.swapaxes(jnp.moveaxis(x[None] ** 2, 0, 2), 0, 1), X),
    "joined": (lambda x: jnp.concatenate([x, x[:1] ** 2]) + jnp.vstack([x, x[0]]), X),
    "stacked": (lambda x: jnp.stack([x, x**2], axis=1), X),
    "split": (lambda x: sum(k * y**2 for k, y in enumerate(jnp.split(x, [1, 3], axis=1)[::2])), X),
    "unstacked": (lambda x: functools.reduce(jnp.multiply, jnp.unstack(x, axis=1)), X),
    "tiled": (lambda x: jnp.tile(x, (2, 1, 3)) ** 2 + jnp.repeat(x, 3, axis=1).sum(), X),
    "padded": (lambda x: jnp.pad(x, ((1, 2), (0, 1)), constant_values=3.0) ** 2, X),
    "dilated": (lambda x: lax.pad(x, x[0, 0], ((-1, 2, 1), (1, -1, 0))) ** 2, X),
    "slices": (lambda x: x[1:, ::2] * x[:2, 1::2] + x[-1, 0], X),
    "windows": (lambda x, i: lax.dynamic_slice(x, (i[0, 3], i[1, 3]), (2, 2)) ** 2, X, I),
    "updates": (lambda x: lax.dynamic_update_slice(x, x[:2, :2] ** 2, (1, 1)), X),
    "rolled": (lambda x: jnp.roll(x, 2, axis=1) * x, X),
    "sums": (lambda x: jnp.sum(x**2, axis=0) + jnp.mean(x, axis=0) ** 3 + jnp.sum(x), X),
    "spread": (lambda x: jnp.var(x, axis=1, ddof=1) + jnp.std(x, axis=1), X),
    "products": (lambda x: jnp.prod(x, axis=0) * jnp.prod(x), X),
    "largest": (lambda x: jnp.max(x**2, axis=1) + jnp.min(x, axis=1) ** 2 + jnp.ptp(x), X),
    "reduce": (lambda x: lax.reduce(x, 1.5, lax.mul, (0,)) + lax.reduce(x, 0.0, lax.add, (0,)), X),
    "norms": (lambda x: jnp.linalg.norm(x) + jnp.linalg.norm(x, axis=1, ord=3).sum(), X),
    "matmul": (lambda x, y: x @ y.T @ x, X, P),
    "einsum": (lambda x, y: jnp.einsum("ij,kj,kl->il", x, y, x), X, P),
    "tensordot": (lambda x: jnp.tensordot(x, x, axes=([0, 1], [0, 1])) + jnp.vdot(x, x) ** 2, X),
    "outer": (lambda x: jnp.outer(x[0], x[1]) @ jnp.kron(x[:2, :2], x[:2, :2]), X),
    "mixed product": (lambda w, x: lax.dot(w, x.T, preferred_element_type=np.float64), W, X),
    "single precision": (lambda w: jnp.tanh(w @ w.T) / (1 + jnp.exp(-w[0, 0])), W),
    "relu": (lambda x: jax.nn.relu(x) ** 3 + jax.nn.leaky_relu(x) * jax.nn.elu(x), X),
    "gates": (lambda x: jax.nn.silu(x) + jax.nn.sigmoid(x) * jax.nn.gelu(x), X),
    "softplus": (lambda x: jax.nn.softplus(x) * jax.nn.log_sigmoid(x), X),
    "softmax": (lambda x: jax.nn.softmax(x, axis=1) * jax.nn.log_softmax(x, axis=0), X),
    "logsumexp": (lambda x: jax.nn.logsumexp(x, axis=1) ** 2, X),
    "layer": (lambda x: jax.nn.standardize(x)[:, :2] + jax.nn.glu(x), X),
    "rematerialised": (lambda x: jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)) * x)(x), X),
    "interpolated": (lambda x: jnp.polyval(V, x) + jnp.linspace(x[0, 0], 2.0, 4), X),
}

OTHERS = {
    "comparisons": (lambda x, p: [x < p, x <= p, x > p, x >= p, x == p, x != p], X, P),
    "tests": (lambda x: [jnp.isnan(x / 0), jnp.isfinite(x), jnp.isinf(1 / x), jnp.signbit(x)], X),
    "logic": (lambda b: [b & ~b[::-1], b | b[:1], b ^ b[0], jnp.all(b, 0), jnp.any(b)], B),
    "integers": (lambda i: [i // 3, i % 3, i**2, abs(i), -i, jnp.sign(i), jnp.gcd(i, 6)], I),
    "truncated": (lambda i: [lax.div(i, 3), lax.rem(i, 3)], I),
    "bits": (lambda i: [i << 2, i >> 1, i & 6, i | 1, i ^ 3, ~i], I),
    "logical shift": (lambda i: lax.shift_right_logical(i.astype(np.int32), np.int32(3)), I),
    "reduced bits": (lambda i: [f.reduce(i) for f in (jnp.bitwise_and, jnp.bitwise_xor)], I),
    "positions": (lambda x: [jnp.argmax(x, axis=1), jnp.argmin(x), jnp.argmax(B)], X),
    "counted": (lambda i: [jnp.count_nonzero(i), jnp.sum(i > 0), jnp.max(i), jnp.prod(i[:, 0])], I),
    "counters": (lambda: [jnp.arange(5) * 2, jnp.eye(3, k=1), jnp.tri(3), jnp.indices((2, 2))],),
    "powers of ints": (lambda n: jnp.power(n, n), N),
    "bool products": (lambda b: [jnp.dot(b, b.T), b.astype(int) @ b.T], B),
    "small ints": (lambda i: lax.dot(i, i.T, preferred_element_type=np.int32), I.astype(np.int8)),
    "away from zero": (lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), X * 0 + 2.5),
    "complex results": (lambda z: [z * 2j, jnp.sqrt(z), z.real, jnp.conj(z), jnp.abs(z)], Z),
    "conversions of reals": (
        lambda x: [x.astype(int), x.astype(bool), x.astype(complex), B * 2.5],
        X,
    ),
    "casts of complex": (lambda z: lax.convert_element_type(z.real, np.float32), Z),
    "empty": (lambda x: [x[:0].sum(0), jnp.concatenate([x[:0], x]), x[:0] @ x.T], X),
    "mapped axis": (
        jax.vmap(lambda x: [lax.pmax(x, "rows"), lax.pmin(x, "rows")], axis_name="rows"),
        X,
    ),
    "nowhere": (lambda x: [jnp.nan_to_num(x / 0), jnp.nansum(x), jnp.nanmax(x, axis=0)], X),
}
ALL = {**DIFFERENTIABLE, **OTHERS}


@functools.cache
def by_jax() -> tuple[dict, dict]:
    """All values and gradients, in one compile."""

    def everything(args):
        values = {name: jax.tree.leaves(f(*args[name])) for name, (f, *_) in ALL.items()}
        gradients = {
            name: gradient_by_jax(f, xs)(*args[name]) for name, (f, *xs) in DIFFERENTIABLE.items()
        }
        return values, gradients

    with jax.enable_x64(True):
        quick = jax.jit(everything, compiler_options=QUICKLY)
        results = quick({name: xs for name, (_, *xs) in ALL.items()})
        return jax.tree.map(np.asarray, results)


def assert_equal(got, wanted, rtol: float = 1e-9) -> None:
    assert len(got) == len(wanted)
    for g, w in zip(got, wanted):
        assert g.dtype == w.dtype and g.shape == w.shape
        single = w.dtype in (np.float32, np.complex64)
        tolerance = 1e-5 if single else rtol
        np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ALL)
def test_values(name):
    f, *args = ALL[name]
    assert_equal(evaluate(translated(f, args), args), by_jax()[0][name])


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients(name):
    f, *args = DIFFERENTIABLE[name]
    got = evaluate(expand_derivatives(gradient_by_us(f, args)), args)
    assert_equal(got, by_jax()[1][name])


# These round too much for differences, or mean another derivative than the limit of differences.
NO_DIFFERENCES = {"single precision", "mixed product", "conversions", "stopped"}


@pytest.mark.parametrize("name", [name for name in DIFFERENTIABLE if name not in NO_DIFFERENCES])
def test_second_derivatives(name):
    """Compared with central differences of the gradients, which the test above has checked."""
    f, *args = DIFFERENTIABLE[name]
    got = evaluate(expand_derivatives(second_by_us(f, args)), args)
    assert_equal(got, difference_of_gradients(f, args), rtol=1e-7)


def test_on_xla():
    """The whole table through all passes, in one compile: gradients, or else values."""
    programs = [translated(f, xs) for f, *xs in OTHERS.values()]
    programs += [gradient_by_us(f, xs) for f, *xs in DIFFERENTIABLE.values()]
    args = [x for table in (OTHERS, DIFFERENTIABLE) for _, *xs in table.values() for x in xs]
    got = compile_function(lowered(joined(programs)))(*args)
    values, gradients = by_jax()
    wanted = [y for name in OTHERS for y in values[name]]
    wanted += [y for name in DIFFERENTIABLE for y in gradients[name]]
    assert_equal([np.asarray(y) for y in got], wanted)


# ----- Tracing


def test_staging_is_cached_by_what_the_arguments_mean():
    assert trace(jnp.sum, [F64.with_shape((3,))], {"axis": 0}) is trace(
        jnp.sum, [F64.with_shape((3,))], {"axis": 0}
    )
    counted = trace(jnp.sum, [F64.with_shape((3,))], {"keepdims": 1})
    assert counted is not trace(jnp.sum, [F64.with_shape((3,))], {"keepdims": True})
    shaped = [trace(jnp.reshape, [F64], {"shape": shape}) for shape in ([1], [1, 1])]
    assert [s.out_avals[0].shape for s in shaped] == [(1,), (1, 1)]


def test_staging_keeps_the_users_precision():
    assert trace(jnp.zeros_like, [F64]).out_avals[0].dtype == np.float64
    assert trace_in_user_mode(jnp.zeros_like, [F32]).out_avals[0].dtype == np.float32
    assert trace_in_user_mode(lambda: jnp.arange(3), []).out_avals[0].dtype == np.int32


def test_a_constant_array_is_a_literal_that_can_be_read_back():
    function = translated(DIFFERENTIABLE["table"][0], [X])
    text = to_text(function)
    assert "literal" in text
    again = parse(text)
    np.testing.assert_array_equal(evaluate(again, [X])[0], np.sin(X[0]) * TABLE)


def test_an_unknown_operation_is_refused_by_name():
    staged = trace(lambda x: jax.debug.callback(print, x), [F64])
    with pytest.raises(MyiaError, match=r"the JAX operation `debug_callback` is not supported"):
        build_region([F64], lambda x: translate(staged, [x]))


def largest_and_place(x):
    """The largest element of each column and its row, by one reduction of two arrays."""

    def larger(a, b):
        first = (a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))
        return jnp.where(first, a[0], b[0]), jnp.where(first, a[1], b[1])

    places = lax.broadcasted_iota(np.int32, x.shape, 0)
    return lax.reduce((x, places), (-np.inf, np.int32(-1)), larger, (0,))


@pytest.mark.parametrize("rows", [0, 1, 2, 5])
def test_a_reduction_of_several_arrays_by_any_function(rows):
    x = np.cos(np.arange(3.0 * rows)).reshape(rows, 3)
    value, place = evaluate(translated(largest_and_place, [x]), [x])
    np.testing.assert_array_equal(value, np.max(x, 0, initial=-np.inf))
    np.testing.assert_array_equal(place, np.argmax(x, 0) if rows else [-1, -1, -1])
    (slope,) = evaluate(expand_derivatives(gradient_by_us(largest_and_place, [x])), [x])
    assert np.count_nonzero(slope) == (3 if rows else 0)
    assert np.all(slope[place, np.arange(3)] == direction(value)) if rows else slope.size == 0


def test_two_rules_for_one_operation_are_a_mistake():
    with pytest.raises(ValueError, match="two handlers are registered for 'add'"):
        translation_rule("add")(lambda x, y: x)
