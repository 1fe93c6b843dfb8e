"""`LinAlgError` and `ValueError` of `np.linalg` and `scipy.linalg` reach their handlers."""

import numpy as np
import pytest
import scipy.linalg

import myia
from tests.zoo.reference_calls import ReferenceCalls

NAN, INF = np.nan, np.inf
MATRICES = {
    "regular": np.array([[4.0, 1.0], [1.0, 3.0]]),
    "singular": np.array([[1.0, 2.0], [2.0, 4.0]]),
    "nearly singular": np.array([[1.0, 2.0], [2.0, 4.0 + 1e-15]]),
    "single": np.array([[1, 2], [2, 4]], np.float32),
    "integers": np.array([[1, 2], [2, 4]]),
    "complex": np.array([[1, 1j], [-1j, 1]]),
    "zero": np.zeros((1, 1)),
    "not positive": np.diag([1.0, 2.0, -1.0, 3.0]),
    "NaN": np.array([[2.0, NAN], [1.0, 2.0]]),
    "first is NaN": np.array([[NAN, 1.0], [1.0, 2.0]]),
    "infinite": np.array([[INF, 1.0], [1.0, 2.0]]),
    "empty": np.zeros((0, 0)),
    "batch": np.array([np.eye(2), np.ones((2, 2))]),
    "rectangle": np.ones((2, 3)),
}


def caught(call):
    def f(a):
        try:
            call(a)
        except np.linalg.LinAlgError as error:
            return len(str(error))
        return 0

    return f


NUMPY = [
    lambda a: np.linalg.inv(a),
    lambda a: np.linalg.solve(a, np.ones((*a.shape[:-1], 1))),
    lambda a: np.linalg.cholesky(a),
    lambda a: np.linalg.cholesky(a, upper=True),
    lambda a: np.linalg.matrix_power(a, -2),
    lambda a: np.linalg.tensorsolve(a, np.ones(a.shape[0])),
    lambda a: np.linalg.eig(a),
    lambda a: np.linalg.eigvals(a),
    lambda a: np.linalg.svd(a),
    lambda a: np.linalg.pinv(a),
    lambda a: np.linalg.det(a),
    lambda a: np.linalg.qr(a),
    lambda a: np.linalg.slogdet(a),
]


@pytest.mark.parametrize("call", NUMPY)
def test_numpy(call):
    f = caught(call)
    compiled = ReferenceCalls(myia.jit(f))
    for name, a in MATRICES.items():
        try:
            expected = f(a)
        except ValueError:
            continue  # an axis that these shapes do not have
        assert compiled(a) == expected, name


def number(a):
    try:
        scipy.linalg.cho_solve(scipy.linalg.cho_factor(a), np.ones(len(a)))
    except np.linalg.LinAlgError:
        return 1
    except ValueError:
        return 2
    try:
        scipy.linalg.inv(a)
        scipy.linalg.solve(a, np.ones(len(a)))
        scipy.linalg.solve_triangular(a, np.ones(len(a)))
        scipy.linalg.lu_factor(a)
    except np.linalg.LinAlgError:
        return 3
    return 0


def test_scipy():
    compiled = ReferenceCalls(myia.jit(number))
    left_out = ("empty", "batch", "complex", "rectangle")
    found = {name: compiled(a) for name, a in MATRICES.items() if name not in left_out}
    assert found == {name: number(MATRICES[name]) for name in found}
    assert set(found.values()) == {0, 1, 2}


def ridge(a, b):
    x = np.zeros(len(b))
    for k in range(3):
        try:
            x = x + np.linalg.solve(a + k * np.eye(len(b)), b)
        except np.linalg.LinAlgError as e:
            x = x - len(str(e)) * b
    return np.sum(x * x)


@pytest.mark.parametrize("name", ["regular", "singular"])
def test_derivatives(name):
    a, b = MATRICES[name], np.array([1.0, -2.0])
    assert myia.jit(ridge)(a, b) == pytest.approx(ridge(a, b), rel=1e-12)
    step = 1e-6 * np.eye(2)
    expected = [(ridge(a, b + h) - ridge(a, b - h)) / 2e-6 for h in step]
    np.testing.assert_allclose(myia.grad(ridge, argnums=1)(a, b), expected, rtol=1e-7)


def test_a_factorization_is_made_once():
    def solve(a, b):
        try:
            return np.linalg.solve(a, b)
        except np.linalg.LinAlgError:
            return b

    text = myia.jit(solve).ir(MATRICES["regular"], np.ones(2))["finish"]
    assert text.count(" lu ") == 1


def test_no_error_where_nothing_catches_it():
    def inverse(a):
        try:
            return np.linalg.inv(a)
        except ZeroDivisionError:
            return a

    assert not np.isfinite(myia.jit(inverse)(MATRICES["singular"])).all()
