"""Products with run-time slices of matrices: NumPy's numbers, and no masked copy of a matrix."""

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.core import walk
from myia.ir.verifier import verify
from myia.passes.canonicalize.dce import dce
from myia.passes.run_time_sizes.valid_elements import valid_elements
from tests.infer.driver import assert_same, inferred
from tests.program_results import finish

ROWS, COLUMNS = 30, 40
DATA = np.cos(np.arange(ROWS * COLUMNS) ** 1.5).reshape(ROWS, COLUMNS)


def triangle(data):
    m = data.shape[1]
    out = np.eye(m)
    for i in range(m):
        out[i:, i] = out[i, i:] = data[:, i] @ data[:, i:] / 3.0
    return out


def after_the_diagonal(data):
    m = data.shape[1]
    out = np.eye(m)
    for i in range(m - 1):
        out[i + 1 : m, i] = out[i, i + 1 : m] = data[:, i] @ data[:, i + 1 : m]
    return out


def left_factor(data):
    """The slice is the first operand, along its rows; the other operand has two axes."""
    other = data[:, :5].T @ data[:, :3]
    total = 0.0
    for i in range(len(data)):
        total += (data[i:, :5] @ other).sum() + (data[:i] @ data[0]).sum() * i
    return total


def selected_matrices(f, *args) -> tuple[object, int]:
    """What `f` returns after the pass, and how many selections in it have a matrix."""
    program, flat = inferred(f, *args)
    after = dce(valid_elements(program.function))
    verify(after)
    results = evaluate(after, [np.asarray(x) for x in flat.leaves])
    selections = (op for op in walk(after.region) if op.primitive.name == "select")
    large = sum(op.results[0].aval.size >= ROWS * (COLUMNS - 1) for op in selections)
    return finish(program, results, flat), large


@pytest.mark.parametrize("f", [triangle, after_the_diagonal])
def test_no_matrix_is_masked(f):
    found, large = selected_matrices(f, DATA)
    assert_same(found, f(DATA.copy()), 1e-12)
    assert large == 0


def test_the_first_operand_is_a_slice():
    found, _ = selected_matrices(left_factor, DATA)
    assert_same(found, left_factor(DATA.copy()), 1e-12)


def test_columns_that_are_not_there_reach_nothing():
    data = np.where(np.arange(COLUMNS) < 5, np.nan, DATA)
    data[:, 7] = np.inf
    with np.errstate(all="ignore"):
        wanted = after_the_diagonal(data.copy())
    found, large = selected_matrices(after_the_diagonal, data)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    finite = np.isfinite(wanted)
    np.testing.assert_allclose(found[finite], wanted[finite], rtol=1e-12)
    assert finite.sum() > 500 and large == 0


def test_its_derivative():
    def objective(data):
        return (triangle(data) ** 3).sum()

    myia.check_grads(objective, (DATA,), modes=("rev",))
