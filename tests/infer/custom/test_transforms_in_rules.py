"""Derivative rules that take derivatives: `grad`, `vjp` and their like inside custom rules.

The rules give twice the derivative of their function, so one sees that they were asked: all
derivatives of `ruled` are twice those of `plain`.
"""

from __future__ import annotations

from functools import partial

import jax
import numpy as np
import pytest

import myia


def plain(x):
    return np.sin(x) * x


slope = myia.grad(plain)
POINT = 0.7


def derivative(f, x, order=1, h=1e-2):
    """Central differences of sixth order."""
    if order == 0:
        return f(x)
    d = lambda y: derivative(f, y, order - 1, h)  # noqa: E731
    near, middle, far = (d(x + i * h) - d(x - i * h) for i in (1, 2, 3))
    return (45 * near - 9 * middle + far) / (60 * h)


def with_vjp(fwd, bwd):
    ruled = myia.custom_vjp(plain)
    ruled.defvjp(fwd, bwd)
    return ruled


def with_jvp(rule):
    ruled = myia.custom_jvp(plain)
    ruled.defjvp(rule)
    return ruled


def calls_itself():
    ruled = with_vjp(lambda x: (ruled(x), x), lambda x, ct: (2 * ct * myia.grad(plain)(x),))
    return ruled


def of_a_global():
    return with_vjp(lambda x: (plain(x), x), lambda x, ct: (2 * ct * slope(x),))


def in_the_forward_rule():
    def fwd(x):
        y, g = myia.value_and_grad(plain)(x)
        return y, {"slope": g}

    return with_vjp(fwd, lambda kept, ct: (2 * ct * kept["slope"],))


def pullback_as_residual():
    return with_vjp(lambda x: myia.vjp(plain, x), lambda pull, ct: (pull(2 * ct)[0],))


def transforms_of_vectors():
    def each(v):
        return np.sin(v) * v

    def bwd(x, ct):
        v = np.array([x, x])
        both = np.trace(myia.jacrev(each)(v)) + np.trace(myia.jacfwd(each)(v))
        return (ct * (both - np.sum(myia.elementwise_grad(each)(v))),)

    return with_vjp(lambda x: (plain(x), x), bwd)


def second_derivatives():
    """The rule integrates: f'(x) = f'(0) + x f''(0) + ...: here only its form matters."""

    def bwd(x, ct):
        curvature = myia.hessian(plain)(x) - myia.hvp(plain)(x, 1.0)  # zero
        return (2 * ct * (slope(x) + curvature),)

    return with_vjp(lambda x: (plain(x), x), bwd)


def forward_mode():
    def rule(primals, tangents):
        y, t = myia.jvp(plain, primals, tangents)
        return y, 2 * t

    return with_jvp(rule)


def forward_rule_with_grad():
    def rule(primals, tangents):
        (x,), (t,) = primals, tangents
        return ruled(x), 2 * myia.grad(plain)(x) * t

    ruled = with_jvp(rule)
    return ruled


def of_another_with_a_rule():
    inner = of_a_global()
    return with_vjp(lambda x: (inner(x), x), lambda x, ct: (ct * myia.grad(inner)(x),))


def nested_three_deep():
    inner = of_another_with_a_rule()

    def rule(primals, tangents):
        return inner(primals[0]), myia.grad(inner)(primals[0]) * tangents[0]

    return with_jvp(rule)


def on_a_tangent():
    """The rule calls a function with a rule on the tangent, in which it is linear."""
    doubled = myia.custom_jvp(lambda t: t)
    doubled.defjvp(lambda primals, tangents: (primals[0], 5 * tangents[0]))

    def rule(primals, tangents):
        (x,), (t,) = primals, tangents
        return plain(x), 2 * slope(x) * t + 0 * doubled(t)

    return with_jvp(rule)


RULED = [
    calls_itself,
    of_a_global,
    in_the_forward_rule,
    pullback_as_residual,
    transforms_of_vectors,
    second_derivatives,
    forward_mode,
    forward_rule_with_grad,
    of_another_with_a_rule,
    nested_three_deep,
    on_a_tangent,
]


@pytest.mark.parametrize("make", RULED)
def test_derivatives_of_three_orders(make):
    ruled = make()
    first = myia.grad(ruled)

    @myia.jit
    def derivatives(x):
        return ruled(x), first(x), myia.grad(first)(x), myia.grad(myia.grad(first))(x)

    want = [derivative(plain, POINT, order) for order in range(4)]
    np.testing.assert_allclose(derivatives(POINT), np.multiply(want, [1, 2, 2, 2]), rtol=1e-6)


@pytest.mark.parametrize("make", [calls_itself, pullback_as_residual, nested_three_deep])
def test_hessian_and_forward_over_reverse(make):
    ruled = make()
    want = 2 * derivative(plain, POINT, 2)
    np.testing.assert_allclose(myia.hessian(ruled)(POINT), want, rtol=1e-6)
    found, t = myia.jvp(myia.grad(ruled), (POINT,), (3.0,))
    np.testing.assert_allclose([found, t], [2 * derivative(plain, POINT), 3 * want], rtol=1e-6)
    _, pull = myia.vjp(lambda x: myia.jacrev(ruled)(x), POINT)
    np.testing.assert_allclose(pull(1.0)[0], want, rtol=1e-6)


@pytest.mark.parametrize("checkpoint", ["auto", "tape", "trail", "recompute"])
@pytest.mark.parametrize("make", [pullback_as_residual, forward_mode, nested_three_deep])
def test_in_loops_and_branches(make, checkpoint):
    ruled = make()

    def looped(f, x, n):
        for i in range(n):
            if x > 0.5:
                x = f(x) + 0.1
            else:
                x = 0.7 * x + 0.3 * i
        return x

    def scaled(x):
        """Twice the derivative for each call of `f`: by a count of them."""
        doubled = 0
        for i in range(5):
            doubled, x = (doubled + 1, plain(x) + 0.1) if x > 0.5 else (doubled, 0.7 * x + 0.3 * i)
        return 2**doubled

    first = myia.grad(lambda x, n: looped(ruled, x, n), checkpoint=checkpoint)
    want = scaled(POINT) * derivative(lambda x: looped(plain, x, 5), POINT, h=1e-3)
    np.testing.assert_allclose(first(POINT, 5), want, rtol=1e-6)


def test_in_a_loop_to_second_order():
    ruled = pullback_as_residual()

    def loss(f, w):
        s = 0.0
        for x in w:
            if x > 0.2:
                s += f(x) * x
        return s

    w = np.array([0.3, 0.1, 1.2])
    f, f1, f2 = (np.array([derivative(plain, x, k) for x in w]) for k in range(3))
    live = w > 0.2
    gradient = np.where(live, 2 * f1 * w + f, 0.0)
    # Of 2 f'(w) w + f(w). The forward rule gives f by `vjp(plain, x)`, whose derivative is f'.
    second = np.diag(np.where(live, 2 * f2 * w + 2 * f1 + f1, 0.0))
    of = partial(loss, ruled)
    np.testing.assert_allclose(myia.grad(of)(w), gradient, rtol=1e-6)
    np.testing.assert_allclose(myia.jacrev(myia.grad(of))(w), second, rtol=1e-6)
    np.testing.assert_allclose(myia.hessian(of)(w), second, rtol=1e-6)


def test_a_rule_is_not_asked_where_no_derivative_flows():
    @myia.custom_vjp
    def ruled(x):
        return np.floor(x)

    ruled.defvjp(lambda x: (ruled(x), x), lambda x, ct: (ct * myia.grad(ruled)(x),))  # circular
    loss = lambda x: x * ruled(myia.stop_gradient(x) + 2.5)  # noqa: E731
    assert myia.grad(loss)(1.0) == 3.0


# ----- Implicit differentiation


@partial(myia.custom_vjp, nondiff_argnums=(0,))
def fixed_point(f, a, x_guess):
    """The example of JAX's documentation."""
    x_prev, x = x_guess, f(a, x_guess)
    while np.abs(x_prev - x) > 1e-13:
        x_prev, x = x, f(a, x)
    return x


def fixed_point_fwd(f, a, x_init):
    x_star = fixed_point(f, a, x_init)
    return x_star, (a, x_star)


def rev_iter(f, packed, u):
    a, x_star, x_star_bar = packed
    _, vjp_x = myia.vjp(lambda x: f(a, x), x_star)
    return x_star_bar + vjp_x(u)[0]


def fixed_point_rev(f, res, x_star_bar):
    a, x_star = res
    _, vjp_a = myia.vjp(lambda a: f(a, x_star), a)
    (a_bar,) = vjp_a(
        fixed_point(partial(rev_iter, f), (a, x_star, x_star_bar), x_star_bar),
    )
    return a_bar, np.zeros_like(x_star)


fixed_point.defvjp(fixed_point_fwd, fixed_point_rev)


def newton_sqrt(a):
    def update(a, x):
        return 0.5 * (x + a / x)

    return fixed_point(update, a, a)


def contraction(a):
    return fixed_point(lambda a, x: np.cos(a * x) / 2, a, 0.3)


@partial(myia.custom_jvp, nondiff_argnums=(0,))
def root_of(g, a, x):
    """A root of g(a, .) by Newton's method; its derivative by the implicit function theorem."""
    step = 1.0
    while abs(step) > 1e-13:
        step = g(a, x) / myia.grad(g, argnums=1)(a, x)
        x = x - step
    return x


@root_of.defjvp
def root_of_jvp(g, primals, tangents):
    a, x = primals
    root = root_of(g, a, x)
    _, t = myia.jvp(lambda a: g(a, root), (a,), (tangents[0],))
    return root, -t / myia.grad(g, argnums=1)(a, root)


def kepler(a):
    return root_of(lambda a, x: x - 0.3 * np.sin(x) - a, a, a)


def python_kepler(a):
    x = a
    for _ in range(60):
        x = a + 0.3 * np.sin(x)
    return x


IMPLICIT = {newton_sqrt: newton_sqrt, contraction: contraction, kepler: python_kepler}


@pytest.mark.parametrize("f", IMPLICIT)
def test_implicit_derivatives(f):
    first = myia.grad(f)
    found = myia.jit(lambda a: (f(a), first(a), myia.grad(first)(a)))(2.0)
    want = [derivative(IMPLICIT[f], 2.0, order) for order in range(3)]  # in plain Python
    np.testing.assert_allclose(found, want, rtol=1e-6)


@pytest.mark.parametrize("checkpoint", ["trail", "recompute"])
def test_implicit_derivatives_in_loops(checkpoint):
    def loss(w):
        s = 0.0
        for a in w:
            s += newton_sqrt(a) * a if a > 1.5 else kepler(a)
        return s

    w = np.array([1.0, 2.0, 3.0])
    parts = [python_kepler, lambda a: newton_sqrt(a) * a, lambda a: newton_sqrt(a) * a]
    first, second = ([derivative(f, a, k) for f, a in zip(parts, w)] for k in (1, 2))
    found = myia.jit(
        lambda w: (myia.grad(loss)(w), myia.jacrev(myia.grad(loss))(w)), checkpoint=checkpoint
    )(w)
    np.testing.assert_allclose(found[0], first, rtol=1e-6)
    np.testing.assert_allclose(found[1], np.diag(second), rtol=1e-6, atol=1e-9)


def test_implicit_derivatives_under_jax_jit():
    with jax.enable_x64(True):
        found = jax.jit(myia.grad(newton_sqrt))(2.0)
    np.testing.assert_allclose(found, 0.5 / np.sqrt(2.0), rtol=1e-12)
