"""Products of small matrices in loops: no library calls, and the loop is one function."""

import numpy as np
import pytest

import myia

RNG = np.random.default_rng(0)


def chain(a, b, n):
    for _ in range(n):
        a = a @ b * 0.5 + b
    return a


def integer_chain(a, b, n):
    for _ in range(n):
        a = (a @ b - b) % 7
    return a


def three_factors(a, b, n):
    for _ in range(n):
        a = (a @ b) @ a.T + b
    return a


def batches(a, b, n):
    for _ in range(n):
        a = np.einsum("bij,bkj->bik", a, b) + a
    return a


def random(shape, dtype):
    x = RNG.standard_normal(shape) / shape[-1]
    if dtype == "c16":
        x = x + 1j * RNG.standard_normal(shape) / shape[-1]
    return (9 * x if dtype == "i8" else x).astype(dtype)


def check(f, *args):
    """Values, and the HLO: one function without products by XLA, which may be library calls."""
    compiled, expected = myia.jit(f), f(*args)
    found = compiled(*args)
    assert found.dtype == expected.dtype
    tolerance = 1e-5 if found.dtype == np.float32 else 1e-13
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    text = compiled.lower(*args).compile().as_text()
    assert "xla_cpu_small_call" in text
    assert " dot(" not in text and "custom-call" not in text


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8"])
@pytest.mark.parametrize("n", [5, 8, 10])
def test_square_matrices(n, dtype):
    f = integer_chain if dtype == "i8" else chain
    check(f, random((n, n), dtype), random((n, n), dtype), 6)


def test_several_products():
    check(three_factors, random((8, 8), "f8"), random((8, 8), "f8"), 6)


def test_batch_axes():
    check(batches, random((3, 6, 5), "f8"), random((3, 5, 5), "f8"), 6)


def test_gradient():
    a, b = random((6, 6), "f8"), random((6, 6), "f8")
    gradient = myia.grad(lambda a, b: np.sum(chain(a, b, 7) ** 2), argnums=(0, 1))
    by_b = gradient(a, b)[1]
    h, direction = 1e-6, random((6, 6), "f8")
    ends = [np.sum(chain(a, b + s * h * direction, 7) ** 2) for s in (1, -1)]
    np.testing.assert_allclose(np.sum(by_b * direction), (ends[0] - ends[1]) / (2 * h), rtol=1e-6)
    assert " dot(" not in gradient.lower(a, b).compile().as_text()


def test_larger_products_are_library_calls():
    a, b = random((11, 11), "f8"), random((11, 11), "f8")
    assert "xla_cpu_small_call" not in myia.jit(chain).lower(a, b, 6).compile().as_text()


SMALL = [
    *((8, 2, 2), (2, 8, 2), (2, 2, 8), (8, 4, 2), (2, 4, 8), (9, 2, 3), (12, 2, 2)),
    *((7, 3, 3), (8, 1, 2), (1, 8, 2), (8, 2, 1)),
]


def all_of(pairs):
    """A loop over each product."""
    found = []
    for a, b in pairs:
        c = a @ b
        for k in range(3):
            c = c + np.sin(a + k) @ b
        found.append(c)
    return found


def transposed(pairs):
    found = []
    for a, b in pairs:
        c = np.einsum("...ki,...jk->...ij", a, b)
        for k in range(3):
            c = c + np.einsum("...ki,...jk->...ij", np.sin(a + k), b)
        found.append(c)
    return found


def same(f, pairs):
    tolerance = 1e-5 if pairs[0][0].dtype == np.float32 else 1e-13
    for found, expected in zip(myia.jit(f)(pairs), f(pairs), strict=True):
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("batch, dtype", [((), "f8"), ((), "f4"), ((2,), "f8"), ((8,), "f8")])
def test_shapes_that_xla_would_give_to_a_library(batch, dtype):
    """Rows, summed elements or columns from 8 on: no such call can be in a function."""
    both = [(random((*batch, m, k), dtype), random((*batch, k, n), dtype)) for m, k, n in SMALL]
    same(all_of, both)
    same(all_of, [(a, b.reshape(-1, *b.shape[-2:])[0]) for a, b in both])
    turned = [(a.swapaxes(-1, -2).copy(), b.swapaxes(-1, -2).copy()) for a, b in both]
    same(transposed, turned)


def test_a_training_step_of_a_small_layer():
    def train(w, x, y):
        for _ in range(10):
            g = myia.grad(lambda w: np.mean((np.tanh(x @ w) - y) ** 2))(w)
            w = w - 0.1 * g
        return w

    w, x, y = random((2, 2), "f8"), random((8, 2), "f8"), random((8, 2), "f8")
    np.testing.assert_allclose(myia.jit(train)(w, x, y), train(w, x, y), rtol=1e-12)
