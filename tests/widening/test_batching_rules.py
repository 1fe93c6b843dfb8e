"""Batching rules of ops that programs of NumPy become, against a loop over the examples."""

import numpy as np
import pytest
import scipy.linalg

import myia
from tests.widening.test_examples import check

X, I, U = np.ones((4, 3)), np.array([0, 2, 1]), np.ones((3, 3))
M = np.array([[2.0, 0.3, 0.1], [0.4, 3.0, 0.2], [0.5, 0.1, 4.0]])


def stores(x, i, u):
    y = x.copy()
    y[i] = u
    return y


def adds(x, i, u):
    y = x.copy()
    np.add.at(y, i, u)
    return y


PROGRAMS = {
    "rows": (lambda x, i: x[i], (X, I)),
    "elements": (lambda x, i: x[i, i], (M, I)),
    "along an axis": (lambda x, i: np.take_along_axis(x, i[None], 0), (M, I)),
    "columns": (lambda x, i: x[:, i], (M, I)),
    "stores": (stores, (X, I, U)),
    "adds": (adds, (X, I, U)),
    "sort": (lambda x: (np.sort(x), np.argsort(x, 0)), (X,)),
    "transforms": (lambda x: (np.abs(np.fft.rfft(x)), np.fft.fft(x).real), (X,)),
    "solve": (np.linalg.solve, (M, np.ones(3))),
    "inv, det": (lambda a: (np.linalg.inv(a + M), np.linalg.det(a + M)), (M,)),
    "cholesky": (lambda a: np.linalg.cholesky(a @ a.T + M), (M,)),
    "triangular": (scipy.linalg.solve_triangular, (M, np.ones(3))),
    "qr": (lambda a: np.linalg.qr(a + M)[1], (M,)),
    "eigh": (lambda a: np.linalg.eigvalsh(a + M + a.T + M.T), (M,)),
    "svd": (lambda a: np.linalg.svd(a + M)[1], (M,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    f, args = PROGRAMS[name]
    check(myia.jit(f).ir(*args)["optimize"])


def test_products_with_a_shared_matrix_have_the_examples_first():
    def f(w, v, x):
        return v @ np.tanh(w @ x)

    args = np.ones((5, 3)), np.ones((2, 5)), np.linspace(-1, 1, 12).reshape(4, 3)
    F = myia.vmap(f, in_axes=(None, None, 0))
    assert "transpose" not in str(F.ir(*args)["finish"])
    np.testing.assert_allclose(F(*args), [f(*args[:2], x) for x in args[2]], rtol=1e-13)


def test_second_batches():
    """A rule of what a rule has made: of examples that are batches."""
    for f, args in (PROGRAMS["rows"], PROGRAMS["stores"], PROGRAMS["along an axis"]):
        batch = tuple(np.stack([x, x, x]) for x in args)
        check(myia.jit(myia.vmap(f)).ir(*batch)["finish"])
