"""What a selection leaves out has no derivative, whatever the partial derivative there.

A table: ways to leave out elements, of functions without a finite derivative there, in every mode.
The oracle is plain Python: central differences in the elements that are kept, 0 in the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import myia
from tests.transforms.selections import (
    FUNCTIONS,
    SELECTIONS,
    WEIGHTS,
    argument,
    central_differences,
    objective,
)


def derivatives(f: Callable, x: np.ndarray) -> dict[str, np.ndarray]:
    def jvp_along(direction):
        return myia.jvp(f, (x,), (direction,))[1]

    basis = np.eye(x.size).reshape(x.size, *x.shape)
    return {
        "grad": myia.grad(f)(x),
        "jvp": np.array([jvp_along(e) for e in basis]).reshape(x.shape),
    }


def cells(every: int, columns: int = 1) -> list:
    """All cells of the table; only some of each row and each `columns`-th column are not slow."""
    return [
        pytest.param(name, select, marks=[pytest.mark.slow] * bool((i + j) % every or j % columns))
        for i, name in enumerate(FUNCTIONS)
        for j, select in enumerate(SELECTIONS)
    ]


@pytest.mark.parametrize(("name", "select"), cells(every=5))
def test_first_order(name, select):
    f, x = objective(name, select), argument(name, select)
    want = central_differences(f, x)
    for mode, got in derivatives(f, x).items():
        np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-7, err_msg=mode)


def hessians(f: Callable, x: np.ndarray) -> dict[str, np.ndarray]:
    def along_weights(x):
        return np.sum(myia.grad(f)(x) * np.cos(np.arange(x.size)).reshape(x.shape))

    return {
        "forward over reverse": myia.hessian(f)(x),
        "reverse over reverse": myia.grad(along_weights)(x),
        "reverse over forward": myia.grad(lambda x: myia.jvp(f, (x,), (np.ones(x.shape),))[1])(x),
        "forward over forward": myia.jvp(
            lambda x: myia.jvp(f, (x,), (np.ones_like(x),))[1], (x,), (np.ones_like(x),)
        )[1],
    }


@pytest.mark.parametrize(("name", "select"), cells(every=5, columns=2))
def test_second_order(name, select):
    f, x = objective(name, select), argument(name, select)
    gradient = myia.grad(f)
    want = central_differences(gradient, x)  # of the gradient: it was checked against plain Python
    weights = np.cos(np.arange(x.size)).reshape(x.shape)
    expected = {
        "forward over reverse": want,
        "reverse over reverse": np.tensordot(want, weights, x.ndim),
        "reverse over forward": want.reshape(x.size, x.size).sum(0).reshape(x.shape),
        "forward over forward": np.sum(want),
    }
    for mode, got in hessians(f, x).items():
        scale = 1e-6 * max(1.0, np.max(np.abs(want)))
        np.testing.assert_allclose(got, expected[mode], rtol=1e-6, atol=scale, err_msg=mode)


# ----- Programs of users: values of the gradient that are known


def normalized_where(v):
    n = np.sqrt(np.sum(v * v))
    return np.where(n > 0, v / n, v)


def normalized_by_linalg(v):
    return np.where(np.linalg.norm(v) > 0, v / np.linalg.norm(v), 1.0 * v)


def normalized_by_ternary(v):
    n = np.sqrt(np.sum(v * v))
    return v / n if n > 0 else v


def normalized_in_a_loop(v):
    rows = np.stack([v, v + 1.0])
    norms = np.sqrt(np.sum(rows * rows, axis=1))
    for i in range(2):
        if norms[i] > 0:
            rows[i] /= norms[i]
    return rows[0]


@pytest.mark.parametrize(
    "f", [normalized_where, normalized_by_linalg, normalized_by_ternary, normalized_in_a_loop]
)
def test_a_vector_over_its_norm(f):
    """At 0 the vector itself is selected; elsewhere the quotient."""

    def g(v):
        return np.sum(f(v) * WEIGHTS[:3])

    np.testing.assert_array_equal(myia.grad(g)(np.zeros(3)), WEIGHTS[:3])
    np.testing.assert_array_equal(myia.hessian(g)(np.zeros(3)), np.zeros((3, 3)))
    v = np.array([3.0, 0.0, 4.0])
    np.testing.assert_allclose(myia.grad(g)(v), (WEIGHTS[:3] - v * (v @ WEIGHTS[:3]) / 25) / 5)


def distances(p):
    return np.sqrt(np.sum((p[None, :] - p[:, None]) ** 2, -1))


def lower(p):
    return np.sum(np.tril(distances(p), -1))


def overwritten(p):
    d = distances(p)
    d[d == 0] = 1.0
    return np.sum(1.0 / d) / 2


def diagonal_overwritten(p):
    d = distances(p)
    for i in range(len(p)):
        d[i, i] = 2.0
    return np.sum(np.log(d)) / 2


def lennard_jones(p):
    d = distances(p)
    np.fill_diagonal(d, 1.0)
    inverse = 1.0 / d**6
    return np.sum(np.triu(inverse * inverse - inverse, 1))


def periodic(p):
    delta = p[None, :] - p[:, None]
    delta = np.where(np.abs(delta) > 2.0, 4.0 - np.abs(delta), delta)
    return np.sum(np.triu(np.sqrt(np.sum(delta**2, -1)), 1))


def nearest(p):
    return np.sum(np.sort(distances(p), axis=1)[:, 1])


@myia.checkpoint
def checkpointed_distances(p):
    return distances(p)


def outside_a_checkpoint(p):
    return np.sum(np.tril(checkpointed_distances(p), -1))


@myia.checkpoint
def checkpointed_triangle(d):
    return np.sum(np.log(1.0 + np.tril(d, -1)))


def inside_a_checkpoint(p):
    return checkpointed_triangle(distances(p))


def over_pairs(p):
    d = distances(p)
    total = 0.0
    for i in range(len(p)):
        for j in range(i):
            total += d[i, j]
    return total


@pytest.mark.parametrize(
    "f",
    [
        lower,
        overwritten,
        diagonal_overwritten,
        lennard_jones,
        periodic,
        nearest,
        over_pairs,
        outside_a_checkpoint,
        inside_a_checkpoint,
    ],
)
def test_distances_between_points(f):
    p = np.array([[0.0, 1.0], [1.5, 1.2], [0.7, -0.4], [2.2, 0.3]])
    want = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        h = np.zeros_like(p)
        h[i] = 1e-5
        want[i] = (f(p + h) - f(p - h)) / 2e-5
    np.testing.assert_allclose(myia.grad(f)(p), want, rtol=1e-6, atol=1e-8)
    direction = np.cos(np.arange(8.0)).reshape(4, 2)
    got = myia.jvp(f, (p,), (direction,))[1]
    np.testing.assert_allclose(got, np.sum(want * direction), rtol=1e-6)


def test_missing_data():
    data, bad = np.array([1.0, np.nan, 3.0]), np.array([False, True, False])

    def squares(w):
        return np.sum(np.where(np.isnan(data), 0.0, (data * w - 1.0) ** 2))

    def products(w):
        return np.sum(np.where(bad, 0.0, data * np.exp(w)))

    def softplus(x):
        return np.sum(np.where(x > 30, x, np.log1p(np.exp(x))))

    w = np.array([0.5, 0.6, 0.7])
    np.testing.assert_allclose(myia.grad(squares)(w), [-1.0, 0.0, 6.6])
    np.testing.assert_allclose(myia.grad(products)(w), [np.exp(0.5), 0.0, 3 * np.exp(0.7)])
    np.testing.assert_allclose(myia.grad(softplus)(np.array([0.0, 1e4])), [0.5, 1.0])


def replaced(d, w):
    total = 0.0
    for i in range(len(d)):
        t = d[i] * w
        if np.isnan(d[i]):
            t = 0.0
        total += t * t
    return total


def passed_over(d, w):
    total = 0.0
    for v in d:
        t = (v - w) ** 2
        if np.isnan(t):
            continue
        total += t * w
    return total


def until_it_is_missing(d, w):
    total, last = 0.0, w
    for v in d:
        t = last * v
        if np.isnan(t):
            break
        total, last = total + t * t, t
    return total


def filled_in_a_branch(d, w):
    r = d * w
    if np.isnan(np.sum(r)):
        r = np.nan_to_num(d) * w * w
    return np.sum(r * r)


def weighted_mean(d, w):
    s = n = 0.0
    i = 0
    while i < len(d):
        product, weight = d[i] * w, np.exp(d[i] * w)
        i += 1
        if np.isnan(product):
            product = weight = 0.0
        s, n = s + product * weight, n + weight
    return s / n


def rows_passed_over(d, w):
    total, kept = 0.0, np.zeros(2)
    for row in d.reshape(3, 2):
        r = row * w
        if np.isnan(r).any():
            continue
        total += r @ r * w
        kept += r * r
    return total + kept[0] * kept[1]


def stored_where_it_is_known(d, w):
    out = np.ones(len(d))
    for i in range(len(d)):
        t = d[i] * w
        if not np.isnan(t):
            out[i] = t * t
    return np.sum(out * out)


def overwritten_where_it_is_missing(d, w):
    out = np.ones(len(d))
    for i in range(len(d)):
        out[i] = d[i] * w
        if np.isnan(out[i]):
            out[i] = w
    return np.sum(out * out)


def replaced_after_a_loop(d, w):
    v = d * w
    for _ in range(3):
        v = d * w
    if np.isnan(np.sum(v)):
        v = np.ones(6) * w**2
    return np.sum(v)


def power_replaced_after_a_loop(d, w):
    v = d * w
    for _ in range(3):
        v = (w * (1.0 + d * d)) ** 1.5
    if np.isnan(np.sum(v)):
        v = np.ones(6) * w**2
    return np.sum(v)


IN_BRANCHES = (
    *(replaced, passed_over, until_it_is_missing, filled_in_a_branch, weighted_mean),
    *(rows_passed_over, stored_where_it_is_known, overwritten_where_it_is_missing),
    *(replaced_after_a_loop, power_replaced_after_a_loop),
)


@pytest.mark.parametrize("f", IN_BRANCHES)
def test_missing_data_in_branches(f):
    """Products with numbers that an argument holds."""
    d, w, e = np.array([1.5, -0.5, np.nan, 3.0, np.nan, 2.0]), 0.7, 1e-6
    slope, bend = (f(d, w + e) - f(d, w - e)) / (2 * e), myia.grad(f, argnums=1)
    np.testing.assert_allclose(bend(d, w), slope, rtol=1e-7)
    want = (bend(d, w + e) - bend(d, w - e)) / (2 * e)
    np.testing.assert_allclose(myia.grad(bend, argnums=1)(d, w), want, rtol=1e-6)
    along = myia.jvp(lambda w: bend(d, w), (w,), (1.0,))[1]
    np.testing.assert_allclose(along, want, rtol=1e-6)
    by_data = myia.grad(f)(d, w)
    assert np.isfinite(by_data).all()


# ----- Tangents that are structurally zero


def stored_constant(x):
    d = 1.0 * x
    d[0] = 0.0
    return np.sqrt(d)


def selected_constant(x):
    return np.sqrt(np.where(x > 0, x, 0.0))


def concatenated_constant(x):
    return np.sqrt(np.concatenate([np.zeros(2), x[1:]]))[1:]


def filled_in_a_loop(x):
    d = np.zeros(4)
    for i in range(1, 4):
        d[i] = x[i]
    return np.sqrt(d)


def filled_by_a_branch(x):
    d = np.zeros(4) if x[1] < 0 else np.where(x > 0, x, 0.0)
    return np.sqrt(d)


@pytest.mark.parametrize(
    "f",
    [
        stored_constant,
        selected_constant,
        concatenated_constant,
        filled_in_a_loop,
        filled_by_a_branch,
    ],
)
def test_constants_have_no_tangent(f):
    x, direction = np.array([0.0, 4.0, 9.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0])
    got = myia.jvp(lambda x: np.sum(f(x)), (x,), (direction,))[1]
    np.testing.assert_allclose(got, 2 / 4 + 3 / 6 + 4 / 2)
    np.testing.assert_allclose(
        myia.grad(lambda x: np.sum(f(x)))(x), [0.0, 0.25, 1 / 6, 0.5], rtol=1e-12
    )


# ----- Zeros that are numbers: the chain rule has no value there

MASK = np.array([0.0, 1.0, 1.0])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(MASK * np.sqrt(x)),
        lambda x: np.sum(np.where(MASK > 0, 1.0, 0.0) * np.sqrt(x)),
        lambda x: np.sum(np.sqrt(x) ** 2),
        lambda x: np.sum(0.0 * np.log(x)),
        lambda x: np.sum(np.where(x > 0, x, 0.0) * (1.0 / x)),
        lambda x: np.sum(np.where(x >= 0, np.sqrt(x), 1.0) * MASK),
        lambda x: np.sum(np.sqrt(x) - np.sqrt(x)),
    ],
)
def test_a_zero_that_is_a_number(f):
    x = np.array([0.0, 1.0, 4.0])
    for got in (
        myia.grad(f)(x)[0],
        myia.jvp(f, (x,), (np.array([1.0, 0.0, 0.0]),))[1],
        myia.hessian(f)(x)[0, 0],
    ):
        assert np.isnan(got)
    assert np.all(np.isfinite(myia.grad(f)(x)[1:]))


# ----- Positions known at run time: which store a load reads


def stored_from_both_ends(x, n):
    total = 0.0
    for i in range(n):
        d = np.zeros(4)
        d[i] = np.sqrt(x[i])
        d[n - 1 - i] = 5.0
        total += d[2] + d[i] * x[2]
    return total


def overwritten_by_neighbours(x, n):
    y = np.sqrt(x)
    for i in range(n - 1):
        y[i] = y[i + 1] / (1.0 + y[i])
        y[n - 1] = x[i]
    return np.sum(y[1:] ** 2)


def loaded_where_it_was_stored(x, n):
    total = 0.0
    for i in range(n):
        d = 1.0 / x
        d[i] = 2.0
        total += d[(i * i) % 3] * x[i]
    return total


@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize(
    "f", [stored_from_both_ends, overwritten_by_neighbours, loaded_where_it_was_stored]
)
def test_loads_and_stores_at_run_time_positions(f, n):
    x = np.array([1.0, 4.0, 9.0, 2.0])
    want = [(f(x + h, n) - f(x - h, n)) / 2e-6 for h in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(myia.grad(f)(x, n), want, rtol=1e-6, atol=1e-8)
    got = myia.jvp(lambda x: f(x, n), (x,), (np.cos(x),))[1]
    np.testing.assert_allclose(got, want @ np.cos(x), rtol=1e-6)


# ----- What a branch or a handler leaves out


def leaves_out(op):
    def branch(x, c):
        y = op(x)
        return y if c[0] > 0 else x * x

    def overwritten(x, c):
        y = op(x)
        for i in range(3):
            if c[0] <= i:
                y = x * x
        return y

    def handler(x, c):
        try:
            y = op(x)
            if c[0] <= 0:
                raise ArithmeticError
        except (ValueError, ArithmeticError):
            y = x * x
        return y

    return branch, overwritten, handler


POLES = {
    "sqrt": math.sqrt,
    "log": lambda x: math.log(x * 2.0),
    "quotient": lambda x: 2.0 / np.float64(x),
    "power": lambda x: x**0.3,
    "inverse": lambda x: np.float64(x) ** -2 * x,
    "product by a quotient": lambda x: (1.0 / np.float64(x)) * x * x,
    "product by a root": lambda x: np.sqrt(np.float64(x - 1.0)) * x,
    "product by a sum": lambda x: np.sum(np.log(np.array([x - 1.0, x + 1.0]))) * x,
    "acosh": lambda x: np.arccosh(np.float64(1.0 + x)),
    "asin": lambda x: np.arcsin(np.float64(1.0 + x)),
}


@pytest.mark.parametrize("op", POLES.values(), ids=POLES)
def test_branches_and_handlers(op):
    c = np.array([-1.0])
    for f in leaves_out(op):

        def slope(x, f=f):
            return myia.jvp(f, (x, c), (1.0, np.zeros(1)))[1]

        for first in (slope, myia.grad(f)):
            assert first(0.0, *[c] * (first is not slope)) == 0.0
        orders = {
            "forward over forward": myia.jvp(slope, (0.0,), (1.0,))[1],
            "reverse over forward": myia.grad(slope)(0.0),
            "forward over reverse": myia.jvp(lambda x, f=f: myia.grad(f)(x, c), (0.0,), (1.0,))[1],
            "reverse over reverse": myia.grad(lambda x, f=f: myia.grad(f)(x, c))(0.0),
            "third": myia.grad(myia.grad(lambda x: slope(x) + x**3))(0.0) + 2.0,
        }
        wanted = {order: 2.0 for order in orders}
        assert orders == wanted, f.__name__


# ----- What only a loop without iterations reads


def of_a_loop(x, p):
    """In the last iteration the root has no value, and nothing reads it."""
    k = 3
    while k > 0:
        k -= 1
        q = np.sum(np.sqrt(x - p))
        p = p + 1
        j = 2
        while k % 2 == 1 and j:
            j -= 1
            p = q + 2
    return p


def of_a_counted_loop(x, p):
    for i in range(4):
        q = np.sum(np.log(x - p))
        p = p + 1
        for _ in range((i == 1) * 2):
            p = q * 0.5 + 0.3
    return p


def of_an_element(x, p):
    for i in range(4):
        q = 1.0 / max(x[0] - p, 0.0)
        p = p + 1
        for j in range(3 if i == 1 else 0):
            p = q * 0.1 + 0.1 * j
    return p


def of_a_carry(x, p):
    """The inner loop overwrites what the root would go on to."""
    for i in range(3):
        q = np.sqrt(x[0] - p)
        r = q
        for _ in range((i > 0) * 2):
            r = x[1]
        p = p + r
    return p


WITHOUT_ITERATIONS = [of_a_loop, of_a_counted_loop, of_an_element, of_a_carry]


# ----- What an iteration computes, and the next one leaves out


def stored_by_a_mask(x, p):
    y, q = x * p, 0.0
    for _ in range(3):
        y[y > 9.0] = q + p
        q = np.sum(np.sqrt(x - 5.0 - p))
    return np.sum(y * x)


def an_element_of_it(x, p):
    y, q = x * p, 0.0
    for _ in range(3):
        y = np.where(y > 9.0, q, y * x)
        q = np.log(x[0] - 5.0 - p) * 2.0
    return np.sum(y)


def an_array_of_it(x, p):
    y, q = x * p, np.zeros(3)
    for k in range(4):
        if k > 90.0 * p:
            y = y + q
        y = y * x
        q = 1.0 / (x - x + 0.0 * p)
    return np.sum(y)


def two_iterations_later(x, p):
    y, q, r = x * p, x, x
    k = 0
    while k < 4:
        y = y + np.where(y < -9.0, r, 0.1 * x)
        r = q * 2.0
        q = np.sqrt(x - 5.0 - p)
        k += 1
    return np.sum(y * x)


def alive_afterwards(x, p):
    y, q = x * p, 0.0
    for _ in range(3):
        y[y > 9.0] = q + p
        q = np.sum(np.sqrt(x - 5.0 - p))
    return np.sum(y * x) + (q if p > 9.0 else p)


def overwritten(x, p):
    q, x = 0.0, x - p
    for _ in range(3):
        q = np.sum(np.sqrt(x - 3.0))
        x = x + 1.0
    return q * np.sum(x)


def overwritten_in_the_next_iteration(x, p):
    q, r, x = 0.0, 0.0, x - p
    for _ in range(4):
        r = q * 0.5
        q = np.sum(np.sqrt(x - 3.0))
        x = x + 1.0
    return q * r + np.sum(x)


def overwritten_in_loops(x, p):
    q, r, k, x = 0.0, 0.0, 3, x - p
    while k > 0:
        k -= 1
        for _ in range(3):
            for _ in range(2):
                r = q * 0.5
                q = min(max(np.sum(np.sqrt(x - 3.0)), -9.0), 9.0)
            q *= -0.75
        x = x + 1.0
    return q * r + np.sum(x)


def product_overwritten(x, p):
    q = np.sum(np.log(x - 3.0)) * p
    for k in range(2):
        q = np.sum(x) * p * k
    return q


def product_of_an_accumulated_sum(x, p):
    q, k = 0.0, 0
    for v in x:
        q += np.log(v - 3.0)
    q = q * p
    while k < 3:
        k += 1
        q = np.sum(x) * p * k
    return q


def product_whose_elements_are_overwritten(x, p):
    v = np.sum(np.sqrt(x - 3.0)) * x
    for k in range(3):
        v[k] = p * x[k]
    return np.sum(v * v)


def product_of_the_next_iteration(x, p):
    q = 0.0
    for _ in range(3):
        q = np.sum(np.log(x - 3.0)) * x[0] * p
        x = x + 1.0
    return q


def elements_overwritten_as_a_whole(x, p):
    v = x * 1.0
    q = np.sum(np.sqrt(x - 3.0)) * p
    for k in range(3):
        v[k] = q
    for _ in range(2):
        v = x[::-1]
    return np.sum(v * v * x)


def an_extremum_overwritten(x, p):
    q = np.max(np.log(x - 3.0)) + np.min(np.sqrt(x - 3.0) * x)
    for k in range(2):
        q = p * x[k]
    return q


def a_product_of_matrices_overwritten(x, p):
    v = np.outer(x, np.log(x - 3.0)) @ x + np.nan * x
    for _ in range(2):
        v = p * x
    return np.sum(v * v)


def a_carry_left_out_by_a_branch(x, p):
    y, c = x, 0.5
    for _ in range(2):
        v = y
        y = c * v
        c = np.log(p - 3.0) + v[1]
    return c if x[1] > 4.0 else x[0] * p


def overwritten_in_a_nested_loop(x, p):
    v = np.sqrt(x - 3.0)
    for _ in range(3):
        for _ in range(2):
            v = x[::-1]
        q = np.sum(v * x) * p
    return q


LEFT_OUT_LATER = [
    elements_overwritten_as_a_whole,
    an_extremum_overwritten,
    a_product_of_matrices_overwritten,
    a_carry_left_out_by_a_branch,
    overwritten_in_a_nested_loop,
    product_overwritten,
    product_of_an_accumulated_sum,
    product_whose_elements_are_overwritten,
    product_of_the_next_iteration,
    overwritten,
    overwritten_in_the_next_iteration,
    overwritten_in_loops,
    stored_by_a_mask,
    an_element_of_it,
    an_array_of_it,
    two_iterations_later,
    alive_afterwards,
]


@pytest.mark.parametrize("f", [*WITHOUT_ITERATIONS, *LEFT_OUT_LATER])
def test_loops_leave_out(f):
    x, p, e = np.array([2.0, 2.5, 2.7]), 0.3, 1e-6

    def along(t):
        return f(x + t * np.array([1.0, 2.0, 0.5]), p + t)

    gradient = myia.grad(along)
    with np.errstate(all="ignore"):
        slope = (along(e) - along(-e)) / (2 * e)
        bend = (gradient(e) - gradient(-e)) / (2 * e)
    assert np.isfinite(slope)
    np.testing.assert_allclose(gradient(0.0), slope, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(myia.jvp(along, (0.0,), (1.0,))[1], slope, rtol=1e-6, atol=1e-9)
    for second in (
        myia.grad(gradient)(0.0),
        myia.jvp(gradient, (0.0,), (1.0,))[1],
        myia.grad(lambda t: myia.jvp(along, (t,), (1.0,))[1])(0.0),
    ):
        np.testing.assert_allclose(second, bend, rtol=1e-5, atol=1e-9)
