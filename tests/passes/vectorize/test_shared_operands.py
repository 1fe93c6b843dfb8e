"""Loops over products with one shared operand: however they are spelled, one product."""

import numpy as np
import pytest

import myia

RNG = np.random.default_rng(0)
N, M, D = 37, 24, 32


def rows(a, x):
    y = np.zeros((len(x), len(a)), x.dtype)
    for i in range(len(x)):
        y[i] = a @ x[i]
    return y


def columns(a, x):
    y = np.zeros((len(a), len(x)), x.dtype)
    for i in range(len(x)):
        y[:, i] = np.dot(a, x[i])
    return y


def transposed(a, x):
    y = np.zeros((len(x), len(a)), x.dtype)
    b = np.ascontiguousarray(a.T)
    for i in reversed(range(len(x))):
        y[i] = b.T @ x[i]
    return y


def vector_first(a, x):
    y = np.zeros((len(x), len(a)), x.dtype)
    for i, v in enumerate(x):
        y[i] = v @ a.T
    return y


def appended(a, x):
    out = []
    for v in x:
        out.append(a @ v)
    return np.stack(out)


def comprehension(a, x):
    return np.array([np.einsum("ij,j->i", a, v) for v in x])


def by_elements(a, x):
    y = np.zeros((len(x), len(a)), x.dtype)
    for i in range(len(x)):
        for j in range(len(a)):
            y[i, j] = a[j] @ x[i]
    return y


def in_place(a, x):
    y = x.copy()
    for i in range(len(x)):
        y[i, : len(a)] = a @ y[i]
    return y


def beside_a_sum(a, x):
    s = 0.0
    y = np.zeros((len(x), len(a)), x.dtype)
    for i in range(len(x)):
        y[i] = a @ x[i]
        s += y[i] @ y[i]
    return y * s


def losses(a, x):
    s = 0.0
    for v in x:
        h = np.tanh(a @ v)
        s += np.log(np.sum(np.exp(h))) - h[0]
    return np.array([s])


def two_sums(a, x):
    s, t = 0.0, 1.0
    for i in range(len(x)):
        h = a @ x[i]
        s += h @ h
        t = t - np.sum(h) * 0.25
    return np.array([s, t])


STORED = (rows, columns, transposed, vector_first, appended, comprehension, by_elements, in_place)
SUMMED = (beside_a_sum, losses, two_sums)


def arguments(dtype=np.float64, n=N):
    return (RNG.standard_normal((M, D)) / 4).astype(dtype), RNG.standard_normal((n, D)).astype(
        dtype
    )


def final_ir(f, *args):
    return str(f.ir(*args)["finish"])


def products_in_loops(text):
    return sum("dot_general" in line and line.startswith("    ") for line in text.splitlines())


@pytest.mark.parametrize(
    "f, dtype",
    [*((f, np.float64) for f in STORED + SUMMED), (columns, np.float32), (losses, np.float32)],
)
def test_one_product(f, dtype):
    a, x = arguments(dtype)
    compiled = myia.jit(f)
    text = final_ir(compiled, a, x)
    assert text.count("dot_general") == 1 + (f in (beside_a_sum, two_sums))
    assert products_in_loops(text) == 0
    assert (" for " in text) == (f in SUMMED)
    expected = f(a, x)
    assert compiled(a, x).dtype == expected.dtype
    scale = np.abs(expected).max()
    np.testing.assert_allclose(compiled(a, x), expected, atol=50 * np.finfo(dtype).eps * scale)


@pytest.mark.parametrize("f", [rows, appended, *SUMMED])
def test_slopes(f):
    def objective(a, x):
        y = f(a, x)
        return np.sum(np.arctan(1e-3 * y))

    a, x = arguments()
    da, dx = arguments()
    gradient = myia.grad(objective, argnums=(0, 1))
    assert products_in_loops(final_ir(gradient, a, x)) == 0
    ga, gx = gradient(a, x)
    h = 1e-6
    slope = (objective(a + h * da, x + h * dx) - objective(a - h * da, x - h * dx)) / (2 * h)
    assert np.isclose(np.sum(ga * da) + np.sum(gx * dx), slope, rtol=1e-6)


def ordered(a, x):
    s = 0.0
    for v in x:
        s += np.sum(a @ v)
    return s


def test_the_sum_keeps_the_order_of_the_user():
    a, x = np.zeros((M, D)), np.zeros((41, D))
    a[0, 0] = 1.0
    x[:, 0] = np.resize([1e16, 1.0, -1e16, 3.0, 1e-3], 41)
    compiled = myia.jit(ordered)
    assert products_in_loops(final_ir(compiled, a, x)) == 0
    assert compiled(a, x) == ordered(a, x)
    x[7, 0] = np.nan
    assert np.isnan(compiled(a, x))


@pytest.mark.parametrize("n", [0, 1, 4])
def test_few_iterations(n):
    a, x = arguments(n=n)
    assert np.isclose(myia.jit(ordered)(a, x), ordered(a, x), rtol=1e-12)


def test_small_products_stay_in_one_function():
    """A function that computes and adds term by term is as fast."""
    a, x = RNG.standard_normal((8, 8)), RNG.standard_normal((40, 8))
    compiled = myia.jit(ordered)
    assert products_in_loops(final_ir(compiled, a, x)) == 1
    assert np.isclose(compiled(a, x), ordered(a, x), rtol=1e-12)


def stepwise(a, x):
    s = 0.0
    for i in range(len(x) - 1):
        x[i + 1] += np.tanh(a.T @ (a @ x[i]))
        s += x[i + 1] @ x[i]
    return s


def test_recurrences_stay_loops():
    a, x = arguments()
    compiled = myia.jit(stepwise)
    assert products_in_loops(final_ir(compiled, a, x.copy())) > 0
    assert np.isclose(compiled(a, x.copy()), stepwise(a, x.copy()), rtol=1e-10)
