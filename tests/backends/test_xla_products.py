"""What a product reads is not rearranged first: the HLO of programs with products on a CPU."""

import re

import jax
import numpy as np
import pytest

import myia
from myia.backends.xla.cpu import product_forms

A, B, X, Y = (
    np.random.default_rng(0).standard_normal(shape)
    for shape in ((70, 50), (90, 70), (70,), (50,))
)  # fmt: skip
RNG = np.random.default_rng(2)
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


def einsum_squared(a, x):
    return np.sum(np.einsum("kij,nkj->nki", a, x) ** 2)


def test_results_with_batch_axes_are_not_transposed_to_be_summed():
    a, x = STACK[:, :50, :], np.moveaxis(STACK, 0, 1)
    value, gradient = myia.jit(einsum_squared), myia.grad(einsum_squared, argnums=1)
    np.testing.assert_allclose(value(a, x), einsum_squared(a, x), rtol=1e-12)
    np.testing.assert_allclose(
        gradient(a, x), 2 * np.einsum("kij,kil,nkl->nkj", a, a, x), rtol=1e-11
    )
    # The gradient itself has the axes of `x`; the product that gives it the batch axis first.
    texts = [str(f.ir(a, x)["finish"]) for f in (value, gradient)]
    assert [text.count(" = transpose ") for text in texts] == [0, 1]


@pytest.mark.parametrize("dtype", ["i8", "u2", "bool"])
def test_products_of_integers_sum_adjacent_elements(dtype):
    a, b = ((9 * RNG.standard_normal(shape)).astype(dtype) for shape in ((70, 90), (90, 80)))
    f = myia.jit(lambda a, b: a @ b)
    np.testing.assert_array_equal(f(a, b), a @ b)
    text = f.lower(a, b).compile().as_text()
    assert "lhs_contracting_dims={1}, rhs_contracting_dims={1}" in text


STACKS = [
    ((3, 2, 4), (6, 3, 4, 1)),
    ((6, 3, 2, 4), (3, 4, 5)),
    ((6, 1, 2, 4), (1, 3, 4, 5)),
    ((2, 1, 3, 2, 4), (5, 1, 4, 2)),
    ((1, 1, 2, 4), (1, 4, 5)),
    ((0, 2, 4), (1, 4, 5)),
]


@pytest.mark.parametrize("of_a, of_b", STACKS)
@pytest.mark.parametrize("dtype", ["f8", "i8", "bool"])
def test_stacks_of_matrices_are_not_repeated(of_a, of_b, dtype):
    a, b = ((3 * RNG.standard_normal(shape)).astype(dtype) for shape in (of_a, of_b))
    product = myia.jit(straight)
    found, expected = product(a, b), a @ b
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    assert " = broadcast " not in str(product.ir(a, b)["finish"])


def straight(a, b):
    return a @ b


def test_gradient_of_a_shared_stack():
    a, b = RNG.standard_normal((3, 2, 4)), RNG.standard_normal((6, 3, 4, 1))
    by_a, by_b = myia.grad(lambda a, b: np.sum((a @ b) ** 2), argnums=(0, 1))(a, b)
    np.testing.assert_allclose(by_a, 2 * np.einsum("nkil,nkjl->kij", a @ b, b), rtol=1e-11)
    np.testing.assert_allclose(by_b, 2 * np.swapaxes(a, 1, 2) @ (a @ b), rtol=1e-11)


def plain(a, b):
    return a @ b


def of_transposed(a, b):
    return a @ b.T


@pytest.fixture
def low_thresholds(monkeypatch):
    monkeypatch.setattr(product_forms, "_MIN_ROWS", 20)
    monkeypatch.setattr(product_forms, "_MIN_SIDE", 8)
    monkeypatch.setattr(product_forms, "_BLOCK_ROWS", 8)
    monkeypatch.setattr(product_forms, "_MIN_SHARED_ELEMENTS", 100)


@pytest.mark.parametrize("f", [plain, of_transposed])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_blocks_of_rows(f, dtype, low_thresholds):
    """Large products are loops over blocks of rows; the last one, where rows are left, overlaps."""
    a, b = RNG.standard_normal((29, 16)).astype(dtype), RNG.standard_normal((16, 16)).astype(dtype)
    text = myia.jit(f).lower(a, b).as_text()
    assert "while" in text and f"tensor<8x16xf{8 * np.dtype(dtype).itemsize}>" in text
    tolerance = 50 * np.finfo(dtype).eps
    np.testing.assert_allclose(myia.jit(f)(a, b), f(a, b), rtol=tolerance, atol=tolerance)

    def objective(a, b):
        return np.sum(f(a, b) ** 3)

    of_a, of_b = myia.grad(objective, argnums=(0, 1))(a, b)
    squares, c = 3 * f(a, b) ** 2, b if f is plain else b.T
    assert np.allclose(of_a, squares @ c.T, rtol=1e-3 if dtype is np.float32 else 1e-11)
    assert np.allclose((of_b if f is plain else of_b.T), a.T @ squares, rtol=1e-3, atol=1e-3)
    by_jax = jax.jit(lambda a, b: myia.jit(objective)(a, b))
    with jax.enable_x64(True):
        given = (jax.device_put(a), jax.device_put(b))
        assert np.isclose(by_jax(*given), objective(a, b), rtol=1e-4)
        assert np.allclose(jax.grad(by_jax)(*given), of_a, rtol=1e-3, atol=1e-4)
        stack = jax.vmap(myia.jit(f), (0, None))(jax.numpy.stack([given[0]] * 2), given[1])
        assert np.allclose(stack[1], f(a, b), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    "subscripts", ["bi,bi->b", "bi,bj->bij", "bi,ci->bc", "bi,ci->cb", "ib,ib->b", "bi,cj->bc"]
)
def test_large_products_of_two_matrices(subscripts, low_thresholds):
    """Dot products of rows are not products in blocks; they ended in an IndexError."""

    def f(a, b):
        return np.einsum(subscripts, a, b)

    a, b = RNG.standard_normal((24, 24)), RNG.standard_normal((24, 24))
    np.testing.assert_allclose(myia.jit(f)(a, b), f(a, b), rtol=1e-11, atol=1e-11)
    of_a, of_b = myia.grad(lambda a, b: np.sum(f(a, b)), argnums=(0, 1))(a, b)
    near_a, near_b = RNG.standard_normal((2, 24, 24))
    by_a = np.sum(f(near_a, b))  # a linear function of each argument
    by_b = np.sum(f(a, near_b))
    np.testing.assert_allclose((np.sum(of_a * near_a), np.sum(of_b * near_b)), (by_a, by_b))


@pytest.mark.parametrize("shape", [(2_000, 0, 300), (0, 300, 7_000), (2_000, 300, 0)])
def test_large_products_of_empty_matrices(shape):
    n, k, m = shape
    np.testing.assert_array_equal(
        myia.jit(plain)(np.ones((n, k)), np.ones((k, m))), np.zeros((n, m))
    )


FILLED = {
    "ones": lambda a, s: np.sum((a @ np.ones((50, 50))) * a, axis=1),
    "run-time number": lambda a, s: np.sum((a @ np.full((50, 50), s)) * a, axis=1),
    "first": lambda a, s: np.sum((np.full((64, 64), s) @ a) * a, axis=0),
    "zeros": lambda a, s: np.sum((a @ np.zeros((50, 50))) * a + 1.0, axis=1),
    "total": lambda a, s: np.sum(a @ np.full((50, 20), s)),
    "batch": lambda a, s: np.sum(np.einsum("bi,bij->bj", a, np.full((64, 50, 3), s)) ** 2, axis=1),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", FILLED)
def test_products_by_a_matrix_of_one_number(name, dtype):
    """XLA's library for reductions reads such a matrix where nothing is, in plain JAX, too."""
    f, a, s = FILLED[name], RNG.standard_normal((64, 50)).astype(dtype), dtype(0.7)
    tolerance = 100 * np.finfo(dtype).eps
    want = f(a, s).astype(dtype)
    np.testing.assert_allclose(myia.jit(f)(a, s), want, tolerance, tolerance * abs(want).max())
    gradient = myia.grad(lambda a: np.sum(f(a, s)))(a.astype(np.float64))
    step = RNG.standard_normal(a.shape) * 1e-6
    wide = a.astype(np.float64)
    difference = np.sum(f(wide + step, s)) - np.sum(f(wide - step, s))
    np.testing.assert_allclose(np.sum(gradient * step), difference / 2, rtol=1e-4, atol=1e-9)


def test_small_and_thin_products_are_no_loops():
    for shape in ((1_499, 2_000), (9_000, 255), (20, 1_000_000)):
        a = jax.ShapeDtypeStruct(shape, np.float64)
        b = jax.ShapeDtypeStruct(shape[::-1], np.float64)
        assert "while" not in myia.jit(plain).lower(a, b).as_text()
