"""`scipy.sparse` matrices and arrays as arguments: values and types of SciPy, and derivatives."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import jax
import numpy as np
import pytest
import scipy.sparse

import myia

RNG = np.random.default_rng(3)
DENSE = RNG.normal(size=(4, 3)) * (RNG.random((4, 3)) < 0.6)
X, Z = RNG.normal(size=(3, 2)), RNG.normal(size=(2, 4))
FORMATS = [f"{f}_{kind}" for kind in ("array", "matrix") for f in ("csr", "csc", "coo")]


def products(A, x, X, Z):
    scaled = (A * 2.0) @ x + 2 * A @ x - (-A / 3) @ x
    return A @ x, A.T @ Z[0], A @ X, Z[0] @ A, Z @ A, A.dot(x), scaled, A.data.max()


def facts(A):
    return A.sum(), A.diagonal(), A.toarray(), A.T.toarray(), A.shape, A.nnz, A.dtype, A.ndim


def check(found, wanted):
    for x, y in zip(found, wanted, strict=True):
        assert type(x) is type(y)
        np.testing.assert_equal(np.asarray(x).dtype, np.asarray(y).dtype)
        if isinstance(y, (np.ndarray, np.generic)):
            np.testing.assert_allclose(x, y, rtol=1e-6)
        else:
            assert x == y


SOME = ["csr_array", "csc_array", "coo_matrix"]
ALL = [n if n in SOME else pytest.param(n, marks=pytest.mark.slow) for n in FORMATS]


@pytest.mark.parametrize("name", ALL)
def test_values(name):
    A, x = getattr(scipy.sparse, name)(DENSE), X[:, 0]
    F, G = myia.jit(products), myia.jit(facts)
    for _ in range(3):  # the third call is a guarded one
        check(F(A, x, X, Z), products(A, x, X, Z))
        A.data *= 2.0
    check(G(A), facts(A))
    assert F.compiles == 1
    B = A.copy()
    B.data = A.data.astype(np.float32)
    check(F(B, x.astype(np.float32), X, Z), products(B, x.astype(np.float32), X, Z))


@pytest.mark.parametrize("name", ["csr_array", "coo_array"])
def test_sums_and_other_matrices(name):
    def sums(A):
        return A.sum(0), A.sum(axis=-1), A.sum(axis=1)

    A = getattr(scipy.sparse, name)(DENSE)
    F = myia.jit(sums)
    check(F(A), sums(A))
    whole = A.astype(np.int32)
    check(F(whole), sums(whole))
    empty = getattr(scipy.sparse, name)((2, 3))
    check(F(empty), sums(empty))
    row = np.array([1, 0, 1, 1])  # elements that are stored twice, and out of order
    twice = scipy.sparse.coo_array((np.arange(4.0), (row, row)), shape=(2, 2))

    def dense(A):  # `diagonal` of SciPy adds them up in place
        return A.toarray(), A @ np.ones(2), A.diagonal()

    check(myia.jit(dense)(twice), dense(twice))


def quadratic(A, x):
    y = A @ x
    return np.sum(np.sin(y) * y) + (A.T @ y).sum()


@pytest.mark.parametrize("name", ALL)
def test_gradient_has_the_structure(name):
    A, x = getattr(scipy.sparse, name)(DENSE), X[:, 0]
    of_matrix, of_x = myia.grad(quadratic, (0, 1))(A, x)
    dense, wanted_x = myia.grad(quadratic, (0, 1))(DENSE, x)
    assert type(of_matrix) is type(A) and of_matrix.shape == A.shape
    np.testing.assert_array_equal(A.nonzero(), of_matrix.nonzero())
    np.testing.assert_allclose(of_matrix.toarray(), dense * (DENSE != 0), rtol=1e-12)
    np.testing.assert_allclose(of_x, wanted_x, rtol=1e-12)
    of_matrix.data[:] = 0  # memory of its own
    assert A.sum() != 0


def test_higher_order_and_forward_mode():
    A, x, v = scipy.sparse.csr_array(DENSE), X[:, 0], X[:, 1]
    np.testing.assert_allclose(
        myia.hvp(quadratic, 1)(A, x, v), myia.hvp(quadratic, 1)(DENSE, x, v), rtol=1e-12
    )
    direction = A * 0.5
    value, tangent = myia.jvp(quadratic, (A, x), (direction, v))
    wanted = myia.jvp(quadratic, (DENSE, x), (DENSE * 0.5, v))
    np.testing.assert_allclose((value, tangent), wanted, rtol=1e-12)
    of_matrix = myia.hvp(lambda A: quadratic(A, x))(A, direction)
    of_dense = myia.hvp(lambda A: quadratic(A, x))(DENSE, DENSE * 0.5)
    np.testing.assert_allclose(of_matrix.toarray(), of_dense * (DENSE != 0), rtol=1e-12)
    _, pullback = myia.vjp(quadratic, A, x)
    np.testing.assert_allclose(pullback(1.0)[1], myia.grad(quadratic, 1)(DENSE, x), rtol=1e-12)


GLOBAL = scipy.sparse.csr_array(DENSE)


class Layer:
    def __init__(self) -> None:
        self.A = scipy.sparse.csr_array(DENSE)

    def __call__(self, x):
        return np.sum((self.A @ x) ** 2)


def test_in_globals_containers_and_results():
    F = myia.jit(lambda x: GLOBAL @ x)
    for k in range(3):
        GLOBAL.data[0] = k
        np.testing.assert_allclose(F(X), GLOBAL @ X)
    layer = Layer()
    gradient = myia.grad(lambda layer, x: layer(x))(layer, X[:, 0])
    assert type(gradient.A) is scipy.sparse.csr_array
    A = scipy.sparse.csr_array(DENSE)
    found, scaled = myia.jit(lambda d: (d["A"], d["A"] * 2))({"A": A})
    assert found is A and type(scaled) is scipy.sparse.csr_array
    np.testing.assert_array_equal(scaled.toarray(), 2 * DENSE)


def test_writes_into_data():
    def halve(A):
        A.data *= 0.5
        return A.sum()

    A, F = scipy.sparse.csr_array(DENSE), myia.jit(halve)
    for _ in range(3):
        total = A.sum()
        np.testing.assert_allclose(F(A), total / 2)
        np.testing.assert_allclose(A.sum(), total / 2)


def replaced(A):
    A.data = A.data * 2
    return A @ np.ones(3)


REFUSED = {
    "`tolil` of a csr_array": lambda A: A.tolil(),
    "`__getitem__` of a csr_array": lambda A: A[0],
    "`__add__` of a csr_array": lambda A: A + A,
    "`__eq__` of a csr_array": lambda A: A == A,
    "`__bool__` of a csr_array": lambda A: 1.0 if A else 2.0,
    "a product of two sparse matrices": lambda A: A @ A.T,
    "an array made of an instance of csr_array": lambda A: np.exp(A),
    "an elementwise product of a sparse array and an array": lambda A: np.ones(3) * A,
    "a change of a csr_array": replaced,
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message):
    A = scipy.sparse.csr_array(DENSE)
    with pytest.raises(myia.errors.MyiaError) as error:
        myia.jit(REFUSED[message])(A)
    text = str(error.value)
    assert f"{message} is not supported" in text and "test_sparse.py" in text
    assert "toarray()`" in text


def test_wrong_shapes_are_errors():
    A = scipy.sparse.csr_array(DENSE)
    with pytest.raises(ValueError, match="dimension mismatch"):
        myia.jit(lambda A, x: A @ x)(A, np.ones(4))
    with pytest.raises(ValueError, match="dimension mismatch"):
        myia.jit(lambda A, x: x @ A)(A, np.ones(3))
    with pytest.raises(TypeError, match="a sparse array of 1 dimension"):
        myia.jit(lambda A: A.sum())(scipy.sparse.coo_array(np.ones(3)))
    with pytest.raises(AttributeError, match="'csr_array' object has no attribute 'indx'"):
        myia.jit(lambda A: A.indx)(A)


def kinds(A):
    of_class = isinstance(A, scipy.sparse.csr_array), isinstance(A.T, scipy.sparse.csc_array)
    others = isinstance(A, scipy.sparse.csr_matrix), isinstance(A, np.ndarray)
    return *of_class, *others, type(A) is scipy.sparse.csr_array, scipy.sparse.issparse(A)


def test_its_class_is_that_of_scipy():
    A = scipy.sparse.csr_array(DENSE)
    assert myia.jit(kinds)(A) == kinds(A) == (True, True, False, False, True, True)
    with pytest.raises(myia.errors.MyiaError, match=r"of other formats: `A\.tocsr\(\)`"):
        myia.jit(lambda A: A.sum())(scipy.sparse.dia_array(DENSE))


def test_under_transforms_of_jax_and_in_threads():
    A, F = scipy.sparse.csr_array(DENSE), myia.jit(lambda A, x: A @ x)
    np.testing.assert_allclose(jax.jit(lambda x: F(A, x))(X[:, 0]), A @ X[:, 0], rtol=1e-5)
    found = jax.vmap(lambda x: F(A, x))(jax.numpy.asarray(X.T))
    np.testing.assert_allclose(found, (A @ X).T, rtol=1e-5)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda k: F(A, k * X), range(40)))
    for k, y in enumerate(results):
        np.testing.assert_allclose(y, k * (A @ X), rtol=1e-12)
