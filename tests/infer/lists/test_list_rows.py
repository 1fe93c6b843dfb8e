"""Lists of lists of numbers: arrays in loops, whose rows alias as Python's lists do.

Each program runs on a small matrix, of single numbers, and on a large one, which becomes an array.
"""

import copy
import warnings

import numpy as np
import pytest

import myia
from tests.infer.lists.test_list_edits import assert_same


def matrix(n, m, seed=0):
    return np.random.default_rng(seed).uniform(0.5, 2.0, (n, m)).tolist()


def total(A):
    found = 0.0
    for i in range(len(A)):
        for j in range(len(A[i])):
            found += (i + 2 * j + 1) * A[i][j] * A[i][j]
    return found


def matmul(A, v):
    n, m = len(A), len(A[0])
    C = [[0.0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            for k in range(min(n, m)):
                C[i][j] += A[i][k] * A[k][j] * v
    return total(C)


def laplace(A, v):
    n, m = len(A), len(A[0])
    out = [[0.0] * m for _ in range(n)]
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            out[i][j] = A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1] - 4 * v * A[i][j]
    return total(out)


def elimination(A, v):
    n = len(A)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(A[i][k]) > abs(A[p][k]):
                p = i
        A[k], A[p] = A[p], A[k]
        for i in range(k + 1, n):
            f = A[i][k] / (A[k][k] + v)
            for j in range(k, n):
                A[i][j] -= f * A[k][j]
    return total(A)


def row_name(A, v):
    for i in range(len(A)):
        row = A[i]
        row[0] = v * i
        row[-1] += A[i][0]
    return total(A)


def row_kept(A, v):
    last = A[0]
    for row in A:
        if row[0] > v:
            last = row
    last[1] = 7.0 * v
    return total(A)


def rows_iterated(A, v):
    found = 0.0
    for row in A:
        for x in row:
            found = found * 0.9 + x * v
    return found


def rows_changed_by_iteration(A, v):
    for i, row in enumerate(A):
        for j, x in enumerate(row):
            row[j] = x * v + A[0][j] * i
    return total(A)


def two_matrices(A, v):
    B = [row[:] for row in A]
    for i in range(len(A)):
        for j in range(len(A[0])):
            B[i][j] = A[i][j] * v + B[i - 1][j]
            A[i][j] += 1.0
    return total(A) + 0.5 * total(B)


def shared_rows(A, v):
    Z = [[0.0] * 5] * len(A)
    for i in range(len(A)):
        Z[i][i % 5] += A[i][0] * v
    return total(Z)


def shared_columns(A, v):
    row = A[1]
    B = [row, A[0], row, *A[2:]]
    for i in range(len(B)):
        B[i][0] = B[i][0] * v + i
    return total(A) + total(B)


def rows_assigned(A, v):
    k = int(v)
    for i in range(2):
        A[i] = A[k + i]
    A[0][1] = v
    A[k][0] = 3.0 * v
    return total(A)


def row_given(A, v):
    zeros = [v] * len(A[0])
    for i in range(len(A)):
        if i % 3 == 0:
            A[i] = zeros
        zeros[0] += A[i][1]
    return total(A)


def row_replaced(A, v):
    for i in range(1, len(A)):
        A[i] = [x - v * y for x, y in zip(A[i], A[i - 1])]
    return total(A)


def another_name(A, v):
    B = A
    for i in range(len(A)):
        B[i][0] = v
    B[0] = B[1]
    B[1][2] = v * v
    return total(A), A is B, A[0] is A[1], A[2] is A[1]


def shallow_copy(A, v):
    B = list(A)
    for i in range(len(A)):
        B[i][0] = v * i
        B[i], B[0] = B[0], B[i]
    return total(A), total(B)


def deep_copy(A, v):
    for i in range(len(A)):
        A[i][0] *= v
    B = copy.deepcopy(A)
    for i in range(len(A)):
        B[i][0] += v
    return total(A), total(B)


def slices_of_rows(A, v):
    k = int(v)
    for i in range(len(A)):
        A[i][1:3] = [v, v * i]
        A[i] = A[i]
    return total(A[k:]), total(A[:k]), sum(A[k][k:]), A[-1]


def indices_of_run_time(A, v):
    k = int(v)
    A[k][k - 1] = v * v
    A[-k][-1] += 1.0
    return A[k][0] * A[0][k] + total(A)


def out_of_range(A, v):
    return A[int(v)][int(v) + 100]


def out_of_range_rows(A, v):
    return A[int(v) + 100][0]


def integers(A, v):
    counts = [[0] * 4 for _ in range(len(A))]
    for i in range(len(A)):
        for x in A[i]:
            counts[i][int(x * 2) % 4] += 1
    return counts, sum(c * v for row in counts for c in row)


def integers_become_floats(A, v):
    C = [[0] * len(A[0]) for _ in range(len(A))]
    for i in range(len(A)):
        for j in range(len(A[0])):
            C[i][j] = A[i][j] * v
    return C


def as_array(A, v):
    for i in range(len(A)):
        A[i][0] = v * i
    return float(np.sum(np.array(A) ** 2)) + np.array(A[1]).sum()


def in_a_branch(A, v):
    if v > 1.0:
        for i in range(len(A)):
            A[i][0] = v
    else:
        A[0][0] = 1.0
    return total(A)


def helper(A, v):
    def scale(row, i):
        for j in range(len(row)):
            row[j] *= v + i

    for i in range(len(A)):
        scale(A[i], i)
    return total(A)


def made_in_a_loop(A, v):
    found = 0.0
    for k in range(3):
        C = [[v * k] * 9 for _ in range(9)]
        for i in range(9):
            C[i][i] = A[0][k] + C[i - 1][i]
        found += total(C)
    return found


def by_while(A, v):
    i = 0
    while i < len(A) and A[i][0] < 10.0 * v:
        A[i][0] *= v
        i += 1
    return total(A)


def compared(A, v):
    B = [row[:] for row in A]
    same = A == B
    for i in range(len(A)):
        B[i][0] = A[i][0] * 1.0
    again = A == B
    B[int(v)][1] = -1.0
    return same, again, A == B, [A[0][0], 2.0] in A


PROGRAMS = [
    *(matmul, laplace, elimination, row_name, row_kept, rows_iterated, rows_changed_by_iteration),
    *(two_matrices, shared_rows, shared_columns, rows_assigned, row_given, row_replaced),
    *(another_name, shallow_copy, deep_copy, slices_of_rows, indices_of_run_time, out_of_range),
    *(out_of_range_rows, integers, integers_become_floats, as_array, in_a_branch, helper),
    *(made_in_a_loop, by_while, compared),
]
SIZES = [(4, 4), (10, 10)]


def outcome(f, A, v):
    """The value, the argument afterwards, and which of its rows are one; or the exception."""
    rows = list(A)
    try:
        value = f(A, v)
    except (IndexError, ValueError) as e:
        return IndexError if isinstance(e, IndexError) else ValueError
    return value, A, rows, [[row is other for other in rows] for row in A]


@pytest.mark.parametrize("size", SIZES, ids=["small", "large"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(f, size):
    compiled = myia.jit(f)
    if f is row_kept and size == SIZES[0]:
        with pytest.raises(myia.errors.MyiaError, match="through another name"):
            compiled(matrix(*size), 2.0)
        return
    for v in (2.0, 1.25):
        A = matrix(*size)
        assert_same(outcome(compiled, copy.deepcopy(A), v), outcome(f, A, v))


DIFFERENTIABLE = [
    *(matmul, laplace, elimination, row_name, rows_iterated, rows_changed_by_iteration),
    *(two_matrices, shared_rows, shared_columns, rows_assigned, helper, by_while, as_array),
    integers_become_floats,
]


@pytest.mark.parametrize("order", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("f", DIFFERENTIABLE, ids=lambda f: f.__name__)
def test_derivatives(f, order):
    def of(A, v):
        found = f([list(row) for row in A], v)
        return (found if isinstance(found, float) else total(found)) * 1e-3

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        myia.check_grads(of, (matrix(9, 9), 1.25), order=order)


def test_caller_keeps_its_rows():
    def program(A):
        for i in range(len(A)):
            A[i][0] += 1.0
        return total(A)

    A = matrix(10, 10)
    rows, want = list(A), copy.deepcopy(A)
    assert myia.jit(program)(A) == pytest.approx(program(want), rel=1e-12)
    assert want == A
    assert all(x is y for x, y in zip(A, rows))


def test_a_row_in_two_places():
    def program(A, row):
        for i in range(len(A)):
            A[i][0] *= 2.0
        row[1] = 5.0
        return total(A)

    for k in (0, 9):
        A, B = matrix(10, 10), matrix(10, 10)
        assert myia.jit(program)(A, A[k]) == pytest.approx(program(B, B[k]), rel=1e-12)
        assert A == B


def test_shared_rows_under_an_inner_gradient():
    def inner(A, v):
        A[0][0] = A[0][0] * v
        return A[1][0] * 3.0 + total(A)

    def program(A, v):
        B = [A[0], A[0], *A[2:]]
        s = 0.0
        for i in range(len(B)):
            s += B[i][0]
        return s * myia.grad(inner, argnums=1)(B, v)

    A = matrix(10, 10)
    for i in range(10):
        A[1][i] = A[0][i]
    a = A[0][0]
    s = sum(A[i][0] for i in range(10))
    want = s * (3.0 * a + 2 * a * a * 1.5 + 2 * 2 * a * a * 1.5)
    try:
        found = myia.jit(program)(A, 1.5)
    except myia.errors.MyiaError as e:
        assert "another name" in str(e)
    else:
        assert found == pytest.approx(want, rel=1e-12)


def test_gradient_inside_of_a_loop():
    def step(A, v):
        for _ in range(3):
            G = myia.grad(laplace)(A, v)
            A = [[x - 1e-3 * g for x, g in zip(a, b)] for a, b in zip(A, G)]
        return laplace(A, v)

    A = matrix(9, 9)
    want = copy.deepcopy(A)
    for _ in range(3):
        G = myia.grad(laplace)(want, 1.25)
        want = [[x - 1e-3 * g for x, g in zip(a, b)] for a, b in zip(want, G)]
    assert myia.jit(step)(A, 1.25) == pytest.approx(laplace(want, 1.25), rel=1e-12)


@pytest.mark.parametrize("f", [matmul, laplace, elimination], ids=lambda f: f.__name__)
def test_code_is_that_of_loops(f):
    def ops(n):
        return myia.jit(f).ir(matrix(n, n), 2.0)["typed"].count("\n")

    small, large = ops(10), ops(20)
    # A number that enters takes two ops, a row of zeros that is made one.
    assert large - small <= 2 * (20**2 - 10**2) + 40
