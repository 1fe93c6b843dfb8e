"""Products with run-time slices of matrices: NumPy's numbers, and no masked copy of a matrix."""

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.core import walk
from myia.ir.verifier import verify
from myia.passes.canonicalize.cse import cse
from myia.passes.run_time_sizes import masked_products as this
from myia.passes.run_time_sizes.masked_products import masked_products
from tests.infer.driver import assert_same, inferred
from tests.program_results import finish

ROWS, COLUMNS = 30, 40
DATA = np.cos(np.arange(ROWS * COLUMNS) ** 1.5).reshape(ROWS, COLUMNS)


@pytest.fixture(autouse=True)
def small_arrays(monkeypatch):
    monkeypatch.setattr(this, "MIN_SUMMED_ELEMENTS", 1024)


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
    after = masked_products(cse(program.function))
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


def of_run_time_sizes(x, a, stops):
    total = 0.0
    for stop in stops:
        y = x @ a[:, :stop]
        total += (y * y).sum()
    return total


def of_prefixes(x, a, stops):
    total = np.zeros(a.shape[1])
    for i in range(3, a.shape[1]):
        total[:i] += x @ a[:, :i] / 7.0
        total[i] = 1.0
    return (total**2).sum() + stops[0]


@pytest.mark.parametrize("f", [of_run_time_sizes, of_prefixes])
def test_columns_that_are_not_there_reach_no_derivative(f):
    x, stops = np.cos(np.arange(ROWS)), np.array([7, -3, 0, 38, -60, 37])
    unused = DATA.copy()
    unused[:, -1] = np.nan
    gradient = myia.grad(f)
    found = gradient(x, unused, stops)
    np.testing.assert_allclose(found, gradient(x, DATA, stops), rtol=1e-12)
    shifts = 1e-6 * np.eye(ROWS)
    differences = [f(x + d, DATA, stops) - f(x - d, DATA, stops) for d in shifts]
    np.testing.assert_allclose(found, np.array(differences) / 2e-6, rtol=1e-5)


def test_columns_that_are_not_there_reach_no_second_derivative():
    x, stops = np.cos(np.arange(ROWS)), np.array([7, -3, 0, 38, -60, 37])
    unused = DATA.copy()
    unused[:, -1] = np.inf
    second = myia.grad(directional(of_run_time_sizes))
    found = second(x, unused, stops)
    np.testing.assert_allclose(found, second(x, DATA, stops), rtol=1e-12)


def directional(f):
    def derivative(x, a, stops):
        return (myia.grad(f)(x, a, stops) * np.linspace(-1.0, 1.0, ROWS)).sum()

    return derivative


def sum_over_a_prefix(a, x):
    total = np.zeros(len(a))
    for i in range(a.shape[1]):
        left = np.where(np.arange(a.shape[1]) < i, a, 0.0)
        total += left @ np.where(np.arange(a.shape[1]) < i, x, 0.0)
    return total


@pytest.mark.parametrize("number", [1.0, np.nan, np.inf])
def test_a_sum_that_is_not_finite_is_made_again(number):
    """What is left out, and what is there."""
    a, x = DATA.copy(), np.sin(np.arange(COLUMNS))
    a[3, -1] = a[7, COLUMNS // 2] = number
    found, _ = selected_matrices(sum_over_a_prefix, a, x)
    with np.errstate(all="ignore"):
        wanted = sum_over_a_prefix(a, x)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert np.isfinite(wanted).sum() >= ROWS - 1


def test_a_sum_makes_its_masked_copy_in_a_branch():
    program, _ = inferred(sum_over_a_prefix, DATA, np.sin(np.arange(COLUMNS)))
    after = masked_products(cse(program.function))
    (loop,) = (op for op in after.region.ops if op.primitive.name == "loop")
    here = [op for op in loop.regions[-1].ops if op.primitive.name == "select"]
    assert all(op.results[0].aval.ndim == 1 for op in here)
    assert masked_products(after) is after


def test_stacks_of_products_are_left_alone():
    """An axis that both have is no axis of one of them."""

    def f(x, a, n):
        total = np.zeros((2, COLUMNS))
        for i in range(n):
            total[:, :i] += (x[:, None, :] @ a[:, :, :i])[:, 0]
        return total

    stack = np.stack([DATA, DATA[::-1]])
    x = np.cos(np.arange(2.0 * ROWS)).reshape(2, ROWS)
    np.testing.assert_allclose(myia.jit(f)(x, stack, 9), f(x, stack, 9), rtol=1e-12)
