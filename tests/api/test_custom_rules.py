"""`myia.custom_jvp`, `myia.custom_vjp`: the rule that the user writes is the derivative.

The rules here are not the derivatives of their functions, so that one sees who was asked. The
programs are written once and defined twice, by our decorators and by JAX's.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import numpy as np
import pytest
from jax import numpy as jnp

import myia

X = np.array([0.3, 0.8, 1.1])


class Pair(NamedTuple):
    a: object
    b: object


def programs(lib, xp):
    """Losses of an array of 3 numbers, by functions with rules of `lib`."""

    @lib.custom_jvp
    def twice(x, k=2.0):
        return k * xp.sin(x)

    @twice.defjvp
    def twice_jvp(primals, tangents):
        x, k = primals
        t, k_t = tangents
        return twice(x, k), 2 * k * xp.cos(x) * t + 3 * k_t * x

    @lib.custom_vjp
    def tripled(x, y):
        return x * y, x + 1

    def tripled_fwd(x, y):
        return (x * y, x + 1), (x, y)

    def tripled_bwd(residuals, ct):
        x, y = residuals
        return 3 * ct[0] * y + ct[1], 5 * ct[0] * x

    tripled.defvjp(tripled_fwd, tripled_bwd)

    @functools.partial(lib.custom_vjp, nondiff_argnums=(0, 1))
    def clip_gradient(low, high, x):
        return x

    def clip_fwd(low, high, x):
        return x, None

    def clip_bwd(low, high, _, ct):
        return (xp.clip(ct, low, high),)

    clip_gradient.defvjp(clip_fwd, clip_bwd)

    @functools.partial(lib.custom_jvp, nondiff_argnums=(0,))
    def powered(f, x):
        return f(x) ** 2

    @powered.defjvp
    def powered_jvp(f, primals, tangents):
        (x,), (t,) = primals, tangents
        return powered(f, x), 7 * f(x) * t

    @lib.custom_vjp
    def of_a_tree(state, n):
        return {"sum": state["p"].a + state["q"][0], "count": n}, state["p"].b * n

    def tree_fwd(state, n):
        return of_a_tree(state, n), (state["p"].b, n)

    def tree_bwd(residuals, cts):
        b, n = residuals
        ct, other = cts
        return {"q": [2 * ct["sum"]], "p": Pair(3 * ct["sum"] * b, other * n)}, None

    of_a_tree.defvjp(tree_fwd, tree_bwd)

    @lib.custom_jvp
    def product(x, y):
        return x * y, x + y

    product.defjvps(lambda t, z, x, y: (2 * t * y, t), lambda t, z, x, y: (t * z[0], 3 * t))

    @lib.custom_jvp
    def half_known(x, y):
        return x * y

    half_known.defjvps(None, lambda t, z, x, y: t * x * 4)

    def scaled(x):
        return xp.sin(x) * x[0]

    def in_a_loop(x):
        s = x
        for _ in range(9):
            s = twice(s, 0.4) + x
        return xp.sum(s)

    def backwards_in_a_loop(x):
        s, total = x, 0.0
        for _ in range(9):
            s, y = tripled(xp.sin(s), x)
            total = total + xp.sum(y * s)
        return total

    def in_a_nest(x):
        s = x
        for _ in range(3):
            for _ in range(7):
                s = xp.sin(tripled(s, x)[0])
            s = s + twice(x)
        return xp.sum(s)

    def clipped_in_a_loop(x):
        s = x
        for _ in range(9):
            s = clip_gradient(-0.2, 0.9, s * 1.1) * x
        return xp.sum(s * s)

    def of_trees(x):
        out, other = of_a_tree({"p": Pair(x, x * x), "q": [x]}, 3)
        return xp.sum(out["sum"] ** 2) * out["count"] + xp.sum(other * x)

    both = {
        "jvp": lambda x: xp.sum(twice(x, x[0]) * x),
        "default": lambda x: xp.sum(twice(x) * x),
        "keyword": lambda x: xp.sum(twice(k=x[1], x=x)),
        "a function": lambda x: xp.sum(powered(scaled, x) * x),
        "defjvps": lambda x: xp.sum(product(x, x**2)[0] + product(x, 2.0 * x)[1]),
        "half defjvps": lambda x: xp.sum(half_known(x, x**2) * x),
        "numbers": lambda x: twice(x[0], 2.0) * twice(x[1], x[2]),
        "loop": in_a_loop,
    }
    reverse = {
        "vjp": lambda x: xp.sum(tripled(x, x**2)[0] * tripled(x, x)[1]),
        "clipping": lambda x: xp.sum(clip_gradient(-0.5, 0.5, x**2) ** 2),
        "trees": of_trees,
        "loop of vjp": backwards_in_a_loop,
        "nest": in_a_nest,
        "clipping in a loop": clipped_in_a_loop,
    }
    return both, reverse


OURS, THEIRS = programs(myia, np), programs(jax, jnp)
REFUSED = {  # JAX too has no forward mode of a function whose forward rule calls it
    "forward": list(OURS[1]),
    "forward over reverse": ["trees"],
    "reverse over reverse": ["clipping in a loop"],
}


def losses_of(defined, order: str) -> dict:
    both, reverse = defined
    refused = REFUSED.get(order, [])
    return {name: f for name, f in {**both, **reverse}.items() if name not in refused}


def every(f, losses):
    """`f` of every loss, at once."""
    return lambda x: [f(loss)(x) for loss in losses]


@functools.cache
def by_jax(order: str) -> dict[str, np.ndarray]:
    def of(loss):
        slope = jax.grad(loss)
        if order == "value":
            return loss
        if order == "reverse":
            return slope
        if order == "forward":
            return lambda x: jax.jvp(loss, (x,), (x,))[1]
        if order == "reverse over reverse":
            return jax.grad(lambda x: jnp.sum(slope(x) * jnp.cos(x)))
        return lambda x: jax.jvp(slope, (x,), (x,))[1]

    losses = losses_of(THEIRS, order)
    with jax.enable_x64(True):
        quick = {"xla_backend_optimization_level": 0}
        found = jax.jit(every(of, losses.values()), compiler_options=quick)(X)
    return dict(zip(losses, map(np.asarray, found)))


ORDERS = {
    "value": lambda loss: loss,
    "reverse": myia.grad,
    "forward": lambda loss: lambda x: myia.jvp(loss, (x,), (x,))[1],
    "reverse over reverse": lambda loss: myia.grad(
        lambda x: np.sum(myia.grad(loss)(x) * np.cos(x))
    ),
    "forward over reverse": lambda loss: lambda x: myia.jvp(myia.grad(loss), (x,), (x,))[1],
}


@pytest.mark.parametrize("order", ORDERS)
def test_the_rule_is_the_derivative(order):
    losses = losses_of(OURS, order)
    got = dict(zip(losses, myia.jit(every(ORDERS[order], list(losses.values())))(X)))
    for name, wanted in by_jax(order).items():
        np.testing.assert_allclose(got[name], wanted, rtol=1e-10, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("order", ["value", "reverse", "forward over reverse"])
def test_functions_that_jax_decorated_have_their_rules_too(order):
    losses = {n: f for n, f in losses_of(THEIRS, order).items() if "defjvps" not in n}
    with jax.enable_x64(True):
        got = myia.jit(every(ORDERS[order], list(losses.values())))(X)
    wanted = by_jax(order)
    for name, found in zip(losses, got):
        np.testing.assert_allclose(found, wanted[name], rtol=1e-10, atol=1e-12, err_msg=name)


def test_a_sum_of_rules_that_jax_made_is_refused():
    with pytest.raises(myia.MyiaError, match="`defjvps` of"):
        myia.grad(THEIRS[0]["defjvps"]).ir(X)


@pytest.mark.parametrize(
    "order, name, reason",
    [
        ("forward", "vjp", "`tripled` has a rule for reverse mode only"),
        ("forward over reverse", "trees", "`of_a_tree` has a rule for reverse mode only"),
        ("reverse over reverse", "clipping in a loop", "not linear in the cotangents"),
    ],
)
def test_what_has_no_derivative_is_refused(order, name, reason):
    loss = OURS[1][name]
    with pytest.raises(myia.MyiaError, match=reason):
        myia.jit(ORDERS[order](loss)).ir(X)


@myia.custom_jvp
def softplus(x):
    return np.log1p(np.exp(x))


@softplus.defjvp
def softplus_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return softplus(x), t * 5.0


def test_called_from_python_it_is_the_function():
    assert softplus(0.5) == np.log1p(np.exp(0.5)) and softplus.__name__ == "softplus"
    assert softplus_jvp((0.5,), (1.0,)) == (softplus(0.5), 5.0)


def test_a_transform_is_applied_to_it():
    assert myia.grad(softplus)(0.5) == 5.0
    assert myia.grad(myia.grad(softplus))(0.5) == 0.0
    np.testing.assert_allclose(myia.jit(softplus)(0.5), softplus(0.5), rtol=1e-15)
    assert myia.vjp(softplus, 0.5)[1](2.0) == (10.0,)


def test_without_a_derivative_no_rules_are_needed():
    @myia.custom_vjp
    def f(x):
        x[0] = 2.0  # a rule would refuse that
        return x

    f.defvjp(lambda x: (x, None), lambda _, ct: (undefined(ct),))  # noqa: F821
    x = np.ones(2)
    myia.jit(f)(x)
    assert x[0] == 2.0


class Layer:
    def __init__(self, w):
        self.w = w

    @functools.partial(myia.custom_vjp, nondiff_argnums=(0,))
    def apply(self, x):
        return self.w * x

    def apply_fwd(self, x):
        return self.w * x, x

    def apply_bwd(self, x, ct):
        return (ct * self.w * 10,)

    apply.defvjp(apply_fwd, apply_bwd)


def test_methods():
    layer = Layer(2.0)
    assert layer.apply(3.0) == 6.0
    assert myia.grad(lambda x: layer.apply(x) + layer.apply(x=x))(3.0) == 40.0


def test_defined_in_compiled_code():
    def loss(x):
        @myia.custom_vjp
        def clipped(x):
            return x

        @functools.partial(myia.custom_jvp, nondiff_argnums=(0,))
        def scaled(k, x):
            return k * x

        @scaled.defjvp
        def scaled_jvp(k, primals, tangents):
            return scaled(k, primals[0]), k * 3 * tangents[0]

        clipped.defvjp(lambda x: (x, None), lambda _, ct: (np.clip(ct, -1, 1),))
        return np.sum(clipped(scaled(2, x) ** 2))

    np.testing.assert_allclose(myia.jit(loss)(X), np.sum(4 * X**2))
    np.testing.assert_allclose(myia.grad(loss)(X), 1 * 2 * (2 * X) * 2 * 3)


def test_zero_is_said_with_none():
    @myia.custom_vjp
    def f(x, pair):
        return x * pair[0]

    f.defvjp(lambda x, pair: (x * pair[0], pair), lambda pair, ct: (None, (ct * 2, None)))
    for got, wanted in zip(myia.grad(f, argnums=(0, 1))(3.0, (2.0, 1.0)), (0.0, (2.0, 0.0))):
        assert got == wanted

    @myia.custom_jvp
    def g(x):
        return x * x

    g.defjvps(None)
    assert myia.grad(g)(3.0) == 0.0


def test_globals_are_constants_of_the_rule():
    rates = np.array([2.0, 3.0])

    @myia.custom_vjp
    def f(x):
        return x * rates[0]

    f.defvjp(lambda x: (f(x), None), lambda _, ct: (ct * rates[1],))
    slope = myia.grad(lambda x: f(x) ** 2)
    assert slope(5.0) == 2 * 10.0 * 3.0
    rates[:] = 1.0, 4.0
    assert slope(5.0) == 2 * 5.0 * 4.0
    assert slope.compiles == 1


def test_a_closure_that_moves_is_refused():
    def loss(w):
        @myia.custom_vjp
        def f(x):
            return x * w

        f.defvjp(lambda x: (x * w, None), lambda _, ct: (ct * w,))
        return f(2.0)

    assert myia.jit(loss)(3.0) == 6.0
    with pytest.raises(myia.MyiaError, match="says nothing about a value that it closes over"):
        myia.grad(loss)(3.0)


def test_what_is_handed_through_is_the_same_array():
    """NumPy's, so that a write to one would be seen in the other: refused, never lost."""

    @myia.custom_vjp
    def f(x):
        return x

    f.defvjp(lambda x: (x, None), lambda _, ct: (2 * ct,))

    def writes(x):
        y = f(x)
        y[0] = 5.0
        return np.sum(y) + np.sum(x)

    assert myia.jit(writes)(np.ones(2)) == 12.0
    with pytest.raises(myia.MyiaError, match="changed"):
        myia.grad(writes)(np.ones(2))


def test_run_time_checks():
    """Of the function, of its forward rule; a backward rule must not need any."""

    @myia.custom_vjp
    def element(x, i):
        return x[i]

    element.defvjp(lambda x, i: (element(x, i), x), lambda x, ct: (7 * ct * x, None))
    slope = myia.grad(lambda x, i: element(x, i) ** 2)
    for i in (0, 1, 2):
        np.testing.assert_allclose(slope(X, i), 14 * X[i] * X)
    with pytest.raises(IndexError):
        slope(X, 3)

    @myia.custom_vjp
    def first(x, i):
        return x[0]

    first.defvjp(lambda x, i: (x[0], x[i]), lambda r, ct: (np.full(3, r * ct), None))
    slope = myia.grad(lambda x, i: first(x, i))
    for i in (0, 1, 2):
        np.testing.assert_allclose(slope(X, i), X[i])
    with pytest.raises(IndexError):
        slope(X, 3)

    first.defvjp(lambda x, i: (x[0], (x, i)), lambda r, ct: (r[0][r[1]] * r[0], None))
    with pytest.raises(myia.MyiaError, match="backward rule has a run-time check"):
        for i in (0, 1, 2):  # ints, which become run-time values
            myia.grad(lambda x, i: first(x, i))(X, np.int64(i))


# ----- Rules that do not fit


def bad_vjp(fwd, bwd):
    f = myia.custom_vjp(lambda x, y: x * y)
    f.defvjp(fwd, bwd)
    return lambda x: np.sum(f(x, x))


def bad_jvp(rule):
    f = myia.custom_jvp(lambda x, y: x * y)
    f.defjvp(rule)
    return lambda x: np.sum(f(x, x))


REFUSALS = {
    "number of cotangents": (
        bad_vjp(lambda x, y: (x * y, None), lambda r, ct: (ct,)),
        "a tuple of 2 cotangents",
    ),
    "no tuple": (bad_vjp(lambda x, y: (x * y, None), lambda r, ct: ct), "a tuple of 2 cotangents"),
    "shape of a cotangent": (
        bad_vjp(lambda x, y: (x * y, None), lambda r, ct: (ct, ct[:2])),
        "as a cotangent where",
    ),
    "structure of a cotangent": (
        bad_vjp(lambda x, y: (x * y, None), lambda r, ct: (ct, (ct,))),
        "as a cotangent where",
    ),
    "complex cotangent": (
        bad_vjp(lambda x, y: (x * y, None), lambda r, ct: (ct, ct * 1j)),
        "as a cotangent where",
    ),
    "no residuals": (bad_vjp(lambda x, y: x * y, lambda r, ct: (ct, ct)), "a pair"),
    "result of the forward rule": (
        bad_vjp(lambda x, y: (np.sum(x), None), lambda r, ct: (ct, ct)),
        "as a result where",
    ),
    "tangent": (bad_jvp(lambda xs, ts: (xs[0] * xs[1], ts[0][0])), "as a tangent where"),
    "result of the rule": (bad_jvp(lambda xs, ts: (xs[0][0], ts[0])), "as a result where"),
    "no tangent": (bad_jvp(lambda xs, ts: ts[0]), "a pair"),
    "writes": (None, "changes its arguments"),
    "no rule": (None, "has no derivative rule yet"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_rule_that_does_not_fit_is_refused(name):
    loss, reason = REFUSALS[name]
    if name == "writes":
        loss = _writing()
    if name == "no rule":
        loss = myia.custom_vjp(lambda x: x[0])
    with pytest.raises(myia.MyiaError, match=reason):
        myia.grad(loss).ir(X)


def _writing():
    @myia.custom_vjp
    def f(x):
        x[0] = 1.0
        return x * 2

    f.defvjp(lambda x: (x, None), lambda r, ct: (ct,))
    return lambda x: np.sum(f(x * 1.0))
