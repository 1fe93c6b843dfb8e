"""What a product reads is not rearranged first: the HLO of programs with products on a CPU."""

import re

import numpy as np
import pytest

import myia

A, B, X, Y = (
    np.random.default_rng(0).standard_normal(shape)
    for shape in ((70, 50), (90, 70), (70,), (50,))
)  # fmt: skip
STACK = np.random.default_rng(1).standard_normal((3, 70, 50))


def matrices_stored(f, *args):
    """The HLO's copies and transposes of whole matrices."""
    found = re.findall(
        r" = \w+\[([\d,]+)\]\S* (?:copy|transpose)\(", f.lower(*args).compile().as_text()
    )
    return [shape for shape in found if np.prod([int(n) for n in shape.split(",")]) >= 70 * 50]


def transposed_times_vector(a, x):
    return a.T @ x


def vector_times_transposed(a, y):
    return y @ a.T


def both_transposed(a, b):
    return a.T @ b.T


def matrices_of_a_stack(a, x):
    return (np.swapaxes(a, 1, 2) @ x[..., None])[..., 0]


def sum_of_squares(a, x):
    return np.sum((a.T @ x) ** 2)


def transposed_view_in_a_loop(a, x):
    at, n = a.T, 0
    while np.sum(x * x) > 1e-3 and n < 9:
        x = np.tanh(0.01 * (a @ (at @ x)))
        n += 1
    return x


@pytest.mark.parametrize(
    "f, args",
    [
        (transposed_times_vector, (A, X)),
        (transposed_times_vector, (A.astype(np.float32), X.astype(np.float32))),
        (transposed_times_vector, (A.astype(complex), X * 1j)),
        (transposed_times_vector, ((A * 9).astype(int), (X * 9).astype(int))),
        (vector_times_transposed, (A, Y)),
        (both_transposed, (A, B)),
        (matrices_of_a_stack, (STACK, STACK[:, :, 0])),
        (transposed_view_in_a_loop, (A, X)),
    ],
)
def test_transposed_operands_are_not_stored(f, args):
    compiled = myia.jit(f)
    tolerance = 1e-5 if args[0].dtype == np.float32 else 1e-12
    np.testing.assert_allclose(compiled(*args), f(*args), rtol=tolerance, atol=10 * tolerance)
    assert matrices_stored(compiled, *args) == []


def test_nor_in_a_gradient():
    gradient = myia.grad(sum_of_squares, argnums=(0, 1))
    by_a, by_x = gradient(A, X)
    np.testing.assert_allclose(by_a, 2 * np.outer(X, A.T @ X), rtol=1e-12)
    np.testing.assert_allclose(by_x, 2 * A @ (A.T @ X), rtol=1e-12)
    assert matrices_stored(gradient, A, X) == []
