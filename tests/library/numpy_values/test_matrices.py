"""Ranks by relative tolerances, condition numbers of singular matrices, diagonals that are none."""

import numpy as np
import pytest

import myia
from tests.library.derivative_orders import check_derivatives
from tests.library.numpy_values.comparison import assert_as_numpy

WIDE = np.array([[100.0, 0.0], [0.0, 1.0]])
BATCH = np.array([WIDE, WIDE / 100, WIDE * 0])
RANKS = {
    "relative": lambda a, r: np.linalg.matrix_rank(a, rtol=r),
    "relative, known": lambda a, r: np.linalg.matrix_rank(a, rtol=0.1),
    "absolute": lambda a, r: (np.linalg.matrix_rank(a, r), np.linalg.matrix_rank(a, tol=2.0)),
    "default": lambda a, r: np.linalg.matrix_rank(a),
    "hermitian": lambda a, r: np.linalg.matrix_rank(-a, rtol=r, hermitian=True),
}


@pytest.mark.parametrize("name", RANKS)
def test_ranks(name):
    assert_as_numpy(RANKS[name], WIDE, 0.1)
    assert_as_numpy(RANKS[name], BATCH, np.array([0.1, 1e-3, 1.0]))
    assert_as_numpy(RANKS[name], WIDE.astype("f4"), 0.001)


NORMS = {
    "None": lambda x: np.linalg.cond(x),
    "2": lambda x: np.linalg.cond(x, 2),
    "-2": lambda x: np.linalg.cond(x, -2),
    "1": lambda x: np.linalg.cond(x, 1),
    "-1": lambda x: np.linalg.cond(x, -1),
    "inf": lambda x: np.linalg.cond(x, np.inf),
    "fro": lambda x: np.linalg.cond(x, "fro"),
}


@pytest.mark.parametrize("p", NORMS)
def test_condition_numbers(p):
    assert_as_numpy(NORMS[p], np.zeros((2, 2)))
    assert_as_numpy(NORMS[p], WIDE, rtol=1e-12)
    if p[0] != "-":
        assert myia.jit(NORMS[p])(np.array([[1.0, 2.0], [2.0, 4.0]])) > 1e15


def test_derivatives_of_condition_numbers():
    check_derivatives(np.linalg.cond, WIDE + 0.5)


def test_diagonals_of_unequal_axes():
    def filled(x):
        np.fill_diagonal(x, 3)
        return x

    for shape in ((3,), (), (2, 3, 3), (3, 3, 3), (2, 3), (3, 2)):
        assert_as_numpy(filled, np.zeros((*shape, 1))[..., 0] if shape else np.zeros(1))
