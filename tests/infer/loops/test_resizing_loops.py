"""Loops that make arrays larger or smaller by known numbers: a loop where unrolling would be slow.

The oracle is Python itself; unrolled code has known sizes.
"""

import numpy as np
import pytest

import myia
from myia.infer.loops import unrolling

N = 20
X = np.random.default_rng(0).uniform(0.5, 1.5, N + 1)
DIRECTION = np.random.default_rng(1).standard_normal(N + 1)


@pytest.fixture(autouse=True)
def unrolling_takes_long(monkeypatch):
    """Short loops compile in no time; here they count as long ones."""
    monkeypatch.setattr(unrolling, "MAX_SECONDS", 0.0)


def american_put(x):
    stock, value = x, np.maximum(1.0 - x, 0.0)
    for _ in range(N):
        stock = stock[1:] * 0.97
        value = np.maximum(0.99 * (0.4 * value[1:] + 0.6 * value[:-1]), 1.0 - stock)
    return value[0]


def counted_down(x):
    v = x
    for i in range(N - 1, -1, -1):
        stock = 1.01 ** (2 * np.arange(i + 1) - i)
        v = np.maximum(0.5 * v[1 : i + 2] + 0.4 * v[: i + 1], 0.8 - 0.01 * stock)
    return v[0]


def by_length(x):
    v = x
    for i in range(N):
        v = 0.5 * v[1 : len(v)] + 0.4 * v[: N - i]
    return v[0]


def until_one(x):
    v = x
    while len(v) > 1:
        v = 0.5 * np.cos(v[1:]) * v[:-1]
    return v[0]


def differences(x):
    v = x
    for _ in range(N - 3):
        v = np.diff(v) * 0.6
    return np.sum(v**2)


def three_points(x):
    v = np.concatenate([x, x * x])
    for _ in range(N - 2):
        v = v[2:] * 0.3 + v[1:-1] * 0.3 + v[:-2] * 0.4
    return v @ v


def neville(x):
    p = np.sin(x)
    for k in range(1, N):
        p = ((0.77 - x[k:]) * p[:-1] - (0.77 - x[:-k]) * p[1:]) / (x[:-k] - x[k:] + 3.0)
    return p.sum()


def growing(x):
    y = x[:2]
    for _ in range(N):
        y = np.concatenate([y, np.array([np.sin(y[-1] + y[-2])])])
    return (y * np.arange(len(y))).sum()


def pascal(x):
    row = x[:1]
    for _ in range(N):
        row = np.concatenate([[1.0], 0.5 * (row[1:] + row[:-1]), [1.0]])
    return row.mean() * x[0]


def two_axes(x):
    v = x[:, None] * x[None, :]
    for _ in range(N):
        v = 0.25 * (v[1:, 1:] + v[:-1, 1:] + v[1:, :-1] + v[:-1, :-1])
    return v[0, 0]


def reductions(x):
    v, total = x, 0.0
    for _ in range(N):
        total = total + v.max() * v.mean() + v[-1] + v @ x[: len(v)]
        v = 0.5 * (v[1:] + v[:-1]) / v.mean()
    return total


def views(x):
    v, total = x, 0.0
    for _ in range(N):
        total = total + v[0]
        v = v[1:]
    return total + v[0]


def written(x):
    v = x.copy()
    for _ in range(N):
        w = v[1:].copy()
        w *= 0.5
        w += v[:-1]
        v = w
    v[0] = v[0] ** 2
    return v[0]


def pair(x):
    state = (x, x * 2)
    for _ in range(N):
        a, b = state
        state = (a[1:] + b[:-1] * 0.1, b[1:] * 0.9)
    return state[0][0] + state[1][0]


def nested(x):
    v = x
    for _ in range(N):
        for j in range(len(v)):
            v[j] *= 0.9
        v = 0.5 * v[1:] * v[:-1]
    return v.sum()


LOOPS = [
    *(american_put, counted_down, by_length, until_one, differences, three_points, neville),
    *(growing, pascal, two_axes, reductions, views, written, pair, nested),
]


def copied(f):
    return lambda x: f(x.copy())


def directional(f):
    """The derivative along `DIRECTION`, by central differences."""
    h = 1e-6
    return (f(X + h * DIRECTION) - f(X - h * DIRECTION)) / (2 * h)


def is_loop(f, *args) -> bool:
    return " for " in myia.jit(f).ir(*args)["typed"]


@pytest.mark.parametrize("f", LOOPS)
def test_is_one_loop_with_the_value_and_gradient_of_python(f):
    assert is_loop(f, X)
    value, gradient = myia.value_and_grad(copied(f))(X)
    np.testing.assert_allclose(value, f(X.copy()), rtol=1e-12)
    np.testing.assert_allclose(gradient @ DIRECTION, directional(f), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", [american_put, reductions, growing])
def test_forward_mode_agrees_with_reverse_mode(f):
    value, tangent = myia.jvp(f, (X,), (DIRECTION,))
    np.testing.assert_allclose(value, f(X), rtol=1e-12)
    np.testing.assert_allclose(myia.grad(f)(X) @ DIRECTION, tangent, rtol=1e-11)


@pytest.mark.parametrize("f", [until_one, growing])
def test_second_order(f):
    direction, h = np.linspace(-1, 1, N + 1), 1e-5
    gradient = myia.grad(copied(f))

    def along(x):
        return gradient(x) @ direction

    wanted = (gradient(X + h * direction) - gradient(X - h * direction)) / (2 * h)
    np.testing.assert_allclose(myia.grad(along)(X), wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.complex128, np.bool_])
def test_dtypes(dtype):
    def f(x):
        v = x
        for _ in range(N):
            v = np.where(v[1:] == v[:-1], v[1:], v[:-1])
        return v

    x = (X * 3).astype(dtype)
    got, wanted = myia.jit(f)(x), f(x)
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape) == (dtype, (1,))
    np.testing.assert_array_equal(got, wanted)


def test_size_after_the_loop_is_static():
    def f(x):
        v = x
        for _ in range(N - 3):
            v = v[1:] + v[:-1]
        return v.reshape(2, 2) @ np.ones((2, 2))

    assert is_loop(f, X)
    np.testing.assert_allclose(myia.jit(f)(X), f(X))


def test_elements_that_are_gone_do_not_poison():
    """1 / (a - b) of masked elements would be infinite, and so would its derivative."""

    def f(x):
        v = x
        for _ in range(N):
            v = 0.5 * (v[1:] + v[:-1]) + 1e-3 / (v[1:] - v[:-1])
        return v[0]

    x = np.linspace(1.0, 2.0, N + 1)
    np.testing.assert_allclose(myia.jit(f)(x), f(x), rtol=1e-12)
    gradient, h = myia.grad(f)(x), 1e-7
    assert np.isfinite(gradient).all()
    wanted = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(N + 1)]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-4, atol=1e-5)


def test_nan_and_infinity_go_where_python_has_them():
    x = X.copy()
    x[3], x[-2] = np.nan, np.inf

    def f(x):
        v = x
        for _ in range(5):
            v = 0.5 * v[1:] + 0.25 * v[:-1]
        return v

    np.testing.assert_array_equal(myia.jit(f)(x), f(x))


# ----- Where the sizes are not proved, the loop is unrolled as before


def clipped(x):
    """The array runs empty before the loop ends."""
    v = x
    for _ in range(N + 10):
        v = v[1:] * 0.5
    return v.sum() + x[0]


def repeated_when_short(x):
    """An array of one element is repeated: in one iteration only."""
    v, total = x, 0.0
    for _ in range(N):
        v = v[1:]
        total = total + v[:3] * np.ones(1) if len(v) < 2 else total
    return np.sum(total)


def halved(x):
    v = x
    while len(v) > 1:
        v = v[::2] * 0.5
    return v[0]


def alternating(x):
    v = x
    for i in range(8):
        v = v[1:] if i % 2 else v[2:]
    return v.sum()


@pytest.mark.parametrize("f", [clipped, repeated_when_short, halved, alternating])
def test_unproved_sizes_are_unrolled(f):
    np.testing.assert_allclose(myia.jit(f)(X), f(X))
    np.testing.assert_allclose(myia.grad(f)(X) @ DIRECTION, directional(f), rtol=1e-6)


def test_writing_to_a_part_of_it_after_the_loop_is_not_refused():
    """Python's array is a view of the argument: unrolled code writes there."""

    def f(x):
        v = x
        for _ in range(17):
            v = v[1:]
        v[0] = 7.0
        return x

    np.testing.assert_array_equal(myia.jit(f)(X.copy()), f(X.copy()))


def test_an_array_that_is_another_name_of_the_argument_keeps_its_elements():
    def f(x):
        v = w = x
        for _ in range(N):
            v = v[1:] + v[:-1]
        w[0] = 5.0
        return v, w

    for got, wanted in zip(myia.jit(f)(X.copy()), f(X.copy())):
        np.testing.assert_allclose(got, wanted)


def test_errors_of_python_are_errors():
    def f(x):
        v, w = x, x
        for _ in range(N):
            v, w = v[1:], w[2:] if len(w) > 2 else w
            v = v + w
        return v

    with pytest.raises(ValueError, match="broadcast"):
        f(X)
    with pytest.raises(ValueError, match="broadcast"):
        myia.jit(f)(X)


def test_long_loops_do_not_cost_more_ops():
    def ops(n):
        def f(x):
            v = x
            for _ in range(n):
                v = 0.5 * (v[1:] + v[:-1])
            return v[0]

        return len(myia.grad(f).ir(np.ones(n + 1))["finish"].splitlines())

    assert ops(700) == ops(100)
